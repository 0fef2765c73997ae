// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bit fields of perf_event_attr that receive a term's value:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-format of Linux
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/array.h"
#include "event/event_build.h"

bool event_parse_number(const char *text, uint64_t *number)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	uint64_t base = is_hex ? 16 : 10, n = 0;
	unsigned int digit;

	text += is_hex ? 2 : 0;
	if (!*text)
		return false;
	for (; *text; text++) {
		if (*text >= '0' && *text <= '9')
			digit = (unsigned int)(*text - '0');
		else if (is_hex && *text >= 'a' && *text <= 'f')
			digit = (unsigned int)(*text - 'a') + 10;
		else if (is_hex && *text >= 'A' && *text <= 'F')
			digit = (unsigned int)(*text - 'A') + 10;
		else
			return false;
		if (__builtin_mul_overflow(n, base, &n) || __builtin_add_overflow(n, digit, &n))
			return false;
	}
	*number = n;
	return true;
}

/* Parses a bit number from 0 to 63. */
static const char *parse_bit(const char *text, unsigned int *bit)
{
	unsigned int n = 0;

	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		n = 10 * n + (unsigned int)(*text - '0');
		if (n > 63)
			return NULL;
	}
	*bit = n;
	return text;
}

static bool parse_bits(const char *text, uint64_t *bits)
{
	unsigned int first = 0, last = 0;

	*bits = 0;
	do {
		text = parse_bit(text, &first);
		last = first;
		if (text && *text == '-')
			text = parse_bit(text + 1, &last);
		if (!text || last < first)
			return false;
		*bits |= (~0ull >> (63 - last)) & (~0ull << first);
	} while (*text++ == ',');
	return !text[-1];
}

/* Offsets of config, config1, ..., as far as the kernel's header defines them */
static const size_t configs[] = {
	offsetof(struct perf_event_attr, config),
	offsetof(struct perf_event_attr, config1),
	offsetof(struct perf_event_attr, config2),
#ifdef PERF_ATTR_SIZE_VER8
	offsetof(struct perf_event_attr, config3),
#endif
#ifdef PERF_ATTR_SIZE_VER9
	offsetof(struct perf_event_attr, config4),
#endif
};

int event_format_parse(const char *text, struct event_format *format)
{
	static const char word[] = "config";

	if (strncmp(text, word, sizeof(word) - 1))
		return -EINVAL;
	text += sizeof(word) - 1;
	format->config = 0;
	if (*text >= '1' && *text <= '9')
		format->config = (unsigned int)(*text++ - '0');
	if (*text != ':' || !parse_bits(text + 1, &format->bits))
		return -EINVAL;
	return format->config < ARRAY_SIZE(configs) ? 0 : -ENOTSUP;
}

uint64_t event_format_max(const struct event_format *format)
{
	int n = __builtin_popcountll(format->bits);

	return n ? ~0ull >> (64 - n) : 0;
}

void event_format_set(const struct event_format *format, struct perf_event_attr *attr,
		      uint64_t value)
{
	char *member = (char *)attr + configs[format->config];
	uint64_t config;

	memcpy(&config, member, sizeof(config));
	config &= ~format->bits;
	for (uint64_t rest = format->bits; rest; rest &= rest - 1) {
		if (value & 1)
			config |= rest & -rest;
		value >>= 1;
	}
	memcpy(member, &config, sizeof(config));
}
