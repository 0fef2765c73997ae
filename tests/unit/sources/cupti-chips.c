// SPDX-License-Identifier: LGPL-2.1-or-later
/* The built-in GPU metrics on each chip that the installed CUPTI can sample */
#include <regex.h>

#include <gpmu/catalog.h>
#include <gpmu/machine.h>

#include "cupti-test.h"
#include "cupti_events.h"
#include "sysroot.h"

#define UNIT		"nvidia_gpu"
#define EVENT		UNIT "@"
#define MAX_EVENTS	64

/* These two metrics do not fit into one pass together. */
#define ONE		"GpuL1BW"
#define OTHER		"GpuTensorActive"
#define RANGES		"gpu_ranges"	/* group of the metrics that PM sampling cannot collect */
#define DEVICE		"sys/bus/event_source/devices/" UNIT "_0/"

/* A chip takes much longer with the sanitizers: every seventh is checked, GH100 among them. */
#ifdef __SANITIZE_ADDRESS__
#define STEP	7
#else
#define STEP	1
#endif

struct names {
	char *texts[MAX_EVENTS];
	size_t length;
};

/* Adds the events of a formula, each once: "dram__bytes_read.sum" of "nvidia_gpu@dram__bytes_read.sum@" */
static void add_names(struct names *names, const char *formula)
{
	const char *cursor = formula, *end;
	size_t i;

	while ((cursor = strstr(cursor, EVENT))) {
		cursor += strlen(EVENT);
		end = strchr(cursor, '@');
		if (!end || names->length == MAX_EVENTS) {
			printf("Bail out! %s\n", formula);
			exit(1);
		}
		for (i = 0; i < names->length; i++)
			if (strlen(names->texts[i]) == (size_t)(end - cursor) &&
			    !strncmp(names->texts[i], cursor, (size_t)(end - cursor)))
				break;
		if (i == names->length)
			names->texts[names->length++] = strndup(cursor, (size_t)(end - cursor));
		cursor = end + 1;
	}
}

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->length; i++)
		free(names->texts[i]);
	names->length = 0;
}

/* Returns the passes of all events together, 0 if the chip lacks one. */
static size_t passes_of(const struct host *host, const struct names *names)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct host_config config;
	const char *suffix;
	size_t passes = 0;

	for (size_t i = 0; i < names->length; i++)
		if (!host_find(host, names->texts[i], &suffix))
			return 0;
	if (host_configure(host, (const char *const *)names->texts, names->length, &config, &error))
		diag("%s: %s", host->chip, error.text);
	else
		passes = config.passes;
	host_config_release(&config);
	return passes;
}

/* Returns a machine whose only PMU is the chip's. */
static struct gpmu_machine *machine_of(struct sysroot *root, const char *chip)
{
	struct gpmu_machine *machine;

	sysroot_init(root);
	sysroot_put(root, DEVICE "type", "20\n");
	sysroot_put(root, DEVICE "identifier", chip);
	machine = gpmu_machine_new(root->path, NULL);
	if (!machine) {
		printf("Bail out! no machine\n");
		exit(1);
	}
	return machine;
}

/*
 * A metric for this chip must fit into one pass. A metric for other chips must not, unless another variant of it is for
 * this chip.
 */
static bool check_metric(const struct gpmu_catalog *catalog, const struct gpmu_metric *metric,
			 const struct gpmu_machine *machine, const struct host *host)
{
	const char *name = gpmu_metric_name(metric);
	const struct gpmu_metric *found = gpmu_catalog_find_metric(catalog, name, machine);
	struct names names = { .length = 0 };
	size_t passes;

	add_names(&names, gpmu_metric_expr(metric));
	passes = passes_of(host, &names);
	names_release(&names);
	if (gpmu_metric_supported(metric, machine) == 1) {
		if (passes == 1 && found == metric)
			return true;
		diag("%s: %s, line %u: %zu passes (0: the chip lacks an event), found %s", host->chip,
		     name, gpmu_metric_line(metric), passes, found == metric ? "once" : "twice");
	} else {
		if (passes != 1 || gpmu_metric_supported(found, machine) == 1)
			return true;
		diag("%s: %s, line %u: could be counted", host->chip, name, gpmu_metric_line(metric));
	}
	return false;
}

static bool is_of_ranges(const struct gpmu_metric *metric)
{
	const char *group = gpmu_metric_group(metric, 0);

	return group && !strcmp(group, RANGES);
}

static bool is_of(const struct gpmu_metric *metric, const struct gpmu_machine *machine)
{
	const char *pmu = gpmu_metric_pmu(metric);

	return pmu && !strcmp(pmu, UNIT) && !is_of_ranges(metric) &&
	       (!machine || gpmu_metric_supported(metric, machine) == 1);
}

/* Checks the metrics that the chip counts in ranges only. Returns their number. */
static unsigned int check_ranges(const struct gpmu_catalog *catalog, const struct host *pm_host)
{
	const struct host host = {
		.library = pm_host->library, .chip = pm_host->chip, .type = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
	};
	const struct gpmu_metric *metric;
	unsigned int count = 0;

	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++) {
		struct gpmu_error error = { .size = sizeof(error) };
		struct names names = { .length = 0 };
		struct host_config config;

		if (!is_of_ranges(metric))
			continue;
		count++;
		add_names(&names, gpmu_metric_expr(metric));
		ok(!host_configure(&host, (const char *const *)names.texts, names.length, &config, &error) && config.passes,
		   "chip %s: the range profiler counts %s", host.chip, gpmu_metric_name(metric));
		host_config_release(&config);
		ok(!passes_of(pm_host, &names), "chip %s: PM sampling does not count %s", host.chip, gpmu_metric_name(metric));
		names_release(&names);
	}
	return count;
}

/* Returns the passes of all metrics of the chip but one. */
static size_t passes_without(const struct gpmu_catalog *catalog, const struct gpmu_machine *machine,
			     const struct host *host, const char *name)
{
	const struct gpmu_metric *metric;
	struct names names = { .length = 0 };
	size_t passes;

	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		if (is_of(metric, machine) && strcmp(gpmu_metric_name(metric), name))
			add_names(&names, gpmu_metric_expr(metric));
	passes = passes_of(host, &names);
	names_release(&names);
	return passes;
}

/* Returns how many metrics the chip has. */
static unsigned int check_chip(const struct gpmu_catalog *catalog, const struct host *host)
{
	unsigned int had = 0, wrong = 0;
	const struct gpmu_metric *metric;
	struct gpmu_machine *machine;
	struct sysroot root;

	machine = machine_of(&root, host->chip);
	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++) {
		if (!is_of(metric, NULL))
			continue;
		wrong += !check_metric(catalog, metric, machine, host);
		had += is_of(metric, machine);
	}
	ok(!wrong,
	   "chip %s: each of its %u metrics fits into one pass, and no metric that fits is missing",
	   host->chip, had);
	is_u64(passes_without(catalog, machine, host, OTHER), 1,
	       "all metrics of a chip without " OTHER " fit into one pass together");
	is_u64(passes_without(catalog, machine, host, ONE), 1,
	       "all metrics of a chip without " ONE " fit into one pass together");
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return had;
}

/* Units of metrics that only the range profiler has */
static void check_units(const struct host *pm_host)
{
	static const char *const names[] = {
		"smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", "l1tex__t_bytes_pipe_lsu_mem_global_op_ld.sum.per_second",
		"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
	};
	const struct host host = {
		.library = pm_host->library, .chip = pm_host->chip, .type = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
	};
	const size_t length = sizeof(names) / sizeof(*names);
	struct host_metric *metrics = host_describe(&host, names, length);
	char text[64] = "";

	for (size_t i = 0; metrics && i < length; i++) {
		char *unit = events_unit(&metrics[i], host_suffix(names[i]));

		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "", unit ? unit : "-");
		free(unit);
	}
	host_metrics_free(metrics, length);
	is_str(text, "instruction B/s %", "metrics that only the range profiler has are shown in CUPTI's units");
}

/* Returns how many of @chips a part of a Compat matches. */
static size_t chips_of(const char *part, const char *const *chips, size_t length)
{
	char whole[160];
	regex_t pattern;
	size_t found = 0;

	snprintf(whole, sizeof(whole), "^(%s)$", part);
	if (regcomp(&pattern, whole, REG_EXTENDED | REG_NOSUB))
		return 0;
	for (size_t i = 0; i < length; i++)
		found += !regexec(&pattern, chips[i], 0, NULL, 0);
	regfree(&pattern);
	return found;
}

/* Splits "a|b(c|d)" in place: returns the next part, NULL after the last one. */
static char *next_part(char **rest)
{
	char *part = *rest, *cursor;
	int depth = 0;

	if (!part)
		return NULL;
	for (cursor = part; *cursor && (*cursor != '|' || depth); cursor++)
		depth += (*cursor == '(') - (*cursor == ')');
	*rest = *cursor ? cursor + 1 : NULL;
	*cursor = '\0';
	return part;
}

static void check_compats(const struct gpmu_catalog *catalog, const char *const *chips, size_t length)
{
	const struct gpmu_metric *metric;
	unsigned int parts = 0, unknown = 0;

	for (size_t i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++) {
		const char *compat = gpmu_metric_compat(metric);
		char text[128], *rest = text, *part;

		if (!compat || !is_of(metric, NULL))
			continue;
		snprintf(text, sizeof(text), "%s", compat);
		while ((part = next_part(&rest))) {
			parts++;
			if (chips_of(part, chips, length))
				continue;
			unknown++;
			diag("%s: no chip matches %s", gpmu_metric_name(metric), part);
		}
	}
	ok(parts && !unknown,
	   "CUPTI knows each of the %u chips in the Compat of a GPU metric", parts);
}

int main(void)
{
	struct gpmu_catalog *catalog;
	struct library library;
	const char *const *chips;
	size_t length;

	test_library(&library);
	catalog = gpmu_catalog_new(NULL, NULL);
	length = host_chips(&library, &chips);
	for (size_t i = 0; i < length; i += STEP) {
		struct gpmu_error error = { .size = sizeof(error) };
		struct host *host = NULL;
		unsigned int had;

		/* Volta has no PM sampling; cupti-host.c checks its error. */
		if (host_new(&library, chips[i], &host, &error))
			continue;
		had = check_chip(catalog, host);
		if (!strcmp(chips[i], "GH100")) {
			is_u64(had, 23, "GH100 has all GPU metrics but the two of BAR1");
			is_u64(check_ranges(catalog, host), 4, "GH100 has all metrics of ranges");
			check_units(host);
		}
		host_free(host);
	}
	check_compats(catalog, chips, length);
	gpmu_catalog_free(catalog);
	library_close(&library);
	return done_testing();
}
