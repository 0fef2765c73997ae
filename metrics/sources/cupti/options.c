// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cupti_options.h"
#include "sources/nvml/nvml_messages.h"

#define LONGEST_INTERVAL	1000000000	/* ns, or cycles */
#define SMALLEST_BUFFER		(1 << 20)
#define LARGEST_BUFFER		(1ull << 32)

struct unit {
	const char *name;
	uint64_t factor;
};

static const struct unit times[] = {
	{ "", 1 }, { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 }, { NULL, 0 }
};

static const struct unit sizes[] = {
	{ "", 1 }, { "K", 1 << 10 }, { "M", 1 << 20 }, { "G", 1 << 30 }, { NULL, 0 }
};

/* Parses a number with a unit, from @min to @max; returns the unit, NULL if it is invalid */
static const struct unit *parse_number(const char *text, const struct unit *units, uint64_t min,
				       uint64_t max, uint64_t *number)
{
	unsigned long long parsed;
	char *end;

	if (!isdigit((unsigned char)*text))
		return NULL;
	errno = 0;
	parsed = strtoull(text, &end, 10);
	if (errno || parsed > max)
		return NULL;
	for (const struct unit *unit = units; unit->name; unit++) {
		if (strcmp(unit->name, end))
			continue;
		*number = parsed * unit->factor;
		return *number >= min && *number <= max ? unit : NULL;
	}
	return NULL;
}

static int parse_interval(struct options *options, const char *value, struct gpmu_error *error)
{
	const struct unit *unit = parse_number(value, times, 1, LONGEST_INTERVAL, &options->interval);

	if (!unit)
		return fail(error, -EINVAL, "interval: expected a time up to 1s such as 100us, or cycles of "
			    "the system clock, found \"%.32s\"", value);
	options->is_in_cycles = !*unit->name;
	return 0;
}

static int parse_trigger(struct options *options, const char *value, struct gpmu_error *error)
{
	if (!strcmp(value, "time"))
		options->trigger = TRIGGER_TIME;
	else if (!strcmp(value, "sysclk"))
		options->trigger = TRIGGER_SYSCLK;
	else
		return fail(error, -EINVAL, "trigger: expected time or sysclk, found \"%.32s\"", value);
	return 0;
}

static int parse_buffer(struct options *options, const char *value, struct gpmu_error *error)
{
	uint64_t size;

	if (!parse_number(value, sizes, SMALLEST_BUFFER, LARGEST_BUFFER, &size))
		return fail(error, -EINVAL, "buffer: expected a size from 1M to 4G, found \"%.32s\"",
			    value);
	options->buffer = size;
	return 0;
}

static int keep_text(char **kept, const char *key, const char *value, struct gpmu_error *error)
{
	if (!*value)
		return fail(error, -EINVAL, "%s: expected a value after \"=\"", key);
	free(*kept);
	*kept = strdup(value);
	return *kept ? 0 : fail_memory(error);
}

static int parse_option(struct options *options, char *key, struct gpmu_error *error)
{
	char *value = strchr(key, '=');

	if (!strcmp(key, "list") || !strcmp(key, "check")) {
		*(*key == 'l' ? &options->wants_list : &options->wants_check) = true;
		return 0;
	}
	if (!value)
		return fail(error, -EINVAL, "expected cupti=%s, found \"%.32s\"", OPTIONS_USAGE, key);
	*value++ = '\0';
	if (!strcmp(key, "interval"))
		return parse_interval(options, value, error);
	if (!strcmp(key, "trigger"))
		return parse_trigger(options, value, error);
	if (!strcmp(key, "buffer"))
		return parse_buffer(options, value, error);
	if (!strcmp(key, "save"))
		return keep_text(&options->save, key, value, error);
	if (!strcmp(key, "load"))
		return keep_text(&options->load, key, value, error);
	if (!strcmp(key, "chip"))
		return keep_text(&options->chip, key, value, error);
	return fail(error, -EINVAL, "expected interval=, trigger=, buffer=, save=, load=, chip=, list or check, "
		    "found \"%.32s=\"", key);
}

/* Checks options that need or exclude each other */
static int check(struct options *options, struct gpmu_error *error)
{
	bool is_sysclk = options->trigger == TRIGGER_SYSCLK;

	if (options->wants_check && (options->chip || options->load || options->save || options->wants_list))
		return fail(error, -EINVAL, "check: cannot be combined with %s",
			    options->chip ? "chip=" : options->load ? "load=" : options->save ? "save=" :
			    "list");
	if (options->chip && options->load)
		return fail(error, -EINVAL, "expected chip= or load=, found both: a file has its chip");
	if (options->save && (options->chip || options->load || options->wants_list))
		return fail(error, -EINVAL, "save: expected a run that counts, found %s",
			    options->chip ? "chip=" : options->load ? "load=" : "list");
	if (options->interval && options->is_in_cycles != is_sysclk)
		return fail(error, -EINVAL, is_sysclk ?
			    "interval: expected cycles of the system clock, found a time" :
			    "interval: expected a time such as 100us, found a number without ns, us, ms or s");
	return 0;
}

int options_parse(struct options *options, const char *text, struct gpmu_error *error)
{
	char *copy = strdup(text), *part, *next;
	int ret = 0;

	*options = (struct options){ 0 };
	if (!copy)
		return fail_memory(error);
	for (part = *copy ? copy : NULL; part && !ret; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		ret = parse_option(options, part, error);
		error->offset = ret ? (size_t)(part - copy) : 0;
	}
	free(copy);
	return ret ? ret : check(options, error);
}

void options_release(struct options *options)
{
	free(options->save);
	free(options->load);
	free(options->chip);
	*options = (struct options){ 0 };
}
