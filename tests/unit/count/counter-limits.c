// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Limits of this kernel: too many open files, and counting by a user without rights. Each runs in
 * a child process, which changes its own limits.
 */
#include <sys/resource.h>
#include <sys/wait.h>

#include "counter-test.h"

#define NOBODY	65534

static const struct event_instance events[] = { PAGE_FAULTS, TASK_CLOCK, DUMMY };
static const struct gpmu_machine *machine;
static const struct gpmu_pmu *software;

/* Opens three events of this task with so many descriptors beyond those in use; 0 or the errno. */
static int open_limited(rlim_t soft, rlim_t hard, char *text, size_t size)
{
	struct rlimit limit;
	struct counter_test test;
	int tid = getpid(), before = open_files(), fd = dup(0), ret;

	close(fd);
	limit.rlim_cur = (rlim_t)fd + soft;
	limit.rlim_max = (rlim_t)fd + hard;
	setrlimit(RLIMIT_NOFILE, &limit);
	test_init(&test, machine, software, events, 3);
	test.selection = (struct source_selection){ .tids = &tid, .tid_count = 1 };
	ret = test_open(&test);
	snprintf(text, size, "%s", test.error.text);
	test_release(&test);
	/* Counting descriptors takes one, too. */
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	return open_files() == before ? -ret : 99;
}

static int enough(char *text, size_t size)
{
	return open_limited(3, 3, text, size);
}

static int raised(char *text, size_t size)
{
	return open_limited(1, 3, text, size);
}

static int too_few(char *text, size_t size)
{
	return open_limited(1, 2, text, size);
}

static void files(void)
{
	char text[256];

	ok(apart(enough, text, sizeof(text)) == 0,
	   "counter: three events open with three descriptors left");
	ok(apart(raised, text, sizeof(text)) == 0,
	   "counter: a soft limit that is too low is raised");
	ok(apart(too_few, text, sizeof(text)) == EMFILE,
	   "counter: a hard limit that is too low is EMFILE");
	ok(strstr(text, "3 are needed") && strstr(text, "ulimit -n"),
	   "counter: the error has the number of descriptors and the remedy");
	diag("%s", text);
}

static int open_as_nobody(const struct source_selection *selection, bool is_user, char *text,
			  size_t size)
{
	struct event_instance mine[3];
	struct counter_test test;
	int ret;

	memcpy(mine, events, sizeof(mine));
	for (size_t i = 0; i < 3; i++)
		mine[i].attr.exclude_kernel = is_user;
	if (setuid(NOBODY))
		return 100;
	test_init(&test, machine, software, mine, 3);
	test.selection = *selection;
	ret = test_open(&test);
	snprintf(text, size, "%s", test.error.text);
	test_release(&test);
	return -ret;
}

static int nobody_system(char *text, size_t size)
{
	return open_as_nobody(&(struct source_selection){ .is_system_wide = true }, false, text, size);
}

static int nobody_kernel(char *text, size_t size)
{
	int tid = getpid();

	return open_as_nobody(&(struct source_selection){ .tids = &tid, .tid_count = 1 }, false, text,
			      size);
}

static int nobody_user(char *text, size_t size)
{
	int tid = getpid();

	return open_as_nobody(&(struct source_selection){ .tids = &tid, .tid_count = 1 }, true, text,
			      size);
}

static int nobody_root(char *text, size_t size)
{
	int tid = 1;

	return open_as_nobody(&(struct source_selection){ .tids = &tid, .tid_count = 1 }, true, text,
			      size);
}

static int nobody_fits(char *text, size_t size)
{
	struct event_instance all[2];
	const struct event_instance *list[] = { &all[0], &all[1] };

	(void)text;
	(void)size;
	memcpy(all, events, sizeof(all));
	all[0].attr.exclude_kernel = all[1].attr.exclude_kernel = 0;
	return setuid(NOBODY) ? 100 : source_perf.fits(NULL, list, 2);
}

static void rights(void)
{
	char text[256], level[16] = "";

	gpmu_machine_read(machine, "proc/sys/kernel/perf_event_paranoid", level, sizeof(level));
	if (getuid() || strcmp(level, "2")) {
		skip("counter: a user without rights is refused", "needs root and a perf_event_paranoid of 2");
		return;
	}
	ok(apart(nobody_user, text, sizeof(text)) == 0,
	   "counter: a user without rights may count its own user space");
	ok(apart(nobody_system, text, sizeof(text)) == EACCES &&
	   strstr(text, "perf_event_paranoid is 2") && strstr(text, "perf_event_paranoid=0") &&
	   strstr(text, "CAP_PERFMON"),
	   "counter: a user without rights may not count all CPUs, and the error has the remedy");
	diag("%s", text);
	ok(apart(nobody_kernel, text, sizeof(text)) == EACCES &&
	   strstr(text, "perf_event_paranoid=1") && strstr(text, "modifier u"),
	   "counter: a user without rights may not count the kernel, and the error has the "
	   "remedies");
	diag("%s", text);
	ok(apart(nobody_root, text, sizeof(text)) == EACCES && strstr(text, "task 1:"),
	   "counter: a user without rights may not count root's task, and the error names it");
	diag("%s", text);
	ok(apart(nobody_fits, text, sizeof(text)) == 1,
	   "counter: a user without rights may ask whether events fit");
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
	files();
	rights();
	gpmu_machine_free(here);
	return done_testing();
}
