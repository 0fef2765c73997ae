/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Threads of a recording, their names, and the files that their processes had mapped, at any time.
 * All records are added first, in any order; then samples are looked up, also in any order.
 */
#ifndef GPMU_PROFILE_TASKS_H
#define GPMU_PROFILE_TASKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"
#include "profile/profile_range.h"

#define PROFILE_KERNEL	UINT32_MAX	/* pid of the kernel's maps */
/* Begin of the name of a map that is a function of a jitdump; the function's name follows. */
#define PROFILE_JIT	"//jit:"

enum profile_map_kind {
	PROFILE_MAP_FILE,	/* including [vdso] and parts of the kernel */
	PROFILE_MAP_MEMORY,	/* memory of no file that can have code, such as "//anon" */
	PROFILE_MAP_DATA,	/* memory of no file without code, such as "[heap]" */
	PROFILE_MAP_FUNCTION,	/* code of a just-in-time compiler, named by PROFILE_JIT */
};

/* A mapped file, or a part of the kernel */
struct profile_map {
	uint64_t begin, end;	/* addresses; @end is exclusive */
	uint64_t offset;	/* in the file, of @begin */
	uint64_t time;		/* since when, ns */
	uint64_t max;		/* highest end of the maps below, see profile_tasks.c */
	uint64_t earliest, latest;	/* times of these */
	uint32_t file;		/* number of the name in @files of the tasks */
	union {
		uint32_t build_id;	/* number of the build id in @build_ids, plus 1; 0: none */
		uint32_t frames;	/* of a function: number of its frames in the jitdumps, plus 1; 0: none */
	};
	enum profile_map_kind kind;
	uint32_t known;		/* number of the file or function in profile_code, plus 1; 0: not looked up yet */
};

struct profile_build_id {
	uint8_t id[20];
	size_t size;
};

struct profile_process;
struct profile_thread;

/* Zeroed: empty */
struct profile_tasks {
	VECTOR(struct profile_process) processes;
	VECTOR(struct profile_thread) threads;
	struct map pids, tids;			/* number: index in these */
	VECTOR(struct profile_build_id) build_ids;
	struct strings files, names;
};

/*
 * Returns whether a sample, or a record about tasks, is of a task outside the PID namespace of the recording: see gpmu_outside.h.
 * All such tasks have the same ids, so their records cannot be assigned to one of them.
 */
bool profile_tasks_is_outside(const struct gpmu_perfdata_record *record);
/* Adds a record about tasks; other records, and those of tasks outside, are ignored. Returns 0 or -ENOMEM. */
int profile_tasks_add(struct profile_tasks *tasks, const struct gpmu_perfdata_record *record);
/* Ends adding. */
void profile_tasks_sort(struct profile_tasks *tasks);
/* Name of a thread at a time; NULL: not recorded */
const char *profile_tasks_name(const struct profile_tasks *tasks, uint32_t tid, uint64_t time);
/* Process of a thread at a time; @tid itself if it is not recorded */
uint32_t profile_tasks_pid(const struct profile_tasks *tasks, uint32_t tid, uint64_t time);
/*
 * The map of a process at an address and a time; NULL: none is known. Reduces @range to the addresses around @address
 * that have the same one. A just-in-time compiler may announce functions before it makes their memory executable, which maps the
 * memory again. A function therefore stays until a file or another function is mapped at the address.
 */
struct profile_map *profile_tasks_map(const struct profile_tasks *tasks, uint32_t pid, uint64_t address, uint64_t time,
				      struct profile_range *range);
/* A map of a process whose file begins with @prefix; NULL: none */
const struct profile_map *profile_tasks_map_named(const struct profile_tasks *tasks, uint32_t pid, const char *prefix);
const char *profile_tasks_file(const struct profile_tasks *tasks, const struct profile_map *map);
void profile_tasks_release(struct profile_tasks *tasks);

#endif /* GPMU_PROFILE_TASKS_H */
