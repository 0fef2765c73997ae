// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads in user space, on a simulated kernel with simulated counters */
#include <pthread.h>
#include <sys/wait.h>

#include "count/counter/counter_raw.h"
#include "counter-fake.h"

#define FORMAT		"sys/bus/event_source/devices/armv8_pmuv3_0/format/rdpmc"
#define USER_ACCESS	"proc/sys/kernel/perf_user_access"
#define UNKNOWN		40	/* the number of a counter that cannot be read */
#define EVENTS		2
#define READS		20000

static uint64_t counters[UNKNOWN], raw_clock;
static int raw_reads;		/* of counters */
static int first_switch = -1, switches;	/* that read, and those after it, are interrupted first */
static void switch_to(uint64_t n);
static void (*interrupt)(uint64_t n) = switch_to;
static int own;
static char logged[256];

/*
 * Changes the pages as a context switch does: the events exchange their counters. In state n the
 * counts are 100 + n and 200 + n, and the times 5000 + n and 4000 + n.
 */
static void switch_to(uint64_t n)
{
	for (uint32_t i = 0; i < EVENTS; i++)
		__atomic_add_fetch(&events[i].page->lock, 1, __ATOMIC_SEQ_CST);
	for (uint32_t i = 0; i < EVENTS; i++) {
		volatile struct perf_event_mmap_page *page = events[i].page;
		uint32_t number = n % 2 ? 1 - i : i;

		page->index = number + 1;
		__atomic_store_n(&counters[number], n * 1000 + i, __ATOMIC_SEQ_CST);
		page->offset = (int64_t)(100 * (i + 1) + n - (n * 1000 + i));
		page->time_enabled = 5000 + n;
		page->time_running = 4000 + n;
	}
	for (uint32_t i = 0; i < EVENTS; i++)
		__atomic_add_fetch(&events[i].page->lock, 1, __ATOMIC_SEQ_CST);
}

/*
 * Changes the page of the second event as the overflow interrupt of its counter does. The count
 * stays the same.
 */
static void overflow(uint64_t unused)
{
	volatile struct perf_event_mmap_page *page = events[1].page;

	(void)unused;
	page->lock++;
	page->offset += (int64_t)counters[page->index - 1];
	counters[page->index - 1] = 0;
	page->lock++;
}

/* The counters run on to a later state, and the interrupt of the leader's counter changes its page. */
static void run_on(uint64_t n)
{
	volatile struct perf_event_mmap_page *leader = events[0].page;

	for (uint32_t i = 0; i < EVENTS; i++)
		counters[events[i].page->index - 1] += n;
	leader->lock++;
	leader->time_enabled += n;
	leader->time_running += n;
	leader->lock++;
}

/* Returns whether the counts and times are those of one state. */
static bool is_one_state(const struct counter_test *test)
{
	struct count a = test_count(test, 0, 0), b = test_count(test, 1, 0);
	uint64_t n = a.raw - 100;

	return b.raw == 200 + n && a.enabled == 5000 + n && a.running == 4000 + n;
}

static bool fake_raw_read(uint32_t number, uint64_t *value)
{
	if (first_switch >= 0 && raw_reads++ >= first_switch && switches > 0) {
		switches--;
		interrupt((uint64_t)raw_reads);
	}
	if (number >= UNKNOWN)
		return false;
	*value = __atomic_load_n(&counters[number], __ATOMIC_RELAXED);
	return true;
}

static uint64_t fake_raw_clock(void)
{
	return raw_clock;
}

/* These functions replace the processor's instructions. */
#define counter_raw_read	fake_raw_read
#define counter_raw_clock	fake_raw_clock
#include "count/counter/counter_map.c"	/* NOLINT(bugprone-suspicious-include) */

/* Two events of the calling thread, on a kernel that allows reads in user space, not yet open */
static void start(struct counter_test *test)
{
	const struct event_instance list[EVENTS] = { core[0], core[2] };

	init(test, "armv8_pmuv3_0", list, EVENTS);
	own = gettid();
	test->selection = (struct source_selection){ .tids = &own, .tid_count = 1 };
	kernel.page.cap_user_rdpmc = kernel.page.cap_user_time = 1;
	kernel.page.pmc_width = 64;
}

static bool is_mapped(void)
{
	return events[0].page && events[1].page;
}

static bool is_unmapped(void *page)
{
	return msync(page, 1, MS_ASYNC) && errno == ENOMEM;
}

/* Opens the events. With the offsets in their pages the counts are 100 and 200. */
static void begin(struct counter_test *test)
{
	test_open(test);
	raw_clock = 0;
	for (uint32_t i = 0; i < EVENTS && is_mapped(); i++) {
		events[i].page->index = i + 1;
		events[i].page->offset = 90 * (i + 1);
		events[i].page->time_enabled = 5000;
		events[i].page->time_running = 4000;
		counters[i] = 10 * (i + 1);
	}
	test_enable(test);
}

static bool reads_pages(struct counter_test *test)
{
	kernel.reads = 0;
	return !test_read(test) && !kernel.reads && test_count(test, 0, 0).raw == 100 &&
	       test_count(test, 1, 0).raw == 200;
}

/* read(2) of the simulated kernel returns 0 for an event on no certain CPU. */
static bool reads_file(struct counter_test *test)
{
	kernel.reads = 0;
	return !test_read(test) && kernel.reads == 1 &&
	       test_count(test, 0, 0).state == COUNT_OK && !test_count(test, 0, 0).raw &&
	       !test_count(test, 1, 0).raw;
}

static void counts(void)
{
	struct counter_test test;

	start(&test);
	begin(&test);
	ok(event_count == EVENTS && events[0].attr.config1 == 2 && events[1].attr.config1 == 2,
	   "map: events of the calling thread are opened with their PMU's term rdpmc");
	ok(is_mapped() && reads_pages(&test),
	   "map: counts are read from the counters and the pages, without a system call");
	events[1].page->pmc_width = 48;
	events[1].page->offset = 380;
	counters[1] = (0xabcdull << 48) | ((uint64_t)-180 & 0xffffffffffff);
	ok(reads_pages(&test), "map: a counter of 48 bits is extended by its sign");
	events[1].page->pmc_width = 32;
	counters[1] = 0x1234567800000014;
	events[1].page->offset = 180;
	ok(reads_pages(&test), "map: bits of a counter beyond its width are ignored");
	events[1].page->index = UNKNOWN + 1;
	ok(reads_file(&test), "map: a group with a counter that has no instruction is read by read(2)");
	events[1].page->index = 0;
	ok(reads_file(&test), "map: a group with an event that has no counter is read by read(2)");
	events[1].page->index = 2;
	ok(reads_pages(&test), "map: a group whose event got a counter again is read in user space");
	events[0].page->cap_user_rdpmc = 0;
	ok(reads_file(&test), "map: a group that the kernel withdraws from user space is read by read(2)");
	events[0].page->cap_user_rdpmc = 1;
	events[0].page->cap_user_time = 0;
	ok(reads_file(&test), "map: a group that lost the clock of its times is read by read(2)");
	test_release(&test);
	ok(is_unmapped(events[0].page) && is_unmapped(events[1].page),
	   "map: closed events are unmapped");
}

static void times(void)
{
	struct perf_event_mmap_page *page;
	struct counter_test test;
	struct count count;

	start(&test);
	begin(&test);
	page = events[0].page;
	test_read(&test);
	count = test_count(&test, 1, 0);
	ok(count.enabled == 5000 && count.running == 4000,
	   "map: each event has the times of its group's leader");
	page->time_mult = 3 << 9;
	page->time_shift = 10;
	page->time_offset = (uint64_t)-1500;
	raw_clock = 2000;
	test_read(&test);
	count = test_count(&test, 0, 0);
	ok(count.enabled == 6500 && count.running == 5500,
	   "map: the times include the time since the kernel wrote the page");
	page->cap_user_time_short = 1;
	page->time_mask = 0xfff;
	page->time_cycles = 0x3000;
	page->time_offset = 2000 - (0x3fff * 3 / 2);
	raw_clock = 0xfff;
	test_read(&test);
	is_u64(test_count(&test, 0, 0).enabled, 7000,
	       "map: a clock of 12 bits is extended by the page's time_cycles");
	test_release(&test);
}

static void later(void)
{
	struct counter_test test;
	struct count first, second, part;

	start(&test);
	begin(&test);
	events[0].page->time_mult = events[0].page->time_shift = 1;
	raw_clock = 20;
	test_read(&test);
	first = test_count(&test, 0, 0);
	events[0].page->time_enabled += 9;
	events[0].page->time_running += 9;
	events[0].page->time_offset = (uint64_t)-10;
	test_read(&test);
	second = test_count(&test, 0, 0);
	part = count_difference(&second, &first);
	ok(first.running == 4010 && part.state == COUNT_OK && !part.enabled && !part.running,
	   "map: times that rounding decreased are those of the reading before");
	events[0].page->index = 0;
	kernel.enabled = 5500;
	kernel.running = 4009;
	test_read(&test);
	second = test_count(&test, 0, 0);
	ok(second.running == 4010 && second.enabled == 5501,
	   "map: times of read(2) do not decrease after a read in user space");
	test_release(&test);
}

static void *read_apart(void *data)
{
	return reads_file(data) ? data : NULL;
}

static int in_child(struct counter_test *test)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		bool is_good = reads_file(test);

		test_release(test);
		_exit(is_good ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void others(void)
{
	struct counter_test test;
	void *result = NULL;
	pthread_t thread;

	start(&test);
	begin(&test);
	if (!pthread_create(&thread, NULL, read_apart, &test))
		pthread_join(thread, &result);
	ok(result == &test, "map: another thread reads by read(2)");
	ok(in_child(&test) == 0, "map: a child of fork() reads by read(2) and frees the events");
	ok(reads_pages(&test), "map: the counted thread reads in user space after its child ended");
	test_release(&test);
}

/* Sets that cannot be mapped, and the reasons */
static void unmapped(void)
{
	struct counter_test test;
	int before = open_files(), cpu = 0, tid = 7;

	start(&test);
	test.selection.wants_inherit = true;
	begin(&test);
	ok(!events[0].page && !events[0].attr.config1 && reads_file(&test),
	   "map: events that child tasks inherit are not mapped");
	test_release(&test);
	start(&test);
	test.selection.tids = &tid;
	begin(&test);
	ok(!events[0].page && !events[0].attr.config1 && reads_file(&test),
	   "map: events of another task are not mapped");
	test_release(&test);
	start(&test);
	test.selection = (struct source_selection){ .is_system_wide = true, .cpus = &cpu, .cpu_count = 1 };
	begin(&test);
	ok(event_count && !events[0].page && !events[0].attr.config1,
	   "map: events of a CPU are not mapped");
	test_release(&test);
	start(&test);
	test.instances[1].pmu = gpmu_machine_find_pmu(machine, "software");
	begin(&test);
	ok(!events[0].page && !events[0].attr.config1 && reads_file(&test),
	   "map: a group with an event of another PMU is not mapped");
	test_release(&test);
	sysroot_put(&fake_root, USER_ACCESS, "0\n");
	start(&test);
	begin(&test);
	ok(!events[0].page && !events[0].attr.config1 && reads_file(&test),
	   "map: while kernel.perf_user_access is 0 events are not mapped");
	test_release(&test);
	sysroot_put(&fake_root, USER_ACCESS, "1\n");
	is_u64((uint64_t)open_files(), (uint64_t)before, "map: closed groups leave no descriptor open");
}

static void keep(int level, const char *line, void *user)
{
	(void)user;
	if (level == GPMU_LOG_INFO)
		snprintf(logged, sizeof(logged), "%s", line);
}

static void refused(void)
{
	static const int errors[] = { EINVAL, EOPNOTSUPP };
	struct counter_test test;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		start(&test);
		kernel.term_error = errors[i];
		begin(&test);
		ok(event_count == EVENTS && !events[0].page && !events[0].attr.config1 &&
		   reads_file(&test),
		   "map: events whose term rdpmc the kernel refuses by %s are opened without it",
		   strerror(errors[i]));
		test_release(&test);
	}
	gpmu_log_set(keep, NULL);
	start(&test);
	kernel.mmap_error = EPERM;
	begin(&test);
	ok(!events[0].page && reads_file(&test),
	   "map: events that the kernel does not map are read by read(2)");
	is_str(logged, "counters are not read in user space: Operation not permitted: more than "
		     "kernel.perf_event_mlock_kb",
	       "map: the reason why events are not mapped is logged");
	test_release(&test);
	gpmu_log_set(NULL, NULL);
	start(&test);
	kernel.page.cap_user_rdpmc = 0;
	begin(&test);
	ok(events[0].page && is_unmapped(events[0].page) && !events[1].page && reads_file(&test),
	   "map: a group that user space cannot read is unmapped when it is opened");
	test_release(&test);
	start(&test);
	kernel.page.cap_user_time = 0;
	begin(&test);
	ok(events[0].page && is_unmapped(events[0].page) && !events[1].page && reads_file(&test),
	   "map: a group without a clock for its times is unmapped when it is opened");
	test_release(&test);
}

/* x86: no term, and a file of the PMU instead of the sysctl */
static void of_laptop(const char *allowed, bool is_mapped, const char *what)
{
	struct gpmu_machine *laptop, *grace = machine;
	struct sysroot root;
	struct counter_test test;

	sysroot_make(&root, "laptop");
	sysroot_put(&root, "sys/bus/event_source/devices/cpu/rdpmc", allowed);
	laptop = machine = gpmu_machine_new(root.path, NULL);
	start(&test);
	for (int i = 0; i < EVENTS; i++)
		test.instances[i].pmu = test.group.pmu = gpmu_machine_find_pmu(laptop, "cpu");
	begin(&test);
	ok(event_count == EVENTS && !events[0].attr.config1 &&
	   (is_mapped ? reads_pages(&test) : !events[0].page && reads_file(&test)), "%s", what);
	test_release(&test);
	gpmu_machine_free(laptop);
	sysroot_release(&root);
	machine = grace;
}

/* The bit of the term is that of the PMU's format. */
static void formats(void)
{
	struct gpmu_machine *grace = machine;
	struct counter_test test;

	sysroot_put(&fake_root, FORMAT, "config2:5\n");
	machine = gpmu_machine_new(fake_root.path, NULL);
	start(&test);
	begin(&test);
	ok(!events[0].attr.config1 && events[0].attr.config2 == 1 << 5 && reads_pages(&test),
	   "map: the bit that asks for access from user space is that of sysfs");
	test_release(&test);
	gpmu_machine_free(machine);
	machine = grace;
	of_laptop("1\n", true, "map: x86's events are mapped if their PMU's file rdpmc is 1");
	of_laptop("0\n", false, "map: x86's events are not mapped if their PMU's file rdpmc is 0");
}

/* A context switch during a read, at each point where one can occur */
static void switched(void)
{
	struct counter_test test;
	bool is_alike = true;

	start(&test);
	begin(&test);
	for (first_switch = 0; first_switch < EVENTS; first_switch++) {
		raw_reads = kernel.reads = 0;
		switches = 1;
		test_read(&test);
		is_alike = is_alike && !switches && !kernel.reads && is_one_state(&test);
	}
	ok(is_alike, "map: a read that a context switch interrupts is repeated");
	first_switch = 0;
	switches = 1000;
	ok(reads_file(&test), "map: a read that too many context switches interrupt is done by read(2)");
	first_switch = -1;
	events[1].page->lock |= 1;
	ok(reads_file(&test), "map: while the kernel changes a page the group is read by read(2)");
	events[1].page->lock++;
	events[0].page->lock |= 1;
	ok(reads_file(&test),
	   "map: while the kernel changes the leader's page the group is read by read(2)");
	test_release(&test);
}

/* Interrupts that change one page, while the second event is read */
static void overflown(void)
{
	struct counter_test test;

	start(&test);
	begin(&test);
	first_switch = 1;
	raw_reads = 0;
	switches = 1;
	interrupt = overflow;
	ok(reads_pages(&test) && !switches,
	   "map: a read of a counter that overflows at this moment is repeated");
	raw_reads = 0;
	switches = 1;
	interrupt = run_on;
	ok(!test_read(&test) && !switches && is_one_state(&test) && test_count(&test, 0, 0).raw > 100,
	   "map: a read of a group whose leader's page changes at this moment is repeated");
	interrupt = switch_to;
	first_switch = -1;
	test_release(&test);
}

static void *switch_on(void *stop)
{
	for (uint64_t n = 1; !__atomic_load_n((bool *)stop, __ATOMIC_RELAXED); n++) {
		switch_to(n);
		for (volatile int i = 0; i < 500; i++)
			;
	}
	return NULL;
}

static void concurrent(void)
{
	int pages = 0, wrong = 0;
	struct counter_test test;
	bool wants_stop = false;
	pthread_t thread;

	start(&test);
	begin(&test);
	if (pthread_create(&thread, NULL, switch_on, &wants_stop))
		exit(1);
	while (!__atomic_load_n(&events[0].page->lock, __ATOMIC_SEQ_CST))
		sched_yield();
	for (int i = 0; i < READS; i++) {
		kernel.reads = 0;
		test_read(&test);
		pages += !kernel.reads;
		wrong += !kernel.reads && !is_one_state(&test);
	}
	__atomic_store_n(&wants_stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	if (!ok(!wrong && pages, "map: reads while another thread changes the pages return one state"))
		diag("%d reads of the pages, %d of them wrong", pages, wrong);
	test_release(&test);
}

int main(void)
{
	if (!fake_begin())
		return done_testing();
	sysroot_put(&fake_root, USER_ACCESS, "1\n");
	counts();
	times();
	later();
	others();
	unmapped();
	refused();
	formats();
	switched();
	overflown();
	concurrent();
	fake_end();
	return done_testing();
}
