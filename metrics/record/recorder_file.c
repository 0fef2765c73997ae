// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The trace file. With a size limit it keeps the newest part of the trace. When the file
 * is full, its second half, from a restart of the trace on, replaces it by a rename; so
 * there is a readable trace at any time. A file that cannot be replaced, such as one with
 * several hard links or in a folder of others, is rewritten in place.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/gpmu_replace.h"
#include "record/recorder.h"
#include "trace/trace.h"

#define COPY	(1u << 20)
#define RECORD_MAX	(64u << 10)	/* bytes that a record adds to the trace, at most */
#define PIPE_POLL	10000000	/* ns between attempts to open a pipe without a reader */

static bool signal_waits(void)
{
	sigset_t waiting;

	return !sigpending(&waiting) &&
	       (sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM));
}

/*
 * Waits for a reader of a named pipe. O_CREAT makes the kernel apply fs.protected_fifos. O_RDWR
 * would make this process a reader too, and a write would wait forever once the other reader has
 * ended. The wait ends with -EINTR at a signal that the program blocks.
 */
static int open_pipe(const char *path)
{
	const struct timespec pause = { .tv_nsec = PIPE_POLL };
	int fd;

	while ((fd = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666)) < 0 && errno == ENXIO) {
		if (signal_waits())
			return -EINTR;
		nanosleep(&pause, NULL);
	}
	return fd < 0 ? -errno : fd;
}

static int open_file(struct recorder_file *file, const char *path)
{
	struct stat status;
	int fd;

	if (!stat(path, &status) && S_ISFIFO(status.st_mode))
		return open_pipe(path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	file->is_created = fd >= 0;
	if (fd < 0 && errno == EEXIST)
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	/* A file with write permission only */
	if (fd < 0 && errno == EACCES)
		fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return fd < 0 ? -errno : fd;
}

/* A part of a file that others have opened cannot be replaced. */
static int open_given(struct recorder_file *file, int fd)
{
	file->has_begun = true;
	if (file->max)
		return -ESPIPE;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return file->fd < 0 ? -errno : 0;
}

int recorder_file_open(struct recorder_file *file, const char *path, int fd, uint64_t max)
{
	struct stat status;

	*file = (struct recorder_file){ .fd = -1, .max = max };
	if (fd)
		return open_given(file, fd);
	file->fd = open_file(file, path);
	if (file->fd < 0)
		return file->fd;
	if (fstat(file->fd, &status))
		return -errno;
	if (!S_ISREG(status.st_mode)) {
		file->max = 0;
		file->has_begun = true;
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
	if (file->has_begun)
		return 0;
	file->has_begun = true;
	return ftruncate(file->fd, 0) ? -errno : 0;
}

void recorder_file_close(struct recorder_file *file)
{
	if (file->fd < 0)
		return;
	if (file->is_created && !file->has_begun)
		gpmu_replace_remove(file->fd);
	close(file->fd);
	file->fd = -1;
}

static int copy_rest(int from, int to, off_t offset)
{
	char *buffer = malloc(COPY);
	ssize_t n = 0;
	int ret = buffer ? 0 : -ENOMEM;

	while (!ret && (n = pread(from, buffer, COPY, offset)) > 0) {
		offset += n;
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

/* Moves the part from @offset on to the begin of the file. Each byte is read before it is overwritten. */
static int move_down(const struct recorder_file *file, uint64_t offset)
{
	int ret = lseek(file->fd, 0, SEEK_SET) ? -errno : copy_rest(file->fd, file->fd, (off_t)offset);

	if (!ret && ftruncate(file->fd, lseek(file->fd, 0, SEEK_CUR)))
		ret = -errno;
	return ret;
}

/* Replaces the file and its descriptor by the part from @offset on. */
static int replace_from(const struct recorder_file *file, uint64_t offset)
{
	struct replace replace;
	int fd = gpmu_replace_beside(&replace, file->fd), ret;

	if (fd < 0)
		return fd;
	/* The lock belongs to the open file, not to the name. */
	flock(fd, LOCK_EX | LOCK_NB);
	ret = copy_rest(file->fd, fd, (off_t)offset);
	if (ret)
		gpmu_replace_drop(&replace);
	else
		ret = gpmu_replace_end(&replace);
	if (!ret && dup3(fd, file->fd, O_CLOEXEC) < 0)
		ret = -errno;
	close(fd);
	return ret;
}

/* Returns whether no other file can take the file's place, or there is no room or descriptor for one. */
static bool stays_in_place(int ret)
{
	static const int errors[] = {
		EINVAL, EACCES, EPERM, EROFS, ENOENT, ESTALE, ENAMETOOLONG, ENOSPC, EDQUOT, EMFILE, ENFILE,
	};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++)
		if (ret == -errors[i])
			return true;
	return false;
}

/* Keeps the part of the file from @offset on. */
static int keep_from(const struct recorder_file *file, uint64_t offset)
{
	int ret = replace_from(file, offset);

	return stays_in_place(ret) ? move_down(file, offset) : ret;
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
	if (file->restart_count == ARRAY_SIZE(file->restarts)) {
		file->restart_count--;
		memmove(file->restarts, file->restarts + 1,
			file->restart_count * sizeof(file->restarts[0]));
	}
	file->restarts[file->restart_count++] = trace->restart_begin;
}

int recorder_file_trim(struct recorder_file *file, struct gpmu_trace *trace)
{
	size_t keep = 0;
	int ret;

	/*
	 * The earlier file stays until the next record could make the trace write its buffer:
	 * threads are recorded before the command is executed, which may fail.
	 */
	if (!file->has_begun && trace->out.length + RECORD_MAX < trace->flush_at)
		return 0;
	ret = recorder_file_begin(file);
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
	ret = keep_from(file, file->restarts[keep] - file->cut);
	if (ret)
		return ret;
	file->cut = file->restarts[keep];
	file->restart_count -= keep;
	memmove(file->restarts, file->restarts + keep,
		file->restart_count * sizeof(file->restarts[0]));
	return 0;
}
