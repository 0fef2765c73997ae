// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of gpmu-cupti.so: counts and their times. The values expected of the fake were calculated by hand from
 * tests/data/gpu/metrics.tsv.
 */
#include "contract.h"

#define READ_RATE	2400.0	/* bytes per ns of the fake */
#define WRITE_RATE	1200.0	/* in the first half of each period, none in the second */
#define PERIOD		(20 * MS)

/* On a real GPU there are some ns between one sample and the next. */
static double slack(void)
{
	return is_real() ? 0.01 : 0;
}

static void test_times(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count counts[3] = { 0 }, before[3] = { 0 };
	uint64_t start, time, last = 0;
	bool is_rising = true;

	group = open_group(source, 0, NAMES(READ, TIME, ACTIVE));
	prepare(source);
	start = enable(source);
	for (int i = 0; i < 5; i++) {
		time = sleep_until(start + (i + 1) * 10 * MS);
		if (plugin->group_read(source, group, time, counts))
			is_rising = ok(false, "group_read() succeeds and returns counts");
		for (int j = 0; j < 3; j++)
			is_rising = is_rising && counts[j].raw >= before[j].raw &&
				    counts[j].enabled == time - start && counts[j].running >= last &&
				    counts[j].running <= counts[j].enabled;
		memcpy(before, counts, sizeof(before));
		last = counts[0].running;
	}
	ok(is_rising, "counts never fall, enabled is the elapsed time, running is no longer");
	is_near(counts[0].running, counts[0].enabled, 2 * INTERVAL, "all of the enabled time is sampled");
	is_near(counts[1].raw, counts[1].running, slack() * counts[1].running + 2,
		"the GPU's clock has the rate of the host's");
	if (fake_get) {
		is_near(counts[0].raw, READ_RATE * counts[0].running, 20, "bytes are those of the running time");
		is_near(counts[2].raw, 50.0 * counts[2].running, counts[2].running / 1e6 + 3,
			"a mean is counted as its integral over ns");
	}
	time = disable(source);
	ok(!plugin->group_read(source, group, time, counts), "group_read() succeeds after disable()");
	is_u64(counts[0].enabled, time - start, "enabled ends at the time of disable()");
	memcpy(before, counts, sizeof(before));
	sleep_until(time + 5 * MS);
	plugin->group_read(source, group, now(), counts);
	ok(!memcmp(before, counts, sizeof(before)), "no count changes after disable()");
	messages(source, NULL);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Reads one of two groups with the same events several times, the other once: their last counts are equal. */
static void test_additive(void)
{
	void *source = open_source(OPTIONS), *often, *once;
	struct gpmu_source_count a[2] = { 0 }, b[2] = { 0 };
	uint64_t start, time = 0;

	often = open_group(source, 0, NAMES(READ, ACTIVE));
	once = open_group(source, 0, NAMES(READ, ACTIVE));
	prepare(source);
	start = enable(source);
	for (int i = 1; i <= 9; i++) {
		time = sleep_until(start + i * 3700000);
		plugin->group_read(source, often, time, a);
	}
	plugin->group_read(source, once, time, b);
	is_u64(a[0].raw, b[0].raw, "a count does not depend on earlier reads");
	is_near(a[1].raw, b[1].raw, 10, "a mean does not depend on earlier reads");
	is_u64(a[0].running, b[0].running, "running time does not depend on earlier reads");
	disable(source);
	plugin->group_close(source, often);
	plugin->group_close(source, once);
	plugin->close(source);
}

/* Counts and times exclude the pause between disable() and enable(). */
static void test_pause(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count first, second;
	uint64_t start[2], end[2];

	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	for (int i = 0; i < 2; i++) {
		start[i] = enable(source);
		sleep_until(start[i] + 20 * MS);
		end[i] = disable(source);
		plugin->group_read(source, group, end[i], i ? &second : &first);
		sleep_until(end[i] + 30 * MS);
	}
	is_u64(first.enabled, end[0] - start[0], "enabled is the time from enable() to disable()");
	is_u64(second.enabled, end[0] - start[0] + end[1] - start[1], "a second enable() adds its time to enabled");
	ok(second.running > first.running, "a second enable() adds to the running time");
	is_near(second.running, second.enabled, 4 * INTERVAL, "nearly all of the enabled time is sampled");
	if (fake_get)
		is_near(second.raw, READ_RATE * second.running, 20, "bytes of the pause are not counted");
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Enables @source for @length ns; returns the time that it was enabled */
static uint64_t count_for(void *source, uint64_t length)
{
	uint64_t start = enable(source);

	sleep_until(start + length);
	return disable(source) - start;
}

/* Groups are opened and closed between two periods of counting: each has the times of its own periods. */
static void test_more(void)
{
	void *source = open_source(OPTIONS), *stays, *gone, *later;
	struct gpmu_source_count first, both, own[2];
	uint64_t length[2];

	stays = open_group(source, 0, NAMES(READ));
	gone = open_group(source, 0, NAMES(TIME));
	prepare(source);
	length[0] = count_for(source, 20 * MS);
	plugin->group_read(source, stays, now(), &first);
	plugin->group_close(source, gone);
	later = open_group(source, 0, NAMES(WRITE, READ));
	prepare(source);
	length[1] = count_for(source, 20 * MS);
	plugin->group_read(source, stays, now(), &both);
	plugin->group_read(source, later, now(), own);
	is_u64(first.enabled, length[0], "a group's enabled is the first period");
	is_u64(both.enabled, length[0] + length[1], "a group that stays open has both periods");
	is_near(both.running, both.enabled, 4 * INTERVAL, "both periods are sampled");
	ok(both.raw >= first.raw, "the second period adds to the count");
	if (fake_get)
		is_near(both.raw, READ_RATE * both.running, 20, "the count has the bytes of both periods");
	is_u64(own[1].enabled, length[1], "a group opened later has only the second period");
	is_near(own[1].running, own[1].enabled, 2 * INTERVAL, "the later group's period is sampled");
	plugin->group_close(source, stays);
	plugin->group_close(source, later);
	plugin->close(source);
}

/* Enabled at the edge of a period of the square wave: each edge within a sample is at most half a sample off. */
static void test_square(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count count[2] = { 0 }, half[2] = { 0 };
	uint64_t start;

	group = open_group(source, 0, NAMES(WRITE, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"));
	prepare(source);
	start = (now() / PERIOD + 1) * PERIOD;
	sleep_until(start);
	ok(!plugin->enable(source, start), "enable() at the start of a period succeeds");
	sleep_until(start + 2 * PERIOD + PERIOD / 2);
	plugin->group_read(source, group, start + 2 * PERIOD + PERIOD / 2, half);
	sleep_until(start + 4 * PERIOD);
	plugin->group_read(source, group, start + 4 * PERIOD, count);
	is_near(half[0].raw, WRITE_RATE * 3 * PERIOD / 2, WRITE_RATE * INTERVAL * 0.6, "a square wave over 2.5 periods has its bytes");
	is_near(count[0].raw, WRITE_RATE * 4 * PERIOD / 2, WRITE_RATE * INTERVAL * 0.6, "a square wave over 4 periods has its bytes");
	is_near(count[1].raw, 75.0 * 2 * PERIOD, 75.0 * INTERVAL * 0.6, "a mean over 4 periods has its integral");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

static void test_suffixes(void)
{
	static const char *const names[] = {
		"dram__bytes_read.sum.per_second", "dram__bytes_read.avg",
		"dram__bytes_read.sum.pct_of_peak_sustained_elapsed",
		"LTS.TriageCompute.lts__average_t_sector_hit.pct",
		"LTS.TriageCompute.lts__average_t_sector_hit.ratio",
		"dram__throughput.avg.pct_of_peak_sustained_elapsed", NULL,
	};
	static const double want[] = { 2.4e12, 2.4e9 / 80, 50, 62.5, 0.625, 62.5 };
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count counts[6] = { 0 };
	uint64_t start;

	group = open_group(source, 0, names);
	prepare(source);
	start = enable(source);
	sleep_until(start + 30 * MS);
	plugin->group_read(source, group, start + 30 * MS, counts);
	for (int i = 0; i < 6; i++) {
		const struct gpmu_source_event_info *info = plugin->event_find(source, 0, names[i]);
		double scale = info->scale ? info->scale : 1;

		is_near(counts[i].raw * scale / counts[i].running, want[i], want[i] * 1e-5, names[i]);
	}
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

static void *read_in_thread(void *argument)
{
	void **arguments = argument;
	struct gpmu_source_count *count = arguments[2];

	plugin->enable(arguments[0], now());
	sleep_until(now() + 10 * MS);
	plugin->group_read(arguments[0], arguments[1], now(), count);
	return NULL;
}

static void test_threads(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count count = { 0 }, later = { 0 };
	pthread_t thread;

	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	pthread_create(&thread, NULL, read_in_thread, (void *[]){ source, group, &count });
	pthread_join(thread, NULL);
	plugin->group_read(source, group, now(), &later);
	ok(count.running && later.running > count.running, "one thread enables and reads, another reads a higher count");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* The last step of a run before it is closed */
enum state { OPENED, GROUPED, PREPARED, ENABLED, READ_ONCE, STATES };

static void run_until(enum state state)
{
	struct gpmu_source_count counts[2];
	struct gpmu_error error = { .size = sizeof(error) };
	void *source, *group = NULL;

	if (plugin->open(&source, OPTIONS, &error))
		return;
	if (state >= GROUPED)
		try_group(source, 0, NAMES(READ, ACTIVE), &group, &error);
	if (state >= PREPARED)
		plugin->prepare(source, &error);
	if (state >= ENABLED)
		plugin->enable(source, now());
	if (state >= READ_ONCE)
		plugin->group_read(source, group, now(), counts);
	if (state >= ENABLED)
		plugin->disable(source, now());
	if (group)
		plugin->group_close(source, group);
	plugin->close(source);
}

static void test_close(void)
{
	size_t files, tasks;

	run_until(READ_ONCE);	/* The libraries open files and start threads that they keep. */
	files = fds();
	tasks = threads();
	for (enum state state = OPENED; state < STATES; state++)
		run_until(state);
	for (int i = 0; i < 10; i++)
		run_until(READ_ONCE);
	is_u64(fds(), files, "close() closes all files of the source");
	is_u64(threads(), tasks, "close() ends all threads of the source");
	if (fake_get) {
		is_u64(fake_get("sampling"), 0, "close() releases all GPUs");
		is_u64(fake_get("host"), 0, "close() frees all objects of the Host API");
	}
}

static void test_second(void)
{
	void *source = open_source(OPTIONS), *group, *other = NULL;
	struct gpmu_source_count first = { 0 }, later = { 0 };
	struct gpmu_error error = { .size = sizeof(error) };

	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	enable(source);
	plugin->group_read(source, group, now(), &first);
	if (!plugin->open(&other, OPTIONS, &error)) {
		is_u64(pmus(other), pmus(source) - 1, "a second source lacks the GPU of the first");
		ok(messages(other, plugin->pmu(source, 0)->gpu->uuid) ||
		   messages(other, "nvidia_gpu_0"), "a message of the second source names the GPU");
		plugin->close(other);
	} else {
		ok(is_line(error.text), "a second source is refused with one line: %s", error.text);
	}
	sleep_until(now() + 5 * MS);
	plugin->group_read(source, group, now(), &later);
	ok(later.raw >= first.raw && later.running > first.running, "the first source goes on counting");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

int main(void)
{
	run_case("counts and times", NULL, test_times);
	run_case("repeated reads", NULL, test_additive);
	run_case("a pause", NULL, test_pause);
	run_case("groups opened and closed between two periods", NULL, test_more);
	run_case("a square wave", "machine=h200", test_square);
	run_case("suffixes", "machine=h200", test_suffixes);
	run_case("several threads", NULL, test_threads);
	run_case("close() in each state", NULL, test_close);
	run_case("a second source", NULL, test_second);
	return done_testing();
}
