// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The recorder and replays of its recordings: the plugin's counts of a replayed recording are the sums of the
 * recorded samples.
 */
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <sys/stat.h>

#include "contract.h"

#define SAMPLES		100000
#define LINE		16384
#define RECORDINGS	"tests/data/gpu/recordings/*.tsv"
#define BYTES_MAX	300000	/* limit for 2 s of a recording, which is committed */

/* The longest run of a recording: the counts from Start until the end of each sample */
static struct recorded {
	char names[EVENTS][128];
	size_t names_length;
	size_t length;
	int64_t ends[SAMPLES];		/* ns since Start */
	double sums[SAMPLES][EVENTS];	/* from the second sample on */
} recorded, part;

static const char *path;

static void read_names(struct recorded *to, char *text)
{
	char *state = NULL;

	to->names_length = to->length = 0;
	for (char *name = strtok_r(text, "\t\n", &state); name && to->names_length < EVENTS;
	     name = strtok_r(NULL, "\t\n", &state))
		snprintf(to->names[to->names_length++], sizeof(to->names[0]), "%s", name);
}

/* The first sample's start time is meaningless. */
static void add_sample(struct recorded *to, char *text)
{
	int64_t start = strtol(text, &text, 10), length = strtol(text, &text, 10);
	size_t n = to->length;

	if (n == SAMPLES)
		return;
	to->ends[n] = (n ? to->ends[n - 1] : 0) + start + length;
	for (size_t i = 0; i < to->names_length; i++) {
		double value = strtod(text, &text);

		to->sums[n][i] = n ? to->sums[n - 1][i] + value : 0;
	}
	to->length++;
}

static void read_recording(void)
{
	FILE *file = fopen(path, "r");
	static char line[LINE];
	char *field;

	recorded.length = part.length = 0;
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		if (!strncmp(line, "sample\t0\t", 9))
			add_sample(&part, line + 9);
		field = strstr(line, "\tmetrics\t0\t");
		if (field)
			read_names(&part, field + strlen("\tmetrics\t0\t"));
		if (strstr(line, "\tcuptiPmSamplingStart\t0"))
			part.length = 0;
		if (part.length > recorded.length)
			recorded = part;
	}
	fclose(file);
}

/* The count from Start until @time, interpolated within a sample; NAN if it was not recorded */
static double sum_at(size_t name, int64_t time)
{
	size_t n = 1;

	while (n < recorded.length && recorded.ends[n] < time)
		n++;
	if (n >= recorded.length)
		return NAN;
	return recorded.sums[n - 1][name] + (recorded.sums[n][name] - recorded.sums[n - 1][name]) *
	       (time - recorded.ends[n - 1]) / (double)(recorded.ends[n] - recorded.ends[n - 1]);
}

static bool is_sum(const char *name)
{
	size_t length = strlen(name);

	return length > 4 && !strcmp(name + length - 4, ".sum");
}

/* Replays a recording at its own speed for a second at most, and compares the counts */
static void check_replay(void)
{
	void *source = open_source(OPTIONS), *group;
	struct gpmu_source_count counts[EVENTS] = { 0 }, before[EVENTS] = { 0 };
	const char *names[EVENTS + 1] = { NULL };
	int64_t first, start, length;
	uint64_t begin;

	ok(recorded.length > 20 && recorded.names_length, "the recording has names and samples: %zu", recorded.length);
	for (size_t i = 0; i < recorded.names_length; i++)
		names[i] = recorded.names[i];
	group = open_group(source, 0, names);
	prepare(source);
	begin = enable(source);
	start = fake_get("start");
	first = (int64_t)begin - start;
	length = recorded.ends[recorded.length - 1] - first - 10 * (int64_t)MS;
	length = length > (int64_t)SECOND ? (int64_t)SECOND : length;
	sleep_until(begin + length / 2);
	plugin->group_read(source, group, begin + length / 2, before);
	sleep_until(begin + length);
	plugin->group_read(source, group, begin + length, counts);
	for (size_t i = 0; i < recorded.names_length; i++) {
		int64_t time = first + (int64_t)counts[i].enabled;
		double want = sum_at(i, time) - sum_at(i, first);

		if (isnan(want))
			ok(counts[i].why != NULL, "%s: an absent unit has a reason", names[i]);
		else if (is_sum(recorded.names[i]))
			is_near(counts[i].raw, want, want * 1e-6 + 2, names[i]);
	}
	is_near(counts[0].running, counts[0].enabled, 2 * INTERVAL, "all time of the replay is sampled");
	ok(counts[0].running >= before[0].running, "running time does not fall between two reads");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

static void check_record(void)
{
	void *source = open_source(OPTIONS), *group = open_group(source, 0, NAMES(READ, WRITE, ACTIVE));
	struct gpmu_source_count counts[3];
	uint64_t start;

	prepare(source);
	start = enable(source);
	sleep_until(start + 600 * MS);
	ok(!plugin->group_read(source, group, start + 600 * MS, counts), "group_read() under the recorder succeeds");
	disable(source);
	plugin->group_close(source, group);
	plugin->close(source);
}

/* Checks that a recording has the calls and samples of a run. */
static void check_file(void)
{
	static const char *const calls[] = {
		"cuInit\t0", "cuDriverGetVersion\t0\tvalue=", "\tuuid=GPU-", "\tpci=", "\tchip=",
		"cuptiGetVersion\t0\tvalue=", "cuptiProfilerDeviceSupported\t0\tdevice=0\tsupported=3",
		"cuptiPmSamplingSetConfig\t0\tinterval=", "cuptiPmSamplingStart\t0\tdevice=0",
		"\tmetrics\t0\t" READ "\t" WRITE "\t" ACTIVE, "sample\t0\t", "cuptiPmSamplingStop\t0",
	};
	int fd = open(path, O_RDONLY);
	struct stat stat = { 0 };
	char *text;

	if (!ok(fd >= 0 && !fstat(fd, &stat) && stat.st_size, "the recorder writes a recording"))
		return;
	text = mmap(NULL, stat.st_size + 1, PROT_READ, MAP_PRIVATE, fd, 0);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		ok(memmem(text, stat.st_size, calls[i], strlen(calls[i])), "the recording has \"%s\"", calls[i]);
	read_recording();
	ok(recorded.length >= 590, "the recording has all samples: %zu", recorded.length);
	ok(stat.st_size / (double)recorded.length * 2000 < BYTES_MAX, "the recording is small: %ld bytes",
	   (long)stat.st_size);
	munmap(text, stat.st_size + 1);
	close(fd);
}

int main(void)
{
	char file[] = "/tmp/gpmu-record-XXXXXX", settings[512];
	glob_t found;

	if (is_real()) {
		ok(true, "recordings are replayed with their counts # SKIP needs the fake libraries");
		return done_testing();
	}
	close(mkstemp(file));
	path = file;
	setenv("GPMU_CUDA", RECORDER, 1);
	setenv("GPMU_RECORD", file, 1);
	setenv("GPMU_RECORD_FROM", FAKE, 1);
	run_case("a run is recorded", "machine=h200", check_record);
	unsetenv("GPMU_CUDA");
	check_file();
	snprintf(settings, sizeof(settings), "replay=%s", file);
	run_case("a run is replayed", settings, check_replay);
	unlink(file);
	if (!glob(RECORDINGS, 0, NULL, &found))
		for (size_t i = 0; i < found.gl_pathc; i++) {
			path = found.gl_pathv[i];
			read_recording();
			snprintf(settings, sizeof(settings), "replay=%s", path);
			run_case(path, settings, check_replay);
		}
	globfree(&found);
	return done_testing();
}
