// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * program HOW: marks regions in several ways. It is also compiled as C++, statically, without
 * position-independent code, and with OpenMP.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gpmu-mark.h>

#define PAGE	4096

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

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "once";

	if (!strcmp(how, "once")) {
		visit(1000);
	} else if (!strcmp(how, "threads")) {
		threads();
	} else if (!strcmp(how, "openmp")) {
		openmp();
	} else if (!strcmp(how, "fork")) {
		children();
	} else if (!strcmp(how, "nested")) {
		gpmu_mark_begin("outer");
		visit(500);
		visit(500);
		gpmu_mark_end("outer");
	} else if (!strcmp(how, "mistakes")) {
		gpmu_mark_end("touch");
		gpmu_mark_begin("other");
		gpmu_mark_end("touch");
		gpmu_mark_end("other");
		gpmu_mark_begin("open");
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
