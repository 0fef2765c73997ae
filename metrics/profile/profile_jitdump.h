/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The jit-PID.dump files of just-in-time compilers, which map them so that a recording names them. Each function that
 * they list becomes a map of its process, from the time on at which it was made.
 */
#ifndef GPMU_PROFILE_JITDUMP_H
#define GPMU_PROFILE_JITDUMP_H

#include "base/vector.h"
#include "perfdata/gpmu_perfdata.h"

/*
 * Takes a record of type MMAP2 for a function. The name of its file is PROFILE_JIT and the function's name; its inode is the index
 * of the function's frames, plus 1; 0: none. Returns 0 or -ENOMEM.
 */
typedef int (*profile_jit_taker)(void *user, const struct gpmu_perfdata_record *record);

/* How the times of a dump are those of the recording */
struct profile_jit_clock {
	bool is_monotonic;			/* the recording has CLOCK_MONOTONIC, as by perf record -k mono */
	struct gpmu_perfdata_time_conv conv;	/* of the CPU's counter to the recording's clock; mult 0: none */
};

/* Unwinding information of a function: .eh_frame, with addresses as if it followed the code at a multiple of 8 bytes */
struct profile_jit_frames {
	void *data;
	size_t size;
};

/* The frames of all functions */
struct profile_jit_frame_list {
	struct profile_jit_frames *list;
	size_t n;
};

/* A process's dump */
struct profile_jitdump {
	char *path;
	uint32_t pid;
	uint64_t time;		/* when it was mapped */
	char *why;		/* what is wrong with it; NULL: nothing so far */
};

/* Zeroed: empty */
struct profile_jitdumps {
	struct profile_jitdump *list;
	size_t n;
	struct profile_jit_frame_list frames;	/* of all dumps */
};

/* Takes a map of a dump; other records are ignored. Returns 0 or -ENOMEM. */
int profile_jitdumps_add(struct profile_jitdumps *dumps, const struct gpmu_perfdata_record *record);
/*
 * Reads all dumps that belong to root or to the caller, up to their first damage, which is then in @why. @event: one of
 * the recording, for its clock; NULL: times of dumps cannot be converted. Returns 0 or -ENOMEM.
 */
int profile_jitdumps_read(struct profile_jitdumps *dumps, const struct gpmu_perfdata_info *info,
			  const struct gpmu_perfdata_event *event, profile_jit_taker take, void *user);
/*
 * Reads one dump from a file. Adds its unwinding information to @frames, which the caller frees by profile_jit_frames_release().
 * Times that cannot be converted become @dump's time and the times after it, in the order of the file. Returns 0; -EINVAL if the
 * dump is malformed or ends early, with @error set; the error of reading; or -ENOMEM.
 */
int profile_jitdump_read(const struct profile_jitdump *dump, int fd, const struct profile_jit_clock *clock,
			 struct profile_jit_frame_list *frames, profile_jit_taker take, void *user,
			 struct gpmu_error *error);
void profile_jit_frames_release(struct profile_jit_frame_list *frames);
void profile_jitdumps_release(struct profile_jitdumps *dumps);

#endif /* GPMU_PROFILE_JITDUMP_H */
