// SPDX-License-Identifier: LGPL-2.1-or-later
/* An accepted list of CPUs prints as an equal list. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"

/* The longest list has every other CPU */
#define MAX_TEXT	(CPUS_MAX / 2 * sizeof("65535"))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[MAX_TEXT];
	struct cpus cpus, again;

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	if (cpus_parse(&cpus, text))
		return 0;
	if (cpus_format(&cpus, text, sizeof(text)) >= sizeof(text) || cpus_parse(&again, text) ||
	    again.len != cpus.len || !cpus_are_within(&again, &cpus))
		abort();
	cpus_release(&again);
	cpus_release(&cpus);
	return 0;
}
