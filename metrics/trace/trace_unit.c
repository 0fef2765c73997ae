// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "base/array.h"
#include "trace/trace_unit.h"

enum {
	NONE = 0, BYTE = 7, KILOBYTE = 8, MEGABYTE = 9, GIGABYTE = 10, HERTZ = 13, KILOHERTZ = 14, MEGAHERTZ = 15,
	GIGAHERTZ = 16, NANOSECOND = 19, MICROSECOND = 20, MILLISECOND = 21, SECOND = 22, MILLIWATT = 28, WATT = 29, JOULE = 31,
	VOLT = 32, CELSIUS = 34, PERCENT = 37, INSTRUCTION = 40,
};

static const struct trace_unit units[] = {
	{ "B", BYTE, NONE }, { "KB", KILOBYTE, NONE }, { "MB", MEGABYTE, NONE }, { "GB", GIGABYTE, NONE },
	{ "B/s", BYTE, SECOND }, { "KB/s", KILOBYTE, SECOND }, { "MB/s", MEGABYTE, SECOND }, { "GB/s", GIGABYTE, SECOND },
	{ "Hz", HERTZ, NONE }, { "kHz", KILOHERTZ, NONE }, { "MHz", MEGAHERTZ, NONE }, { "GHz", GIGAHERTZ, NONE },
	{ "ns", NANOSECOND, NONE }, { "us", MICROSECOND, NONE }, { "ms", MILLISECOND, NONE }, { "s", SECOND, NONE },
	{ "mW", MILLIWATT, NONE }, { "W", WATT, NONE }, { "J", JOULE, NONE }, { "V", VOLT, NONE }, { "C", CELSIUS, NONE }, { "%", PERCENT, NONE },
	{ "1/s", NONE, SECOND }, { "insn", INSTRUCTION, NONE },
};

const struct trace_unit *trace_unit(const char *text)
{
	for (size_t i = 0; text && i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].text, text))
			return &units[i];
	return NULL;
}

const char *trace_unit_text(size_t numerators, const uint32_t *numerator, size_t denominators,
			    const uint32_t *denominator)
{
	const struct trace_unit wanted = {
		.numerator = numerators ? numerator[0] : NONE, .denominator = denominators ? denominator[0] : NONE,
	};

	for (size_t i = 0; numerators <= 1 && denominators <= 1 && i < ARRAY_SIZE(units); i++)
		if (units[i].numerator == wanted.numerator && units[i].denominator == wanted.denominator)
			return units[i].text;
	return NULL;
}
