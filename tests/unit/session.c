// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sessions of this kernel's software events: whom they count, and when. */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "session-kernel.h"

static void own(void)
{
	struct test test;
	double total = 0, wall;
	uint64_t raw = 0;

	test_plan(&test, NULL, NULL, NULL, FAULTS ",duration_time,user_time,system_time");
	ok(!test_session(&test, NULL), "a session of the calling thread");
	touch_pages(PAGES);
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	ok(!test_interval(&test) && test.n == 4, "a row of each event");
	is_faults(&test, 0, PAGES,
		  "the pages that a loop touches are its page faults, those before are not");
	ok(row(&test, 0)->scope == GPMU_SCOPE_PROCESS && row(&test, 0)->pid == getpid() &&
		   row(&test, 0)->share == 1 && row(&test, 0)->begin == 0 && row(&test, 0)->end > 0,
	   "the row is of this process, from time 0, all the time");
	wall = row(&test, 0)->end;
	ok(close_to(row(&test, 1)->value, wall * 1e9, 1e-6), "duration_time is how long it took");
	for (int i = 0; i < 3; i++) {
		touch_pages(PAGES);
		if (i == 2)
			gpmu_session_disable(test.session);
		touch_pages(PAGES);
		test_interval(&test);
		is_faults(&test, 0, i == 2 ? PAGES : 2 * PAGES,
			  i == 2 ? "the last one has what was before it was disabled, and no more" :
				   "an interval has what it is of alone");
		raw += row(&test, 0)->raw;
		total += row(&test, 0)->end - row(&test, 0)->begin;
	}
	test_total(&test);
	ok(row(&test, 0)->raw >= raw + PAGES && row(&test, 0)->raw < raw + 2 * PAGES &&
		   close_to(total + wall, row(&test, 0)->end, 1e-9),
	   "intervals add up to the total, in counts and in time");
	test_release(&test);
}

static void times(void)
{
	struct timespec before, after;
	struct test test;
	double spent;

	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	test_start(&test, NULL);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &before);
	for (int i = 0; i < 20; i++)
		touch_pages(PAGES);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &after);
	test_total(&test);
	spent = (double)(after.tv_sec - before.tv_sec) * 1e9 +
		(double)(after.tv_nsec - before.tv_nsec);
	/* The kernel divides it into both by clock ticks, of at most 10 ms. */
	ok(fabs((double)(row(&test, 0)->raw + row(&test, 1)->raw) - spent) < 12e6,
	   "a thread's own user_time and system_time are known");
	test_stop(&test);
	test_session(&test, NULL);
	gpmu_session_set_times(test.session, 100 * MS, 7 * MS);
	gpmu_session_enable(test.session);
	gpmu_session_set_times(test.session, 150 * MS, 8 * MS);
	test_interval(&test);
	ok(row(&test, 0)->raw == 50 * MS && row(&test, 1)->raw == 1 * MS,
	   "what the program says of them has precedence, and is of the interval");
	gpmu_session_set_times(test.session, 160 * MS, 10 * MS);
	test_interval(&test);
	ok(row(&test, 0)->raw == 10 * MS && row(&test, 1)->raw == 2 * MS, "also of the next one");
	test_total(&test);
	ok(row(&test, 0)->raw == 60 * MS && row(&test, 1)->raw == 3 * MS, "and of the total");
	test_release(&test);
}

static uint64_t thread_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * SEC + (uint64_t)now.tv_nsec;
}

/* 200 ms of this thread's time; a clock tick is 10 */
static void burn(void)
{
	uint64_t begin = thread_time();

	while (thread_time() - begin < 200 * MS)
		;
}

static void burn_and_wait(void)
{
	burn();
	raise(SIGSTOP);
}

static void *burn_in_thread(void *arg)
{
	pid_t *tid = arg;

	*tid = gettid();
	burn();
	return NULL;
}

/* Both, as the kernel divides a thread's time into them by the ticks that it saw */
static bool are_times(const struct test *test, uint64_t least, const char *what)
{
	uint64_t got = row(test, 0)->raw + row(test, 1)->raw;
	bool pass = ok(row(test, 0)->state == GPMU_OK && row(test, 1)->state == GPMU_OK &&
		       got + 20 * MS >= least && got < least + 100 * MS, "%s", what);

	if (!pass)
		diag("%" PRIu64 " ns, state %d (%s), want %" PRIu64, got, (int)row(test, 0)->state,
		     row(test, 0)->why ? row(test, 0)->why : "", least);
	return pass;
}

static void times_of_processes(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .n_pids = 2 };
	struct child child;
	struct test test;
	pid_t pids[2];

	child_start(&child, burn_and_wait);
	pids[0] = pids[1] = child.pid;
	options.pids = pids;
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time,duration_time");
	test_start(&test, &options);
	if (write(child.go, "", 1) != 1 || waitpid(child.pid, NULL, WUNTRACED) != child.pid)
		diag("the child does not run");
	test_interval(&test);
	are_times(&test, 200 * MS, "another process's user_time and system_time are measured");
	gpmu_region_begin(test.session, "stopped");
	gpmu_region_end(test.session, "stopped");
	test_interval(&test);
	are_times(&test, 0, "in an interval in which it is stopped they are 0");
	kill(child.pid, SIGKILL);
	child_end(&child);
	gpmu_region_begin(test.session, "gone");
	gpmu_region_end(test.session, "gone");
	test_total(&test);
	is_state(&test, 0, GPMU_NOT_COUNTED, "a process has ended",
		 "once it has ended what it ran at last is not known");
	is_state(&test, 1, GPMU_NOT_COUNTED, "a process has ended", "neither in the kernel");
	ok(row(&test, 2)->state == GPMU_OK, "unlike the time that has passed");
	gpmu_region_rows(test.session, 0, &test.rows, &test.n);
	are_times(&test, 0, "a region has them");
	gpmu_region_rows(test.session, 1, &test.rows, &test.n);
	is_state(&test, 0, GPMU_NOT_COUNTED, "a process has ended", "but not when it has ended");
	gpmu_session_set_times(test.session, 1000 * MS, 7 * MS);
	test_total(&test);
	ok(row(&test, 0)->state == GPMU_OK && row(&test, 0)->raw > 900 * MS,
	   "unless the program says it");
	test_release(&test);
}

static void times_of_children(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .n_pids = 1 };
	pid_t self = getpid();
	struct test test;

	options.pids = &self;
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	for (options.inherit = 0; options.inherit < 2; options.inherit++) {
		pid_t pid;

		test_start(&test, &options);
		pid = fork();
		if (!pid) {
			burn();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		test_total(&test);
		are_times(&test, options.inherit ? 200 * MS : 0,
			  options.inherit ? "with what it has started, when that has ended" :
					    "those of a process are its own");
		test_stop(&test);
	}
	test_release(&test);
}

static void times_of_tasks(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .n_tids = 2 };
	pid_t tids[2] = { gettid(), gettid() }, tid = 0;
	pthread_t thread;
	struct test test;

	options.tids = tids;
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	test_start(&test, &options);
	pthread_create(&thread, NULL, burn_in_thread, &tid);
	pthread_join(thread, NULL);
	test_interval(&test);
	are_times(&test, 0, "those of a task have nothing of another one of its process");
	test_stop(&test);
	options.pids = tids;
	options.n_pids = 1;
	test_start(&test, &options);
	burn();
	test_interval(&test);
	are_times(&test, 200 * MS, "of a process and a task of it each is counted once");
	test_release(&test);
}

static void times_of_cpus(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .system = 1 };
	cpu_set_t before, one;
	struct test test;
	char cpu[16];
	pid_t pid;

	sched_getaffinity(0, sizeof(before), &before);
	snprintf(cpu, sizeof(cpu), "%d", sched_getcpu());
	CPU_ZERO(&one);
	CPU_SET(strtoul(cpu, NULL, 10), &one);
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	for (int i = 0; i < 2; i++) {
		options.cpus = i ? cpu : NULL;
		test_start(&test, &options);
		pid = fork();
		if (!pid) {
			sched_setaffinity(0, sizeof(one), &one);
			burn();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		test_total(&test);
		ok(row(&test, 0)->state == GPMU_OK && row(&test, 0)->scope == GPMU_SCOPE_MACHINE &&
		   row(&test, 0)->raw + row(&test, 1)->raw >= 150 * MS,
		   "those of %s are of all that runs", i ? "a CPU" : "the machine");
		ok(!i || (double)(row(&test, 0)->raw + row(&test, 1)->raw) <=
		   (row(&test, 0)->end + 0.1) * (double)SEC, "at most as long as it was");
		test_stop(&test);
	}
	sched_setaffinity(0, sizeof(before), &before);
	test_release(&test);
}

/* Rows of one event that the kernel does not have beside one that it has */
static void unsupported(void)
{
	struct test test;

	test_plan(&test, NULL, NULL, NULL, "software/config=4095/u," FAULTS);
	if (!ok(!test_session(&test, NULL), "an event that the kernel does not have is no failure"))
		diag("%s", test.error.text);
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	test_interval(&test);
	is_state(&test, 0, GPMU_NOT_SUPPORTED, "no such event", "it is not supported, and why");
	is_faults(&test, 1, PAGES, "the others are counted");
	gpmu_region_begin(test.session, "touch");
	touch_pages(PAGES);
	gpmu_region_end(test.session, "touch");
	gpmu_region_rows(test.session, 0, &test.rows, &test.n);
	is_state(&test, 0, GPMU_NOT_SUPPORTED, "no such event", "so it is in a region");
	is_faults(&test, 1, PAGES, "and the others are, too");
	test_release(&test);
}

/* A process that waits for all of an interval */
static void asleep(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .n_pids = 1 };
	struct child child;
	struct test test;

	child_start(&child, touch_in_child);
	options.pids = &child.pid;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	test_start(&test, &options);
	for (int i = 0; i < 1000 && (!i || row(&test, 0)->state == GPMU_OK); i++) {
		usleep(10000);
		test_interval(&test);
	}
	is_state(&test, 0, GPMU_NOT_COUNTED, "none of its tasks ran while it was enabled",
		 "what a process that sleeps counts is not known, and it is said why");
	child_end(&child);
	test_release(&test);
}

static void independent(void)
{
	struct test a, b;

	test_plan(&a, NULL, NULL, NULL, FAULTS);
	test_plan(&b, NULL, NULL, NULL, FAULTS);
	test_start(&a, NULL);
	touch_pages(PAGES);
	test_start(&b, NULL);
	touch_pages(PAGES);
	gpmu_session_disable(a.session);
	touch_pages(PAGES);
	test_total(&a);
	is_faults(&a, 0, 2 * PAGES, "of two sessions one has its own time");
	test_release(&a);
	test_total(&b);
	is_faults(&b, 0, 2 * PAGES, "and the other its own, when the first has gone, too");
	test_release(&b);
}

static void regions(void)
{
	struct test test;
	char what[64];

	test_plan(&test, NULL, NULL, NULL, FAULTS ",task-clock:u,user_time,system_time");
	test_start(&test, NULL);
	gpmu_session_set_times(test.session, 50 * MS, 10 * MS);
	gpmu_region_begin(test.session, "times");
	gpmu_session_set_times(test.session, 70 * MS, 11 * MS);
	gpmu_region_end(test.session, "times");
	gpmu_region_begin(test.session, "times");
	gpmu_session_set_times(test.session, 73 * MS, 15 * MS);
	gpmu_region_end(test.session, "times");
	gpmu_region_rows(test.session, 0, &test.rows, &test.n);
	ok(row(&test, 2)->raw == 23 * MS && row(&test, 3)->raw == 5 * MS,
	   "user_time and system_time are of the region");
	for (int i = 0; i < 4; i++) {
		touch_pages(PAGES);
		gpmu_region_begin(test.session, "all");
		touch_pages(PAGES);
		gpmu_region_begin(test.session, "part");
		touch_pages(PAGES);
		gpmu_region_end(test.session, "part");
		gpmu_region_end(test.session, "all");
	}
	for (size_t i = 1; i < 3; i++) {
		gpmu_region_rows(test.session, i, &test.rows, &test.n);
		snprintf(what, sizeof(what), "page faults of %s",
			 gpmu_region_name(test.session, i));
		is_faults(&test, 0, i == 2 ? 4 * PAGES : 8 * PAGES, what);
	}
	ok(row(&test, 1)->value > 0 && row(&test, 1)->share == 1,
	   "events of other groups are counted in the same region");
	test_release(&test);
}

/* Threads that wait between what they do */
struct worker {
	pthread_t thread;
	pthread_barrier_t *barrier;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	pthread_barrier_wait(worker->barrier);
	touch_pages(PAGES);
	pthread_barrier_wait(worker->barrier);
	return NULL;
}

static void process(void)
{
	const pid_t twice[] = { getpid(), getpid() }, thread = gettid();
	const struct gpmu_session_options options = {
		.size = sizeof(options),
		.pids = twice,
		.n_pids = 2,
		.tids = &thread,
		.n_tids = 1,
	};
	struct worker workers[3];
	pthread_barrier_t barrier;
	struct test test;

	pthread_barrier_init(&barrier, NULL, 4);
	for (size_t i = 0; i < 3; i++) {
		workers[i].barrier = &barrier;
		pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	test_start(&test, &options);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	touch_pages(PAGES);
	test_total(&test);
	is_faults(&test, 0, 4 * PAGES,
		  "a process is all its threads, each once however it is given");
	ok(row(&test, 0)->counters == 4 && row(&test, 0)->pid == getpid(),
	   "four counters, one process");
	for (size_t i = 0; i < 3; i++)
		pthread_join(workers[i].thread, NULL);
	test_total(&test);
	ok(row(&test, 0)->state == GPMU_OK && row(&test, 0)->raw >= 4 * PAGES,
	   "threads that have ended keep what they have counted");
	test_release(&test);
	pthread_barrier_destroy(&barrier);
}

static void children(void)
{
	struct gpmu_session_options options = { .size = sizeof(options),
						.n_pids = 1,
						.inherit = 1 };
	struct child child;
	struct test test;
	pid_t pids[2];
	char text[32];

	child_start(&child, touch_in_child);
	options.pids = &child.pid;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	test_start(&test, &options);
	child_end(&child);
	test_total(&test);
	ok(row(&test, 0)->raw >= PAGES && row(&test, 0)->pid == child.pid,
	   "what a process starts is counted with it if it inherits");
	test_stop(&test);

	child_start(&child, touch_and_exec);
	options.on_exec = 1;
	test_start(&test, &options);
	child_end(&child);
	gpmu_session_disable(test.session);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_OK && row(&test, 0)->raw > 0 && row(&test, 0)->raw < PAGES,
	   "on exec, what it does before is not");
	test_stop(&test);

	child_start(&child, touch_and_exec);
	test_start(&test, &options);
	gpmu_session_disable(test.session);
	child_end(&child);
	test_total(&test);
	ok(row(&test, 0)->raw == 0, "nor what it does after counting was disabled");
	test_stop(&test);

	is_u64((uint64_t)test_session(&test, &options), ESRCH, "a process that has gone is ESRCH");
	snprintf(text, sizeof(text), "no process %d", (int)child.pid);
	is_str(test.error.text, text, "... by its number");
	pids[0] = child.pid;
	pids[1] = getpid();
	options.pids = pids;
	options.n_pids = 2;
	gpmu_log_set(keep_line, NULL);
	ok(!test_session(&test, &options) && strstr(kept_line, "no process") && kept_lines == 1,
	   "unless another one is left: then it is told, and no failure");
	test_stop(&test);
	gpmu_log_set(NULL, NULL);
	pids[1] = child.pid;
	is_u64((uint64_t)test_session(&test, &options), ESRCH, "none of two is ESRCH");
	ok(!strncmp(test.error.text, "none of these 2 processes exists: ", 34),
	   "... with how many there were to be");
	options =
		(struct gpmu_session_options){ .size = sizeof(options), .tids = pids, .n_tids = 1 };
	is_u64((uint64_t)test_session(&test, &options), ESRCH, "as is a task");
	ok(strstr(test.error.text, "has ended") != NULL, "which has ended");
	test_release(&test);
}

/* A zombie is there, and cannot be counted */
static void zombie(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .n_pids = 1 };
	siginfo_t info;
	struct test test;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	options.pids = &pid;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "a process that waits for its parent is ESRCH");
	ok(!strncmp(test.error.text, "no process ", 11), "... by its number");
	waitpid(pid, NULL, 0);
	test_release(&test);
}

static const pid_t one = 1, zero, minus = -3;

/* Rows are of a process only if all that is counted is of it. */
static void whose(void)
{
	struct gpmu_session_options options = { .size = sizeof(options) };
	pid_t pids[] = { getpid(), 0 };
	struct child child;
	struct test test;

	child_start(&child, touch_in_child);
	pids[1] = child.pid;
	options.pids = pids;
	test_plan(&test, NULL, NULL, NULL, FAULTS ",user_time");
	for (options.n_pids = 1; options.n_pids <= 2; options.n_pids++) {
		test_start(&test, &options);
		test_interval(&test);
		ok(row(&test, 0)->pid == (options.n_pids == 1 ? pids[0] : -1),
		   "of %zu processes rows are of %s", options.n_pids,
		   options.n_pids == 1 ? "that" : "none");
		test_stop(&test);
	}
	options.n_pids = 1;
	options.tids = &child.pid;
	options.n_tids = 1;
	test_start(&test, &options);
	test_interval(&test);
	ok(row(&test, 0)->pid == -1, "of a process and another's task they are of none, too");
	test_stop(&test);
	options.n_pids = 0;
	test_start(&test, &options);
	for (int i = 0; i < 20; i++)
		touch_pages(PAGES);
	test_interval(&test);
	ok(row(&test, 0)->pid == child.pid && row(&test, 0)->raw < PAGES,
	   "of a task they are of its process");
	ok(row(&test, 1)->raw == 0, "whose user_time is not that of this thread");
	child_end(&child);
	test_release(&test);
}

static void refused(void)
{
	static const struct {
		struct gpmu_session_options options;
		int err;
		const char *text;
	} cases[] = {
		{ { .size = 4 }, EINVAL, "no size" },
		{ { .cpus = "0-" }, EINVAL, "expected CPUs" },
		{ { .cpus = "" }, EINVAL, "expected CPUs" },
		{ { .cpus = "0,4095" }, ENODEV, "CPU 4095 is not online" },
		{ { .cpus = "0", .tids = &one, .n_tids = 1 }, EINVAL, "either" },
		{ { .system = 1, .pids = &one, .n_pids = 1 }, EINVAL, "either" },
		{ { .pids = &zero, .n_pids = 1 }, EINVAL, "0 is not the number of a process" },
		{ { .tids = &minus, .n_tids = 1 }, EINVAL, "-3 is not the number of a task" },
		{ { .aggregation = 3 }, EINVAL, "aggregation" },
	};
	struct gpmu_session_options options;
	struct gpmu_plan *plan;
	struct test test;

	test_plan(&test, NULL, NULL, NULL, FAULTS);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		options = cases[i].options;
		if (!options.size)
			options.size = sizeof(options);
		if (!ok(test_session(&test, &options) == cases[i].err &&
				strstr(test.error.text, cases[i].text),
			"refused: %s", cases[i].text))
			diag("%s", test.error.text);
	}
	/* What a shorter structure does not have is the default. */
	options =
		(struct gpmu_session_options){ .size = offsetof(struct gpmu_session_options, cpus),
					       .cpus = "none" };
	ok(!test_session(&test, &options), "options may end early");
	test_stop(&test);
	plan = gpmu_plan_new(test.machine, test.catalog, NULL, NULL);
	ok(!gpmu_session_new(plan, NULL, &test.error) && errno == EINVAL &&
		   strstr(test.error.text, "not made"),
	   "refused: a plan that is not made");
	gpmu_plan_make(plan, NULL);
	test.session = gpmu_session_new(plan, NULL, NULL);
	ok(test.session && !gpmu_session_enable(test.session) && !test_interval(&test) && !test.n &&
		   !gpmu_region_begin(test.session, "a") && !gpmu_region_end(test.session, "a"),
	   "a plan of nothing has no rows");
	test_stop(&test);
	gpmu_plan_free(plan);
	gpmu_session_free(NULL);
	test_release(&test);
}

static void system_wide(void)
{
	struct gpmu_session_options options = { .size = sizeof(options) };
	struct test test;
	cpu_set_t all, set;
	char list[16];
	int cpu = 0;

	/* It need not be allowed to run on CPU 0. */
	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	snprintf(list, sizeof(list), "%d", cpu);
	options.cpus = list;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	if (test_session(&test, &options) == EACCES) {
		skip("CPUs", "this user may not count them");
		test_release(&test);
		return;
	}
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	test_interval(&test);
	ok(row(&test, 0)->raw >= PAGES && row(&test, 0)->scope == GPMU_SCOPE_MACHINE &&
		   row(&test, 0)->pid == -1 && row(&test, 0)->counters == 1,
	   "one CPU of a list counts what runs there");
	test_stop(&test);
	options.aggregation = GPMU_AGGREGATE_CPU;
	test_start(&test, &options);
	test_interval(&test);
	ok(test.n == 1 && row(&test, 0)->scope == GPMU_SCOPE_CPU && row(&test, 0)->cpu == cpu,
	   "by CPU the row is of it");
	test_stop(&test);
	sched_setaffinity(0, sizeof(all), &all);
	options.cpus = NULL;
	options.system = 1;
	test_start(&test, &options);
	touch_pages(PAGES);
	test_interval(&test);
	ok((long)test.n == sysconf(_SC_NPROCESSORS_ONLN),
	   "of all that are online there is one of each");
	test_release(&test);
}

static void descriptors(void)
{
	struct test test;
	int before, n = 0;
	bool all = true;

	test_plan(&test, NULL, NULL, NULL, FAULTS ",task-clock:u");
	before = open_files();
	test_session(&test, NULL);
	for (int fd = 3; fd < 100; fd++) {
		int flags = fcntl(fd, F_GETFD);
		char path[48], link[64] = "";

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		if (flags < 0 || readlink(path, link, sizeof(link) - 1) < 0 ||
		    !strstr(link, "perf_event"))
			continue;
		n++;
		all = all && (flags & FD_CLOEXEC);
	}
	ok(all && n == 2, "what is open is closed on exec");
	test_stop(&test);
	ok(open_files() == before, "a session that is freed leaves nothing open");
	test_release(&test);
}

int main(void)
{
	if (skip_all())
		return 0;
	own();
	times();
	times_of_processes();
	times_of_children();
	times_of_tasks();
	times_of_cpus();
	unsupported();
	asleep();
	independent();
	regions();
	process();
	children();
	zombie();
	whose();
	refused();
	system_wide();
	descriptors();
	return done_testing();
}
