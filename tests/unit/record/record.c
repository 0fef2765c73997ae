// SPDX-License-Identifier: LGPL-2.1-or-later
/* What gpmu_record_new() accepts and refuses, and what it leaves behind */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "gpmu.h"
#include "tap.h"

static char folder[] = "/tmp/gpmu-record-XXXXXX";
static char path[64], channels[256];

static struct gpmu_record_options options_of(uint32_t cuda)
{
	return (struct gpmu_record_options){ .size = sizeof(struct gpmu_record_options), .path = path,
					     .cuda = cuda, .rank = -1 };
}

static void refused(const struct gpmu_record_options *options, int error, const char *text,
		    const char *what)
{
	struct gpmu_error why = { .text = "" };
	struct gpmu_record *record;

	errno = 0;
	record = gpmu_record_new(options, &why);
	ok(!record && errno == error && strstr(why.text, text), "%s", what);
	if (record || !strstr(why.text, text))
		diag("%d: %s", errno, why.text);
	gpmu_record_free(record);
}

static void refusals(void)
{
	struct gpmu_record_options options = options_of(0);
	char range[300];

	memset(range, 'x', sizeof(range));
	range[sizeof(range) - 1] = '\0';
	options.size = 2;
	refused(&options, EINVAL, "size", "record: options without their size are refused");
	options = options_of(0);
	options.path = NULL;
	refused(&options, EINVAL, "path", "record: options without a path are refused");
	options = options_of(0);
	options.max_size = 1000;
	refused(&options, EINVAL, "1 MiB", "record: a size limit below 1 MiB is refused");
	options = options_of(0);
	options.range = range;
	refused(&options, EINVAL, "255 bytes",
		"record: a range name of more than 255 bytes is refused");
	options.range = "";
	options.capture = GPMU_RECORD_RANGE;
	refused(&options, EINVAL, "name", "record: NVTX ranges without a name are refused");
	options = options_of(GPMU_RECORD_KERNEL);
	unlink("libgpmu-inject.so");
	refused(&options, ENOENT, "no libgpmu-inject.so in",
		"record: CUDA is refused without libgpmu-inject.so");
}

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static void environment(void)
{
	char *const given[] = { (char[]){ "A=1" }, (char[]){ "CUDA_INJECTION64_PATH=" }, NULL };
	const struct gpmu_record_options options = options_of(GPMU_RECORD_KERNEL);
	struct gpmu_record *record;
	char *const *made;
	struct stat status;

	close(open("libgpmu-inject.so", O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	record = gpmu_record_new(&options, NULL);
	made = record ? gpmu_record_environment(record, given) : given;
	ok(value_of(made, "A") && value_of(made, "CUDA_INJECTION64_PATH")[0] == '/' &&
	   value_of(made, "NVTX_INJECTION64_PATH"),
	   "record: a command's environment keeps its variables and gains the library's");
	snprintf(channels, sizeof(channels), "%s", value_of(made, "GPMU_CHANNEL"));
	ok(!stat(channels, &status) && S_ISDIR(status.st_mode) && (status.st_mode & 0777) == 0700,
	   "record: the channel folder is accessible by its owner only");
	ok(stat(path, &status) && errno == ENOENT,
	   "record: there is no trace file before the start");
	gpmu_record_free(record);
	ok(stat(channels, &status) && errno == ENOENT,
	   "record: the channel folder is removed with the record");
}

static void whole(void)
{
	struct gpmu_record_stats stats = { .size = sizeof(stats) };
	const struct gpmu_record_options options = options_of(0);
	struct gpmu_record *record = gpmu_record_new(&options, NULL);
	struct stat status;

	ok(record && gpmu_record_pid(record, 0) == -EINVAL && gpmu_record_pid(record, -1) == -EINVAL &&
	   !gpmu_record_pid(record, getpid()), "record: only a positive pid is accepted");
	ok(!gpmu_record_start(record, NULL, NULL), "record: a recording without CUDA starts");
	ok(gpmu_record_pid(record, getpid()) == -EINVAL,
	   "record: a pid is refused after the start");
	gpmu_record_enable(record);
	ok(!gpmu_record_stop(record, NULL) && !stat(path, &status) && status.st_size > 0,
	   "record: a recording stops with a trace file that is not empty");
	ok(!gpmu_record_get_stats(record, &stats) && stats.bytes == (uint64_t)status.st_size &&
	   !stats.processes && !stats.lost,
	   "record: the statistics have the size of the trace file");
	stats.size = 2;
	ok(gpmu_record_get_stats(record, &stats) == -EINVAL,
	   "record: statistics without a size are refused");
	gpmu_record_free(record);
	gpmu_record_free(NULL);
}

static void full(void)
{
	struct gpmu_record_options options = options_of(0);
	struct gpmu_error why = { .text = "" };
	struct gpmu_record *record;

	options.path = "/dev/full";
	record = gpmu_record_new(&options, NULL);
	ok(record && !gpmu_record_start(record, NULL, NULL) &&
	   gpmu_record_stop(record, &why) == -ENOSPC && !strncmp(why.text, "/dev/full: ", 11),
	   "record: a full disk is reported at the end, with the path");
	gpmu_record_free(record);
}

/*
 * The ranks of a node start together, and each removes folders that a killed one has left
 * behind.
 */
static void beside_each_other(void)
{
	const struct gpmu_record_options options = options_of(GPMU_RECORD_KERNEL);
	int status, failed = 0;
	pid_t pids[8];

	for (int i = 0; i < 8; i++) {
		pids[i] = fork();
		if (pids[i])
			continue;
		for (int round = 0; round < 300; round++) {
			struct gpmu_record *record = gpmu_record_new(&options, NULL);

			if (!record)
				_exit(1);
			gpmu_record_free(record);
		}
		_exit(0);
	}
	for (int i = 0; i < 8; i++)
		failed += waitpid(pids[i], &status, 0) != pids[i] || status;
	ok(!failed, "record: eight that start together do not remove each other's folders");
}

int main(void)
{
	unsetenv("CUDA_INJECTION64_PATH");
	unsetenv("NVTX_INJECTION64_PATH");
	unsetenv("GPMU_CHANNEL");
	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	setenv("GPMU_PLUGINS", folder, 1);
	snprintf(path, sizeof(path), "%s/trace", folder);
	refusals();
	environment();
	whole();
	full();
	beside_each_other();
	unlink("libgpmu-inject.so");
	unlink(path);
	rmdir(folder);
	return done_testing();
}
