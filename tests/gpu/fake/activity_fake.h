/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Activities and callbacks of the fake of libcupti.so.13 */
#ifndef GPMU_TESTS_GPU_FAKE_ACTIVITY_H
#define GPMU_TESTS_GPU_FAKE_ACTIVITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject_api.h"
#include "fake.h"

#define PUBLIC	__attribute__((visibility("default")))

/* Bytes of a record of a kind; 0 for an unknown kind */
size_t activity_size(uint32_t kind);
/* Puts a record into a buffer if its kind is enabled. With @is_held the record gets its end later and holds its buffer. */
void activity_put(const void *record, bool is_held);
/* Ends all kernels that hold a buffer */
void activity_release(void);
bool activity_is_enabled(uint32_t kind);
/* The number of enabled kinds */
unsigned int activity_enabled(void);
/* Waits until what was put before has been flushed and read: the next flush but one begins. */
void activity_await_flush(void);
/* Returns whether the program has made a graph. */
bool activity_has_graphs(void);
/* Calls the subscriber back if it has enabled this callback. */
/* Sends the process a signal while the lock is held that a flush needs, and waits for the end. */
void activity_kill(int signal);
void activity_callback(uint32_t domain, uint32_t cbid, const void *data);
/* Returns whether records of this call are disabled. */
bool activity_is_off(uint32_t kind, uint32_t cbid);
/* The number of such calls */
size_t activity_off(void);
/* The program registers buffers of its own. */
void activity_steal(void);
/* CUPTI has ended itself. */
void activity_end(void);
/* The time by the registered clock */
uint64_t activity_now(void);
bool activity_has_nvtx(void);
/* Returns whether OpenACC's runtime is connected. */
bool activity_has_openacc(void);
/* Returns whether allocations have the library that has made them. */
bool activity_has_sources(void);

/* pc_sampling.c: executes a word of PC sampling; false: it is none */
bool pc_sampling_do(const char *word, const char *value);
/* The program has created a context. */
void pc_sampling_context(uint32_t id, uint32_t device);
bool pc_sampling_is_enabled(void);

/* activity_do.c: executes a word of the program */
void activity_do(const char *word, const char *value);
const char *activity_call_name(uint32_t domain, uint32_t cbid);

#endif /* GPMU_TESTS_GPU_FAKE_ACTIVITY_H */
