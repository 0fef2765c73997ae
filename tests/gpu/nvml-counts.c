// SPDX-License-Identifier: LGPL-2.1-or-later
/* The counts of the plugin nvml against the numbers of the fake's scenarios, and its reasons for absent events */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

#include "again.h"
#include "nvml-test.h"

#define MIB	1048576.0
#define MS	UINT64_C(1000000)	/* ns */

static void *source;

/* --- the clock of the plugin and of the fake, which the test can set --- */

#define PCIE_READ	20000	/* us that the fake sleeps while it measures PCIe */
#define GPM_SAMPLE	400	/* us that it sleeps while it takes a sample of GPM */

static _Atomic uint64_t turned;		/* CLOCK_MONOTONIC_RAW as set by the test; 0: the real clock */
static bool is_turned_by_gpm;	/* the clock goes on while the fake takes a sample of GPM */
static atomic_uint pcie_reads;

/* The test is linked with -rdynamic, so its functions replace libc's in libraries too. */
int clock_gettime(clockid_t id, struct timespec *time)
{
	const uint64_t now = id == CLOCK_MONOTONIC_RAW ? turned : 0;

	if (!now)
		return (int)syscall(SYS_clock_gettime, id, time);
	*time = (struct timespec){ .tv_sec = (time_t)(now / 1000000000), .tv_nsec = (long)(now % 1000000000) };
	return 0;
}

int usleep(useconds_t us)
{
	const struct timespec time = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
	const int ret = nanosleep(&time, NULL);

	if (us == PCIE_READ)
		pcie_reads++;
	if (us == GPM_SAMPLE && is_turned_by_gpm)
		turned += us * UINT64_C(1000);
	return ret;
}

/* Waits until the plugin has read the rate of PCIe that the fake has now. */
static void wait_for_pcie(void)
{
	/* The first read may have begun before; the second is stored once the third is made. */
	const unsigned int before = pcie_reads;

	while (pcie_reads - before < 3)
		usleep(1000);
}

static void begin(const char *scenario, const char *options)
{
	use_scenario(scenario);
	source = open_source(options);
	ok(source != NULL, "%s: the source can be opened", scenario);
	if (!source)
		diag("%s", failure.text);
}

/* --- values --- */

static const struct {
	const char *pmu, *event;
	double want;	/* the mean, or the sum per second */
} values[] = {
	{ "nvidia_nvml_0", "power", 350.5 },
	{ "nvidia_nvml_0", "energy", 350.5 },
	{ "nvidia_nvml_0", "temperature", 41 },
	{ "nvidia_nvml_0", "memory_temperature", 52 },
	{ "nvidia_nvml_0", "sm_clock", 1980 },
	{ "nvidia_nvml_0", "memory_clock", 3201 },
	{ "nvidia_nvml_0", "video_clock", 1545 },
	{ "nvidia_nvml_0", "sm_utilization", 87 },
	{ "nvidia_nvml_0", "memory_utilization", 34 },
	{ "nvidia_nvml_0", "memory_used", 74735681536 },
	{ "nvidia_nvml_0", "throttle_sw_power_cap", 100 },
	{ "nvidia_nvml_0", "throttle_hw_slowdown", 0 },
	{ "nvidia_nvml_0", "pcie_rx", 5e9 },
	{ "nvidia_nvml_0", "pcie_tx", 2e9 },
	{ "nvidia_nvml_0", "nvlink_rx", 4 * 2000 * 1024 },
	{ "nvidia_nvml_0", "nvlink_tx", 4 * 1000 * 1024 },
	{ "nvidia_nvml_0", "c2c_rx", 2000 * MIB },
	{ "nvidia_nvml_0", "tensor_utilization", 60.25 },
	{ "nvidia_gpu_0", "gr__cycles_active.avg.pct_of_peak_sustained_elapsed", 88 },
	{ "nvidia_gpu_0", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", 80.5 },
	{ "nvidia_gpu_0", "sm__warps_active.avg.pct_of_peak_sustained_elapsed", 25 },
	{ "nvidia_gpu_0", "dram__throughput.avg.pct_of_peak_sustained_elapsed", 40 },
	{ "nvidia_gpu_0", "pcie__read_bytes.sum", 2048 * MIB },
	{ "nvidia_gpu_0", "pcie__write_bytes.sum", 1024 * MIB },
	{ "nvidia_gpu_0", "pcie__read_bytes.sum.per_second", 2048 * MIB },
	{ "nvidia_gpu_0", "nvlrx__bytes.sum", 8192 * MIB },
	{ "nvidia_gpu_0", "nvltx__bytes.sum", 4096 * MIB },
	{ "nvidia_gpu_0", "CTC.TriageCompute.ctc__rx_bytes.sum", 2200 * MIB },
	{ "nvidia_gpu_0", "CTC.TriageCompute.ctc__tx_bytes_data_user.sum", 1000 * MIB },
	{ "nvidia_gpu_0", "PCI.TriageCompute.pcie__read_bytes.sum", 2048 * MIB },
	{ "nvidia_gpu_0", "PCI.TriageCompute.pcie__write_bytes.sum", 1024 * MIB },
	{ "nvidia_gpu_0", "CTC_B.TriageCompute.ctc__rx_bytes.sum", 2200 * MIB },
	{ "nvidia_gpu_0", "CTC_A.TriageCompute.ctc__tx_bytes_data_user.sum", 1000 * MIB },
};

#define N_VALUES	(sizeof(values) / sizeof(values[0]))

/* The value that is shown of a count: a mean, or a sum per second */
static double shown(struct gpmu_source_count count, const struct gpmu_source_event_info *info)
{
	double scale = info->scale ? info->scale : 1;

	return info->mean ? mean(count, scale) : (double)count.raw * scale / ((double)count.running / 1e9);
}

static void check_values(void)
{
	void *groups[N_VALUES];
	uint64_t time;
	int ret;

	begin("gh200", "period=50");
	for (size_t i = 0; i < N_VALUES; i++)
		if (open_event(source, find_pmu(source, values[i].pmu), values[i].event, &groups[i]))
			ok(false, "%s: the event can be opened: %s", values[i].event, failure.text);
	plugin->prepare(source, &failure);
	plugin->enable(source, clock_now());
	usleep(300000);
	time = clock_now();
	for (size_t i = 0; i < N_VALUES; i++) {
		size_t pmu = find_pmu(source, values[i].pmu);
		struct gpmu_source_count count = read_count(source, groups[i], time, &ret);
		double got = shown(count, plugin->event_find(source, pmu, values[i].event));
		char what[128];

		snprintf(what, sizeof(what), "%s has the scenario's value", values[i].event);
		is_near(got, values[i].want, 0.005, what);
		if (count.running != count.enabled)
			ok(false, "%s is counted all of the time: running %" PRIu64 " of %" PRIu64, values[i].event, count.running,
			   count.enabled);
	}
	plugin->disable(source, clock_now());
	for (size_t i = 0; i < N_VALUES; i++)
		plugin->group_close(source, groups[i]);
	ok(!plugin->message(source), "no message comes while all is counted");
	plugin->close(source);
}

/* Groups that are read one after the other for the same time return the counts of that time. */
static void check_same_time(void)
{
	struct gpmu_source_count earlier, later;
	void *first, *second;
	uint64_t start, time;
	size_t pmu;

	begin("h200", "");
	pmu = find_pmu(source, "nvidia_gpu_0");
	open_event(source, pmu, "pcie__read_bytes.sum", &first);
	open_event(source, pmu, "pcie__read_bytes.sum", &second);
	/* Without prepare() the first sample comes after enable(). */
	start = clock_now();
	plugin->enable(source, start);
	usleep(30000);
	time = clock_now();
	usleep(2000);
	earlier = read_count(source, first, time, NULL);
	usleep(120000);
	later = read_count(source, second, time, NULL);
	is_u64(later.raw, earlier.raw, "a later read for the same time returns the same count");
	is_near((double)earlier.raw, 2048 * MIB * (double)(time - start) / 1e9, 0.0001,
		"a sample is split at the time of the read");
	plugin->disable(source, clock_now());
	plugin->group_close(source, first);
	plugin->group_close(source, second);
	plugin->close(source);
}

/* --- what changes, and what fails --- */

/* The mean of a value that is @before until @change, then @after */
static double changed(double before, double after, uint64_t change, uint64_t start, uint64_t end)
{
	return before + (after - before) * (double)(end - change) / (double)(end - start);
}

static void check_changes(void)
{
	struct gpmu_source_count used, gpm, temperature, energy, pcie, nvlink;
	void *groups[6];
	uint64_t start, change, time;
	const char *message;
	size_t pmu;

	turned = clock_now();
	change = turned + 300 * MS;
	/* The plugin opens an event of GPM if two samples in turn have a value. */
	is_turned_by_gpm = true;
	begin("changes", "period=10");
	pmu = find_pmu(source, "nvidia_nvml_0");
	open_event(source, pmu, "sm_utilization", &groups[0]);
	open_event(source, find_pmu(source, "nvidia_gpu_0"),
		   "sm__cycles_active.avg.pct_of_peak_sustained_elapsed", &groups[1]);
	open_event(source, pmu, "temperature", &groups[2]);
	open_event(source, pmu, "energy", &groups[3]);
	open_event(source, pmu, "pcie_rx", &groups[4]);
	open_event(source, pmu, "nvlink_rx", &groups[5]);
	is_turned_by_gpm = false;
	turned = change - 290 * MS;
	plugin->prepare(source, &failure);
	turned += 10 * MS;
	start = clock_now();
	plugin->enable(source, start);
	for (unsigned int ms = 30; ms <= 600; ms += 10) {
		turned += 10 * MS;
		/* Each PMU is observed at this time, unless the plugin's thread already has. */
		read_count(source, groups[0], turned, NULL);
		read_count(source, groups[1], turned, NULL);
		/* The change is at 300 ms. */
		if (ms == 30 || ms == 310)
			wait_for_pcie();
	}
	time = clock_now();
	plugin->disable(source, time);
	used = read_count(source, groups[0], time, NULL);
	gpm = read_count(source, groups[1], time, NULL);
	temperature = read_count(source, groups[2], time, NULL);
	energy = read_count(source, groups[3], time, NULL);
	pcie = read_count(source, groups[4], time, NULL);
	nvlink = read_count(source, groups[5], time, NULL);
	is_near(mean(used, 1), changed(10, 90, change, start, time), 0.03,
		"a changing utilisation is weighted by its duration");
	is_near(mean(pcie, 1e9), changed(1e9, 5e9, change + 10 * MS, start, time), 1e-6,
		"a changing PCIe rate, which NVML measures over 20 ms, is weighted by its duration");
	is_near(mean(gpm, 1), changed(20, 80, change, start, time), 1e-6, "a changing GPM metric is weighted by its duration");
	ok(temperature.running > temperature.enabled / 20 &&
	   temperature.running < temperature.enabled / 4 * 3,
	   "time without a successful read is not running time");
	is_near(mean(temperature, 1), 41, 0.001, "failed reads have no part in the mean");
	ok(energy.raw >= 11000 && energy.raw <= 15000 && energy.running == energy.enabled,
	   "a counter whose reads failed for a while loses no count");
	ok(nvlink.raw == 1000 * 1024 && nvlink.running < nvlink.enabled,
	   "a counter whose first reads failed counts from its first successful read");
	message = plugin->message(source);
	ok(message && strstr(message, "nvidia_nvml_0/nvlink_rx/: "), "a message names the counter whose first reads failed");
	message = plugin->message(source);
	ok(message && strstr(message, "nvidia_nvml_0/temperature/: ") &&
	   strstr(message, " ms were not counted: NVML: Timeout"), "a message reports the time that was not counted");
	diag("%s", message ? message : "nothing");
	ok(!plugin->message(source), "each failure is reported only once");
	for (size_t i = 0; i < 6; i++)
		plugin->group_close(source, groups[i]);
	plugin->close(source);
	turned = 0;
}

static void check_lost(void)
{
	struct gpmu_source_count before, after;
	void *gone, *there, *none;
	const char *message;
	int first, last;

	begin("lost", "period=20");
	open_event(source, find_pmu(source, "nvidia_nvml_0"), "power", &gone);
	open_event(source, find_pmu(source, "nvidia_nvml_1"), "power", &there);
	plugin->prepare(source, &failure);
	plugin->enable(source, clock_now());
	before = read_count(source, gone, clock_now(), &first);
	usleep(350000);
	read_count(source, gone, clock_now(), &last);
	ok(!first && last == -ENODEV, "group_read() of a lost GPU returns -ENODEV");
	after = read_count(source, there, clock_now(), &last);
	ok(!last && after.running == after.enabled && after.raw > before.raw, "the other GPU goes on counting");
	plugin->disable(source, clock_now());
	message = plugin->message(source);
	ok(message && strstr(message, "NVML: GPU is lost"), "a message reports the lost GPU");
	ok(!plugin->message(source), "the lost GPU is reported only once");
	is_u64((uint64_t)-open_event(source, find_pmu(source, "nvidia_nvml_0"), "power", &none), ENODEV,
	       "events of a lost GPU cannot be opened");
	plugin->group_close(source, gone);
	plugin->group_close(source, there);
	plugin->close(source);
}

/* --- absent events --- */

static const struct {
	const char *scenario, *pmu, *event, *why;
	bool is_failing;	/* NVML fails, which does not prove that the GPU lacks it */
} absent[] = {
	{ "h200", "nvidia_nvml_0", "nvlink_rx", "no NVLink is active", false },
	{ "h200", "nvidia_nvml_0", "c2c_rx", "this GPU has no NVLink-C2C", false },
	{ "h200", "nvidia_nvml_0", "encoder_utilization", "NVML: Not Supported", false },
	{ "h200", "nvidia_nvml_0", "throttle_display_clocks", "NVML: Not Supported", false },
	{ "h200", "nvidia_gpu_0", "nvlrx__bytes.sum", "no NVLink is active", false },
	{ "h200", "nvidia_gpu_0", "CTC.TriageCompute.ctc__rx_bytes.sum", "this GPU has no NVLink-C2C", false },
	{ "h200", "nvidia_gpu_0", "dram__bytes_read.sum", "NVML's GPM has no such metric", false },
	{ "a100", "nvidia_nvml_0", "energy", "NVML: Insufficient Permissions; run as root", true },
	{ "a100", "nvidia_nvml_0", "ofa_utilization", "NVML: this NVML is too old for it", true },
	{ "a100", "nvidia_nvml_0", "tensor_utilization", "NVML: Not Supported", false },
	{ "links", "nvidia_nvml_0", "nvlink_rx", "NVML: Unknown Error", true },
	{ "links", "nvidia_nvml_0", "c2c_rx", "NVML: Insufficient Permissions", true },
};

static const char *const present[] = { "power", "sm__cycles_active.avg.pct_of_peak_sustained_elapsed" };

/* Counts an absent event in a group with a present one */
static void check_absent_count(size_t pmu, const char *event, const char *why)
{
	const char *other = present[plugin->event_find(source, pmu, present[0]) == NULL];
	const struct gpmu_source_event events[] = {
		{ .config = config_of(plugin->event_find(source, pmu, event)) },
		{ .config = config_of(plugin->event_find(source, pmu, other)) },
	};
	struct gpmu_source_count counts[2];
	void *group;

	if (plugin->group_open(source, pmu, events, 2, &group, &failure)) {
		ok(false, "%s: the group can be opened: %s", event, failure.text);
		return;
	}
	plugin->prepare(source, &failure);
	plugin->enable(source, clock_now());
	usleep(2000);
	plugin->disable(source, clock_now());
	plugin->group_read(source, group, clock_now(), counts);
	ok(counts[0].why && strstr(counts[0].why, why), "the count of an absent event has a reason: %s",
	   counts[0].why ? counts[0].why : "nothing");
	ok(!counts[1].why && counts[1].running > 0, "the present event of the group is counted");
	plugin->group_close(source, group);
}

static void check_absent(void)
{
	const struct gpmu_source_event_info *info;

	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		bool is_listed = false;
		size_t pmu;

		use_scenario(absent[i].scenario);
		source = open_source("");
		pmu = find_pmu(source, absent[i].pmu);
		for (size_t n = 0; (info = plugin->event(source, pmu, n)); n++)
			is_listed = is_listed || !strcmp(info->name, absent[i].event);
		ok(!is_listed, "%s: %s is not listed", absent[i].scenario, absent[i].event);
		info = plugin->event_find(source, pmu, absent[i].event);
		ok(info && !strcmp(info->name, absent[i].event), "%s: an event that is not listed is still found", absent[i].event);
		ok(info == plugin->event_find(source, pmu, absent[i].event), "%s: event_find() returns the same event each time",
		   absent[i].event);
		ok(info && info->absent == !absent[i].is_failing,
		   "%s: an event is absent only if NVML reports that the GPU lacks it", absent[i].event);
		check_absent_count(pmu, absent[i].event, absent[i].why);
		plugin->close(source);
	}
	use_scenario("a100");
	source = open_source("");
	ok(!plugin->pmu(source, find_pmu(source, "nvidia_gpu_0")), "a GPU without GPM has no PMU nvidia_gpu_0");
	plugin->close(source);
}

static const struct {
	const char *scenario;
	int error;
	const char *text;
} refused[] = {
	{ "{\"init\":9}", ENODEV, "sudo modprobe nvidia" },
	{ "{\"init\":4}", EACCES, "no permission for /dev/nvidiactl" },
	{ "{\"init\":18}", ENODEV, "has another version" },
	{ "{\"init\":15}", ENODEV, "the GPU is lost" },
	{ "{\"init\":999}", EIO, "Unknown Error" },
	{ "{\"gpus\":[]}", ENODEV, "there is no GPU" },
	{ "{\"count\":999}", EIO, "the number of GPUs" },
	{ "{\"gpus\":[{\"uuid\":\"GPU-1\",\"lost_at_ms\":0}]}", ENODEV, "GPU 0: GPU is lost" },
};

static void check_refused(void)
{
	char path[] = "/tmp/gpmu-nvml-XXXXXX";
	int fd = mkstemp(path);

	setenv("GPMU_CUDA", FAKE, 1);
	setenv("GPMU_FAKE_NVML", path, 1);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		FILE *file = fopen(path, "w");
		int ret;

		fputs(refused[i].scenario, file);
		fclose(file);
		ret = open_error("");
		ok(ret == -refused[i].error && strstr(failure.text, refused[i].text), "%s: open() fails: %s",
		   refused[i].scenario, failure.text);
	}
	close(fd);
	unlink(path);
}

/* An empty file in the library's place is no library. */
static void check_no_library(void)
{
	char folder[] = "/tmp/gpmu-nvml-XXXXXX", path[64];
	FILE *file;

	if (!mkdtemp(folder))
		return;
	snprintf(path, sizeof(path), "%s/libnvidia-ml.so.1", folder);
	file = fopen(path, "w");
	fclose(file);
	setenv("GPMU_CUDA", folder, 1);
	ok(open_error("") == -ENODEV && strstr(failure.text, "no libnvidia-ml.so.1"),
	   "open() without a driver fails: %s", failure.text);
	unlink(path);
	rmdir(folder);
}

static void do_check(const void *data)
{
	void (*const *check)(void) = data;

	(*check)();
}

static void check_in_time(const char *what, void (*check)(void))
{
	ok(!tap_again(do_check, &check, AGAIN_RUNS), "%s: the case ends without a crash", what);
}

int main(void)
{
	if (!load_plugin())
		return 1;
	check_values();
	check_in_time("counts of the same time", check_same_time);
	check_changes();
	check_in_time("values that cannot be read", check_lost);
	check_absent();
	check_refused();
	check_no_library();
	return done_testing();
}
