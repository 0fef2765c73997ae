// SPDX-License-Identifier: LGPL-2.1-or-later
/* The first bytes of a file, by which gpmu report recognizes it. */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/report.h"

/* Does not consume the bytes, also those of a pipe. */
static ssize_t peek(int fd, char *bytes, size_t size)
{
	off_t offset = lseek(fd, 0, SEEK_CUR);
	int ends[2];
	ssize_t n;

	if (offset >= 0)
		return pread(fd, bytes, size, offset);
	if (pipe2(ends, O_CLOEXEC))
		return -1;
	n = tee(fd, ends[1], size, 0);
	if (n > 0)
		n = read(ends[0], bytes, (size_t)n);
	close(ends[0]);
	close(ends[1]);
	return n;
}

ssize_t report_peek(const char *path, char *bytes, size_t size)
{
	bool is_stdin = !strcmp(path, "-");
	struct stat status;
	ssize_t n;
	int fd;

	if (!is_stdin && (stat(path, &status) || !S_ISREG(status.st_mode)))
		return -1;
	fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = peek(fd, bytes, size);
	if (!is_stdin)
		close(fd);
	return n;
}
