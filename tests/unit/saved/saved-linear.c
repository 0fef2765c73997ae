// SPDX-License-Identifier: LGPL-2.1-or-later
/* The number of steps from lines to rows grows as the number of lines does. */
#include <string.h>

#include "machine/pmu.h"
#include "saved-test.h"

#define LINES	500

static unsigned long parsed;

enum gpmu_pmu_kind __real_pmu_name_parse(const char *name, int *number);
enum gpmu_pmu_kind __wrap_pmu_name_parse(const char *name, int *number);

/* Counts a step for each look at the PMU of a record. */
enum gpmu_pmu_kind __wrap_pmu_name_parse(const char *name, int *number)
{
	parsed++;
	return __real_pmu_name_parse(name, number);
}

/*
 * Returns the steps that reading lines without duration_time, and making a row of each, takes. @last: set to those after the last
 * line.
 */
static unsigned long count_steps(unsigned int lines, unsigned long *last)
{
	struct saved_test t;
	char line[128];

	saved_test_init(&t, 1, 0);
	parsed = 0;
	for (unsigned int i = 0; i < lines; i++) {
		snprintf(line, sizeof(line), "%u,,nvidia_scf_pmu_0/event=%u/,1000,100.00,,\n", i, i);
		if (saved_test_lines(&t, line))
			diag("%s", t.error.text);
	}
	*last = parsed;
	if (gpmu_saved_end(t.saved) != 1)
		diag("no table");
	*last = parsed - *last;
	if (saved_test_others(&t) || t.rows->length != lines)
		parsed = 0;
	saved_test_release(&t);
	return parsed;
}

int main(void)
{
	unsigned long last, once = count_steps(LINES, &last), twice = count_steps(2 * LINES, &last);

	ok(once && twice <= 2 * once,
	   "saved: twice as many lines without duration_time take at most twice as many steps") ||
		(diag("%lu steps for %d lines, %lu for %d", once, LINES, twice, 2 * LINES), 0);
	is_u64(last, 0, "saved: the end of a table looks at none of its lines again");
	return done_testing();
}
