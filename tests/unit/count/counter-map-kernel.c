// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * counter-map-kernel [off]: compares reads in user space with read(2) of the same events, on this
 * machine's kernel. With "off" the kernel is expected to forbid them. tests/vm/t/user-reads.t runs
 * this on a modelled machine.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/ioctl.h>

#include "count/counter/counter.h"
#include "count/counter/counter_map.h"
#include "machine/pmu.h"
#include "counter-test.h"

#define EVENTS		4
#define OTHERS		6		/* groups that compete for counters */
#define READS		1000
#define SLACK		1		/* ns by which the kernel's clock rounds differently */
#define OVERFLOWS	2300000000	/* cycles; the kernel starts a counter at half its range */

#define HARDWARE(event, config_)							\
	{										\
		.name = (event),							\
		.attr = { .type = PERF_TYPE_HARDWARE, .config = (config_), .exclude_kernel = 1 },	\
	}
#define CYCLES		HARDWARE("cycles", PERF_COUNT_HW_CPU_CYCLES)
#define INSTRUCTIONS	HARDWARE("instructions", PERF_COUNT_HW_INSTRUCTIONS)

/* Layout of read(2) */
struct reading {
	uint64_t length, enabled, running, counts[EVENTS];
};

static const struct event_instance events[EVENTS] = {
	CYCLES, INSTRUCTIONS, INSTRUCTIONS, CYCLES,
};
static const struct gpmu_machine *machine;
static const struct gpmu_pmu *core;
static int own;
static unsigned int reads;	/* system calls by which libgpmu read events */

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	reads++;
	return __real_read(fd, buffer, size);
}

static const struct gpmu_pmu *find_core(void)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			return pmu;
	return NULL;
}

/* Opens the events of the calling thread in one group, not enabled. */
static bool start(struct counter_test *test)
{
	test_init(test, machine, core, events, EVENTS);
	own = gettid();
	test->selection = (struct source_selection){ .tids = &own, .tid_count = 1 };
	return !test_open(test) && test->counts->slots[EVENTS - 1].length;
}

static struct counter_target *target_of(const struct counter_test *test)
{
	return &counter_group_of(test->open)->sets[0].targets[0];
}

static bool is_mapped(const struct counter_test *test)
{
	return target_of(test)->map;
}

static struct reading read_file(const struct counter_test *test)
{
	struct reading reading = { 0 };

	if (__real_read(target_of(test)->fd, &reading, sizeof(reading)) != sizeof(reading))
		exit(2);
	return reading;
}

static bool is_between(uint64_t number, uint64_t before, uint64_t after, uint64_t slack)
{
	return number + slack >= before && number <= after + slack;
}

/* How libgpmu's readings compare with a read(2) before and one after each */
struct comparison {
	unsigned int pages, files, wrong;
};

static void compare(struct counter_test *test, struct comparison *result)
{
	struct reading before = read_file(test), after;
	struct count last = { 0 };
	bool is_right = true;

	reads = 0;
	test_read(test);
	result->pages += !reads;
	result->files += reads;
	after = read_file(test);
	for (size_t i = 0; i < EVENTS; i++) {
		last = test_count(test, i, 0);
		is_right = is_right && is_between(last.raw, before.counts[i], after.counts[i], 0) &&
			   is_between(last.enabled, before.enabled, after.enabled, SLACK) &&
			   is_between(last.running, before.running, after.running, SLACK);
		if (!is_right && !result->wrong)
			diag("event %zu: %llu (%llu, %llu): read(2) before %llu (%llu, %llu), after %llu (%llu, %llu)",
			     i, (unsigned long long)last.raw, (unsigned long long)last.enabled,
			     (unsigned long long)last.running, (unsigned long long)before.counts[i],
			     (unsigned long long)before.enabled, (unsigned long long)before.running,
			     (unsigned long long)after.counts[i], (unsigned long long)after.enabled,
			     (unsigned long long)after.running);
	}
	result->wrong += !is_right;
}

static void show(const struct comparison *result)
{
	diag("%u reads in user space, %u by read(2), %u wrong", result->pages, result->files,
	     result->wrong);
}

static void spin(unsigned int times)
{
	for (volatile unsigned int i = 0; i < times; i++)
		;
}

static void steady(struct counter_test *test)
{
	struct comparison result = { 0 };

	for (int i = 0; i < READS; i++)
		compare(test, &result);
	ok(result.pages == READS && !result.wrong,
	   "user reads: counts and times lie between those of read(2) before and after");
	show(&result);
	ok(test_count(test, 0, 0).raw > READS, "user reads: cycles increase");
}

static void migrated(struct counter_test *test)
{
	struct comparison result = { 0 };
	cpu_set_t all, single;
	int cpus = 0;

	if (sched_getaffinity(0, sizeof(all), &all))
		return;
	for (int cpu = 0; cpu < CPU_SETSIZE && cpus < 16; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&single);
		CPU_SET(cpu, &single);
		cpus += !sched_setaffinity(0, sizeof(single), &single);
		for (int i = 0; i < READS / 100; i++)
			compare(test, &result);
	}
	sched_setaffinity(0, sizeof(all), &all);
	ok(cpus && result.pages && !result.files && !result.wrong,
	   "user reads: counts are those of read(2) on each CPU to which the thread migrates");
	show(&result);
}

static void multiplexed(struct counter_test *test)
{
	struct comparison result = { 0 };
	struct counter_test others[OTHERS];
	struct count first = test_count(test, 0, 0), last;

	for (int i = 0; i < OTHERS; i++)
		if (!start(&others[i]) || test_enable(&others[i]))
			exit(2);
	for (int i = 0; i < 100 * READS && (!result.pages || result.files < READS); i++) {
		compare(test, &result);
		spin(1000);
	}
	last = test_count(test, 0, 0);
	ok(result.pages && result.files && !result.wrong,
	   "user reads: a multiplexed group is read in user space while it has its counters, else by read(2)");
	show(&result);
	ok(last.running - first.running < last.enabled - first.enabled,
	   "user reads: a multiplexed group ran for a part of the time");
	for (int i = 0; i < OTHERS; i++)
		test_release(&others[i]);
}

static void switched_off(struct counter_test *test)
{
	struct comparison result = { 0 };
	struct count before, after;
	int fd = target_of(test)->fd;

	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	compare(test, &result);
	before = test_count(test, 0, 0);
	for (int i = 0; i < READS / 100; i++)
		compare(test, &result);
	after = test_count(test, 0, 0);
	ok(!result.pages && !result.wrong && before.raw == after.raw && before.enabled == after.enabled,
	   "user reads: a group that is disabled is read by read(2) and does not change");
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	result = (struct comparison){ 0 };
	compare(test, &result);
	ok(result.pages && !result.wrong && test_count(test, 0, 0).raw > after.raw,
	   "user reads: a group that is enabled again is read in user space");
}

/* Another thread disables and enables the group. */
struct switcher {
	const struct counter_test *test;
	bool wants_stop;
};

static void *switch_group(void *data)
{
	struct switcher *switcher = data;
	int fd = target_of(switcher->test)->fd;

	while (!__atomic_load_n(&switcher->wants_stop, __ATOMIC_RELAXED)) {
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		sched_yield();
	}
	return NULL;
}

static void switched_amidst(struct counter_test *test)
{
	struct switcher switcher = { test, false };
	struct comparison result = { 0 };
	pthread_t thread;

	if (pthread_create(&thread, NULL, switch_group, &switcher))
		exit(2);
	for (int i = 0; i < READS; i++)
		compare(test, &result);
	__atomic_store_n(&switcher.wants_stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ok(result.pages && !result.wrong,
	   "user reads: counts are those of read(2) while another thread disables and enables the group");
	show(&result);
}

static void *compare_apart(void *data)
{
	struct comparison *result = calloc(1, sizeof(*result));

	if (!result)
		exit(2);
	for (int i = 0; i < READS / 100; i++)
		compare(data, result);
	return result;
}

static void elsewhere(struct counter_test *test)
{
	struct comparison *result = NULL;
	pthread_t thread;
	int status = -1;
	pid_t pid;

	if (pthread_create(&thread, NULL, compare_apart, test) ||
	    pthread_join(thread, (void **)&result))
		exit(2);
	ok(!result->pages && !result->wrong, "user reads: another thread reads by read(2)");
	free(result);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		result = compare_apart(test);
		test_release(test);
		_exit(result->pages || result->wrong);
	}
	waitpid(pid, &status, 0);
	is_u64((uint64_t)status, 0,
	       "user reads: a child of fork() reads by read(2) and frees the events");
}

static void overflow(struct counter_test *test)
{
	struct comparison result = { 0 };

	while (test_count(test, 0, 0).raw < OVERFLOWS && test_count(test, 3, 0).raw < OVERFLOWS) {
		spin(10000000);
		compare(test, &result);
	}
	ok(result.pages && !result.files && !result.wrong,
	   "user reads: counts are those of read(2) after counters of 32 bits overflowed");
	show(&result);
}

static void forbidden(struct counter_test *test)
{
	struct comparison result = { 0 };

	for (int i = 0; i < READS / 100; i++)
		compare(test, &result);
	ok(!is_mapped(test) && !result.pages && !result.wrong && test_count(test, 0, 0).raw,
	   "user reads: where the kernel forbids them events are counted by read(2)");
}

int main(int argc, char **argv)
{
	bool is_off = argc > 1 && !strcmp(argv[1], "off");
	struct counter_test test;

	machine = gpmu_machine_new(NULL, NULL);
	core = machine ? find_core() : NULL;
	if (!core || !start(&test)) {
		printf("1..0 # SKIP this machine does not count cycles and instructions\n");
		return 0;
	}
	if (!is_mapped(&test) && !is_off) {
		printf("1..0 # SKIP the kernel forbids user space to read counters\n");
		return 0;
	}
	test_enable(&test);
	if (is_off) {
		forbidden(&test);
	} else {
		steady(&test);
		migrated(&test);
		multiplexed(&test);
		switched_off(&test);
		switched_amidst(&test);
		elsewhere(&test);
		overflow(&test);
	}
	test_release(&test);
	return done_testing();
}
