/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What of gpmu list its parts share. */
#ifndef GPMU_LIST_H
#define GPMU_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "common.h"

#define LIST_SCHEMA	1	/* of JSON */

struct list {
	struct common common;
	int kind;		/* enum item_kind; -1: all but tracepoints */
	struct texts globs;	/* none: all */
	bool all, json, names;
	size_t width;		/* of the terminal; 0: it is none */
};

/* Whether a name is one of those that were asked for */
bool list_matches(const struct list *list, const char *name);
/* What is said of it, behind @used columns: cut to the terminal's width */
void list_put_cut(const struct list *list, const char *text, size_t used);
/* What -v adds: "    LABEL  TEXT" */
void list_put_more(const char *label, const char *text);
/* ,"KEY":"TEXT" */
void list_put_key(const char *key, const char *text);

#endif /* GPMU_LIST_H */
