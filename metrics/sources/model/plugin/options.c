// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugin.h"

int plugin_fail(struct gpmu_error *error, size_t offset, const char *fmt, ...)
{
	va_list args;

	error->offset = offset;
	va_start(args, fmt);
	vsnprintf(error->text, sizeof(error->text), fmt, args);
	va_end(args);
	return -EINVAL;
}

void plugin_hand_on(struct gpmu_error *error, size_t offset, const struct text_error *text)
{
	const char *message = text->message, *slash;

	while (strlen(message) >= sizeof(error->text)) {
		slash = strchr(message + 1, '/');
		if (!slash)
			break;
		message = slash;
	}
	plugin_fail(error, offset, "%s", message);
}

static int add_scenario(struct plugin_options *options, const char *path, size_t offset,
			struct gpmu_error *error)
{
	struct text_error text = { "" };
	struct scenario *scenario;
	int ret;

	if (options->scenarios_len == MODEL_MAX_SCENARIOS)
		return plugin_fail(error, offset, "expected at most %d scenarios",
				   MODEL_MAX_SCENARIOS);
	scenario = scenario_load(path, &text);
	if (!scenario) {
		ret = -errno;
		plugin_hand_on(error, offset, &text);
		return ret;
	}
	options->scenarios[options->scenarios_len++] = scenario;
	return 0;
}

static int parse_number(const char *key, const char *value, uint64_t max, unsigned int *number,
			size_t offset, struct gpmu_error *error)
{
	uint64_t parsed;

	if (text_number(value, 10, max, &parsed) || !parsed)
		return plugin_fail(error, offset, "%s: expected a number from 1 to %u, found \"%.32s\"",
				   key, (unsigned int)max, value);
	*number = (unsigned int)parsed;
	return 0;
}

static int parse_option(struct plugin_options *options, char *key, size_t offset,
			struct gpmu_error *error)
{
	char *value = strchr(key, '=');

	if (!value)
		return plugin_fail(error, offset, "expected model=%s, found \"%.32s\"", PLUGIN_USAGE,
				   key);
	*value++ = '\0';
	if (!strcmp(key, "scenario"))
		return add_scenario(options, value, offset, error);
	if (!strcmp(key, "sockets"))
		return parse_number(key, value, CHIP_MAX_SOCKETS, &options->sockets, offset, error);
	if (!strcmp(key, "counters"))
		return parse_number(key, value, PLUGIN_MAX_COUNTERS, &options->counters, offset, error);
	if (strcmp(key, "chip"))
		return plugin_fail(error, offset,
				   "expected scenario=, chip=, sockets= or counters=, found \"%.32s=\"",
				   key);
	options->chip = chip_find(value);
	if (!options->chip)
		return plugin_fail(error, offset, "chip: expected superchip or gracehopper, found \"%.32s\"",
				   value);
	return 0;
}

/* The first option is the file, without a key. */
static int parse(struct plugin_options *options, char *text, struct gpmu_error *error)
{
	char *part = text, *next;
	int ret = 0;

	if (!*text || *text == ',')
		return plugin_fail(error, 0, "expected model=%s", PLUGIN_USAGE);
	for (; part && !ret; part = next) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		ret = part == text ? add_scenario(options, part, 0, error) :
				     parse_option(options, part, (size_t)(part - text), error);
	}
	return ret;
}

static bool has_gpu(const struct plugin_options *options)
{
	for (unsigned int i = 0; i < options->scenarios_len; i++) {
		const struct scenario *s = options->scenarios[i];

		for (unsigned int j = 0; j < s->flows_len; j++)
			if (s->flows[j].memory == MEM_GMEM || s->flows[j].initiator == INIT_GPU_ATS ||
			    s->flows[j].initiator == INIT_GPU_NATS)
				return true;
	}
	return false;
}

static unsigned int named_sockets(const struct plugin_options *options)
{
	unsigned int sockets = 1;

	for (unsigned int i = 0; i < options->scenarios_len; i++) {
		const struct scenario *s = options->scenarios[i];

		for (unsigned int j = 0; j < s->flows_len; j++) {
			if (s->flows[j].source >= sockets)
				sockets = s->flows[j].source + 1;
			if (s->flows[j].home >= sockets)
				sockets = s->flows[j].home + 1;
		}
	}
	return sockets;
}

/*
 * The lowest existing number of sockets that is at least @sockets, else the highest; flows with more sockets are then an
 * error.
 */
static unsigned int built_sockets(const struct chip *chip, unsigned int sockets)
{
	unsigned int built = 0;

	for (unsigned int n = 1; n <= CHIP_MAX_SOCKETS && built < sockets; n++)
		if (chip_has_sockets(chip, n))
			built = n;
	return built;
}

static int complete(struct plugin_options *options, struct gpmu_error *error)
{
	if (!options->chip)
		options->chip = chip_find(has_gpu(options) ? "gracehopper" : "superchip");
	if (!options->counters)
		options->counters = PLUGIN_COUNTERS;
	if (!options->sockets)
		options->sockets = built_sockets(options->chip, named_sockets(options));
	if (!chip_has_sockets(options->chip, options->sockets))
		return plugin_fail(error, 0, "sockets: expected %s for %s, found %u",
				   options->chip->has_gpu ? "1, 2 or 4" : "1 or 2", options->chip->name,
				   options->sockets);
	return 0;
}

int plugin_options_parse(struct plugin_options *options, const char *text, struct gpmu_error *error)
{
	char *copy = strdup(text);
	int ret;

	*options = (struct plugin_options){ 0 };
	if (!copy) {
		plugin_fail(error, 0, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	ret = parse(options, copy, error);
	free(copy);
	return ret ? ret : complete(options, error);
}

void plugin_options_release(struct plugin_options *options)
{
	for (unsigned int i = 0; i < options->scenarios_len; i++)
		scenario_free(options->scenarios[i]);
	options->scenarios_len = 0;
}
