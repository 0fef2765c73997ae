/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of gpmu stat: rows in a sink, whose text goes to a file or a terminal */
#ifndef GPMU_STAT_OUTPUT_H
#define GPMU_STAT_OUTPUT_H

#include <stdbool.h>

#include "gpmu.h"
#include "output/output.h"
#include "stat/stat_options.h"
#include "stat/stat_strict.h"

struct stat_output {
	const struct stat_options *options;
	struct output out;
	struct gpmu_sink *sink;
	struct strict reasons;		/* why --strict fails */
	bool has_failed;		/* writing failed, after a message */
};

/* Dies on failure. */
void stat_output_open(struct stat_output *output, const struct stat_options *options);
/* Prints rows, and notes reasons why --strict fails. @user: a struct stat_output. False on failure */
bool stat_output_rows(const struct gpmu_rows *rows, void *user);
void stat_output_end(struct stat_output *output, const struct gpmu_sink_end *end);
void stat_output_release(struct stat_output *output);

#endif /* GPMU_STAT_OUTPUT_H */
