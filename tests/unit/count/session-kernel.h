/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Helpers for tests of sessions on this machine's kernel */
#ifndef GPMU_TESTS_SESSION_KERNEL_H
#define GPMU_TESTS_SESSION_KERNEL_H

#include "kernel-test.h"
#include "session-test.h"

/* Most kernels let any user count user space. */
#define FAULTS "page-faults:u"

/* The count is @pages, and a few faults of libgpmu and of the C library's first use. */
__attribute__((unused)) static bool is_faults(const struct test *test, size_t index, uint64_t pages,
					      const char *what)
{
	const struct gpmu_row *r = row(test, index);
	bool has_passed = ok(r->state == GPMU_STATE_OK && r->raw >= pages && r->raw < pages + PAGES &&
			       r->value == (double)r->raw,
			     "%s", what);

	if (!has_passed)
		diag("%s: %" PRIu64 ", state %d (%s), want %" PRIu64, r->name, r->raw,
		     (int)r->state, r->why ? r->why : "", pages);
	return has_passed;
}

/* For gpmu_log_set() */
static char kept_line[256];
static int kept_lines;

__attribute__((unused)) static void keep_line(int level, const char *line, void *user)
{
	(void)user;
	if (level != GPMU_LOG_WARNING)
		return;
	snprintf(kept_line, sizeof(kept_line), "%s", line);
	kept_lines++;
}

#endif /* GPMU_TESTS_SESSION_KERNEL_H */
