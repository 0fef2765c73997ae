// SPDX-License-Identifier: LGPL-2.1-or-later
/* Contract of gpmu-cupti.so: its table, PMUs, GPUs, events, and what fits into one pass */
#include "contract.h"

static void test_table(void)
{
	ok(plugin->size >= sizeof(*plugin) && plugin->abi == GPMU_SOURCE_ABI, "the ABI is ours");
	is_str(plugin->name, "cupti", "the name");
	ok(plugin->open && plugin->close && plugin->pmu && plugin->group_open &&
	   plugin->group_close && plugin->enable && plugin->disable && plugin->group_read &&
	   plugin->event && plugin->event_find && plugin->prepare && plugin->message,
	   "all functions that count are there");
	ok(plugin->usage && is_line(plugin->usage), "how options are written is a line");
	ok(plugin->event_size >= sizeof(uint64_t) && plugin->count_size >= 3 * sizeof(uint64_t),
	   "sizes of events and counts");
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
	ok(strlen(gpu->uuid) == 40 && !strncmp(gpu->uuid, "GPU-", 4), "... UUID %s", gpu->uuid);
	ok(gpu->name && *gpu->name && gpu->chip && *gpu->chip, "... \"%s\", %s", gpu->name, gpu->chip);
	ok(is_pci(gpu->pci), "... PCI address %s", gpu->pci);
}

static void check_pmu(void *source, size_t index)
{
	const struct gpmu_source_pmu *pmu = plugin->pmu(source, index);

	ok(pmu == plugin->pmu(source, index), "PMU %zu is the same each time", index);
	ok(is_number(pmu->name, "nvidia_gpu_"), "... is called so: %s", pmu->name);
	ok(pmu->formats && !strcmp(pmu->formats[0], "event") && !strcmp(pmu->formats[1], "config:0-31"),
	   "... has a format for events");
	ok(pmu->gpu != NULL, "... counts a GPU");
	if (pmu->gpu)
		check_gpu(pmu->gpu);
}

static void test_pmus(void)
{
	void *source = open_source(OPTIONS);
	size_t length = pmus(source);

	ok(length > 0, "%zu PMUs", length);
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
	is_str(info->name, want->name, "... of this name");
	is_str(info->unit, want->unit, "... of this unit");
	ok((info->scale ? info->scale : 1) == want->scale, "... of scale %g", want->scale);
	ok(info->mean == want->mean, "... is %s", want->mean ? "a mean" : "a count");
	ok(info->description && is_line(info->description), "... has a description");
	ok(info->passes == 1, "... needs one pass");
	ok(is_number(info->terms, "event="), "... has its number: %s", info->terms);
	ok(info == plugin->event_find(source, 0, want->name), "... is the same each time");
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
	bool found = false, good = true;
	size_t n = 0;

	for (; (info = plugin->event(source, 0, n)); n++) {
		found = found || !strcmp(info->name, READ);
		good = good && *info->name && !strpbrk(info->name, " ,/") && info->terms &&
		       info == plugin->event(source, 0, n);
	}
	ok(n > 20 && found && good, "%zu events are listed, %s is one", n, READ);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		check_event(source, &events[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		ok(!plugin->event_find(source, 0, bad[i]), "\"%s\" is no event", bad[i]);
	plugin->close(source);
}

/* Groups that cannot be counted, and why; then one that can */
static void test_refused(void)
{
	void *source = open_source(OPTIONS), *group;
	const struct gpmu_source_event unknown = { .config = 0xfffffff };
	struct gpmu_error error = { 0 };
	int ret = plugin->group_open(source, 0, &unknown, 1, &group, &error);

	ok(ret == -ENOENT || ret == -EOPNOTSUPP, "an event that has no number: %d", ret);
	ok(is_line(error.text), "... says why: %s", error.text);
	ret = try_group(source, 0, NAMES("sm__inst_executed.sum", READ, "l1tex__t_bytes.sum"), &group,
			&error);
	ok(ret == -ENOSPC, "events that need two passes: %d", ret);
	ok(is_line(error.text), "... says why: %s", error.text);
	ok(strstr(error.text, "sm__inst_executed") || strstr(error.text, "l1tex__t_bytes"),
	   "... names what is to be left out");
	ok(!strstr(error.text, READ), "... and nothing else");
	ok(messages(source, "sm__inst_executed.sum needs "), "... which is said before anything is counted");
	try_group(source, 0, NAMES("sm__inst_executed.sum", READ, "l1tex__t_bytes.sum"), &group, &error);
	ok(!messages(source, "sm__inst_executed.sum needs "), "... once");
	group = open_group(source, 0, NAMES("sm__inst_executed.sum", READ));
	plugin->group_close(source, group);
	plugin->close(source);
}

/* All groups of a GPU are one configuration. */
static void test_groups(void)
{
	void *source = open_source(OPTIONS), *first, *second, *third;
	struct gpmu_error error;
	int ret;

	first = open_group(source, 0, NAMES("sm__inst_executed.sum"));
	ret = try_group(source, 0, NAMES("l1tex__t_bytes.sum"), &second, &error);
	ok(ret == -ENOSPC && is_line(error.text), "a second group that needs another pass: %d %s", ret,
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
	struct gpmu_error error;
	void *source;
	int ret;

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		error = (struct gpmu_error){ 0 };
		ret = plugin->open(&source, bad[i], &error);
		ok(ret == -EINVAL && is_line(error.text) && error.offset <= strlen(bad[i]),
		   "options \"%s\": %s", bad[i], error.text);
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
	run_case("groups beside each other", NULL, test_groups);
	run_case("options", NULL, test_options);
	return done_testing();
}
