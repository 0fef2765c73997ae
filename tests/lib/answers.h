/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Answers to a plugin's queries without memory: the test and the plugin share libjansson.so. */
#ifndef GPMU_TESTS_ANSWERS_H
#define GPMU_TESTS_ANSWERS_H

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "gpmu-source.h"
#include "gpmu.h"
#include "tap.h"

static int answers_left = -1;	/* allocations of jansson until one fails; -1: none fails */

static void *answers_allocate(size_t size)
{
	if (!answers_left--) {
		errno = ENOMEM;
		return NULL;
	}
	return malloc(size);
}

/* Each allocation of jansson for the answer fails in turn. */
static void answers_fail_each(const struct gpmu_source_plugin *plugin, void *source,
			      const char *question)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char *want = NULL, *got = NULL;
	bool is_refused = true, is_whole;
	int n, ret = -ENOMEM;

	json_set_alloc_funcs(answers_allocate, free);
	plugin->query(source, question, &want, &error);
	for (n = 0; n < 10000 && ret; n++) {
		answers_left = n;
		ret = plugin->query(source, question, &got, &error);
		is_refused = is_refused && (!ret || (ret == -ENOMEM && !got));
	}
	answers_left = -1;
	json_set_alloc_funcs(malloc, free);
	is_whole = want && got && !strcmp(got, want);
	if (!ok(n > 20 && is_refused && is_whole, "the answer to \"%s\" is refused if a member has no memory",
		question))
		diag("%d: %s", n, got ? got : "no answer");
	free(want);
	free(got);
}

#endif /* GPMU_TESTS_ANSWERS_H */
