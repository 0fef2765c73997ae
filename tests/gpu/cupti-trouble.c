// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of gpmu-cupti.so on errors: lost samples, GPUs that are busy, refuse profiling or vanish, an
 * environment and libraries that do not match.
 */
#include "contract.h"

#define READ_RATE	2400.0	/* bytes per ns of the fake */

struct run {
	void *source, *group;
	uint64_t start;
};

static struct run begin(const char *const *names)
{
	struct run run = { .source = open_source(OPTIONS) };

	run.group = open_group(run.source, 0, names);
	prepare(run.source);
	run.start = enable(run.source);
	return run;
}

static void end(struct run *run)
{
	disable(run->source);
	plugin->group_close(run->source, run->group);
	plugin->close(run->source);
}

static struct gpmu_source_count read_at(const struct run *run, uint64_t time)
{
	struct gpmu_source_count count = { 0 };

	sleep_until(time);
	ok(!plugin->group_read(run->source, run->group, time, &count), "group_read() succeeds and returns counts");
	return count;
}

/*
 * @setting makes the fake lose samples for @min to @max ns within 0.9 s. Before and after the loss all time is
 * sampled, and the count is the sum of the samples that were taken.
 */
static void check_loss(struct run *run, uint64_t min, uint64_t max, const char *setting)
{
	struct gpmu_source_count before, after, later;
	uint64_t lost;

	before = read_at(run, run->start + 20 * MS);
	is_near(before.running, before.enabled, 2 * INTERVAL, "before the loss all time is sampled");
	fake_set(setting);
	after = read_at(run, run->start + 900 * MS);
	later = read_at(run, run->start + 950 * MS);
	lost = later.enabled - later.running;
	ok(lost >= min && lost <= max, "time of lost samples is not running time: %lu us",
	   (unsigned long)(lost / 1000));
	/* Recovery may take longer on a busy machine. */
	for (int i = 1; i < 20 && later.running - after.running < 48 * MS; i++) {
		after = later;
		later = read_at(run, run->start + (950 + (uint64_t)i * 50) * MS);
	}
	is_near(later.running - after.running, 50 * MS, 2 * INTERVAL, "after the loss all time is sampled again");
	is_near(later.raw, READ_RATE * later.running, READ_RATE * 4 * INTERVAL,
		"bytes are those of the running time");
	ok(messages(run->source, "ms") || messages(run->source, "us"), "a message reports the length of the loss");
	end(run);
}

/* A loss is reported even if nobody fetches messages before counting is enabled once more. */
static void test_again(void)
{
	struct run run = begin(NAMES(READ));

	read_at(&run, run.start + 20 * MS);
	fake_set("hardware=200 stall=400");
	read_at(&run, run.start + 900 * MS);
	disable(run.source);
	run.start = enable(run.source);
	read_at(&run, run.start + 20 * MS);
	ok(messages(run.source, "ms"), "a message reports the length of the loss");
	end(&run);
}

/* A decoder that is more than a second behind still has samples, so its GPU is not reported as not counted. */
static void test_behind(void)
{
	struct run run = begin(NAMES(READ));
	struct gpmu_source_count count = { 0 };

	ok(!messages(run.source, "not counted"), "no message reports time as not counted");
	ok(!plugin->group_read(run.source, run.group, sleep_until(run.start + 20 * MS), &count),
	   "group_read() succeeds and returns counts");
	end(&run);
}

/* @setting costs no sample, and no message reports a loss. */
static void check_no_loss(struct run *run, const char *setting)
{
	struct gpmu_source_count count;

	read_at(run, run->start + 20 * MS);
	fake_set(setting);
	count = read_at(run, run->start + 900 * MS);
	is_near(count.running, count.enabled, 2 * INTERVAL, "all time is sampled without a loss");
	is_near(count.raw, READ_RATE * count.running, READ_RATE * 4 * INTERVAL, "all bytes are counted without a loss");
	ok(!messages(run->source, "ms") && !messages(run->source, "us"), "no message reports a loss");
	end(run);
}

/* The decoder sleeps for 400 ms and the hardware buffer has room for 200 ms: it overflows and loses all samples. */
static void test_overflow(void)
{
	struct run run = begin(NAMES(READ));

	check_loss(&run, 300 * MS, 800 * MS, "hardware=200 stall=400");
}

static void test_image(void)
{
	struct run run = begin(NAMES(READ));

	check_loss(&run, 100 * MS, 600 * MS, "stall=400");
}

/* Samples that do not fit into the image lose only their time stamps: no count is missing. */
static void test_forgotten(void)
{
	struct run run = begin(NAMES(READ));

	check_no_loss(&run, "stall=400");
}

/* One wrong time stamp costs neither its sample nor later samples. */
static void test_jump(void)
{
	struct run run = begin(NAMES(READ));

	check_no_loss(&run, "jump=300");
}

/* An image in another layout has data after its samples that initialisation must clear, too. */
static void test_layout(void)
{
	struct run run = begin(NAMES(READ));

	check_no_loss(&run, "");
}

static void test_gap(void)
{
	struct run run = begin(NAMES(READ));

	check_loss(&run, 29 * MS, 80 * MS, "gap=100:30");
}

/* DecodeData() returns CUPTI_ERROR_UNKNOWN once, as after a buffer has wrapped: sampling goes on. */
static void test_unknown(void)
{
	struct run run = begin(NAMES(READ));

	check_loss(&run, 0, 400 * MS, "fail=cuptiPmSamplingDecodeData@2:999");
}

/* Returns whether at least 200 ms were lost and at least 200 ms were sampled since @before. */
static bool has_recovered(const struct gpmu_source_count *count, const struct gpmu_source_count *before)
{
	uint64_t running = count->running - before->running;

	return running > 200 * MS && running < count->enabled - before->enabled - 200 * MS;
}

static void test_twice(void)
{
	struct run run = begin(NAMES(READ));
	struct gpmu_source_count count = { 0 }, before = { 0 };
	uint64_t time = run.start;

	for (int i = 1; i <= 3; i++) {
		fake_set("hardware=200 stall=250");
		count = read_at(&run, time += 600 * MS);
		for (int j = 0; j < 20 && !has_recovered(&count, &before); j++)
			count = read_at(&run, time += 200 * MS);
		ok(has_recovered(&count, &before), "sampling recovers from overflow %d", i);
		before = count;
		messages(run.source, NULL);
	}
	is_near(count.raw, READ_RATE * count.running, READ_RATE * 10 * INTERVAL, "after three overflows bytes are those of the running time");
	end(&run);
}

/* No sample arrives: a read does not wait forever, it returns the count so far. */
static void test_freeze(void)
{
	struct run run = begin(NAMES(READ));
	struct gpmu_source_count before = read_at(&run, run.start + 20 * MS), count;
	uint64_t time;

	fake_set("freeze=0:1");
	time = now();
	read_at(&run, time);
	ok(now() - time < 5 * SECOND, "a read without new samples returns: %lu ms", (unsigned long)((now() - time) / MS));
	count = read_at(&run, time + 30 * MS);
	ok(count.running <= before.running + 20 * MS, "time without samples is not running time");
	messages(run.source, NULL);
	fake_set("freeze=0:0");
	end(&run);
}

static void test_vanish(void)
{
	struct run run = begin(NAMES(READ));
	struct gpmu_source_count count = { 0 };
	int ret = 0;

	read_at(&run, run.start + 10 * MS);
	fake_set("vanish=0:999");
	for (int i = 0; i < 5 && !ret; i++)
		ret = plugin->group_read(run.source, run.group, now(), &count);
	ok(ret == -ENODEV, "group_read() of a vanished GPU returns -ENODEV: %d", ret);
	ok(messages(run.source, "GPU-"), "a message names the vanished GPU");
	plugin->disable(run.source, now());
	plugin->group_close(run.source, run.group);
	plugin->close(run.source);
	is_u64(fake_get("sampling"), 0, "close() releases the vanished GPU");
}

static void test_absent(void)
{
	struct run run = begin(NAMES(READ, "nvlrx__bytes.sum", ACTIVE, "nvlrx__bytes.sum.per_second",
				     "CTC.TriageCompute.ctc__rx_bytes.sum"));
	struct gpmu_source_count counts[5] = { 0 };

	sleep_until(run.start + 20 * MS);
	ok(!plugin->group_read(run.source, run.group, run.start + 20 * MS, counts), "group_read() succeeds and returns counts");
	is_near(counts[0].raw, READ_RATE * counts[0].running, 20, "a present unit is counted beside absent ones");
	is_near(counts[2].raw, 50.0 * counts[2].running, 50, "a present unit is counted after an absent one");
	for (int i = 1; i < 5; i += i == 1 ? 2 : 1)
		ok(counts[i].why && is_line(counts[i].why) && !counts[i].raw,
		   "an absent unit has a reason and not a 0: %s", counts[i].why ? counts[i].why : "");
	ok(!counts[0].why && !counts[2].why, "no present unit is reported as absent");
	end(&run);
}

static void test_two(void)
{
	void *source = open_source(OPTIONS), *groups[2];
	struct gpmu_source_count counts[2] = { 0 };
	static const char *const uuids[] = {
		"GPU-6f2a1c00-0001-4a00-8000-000000000001",
		"GPU-6f2a1c00-0002-4a00-8000-000000000002",
	};
	uint64_t start;

	is_u64(pmus(source), 2, "all GPUs have a PMU, whatever CUDA_VISIBLE_DEVICES is");
	for (size_t i = 0; i < 2; i++) {
		const struct gpmu_source_pmu *pmu = plugin->pmu(source, i);
		char name[32];

		snprintf(name, sizeof(name), "nvidia_gpu_%zu", i);
		is_str(pmu->name, name, "GPUs are numbered in the order of their PCI addresses");
		is_str(pmu->gpu->uuid, uuids[i], "a GPU has its own UUID");
		groups[i] = open_group(source, i, NAMES(READ));
	}
	is_str(getenv("CUDA_VISIBLE_DEVICES"), "1,0", "open() restores the variable CUDA_VISIBLE_DEVICES");
	is_str(getenv("CUDA_INJECTION64_PATH"), "/nowhere/lib.so", "open() restores the variable CUDA_INJECTION64_PATH");
	is_str(getenv("NVTX_INJECTION64_PATH"), "/nowhere/nvtx.so", "open() restores the variable NVTX_INJECTION64_PATH");
	is_u64(fake_get("injection"), 0, "cuInit() loads no injected library");
	prepare(source);
	start = enable(source);
	sleep_until(start + 20 * MS);
	for (size_t i = 0; i < 2; i++) {
		plugin->group_read(source, groups[i], start + 20 * MS, &counts[i]);
		is_near(counts[i].raw, READ_RATE * (i + 1) * counts[i].running, 20,
			"bytes are those of the GPU itself");
	}
	disable(source);
	plugin->group_close(source, groups[0]);
	plugin->group_close(source, groups[1]);
	plugin->close(source);
}

/* The program has already initialised CUDA with one of the GPUs: CUPTI cannot sample the others. */
static void test_initialized(void)
{
	void *handle = dlopen(FAKE "/libcuda.so.1", RTLD_NOW | RTLD_LOCAL), *source;
	int (*init)(unsigned int) = handle ? (int (*)(unsigned int))dlsym(handle, "cuInit") : NULL;
	bool has_nvml = !access(FAKE "/libnvidia-ml.so.1", F_OK);
	const struct gpmu_source_pmu *pmu;

	ok(init && !init(0), "the test initialises CUDA first");
	source = open_source(OPTIONS);
	is_u64(pmus(source), 1, "only the visible GPU has a PMU");
	pmu = plugin->pmu(source, 0);
	is_str(pmu->gpu->uuid, "GPU-6f2a1c00-0002-4a00-8000-000000000002", "the PMU is that of the visible GPU");
	is_str(pmu->name, has_nvml ? "nvidia_gpu_1" : "nvidia_gpu_0",
	       "the number of the visible GPU is NVML's if NVML is present");
	plugin->close(source);
}

static void test_busy(void)
{
	void *source = open_source(OPTIONS), *group;
	const struct gpmu_source_pmu *pmu = plugin->pmu(source, 0);
	struct gpmu_source_count count;
	const char *text;
	uint64_t start;

	is_u64(pmus(source), 1, "a GPU held by another profiler has no PMU");
	is_str(pmu->name, "nvidia_gpu_1", "the other GPU keeps its number");
	is_str(pmu->gpu->uuid, "GPU-6f2a1c00-0002-4a00-8000-000000000002", "the other GPU keeps its UUID");
	text = messages(source, "GPU-6f2a1c00-0001-4a00-8000-000000000001");
	ok(text && is_line(text), "a message names the busy GPU in one line");
	ok(text && (strstr(text, "dcgmi profile --pause") || strstr(text, "process")),
	   "the message names the holder or the remedy");
	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	start = enable(source);
	sleep_until(start + 20 * MS);
	plugin->group_read(source, group, start + 20 * MS, &count);
	is_near(count.raw, 2 * READ_RATE * count.running, 20, "the other GPU is counted");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Another profiler takes the GPU between open() and prepare(). */
static void test_taken(void)
{
	void *source = open_source(OPTIONS), *group = open_group(source, 0, NAMES(READ));
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	fake_set("enable=0:26");
	ret = plugin->prepare(source, &error);
	ok(ret < 0 && is_line(error.text), "prepare() of a busy GPU fails with one line: %d %s", ret, error.text);
	plugin->group_close(source, group);
	fake_set("enable=0:0");
	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

static void *try_open(struct gpmu_error *error)
{
	void *source = NULL;

	*error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	if (plugin->open(&source, OPTIONS, error))
		return NULL;
	return source;
}

/* A GPU that cannot be profiled has no PMU, and a line with @text in it gives the reason. */
static void refused(const char *setting, const char *text)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char settings[128];
	const char *message;
	void *source;

	snprintf(settings, sizeof(settings), "reset %s", setting);
	fake_set(settings);
	source = try_open(&error);
	message = source ? messages(source, text) : strstr(error.text, text) ? error.text : NULL;
	ok(message && is_line(message), "%s: one line contains \"%s\"", setting, text);
	if (!source)
		diag("error: %s", error.text);
	else if (!ok(!pmus(source), "%s: the refused GPU has no PMU", setting))
		diag("%s", plugin->pmu(source, 0)->name);
	if (source)
		plugin->close(source);
}

static void test_refused(void)
{
	refused("support=0:vgpu", "vGPU");
	refused("support=0:cc", "onfidential");
	refused("support=0:sli", "SLI");
	refused("support=0:wsl", "WSL");
	refused("support=0:architecture", "architecture");
	refused("enable=0:35", "NVreg_RestrictProfilingToAdminUsers");
	refused("enable=0:43", "MIG");
	refused("enable=0:33", "virtual");
	refused("enable=0:40", "vGPU");
	refused("enable=0:41", "onfidential");
	refused("enable=0:26", "profiler");
	refused("enable=0:999", "999");
}

static void no_driver(const char *setting, const char *text)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char settings[128];
	void *source;

	snprintf(settings, sizeof(settings), "reset %s", setting);
	fake_set(settings);
	source = try_open(&error);
	if (!ok(!source, "%s: open() without a usable driver fails", setting))
		return plugin->close(source);
	ok(is_line(error.text) && strstr(error.text, text), "the error is one line with \"%s\": %s", text, error.text);
}

static void test_no_gpu(void)
{
	no_driver("machine=none", "GPU");
}

static void test_no_driver(void)
{
	no_driver("cuinit=100", "GPU");
	no_driver("cuinit=999", "999");
	no_driver("cuinit=3", "3");
	no_driver("driver=12020", "12.6");
	no_driver("driver=12080", "12.8");
	no_driver("cupti=18", "12.6");
	is_u64(fake_get("sampling"), 0, "no GPU is kept after open() fails");
}

/* Another process tries to sample the GPU. */
static void test_process(void)
{
	struct run run = begin(NAMES(READ));
	struct gpmu_source_count before = read_at(&run, run.start + 10 * MS), after;
	struct gpmu_error error = { .size = sizeof(error) };
	void *source;
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {	/* It inherits GPMU_FAKE and with it lock=. */
		execl("/proc/self/exe", "second", (char *)NULL);
		_exit(99);
	}
	waitpid(pid, &status, 0);
	ok(status == 0, "another process is refused the GPU with a reason: 0x%x", status);
	after = read_at(&run, now());
	is_near(after.running, after.enabled, 2 * INTERVAL, "the first process samples all time");
	ok(after.raw > before.raw, "the first process goes on counting");
	end(&run);
	source = try_open(&error);
	ok(source && pmus(source) == 1, "the GPU has a PMU once it is released");
	if (source)
		plugin->close(source);
}

static int second_process(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	bool is_told;
	void *source;

	load();
	source = try_open(&error);
	is_told = source ? !pmus(source) && messages(source, "GPU-") : is_line(error.text);
	if (source)
		plugin->close(source);
	return !is_told;
}

/* GA100 has no trigger by time: it is sampled by the system's clock. */
static void test_sysclk(void)
{
	void *source = open_source(""), *group = open_group(source, 0, NAMES(READ));
	struct gpmu_source_count count = { 0 };
	uint64_t start;

	prepare(source);
	start = enable(source);
	sleep_until(start + 50 * MS);
	plugin->group_read(source, group, start + 50 * MS, &count);
	ok(count.running > 40 * MS, "GA100 is sampled by its system clock");
	is_near(count.raw, READ_RATE * count.running, READ_RATE * 20000, "GA100's bytes are those of the running time");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* mkstemp() in the build folder makes a lock that no other run of this test uses. */
static void test_processes(void)
{
	char file[] = FAKE "/lock-XXXXXX", settings[sizeof("lock=") + sizeof(file)];
	int fd = is_real() ? -1 : mkstemp(file);

	if (fd < 0 && !is_real()) {
		ok(false, "a file for the lock can be made in " FAKE);
		return;
	}
	close(fd);
	snprintf(settings, sizeof(settings), "lock=%s", file);
	run_case("another process", settings, test_process);
	unlink(file);
}

int main(int argc, char **argv)
{
	(void)argc;
	if (!strcmp(argv[0], "second"))
		return second_process();
	run_case("an overflow", "machine=h200", test_overflow);
	run_case("an overflow, and enabled again", "machine=h200", test_again);
	run_case("late samples", "latency=1500000", test_behind);
	run_case("a full image", "image=200", test_image);
	run_case("a full image that loses time stamps", "image=200 forget=1", test_forgotten);
	run_case("a wrong time stamp", "machine=h200", test_jump);
	run_case("an image of another layout", "reversed=1", test_layout);
	run_case("a gap in the samples", "machine=h200", test_gap);
	run_case("an unknown result", "machine=h200", test_unknown);
	run_case("repeated overflows", "machine=h200", test_twice);
	run_case("samples that stop", "machine=h200", test_freeze);
	run_case("a GPU that vanishes", "machine=h200", test_vanish);
	run_case("absent units", "machine=h200", test_absent);
	setenv("CUDA_VISIBLE_DEVICES", "1,0", 1);
	setenv("CUDA_INJECTION64_PATH", "/nowhere/lib.so", 1);
	setenv("NVTX_INJECTION64_PATH", "/nowhere/nvtx.so", 1);
	run_case("two GPUs", "machine=h200x2", test_two);
	setenv("CUDA_VISIBLE_DEVICES", "GPU-6f2a1c00-0002", 1);
	run_case("CUDA was initialised before", "machine=h200x2", test_initialized);
	unsetenv("CUDA_VISIBLE_DEVICES");
	unsetenv("CUDA_INJECTION64_PATH");
	unsetenv("NVTX_INJECTION64_PATH");
	run_case("one of two GPUs is busy", "machine=h200x2 enable=0:26", test_busy);
	run_case("a GPU that is taken between open() and prepare()", "machine=h200", test_taken);
	run_case("GPUs that refuse profiling", "machine=h200", test_refused);
	run_case("no driver", "machine=h200", test_no_driver);
	run_case("no GPU", "machine=none", test_no_gpu);
	test_processes();
	run_case("no time trigger", "machine=a100", test_sysclk);
	return done_testing();
}
