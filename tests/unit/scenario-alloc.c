// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: loading and adding a scenario then fail with
 * ENOMEM and leave nothing behind. Linked with --wrap for malloc and calloc.
 */
#include <errno.h>
#include <stdlib.h>

#include "model.h"
#include "tap.h"

static int left = -1;	/* allocations until one fails; -1: none does */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
char *__real_strdup(const char *s);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
char *__wrap_strdup(const char *s);

static bool fails(void)
{
	if (left < 0)
		return false;
	if (left--)
		return false;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : __real_calloc(n, size);
}

char *__wrap_strdup(const char *s)
{
	return fails() ? NULL : __real_strdup(s);
}

/* 0, or the errno of what failed; a failure must have a message. */
static int load(void)
{
	struct text_error err = { "" };
	struct scenario *s;
	struct model *m;
	int ret;

	m = model_new(chip_find("superchip"), 2);
	if (!m)
		return errno;
	s = scenario_load("metrics/sources/model/scenarios/steady.scenario", &err);
	ret = s ? model_add(m, s, &err) : -errno;
	model_free(m);
	if (ret < 0 && !strstr(err.message, "Cannot allocate memory"))
		return -1;
	return ret < 0 ? -ret : 0;
}

int main(void)
{
	bool all = true;
	int n, ret = -1;

	for (n = 0; n < 100; n++) {
		left = n;
		ret = load();
		if (left >= 0)
			break;
		all = all && ret == ENOMEM;
	}
	left = -1;
	ok(n >= 6, "a model, a file, a scenario and their parts are allocations");
	ok(all, "each that fails is ENOMEM, with a message");
	is_u64(ret, 0, "without a failure all is well");
	return done_testing();
}
