// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Writing: one write per interval, and its errors. Callers built with another gpmu.h. Linked
 * with --wrap for write.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>

#include "sink-test.h"

static unsigned int writes;
static int interrupts;	/* writes that first fail with EINTR */
static size_t max;	/* bytes of one write; 0: all */
static int full = -1;	/* writes until the disk is full; -1: it never is */

ssize_t __real_write(int fd, const void *buffer, size_t size);
ssize_t __wrap_write(int fd, const void *buffer, size_t size);

ssize_t __wrap_write(int fd, const void *buffer, size_t size)
{
	writes++;
	if (interrupts) {
		interrupts--;
		errno = EINTR;
		return -1;
	}
	if (!full) {
		errno = ENOSPC;
		return -1;
	}
	full -= full > 0;
	return __real_write(fd, buffer, max && size > max ? max : size);
}

static const enum gpmu_sink_kind kinds[] = {
	GPMU_SINK_SUMMARY, GPMU_SINK_CSV, GPMU_SINK_JSON,
};

#define ROWS	500

static struct gpmu_row rows[ROWS];

static struct gpmu_sink *sink_to(FILE *file, enum gpmu_sink_kind kind)
{
	const struct gpmu_sink_options options = { .size = sizeof(options), .host = "h" };

	return gpmu_sink_new(kind, file, &options, NULL);
}

static void once(void)
{
	for (size_t i = 0; i < 3; i++) {
		FILE *file = tmpfile();
		struct gpmu_sink *sink = sink_to(file, kinds[i]);
		char line[32] = "";
		long size;

		fputs("before\n", file);
		writes = 0;
		ok(!gpmu_sink_rows(sink, rows_of(rows, ROWS)) && writes == 1,
		   "sink: 500 rows take one write");
		interrupts = 2;
		max = 1000;
		ok(!gpmu_sink_rows(sink, rows_of(rows, ROWS)),
		   "sink: a short or interrupted write is continued");
		max = 0;
		size = lseek(fileno(file), 0, SEEK_CUR);
		ok(size > 2L * ROWS * 30 && !fseek(file, 0, SEEK_SET) &&
			   fgets(line, sizeof(line), file) && !strcmp(line, "before\n"),
		   "sink: rows come after text printed before");
		gpmu_sink_free(sink);
		fclose(file);
	}
}

/* Returns whether the text from @offset on is also before it. */
static bool is_twice(FILE *file, off_t offset)
{
	static char text[1 << 20];
	ssize_t n = pread(fileno(file), text, sizeof(text), 0), length = n - offset;

	return length > 1000 && memmem(text, (size_t)offset, text + offset, (size_t)length);
}

static void held(void)
{
	const struct gpmu_sink_options options = { .size = sizeof(options), .held = 1 };
	const struct gpmu_sink_end end = { sizeof(end), 1, 0, 1, 1 };

	for (size_t i = 0; i < 3; i++) {
		FILE *file = tmpfile();
		struct gpmu_sink *sink = gpmu_sink_new(kinds[i], file, &options, NULL);
		off_t size;

		writes = 0;
		ok(!gpmu_sink_rows(sink, rows_of(rows, ROWS)) &&
			   !gpmu_sink_rows(sink, rows_of(rows, ROWS)) && !writes,
		   "sink: held rows are not written");
		ok(!gpmu_sink_rows(sink, NULL) && writes == 1,
		   "sink: gpmu_sink_rows() of NULL writes all held rows at once");
		size = lseek(fileno(file), 0, SEEK_CUR);
		ok(!gpmu_sink_rows(sink, NULL) && writes == 1,
		   "sink: gpmu_sink_rows() of NULL writes nothing if no rows are held");
		ok(!gpmu_sink_rows(sink, rows_of(rows, ROWS)) && !gpmu_sink_end(sink, &end) &&
			   writes == 2 && lseek(fileno(file), 0, SEEK_CUR) > size,
		   "sink: gpmu_sink_end() writes the held rows");
		size = lseek(fileno(file), 0, SEEK_CUR);
		max = 1000;
		full = 1;
		ok(!gpmu_sink_rows(sink, rows_of(rows, ROWS)) &&
			   gpmu_sink_rows(sink, NULL) == -ENOSPC &&
			   lseek(fileno(file), 0, SEEK_CUR) == size + 1000,
		   "sink: a full disk is ENOSPC for held rows");
		max = 0;
		full = -1;
		ok(!gpmu_sink_rows(sink, NULL) && is_twice(file, size),
		   "sink: held rows that a full disk has refused are written once there is space");
		gpmu_sink_free(sink);
		fclose(file);
	}
}

static void failures(void)
{
	const struct gpmu_sink_end end = { sizeof(end), 1, 0, 1, 1 };
	int fds[2];

	signal(SIGPIPE, SIG_IGN);
	for (size_t i = 0; i < 3; i++) {
		FILE *full = fopen("/dev/full", "w"), *file;
		struct gpmu_sink *sink = sink_to(full, kinds[i]);

		ok(gpmu_sink_rows(sink, rows_of(rows, 1)) == -ENOSPC,
		   "sink: a full disk is ENOSPC for rows");
		ok(gpmu_sink_end(sink, &end) == (kinds[i] == GPMU_SINK_SUMMARY ? -ENOSPC : 0),
		   "sink: a full disk is ENOSPC for the end of a summary; CSV and JSON write no end");
		gpmu_sink_free(sink);
		fclose(full);
		if (pipe(fds))
			return;
		file = fdopen(fds[1], "w");
		sink = sink_to(file, kinds[i]);
		close(fds[0]);
		ok(gpmu_sink_rows(sink, rows_of(rows, 1)) == -EPIPE, "sink: a closed pipe is EPIPE");
		gpmu_sink_free(sink);
		fclose(file);
	}
}

static ssize_t refuse(void *cookie, const char *buffer, size_t size)
{
	(void)cookie;
	(void)buffer;
	(void)size;
	errno = EDQUOT;
	return 0;
}

/* A FILE without a descriptor */
static void cookies(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = refuse });
	struct gpmu_sink *sink = sink_to(file, GPMU_SINK_CSV);

	ok(gpmu_sink_rows(sink, rows_of(rows, 1)) == -EDQUOT,
	   "sink: an error of a caller's own FILE is returned");
	gpmu_sink_free(sink);
	fclose(file);
}

/* Options of an application built with another gpmu.h */
static void sizes(void)
{
	struct {
		struct gpmu_sink_options options;
		double more;
	} newer = { { .size = sizeof(newer), .host = "h" }, 0 };
	struct gpmu_sink_options older = { .size = offsetof(struct gpmu_sink_options, host),
					   .host = "#" };
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_CSV, file, &newer.options, NULL);
	const struct gpmu_sink_end end = { 0 };

	ok(sink && !gpmu_sink_rows(sink, rows_of(rows, 1)) && strstr(text, ",h,"),
	   "sink: options larger than ours are accepted if their further members are 0");
	ok(gpmu_sink_end(sink, &end) == -EINVAL, "sink: an end without a size is refused");
	gpmu_sink_free(sink);
	fclose(file);
	free(text);
	file = open_memstream(&text, &length);
	sink = gpmu_sink_new(GPMU_SINK_CSV, file, &older, NULL);
	ok(sink && !gpmu_sink_rows(sink, rows_of(rows, 1)) && !strstr(text, "\"#\""),
	   "sink: nothing is read beyond the end of older options");
	gpmu_sink_free(sink);
	fclose(file);
	free(text);
	older.size = 0;
	ok(!gpmu_sink_new(GPMU_SINK_CSV, stdout, &older, NULL) && errno == EINVAL,
	   "sink: options without a size are refused");
	newer.more = 7;
	ok(!gpmu_sink_new(GPMU_SINK_CSV, stdout, &newer.options, NULL) && errno == E2BIG,
	   "sink: options larger than ours are refused if a further member is not 0");
	newer.more = 0;
	newer.options.aggregation = (enum gpmu_aggregation)(GPMU_AGGREGATE_THREAD + 1);
	ok(!gpmu_sink_new(GPMU_SINK_CSV, stdout, &newer.options, NULL) && errno == EINVAL,
	   "sink: an unknown aggregation is refused");
	ok(!gpmu_sink_new((enum gpmu_sink_kind)7, stdout, NULL, NULL) && errno == EINVAL,
	   "sink: an unknown kind is refused");
	gpmu_sink_free(NULL);
}

int main(void)
{
	for (size_t i = 0; i < ROWS; i++)
		rows[i] = event_row("nvidia_scf_pmu_0/cmem_rd_data/", i);
	once();
	held();
	failures();
	cookies();
	sizes();
	return done_testing();
}
