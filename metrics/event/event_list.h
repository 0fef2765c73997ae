/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splits the argument of perf's -e: "cycles,{nvidia_scf_pmu/cycles/,b}:W,c". */
#ifndef GPMU_EVENT_LIST_H
#define GPMU_EVENT_LIST_H

#include <stddef.h>

#include "gpmu.h"

struct event_list_item {
	/* one event for gpmu_event_new(), with the group's modifiers added */
	char *text;
	size_t offset;		/* of the event in the list's text */
	int group;		/* number of the braces, from 0; -1: not in braces */
};

struct event_list {
	struct event_list_item *items;	/* at least 1 */
	size_t length;
	int groups;
};

/*
 * Splits @text at commas outside braces and slashes; does not look the events up. Returns
 * 0, -EINVAL with the error's offset in @text, or -ENOMEM. On failure there is nothing to
 * release.
 */
int event_list_init(struct event_list *list, const char *text, struct gpmu_error *error);
void event_list_release(struct event_list *list);
/*
 * Adds modifiers to an event: "a" with "u" becomes "a:u". The caller frees the new string;
 * NULL if out of memory.
 */
char *event_list_modified(const char *text, const char *letters);

#endif /* GPMU_EVENT_LIST_H */
