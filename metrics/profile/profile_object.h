/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions, lines and inlined calls of a file that was mapped, by elfutils */
#ifndef GPMU_PROFILE_OBJECT_H
#define GPMU_PROFILE_OBJECT_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile_dwarf.h"
#include "profile/profile_range.h"

/* --- profile_wait.c: the wait for a server of debuginfod, which the user may end */

/* @waiting, @user: as in struct gpmu_profile_options. A zeroed struct ends no wait. */
struct profile_wait {
	int (*waiting)(void *user, const char *server, uint64_t done, uint64_t total);
	void *user;
	bool is_ended;		/* by waiting() */
};

/* Makes @dwfl call waiting() while it waits for a server. @wait: borrowed until the end of @dwfl; NULL: waits are not ended */
void profile_wait_set(struct profile_wait *wait, Dwfl *dwfl);

/* --- profile_object.c */

struct profile_jit_frames;
struct profile_object;

/* A function; @name is borrowed from the object */
struct profile_function {
	uint64_t begin, end;	/* addresses as in the file's program headers; @end is exclusive */
	const char *name;
	int is_sized;		/* the symbol has a size; else the end is that of the section or the next begin */
	unsigned int rank;	/* of several names of an address, the one of the lowest rank is kept */
	uint32_t text;		/* for users of this header: number of the shown name, plus 1; 0 at first */
};

/* Why an object has no functions */
enum profile_object_state {
	PROFILE_OBJECT_READ,
	PROFILE_OBJECT_MISSING,		/* no such file, or no ELF file */
	PROFILE_OBJECT_CHANGED,		/* the file does not have the recorded build id */
	PROFILE_OBJECT_STRIPPED,	/* no symbols, here or in separate debug information */
};

/*
 * Makes what the objects of a recording share, to be freed by dwfl_end() after them: each would otherwise have a client of
 * debuginfod, and so two descriptors. @wait: borrowed; NULL: waits for debuginfod cannot be ended. Returns NULL if out of memory.
 */
Dwfl *profile_object_begin(struct profile_wait *wait);
/*
 * Reads a file. If it does not have the recorded build id, perf's copy in ~/.debug is read, or a file with this build id that
 * elfutils finds. Separate debug information is looked for as elfutils does: by build id, by link, and, if DEBUGINFOD_URLS is set,
 * by debuginfod. @build_id: of the recording; NULL: unknown. Returns NULL if out of memory.
 */
struct profile_object *profile_object_new(Dwfl *dwfl, const char *path, const uint8_t *build_id, size_t build_id_size);
/*
 * Makes the object of a function of a just-in-time compiler, at address 0. Only its ELF file can be used, to unwind frames.
 * @arch: the machine, as by uname(2). @frames: NULL: none. Returns NULL if out of memory.
 */
struct profile_object *profile_object_new_function(const char *arch, uint64_t size,
						   const struct profile_jit_frames *frames);
void profile_object_free(struct profile_object *object);
enum profile_object_state profile_object_state(const struct profile_object *object);
/* The ELF file, borrowed, and the addresses of its segments, the first from the start of its page; NULL: it was not read */
Elf *profile_object_elf(const struct profile_object *object, struct profile_range *range);
/*
 * Address of a byte of the file, as in its program headers; @offset itself if it is in none. Reduces @range to the
 * offsets in the same segment.
 */
uint64_t profile_object_address(const struct profile_object *object, uint64_t offset, struct profile_range *range);
/* The function that has an address; NULL: none. Reduces @range to the addresses that have the same one. */
struct profile_function *profile_object_function(const struct profile_object *object, uint64_t address,
						 struct profile_range *range);
/*
 * Sets the innermost function that is inlined at an address; NULL: none. Reduces @range to the addresses that have the same one.
 * Returns 0 or -ENOMEM.
 */
int profile_object_inlined(struct profile_object *object, uint64_t address, struct profile_range *range,
			   struct profile_inlined **inlined);
/* Sets the source file, borrowed, and line of an address; NULL: not known. Returns 0 or -ENOMEM. */
int profile_object_line(struct profile_object *object, uint64_t address, const char **file, int *line);

#endif /* GPMU_PROFILE_OBJECT_H */
