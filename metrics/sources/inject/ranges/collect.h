/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of the collector of ranges. All functions need the collector's lock. */
#ifndef GPMU_INJECT_RANGES_COLLECT_H
#define GPMU_INJECT_RANGES_COLLECT_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "checkpoint.h"
#include "library/cupti_api.h"
#include "trace/channel/channel.h"

struct inject;

/* --- the library: functions that only this collector needs */

#define RANGES_SETUP_FUNCTIONS(F) \
	F(profiler, cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params *params) \
	F(chip, cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params *params)

#define RANGES_DRIVER_FUNCTIONS(F) \
	F(push, cuCtxPushCurrent_v2, void *context) \
	F(pop, cuCtxPopCurrent_v2, void **context) \
	F(current, cuCtxGetCurrent, void **context) \
	F(memory, cuMemGetInfo_v2, size_t *available, size_t *total) \
	F(device, cuCtxGetDevice, int *device)

struct ranges_api {
	struct ranges_host_api {
		CUPTI_HOST_FUNCTIONS(API_MEMBER)
	} host;
	struct ranges_profiler_api {
		CUPTI_RANGE_FUNCTIONS(API_MEMBER)
	} profiler;
	struct {
		RANGES_SETUP_FUNCTIONS(API_MEMBER)
	} setup;
	struct {
		RANGES_DRIVER_FUNCTIONS(API_MEMBER)
	} driver;
};

/* A failed call, for messages */
struct ranges_failure {
	const char *call;	/* NULL: none */
	int code;
};

/* --- metrics.c */

struct metrics {
	const struct ranges_host_api *api;
	CUpti_Profiler_Host_Object *host;
	const char **names;
	size_t length;
	uint8_t *config;
	size_t config_size, passes;
};

/* Makes the configuration of the metrics for a chip. Returns whether it succeeded. */
bool metrics_configure(struct metrics *metrics, const char *chip, struct ranges_failure *failure);
/* Evaluates the counters of a range; false: CUPTI has refused. */
bool metrics_evaluate(const struct metrics *metrics, const uint8_t *image, size_t size, size_t index, double *values);

/* --- profiler.c */

enum profiler_state {
	PROFILER_OFF,		/* no object */
	PROFILER_ENABLED,
	PROFILER_READY,		/* configured, or stopped before the last pass */
	PROFILER_STARTED,
	PROFILER_STOPPED,	/* after the last pass, or to be continued by another process */
	PROFILER_DEAD,		/* a call has failed, after which any call may crash */
};

struct profiler {
	const struct ranges_profiler_api *api;
	enum profiler_state state;
	CUpti_RangeProfiler_Object *object;
	uint8_t *image;
	size_t image_size;
	unsigned int open;	/* ranges */
	size_t pass, level;	/* of the next lap, by the last stop */
	bool is_complete;	/* all passes have been submitted */
	struct ranges_failure failure;
};

struct profiler_setup {
	const struct metrics *metrics;
	bool is_auto;		/* a range for each kernel */
	enum channel_replay replay;
	size_t ranges;		/* room of the image */
	size_t per_pass;	/* ranges in a pass */
	uint16_t levels;
	const uint8_t *image;	/* of an earlier process, to be continued; NULL: an empty one */
	size_t image_size, pass, level;
};

/* Each returns whether it succeeded. In a wrong state it calls nothing and returns false. A failure leads to PROFILER_DEAD. */
bool profiler_enable(struct profiler *profiler, void *context);
/* Returns the bytes of an image; 0: failure */
size_t profiler_image_size(struct profiler *profiler, const struct metrics *metrics, size_t ranges);
bool profiler_configure(struct profiler *profiler, const struct profiler_setup *setup);
bool profiler_start(struct profiler *profiler);
bool profiler_push(struct profiler *profiler, const char *name);
bool profiler_pop(struct profiler *profiler);
/* @wants_end: stop although passes are left */
bool profiler_stop(struct profiler *profiler, bool wants_end);
bool profiler_decode(struct profiler *profiler);
/* Returns the number of ranges in the decoded image. */
size_t profiler_count(struct profiler *profiler);
/* Returns the innermost part of a range's name; NULL: failure */
const char *profiler_name(struct profiler *profiler, size_t index);
bool profiler_disable(struct profiler *profiler);
void profiler_abandon(struct profiler *profiler);

/* --- collect.c: ranges whose counters are in one image */

struct range_name {
	char *text;
	uint32_t parent;	/* id; 0: none */
	uint32_t sets;		/* complete sets of passes */
	bool is_written;	/* to the channel */
};

struct range_entry {
	uint64_t number;
	uint32_t name;		/* id */
	bool is_wanted;
};

struct collector {
	struct inject *self;
	const struct channel_ranges *options;
	struct ranges_api api;
	struct metrics metrics;
	struct profiler profiler;
	struct checkpoint checkpoint;
	regex_t filter;
	bool has_filter;
	void *context;		/* CUcontext that is counted; NULL: none yet */
	bool has_ended;		/* nothing is counted any more */
	unsigned int captures;	/* streams that are captured */
	struct range_name *names;	/* ids from 1 */
	size_t name_count;
	struct map ids;			/* of names, by hash: a program may have a name for each step of a loop */
	struct range_entry *entries;	/* of the image */
	size_t entry_count, room;
	uint64_t matched;	/* ranges that pass the filter */
	struct activity_ranges numbers;
};

/* Returns the id of a name; 0: no memory */
uint32_t collect_name(struct collector *collector, uint32_t parent, const char *text);
/* Returns whether a range of this name is to be counted, by filter, skip and count; counts it as skipped if not. */
bool collect_wants(struct collector *collector, const char *text);
/* Prepares the profiler for the context of a call of this thread, and starts it. False: it cannot */
bool collect_start(struct collector *collector, void *context);
/* Starts the profiler for the next pass. */
bool collect_resume(struct collector *collector);
/* Returns the number of times that the program's work has to be done. */
size_t collect_laps(const struct collector *collector);
/* Adds a range of the image. Returns its index; -1: no room */
ptrdiff_t collect_add(struct collector *collector, uint32_t name, uint64_t number, bool is_wanted);
/* Writes a record. Waits until there is room, since a lost one would be missing in the result. */
void collect_write(struct collector *collector, const struct activity_head *record);
/* Stops and writes the values of all ranges of the image. */
void collect_finish(struct collector *collector);
/* Counts nothing any more; a note has the reason, unless it is NULL. */
void collect_give_up(struct collector *collector, const char *why);

/* --- again.c: application replay */
struct again {
	uint8_t *image;
	size_t image_size, pass, level;
};

/* Reads the file of earlier runs; an empty one has no image. False: damaged, or another process uses it */
bool again_read(const char *path, struct again *again);
/* Writes the file for the next run. */
bool again_write(const char *path, const struct profiler *profiler);

/* --- kernels.c, user.c */
void kernels_begin(struct collector *collector, void *context, const char *name);
void kernels_end(struct collector *collector, bool is_launched);
void user_work(struct collector *collector, void *context);
void user_push(struct collector *collector, const char *name);
void user_pop(struct collector *collector);
/* The process ends. */
void user_end(struct collector *collector);
/* Ends counting, and leaves out the ranges that are open. */
void user_abandon(struct collector *collector);

#endif /* GPMU_INJECT_RANGES_COLLECT_H */
