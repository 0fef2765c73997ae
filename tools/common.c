// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text/gpmu_shown.h"
#include "cmd.h"
#include "common.h"

enum {
	KEY_SOURCE = 1,
	KEY_GPU,
	KEY_EVENTS,
	KEY_ROOT,
	KEY_COLOR,
	KEY_NO_MERGE,
};

/* --- options --- */

void texts_add(struct texts *texts, const char *text)
{
	texts->list = need_memory(reallocarray(texts->list, texts->length + 1,
					       sizeof(*texts->list)));
	texts->list[texts->length++] = text;
}

static enum common_color parse_color(const char *text)
{
	static const char *const words[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], text))
			return (enum common_color)i;
	die("--color %s: expected auto, always or never", text);
}

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
	struct common *common = state->input;

	switch (key) {
	case KEY_SOURCE:
		texts_add(&common->sources, arg);
		return 0;
	case KEY_EVENTS:
		texts_add(&common->events, arg);
		return 0;
	case KEY_ROOT:
		common->root = arg;
		return 0;
	case KEY_COLOR:
		common->color = parse_color(arg);
		return 0;
	case 'v':
		common->is_verbose = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option common_options[] = {
	{ .name = "source", .key = KEY_SOURCE, .arg = "SPEC",
	  .doc = "add the PMUs of a plugin: NAME or NAME=OPTIONS, such "
	  "as model=FILE.scenario; may be repeated" },
	{ .name = "events", .key = KEY_EVENTS, .arg = "PATH",
	  .doc = "add events and metrics from a JSON file or a folder; "
	  "may be repeated" },
	{ .name = "root", .key = KEY_ROOT, .arg = "DIR", .flags = OPTION_HIDDEN,
	  .doc = "read sys and proc below DIR" },
	{ .name = "color", .key = KEY_COLOR, .arg = "WHEN", .doc = "auto, always or never" },
	{ .name = "verbose", .key = 'v', .doc = "print more details" },
	{ .key = 'h', .flags = OPTION_HIDDEN },
	{ 0 },
};

const struct argp common_argp = { .options = common_options, .parser = parse_common };

static error_t parse_gpu(int key, char *arg, struct argp_state *state)
{
	struct common *common = state->input;

	(void)arg;
	if (key != KEY_GPU)
		return ARGP_ERR_UNKNOWN;
	common->wants_gpu = true;
	return 0;
}

static const struct argp_option gpu_options[] = {
	{ .name = "gpu", .key = KEY_GPU, .doc = "add the machine's GPUs, as --source nvml --source cupti does" },
	{ 0 },
};

const struct argp gpu_argp = { .options = gpu_options, .parser = parse_gpu };

void common_request(struct common *common, bool is_metric, const char *list)
{
	common->requests = need_memory(reallocarray(common->requests, common->request_count + 1,
						    sizeof(*common->requests)));
	common->requests[common->request_count++] = (struct request){ is_metric, list };
}

static error_t parse_request(int key, char *arg, struct argp_state *state)
{
	struct common *common = state->input;

	switch (key) {
	case 'e':
	case 'M':
		common_request(common, key == 'M', arg);
		return 0;
	case KEY_NO_MERGE:
		common->wants_no_merge = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option request_options[] = {
	{ .name = "event", .key = 'e', .arg = "LIST",
	  .doc = "events, in perf's syntax; those of one PMU in braces are "
	  "counted at the same time" },
	{ .name = "metrics", .key = 'M', .arg = "LIST", .doc = "metrics and groups of metrics" },
	{ .name = "metric-no-merge", .key = KEY_NO_MERGE, .doc = "metrics do not share groups of events" },
	{ 0 },
};

const struct argp request_argp = { .options = request_options, .parser = parse_request };

/* --- machine, catalog, sources and plan --- */

void common_init(struct common *common)
{
	const char *root = secure_getenv("GPMU_ROOT");

	*common = (struct common){ .root = root && *root ? root : NULL };
}

void common_release(struct common *common)
{
	gpmu_catalog_free(common->catalog);
	gpmu_machine_free(common->machine);
	gpmu_log_set(NULL, NULL);
	free(common->sources.list);
	free(common->events.list);
	free(common->requests);
	for (size_t i = 0; i < common->warnings.length; i++)
		free((char *)common->warnings.list[i]);
	free(common->warnings.list);
}

static bool add_source(struct common *common, const char *spec, struct gpmu_error *error)
{
	struct gpmu_source *source = gpmu_source_new(spec, error);
	int ret;

	if (!source)
		return false;
	ret = gpmu_machine_add_source(common->machine, source, error);
	gpmu_source_put(source);
	return !ret;
}

static void open_source(struct common *common, const char *spec)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (!add_source(common, spec, &error))
		die("--source %s: %s", spec, error.text);
}

static bool is_given(const struct common *common, const char *name)
{
	const size_t length = strlen(name);

	for (size_t i = 0; i < common->sources.length; i++) {
		const char *spec = common->sources.list[i];

		if (!strncmp(spec, name, length) && (!spec[length] || spec[length] == '='))
			return true;
	}
	return false;
}

/*
 * Opens a GPU source of --gpu unless --source names it. If several sources have the same PMU,
 * the one added last provides it: CUPTI counts more than NVML and is therefore added later.
 */
static void open_gpu_source(struct common *common, const char *name, const char *spec, struct gpmu_error *error)
{
	if (common->wants_gpu && !is_given(common, name))
		add_source(common, spec ? spec : name, error);
}

static void open_sources(struct common *common)
{
	struct gpmu_error nvml = { .size = sizeof(nvml) }, cupti = { .size = sizeof(cupti) };

	open_gpu_source(common, "nvml", NULL, &nvml);
	for (size_t i = 0; i < common->sources.length; i++)
		open_source(common, common->sources.list[i]);
	open_gpu_source(common, "cupti", common->cupti, &cupti);
	if (nvml.text[0] && cupti.text[0])
		warn("--gpu: no GPU is counted: %s", nvml.text);
	else if (nvml.text[0] || cupti.text[0])
		warn("--gpu: %s", nvml.text[0] ? nvml.text : cupti.text);
}

bool common_has_sources(const struct common *common)
{
	return common->wants_gpu || common->sources.length;
}

bool common_has_gpus(const struct common *common)
{
	return common->wants_gpu || is_given(common, "cupti") || is_given(common, "nvml");
}

/* Keeps the warnings of sources that are being opened: sources log from their threads later. */
static void show_message(int level, const char *line, void *user)
{
	struct common *common = user;

	if (level == GPMU_LOG_WARNING && !common->catalog)
		texts_add(&common->warnings, need_memory(strdup(line)));
	if (level == GPMU_LOG_WARNING)
		warn("%s", line);
	else if (common->is_verbose)
		say("%s", line);
}

void common_open(struct common *common)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const char *line;

	gpmu_log_set(show_message, common);
	common->machine = common->is_read_late ? gpmu_machine_open(common->root, &error) :
			  gpmu_machine_new(common->root, &error);
	if (!common->machine)
		die("%s", error.text);
	open_sources(common);
	common->catalog = gpmu_catalog_new(secure_getenv("GPMU_EVENTS"), &error);
	if (!common->catalog)
		die("%s", error.text);
	for (size_t i = 0; i < common->events.length; i++)
		if (gpmu_catalog_add(common->catalog, common->events.list[i], &error))
			die("%s", error.text);
	if (common->is_verbose)
		for (size_t i = 0; (line = gpmu_machine_warning(common->machine, i)); i++)
			warn("%s", line);
	for (size_t i = 0; (line = gpmu_catalog_warning(common->catalog, i)); i++)
		warn("%s", line);
}

bool common_is_here(const struct common *common)
{
	return !strcmp(gpmu_machine_root(common->machine), "/");
}

void common_need_here(const struct common *common, const struct gpmu_plan *plan)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; i < gpmu_plan_group_count(plan) && !common_is_here(common); i++) {
		pmu = gpmu_plan_group_pmu(plan, i);
		/* Software events are the same everywhere; other types mean other PMUs here. */
		if (!pmu || gpmu_pmu_type(pmu) == PERF_TYPE_SOFTWARE ||
		    gpmu_pmu_type(pmu) == UINT32_MAX)
			continue;
		die("%s is a PMU of the machine in %s and cannot be counted on this one; unset "
		    "GPMU_ROOT", gpmu_pmu_name(pmu), gpmu_machine_root(common->machine));
	}
}

/* Returns whether @text misses a PMU of a GPU, and no plugin that has it was asked for. */
static bool lacks_gpus(const struct common *common, const char *text)
{
	return !common_has_gpus(common) && (strstr(text, "nvidia_gpu") || strstr(text, "nvidia_nvml"));
}

/* Returns whether @text reports a missing PMU of the CPUs or the chip, which a driver of the kernel provides. */
static bool lacks_driver(const struct common *common, const char *text)
{
	return strstr(text, "this machine has no PMU") && !strstr(text, "nvidia_gpu") &&
	       !strstr(text, "nvidia_nvml") && !is_given(common, "model");
}

static const char gpu_hint[] = "GPUs are counted by plugins: --source cupti and --source nvml; "
	"gpmu stat --gpu loads both";

static const struct {
	bool (*applies)(const struct common *common, const char *text);
	const char *text;
} hints[] = {
	{ lacks_gpus, gpu_hint },
	{ lacks_driver, "\"gpmu doctor\" reports why a PMU is missing and how to enable it" },
};

/* For -ENOENT the error's text already names the missing event or metric. */
static void __attribute__((noreturn)) refuse_request(const struct common *common,
						     const struct request *request, int ret,
						     const char *text)
{
	if (ret == -EINVAL)
		die("-%c %.200s: %s", request->is_metric ? 'M' : 'e', request->list, text);
	if (ret == -ENOENT && lacks_gpus(common, text))
		die("%s; %s", text, gpu_hint);
	if (ret == -ENOENT && !strstr(text, "did you mean"))
		die("%s; \"gpmu list\" lists what exists", text);
	die("%s", text);
}

/* A function for fits of struct gpmu_plan_options */
static int always_fits(const struct gpmu_pmu *pmu, const struct perf_event_attr *const *attrs, size_t length, void *user)
{
	(void)pmu;
	(void)attrs;
	(void)length;
	(void)user;
	return 1;
}

struct gpmu_plan *common_plan_begin(const struct common *common, bool is_system_wide)
{
	const struct gpmu_plan_options options = {
		.size = sizeof(options),
		.no_merge = common->wants_no_merge,
		.system_wide = is_system_wide,
		.user_only = common->wants_tasks ? -1 : 0,
		.fits = common->is_counted ? always_fits : common_is_here(common) ? gpmu_probe_fits : NULL,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_plan *plan = gpmu_plan_new(common->machine, common->catalog, &options, &error);

	if (!plan)
		die("%s", error.text);
	return plan;
}

void common_plan_add(const struct common *common, struct gpmu_plan *plan,
		     const struct request *request)
{
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = request->is_metric ? gpmu_plan_add_metrics(plan, request->list, &error) :
				    gpmu_plan_add_events(plan, request->list, &error);

	if (ret)
		refuse_request(common, request, ret, error.text);
}

void common_plan_make(struct gpmu_plan *plan)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (gpmu_plan_make(plan, &error))
		die("%s", error.text);
}

struct gpmu_plan *common_plan(const struct common *common, bool is_system_wide)
{
	struct gpmu_plan *plan = common_plan_begin(common, is_system_wide);

	for (size_t i = 0; i < common->request_count; i++)
		common_plan_add(common, plan, &common->requests[i]);
	common_plan_make(plan);
	return plan;
}

void common_plan_warnings(const struct gpmu_plan *plan)
{
	const char *line;

	for (size_t i = 0; (line = gpmu_plan_warning(plan, i)); i++)
		warn("%s", line);
}

void common_hints(const struct common *common, const struct gpmu_plan *plan)
{
	const char *line;

	for (size_t h = 0; h < ARRAY_SIZE(hints); h++) {
		for (size_t i = 0; (line = gpmu_plan_warning(plan, i)); i++)
			if (hints[h].applies(common, line))
				break;
		if (line)
			warn("%s", hints[h].text);
	}
}

static void explain_items(const struct gpmu_plan *plan, size_t group)
{
	const char *item, *between = "for";

	fprintf(stderr, "    ");
	for (size_t i = 0; (item = gpmu_plan_item(plan, i)); i++) {
		if (!gpmu_plan_group_has_item(plan, group, i))
			continue;
		fprintf(stderr, "%s ", between);
		gpmu_shown_print(stderr, item);
		between = ",";
	}
	fprintf(stderr, "\n");
}

/* "group 1: nvidia_scf_pmu_0, 2 of 6 counters", its events, and its items */
static void explain_group(const struct gpmu_plan *plan, size_t group)
{
	const struct gpmu_pmu *pmu = gpmu_plan_group_pmu(plan, group);
	int counters = gpmu_plan_group_counter_count(plan, group);
	const char *event;

	fprintf(stderr, "group %zu: %s", group + 1, pmu ? gpmu_pmu_name(pmu) : "events of the kernel");
	if (counters >= 0)
		fprintf(stderr, ", %d of %d counters", counters, gpmu_pmu_counter_count(pmu));
	fprintf(stderr, "\n");
	for (size_t i = 0; (event = gpmu_plan_group_event(plan, group, i)); i++) {
		fputs("    ", stderr);
		gpmu_shown_print(stderr, event);
		putc('\n', stderr);
	}
	explain_items(plan, group);
}

void common_explain(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < gpmu_plan_group_count(plan); i++)
		explain_group(plan, i);
}

bool common_wants_color(const struct common *common, FILE *file)
{
	const char *none = getenv("NO_COLOR"), *terminal = getenv("TERM");

	if (common->color != COLOR_AUTO)
		return common->color == COLOR_ALWAYS;
	if ((none && *none) || !terminal || !strcmp(terminal, "dumb"))
		return false;
	return isatty(fileno(file));
}
