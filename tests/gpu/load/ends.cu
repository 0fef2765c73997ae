// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ends HOW N FILE: launches N short kernels, and ends in the way HOW without waiting for them. FILE has the number of launches
 * that have returned, as 8 bytes that are mapped, so that the number is right even after SIGKILL. HOW is return, _exit,
 * quick_exit, abort, exec (of true), child (a child of fork() launches and calls _exit()), raw (the system call exit_group, as
 * programs in Go do), atexit (a function of atexit(), registered before CUDA is initialised, launches 1000 more), pthread_exit
 * (the main thread ends before another one launches), or the number of a signal that the process sends itself. If N is 0, it
 * launches until a signal ends it.
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "load.h"

static __global__ void short_one(unsigned int *memory)
{
	if (memory)
		*memory += 1;
}

static volatile uint64_t *share(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
	void *memory;

	if (fd < 0 || ftruncate(fd, sizeof(uint64_t))) {
		perror(path);
		exit(1);
	}
	memory = mmap(NULL, sizeof(uint64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return (volatile uint64_t *)memory;
}

static void launch(uint64_t n, volatile uint64_t *count)
{
	for (uint64_t i = 0; !n || i < n; i++) {
		short_one<<<1, 32>>>(NULL);
		LOAD_CHECK(cudaGetLastError());
		*count += 1;
	}
}

static volatile uint64_t *shared;
static uint64_t launches;

/* A launch fails if the driver has ended. */
static void launch_late(void)
{
	for (int i = 0; i < 1000; i++) {
		short_one<<<1, 32>>>(NULL);
		*shared += !cudaGetLastError();
	}
}

static void *launch_and_exit(void *unused)
{
	(void)unused;
	usleep(100000);
	launch(launches, shared);
	exit(0);
}

static void end(const char *how)
{
	if (!strcmp(how, "_exit") || !strcmp(how, "child"))
		_exit(0);
	else if (!strcmp(how, "quick_exit"))
		quick_exit(0);
	else if (!strcmp(how, "abort"))
		abort();
	else if (!strcmp(how, "exec"))
		execlp("true", "true", (char *)NULL);
	else if (!strcmp(how, "raw"))
		syscall(SYS_exit_group, 0);
	else if (atoi(how))
		raise(atoi(how));
}

int main(int argc, char **argv)
{
	volatile uint64_t *count = argc == 4 ? share(argv[3]) : NULL;
	int status = 0;

	if (!count) {
		fprintf(stderr, "usage: ends HOW N FILE\n");
		return 2;
	}
	if (!strcmp(argv[1], "child") && fork()) {
		wait(&status);
		return WEXITSTATUS(status);
	}
	shared = count;
	launches = strtoull(argv[2], NULL, 10);
	if (!strcmp(argv[1], "atexit"))
		atexit(launch_late);
	if (!strcmp(argv[1], "pthread_exit")) {
		pthread_t thread;

		LOAD_CHECK(cudaFree(NULL));
		pthread_create(&thread, NULL, launch_and_exit, NULL);
		pthread_exit(NULL);
	}
	launch(launches, count);
	end(argv[1]);
	return 0;
}
