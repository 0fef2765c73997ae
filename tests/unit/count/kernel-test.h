/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Abilities of this machine's kernel that tests need, and child processes to be counted */
#ifndef GPMU_TESTS_KERNEL_H
#define GPMU_TESTS_KERNEL_H

#include <dirent.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define PAGES	500

__attribute__((unused))
static int open_files(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

__attribute__((unused))
static void touch_pages(size_t pages)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *memory = mmap(NULL, pages * size, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return;
	/* One page at a time, whatever the setting of transparent huge pages */
	madvise(memory, pages * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		((volatile char *)memory)[i * size] = 1;
	munmap(memory, pages * size);
}

/* Returns whether the kernel allows this process to count its own page faults in user space. */
__attribute__((unused))
static bool kernel_counts(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.exclude_kernel = 1,
	};
	long fd = syscall(__NR_perf_event_open, &attr, 0, -1, -1, 0);

	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

__attribute__((unused))
static void skip(const char *what, const char *why)
{
	printf("ok %u - %s # SKIP %s\n", ++tap_run, what, why);
}

/* For main(): true, with a skipped plan, if the kernel does not allow counting */
__attribute__((unused))
static bool skip_all(void)
{
	if (kernel_counts())
		return false;
	printf("1..0 # SKIP this kernel does not let this user count events\n");
	return true;
}

/* A child that waits for a byte before it runs */
struct child {
	pid_t pid;
	int go;
};

__attribute__((unused))
static void child_start(struct child *child, void (*run)(void))
{
	int ends[2];
	char byte;

	fflush(stdout);
	if (pipe(ends))
		exit(1);
	child->pid = fork();
	if (!child->pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			run();
		_exit(0);
	}
	close(ends[0]);
	child->go = ends[1];
}

__attribute__((unused))
static void child_end(struct child *child)
{
	signal(SIGPIPE, SIG_IGN);
	if (write(child->go, "", 1) != 1)
		diag("the child has gone");
	close(child->go);
	waitpid(child->pid, NULL, 0);
}

__attribute__((unused))
static void touch_in_child(void)
{
	pid_t pid = fork();

	if (!pid) {
		touch_pages(PAGES);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

__attribute__((unused))
static void touch_and_exec(void)
{
	touch_pages(PAGES);
	execlp("true", "true", (char *)NULL);
}

/*
 * Runs the function in a child process. Returns its result, 0 to 100, and the text that it wrote.
 */
__attribute__((unused))
static int apart(int (*run)(char *text, size_t size), char *text, size_t size)
{
	char *shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (shared == MAP_FAILED)
		return -1;
	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(run(shared, size));
	waitpid(pid, &status, 0);
	snprintf(text, size, "%s", shared);
	munmap(shared, size);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#endif /* GPMU_TESTS_KERNEL_H */
