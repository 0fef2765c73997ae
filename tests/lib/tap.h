/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * TAP producer for unit tests, version 13 (testanything.org).
 *
 * A test program calls ok(), is_u64() or is_str() once for each thing it
 * checks and ends with "return done_testing();".
 */
#ifndef GPMU_TESTS_TAP_H
#define GPMU_TESTS_TAP_H

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static unsigned int tap_run, tap_failed;

__attribute__((format(printf, 2, 3), unused))
static bool ok(bool has_passed, const char *fmt, ...)
{
	va_list ap;

	tap_run++;
	tap_failed += !has_passed;
	printf("%sok %u - ", has_passed ? "" : "not ", tap_run);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	fflush(stdout);
	return has_passed;
}

__attribute__((format(printf, 1, 2), unused))
static void diag(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

__attribute__((unused))
static bool is_u64(uint64_t got, uint64_t want, const char *what)
{
	bool has_passed = ok(got == want, "%s", what);

	if (!has_passed)
		diag("got %" PRIu64 " (0x%" PRIx64 "), want %" PRIu64 " (0x%" PRIx64 ")",
		     got, got, want, want);
	return has_passed;
}

__attribute__((unused))
static bool is_str(const char *got, const char *want, const char *what)
{
	bool has_passed = ok(got && want && !strcmp(got, want), "%s", what);

	if (!has_passed)
		diag("got \"%s\", want \"%s\"", got ? got : "(null)",
		     want ? want : "(null)");
	return has_passed;
}

/* Prints the plan; the value to return from main(). A program without any test fails. */
__attribute__((unused))
static int done_testing(void)
{
	if (!tap_run)
		ok(false, "the program has at least one test");
	printf("1..%u\n", tap_run);
	return tap_failed != 0;
}

#endif /* GPMU_TESTS_TAP_H */
