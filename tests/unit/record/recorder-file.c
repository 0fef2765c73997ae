// SPDX-License-Identifier: LGPL-2.1-or-later
/* The trace file with a size limit, when its older part cannot be cut off by a new file */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpmu_replace.h"
#include "record/recorder.h"
#include "tap.h"
#include "trace/trace.h"

#define MAX	(1u << 20)
#define EVENTS	100000	/* more than fit */

static int refusal;	/* of the new file */
static int failure;	/* of writes to it */
static int beside = -1;	/* the new file */

int __real_gpmu_replace_beside(struct replace *replace, int fd);
int __wrap_gpmu_replace_beside(struct replace *replace, int fd);
ssize_t __real_write(int fd, const void *data, size_t size);
ssize_t __wrap_write(int fd, const void *data, size_t size);

int __wrap_gpmu_replace_beside(struct replace *replace, int fd)
{
	beside = refusal ? refusal : __real_gpmu_replace_beside(replace, fd);
	return beside;
}

ssize_t __wrap_write(int fd, const void *data, size_t size)
{
	if (!failure || fd != beside)
		return __real_write(fd, data, size);
	errno = -failure;
	return -1;
}

static int write_events(struct recorder_file *file, struct gpmu_trace *trace)
{
	int track = gpmu_trace_track(trace, 0, "track"), ret = track < 0 ? track : 0;

	for (int i = 0; i < EVENTS && !ret; i++) {
		const struct gpmu_trace_event event = {
			.size = sizeof(event), .track = track, .time = 1000 + (uint64_t)i * 100, .name = "event",
		};

		ret = gpmu_trace_slice(trace, &event, 50);
		if (!ret)
			ret = recorder_file_trim(file, trace);
	}
	return ret;
}

/* The result of a trace that exceeds its limit */
struct outcome {
	int ret;
	bool is_fitting, is_replaced, is_alone;
};

static struct outcome record(void)
{
	char folder[] = "/tmp/gpmu-file-XXXXXX", path[64];
	struct gpmu_trace_options options = { .size = sizeof(options), .path = path, .buffer = MAX / 32,
					      .restart = MAX / 16 };
	struct outcome outcome = { 0 };
	struct recorder_file file;
	struct stat before, after;
	struct gpmu_trace *trace;
	int first;

	if (!mkdtemp(folder))
		return outcome;
	snprintf(path, sizeof(path), "%s/trace", folder);
	outcome.ret = recorder_file_open(&file, path, 0, MAX);
	/* While the first file is open, no other file gets its inode number. */
	first = open(path, O_RDONLY | O_CLOEXEC);
	fstat(first, &before);
	trace = gpmu_trace_new(file.fd, &options, NULL);
	outcome.ret = write_events(&file, trace);
	stat(path, &after);
	outcome.is_fitting = after.st_size > MAX / 4 && after.st_size <= MAX;
	outcome.is_replaced = before.st_ino != after.st_ino;
	gpmu_trace_free(trace);
	recorder_file_close(&file);
	close(first);
	unlink(path);
	outcome.is_alone = !rmdir(folder);
	return outcome;
}

static void in_place(int error, const char *why)
{
	struct outcome outcome = record();

	ok(!outcome.ret && outcome.is_fitting && !outcome.is_replaced && outcome.is_alone,
	   "recorder file: %s, the trace is limited in place: %s", why, strerror(-error));
}

static void fails(int error)
{
	struct outcome outcome = record();

	ok(outcome.ret == error && !outcome.is_replaced && outcome.is_alone,
	   "recorder file: an error that also hits the file itself is returned: %s", strerror(-error));
}

int main(void)
{
	static const int places[] = { -EACCES, -EPERM, -EROFS, -EINVAL, -ESTALE, -ENOSPC, -EDQUOT, -EMFILE };
	static const int errors[] = { -EIO, -ENOMEM };
	struct outcome outcome = record();

	ok(!outcome.ret && outcome.is_fitting && outcome.is_replaced && outcome.is_alone,
	   "recorder file: a new file replaces a trace that exceeds its limit");
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		refusal = places[i];
		in_place(refusal, "without a new file");
	}
	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		refusal = errors[i];
		fails(refusal);
	}
	refusal = 0;
	failure = -ENOSPC;
	in_place(failure, "without room for a new file");
	failure = -EIO;
	fails(failure);
	return done_testing();
}
