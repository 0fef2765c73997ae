// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * program HOW: marks regions in several ways. It is also compiled as C++, statically, without
 * position-independent code, and with OpenMP.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gpmu-mark.h>

#define PAGE	4096
/* Offsets in the shared files: metrics/trace/channel/channel_file.h, channel.h */
#define WRITTEN	64
#define TAKEN	128
#define ENABLED	24

/* Touches @pages new pages: as many page faults. */
static void touch(size_t pages)
{
	volatile char *memory = (volatile char *)mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
						      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	munmap((void *)memory, pages * PAGE);
}

static void visit(size_t pages)
{
	gpmu_mark_begin("touch");
	touch(pages);
	gpmu_mark_end("touch");
}

static void *work(void *arg)
{
	visit(1000 * ((size_t)arg + 1));
	return NULL;
}

static void threads(void)
{
	pthread_t all[3];

	for (size_t i = 0; i < 3; i++)
		pthread_create(&all[i], NULL, work, (void *)i);
	for (size_t i = 0; i < 3; i++)
		pthread_join(all[i], NULL);
}

/* A thread begins its region without a file descriptor for its counters. */
static void without_files(void)
{
	const struct rlimit limit = { 100, 100 };
	int last = -1, fd;
	pthread_t thread;

	visit(1);
	setrlimit(RLIMIT_NOFILE, &limit);
	while ((fd = dup(0)) >= 0)
		last = fd;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	close(last);
}

static void openmp(void)
{
	#pragma omp parallel for num_threads(3) schedule(static, 1)
	for (int i = 0; i < 3; i++)
		visit(1000 * ((size_t)i + 1));
}

static void children(void)
{
	visit(100);
	if (!fork()) {
		visit(300);
		exit(0);
	}
	wait(NULL);
}

/* Ends regions that are not the innermost, and leaves one open */
static void mistakes(void)
{
	gpmu_mark_end("touch");
	gpmu_mark_begin("other");
	gpmu_mark_end("touch");
	gpmu_mark_end("other");
	gpmu_mark_begin("open");
}

static void mistakes_until_killed(void)
{
	gpmu_mark_begin("other");
	for (int i = 0; i < 100; i++)
		gpmu_mark_end("touch");
	raise(SIGKILL);
}

/* The child ends the region of its parent, which is none of its own. */
static void cross_end(void)
{
	gpmu_mark_begin("cross");
	if (fork())
		wait(NULL);
	else
		visit(10);
	gpmu_mark_end("cross");
}

static void wait_ms(long ms)
{
	const struct timespec time = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

/* Returns whether all threads of a process are stopped; its threads stop one after the other. */
static int is_stopped(pid_t pid)
{
	char path[64], line[512], *state;
	int stopped = 1;
	struct dirent *entry;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	while (tasks && (entry = readdir(tasks))) {
		FILE *file;

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/stat", (int)pid, entry->d_name);
		file = fopen(path, "r");
		state = file && fgets(line, sizeof(line), file) ? strrchr(line, ')') : NULL;
		stopped = stopped && state && state[2] == 'T';
		if (file)
			fclose(file);
	}
	if (tasks)
		closedir(tasks);
	return stopped;
}

static void stop(pid_t pid)
{
	kill(pid, SIGSTOP);
	while (!is_stopped(pid))
		wait_ms(1);
}

/* A file that this process shares with gpmu, where it is mapped. @name: of the anonymous file */
static const char *shared(const char *name)
{
	char line[8192];
	unsigned long start = 0;
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && !start && fgets(line, sizeof(line), maps))
		if (strstr(line, name))
			start = strtoul(line, NULL, 16);
	if (maps)
		fclose(maps);
	if (!start)
		exit(1);
	return (const char *)start;
}

static uint64_t position(const char *address)
{
	return __atomic_load_n((const uint64_t *)address, __ATOMIC_ACQUIRE);
}

/* Continues gpmu, and waits until it has read all records: the positions of both are in the channel. */
static void go_on(pid_t pid)
{
	const char *start;

	kill(pid, SIGCONT);
	start = shared("memfd:gpmu-channel");
	while (position(start + TAKEN) != position(start + WRITTEN))
		wait_ms(1);
}

/* More visits than a channel can hold */
static void fill(int visits)
{
	for (int i = 0; i < visits; i++) {
		gpmu_mark_begin("burst");
		gpmu_mark_end("burst");
	}
}

/* Fills the channel while gpmu, which is the parent, is stopped. */
static void burst(void)
{
	stop(getppid());
	fill(20000);
	go_on(getppid());
	visit(1);
}

/* Fills the channel with begins inside a region, which ends when there is room again. */
static void burst_inside(void)
{
	gpmu_mark_begin("outer");
	stop(getppid());
	for (int i = 0; i < 40000; i++)
		gpmu_mark_begin("burst");
	for (int i = 0; i < 40000; i++)
		gpmu_mark_end("burst");
	go_on(getppid());
	gpmu_mark_end("outer");
}

static void *stay_open(void *begun)
{
	gpmu_mark_begin("beside");
	pthread_barrier_wait((pthread_barrier_t *)begun);
	pause();
	return NULL;
}

/* Fills the channel while another thread has an open region. */
static void burst_beside(void)
{
	pthread_barrier_t begun;
	pthread_t beside;

	pthread_barrier_init(&begun, NULL, 2);
	pthread_create(&beside, NULL, stay_open, &begun);
	pthread_barrier_wait(&begun);
	gpmu_mark_begin("open");
	burst();
}

/* Fills the channel and ends while gpmu is stopped, which a child continues later. */
static void burst_exit(int at_once)
{
	const pid_t gpmu = getppid();

	fill(1);
	stop(gpmu);
	if (!fork()) {
		wait_ms(300);
		kill(gpmu, SIGCONT);
		_exit(0);
	}
	fill(20000);
	if (at_once)
		_exit(0);
}

/* Removes all variables from the environment, before the first mark or after it */
static void clear(int before)
{
	if (before)
		clearenv();
	visit(10);
	clearenv();
}

/* More than 16 MiB of different names */
static void names(void)
{
	char name[4000];

	memset(name, '-', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 5300; i++) {
		name[snprintf(name, sizeof(name), "%d", i)] = '-';
		gpmu_mark_begin(name);
		gpmu_mark_end(name);
		if (i % 100 == 0)
			wait_ms(30);
	}
}

/* Visits a region before and after gpmu has enabled recording. */
static void delayed(void)
{
	const uint32_t *enabled;

	gpmu_mark_begin("before");
	gpmu_mark_end("before");
	enabled = (const uint32_t *)(shared("memfd:gpmu-control") + ENABLED);
	while (!__atomic_load_n(enabled, __ATOMIC_RELAXED))
		wait_ms(1);
	visit(1);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "once";

	if (!strcmp(how, "once")) {
		visit(1000);
	} else if (!strcmp(how, "threads")) {
		threads();
	} else if (!strcmp(how, "without-files")) {
		without_files();
	} else if (!strcmp(how, "openmp")) {
		openmp();
	} else if (!strcmp(how, "fork")) {
		children();
	} else if (!strcmp(how, "delayed")) {
		delayed();
	} else if (!strcmp(how, "nested")) {
		gpmu_mark_begin("outer");
		visit(500);
		visit(500);
		gpmu_mark_end("outer");
	} else if (!strcmp(how, "mistakes")) {
		mistakes();
	} else if (!strcmp(how, "mistakes-kill")) {
		mistakes_until_killed();
	} else if (!strcmp(how, "cross-end")) {
		cross_end();
	} else if (!strcmp(how, "cross")) {
		gpmu_mark_begin("cross");
		children();
		gpmu_mark_end("cross");
	} else if (!strcmp(how, "long")) {
		gpmu_mark_begin("long");
		wait_ms(300);
		gpmu_mark_end("long");
	} else if (!strcmp(how, "stay")) {
		gpmu_mark_begin("stay");
		puts("marked");
		fflush(stdout);
		pause();
	} else if (!strcmp(how, "linger")) {
		visit(10);
		wait_ms(1500);
	} else if (!strcmp(how, "burst")) {
		/* The first mark opens the channel. */
		fill(1);
		burst();
	} else if (!strcmp(how, "burst-open")) {
		gpmu_mark_begin("open");
		burst();
	} else if (!strcmp(how, "burst-beside")) {
		burst_beside();
	} else if (!strcmp(how, "burst-inside")) {
		burst_inside();
	} else if (!strncmp(how, "burst-", 6)) {
		burst_exit(!strcmp(how, "burst-leave"));
	} else if (!strncmp(how, "clear", 5)) {
		clear(!strcmp(how, "clear-before"));
	} else if (!strcmp(how, "names")) {
		names();
	} else if (!strcmp(how, "kill")) {
		visit(10);
		abort();
	} else if (!strcmp(how, "leave")) {
		visit(10);
		_exit(3);
	} else if (!strcmp(how, "status")) {
		visit(10);
		return 7;
	}
	return 0;
}
