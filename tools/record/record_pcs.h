/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of PC sampling. Functions end gpmu with a message if an option is wrong. */
#ifndef GPMU_TOOLS_RECORD_PCS_H
#define GPMU_TOOLS_RECORD_PCS_H

#include <stdbool.h>
#include <stdint.h>

#include "gpmu.h"

struct record_pcs {
	enum gpmu_recorder_pc mode;
	uint32_t period;	/* cycles; 0: default */
	const char *stalls;	/* NULL: all */
};

/* @text: NULL: default */
enum gpmu_recorder_pc record_pcs_mode(const char *text);
uint32_t record_pcs_period(const char *text);
/* Checks the options with others of the command. @is_partial: not the whole run is recorded */
void record_pcs_check(const struct record_pcs *pcs, bool has_command, bool has_cuda, bool is_partial);
/* Checks that the counters of the plan and the modes of CUPTI can be combined. */
void record_pcs_check_plan(const struct record_pcs *pcs, bool has_cuda, const struct gpmu_plan *plan);

#endif /* GPMU_TOOLS_RECORD_PCS_H */
