/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The number of read system calls of a thread */
#ifndef GPMU_TESTS_READS_H
#define GPMU_TESTS_READS_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Returns the read system calls of this thread so far, without those of this function; 0 if
 * unknown.
 */
__attribute__((unused))
static uint64_t reads(void)
{
	static uint64_t own;
	char text[512], *line;
	ssize_t n;
	int fd = open("/proc/thread-self/io", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	line = strstr(text, "syscr: ");
	return line ? strtoull(line + strlen("syscr: "), NULL, 10) + 1 - own++ : 0;
}

#endif /* GPMU_TESTS_READS_H */
