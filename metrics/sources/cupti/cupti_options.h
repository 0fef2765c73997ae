/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The options after "cupti=" */
#ifndef GPMU_CUPTI_OPTIONS_H
#define GPMU_CUPTI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpmu.h"

#define OPTIONS_USAGE	"[interval=TIME|CYCLES][,trigger=time|sysclk][,buffer=SIZE]" \
			"[,save=FILE][,load=FILE][,chip=NAME][,list][,check]"

enum trigger {
	TRIGGER_DEFAULT,	/* TRIGGER_TIME if the chip has it */
	TRIGGER_TIME,
	TRIGGER_SYSCLK,
};

struct options {
	uint64_t interval;	/* ns, or cycles of the system clock; 0: the default */
	enum trigger trigger;
	bool is_in_cycles;	/* the interval has no unit of time */
	size_t buffer;		/* bytes of the hardware buffer; 0: chosen by the sampler */
	char *save, *load;	/* files */
	char *chip;		/* the chip whose metrics are listed; needs no GPU */
	bool wants_list;	/* only list events: take no GPU */
	bool wants_check;	/* a missing library, driver or GPU is reported by the query "check" and is no
				 * failure */
};

/* Returns 0 or -errno with the error set; the caller releases the options in any case. */
int options_parse(struct options *options, const char *text, struct gpmu_error *error);
void options_release(struct options *options);

#endif /* GPMU_CUPTI_OPTIONS_H */
