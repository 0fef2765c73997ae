// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of the rules fails in turn: the error is ENOMEM, and nothing leaks. */
#include "alloc.h"
#include "advice/gpmu_advice.h"

static struct gpmu_advice *advice;

static int load(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_advice *loaded = gpmu_advice_new(&error);

	if (!loaded)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	gpmu_advice_free(loaded);
	return 0;
}

/* A metric of any name is 70; none has the name of a metric that @user is. */
static int get(const char *metric, double *value, const char **unit, void *user)
{
	*value = 70;
	*unit = "%";
	return user && !strcmp(metric, user) ? -ENOENT : 0;
}

static int apply(void *lacking)
{
	int ret = 0;

	for (size_t i = 0; ret != -ENOMEM && gpmu_advice_rule(advice, i); i++) {
		char *text;

		ret = gpmu_advice_apply(advice, i, get, lacking, &text);
		free(text);
	}
	return ret == -ENOMEM ? ret : 0;
}

static int apply_all(void)
{
	return apply(NULL);
}

static int apply_lacking(void)
{
	return apply("dram__throughput.avg.pct_of_peak_sustained_elapsed");
}

int main(void)
{
	alloc_fail_each(load, 100, "advice: loading the built-in rules");
	advice = gpmu_advice_new(NULL);
	alloc_fail_each(apply_all, 100, "advice: applying rules");
	alloc_fail_each(apply_lacking, 100, "advice: applying rules without a metric");
	gpmu_advice_free(advice);
	return done_testing();
}
