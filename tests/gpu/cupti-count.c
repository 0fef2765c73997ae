// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of gpmu-cupti.so: counts at times. What they are on the fake is worked out by
 * hand from tests/data/gpu/metrics.tsv.
 */
#include "contract.h"

#define READ_RATE	2400.0	/* of the fake, in a ns */
#define WRITE_RATE	1200.0	/* in the first half of each period, none in the second */
#define PERIOD		(20 * MS)

/* Real GPUs' samples miss some ns at their edges. */
static double slack(void)
{
	return is_real() ? 0.01 : 0;
}

static void test_times(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count counts[3] = { 0 }, before[3] = { 0 };
	uint64_t start, at, last = 0;
	bool rises = true;

	group = open_group(source, 0, NAMES(READ, TIME, ACTIVE));
	prepare(source);
	start = enable(source);
	for (int i = 0; i < 5; i++) {
		at = sleep_until(start + (i + 1) * 10 * MS);
		if (plugin->group_read(source, group, at, counts))
			rises = ok(false, "group_read()");
		for (int j = 0; j < 3; j++)
			rises = rises && counts[j].raw >= before[j].raw &&
				counts[j].enabled == at - start && counts[j].running >= last &&
				counts[j].running <= counts[j].enabled;
		memcpy(before, counts, sizeof(before));
		last = counts[0].running;
	}
	ok(rises, "counts rise, enabled is the time, running at most that");
	is_near(counts[0].running, counts[0].enabled, 2 * INTERVAL, "all of it was sampled");
	is_near(counts[1].raw, counts[1].running, slack() * counts[1].running + 2,
		"the GPU's time is ours");
	if (fake_get) {
		is_near(counts[0].raw, READ_RATE * counts[0].running, 20, "bytes are those of this time");
		is_near(counts[2].raw, 50.0 * counts[2].running, counts[2].running / 1e6 + 3,
			"a mean is the integral over ns");
	}
	at = disable(source);
	ok(!plugin->group_read(source, group, at, counts), "group_read() after disable()");
	is_u64(counts[0].enabled, at - start, "... at the time of disable()");
	memcpy(before, counts, sizeof(before));
	sleep_until(at + 5 * MS);
	plugin->group_read(source, group, now(), counts);
	ok(!memcmp(before, counts, sizeof(before)), "... and nothing is added later");
	messages(source, NULL);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Two groups of the same events, one of them read between: their last counts are the same. */
static void test_additive(void)
{
	void *source = open_source(OPTIONS), *often, *once;
	struct gpmu_source_count a[2] = { 0 }, b[2] = { 0 };
	uint64_t start, at = 0;

	often = open_group(source, 0, NAMES(READ, ACTIVE));
	once = open_group(source, 0, NAMES(READ, ACTIVE));
	prepare(source);
	start = enable(source);
	for (int i = 1; i <= 9; i++) {
		at = sleep_until(start + i * 3700000);
		plugin->group_read(source, often, at, a);
	}
	plugin->group_read(source, once, at, b);
	is_u64(a[0].raw, b[0].raw, "a count does not depend on what was read before");
	is_near(a[1].raw, b[1].raw, 10, "nor does a mean");
	is_u64(a[0].running, b[0].running, "nor the time");
	disable(source);
	plugin->group_close(source, often);
	plugin->group_close(source, once);
	plugin->close(source);
}

/* The pause is in none of the numbers. */
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
	is_u64(first.enabled, end[0] - start[0], "the first time");
	is_u64(second.enabled, end[0] - start[0] + end[1] - start[1], "the second is added");
	ok(second.running > first.running, "... also to what was sampled");
	is_near(second.running, second.enabled, 4 * INTERVAL, "... which is nearly all");
	if (fake_get)
		is_near(second.raw, READ_RATE * second.running, 20, "bytes of these times alone");
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Enabled for a while; for how long */
static uint64_t count_for(void *source, uint64_t length)
{
	uint64_t start = enable(source);

	sleep_until(start + length);
	return disable(source) - start;
}

/* Groups come and go between two times of counting: each has its own times. */
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
	is_u64(first.enabled, length[0], "the first time");
	is_u64(both.enabled, length[0] + length[1], "a group that stays has both");
	is_near(both.running, both.enabled, 4 * INTERVAL, "... sampled");
	ok(both.raw >= first.raw, "... and counted");
	if (fake_get)
		is_near(both.raw, READ_RATE * both.running, 20, "... with bytes of both");
	is_u64(own[1].enabled, length[1], "one that is opened later has its own");
	is_near(own[1].running, own[1].enabled, 2 * INTERVAL, "... sampled");
	plugin->group_close(source, stays);
	plugin->group_close(source, later);
	plugin->close(source);
}

/* Enabled from the edge of a period: what changes within a sample is at most half a sample off. */
static void test_square(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count count[2] = { 0 }, half[2] = { 0 };
	uint64_t start;

	group = open_group(source, 0, NAMES(WRITE, "sm__cycles_active.avg.pct_of_peak_sustained_elapsed"));
	prepare(source);
	start = (now() / PERIOD + 1) * PERIOD;
	sleep_until(start);
	ok(!plugin->enable(source, start), "enable() at the edge of a period");
	sleep_until(start + 2 * PERIOD + PERIOD / 2);
	plugin->group_read(source, group, start + 2 * PERIOD + PERIOD / 2, half);
	sleep_until(start + 4 * PERIOD);
	plugin->group_read(source, group, start + 4 * PERIOD, count);
	is_near(half[0].raw, WRITE_RATE * 3 * PERIOD / 2, WRITE_RATE * INTERVAL * 0.6, "two and a half periods");
	is_near(count[0].raw, WRITE_RATE * 4 * PERIOD / 2, WRITE_RATE * INTERVAL * 0.6, "four periods");
	is_near(count[1].raw, 75.0 * 2 * PERIOD, 75.0 * INTERVAL * 0.6, "a mean's integral");
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

/* What a group's events are does not change those of others. */
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
	ok(count.running && later.running > count.running, "a thread enables and reads, another reads");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* How far a run goes before it is ended */
enum state { OPENED, GROUPED, PREPARED, ENABLED, READ_ONCE, STATES };

static void run_until(enum state state)
{
	struct gpmu_source_count counts[2];
	struct gpmu_error error = { 0 };
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

	run_until(READ_ONCE);	/* what libraries keep is there after the first time */
	files = fds();
	tasks = threads();
	for (enum state state = OPENED; state < STATES; state++)
		run_until(state);
	for (int i = 0; i < 10; i++)
		run_until(READ_ONCE);
	is_u64(fds(), files, "as many files are open after close()");
	is_u64(threads(), tasks, "... and as many threads run");
	if (fake_get) {
		is_u64(fake_get("sampling"), 0, "no GPU is taken any more");
		is_u64(fake_get("host"), 0, "no object of the Host API is left");
	}
}

static void test_second(void)
{
	void *source = open_source(OPTIONS), *group, *other = NULL;
	struct gpmu_source_count first = { 0 }, later = { 0 };
	struct gpmu_error error = { 0 };

	group = open_group(source, 0, NAMES(READ));
	prepare(source);
	enable(source);
	plugin->group_read(source, group, now(), &first);
	if (!plugin->open(&other, OPTIONS, &error)) {
		is_u64(pmus(other), pmus(source) - 1, "a second source has not the GPU that is taken");
		ok(messages(other, plugin->pmu(source, 0)->gpu->uuid) ||
		   messages(other, "nvidia_gpu_0"), "... and says so");
		plugin->close(other);
	} else {
		ok(is_line(error.text), "a second source is refused: %s", error.text);
	}
	sleep_until(now() + 5 * MS);
	plugin->group_read(source, group, now(), &later);
	ok(later.raw >= first.raw && later.running > first.running, "the first goes on");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

int main(void)
{
	run_case("counts at times", NULL, test_times);
	run_case("sums", NULL, test_additive);
	run_case("a pause", NULL, test_pause);
	run_case("groups come and go", NULL, test_more);
	run_case("what changes", "machine=h200", test_square);
	run_case("suffixes", "machine=h200", test_suffixes);
	run_case("several threads", NULL, test_threads);
	run_case("the end in each state", NULL, test_close);
	run_case("a second source", NULL, test_second);
	return done_testing();
}
