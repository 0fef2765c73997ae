/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A scenario: named flows that start together, and the clocks that they
 * require. scenario.rst documents the text format.
 */
#ifndef GPMU_MODEL_SCENARIO_H
#define GPMU_MODEL_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "chip.h"
#include "flow.h"
#include "text.h"

#define SCENARIO_MAX_FLOWS	64
#define SCENARIO_NAME_LEN	64	/* with the final NUL */

struct scenario {
	char name[SCENARIO_NAME_LEN];	/* the file's, without ".scenario" */
	char *path;
	uint64_t clock[PMU_KINDS][CHIP_MAX_SOCKETS];	/* Hz; 0: not set */
	unsigned int clock_line[PMU_KINDS][CHIP_MAX_SOCKETS];
	struct flow *flows;
	unsigned int flows_len;
};

/*
 * Parses @len bytes of @text; @path names it in messages and gives the
 * scenario its name. Returns NULL with errno (EINVAL, ENOMEM) and @err set.
 * The caller frees the scenario with scenario_free().
 */
struct scenario *scenario_parse(const char *path, const char *text, size_t len,
				struct text_error *err);

/* Parses a file; errno may also be one of open() or EFBIG. */
struct scenario *scenario_load(const char *path, struct text_error *err);

/* @scenario may be NULL. */
void scenario_free(struct scenario *scenario);

/*
 * Returns whether the scenario can run on so many sockets of the chip: 0, or -EINVAL
 * with @err set.
 */
int scenario_check(const struct scenario *scenario, const struct chip *chip,
		   unsigned int sockets, struct text_error *err);

#endif /* GPMU_MODEL_SCENARIO_H */
