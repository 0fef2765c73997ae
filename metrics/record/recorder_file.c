// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The trace file. With a size limit it keeps the newest part of the trace. When the file
 * is full, its second half, from a restart of the trace on, replaces it by a rename; so
 * there is a readable trace at any time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "record/recorder.h"
#include "trace/trace.h"

#define COPY	(1u << 20)
#define RESTART_COUNT	(sizeof(((struct recorder_file *)NULL)->restarts) / sizeof(uint64_t))

int recorder_file_open(struct recorder_file *file, const char *path, uint64_t max)
{
	struct stat status;

	*file = (struct recorder_file){ .max = max };
	file->fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	file->created = file->fd >= 0;
	if (file->fd < 0)
		file->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	/* A pipe, or a file with write permission only */
	if (file->fd < 0 && (errno == EINVAL || errno == EACCES || errno == ENXIO))
		file->fd = open(path, O_WRONLY | O_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	if (fstat(file->fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode)) {
		file->max = 0;
		file->begun = true;
		return max ? -ESPIPE : 0;
	}
	/*
	 * Detect ranks that use the same file name; some file systems have no locks, and
	 * then nothing is detected.
	 */
	return flock(file->fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? -EBUSY : 0;
}

int recorder_file_begin(struct recorder_file *file)
{
	if (file->begun)
		return 0;
	file->begun = true;
	return ftruncate(file->fd, 0) ? -errno : 0;
}

void recorder_file_close(struct recorder_file *file, const char *path)
{
	if (file->fd < 0)
		return;
	if (file->created && !file->begun)
		unlink(path);
	close(file->fd);
	file->fd = -1;
}

static int copy_rest(int from, int to, off_t at)
{
	char *buffer = malloc(COPY);
	ssize_t n = 0;
	int ret = buffer ? 0 : -ENOMEM;

	while (!ret && (n = pread(from, buffer, COPY, at)) > 0) {
		at += n;
		for (ssize_t done = 0; done < n && !ret;) {
			ssize_t written = write(to, buffer + done, (size_t)(n - done));

			if (written < 0 && errno != EINTR)
				ret = -errno;
			done += written > 0 ? written : 0;
		}
	}
	if (n < 0)
		ret = -errno;
	free(buffer);
	return ret;
}

/* Replaces the file and its descriptor by the part from @offset on. */
static int keep_from(struct recorder_file *file, const char *path, uint64_t offset)
{
	char *temporary = text_print("%s.XXXXXX", path);
	struct stat status;
	int fd, ret;

	if (!temporary)
		return -ENOMEM;
	fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		free(temporary);
		return ret;
	}
	ret = fstat(file->fd, &status) || fchmod(fd, status.st_mode & 0777) ? -errno : 0;
	/* The lock belongs to the open file, not to the name. */
	flock(fd, LOCK_EX | LOCK_NB);
	if (!ret)
		ret = copy_rest(file->fd, fd, (off_t)offset);
	if (!ret && rename(temporary, path))
		ret = -errno;
	if (!ret && dup3(fd, file->fd, O_CLOEXEC) < 0)
		ret = -errno;
	if (ret)
		unlink(temporary);
	close(fd);
	free(temporary);
	return ret;
}

uint64_t recorder_file_size(const struct recorder_file *file, const struct gpmu_trace *trace)
{
	return trace->written - file->cut;
}

static void note_restart(struct recorder_file *file, const struct gpmu_trace *trace)
{
	if (file->restart == trace->restart)
		return;
	file->restart = trace->restart;
	if (file->restart_count == RESTART_COUNT) {
		file->restart_count--;
		memmove(file->restarts, file->restarts + 1,
			file->restart_count * sizeof(file->restarts[0]));
	}
	file->restarts[file->restart_count++] = trace->restart_begin;
}

int recorder_file_trim(struct recorder_file *file, struct gpmu_trace *trace, const char *path)
{
	size_t keep = 0;
	int ret = recorder_file_begin(file);

	if (ret || !file->max)
		return ret;
	note_restart(file, trace);
	/* Leave room for buffered packets. */
	if (recorder_file_size(file, trace) + trace->out.length + trace->flush_at <= file->max)
		return 0;
	ret = trace_write(trace);
	if (ret)
		return ret;
	while (keep < file->restart_count && file->restarts[keep] < trace->written - file->max / 2)
		keep++;
	/* Keep more: the restart before it, if that does not exceed 3/4 of the limit */
	while (keep && (keep == file->restart_count ||
			trace->written - file->restarts[keep - 1] <= file->max / 4 * 3))
		keep--;
	if (file->restarts[keep] <= file->cut)
		return 0;
	ret = keep_from(file, path, file->restarts[keep] - file->cut);
	if (ret)
		return ret;
	file->cut = file->restarts[keep];
	file->restart_count -= keep;
	memmove(file->restarts, file->restarts + keep, file->restart_count * sizeof(file->restarts[0]));
	return 0;
}
