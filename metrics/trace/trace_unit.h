/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Units of counters of a GPU, with Perfetto's numbers of GpuCounterDescriptor.MeasureUnit */
#ifndef GPMU_TRACE_UNIT_H
#define GPMU_TRACE_UNIT_H

#include <stddef.h>
#include <stdint.h>

struct trace_unit {
	const char *text;
	uint32_t numerator, denominator;	/* @denominator 0: none */
};

/* NULL: the format has no such unit */
const struct trace_unit *trace_unit(const char *text);
/* The text of a unit with at most one numerator and one denominator; NULL: another unit, or none */
const char *trace_unit_text(size_t numerators, const uint32_t *numerator, size_t denominators,
			    const uint32_t *denominator);

#endif /* GPMU_TRACE_UNIT_H */
