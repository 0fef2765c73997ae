/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The text of perf's -e, taken apart: "cycles,{nvidia_scf_pmu/cycles/,b}:W,c". */
#ifndef GPMU_EVENT_LIST_H
#define GPMU_EVENT_LIST_H

#include <stddef.h>

#include "gpmu.h"

struct event_list_item {
	char *text;		/* one event, for gpmu_event_new(), a group's modifiers added */
	size_t offset;		/* where it begins in the list's text */
	int group;		/* 0, 1, ... of those in braces; -1: in none */
};

struct event_list {
	struct event_list_item *items;	/* at least 1 */
	size_t length;
	int groups;
};

/*
 * What is between commas outside braces and "/". Events are not looked up. 0, or
 * -EINVAL with the error's offset in @text, -ENOMEM; then there is nothing to release.
 */
int event_list_init(struct event_list *list, const char *text, struct gpmu_error *error);
void event_list_release(struct event_list *list);
/* "a" with modifiers "u" is "a:u". New; NULL: no memory */
char *event_list_modified(const char *text, const char *letters);

#endif /* GPMU_EVENT_LIST_H */
