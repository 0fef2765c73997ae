/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A fake of libnvidia-ml.so.1. Its answers come from a scenario, the JSON file $GPMU_FAKE_NVML that nvmlInit_v2() reads;
 * nvml.rst describes it.
 */
#ifndef GPMU_TESTS_FAKE_NVML_H
#define GPMU_TESTS_FAKE_NVML_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "nvml_api.h"

#define EXPORT	__attribute__((visibility("default")))

#define MAX_FAKES	16

/* A GPU; a handle is the address of one */
struct fake {
	json_t *is;		/* its object in the scenario */
	json_t *calls;		/* number of calls for each key */
};

extern struct fake fakes[MAX_FAKES];
extern size_t fake_count;

/* The GPU of a handle, or NULL */
struct fake *fake_of(nv_device device);
/* ns since nvmlInit_v2() */
uint64_t fake_time(void);
/* The number of earlier calls for the key */
json_int_t fake_calls(struct fake *fake, const char *key);
/* Sets @number to the current number of @value; returns NVML's result */
int fake_number(struct fake *fake, const char *key, const json_t *value, double *number);
/* Sets @number to the GPU's value for the key; returns NVML's result, also for a lost GPU */
int fake_value(nv_device device, const char *key, double *number);
/* NVML's result for a lost GPU, or the scenario's "returns" for the key */
int fake_check(nv_device device, const char *key);
json_int_t fake_integer(const json_t *object, const char *key, json_int_t otherwise);
/* Copies the text; NVML's result */
int fake_text(const char *text, char *to, unsigned int size);

/*
 * Returns the entries that the list has in this call for the key: "from" that call number on, "until" before that one.
 * Entries are returned as by NVML, in two calls.
 */
typedef void fake_put(void *list, unsigned int index, const json_t *entry);
int fake_give(struct fake *fake, const char *key, const json_t *list, unsigned int *length, void *to,
	      unsigned long long last_seen, fake_put *put);

/* Accounting of a GPU or a vGPU */
int fake_pids(struct fake *fake, const char *key, const json_t *accounting, unsigned int *length,
	      unsigned int *pids);
int fake_stats(const json_t *accounting, unsigned int pid, struct nv_accounting *stats);

#endif /* GPMU_TESTS_FAKE_NVML_H */
