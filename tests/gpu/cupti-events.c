// SPDX-License-Identifier: LGPL-2.1-or-later
/* Contract of gpmu-cupti.so: its table, PMUs, GPUs, events, and what fits into one pass */
#include "contract.h"

static void test_table(void)
{
	ok(plugin->size >= sizeof(*plugin) && plugin->abi == GPMU_SOURCE_ABI, "the plugin's ABI is gpmu-source.h's");
	is_str(plugin->name, "cupti", "the plugin is named cupti");
	ok(plugin->open && plugin->close && plugin->pmu && plugin->group_open &&
	   plugin->group_close && plugin->enable && plugin->disable && plugin->group_read &&
	   plugin->event && plugin->event_find && plugin->prepare && plugin->message,
	   "the table has all functions for counting");
	ok(plugin->usage && is_line(plugin->usage), "the usage of options is one line");
	ok(plugin->event_size >= sizeof(uint64_t) && plugin->count_size >= 3 * sizeof(uint64_t),
	   "events and counts are no smaller than in the first ABI");
}

/* "0009:01:00.0" */
static bool is_pci(const char *text)
{
	static const char form[] = "xxxx:xx:xx.x", digits[] = "0123456789abcdef";

	if (!text || strlen(text) != strlen(form))
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == 'x' ? !strchr(digits, text[i]) : text[i] != form[i])
			return false;
	return true;
}

static void check_gpu(const struct gpmu_source_gpu *gpu)
{
	ok(strlen(gpu->uuid) == 40 && !strncmp(gpu->uuid, "GPU-", 4), "the GPU has a UUID: %s", gpu->uuid);
	ok(gpu->name && *gpu->name && gpu->chip && *gpu->chip, "the GPU has a name and a chip: \"%s\", %s", gpu->name, gpu->chip);
	ok(is_pci(gpu->pci), "the GPU has a PCI address: %s", gpu->pci);
}

static void check_pmu(void *source, size_t index)
{
	const struct gpmu_source_pmu *pmu = plugin->pmu(source, index);

	ok(pmu == plugin->pmu(source, index), "pmu(%zu) returns the same PMU each time", index);
	ok(is_number(pmu->name, "nvidia_gpu_"), "the PMU is named nvidia_gpu_NUMBER: %s", pmu->name);
	ok(pmu->formats && !strcmp(pmu->formats[0], "event") && !strcmp(pmu->formats[1], "config:0-31"),
	   "the PMU has a format \"event\"");
	ok(pmu->gpu != NULL, "the PMU belongs to a GPU");
	if (pmu->gpu)
		check_gpu(pmu->gpu);
}

static void test_pmus(void)
{
	void *source = open_source(OPTIONS);
	size_t length = pmus(source);

	ok(length > 0, "the source has PMUs: %zu", length);
	for (size_t i = 0; i < length; i++)
		check_pmu(source, i);
	messages(source, NULL);
	plugin->close(source);
}

struct expected {
	const char *name, *unit;
	double scale;
	int mean;
};

static void check_event(void *source, const struct expected *want)
{
	const struct gpmu_source_event_info *info = plugin->event_find(source, 0, want->name);

	ok(info != NULL, "%s is an event", want->name);
	if (!info)
		return;
	is_str(info->name, want->name, "an event has the name it was found by");
	is_str(info->unit, want->unit, "an event has its unit");
	ok((info->scale ? info->scale : 1) == want->scale, "%s has the scale %g", want->name, want->scale);
	ok(info->mean == want->mean, "%s is counted as %s", want->name, want->mean ? "a mean" : "a count");
	ok(info->description && is_line(info->description), "%s has a description of one line", want->name);
	ok(info->passes == 1, "%s needs one pass", want->name);
	ok(is_number(info->terms, "event="), "%s has a number: %s", want->name, info->terms);
	ok(info == plugin->event_find(source, 0, want->name), "%s is found at the same address each time", want->name);
}

static void test_events(void)
{
	static const struct expected events[] = {
		{ READ, "B", 1, 0 },
		{ "dram__bytes_read.sum.per_second", "B/s", 1e9, 1 },
		{ "dram__bytes_read.avg", "B", 1e3, 1 },
		{ "dram__bytes_read.max", "B", 1e3, 1 },
		{ "dram__bytes_read.sum.pct_of_peak_sustained_elapsed", "%", 1, 1 },
		{ TIME, "ns", 1, 0 },
		{ ACTIVE, "%", 1, 1 },
		{ "dram__throughput.avg.pct_of_peak_sustained_elapsed", "%", 1, 1 },
		{ "CTC.TriageCompute.ctc__rx_bytes_data_user.sum", "B", 1, 0 },
		{ "nvlrx__bytes.sum", "B", 1, 0 },
		{ "pcie__read_bytes.sum", "B", 1, 0 },
	};
	static const char *const bad[] = {
		"", ".", ".sum", "nosuch.sum", "dram__bytes_read", "dram__bytes_read.",
		"dram__bytes_read.foo", "dram__bytes_read.sum.", "dram__bytes_read.sum.foo",
		"dram__throughput.sum", "dram__throughput", "DRAM__BYTES_READ.SUM",
		"CTC.TriageCompute", "CTC.TriageCompute.ctc__rx_bytes", "dram__bytes_read.sum ",
	};
	void *source = open_source(OPTIONS);
	const struct gpmu_source_event_info *info;
	bool is_found = false, is_good = true;
	size_t n = 0;

	for (; (info = plugin->event(source, 0, n)); n++) {
		is_found = is_found || !strcmp(info->name, READ);
		is_good = is_good && *info->name && !strpbrk(info->name, " ,/") && info->terms &&
			  info == plugin->event(source, 0, n);
	}
	ok(n > 15 && is_found && is_good, "%zu events are listed and %s is one of them", n, READ);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		check_event(source, &events[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!plugin->event_find(source, 0, bad[i]), "\"%s\" is no event", bad[i]);
	plugin->close(source);
}

/* Groups that cannot be counted fail with a reason; afterwards another group can be opened. */
static void test_refused(void)
{
	void *source = open_source(OPTIONS), *group;
	const struct gpmu_source_event unknown = { .config = 0xfffffff };
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = plugin->group_open(source, 0, &unknown, 1, &group, &error);

	ok(ret == -ENOENT || ret == -EOPNOTSUPP, "an event with an unknown number is refused: %d", ret);
	ok(is_line(error.text), "an unknown number is refused with one line: %s", error.text);
	ret = try_group(source, 0, NAMES("sm__inst_executed.sum", READ, "l1tex__t_bytes.sum"), &group,
			&error);
	ok(ret == -ENOSPC, "events that need two passes are refused: %d", ret);
	ok(is_line(error.text), "two passes are refused with one line: %s", error.text);
	ok(strstr(error.text, "sm__inst_executed") || strstr(error.text, "l1tex__t_bytes"),
	   "the error names the events to leave out");
	ok(!strstr(error.text, READ), "the error names no other event");
	ok(messages(source, "sm__inst_executed.sum needs "), "an event of many passes is reported before counting");
	try_group(source, 0, NAMES("sm__inst_executed.sum", READ, "l1tex__t_bytes.sum"), &group, &error);
	ok(!messages(source, "sm__inst_executed.sum needs "), "an event of many passes is reported only once");
	group = open_group(source, 0, NAMES("sm__inst_executed.sum", READ));
	plugin->group_close(source, group);
	plugin->close(source);
}

/* fits() answers without opening a group, also for a chip without its GPU, and reports nothing. */
static void test_fits(const char *options)
{
	void *source = open_source(options);
	struct gpmu_source_event events[3] = { 0 };

	event_of(source, 0, "sm__inst_executed.sum", &events[0]);
	event_of(source, 0, READ, &events[1]);
	event_of(source, 0, "l1tex__t_bytes.sum", &events[2]);
	ok(plugin->fits(source, 0, events, 2) == 1, "%s: fits() is 1 for events of one pass", options);
	ok(plugin->fits(source, 0, &events[1], 2) == 1, "%s: fits() is 1 for other events of one pass", options);
	ok(plugin->fits(source, 0, events, 3) == 0, "%s: fits() is 0 for events that need two passes", options);
	ok(!messages(source, "passes"), "%s: fits() reports no message", options);
	events[0].config = 0xfffffff;
	ok(plugin->fits(source, 0, events, 1) < 0, "%s: fits() fails for an event with an unknown number", options);
	ok(plugin->fits(source, pmus(source), &events[1], 1) < 0, "%s: fits() fails for a PMU that does not exist", options);
	plugin->close(source);
}

static void test_fits_gpu(void)
{
	test_fits(OPTIONS);
}

static void test_fits_chip(void)
{
	test_fits("chip=GH100");
}

/* All groups of a GPU share one configuration. */
static void test_groups(void)
{
	void *source = open_source(OPTIONS), *first, *second, *third;
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	first = open_group(source, 0, NAMES("sm__inst_executed.sum"));
	ret = try_group(source, 0, NAMES("l1tex__t_bytes.sum"), &second, &error);
	ok(ret == -ENOSPC && is_line(error.text), "a second group that needs another pass is refused: %d %s", ret,
	   error.text);
	second = open_group(source, 0, NAMES(READ, READ));
	plugin->group_close(source, first);
	third = open_group(source, 0, NAMES("l1tex__t_bytes.sum"));
	prepare(source);
	plugin->group_close(source, third);
	plugin->group_close(source, second);
	plugin->close(source);
}

static void test_options(void)
{
	static const char *const bad[] = {
		"interval", "interval=", "interval=0", "interval=1x", "interval=-1us", "nosuch=1",
		"interval=1ms,,", "interval=99999999999999999999s",
	};
	struct gpmu_error error = { .size = sizeof(error) };
	void *source;
	int ret;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
		ret = plugin->open(&source, bad[i], &error);
		ok(ret == -EINVAL && is_line(error.text) && error.offset <= strlen(bad[i]),
		   "the options \"%s\" are refused: %s", bad[i], error.text);
		if (!ret)
			plugin->close(source);
	}
}

int main(void)
{
	run_case("the table", NULL, test_table);
	run_case("PMUs", NULL, test_pmus);
	run_case("events", NULL, test_events);
	run_case("groups that are refused", NULL, test_refused);
	run_case("fits() on a GPU", NULL, test_fits_gpu);
	run_case("fits() on a chip", NULL, test_fits_chip);
	run_case("groups beside each other", NULL, test_groups);
	run_case("options", NULL, test_options);
	return done_testing();
}
