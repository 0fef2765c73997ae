/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The installed toolkit's Profiler Host API, which needs no GPU */
#ifndef GPMU_TESTS_CUPTI_TEST_H
#define GPMU_TESTS_CUPTI_TEST_H

#include <stdlib.h>

#include "cupti_host.h"
#include "sources/nvml/nvml_messages.h"
#include "tap.h"

#define TEST_LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

/* Opens CUPTI; skips the rest of the test without it. */
__attribute__((unused))
static void test_library(struct library *library)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (!library_open(library, false, &error))
		return;
	library_close(library);
	if (!tap_run)
		printf("1..0 # SKIP %s\n", error.text);
	else
		printf("ok %u - CUPTI evaluates the metrics of a chip # SKIP %s\n", ++tap_run, error.text);
	exit(tap_run ? done_testing() : 0);
}

__attribute__((unused))
static struct host *test_host(const struct library *library, const char *chip)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct host *host = NULL;

	if (!host_new(library, chip, &host, &error))
		return host;
	printf("Bail out! %s\n", error.text);
	exit(1);
}

#endif /* GPMU_TESTS_CUPTI_TEST_H */
