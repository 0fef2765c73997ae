// SPDX-License-Identifier: LGPL-2.1-or-later
/* Filters: adds terms to an event's text. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/event_build.h"
#include "machine/machine.h"

static bool is_named(const struct event_term *terms, size_t length, const char *name)
{
	for (size_t i = 0; i < length; i++)
		if (!strcmp(terms[i].name, name))
			return true;
	return false;
}

static char *append(char *text, const struct event_term *term, bool is_first)
{
	const char *comma = is_first ? "" : ",";
	/* A value with commas needs quotes. */
	const char *quote = term->value && strchr(term->value, ',') ? "'" : "";
	char *longer;

	if (!text)
		return NULL;
	longer = term->value ?
		 text_print("%s%s%s=%s%s%s", text, comma, term->name, quote, term->value, quote) :
		 text_print("%s%s%s", text, comma, term->name);
	free(text);
	return longer;
}

/* Changed terms keep their positions. The last value of a repeated term wins. */
static char *merge(const struct event_text *text, const struct event_term *terms, size_t length)
{
	char *result = text_print("%s/", text->head), *whole;
	const struct event_term *term;
	bool is_first = true;

	for (size_t i = 0; i < text->length; i++, is_first = false) {
		term = &text->terms[i];
		for (size_t j = 0; j < length; j++)
			if (!strcmp(terms[j].name, text->terms[i].name))
				term = &terms[j];
		result = append(result, term, is_first);
	}
	for (size_t i = 0; i < length; i++) {
		if (is_named(text->terms, text->length, terms[i].name) ||
		    is_named(terms + i + 1, length - i - 1, terms[i].name))
			continue;
		result = append(result, &terms[i], is_first);
		is_first = false;
	}
	whole = result ? text_print("%s/%s", result, text->modifiers) : NULL;
	free(result);
	return whole;
}

static int with_terms(const struct event_text *text, const char *terms, char **result)
{
	struct event_term *list = NULL;
	size_t length;
	const char *error_pos;
	char *body;
	int ret;

	body = strdup(terms);
	if (!body)
		return -ENOMEM;
	ret = event_terms_split(body, &list, &length, &error_pos);
	if (!ret) {
		*result = merge(text, list, length);
		ret = *result ? 0 : -ENOMEM;
	}
	free(list);
	free(body);
	return ret;
}

char *event_with_terms(const char *text, const char *terms)
{
	struct event_text parts;
	char *result = NULL;
	int ret = event_text_init(&parts, text, NULL);

	if (!ret) {
		ret = parts.body ? with_terms(&parts, terms, &result) : -EINVAL;
		event_text_release(&parts);
	}
	if (ret)
		errno = -ret;
	return result;
}

int event_has_format(const struct gpmu_machine *machine, const char *text, const char *format)
{
	const struct gpmu_pmu *pmu;
	struct event_text parts;
	size_t n = 0;
	int ret = machine_need_counters(machine, NULL);

	if (!ret)
		ret = event_text_init(&parts, text, NULL);
	if (ret)
		return ret;
	ret = parts.body ? 1 : -EINVAL;
	for (size_t i = 0; ret > 0 && (pmu = event_next_pmu(machine, parts.head, &i)); n++)
		ret = gpmu_pmu_format(pmu, format) ? 1 : 0;
	event_text_release(&parts);
	return ret > 0 && !n ? -ENODEV : ret;
}
