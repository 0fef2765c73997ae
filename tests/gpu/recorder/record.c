// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shared by the recorder's libraries: the lookup of the real ones, and the file */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "record.h"

#define LINE	16384

static const char usual[] =
	"/usr/local/cuda/lib64:/usr/local/cuda/lib:/usr/local/cuda/extras/CUPTI/lib64:"
	"/usr/local/cuda/targets/x86_64-linux/lib:/usr/local/cuda/targets/sbsa-linux/lib";

uint64_t record_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

void record_line(const char *text)
{
	static const char head[] = "# SPDX-License-Identifier: LGPL-2.1-or-later\n";
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *path = getenv("GPMU_RECORD");
	static int fd = -1;

	pthread_mutex_lock(&lock);
	if (fd < 0 && path) {
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
		if (fd >= 0 && !lseek(fd, 0, SEEK_END) && write(fd, head, strlen(head)) < 0)
			perror(path);
	}
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path ? path : "recorder: GPMU_RECORD is not set");
	pthread_mutex_unlock(&lock);
}

void record_call(uint64_t time, const char *function, int result, const char *format, ...)
{
	char line[LINE];
	int length = snprintf(line, sizeof(line), "call\t%lu\t%ld\t%s\t%d", time,
			      syscall(SYS_gettid), function, result);
	va_list args;

	va_start(args, format);
	vsnprintf(line + length, sizeof(line) - length - 1, format, args);
	va_end(args);
	length = (int)strlen(line);
	line[length] = '\n';
	line[length + 1] = '\0';
	record_line(line);
}

/* dlopen() by path, because the recorder itself has the same name. */
static void *open_in(const char *folders, const char *library)
{
	char *copy = strdup(folders), *state = NULL, path[512];
	void *handle = NULL;

	for (char *folder = strtok_r(copy, ":", &state); folder && !handle;
	     folder = strtok_r(NULL, ":", &state)) {
		/* CUPTI loads this library by its name without a path. */
		if (!strncmp(library, "libcupti", 8)) {
			snprintf(path, sizeof(path), "%s/libnvperf_host.so", folder);
			dlopen(path, RTLD_NOW | RTLD_LOCAL);
		}
		snprintf(path, sizeof(path), "%s/%s", folder, library);
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	}
	free(copy);
	return handle;
}

void *record_real(const char *library, const char *function)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	const char *from = getenv("GPMU_RECORD_FROM");
	static void *handle;
	void *result;

	pthread_mutex_lock(&lock);
	if (!handle && from)
		handle = open_in(from, library);
	if (!handle)
		handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		handle = open_in(usual, library);
	result = handle ? dlsym(handle, function) : NULL;
	pthread_mutex_unlock(&lock);
	if (!result)
		fprintf(stderr, "recorder: no %s in the real %s\n", function, library);
	return result;
}
