/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the function, object and line of an address of code, and the mapping of an address of data. */
#ifndef GPMU_PROFILE_CODE_H
#define GPMU_PROFILE_CODE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"
#include "profile/gpmu_profile.h"
#include "profile/profile_object.h"
#include "profile/profile_symbols.h"
#include "profile/profile_tasks.h"

struct profile_jitdumps;

/* Numbers of texts, plus 1; 0: does not apply. @inlined: innermost of the functions inlined into @function; NULL: none */
struct profile_place {
	uint32_t function, object, line;
	const struct profile_inlined *inlined;
};

/* A file, or another name, of maps that samples are in */
struct profile_file {
	const char *name;
	uint32_t text;			/* number of its last part's text, plus 1 */
	struct profile_object *object;	/* NULL: no sample is in its code so far, or it is not a file */
	bool has_build_id;		/* the recording has the build id of @object */
};

struct profile_code {
	const struct profile_tasks *tasks;
	const struct gpmu_perfdata_info *info;
	const struct profile_jitdumps *jitdumps;	/* whose functions are maps of @tasks; NULL: none */
	struct strings *texts;
	bool wants_lines;		/* look up lines, which is slow */
	bool wants_inlines;		/* look up inlined functions */
	struct profile_wait wait;	/* for debug information of files */
	Dwfl *dwfl;			/* of the files; NULL: no file was read so far */
	VECTOR(struct profile_file) files;
	struct map file_numbers;
	VECTOR(struct profile_object *) functions;	/* of jitdumps */
	struct map build_ids;		/* index of those in @info, by hash of the file's name */
	uint32_t no_function;		/* number of the text, plus 1; 0: not used so far */
	VECTOR(struct profile_symbols) jits;
	struct map jit_numbers;		/* by pid */
	struct profile_symbols kernel;	/* of the running kernel */
	struct profile_symbols added;	/* PERF_RECORD_KSYMBOL */
	struct strings added_names;
	bool is_kernel_known;		/* @kernel and @shift are set if @kernel_state is KNOWN */
	enum gpmu_profile_kernel kernel_state;
	enum gpmu_profile_kernel kernel_lack;	/* of the first sample without a function */
	uint64_t shift;			/* address in the recording minus that of the running kernel */
	bool is_library_known;		/* @library and @demangle are set, or NULL if there is no library */
	char *(*demangle)(const char *name, char *text, size_t *size, int *status);
	void *library;			/* of @demangle */
};

/* Takes a KSYMBOL record; other records are ignored. Returns 0 or -ENOMEM. */
int profile_code_add(struct profile_code *code, const struct gpmu_perfdata_record *record);
/* Ends adding. Returns 0 or -ENOMEM. */
int profile_code_begin(struct profile_code *code);
/*
 * These look up an address of a process, PROFILE_KERNEL for the kernel, at a time, and set @range to addresses
 * around it that have the same result. Return 0 or -ENOMEM.
 */
int profile_code_find(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time,
		      struct profile_range *range, struct profile_place *place);
int profile_code_data(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time,
		      struct profile_range *range, uint32_t *text);
/*
 * Reads the file of a map once, or makes the object of a function of a jitdump. Sets the object, which is borrowed; NULL: the map has
 * neither. Returns 0 or -ENOMEM.
 */
int profile_code_object(struct profile_code *code, struct profile_map *map, struct profile_object **object);
/* Sets the number of a text, plus 1. Returns 0 or -ENOMEM. */
int profile_code_text(struct profile_code *code, const char *text, uint32_t *number);
void profile_code_release(struct profile_code *code);

#endif /* GPMU_PROFILE_CODE_H */
