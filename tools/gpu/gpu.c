// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu gpu: prints the state of the GPUs that the plugin nvml reports. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"
#include "gpu/gpu.h"

enum {
	KEY_VGPU = COMMON_KEYS,
	KEY_ACCOUNTING,
	KEY_CLEAR,
	KEY_INTERVALS,
};

struct view {
	const char *question, *kind;
	void (*text)(const json_t *answer, const json_t *gpu);
};

static const struct view views[] = {
	{ .question = "gpus", .kind = "gpu", .text = gpu_text },
	{ .question = "accounting", .kind = "accounting", .text = gpu_text_accounting },
	{ .question = "vgpu", .kind = "vgpu", .text = gpu_text_vgpu },
};

static const struct view with_attributes = { .question = "attributes", .kind = "gpu", .text = gpu_text };

struct arguments {
	const struct view *view;
	bool wants_accounting, wants_vgpu, wants_attributes;
	const char *clear;	/* the instance whose accounts are to be deleted, or NULL */
	bool wants_json;
	uint64_t interval;	/* ns; 0: once */
	long long intervals;	/* 0: no limit */
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *arguments = state->input;

	switch (key) {
	case KEY_ACCOUNTING:
		arguments->wants_accounting = true;
		arguments->view = &views[1];
		return 0;
	case KEY_VGPU:
		arguments->wants_vgpu = true;
		arguments->view = &views[2];
		return 0;
	case 'v':
		arguments->wants_attributes = true;
		return 0;
	case KEY_CLEAR:
		parse_number("--clear-accounting", arg, 0, UINT32_MAX);
		arguments->clear = arg;
		return 0;
	case 'I':
		arguments->interval = parse_ms("-I", arg);
		return 0;
	case KEY_INTERVALS:
		arguments->intervals = parse_number("--interval-count", arg, 1, INT32_MAX);
		return 0;
	case 'j':
		arguments->wants_json = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_ARG:
		argp_usage(state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "vgpu", .key = KEY_VGPU, .doc = "show the vGPUs of each GPU" },
	{ .name = "verbose", .key = 'v', .doc = "also show the attributes of each GPU: peaks and links" },
	{ .name = "accounting", .key = KEY_ACCOUNTING, .doc = "show the processes in NVML's accounts" },
	{ .name = "clear-accounting", .key = KEY_CLEAR, .arg = "INSTANCE", .doc = "delete the accounts of a vGPU's "
	  "processes that have ended" },
	{ .name = "interval-print", .key = 'I', .arg = "MS", .doc = "print again every MS milliseconds" },
	{ .name = "interval-count", .key = KEY_INTERVALS, .arg = "N", .doc = "end after N intervals" },
	OPTION_JSON,
	{ .key = 'h', .flags = OPTION_HIDDEN },
	{ 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Shows the state of the GPUs from NVML: utilisation, clocks, power, processes, vGPUs.",
};

static void show_message(int level, const char *line, void *user)
{
	(void)user;
	if (level == GPMU_LOG_WARNING)
		warn("%s", line);
}

/* --- answers --- */

/* Prints one object: its kind, time and versions, then the GPU's values. */
static void print_json(const struct view *view, const json_t *answer, const json_t *gpu, double seconds)
{
	static const char *const copied[] = { "driver", "nvml", "cuda" };
	json_t *line = json_object();

	json_object_set_new(line, "gpmu_gpu", json_integer(1));
	json_object_set_new(line, "kind", json_string(view->kind));
	json_object_set_new(line, "time", json_real(seconds));
	for (size_t i = 0; i < ARRAY_SIZE(copied); i++)
		json_object_set(line, copied[i], json_object_get(answer, copied[i]));
	json_object_update(line, (json_t *)gpu);
	json_dumpf(line, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(12));
	putchar('\n');
	json_decref(line);
}

/* The plugin's parsed answer; NULL after a message if NVML refused */
static json_t *ask(struct gpmu_source *source, const char *question)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_error_t json_error;
	json_t *answer;
	char *text;

	if (gpmu_source_query(source, question, &text, &error)) {
		say("%s", error.text);
		return NULL;
	}
	answer = json_loads(text, 0, &json_error);
	free(text);
	if (!answer)
		die("plugin nvml: its answer to \"%s\" is no JSON (%s); install plugins of this "
		    "gpmu's version", question, json_error.text);
	return answer;
}

/* Processes, also in virtual machines, choose their names. */
static void clean_text(json_t *string)
{
	char *text = gpmu_shown(need_memory(strdup(json_string_value(string))));

	json_string_set(string, text);
	free(text);
}

/* Cleans all strings inside the value. */
static void clean(json_t *value)
{
	const char *key;
	json_t *inner;
	size_t i;

	if (json_is_string(value))
		clean_text(value);
	json_array_foreach(value, i, inner)
		clean(inner);
	json_object_foreach(value, key, inner)
		clean(inner);
}

static bool show(const struct arguments *arguments, struct gpmu_source *source, double seconds)
{
	const struct view *view = arguments->view;
	json_t *answer = ask(source, view->question);
	const json_t *gpu;
	size_t i;
	int ret;

	if (!answer)
		return false;
	if (!arguments->wants_json)
		clean(answer);
	if (arguments->interval && !arguments->wants_json)
		printf("%s%.3f s\n", seconds > 0 ? "\n" : "", seconds);
	json_array_foreach(json_object_get(answer, "gpus"), i, gpu) {
		if (arguments->wants_json) {
			print_json(view, answer, gpu, seconds);
			continue;
		}
		if (i)
			putchar('\n');
		view->text(answer, gpu);
	}
	json_decref(answer);
	ret = stdout_flush();
	if (ret)
		die_output(NULL, stdout, ret);
	return true;
}

static void add_ns(struct timespec *time, uint64_t ns)
{
	ns += (uint64_t)time->tv_nsec;
	time->tv_sec += (time_t)(ns / 1000000000);
	time->tv_nsec = (long)(ns % 1000000000);
}

static bool show_all(const struct arguments *arguments, struct gpmu_source *source)
{
	struct timespec next;
	double seconds = 0;

	clock_gettime(CLOCK_MONOTONIC, &next);
	for (long long n = 1; ; n++) {
		if (!show(arguments, source, seconds))
			return false;
		if (!arguments->interval || n == arguments->intervals)
			return true;
		add_ns(&next, arguments->interval);
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL) == EINTR)
			;
		seconds += (double)arguments->interval / 1e9;
	}
}

static bool clear(const struct arguments *arguments, struct gpmu_source *source)
{
	char question[64];
	json_t *answer;

	snprintf(question, sizeof(question), "vgpu clear %s", arguments->clear);
	answer = ask(source, question);
	json_decref(answer);
	return answer;
}

static int run(int argc, char **argv)
{
	struct arguments arguments = { .view = &views[0] };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source;
	bool is_done;

	parse_arguments(&argp, argc, argv, 0, &arguments);
	if (arguments.intervals && !arguments.interval)
		die("--interval-count needs -I");
	if (arguments.wants_accounting && arguments.wants_vgpu)
		die("--accounting and --vgpu: choose one");
	if (arguments.wants_attributes && arguments.view != &views[0])
		die("-v shows attributes, without --accounting and --vgpu");
	if (arguments.wants_attributes)
		arguments.view = &with_attributes;
	gpmu_log_set(show_message, NULL);
	source = gpmu_source_new("nvml", &error);
	if (!source) {
		say("%s", error.text);
		return EXIT_FAILURE;
	}
	is_done = arguments.clear ? clear(&arguments, source) : show_all(&arguments, source);
	gpmu_source_put(source);
	return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}

const struct cmd cmd_gpu = {
	.name = "gpu",
	.summary = "show the state of the GPUs from NVML",
	.run = run,
};
