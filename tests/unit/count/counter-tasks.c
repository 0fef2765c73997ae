// SPDX-License-Identifier: LGPL-2.1-or-later
/* Other tasks and their children, counted by this kernel */
#include <pthread.h>

#include "counter-test.h"

static const struct gpmu_machine *machine;
static const struct gpmu_pmu *software;
static const struct event_instance events[] = { PAGE_FAULTS, TASK_CLOCK };

static void open_tasks(struct counter_test *test, const int *tids, size_t n,
		       const struct source_selection *how)
{
	test_init(test, machine, software, events, 2);
	test->selection = *how;
	test->selection.tids = tids;
	test->selection.tid_count = n;
	if (test_open(test)) {
		diag("%s", test->error.text);
		printf("Bail out! this task may not count its child\n");
		exit(1);
	}
}

/* The count of a child's run() with these settings for inheritance and exec */
static struct count count_child(void (*run)(void), struct source_selection how)
{
	struct counter_test test;
	struct child child;
	struct count count;

	child_start(&child, run);
	open_tasks(&test, &child.pid, 1, &how);
	test_enable(&test);
	child_end(&child);
	test_read(&test);
	count = test_count(&test, 0, 0);
	test_release(&test);
	return count;
}

static void touch(void)
{
	touch_pages(PAGES);
}

static void children(void)
{
	struct count count = count_child(touch, (struct source_selection){ 0 });

	ok(count.state == COUNT_OK && count.raw >= PAGES && count.raw < 2 * PAGES,
	   "counter: a child's touched pages are its page faults, after its end too");
	count = count_child(touch_in_child, (struct source_selection){ 0 });
	ok(count.raw < PAGES,
	   "counter: a grandchild's page faults are not counted without inherit");
	count = count_child(touch_in_child, (struct source_selection){ .wants_inherit = true });
	ok(count.raw >= PAGES && count.running == count.enabled,
	   "counter: a grandchild's page faults are counted with inherit");
}

static void on_exec(void)
{
	const struct source_selection how = { .wants_inherit = true, .is_on_exec = true };
	struct count count = count_child(touch_and_exec, (struct source_selection){ .wants_inherit = true });
	struct counter_test test;
	struct child child;

	ok(count.raw >= PAGES, "counter: a child's page faults before exec are counted");
	count = count_child(touch_and_exec, how);
	ok(count.raw > 0 && count.raw < PAGES,
	   "counter: with enable_on_exec only the program's page faults are counted");
	child_start(&child, touch_and_exec);
	open_tasks(&test, &child.pid, 1, &how);
	test_enable(&test);
	test_disable(&test);
	test_enable(&test);
	child_end(&child);
	test_read(&test);
	ok(test_count(&test, 0, 0).raw >= PAGES,
	   "counter: a second enable() counts at once despite enable_on_exec");
	test_release(&test);
}

/* Waits until the task sleeps; false if it does not. */
static bool wait_asleep(pid_t pid)
{
	char path[32], text[256], *state;
	bool is_asleep = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (int i = 0; i < 600000 && !is_asleep; i++) {
		usleep(1000);
		file = fopen(path, "re");
		if (!file)
			return false;
		/* The name in parentheses can contain any characters. */
		state = fgets(text, sizeof(text), file) ? strrchr(text, ')') : NULL;
		is_asleep = state && !strncmp(state, ") S", 3);
		fclose(file);
	}
	return is_asleep;
}

static void asleep(void)
{
	struct counter_test test;
	struct child child;

	child_start(&child, touch);
	if (!wait_asleep(child.pid))
		diag("the child does not sleep");
	open_tasks(&test, &child.pid, 1, &(struct source_selection){ 0 });
	test_enable(&test);
	usleep(1000);
	test_read(&test);
	ok(test_count(&test, 0, 0).state == COUNT_OK && !test_count(&test, 0, 0).raw,
	   "counter: a sleeping task has a valid count of 0");
	child_end(&child);
	test_release(&test);
}

static void ended(void)
{
	struct counter_test test;
	struct child child;
	int before = open_files();
	int tids[3] = { getpid(), 0, getpid() };

	child_start(&child, touch);
	child_end(&child);
	tids[1] = child.pid;
	test_init(&test, machine, software, events, 2);
	test.selection = (struct source_selection){ .tids = &tids[1], .tid_count = 1 };
	ok(test_open(&test) == -ESRCH && strstr(test.error.text, "has ended") && !test.open,
	   "counter: opening a task that has ended is -ESRCH");
	diag("%s", test.error.text);
	test_release(&test);

	open_tasks(&test, tids, 2, &(struct source_selection){ 0 });
	ok(test.counts->slots[0].length == 1 && test.counts->slots[0].targets[0].tid == getpid(),
	   "counter: a last task that has ended is skipped");
	test_release(&test);
	open_tasks(&test, tids, 3, &(struct source_selection){ 0 });
	ok(test.counts->slots[0].length == 2 && test.counts->slots[0].targets[1].tid == getpid(),
	   "counter: a task that has ended between others is skipped");
	test_enable(&test);
	touch_pages(PAGES);
	test_read(&test);
	ok(test_count(&test, 0, 0).raw >= PAGES && test_count(&test, 0, 1).raw >= PAGES &&
	   !test.counts->slots[0].why, "counter: tasks beside one that has ended are counted");
	test_release(&test);

	test_init(&test, machine, software, events, 2);
	ok(test_open(&test) == -ESRCH && strstr(test.error.text, "no task"),
	   "counter: opening without any task is -ESRCH");
	test_release(&test);
	ok(open_files() == before, "counter: failed opens leave no descriptor open");
}

struct worker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	int tid;
};

static void *work(void *arg)
{
	struct worker *worker = arg;

	worker->tid = gettid();
	pthread_barrier_wait(worker->barrier);
	pthread_barrier_wait(worker->barrier);
	touch_pages(PAGES);
	pthread_barrier_wait(worker->barrier);
	return NULL;
}

static void threads(void)
{
	pthread_barrier_t barrier;
	struct worker worker = { .barrier = &barrier };
	struct counter_test test;
	int tids[2];

	pthread_barrier_init(&barrier, NULL, 2);
	if (!ok(!pthread_create(&worker.thread, NULL, work, &worker),
		"counter: the thread to be counted starts"))
		return;
	pthread_barrier_wait(&barrier);
	tids[0] = getpid();
	tids[1] = worker.tid;
	open_tasks(&test, tids, 2, &(struct source_selection){ 0 });
	test_enable(&test);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	test_read(&test);
	ok(test_count(&test, 0, 1).raw >= PAGES && test_count(&test, 0, 0).raw < PAGES,
	   "counter: each thread has its own count");
	pthread_join(worker.thread, NULL);
	test_release(&test);
	pthread_barrier_destroy(&barrier);
}

int main(void)
{
	struct gpmu_machine *here;

	if (skip_all())
		return 0;
	here = gpmu_machine_new(NULL, NULL);
	machine = here;
	software = here ? gpmu_machine_find_pmu(here, "software") : NULL;
	if (!ok(software, "counter: this machine has software events"))
		return done_testing();
	children();
	on_exec();
	asleep();
	ended();
	threads();
	gpmu_machine_free(here);
	return done_testing();
}
