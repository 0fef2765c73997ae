// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of gpmu-cupti.so: the calls of NVIDIA's libraries fail. Each function's first call fails with each result,
 * later calls fail with some results, once and permanently; and each function is missing once. The plugin either fails
 * with a line that gives the reason, or goes on. It does not crash, hang or leak.
 */
#include "contract.h"

#define FUNCTIONS	64
#define LAST_CODE	46	/* highest CUptiResult below CUPTI_ERROR_UNKNOWN */
#define UNKNOWN		999
#define SECONDS_MAX	15	/* limit of one run */

static char functions[FUNCTIONS][64];
static size_t functions_length;
static const char *missing = "", *options = OPTIONS;

static bool is_nvidia(const char *name)
{
	return !strncmp(name, "cu", 2) || !strncmp(name, "nvml", 4);
}

/*
 * Replaces the plugin's dlsym(): collects the names that it looks up, and hides the function @missing. The
 * real one is jumped to, not called: RTLD_NEXT depends on the caller, which can be the sanitizer.
 */
__attribute__((no_sanitize("address", "undefined"), optimize("optimize-sibling-calls")))
void *dlsym(void *handle, const char *name)
{
	static const char *const versions[] = { "GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17" };
	static void *(*real)(void *, const char *);

	for (size_t i = 0; i < 3 && !real; i++)
		real = (void *(*)(void *, const char *))dlvsym(RTLD_NEXT, "dlsym", versions[i]);
	if (!is_nvidia(name))
		return real(handle, name);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		if (!functions[i][0]) {
			strncpy(functions[i], name, sizeof(functions[i]) - 1);
			functions_length++;
		}
		if (!strcmp(functions[i], name))
			break;
	}
	return strcmp(name, missing) ? real(handle, name) : NULL;
}

/* The result of a run, which may end early. @is_explained: each failure had a one-line reason */
struct outcome {
	int ret;
	bool is_explained;
	uint64_t took;
};

static bool note_failure(struct outcome *outcome, int ret, const struct gpmu_error *error)
{
	if (!ret)
		return false;
	outcome->ret = ret;
	outcome->is_explained = ret > 0 || is_line(error->text);
	return true;
}

static void count(void *source, void *group)
{
	struct gpmu_source_count counts[2];
	uint64_t start = now();

	if (plugin->enable(source, start))
		return;
	for (int i = 1; i <= 2; i++)
		plugin->group_read(source, group, sleep_until(start + i * 2 * MS), counts);
	plugin->disable(source, now());
}

static struct outcome run(void)
{
	struct outcome outcome = { .is_explained = true, .took = now() };
	struct gpmu_error error = { .size = sizeof(error) };
	void *source, *group = NULL;

	if (!note_failure(&outcome, plugin->open(&source, options, &error), &error)) {
		while (plugin->message(source))
			;
		if (pmus(source))
			note_failure(&outcome, try_group(source, 0, NAMES(READ, ACTIVE), &group, &error) == -ENOENT ?
				     0 : group ? 0 : 1, &error);
		if (group && !note_failure(&outcome, plugin->prepare(source, &error), &error))
			count(source, group);
		while (plugin->message(source))
			;
		if (group)
			plugin->group_close(source, group);
		plugin->close(source);
	}
	outcome.took = now() - outcome.took;
	return outcome;
}

static const char *function;

/* @once is the suffix of a setting "fail": "@2" or "@2+" */
static void fault(const char *once, int code, bool *is_good, uint64_t *longest)
{
	struct outcome outcome;
	char settings[128];

	snprintf(settings, sizeof(settings), "reset fail=%s%s:%d", function, once, code);
	fake_set(settings);
	outcome = run();
	*longest = outcome.took > *longest ? outcome.took : *longest;
	if (outcome.is_explained && !fake_get("violations") && !fake_get("sampling") && !fake_get("host"))
		return;
	*is_good = false;
	diag("%s: %d, %s, %ld violations, %ld GPUs and %ld objects kept", settings, outcome.ret,
	     outcome.is_explained ? "explained" : "not explained", fake_get("violations"), fake_get("sampling"),
	     fake_get("host"));
	fake_set("reset");
}

static void test_function(void)
{
	static const int later[] = { 1, 7, 8, 26, 27, 999 }, lasting[] = { 8, 999 };
	size_t files, tasks;
	uint64_t longest = 0;
	bool is_good = true;

	run();
	files = fds();
	tasks = threads();
	for (int code = 1; code <= LAST_CODE; code++)
		fault("@1", code, &is_good, &longest);
	fault("@1", UNKNOWN, &is_good, &longest);
	for (size_t j = 0; j < sizeof(later) / sizeof(*later); j++) {
		fault("@2", later[j], &is_good, &longest);
		fault("@3", later[j], &is_good, &longest);
	}
	for (size_t j = 0; j < sizeof(lasting) / sizeof(*lasting); j++) {
		fault("@1+", lasting[j], &is_good, &longest);
		fault("@3+", lasting[j], &is_good, &longest);
	}
	fake_set("reset");
	ok(is_good, "%s: each failure has a reason and leaks nothing", function);
	ok(fds() == files && threads() == tasks, "%s: failures leave no file and no thread", function);
	ok(longest < SECONDS_MAX * SECOND, "%s: no run takes too long: %lu ms at most", function,
	   (unsigned long)(longest / MS));
}

static void test_missing(void)
{
	struct outcome outcome = run();

	ok(outcome.is_explained, "without %s each failure has a reason: %d", missing, outcome.ret);
	is_u64(fake_get("sampling"), 0, "a missing function leaves no GPU taken");
}

/* Older drivers lack some functions of NVML: links are then unknown, or known by others. */
static void test_old_nvml(void)
{
	static const struct {
		const char *missing;
		int nvlink, c2c;	/* whether metrics of the link are absent */
	} cases[] = {
		{ "nvmlDeviceGetC2cModeInfoV", 1, 0 },
		{ "nvmlDeviceGetNvLinkState", 0, 1 },
		{ "nvmlDeviceGetFieldValues", 1, 1 },
		{ "nvmlDeviceGetClockInfo", 1, 1 },
		{ "nvmlDeviceGetCurrentClocksEventReasons", 1, 1 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		void *source;

		missing = cases[i].missing;
		source = open_source(options);
		ok(plugin->event_find(source, 0, "nvlrx__bytes.sum")->absent == cases[i].nvlink,
		   "without %s metrics of NVLink are absent only if NVML reports no link", missing);
		ok(plugin->event_find(source, 0, "CTC.TriageCompute.ctc__rx_bytes.sum")->absent == cases[i].c2c,
		   "without %s metrics of NVLink-C2C are absent only if NVML reports no link", missing);
		plugin->close(source);
	}
	missing = "";
}

/* Writes the names of the functions that a run without faults looks up to descriptor 3 */
static void learn(void)
{
	FILE *file = fopen("/proc/self/fd/3", "w");

	run();
	for (size_t i = 0; i < functions_length; i++)
		fprintf(file, "%s\n", functions[i]);
	fclose(file);
}

static char learnt[FUNCTIONS][64];
static size_t learnt_length;

static void learn_functions(void)
{
	FILE *file = tmpfile();

	dup2(fileno(file), 3);
	run_case("lookup of functions", "machine=h200", learn);
	file = fdopen(3, "r");
	rewind(file);
	while (learnt_length < FUNCTIONS && fscanf(file, "%63s", learnt[learnt_length]) == 1)
		learnt_length++;
	fclose(file);
	ok(learnt_length > 20, "the plugin looks up many functions: %zu", learnt_length);
}

/* At short intervals worker threads evaluate the samples, each with its own Host object. Only with LONG=1. */
static void test_workers(void)
{
	static const char *const used[] = { "cuptiProfilerHostConfigAddMetrics",
					    "cuptiProfilerHostEvaluateToGpuValues",
					    "cuptiPmSamplingDecodeData" };

	options = "interval=100us";
	for (size_t i = 0; i < sizeof(used) / sizeof(*used); i++) {
		function = used[i];
		run_case(function, "machine=h200", test_function);
	}
	options = OPTIONS;
}

int main(void)
{
	if (is_real()) {
		printf("1..0 # SKIP needs the fake libraries\n");
		return 0;
	}
	learn_functions();
	for (size_t i = 0; i < learnt_length; i++) {
		function = learnt[i];
		if (strncmp(function, "nvml", 4))
			run_case(function, "machine=h200", test_function);
	}
	if (getenv("LONG"))
		test_workers();
	for (size_t i = 0; i < learnt_length; i++) {
		missing = learnt[i];
		run_case(missing, "machine=h200", test_missing);
	}
	run_case("an older NVML", "machine=h200", test_old_nvml);
	return done_testing();
}
