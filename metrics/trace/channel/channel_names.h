/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names by number, for writers. A caller's pointer can be into a module that is unloaded later, so
 * a number is found by the text.
 */
#ifndef GPMU_CHANNEL_NAMES_H
#define GPMU_CHANNEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/channel/activity.h"

#define CHANNEL_NAME_LONGEST	4096	/* characters; longer names are truncated */
#define CHANNEL_NAMES_MAX	(16 << 20)	/* bytes of one use, here and once more in gpmu */
#define CHANNEL_NAMES_MORE	"(more names)"
/* For printf(): MiB, use, and "" or CHANNEL_NAMES_REMEDY */
#define CHANNEL_NAMES_NOTE	"the limit of %d MiB of different %s names is reached: " \
				"from now on new names are \"" CHANNEL_NAMES_MORE "\"%s"
#define CHANNEL_NAMES_REMEDY	"; leave numbers out of them"

/* A struct that is all zeros is empty. One thread at a time may use it. */
struct channel_names {
	char **list;		/* by number - 1 */
	uint32_t length, room;
	uint32_t *slots;	/* numbers, by hash */
	uint32_t slot_count;	/* a power of 2, at least twice the room */
};

/* Returns whether the name with this number has this text. */
bool channel_name_is(const struct channel_names *names, uint32_t number, const char *text);
/* Returns the number of a name; 0 if it has none yet */
uint32_t channel_names_find(const struct channel_names *names, const char *text);
/*
 * Gives the next number to a name, after @write has written the record of the name. Returns the
 * number; 0 without memory, or if @write returns false.
 */
uint32_t channel_names_add(struct channel_names *names, const char *text,
			   bool (*write)(void *user, const struct activity_head *record),
			   void *user);
/*
 * Returns the number of a name, and adds the name if it is new; otherwise as channel_names_add().
 * @bytes: of the names of one use, initially 0. A new name that exceeds CHANNEL_NAMES_MAX gets the
 * number of CHANNEL_NAMES_MORE.
 */
uint32_t channel_names_intern(struct channel_names *names, size_t *bytes, const char *text,
			      bool (*write)(void *user, const struct activity_head *record),
			      void *user);

#endif /* GPMU_CHANNEL_NAMES_H */
