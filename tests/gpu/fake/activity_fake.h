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
/* Returns whether the subscriber has enabled all callbacks of a domain. */
bool activity_has_domain(uint32_t domain);
/* Returns whether records of this call are disabled. */
bool activity_is_off(uint32_t kind, uint32_t cbid);
/* The number of such calls */
size_t activity_off(void);
/* The program registers buffers of its own. */
void activity_steal(void);
/* The program ends CUPTI in its process. */
void activity_finalize(void);
/* Makes a function CUPTI's only subscriber, or the first of several. Returns its handle */
void *activity_subscribe(CUpti_CallbackFunc function, bool is_one_of_several);
/* Returns whether CUPTI has a subscriber and supports no other. */
bool activity_is_alone(void);
/* With several subscribers, lets this thread call functions without a subscriber. */
void activity_allow(bool is_allowed);

/* several.c, which only the fake of CUDA 13.3 has */
#define OPTIONAL	__attribute__((weak))
/* Subscribes, and returns CUPTI's result. */
OPTIONAL int several_subscribe(void **subscriber, CUpti_CallbackFunc function, const CUpti_SubscriberParams *params);
/* Gives the second subscriber a record. */
OPTIONAL void several_put(const void *record);
/* Executes the word "join" or "joined". */
OPTIONAL void several_do(const char *word);

/* CUPTI has ended itself. */
void activity_end(void);
/* The time by the registered clock */
uint64_t activity_now(void);
/* The time an hour ago */
uint64_t activity_late(void);
PUBLIC int cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc function);
PUBLIC int cuptiGetTimestamp(uint64_t *time);
PUBLIC int cuptiSetThreadIdType(uint32_t type);
PUBLIC int cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested, CUpti_BuffersCallbackCompleteFunc completed);
PUBLIC int cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value);
PUBLIC int cuptiActivityEnable(uint32_t kind);
PUBLIC int cuptiActivityDisable(uint32_t kind);
PUBLIC int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable);
PUBLIC int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable);
PUBLIC int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record);
PUBLIC int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *number);
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
/* Returns the CRC of the module that was loaded last; 0: none */
uint32_t pc_sampling_last_module(void);
PUBLIC int cuptiGetDeviceId(void *context, uint32_t *device);

/* sass.c: a kernel is launched in a context */
void sass_launch_kernel(const void *context, const char *kernel);
bool sass_is_enabled(void);

/* heap_do.c: executes a word about memory; false: it is none */
bool heap_do(const char *word, const char *value);

/* activity_do.c: executes a word of the program */
void activity_do(const char *word, const char *value);
const char *activity_call_name(uint32_t domain, uint32_t cbid);

#endif /* GPMU_TESTS_GPU_FAKE_ACTIVITY_H */
