// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "event/event_text.h"

size_t event_text_offset(const struct event_text *text, const char *pos)
{
	const char *given = text->given;

	for (const char *plain = text->plain; plain < pos && *given; plain++) {
		given += *given == '\\' && given[1];
		given++;
	}
	return (size_t)(given - text->given);
}

/* perf's metrics have a backslash before characters of their own grammar: "event\=cycles" */
static void unescape(char *to, const char *from)
{
	for (; *from; from++) {
		if (*from == '\\' && from[1])
			from++;
		*to++ = *from;
	}
	*to = '\0';
}

static void unquote(char **value)
{
	size_t length = strlen(*value);

	if (length < 2 || **value != '\'' || (*value)[length - 1] != '\'')
		return;
	(*value)[length - 1] = '\0';
	++*value;
}

int event_terms_split(char *body, struct event_term **terms, size_t *length, const char **error_pos)
{
	size_t n = 0, commas = 0;
	char *next, *value;

	*length = 0;
	for (next = body; *next; next++)
		commas += *next == ',';
	*terms = calloc(commas + 1, sizeof(**terms));
	if (!*terms)
		return -ENOMEM;
	for (next = *body ? body : NULL; next; n++) {
		char *name = next, *c = name;

		for (int quoted = 0; *c && (*c != ',' || quoted); c++)
			quoted ^= *c == '\'';
		next = *c ? c + 1 : NULL;
		*c = '\0';
		value = strchr(name, '=');
		if (!*name || value == name) {
			*error_pos = name;
			free(*terms);
			*terms = NULL;
			return -EINVAL;
		}
		if (value) {
			*value++ = '\0';
			unquote(&value);
		}
		(*terms)[n] = (struct event_term){ name, value };
	}
	*length = n;
	return 0;
}

static int split(struct event_text *text, char *body, struct gpmu_error *error)
{
	char *first = strchr(text->head, '/'), *last = strrchr(text->head, '/');
	const char *error_pos;
	int ret;

	text->modifiers = text->head + strlen(text->head);
	if (!first)
		return 0;
	if (first == last || memchr(first + 1, '/', (size_t)(last - first) - 1)) {
		error_set(error, event_text_offset(text, first == last ? text->modifiers : last),
			  "expected PMU/terms/: two \"/\"");
		return -EINVAL;
	}
	*first = *last = '\0';
	text->modifiers = last + 1 + (last[1] == ':');
	text->body = memcpy(body, first + 1, (size_t)(last - first));
	ret = event_terms_split(first + 1, &text->terms, &text->length, &error_pos);
	if (ret == -EINVAL)
		error_set(error, event_text_offset(text, error_pos),
			  "expected a term such as \"event=1\"");
	return ret;
}

/* Refuse unprintable characters: they would also garble messages. */
static const char *find_unprintable(const char *text)
{
	while (*text >= ' ' && *text <= '~')
		text++;
	return *text ? text : NULL;
}

int event_text_init(struct event_text *text, const char *given, struct gpmu_error *error)
{
	const char *wrong = find_unprintable(given);
	size_t size = strlen(given) + 1;
	int ret;

	if (wrong || size == 1) {
		error_set(error, wrong ? (size_t)(wrong - given) : 0,
			  wrong ? "expected printable ASCII characters" : "expected an event");
		return -EINVAL;
	}
	*text = (struct event_text){ .given = given, .plain = malloc(2 * size) };
	if (!text->plain)
		return -ENOMEM;
	unescape(text->plain, given);
	text->head = text->plain;
	ret = split(text, text->plain + size, error);
	if (ret)
		event_text_release(text);
	return ret;
}

void event_text_release(struct event_text *text)
{
	free(text->terms);
	free(text->plain);
	*text = (struct event_text){ .given = NULL };
}
