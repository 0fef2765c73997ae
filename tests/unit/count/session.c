// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sessions of this kernel's software events: which tasks they count, and when */
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
	uint64_t total = 0, wall;
	uint64_t raw = 0;

	test_plan(&test, NULL, NULL, NULL, FAULTS ",duration_time,user_time,system_time");
	ok(!test_session(&test, NULL), "session: a session of the calling thread opens");
	touch_pages(PAGES);
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	ok(!test_interval(&test) && test.rows->length == 4, "session: each event has a row");
	is_faults(&test, 0, PAGES,
		  "session: page faults after enable are counted, those before are not");
	ok(row(&test, 0)->scope == GPMU_SCOPE_PROCESS && row(&test, 0)->pid == getpid() &&
		   row(&test, 0)->share == 1 && row(&test, 0)->time_begin == 0 && row(&test, 0)->time_end > 0,
	   "session: the row is this process's, from time 0, and not multiplexed");
	wall = row(&test, 0)->time_end;
	ok(close_to(row(&test, 1)->value, (double)wall, 1e-6),
	   "session: duration_time is the elapsed time");
	for (int i = 0; i < 3; i++) {
		touch_pages(PAGES);
		if (i == 2)
			gpmu_session_disable(test.session);
		touch_pages(PAGES);
		test_interval(&test);
		is_faults(&test, 0, i == 2 ? PAGES : 2 * PAGES,
			  i == 2 ? "session: the last interval ends at disable" :
				   "session: an interval has its own counts only");
		raw += row(&test, 0)->raw;
		total += row(&test, 0)->time_end - row(&test, 0)->time_begin;
	}
	test_total(&test);
	ok(row(&test, 0)->raw >= raw + PAGES && row(&test, 0)->raw < raw + 2 * PAGES &&
		   total + wall == row(&test, 0)->time_end,
	   "session: intervals add up to the total in counts and in time");
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
	/* The kernel splits the time into both by clock ticks of at most 10 ms. */
	ok(fabs((double)(row(&test, 0)->raw + row(&test, 1)->raw) - spent) < 12e6,
	   "session: user_time and system_time of the calling thread are measured");
	test_stop(&test);
	test_session(&test, NULL);
	gpmu_session_set_times(test.session, 100 * MS, 7 * MS);
	gpmu_session_enable(test.session);
	gpmu_session_set_times(test.session, 150 * MS, 8 * MS);
	test_interval(&test);
	ok(row(&test, 0)->raw == 50 * MS && row(&test, 1)->raw == 1 * MS,
	   "session: times set by the program replace the measured ones");
	gpmu_session_set_times(test.session, 160 * MS, 10 * MS);
	test_interval(&test);
	ok(row(&test, 0)->raw == 10 * MS && row(&test, 1)->raw == 2 * MS,
	   "session: times set by the program are differences between intervals");
	test_total(&test);
	ok(row(&test, 0)->raw == 60 * MS && row(&test, 1)->raw == 3 * MS,
	   "session: times set by the program add up to the total");
	test_release(&test);
}

static uint64_t thread_time(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * SEC + (uint64_t)now.tv_nsec;
}

/* Takes 200 ms of this thread's time; a clock tick takes 10 ms. */
static void burn(void)
{
	uint64_t begin = thread_time();

	while (thread_time() - begin < 200 * MS)
		;
}

/* Faults of this kernel's events, and the times of a session, which has no counters */
static void pauses(void)
{
	struct test test;

	test_plan(&test, NULL, NULL, NULL, FAULTS ",user_time,system_time,duration_time");
	test_start(&test, NULL);
	touch_pages(PAGES);
	gpmu_session_pause(test.session);
	touch_pages(PAGES);
	burn();
	gpmu_session_resume(test.session);
	touch_pages(PAGES);
	test_total(&test);
	is_faults(&test, 0, 2 * PAGES, "session: page faults during a pause are not counted");
	ok(row(&test, 1)->raw + row(&test, 2)->raw < 100 * MS,
	   "session: user_time and system_time of a pause are not counted");
	ok(row(&test, 3)->raw == row(&test, 0)->time_end - row(&test, 0)->time_begin &&
	   row(&test, 0)->time_begin >= 200 * MS,
	   "session: duration_time is the time that was not paused");
	gpmu_session_pause(test.session);
	touch_pages(PAGES);
	gpmu_session_disable(test.session);
	test_total(&test);
	is_faults(&test, 0, 2 * PAGES, "session: disabling a paused session adds no counts");
	test_stop(&test);
	test_start(&test, NULL);
	gpmu_session_set_times(test.session, 100 * MS, 7 * MS);
	gpmu_session_pause(test.session);
	gpmu_session_set_times(test.session, 150 * MS, 8 * MS);
	test_total(&test);
	ok(row(&test, 1)->raw < 150 * MS && row(&test, 2)->raw < 8 * MS,
	   "session: times that the program sets during a pause are not those before it");
	test_release(&test);
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

/* The sum of both, as the kernel splits a thread's time by the clock ticks that it saw */
static bool are_times(const struct test *test, uint64_t min, const char *what)
{
	uint64_t got = row(test, 0)->raw + row(test, 1)->raw;
	bool has_passed = ok(row(test, 0)->state == GPMU_STATE_OK &&
			     row(test, 1)->state == GPMU_STATE_OK &&
			     got + 20 * MS >= min && got < min + 100 * MS, "%s", what);

	if (!has_passed)
		diag("%" PRIu64 " ns, state %d (%s), want %" PRIu64, got, (int)row(test, 0)->state,
		     row(test, 0)->why ? row(test, 0)->why : "", min);
	return has_passed;
}

static void times_of_processes(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .pid_count = 2 };
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
	are_times(&test, 200 * MS,
		  "session times: another process's user_time and system_time are measured");
	gpmu_region_begin(test.session, "stopped");
	gpmu_region_end(test.session, "stopped");
	test_interval(&test);
	are_times(&test, 0, "session times: user_time and system_time are 0 in an interval in which the process is stopped");
	kill(child.pid, SIGKILL);
	child_end(&child);
	gpmu_region_begin(test.session, "gone");
	gpmu_region_end(test.session, "gone");
	test_total(&test);
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "a process has ended",
		 "session times: user_time is not counted once the process has ended");
	is_state(&test, 1, GPMU_STATE_NOT_COUNTED, "a process has ended",
		 "session times: system_time is not counted once the process has ended");
	ok(row(&test, 2)->state == GPMU_STATE_OK,
	   "session times: duration_time is counted after the process has ended");
	gpmu_region_rows(test.session, 0, &test.rows);
	are_times(&test, 0, "session times: a region has the times of a live process");
	gpmu_region_rows(test.session, 1, &test.rows);
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "a process has ended",
		 "session times: a region after the process has ended is not counted");
	gpmu_session_set_times(test.session, 1000 * MS, 7 * MS);
	test_total(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw > 900 * MS,
	   "session times: times set by the program are counted after the process has ended");
	test_release(&test);
}

static void times_of_children(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .pid_count = 1 };
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
			  options.inherit ? "session times: with inherit, children that have ended "
					    "are included" :
					    "session times: without inherit, children are not included");
		test_stop(&test);
	}
	test_release(&test);
}

static void times_of_tasks(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .tid_count = 2 };
	pid_t tids[2] = { gettid(), gettid() }, tid = 0;
	pthread_t thread;
	struct test test;

	options.tids = tids;
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	test_start(&test, &options);
	pthread_create(&thread, NULL, burn_in_thread, &tid);
	pthread_join(thread, NULL);
	test_interval(&test);
	are_times(&test, 0,
		  "session times: a task's times do not include another task of its process");
	test_stop(&test);
	options.pids = tids;
	options.pid_count = 1;
	test_start(&test, &options);
	burn();
	test_interval(&test);
	are_times(&test, 200 * MS, "session times: a task given with its process is counted once");
	test_release(&test);
}

static void times_of_cpus(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .system = 1 };
	const double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t before, single;
	struct test test;
	char cpu[16];
	pid_t pid;

	sched_getaffinity(0, sizeof(before), &before);
	snprintf(cpu, sizeof(cpu), "%d", sched_getcpu());
	CPU_ZERO(&single);
	CPU_SET(strtoul(cpu, NULL, 10), &single);
	test_plan(&test, NULL, NULL, NULL, "user_time,system_time");
	for (int i = 0; i < 2; i++) {
		options.cpus = i ? cpu : NULL;
		test_start(&test, &options);
		pid = fork();
		if (!pid) {
			sched_setaffinity(0, sizeof(single), &single);
			burn();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
		test_total(&test);
		ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->scope == GPMU_SCOPE_MACHINE &&
		   row(&test, 0)->raw + row(&test, 1)->raw >= 150 * MS,
		   "session times: user_time and system_time of %s include all "
		   "tasks", i ? "one CPU" : "the machine");
		ok((double)(row(&test, 0)->raw + row(&test, 1)->raw) <=
		   (double)(row(&test, 0)->time_end + 100 * MS) * (i ? 1 : cpus),
		   "session times: the CPUs' times do not exceed the elapsed time");
		test_stop(&test);
	}
	sched_setaffinity(0, sizeof(before), &before);
	test_release(&test);
}

/* An event that the kernel does not have, and one that it has */
static void unsupported(void)
{
	struct test test;

	test_plan(&test, NULL, NULL, NULL, "software/config=4095/u," FAULTS);
	if (!ok(!test_session(&test, NULL),
		"session: an unknown event of the kernel does not fail the session"))
		diag("%s", test.error.text);
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	test_interval(&test);
	is_state(&test, 0, GPMU_STATE_NOT_SUPPORTED, "no such event",
		 "session: an unknown event of the kernel is not supported, with a reason");
	is_faults(&test, 1, PAGES, "session: an event beside an unknown one is counted");
	gpmu_region_begin(test.session, "touch");
	touch_pages(PAGES);
	gpmu_region_end(test.session, "touch");
	gpmu_region_rows(test.session, 0, &test.rows);
	is_state(&test, 0, GPMU_STATE_NOT_SUPPORTED, "no such event",
		 "session: an unknown event of the kernel is not supported in a region");
	is_faults(&test, 1, PAGES,
		  "session: an event beside an unknown one is counted in a region");
	test_release(&test);
}

/* A process that sleeps for a whole interval */
static void asleep(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .pid_count = 1 };
	struct child child;
	struct test test;

	child_start(&child, touch_in_child);
	options.pids = &child.pid;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	test_start(&test, &options);
	for (int i = 0; i < 1000 && (!i || row(&test, 0)->state == GPMU_STATE_OK); i++) {
		usleep(10000);
		test_interval(&test);
	}
	is_state(&test, 0, GPMU_STATE_NOT_COUNTED, "none of its tasks ran while it was enabled",
		 "session: an event of a process that sleeps is not counted, with a reason");
	test_stop(&test);
	options.zero_asleep = 1;
	test_start(&test, &options);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw == 0 && row(&test, 0)->share == 1,
	   "session: an event of a process that sleeps is 0 with zero_asleep");
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
	is_faults(&a, 0, 2 * PAGES, "session: the first of two sessions counts its own time");
	test_release(&a);
	test_total(&b);
	is_faults(&b, 0, 2 * PAGES,
		  "session: the second of two sessions counts its own time after the first is freed");
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
	gpmu_region_rows(test.session, 0, &test.rows);
	ok(row(&test, 2)->raw == 23 * MS && row(&test, 3)->raw == 5 * MS,
	   "session: user_time and system_time of a region are its own");
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
		gpmu_region_rows(test.session, i, &test.rows);
		snprintf(what, sizeof(what), "session: region %s has its own page faults",
			 gpmu_region_name(test.session, i));
		is_faults(&test, 0, i == 2 ? 4 * PAGES : 8 * PAGES, what);
	}
	ok(row(&test, 1)->value > 0 && row(&test, 1)->share == 1,
	   "session: events of other groups are counted in a region");
	test_release(&test);
}

/* Threads that wait between their steps */
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
		.pid_count = 2,
		.tids = &thread,
		.tid_count = 1,
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
		  "session: a process is all its threads, each counted once");
	ok(row(&test, 0)->counters == 4 && row(&test, 0)->pid == getpid(),
	   "session: four threads are four counters and one process");
	for (size_t i = 0; i < 3; i++)
		pthread_join(workers[i].thread, NULL);
	test_total(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw >= 4 * PAGES,
	   "session: threads that have ended keep their counts");
	test_release(&test);
	pthread_barrier_destroy(&barrier);
}

static void children(void)
{
	struct gpmu_session_options options = { .size = sizeof(options),
						.pid_count = 1,
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
	   "session: with inherit, children of the process are counted");
	test_stop(&test);

	child_start(&child, touch_and_exec);
	options.on_exec = 1;
	test_start(&test, &options);
	child_end(&child);
	gpmu_session_disable(test.session);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK && row(&test, 0)->raw > 0 &&
		   row(&test, 0)->raw < PAGES,
	   "session: with on_exec, counts before exec are left out");
	test_stop(&test);

	child_start(&child, touch_and_exec);
	test_start(&test, &options);
	gpmu_session_disable(test.session);
	child_end(&child);
	test_total(&test);
	ok(row(&test, 0)->raw == 0,
	   "session: with on_exec, a session disabled before exec counts nothing");
	test_stop(&test);

	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "session: a process that has ended is ESRCH");
	snprintf(text, sizeof(text), "no process %d", (int)child.pid);
	is_str(test.error.text, text, "session: the error names the process that has ended");
	pids[0] = child.pid;
	pids[1] = getpid();
	options.pids = pids;
	options.pid_count = 2;
	gpmu_log_set(keep_line, NULL);
	ok(!test_session(&test, &options) && strstr(kept_line, "no process") && kept_lines == 1,
	   "session: one of two processes that has ended is a warning");
	test_stop(&test);
	gpmu_log_set(NULL, NULL);
	pids[1] = child.pid;
	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "session: two processes that have ended are ESRCH");
	ok(!strncmp(test.error.text, "none of these 2 processes exists: ", 34),
	   "session: the error gives the number of processes that have ended");
	options =
		(struct gpmu_session_options){ .size = sizeof(options), .tids = pids, .tid_count = 1 };
	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "session: a task that has ended is ESRCH");
	ok(strstr(test.error.text, "has ended") != NULL,
	   "session: the error states that the task has ended");
	test_release(&test);
}

/* A zombie exists and cannot be counted. */
static void zombie(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .pid_count = 1 };
	siginfo_t info;
	struct test test;
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	options.pids = &pid;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	is_u64((uint64_t)test_session(&test, &options), ESRCH,
	       "session: a zombie process is ESRCH");
	ok(!strncmp(test.error.text, "no process ", 11),
	   "session: the error names the zombie process");
	waitpid(pid, NULL, 0);
	test_release(&test);
}

static const pid_t some_pid = 1, zero, minus = -3;

/* Rows have a pid only if all that is counted is one process. */
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
	for (options.pid_count = 1; options.pid_count <= 2; options.pid_count++) {
		test_start(&test, &options);
		test_interval(&test);
		ok(row(&test, 0)->pid == (options.pid_count == 1 ? pids[0] : -1),
		   "session: with %zu processes the rows have %s", options.pid_count,
		   options.pid_count == 1 ? "its pid" : "no pid");
		test_stop(&test);
	}
	options.pid_count = 1;
	options.tids = &child.pid;
	options.tid_count = 1;
	test_start(&test, &options);
	test_interval(&test);
	ok(row(&test, 0)->pid == -1,
	   "session: with a process and another's task the rows have no pid");
	test_stop(&test);
	options.pid_count = 0;
	test_start(&test, &options);
	for (int i = 0; i < 20; i++)
		touch_pages(PAGES);
	test_interval(&test);
	ok(row(&test, 0)->pid == child.pid && row(&test, 0)->raw < PAGES,
	   "session: a task's rows have the pid of its process");
	ok(row(&test, 1)->raw == 0,
	   "session: a task's user_time is not that of the calling thread");
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
		{ { .cpus = "0", .tids = &some_pid, .tid_count = 1 }, EINVAL, "CPUs cannot be counted together" },
		{ { .system = 1, .pids = &some_pid, .pid_count = 1 }, EINVAL, "CPUs cannot be counted together" },
		{ { .pids = &zero, .pid_count = 1 }, EINVAL, "0 is not the number of a process" },
		{ { .tids = &minus, .tid_count = 1 }, EINVAL, "-3 is not the number of a task" },
		{ { .aggregation = 7 }, EINVAL, "aggregation" },
	};
	const struct {
		struct gpmu_session_options options;
		size_t more;
	} newer = { { .size = sizeof(newer) }, 1 };
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
			"session: refused options give \"%s\"", cases[i].text))
			diag("%s", test.error.text);
	}
	ok(test_session(&test, &newer.options) == E2BIG,
	   "session: options that set a member of a newer libgpmu are refused");
	/* Fields beyond a shorter structure take their defaults. */
	options =
		(struct gpmu_session_options){ .size = offsetof(struct gpmu_session_options, cpus),
					       .cpus = "none" };
	ok(!test_session(&test, &options), "session: options of an older size are accepted");
	test_stop(&test);
	plan = gpmu_plan_new(test.machine, test.catalog, NULL, NULL);
	ok(!gpmu_session_new(plan, NULL, &test.error) && errno == EINVAL &&
		   strstr(test.error.text, "gpmu_plan_make()"),
	   "session: a plan that is not made is refused");
	gpmu_plan_make(plan, NULL);
	test.session = gpmu_session_new(plan, NULL, NULL);
	ok(test.session && !gpmu_session_enable(test.session) && !test_interval(&test) && !test.rows->length &&
		   !gpmu_region_begin(test.session, "a") && !gpmu_region_end(test.session, "a"),
	   "session: an empty plan has no rows");
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

	/* This process may not be allowed to run on CPU 0. */
	sched_getaffinity(0, sizeof(all), &all);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	snprintf(list, sizeof(list), "%d", cpu);
	options.cpus = list;
	test_plan(&test, NULL, NULL, NULL, FAULTS);
	if (test_session(&test, &options) == EACCES) {
		skip("session: events of one CPU are counted", "this user may not count them");
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
	   "session: a list of one CPU counts the tasks there");
	test_stop(&test);
	options.aggregation = GPMU_AGGREGATE_CPU;
	test_start(&test, &options);
	test_interval(&test);
	ok(test.rows->length == 1 && row(&test, 0)->scope == GPMU_SCOPE_CPU && row(&test, 0)->cpu == cpu,
	   "session: per CPU the row is that CPU's");
	test_stop(&test);
	sched_setaffinity(0, sizeof(all), &all);
	options.cpus = NULL;
	options.system = 1;
	test_start(&test, &options);
	touch_pages(PAGES);
	test_interval(&test);
	ok((long)test.rows->length == sysconf(_SC_NPROCESSORS_ONLN),
	   "session: system-wide per CPU there is a row for each online CPU");
	test_release(&test);
}

static void descriptors(void)
{
	struct test test;
	int before, n = 0;
	bool is_right = true;

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
		is_right = is_right && (flags & FD_CLOEXEC);
	}
	ok(is_right && n == 2, "session: the two events of a session are opened close-on-exec");
	test_stop(&test);
	ok(open_files() == before, "session: a freed session leaves no file open");
	test_release(&test);
}

int main(void)
{
	if (skip_all())
		return 0;
	own();
	times();
	pauses();
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
