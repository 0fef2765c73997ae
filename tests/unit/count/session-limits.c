// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Limits of the kernel: open files, and users without privileges. Each test runs in a process of
 * its own, as it changes the limits.
 */
#include <fcntl.h>
#include <sys/resource.h>

#include "session-kernel.h"

#define NOBODY 65534

static struct test test;

/* Limits the open files to this number more than now. */
static void limit_files(rlim_t soft, rlim_t hard)
{
	struct rlimit limit;
	int fd = dup(0);

	close(fd);
	limit.rlim_cur = (rlim_t)fd + soft;
	limit.rlim_max = (rlim_t)fd + hard;
	/* The hard limit is never raised, which takes a privilege. */
	if (setrlimit(RLIMIT_NOFILE, &limit))
		_exit(97);
}

static rlim_t files_limit(void)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	return limit.rlim_cur;
}

/* One of several groups cannot be opened: all are closed. */
static int too_many(char *text, size_t size)
{
	int before, ret, fd;

	limit_files(2, 2);
	fd = dup(0);
	close(fd);
	before = fd;
	ret = test_session(&test, NULL);
	snprintf(text, size, "%s", test.error.text);
	if (test.session)
		return 99;
	fd = dup(0);
	close(fd);
	return fd == before ? ret : 98;
}

static int restored(char *text, size_t size)
{
	rlim_t before, raised;

	(void)text;
	(void)size;
	gpmu_session_restore_limits();
	limit_files(2, 100);
	before = files_limit();
	gpmu_session_restore_limits();
	if (files_limit() != before)
		return 1;
	if (test_session(&test, NULL))
		return 2;
	raised = files_limit();
	if (raised <= before)
		return 3;
	/* A second session does not take the raised limit for the original one. */
	test_stop(&test);
	if (test_session(&test, NULL))
		return 4;
	gpmu_session_restore_limits();
	if (files_limit() != before)
		return 5;
	gpmu_session_enable(test.session);
	touch_pages(PAGES);
	return test_interval(&test) || row(&test, 0)->raw < PAGES ? 6 : 0;
}

/* A limit set by the program itself stays. */
static int left_alone(char *text, size_t size)
{
	rlim_t own;

	(void)text;
	(void)size;
	limit_files(50, 100);
	if (test_session(&test, NULL))
		return 1;
	limit_files(70, 90);
	own = files_limit();
	gpmu_session_restore_limits();
	if (files_limit() != own)
		return 2;
	test_stop(&test);
	limit_files(2, 80);
	if (test_session(&test, NULL))
		return 3;
	test_stop(&test);
	limit_files(0, 60);
	own = files_limit();
	gpmu_session_restore_limits();
	return files_limit() == own ? 0 : 4;
}

static void files(void)
{
	char text[256];

	is_u64((uint64_t)apart(too_many, text, sizeof(text)), EMFILE,
	       "session: too many open files are EMFILE, and no file is left open");
	ok(strstr(text, "3 are needed") && strstr(text, "ulimit -n"),
	   "session: the error for too many files gives the number needed and ulimit -n");
	diag("%s", text);
	is_u64((uint64_t)apart(restored, text, sizeof(text)), 0,
	       "session: the soft limit of files is raised, and can be restored for a command");
	is_u64((uint64_t)apart(left_alone, text, sizeof(text)), 0,
	       "session: a limit of files that the program has set itself is not restored");
}

static int as_nobody(const struct gpmu_session_options *options, char *text, size_t size)
{
	int ret;

	if (setuid(NOBODY))
		return 100;
	ret = test_session(&test, options);
	snprintf(text, size, "%s", test.error.text);
	return ret;
}

static int nobody_own(char *text, size_t size)
{
	return as_nobody(NULL, text, size);
}

static int nobody_system(char *text, size_t size)
{
	const struct gpmu_session_options options = { .size = sizeof(options), .system = 1 };

	return as_nobody(&options, text, size);
}

static void rights(void)
{
	char text[256], level[16] = "";

	gpmu_machine_read(test.machine, "proc/sys/kernel/perf_event_paranoid", level,
			  sizeof(level));
	if (getuid() || strcmp(level, "2")) {
		skip("session: a user without privileges", "needs root and a perf_event_paranoid of 2");
		return;
	}
	is_u64((uint64_t)apart(nobody_own, text, sizeof(text)), 0,
	       "session: a user without privileges may count its own user space");
	is_u64((uint64_t)apart(nobody_system, text, sizeof(text)), EACCES,
	       "session: a user without privileges may not count all CPUs");
	ok(strstr(text, "perf_event_paranoid is 2") && strstr(text, "CAP_PERFMON"),
	   "session: the error names perf_event_paranoid and CAP_PERFMON");
	diag("%s", text);
}

int main(void)
{
	if (skip_all())
		return 0;
	test_plan(&test, NULL, NULL, NULL, FAULTS ",task-clock:u,dummy:u");
	files();
	rights();
	test_release(&test);
	return done_testing();
}
