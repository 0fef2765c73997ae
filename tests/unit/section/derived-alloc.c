// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn. A derived metric is then refused with ENOMEM, and nothing leaks. */
#include "alloc.h"
#include "section/gpmu_derived.h"

static char *event(const char *name, void *user)
{
	(void)user;
	return strdup(name);
}

static int is_integer(const char *name, void *user)
{
	(void)user;
	return *name == 'b';
}

static int make(void)
{
	struct gpmu_derived_instance instances[] = { { 2, { 1 } }, { 1, { 2 } } };
	const struct gpmu_derived_value values[] = {
		{ .number.integer = 1, .instances = instances, .count = 2, .has_ids = 1 },
		{ .number.integer = 2, .instances = instances, .count = 2, .has_ids = 1 },
		{ .number.integer = 3, .instances = instances, .count = 2 },
	};
	struct gpmu_derived *derived;
	struct gpmu_derived_value result;
	char *text;
	int ret;

	errno = 0;
	derived = gpmu_derived_new("a + b / 2.5 - simplify(c) / b", NULL);
	if (!derived)
		return -errno;
	ret = gpmu_derived_eval(derived, values, &result);
	if (!ret) {
		gpmu_derived_release(&result);
		text = gpmu_derived_formula(derived, event, is_integer, NULL);
		ret = text ? 0 : -errno;
		free(text);
	}
	gpmu_derived_free(derived);
	return ret;
}

int main(void)
{
	alloc_fail_each(make, 20, "derived: a formula of metrics with instances");
	return done_testing();
}
