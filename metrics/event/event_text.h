/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses an event's text: HEAD or HEAD/TERMS/MODIFIERS. */
#ifndef GPMU_EVENT_TEXT_H
#define GPMU_EVENT_TEXT_H

#include <stddef.h>

#include "gpmu.h"

struct event_term {
	char *name;
	char *value;		/* NULL: none */
};

/* Strings point into @plain, a copy without backslashes, and share its lifetime. */
struct event_text {
	const char *given;
	char *plain;
	char *head;		/* the PMU, or the whole text if there is no "/" */
	char *body;		/* the terms as one string; NULL: there is no "/" */
	struct event_term *terms;
	size_t length;
	char *modifiers;	/* text after the second "/"; or "" */
};

/*
 * Parses @given, which must outlive @text. Returns 0, -EINVAL with the error set, or
 * -ENOMEM. On failure there is nothing to release.
 */
int event_text_init(struct event_text *text, const char *given, struct gpmu_error *error);
void event_text_release(struct event_text *text);
/* Offset in the given text of the character that @pos points to */
size_t event_text_offset(const struct event_text *text, const char *pos);

/*
 * Splits "a=1,b" in place. Returns 0, -ENOMEM, or -EINVAL if a term has no name, with its
 * position in @error_pos. Commas in '...' belong to the value; the quotes are removed.
 */
int event_terms_split(char *body, struct event_term **terms, size_t *length, const char **error_pos);

#endif /* GPMU_EVENT_TEXT_H */
