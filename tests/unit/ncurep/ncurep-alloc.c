// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of the reader of reports fails in turn: the error is ENOMEM, and nothing leaks. */
#include "alloc.h"
#include "ncurep-test.h"

static uint8_t *data;
static size_t length;

static int read_all(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_ncu_report *made = read_bytes(data, length, &error);

	if (!made)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	gpmu_ncu_report_free(made);
	return 0;
}

static struct gpmu_ncu_report *report;

static int match(void)
{
	int ret = gpmu_ncu_action_matches(gpmu_ncu_report_action(report, 0), "[step/*/forward]");

	return ret < 0 ? ret : ret != 1;
}

int main(void)
{
	data = ncurep_write(sample, &length);
	report = read_bytes(data, length, NULL);
	alloc_fail_each(match, 2, "filter: matching an action");
	gpmu_ncu_report_free(report);
	alloc_fail_each(read_all, 100, "report: reading one");
	length -= 3;
	alloc_fail_each(read_all, 100, "report: reading one that is cut off");
	free(data);
	return done_testing();
}
