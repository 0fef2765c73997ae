// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: loading and adding a scenario fail with ENOMEM and leak
 * nothing.
 */
#include "alloc.h"
#include "model.h"

/* Returns 0, -errno of the failure, or 1 for a failure without a message. */
static int load(void)
{
	struct text_error err = { "" };
	struct scenario *s;
	struct model *m;
	int ret;

	m = model_new(chip_find("superchip"), 2);
	if (!m)
		return -errno;
	s = scenario_load("metrics/sources/model/scenarios/steady.scenario", &err);
	ret = s ? model_add(m, s, &err) : -errno;
	model_free(m);
	if (ret < 0 && !strstr(err.message, "Cannot allocate memory"))
		return 1;
	return ret < 0 ? ret : 0;
}

int main(void)
{
	alloc_fail_each(load, 6, "scenario: a model, a file, a scenario and their parts");
	return done_testing();
}
