/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An event's text, taken apart: HEAD, or HEAD/TERMS/MODIFIERS. */
#ifndef GPMU_EVENT_TEXT_H
#define GPMU_EVENT_TEXT_H

#include <stddef.h>

#include "gpmu.h"

struct event_term {
	char *name;
	char *value;		/* NULL: it has none */
};

/* Strings are in @plain, whose backslashes are removed, and valid as long as it is */
struct event_text {
	const char *given;
	char *plain;
	char *head;		/* a PMU, or all if there is no "/" */
	char *body;		/* the terms as one text; NULL: no "/" */
	struct event_term *terms;
	size_t length;
	char *modifiers;	/* behind the second "/"; or "" */
};

/*
 * 0, or -EINVAL with the error set, -ENOMEM; then there is nothing to release.
 * @given must outlive it.
 */
int event_text_init(struct event_text *text, const char *given, struct gpmu_error *error);
void event_text_release(struct event_text *text);
/* Where in what was given that is which @at points to */
size_t event_text_offset(const struct event_text *text, const char *at);

/*
 * Cuts "a=1,b" in place. 0, -ENOMEM, or -EINVAL: a term without a name, @at is
 * where. Commas in '...' are of the value, whose quotes are removed.
 */
int event_terms_split(char *body, struct event_term **terms, size_t *length, const char **at);

#endif /* GPMU_EVENT_TEXT_H */
