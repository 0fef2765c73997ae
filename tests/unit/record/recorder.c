// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu_recorder_new(): accepted and refused options, and the files that it leaves */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/recorder.h"
#include "tap.h"

static char folder[] = "/tmp/gpmu-record-XXXXXX";
static char path[64];

static struct gpmu_recorder_options options_of(uint32_t cuda)
{
	return (struct gpmu_recorder_options){ .size = sizeof(struct gpmu_recorder_options), .path = path,
					     .cuda = cuda };
}

static void refused(const struct gpmu_recorder_options *options, int error, const char *text,
		    const char *what)
{
	struct gpmu_error why = { .size = sizeof(why) };
	struct gpmu_recorder *recorder;

	errno = 0;
	recorder = gpmu_recorder_new(options, &why);
	ok(!recorder && errno == error && strstr(why.text, text), "%s", what);
	if (recorder || !strstr(why.text, text))
		diag("%d: %s", errno, why.text);
	gpmu_recorder_free(recorder);
}

static void refusals(void)
{
	struct gpmu_recorder_options options = options_of(0);
	struct {
		struct gpmu_recorder_options options;
		size_t more;
	} newer = { options_of(0), 1 };
	struct gpmu_recorder_symbols symbols = { 0 };
	char range[300];

	memset(range, 'x', sizeof(range));
	range[sizeof(range) - 1] = '\0';
	options.size = 2;
	refused(&options, EINVAL, "size", "recorder: options without their size are refused");
	newer.options.size = sizeof(newer);
	refused(&newer.options, E2BIG, "needs a newer",
		"recorder: options that set a member of a newer libgpmu are refused");
	options = options_of(0);
	options.path = NULL;
	refused(&options, EINVAL, "path", "recorder: options without a path are refused");
	options = options_of(0);
	options.max_size = 1000;
	refused(&options, EINVAL, "1 MiB", "recorder: a size limit below 1 MiB is refused");
	options = options_of(0);
	options.range = range;
	refused(&options, EINVAL, "255 bytes",
		"recorder: a range name of more than 255 bytes is refused");
	options.range = "";
	options.capture = GPMU_RECORDER_RANGE;
	refused(&options, EINVAL, "name", "recorder: NVTX ranges without a name are refused");
	options = options_of(0);
	options.symbols = &symbols;
	refused(&options, EINVAL, "size", "recorder: symbols without their size are refused");
	symbols.size = sizeof(symbols);
	refused(&options, EINVAL, "take and find", "recorder: symbols without their functions are refused");
	options.symbols = NULL;
	options.stack_size = 12;
	refused(&options, EINVAL, "multiple of 8", "recorder: a copy of a stack of 12 bytes is refused");
	options.stack_size = 8192;
	refused(&options, EINVAL, "unwind", "recorder: copies of stacks without symbols are refused");
	options = options_of(GPMU_RECORDER_KERNEL);
	unlink("libgpmu-inject.so");
	refused(&options, ENOENT, "no libgpmu-inject.so in",
		"recorder: CUDA is refused without libgpmu-inject.so");
}

static void touch(const char *name)
{
	close(open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

/* Goes to a folder whose absolute path is longer than PATH_MAX, or back. */
static void go_deep(bool is_down)
{
	char name[200];

	memset(name, 'd', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < PATH_MAX / 200 + 1; i++)
		if (is_down ? mkdir(name, 0700) || chdir(name) : chdir("..") || rmdir(name))
			diag("%s: %s", name, strerror(errno));
}

static void unnameable(void)
{
	struct gpmu_recorder_options options = options_of(GPMU_RECORDER_KERNEL);

	go_deep(true);
	setenv("GPMU_PLUGINS", ".", 1);
	touch("libgpmu-inject.so");
	touch("libgpmu-mark.so");
	refused(&options, ENAMETOOLONG, "libgpmu-inject.so: File name too long",
		"recorder: a library for CUDA without an absolute path is refused with the reason");
	options = options_of(0);
	options.regions = 1;
	refused(&options, ENAMETOOLONG, "libgpmu-mark.so: File name too long",
		"recorder: a library for regions without an absolute path is refused with the reason");
	unlink("libgpmu-inject.so");
	unlink("libgpmu-mark.so");
	setenv("GPMU_PLUGINS", folder, 1);
	go_deep(false);
}

static const char *value_of(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; *environment; environment++)
		if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

static int connect_to(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", name);
	if (!connect(fd, (const struct sockaddr *)&address,
		     (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))))
		return fd;
	close(fd);
	return -1;
}

static void environment(void)
{
	char *const given[] = { (char[]){ "A=1" }, (char[]){ "CUDA_INJECTION64_PATH=" }, NULL };
	const struct gpmu_recorder_options options = options_of(GPMU_RECORDER_KERNEL);
	struct gpmu_recorder *recorder;
	char *const *made;
	char name[64];
	struct stat status;
	int connection;

	touch("libgpmu-inject.so");
	recorder = gpmu_recorder_new(&options, NULL);
	made = recorder ? gpmu_recorder_environment(recorder, given) : given;
	ok(value_of(made, "A") && value_of(made, "CUDA_INJECTION64_PATH")[0] == '/' &&
	   value_of(made, "NVTX_INJECTION64_PATH"),
	   "recorder: a command's environment keeps its variables and gains the library's");
	snprintf(name, sizeof(name), "%s", value_of(made, "GPMU_CHANNEL"));
	connection = connect_to(name);
	ok(connection >= 0, "recorder: a process can connect to the socket of GPMU_CHANNEL");
	close(connection);
	ok(stat(path, &status) && errno == ENOENT,
	   "recorder: there is no trace file before the start");
	gpmu_recorder_free(recorder);
	ok(connect_to(name) < 0, "recorder: the socket is closed with the recorder");
}

/* Returns whether the trace file has these bytes. */
static bool has(const char *text)
{
	static char bytes[1 << 16];
	FILE *file = fopen(path, "re");
	size_t size = file ? fread(bytes, 1, sizeof(bytes), file) : 0;

	if (file)
		fclose(file);
	return memmem(bytes, size, text, strlen(text));
}

static void whole(void)
{
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };
	const struct gpmu_recorder_options options = options_of(0);
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);
	struct stat status;

	ok(recorder && gpmu_recorder_pid(recorder, 0) == -EINVAL && gpmu_recorder_pid(recorder, -1) == -EINVAL &&
	   !gpmu_recorder_pid(recorder, getpid()), "recorder: only a positive pid is accepted");
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL), "recorder: a recording without CUDA starts");
	ok(gpmu_recorder_pid(recorder, getpid()) == -EINVAL,
	   "recorder: a pid is refused after the start");
	ok(gpmu_recorder_rows(recorder, NULL) == -EINVAL,
	   "recorder: rows are refused without a session");
	ok(!gpmu_recorder_note(recorder, "a warning of the caller"), "recorder: a note of the caller is added");
	gpmu_recorder_enable(recorder);
	ok(!gpmu_recorder_stop(recorder, NULL) && !stat(path, &status) && status.st_size > 0,
	   "recorder: a recording stops with a trace file that is not empty");
	ok(has("a warning of the caller"), "recorder: the audit has the caller's note");
	ok(!gpmu_recorder_get_stats(recorder, &stats) && stats.bytes == (uint64_t)status.st_size &&
	   !stats.process_count && !stats.lost_count,
	   "recorder: the statistics have the size of the trace file");
	stats.size = 2;
	ok(gpmu_recorder_get_stats(recorder, &stats) == -EINVAL,
	   "recorder: statistics without a size are refused");
	gpmu_recorder_free(recorder);
	gpmu_recorder_free(NULL);
}

/* Writes a trace without records, which has the audit. */
static bool record_nothing(const struct gpmu_recorder_options *options)
{
	struct gpmu_recorder *recorder = gpmu_recorder_new(options, NULL);
	bool is_written = recorder && !gpmu_recorder_start(recorder, NULL, NULL, NULL) &&
			  !gpmu_recorder_stop(recorder, NULL);

	gpmu_recorder_free(recorder);
	return is_written;
}

/* In the file the length of a name precedes it. */
static void ranks(void)
{
	struct gpmu_recorder_options options = options_of(0);

	ok(record_nothing(&options) && has("\4host") && !has("\4rank") && !has("\5ranks"),
	   "recorder: the audit has no rank by default");
	options.rank_count = -1;
	ok(record_nothing(&options) && has("\4rank") && !has("\5ranks"),
	   "recorder: the audit has a rank 0 of an unknown number of ranks");
	options.rank_count = 2;
	ok(record_nothing(&options) && has("\4rank") && has("\5ranks"),
	   "recorder: the audit has the number of ranks");
}

/* The reason that the audit has for lost samples of SPE */
static void unspooled(void)
{
	const struct gpmu_recorder_options options = options_of(0);
	const struct record_kernel_lost lost = { .count = 7, .why = RECORD_KERNEL_UNSPOOLED };
	struct record record = { .type = RECORD_LOST };
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, NULL);

	recorder->spe.spool.error = -EFBIG;
	ok(!gpmu_recorder_start(recorder, NULL, NULL, NULL) &&
	   record_queue_put(&recorder->queues[RECORDER_SPE], &record, &lost, sizeof(lost)) && !gpmu_recorder_stop(recorder, NULL) &&
	   has("samples of SPE could not be kept in a file (room on the disk): File too large; raise ulimit -f"),
	   "recorder: the audit has the error because of which samples of SPE were lost");
	gpmu_recorder_free(recorder);
}

static void full(void)
{
	struct gpmu_recorder_options options = options_of(0);
	struct gpmu_error why = { .size = sizeof(why) };
	struct gpmu_recorder *recorder;
	char deep[128] = "/dev";

	while (strlen(deep) < sizeof(deep) - strlen("/./full"))
		strcat(deep, "/.");
	strcat(deep, "/full");
	options.path = "/dev/full";
	recorder = gpmu_recorder_new(&options, NULL);
	ok(recorder && !gpmu_recorder_start(recorder, NULL, NULL, NULL) &&
	   gpmu_recorder_stop(recorder, &why) == -ENOSPC && !strncmp(why.text, "/dev/full: ", 11),
	   "recorder: a full disk is reported at the end, with the path");
	gpmu_recorder_free(recorder);
	options.path = deep;
	recorder = gpmu_recorder_new(&options, NULL);
	ok(recorder && !gpmu_recorder_start(recorder, NULL, NULL, NULL) &&
	   gpmu_recorder_stop(recorder, &why) == -ENOSPC && !strncmp(why.text, deep, strlen(deep)),
	   "recorder: a full disk is reported with a path of more than 100 bytes");
	gpmu_recorder_free(recorder);
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
	unnameable();
	environment();
	whole();
	ranks();
	unspooled();
	full();
	unlink("libgpmu-inject.so");
	unlink(path);
	rmdir(folder);
	return done_testing();
}
