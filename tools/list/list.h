/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of gpmu list. */
#ifndef GPMU_LIST_H
#define GPMU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"
#include "output/table.h"

#define LIST_SCHEMA	1	/* version of the JSON schema */

struct list {
	struct common common;
	int kind;		/* enum item_kind; -1: all but tracepoints */
	struct texts globs;	/* none: all */
	bool wants_all, wants_json, wants_names;
	bool wants_gpus_only;	/* list only metrics of GPUs */
};

/* Prints the selected items of some kinds and returns their number. @kinds: a bit for each enum item_kind. Call after common_open(). */
size_t list_put_kinds(const struct list *list, unsigned int kinds);

/* Returns whether a pattern matches the name, or there is none. */
bool list_matches(const struct list *list, const char *name);
/* Adds a line of -v below the row: "      LABEL       TEXT" */
void list_more(struct table *table, const char *label, const char *text);
/* Prints the line of --names. */
void list_put_name(const char *name);
/* Prints ,"KEY":"TEXT" */
void list_put_key(const char *key, const char *text);

#endif /* GPMU_LIST_H */
