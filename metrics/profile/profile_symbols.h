/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions of text files: /proc/kallsyms, and the /tmp/perf-PID.map of a just-in-time compiler */
#ifndef GPMU_PROFILE_SYMBOLS_H
#define GPMU_PROFILE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"
#include "profile/profile_range.h"

struct profile_symbol {
	uint64_t begin, end;	/* addresses; @end is exclusive */
	const char *name;
};

/* Zeroed: empty */
struct profile_symbols {
	struct profile_symbol *list;	/* sorted */
	size_t n;
	char *text;		/* of the names */
	size_t bad, bad_at;	/* lines that were not understood; byte offset of the first */
	char *path, *why;	/* of the map of a just-in-time compiler with such lines, and what is wrong; or NULL */
};

/* These return 0, also if the file does not exist or belongs to another user than root or the caller; or -ENOMEM. */
int profile_symbols_read_kernel(struct profile_symbols *symbols);
int profile_symbols_read_jit(struct profile_symbols *symbols, uint32_t pid);
/* Reads the functions of a kernel from a file like /proc/kallsyms. Returns 0 or -ENOMEM. */
int profile_symbols_read_kallsyms(struct profile_symbols *symbols, int fd);
/* Reads the map of a just-in-time compiler from a file. Returns 0 or -ENOMEM. */
int profile_symbols_read_map(struct profile_symbols *symbols, int fd);
/* Returns whether the running kernel has this build id, of /sys/kernel/notes. */
bool profile_symbols_is_kernel(const uint8_t *build_id, size_t size);
/* Sorts symbols that were added to the list. A symbol whose end is its begin ends where the next begins. */
void profile_symbols_sort(struct profile_symbols *symbols);
/* The symbol that has an address; NULL: none. Reduces @range to the addresses that have the same one. */
const struct profile_symbol *profile_symbols_find(const struct profile_symbols *symbols, uint64_t address,
						  struct profile_range *range);
/* The symbol of a name; NULL: none */
const struct profile_symbol *profile_symbols_named(const struct profile_symbols *symbols, const char *name);
void profile_symbols_release(struct profile_symbols *symbols);

#endif /* GPMU_PROFILE_SYMBOLS_H */
