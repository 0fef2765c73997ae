/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the parts of gpmu list. */
#ifndef GPMU_LIST_H
#define GPMU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

#define LIST_SCHEMA	1	/* version of the JSON schema */

struct list {
	struct common common;
	int kind;		/* enum item_kind; -1: all but tracepoints */
	struct texts globs;	/* none: all */
	bool all, json, names;
	size_t width;		/* of the terminal; 0: no terminal */
};

/* Whether a pattern matches the name, or there is none */
bool list_matches(const struct list *list, const char *name);
/* Prints a description behind @used columns, cut to the terminal's width. */
void list_put_cut(const struct list *list, const char *text, size_t used);
/* Prints a line of -v: "    LABEL  TEXT" */
void list_put_more(const char *label, const char *text);
/* Prints ,"KEY":"TEXT" */
void list_put_key(const char *key, const char *text);

#endif /* GPMU_LIST_H */
