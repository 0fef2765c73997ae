// SPDX-License-Identifier: LGPL-2.1-or-later
/* The five calls that count a program: on software events, with threads, and on the model. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpmu.h"
#include "plugin/source-paths.h"
#include "tap.h"

#define STEADY	MODEL "=metrics/sources/model/scenarios/steady.scenario"
#define PAGE	4096
#define THREADS	3

static struct gpmu *g;

/* Touches @pages new pages: as many page faults. */
static void touch(size_t pages)
{
	volatile char *memory = mmap(NULL, pages * PAGE, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise((void *)memory, pages * PAGE, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < pages; i++)
		memory[i * PAGE] = 1;
	munmap((void *)memory, pages * PAGE);
}

static struct gpmu *open_or_bail(const char *list, const struct gpmu_options *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *opened = gpmu_open(list, options, &error);

	if (opened)
		return opened;
	printf("Bail out! %s: %s\n", list, error.text);
	exit(1);
}

/* Returns the output of gpmu_print(), which the caller frees. */
static char *printed(void)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);
	int ret = gpmu_print(g, file);

	fclose(file);
	if (ret)
		ok(false, "measure: the table is printed without an error");
	return text;
}

static size_t count_lines(const char *text, const char *with)
{
	size_t n = 0;

	for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
		const char *begin = strstr(text, with);

		n += begin && begin < end;
	}
	return n;
}

/* The value of the row with that name in a region; NaN if there is none */
static double value_of(const char *region, const char *name)
{
	const struct gpmu_rows *rows;
	const struct gpmu_row *row;

	if (gpmu_get_rows(g, region, &rows))
		return NAN;
	for (size_t i = 0; (row = gpmu_rows_at(rows, i)); i++)
		if (!strcmp(row->name, name))
			return row->value;
	return NAN;
}

static void is_refused(const char *list, const struct gpmu_options *options, int err, size_t offset,
		       const char *why, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = 999 };
	struct gpmu *opened;
	int got;

	opened = gpmu_open(list, options, &error);
	got = errno;
	if (!ok(!opened && got == err && error.offset == offset && strstr(error.text, why), "%s",
		what))
		diag("errno %d, offset %zu: %s", got, error.offset, error.text);
	gpmu_close(opened);
}

static void errors(void)
{
	const struct gpmu_options no_size = { .size = 0 };
	const struct {
		struct gpmu_options options;
		size_t more;
	} newer = { { .size = sizeof(newer) }, 1 };
	const struct gpmu_options separator = {
		.size = sizeof(separator), .format = GPMU_SINK_CSV, .separator = "1",
	};
	const char *const missing = "no-such-plugin";
	const struct gpmu_options source = {
		.size = sizeof(source), .sources = &missing, .source_count = 1,
	};

	is_refused("GraceMemBX", NULL, ENOENT, 0, "did you mean GraceMemBW?",
		   "measure: an unknown name is refused with the most similar metric");
	is_refused("task-clock,flop_count_sp", NULL, ENOTSUP, 11, "flop_count_sp: PM sampling cannot collect it",
		   "measure: the error for a name of CUPTI's former APIs has the reason why it is not counted");
	is_refused("task-clock, page-fault", NULL, ENOENT, 12, "did you mean page-faults?",
		   "measure: an unknown name is refused with the most similar event and its offset");
	is_refused("xyzzyqqqq", NULL, ENOENT, 0, "no metric or event xyzzyqqqq",
		   "measure: a name similar to nothing is refused");
	is_refused(" ,", NULL, EINVAL, 0, "expected names",
		   "measure: a list without names is refused");
	is_refused("task-clock,{page-faults", NULL, EINVAL, 11, "",
		   "measure: a brace that is not closed is refused at its offset");
	is_refused("task-clock", &no_size, EINVAL, 0, "size",
		   "measure: options without a size are refused");
	is_refused("task-clock", &newer.options, E2BIG, 0, "needs a newer",
		   "measure: options that set a member of a newer libgpmu are refused");
	is_refused("task-clock", &separator, EINVAL, 0, "",
		   "measure: a separator that occurs in numbers is refused");
	is_refused("task-clock", &source, ENOENT, 0, "no-such-plugin",
		   "measure: a plugin that does not exist is refused");
	ok(!gpmu_open("xyzzyqqqq", NULL, NULL) && errno == ENOENT,
	   "measure: the error of gpmu_open() may be NULL");
}

static void without_counters(void)
{
	const struct gpmu_rows *rows;

	ok(gpmu_begin(NULL, "a") == -EINVAL && gpmu_end(NULL, "a") == -EINVAL,
	   "measure: regions of NULL are refused with an error");
	ok(!gpmu_region_at(NULL, 0) && !gpmu_visits(NULL, "a"), "measure: NULL has no regions");
	ok(gpmu_get_rows(NULL, "a", &rows) == -EINVAL && !rows,
	   "measure: rows of NULL are refused with an error");
	ok(gpmu_print(NULL, stdout) == -EINVAL, "measure: printing NULL is refused with an error");
	gpmu_close(NULL);
}

static void regions(void)
{
	char *text;

	g = open_or_bail("{page-faults:u,context-switches:u},task-clock:u", NULL);
	text = printed();
	is_str(text, "", "measure: without regions the table is empty");
	free(text);
	ok(gpmu_end(g, "outer") == -EINVAL, "measure: a region that was not begun cannot end");
	gpmu_begin(g, "outer");
	gpmu_begin(g, "inner");
	touch(100);
	ok(gpmu_end(g, "outer") == -EINVAL, "measure: only the innermost region of a thread can end");
	ok(!gpmu_end(g, "inner"), "measure: the innermost region ends");
	touch(50);
	gpmu_end(g, "outer");
	ok(value_of("inner", "page-faults:u") >= 100 && value_of("inner", "page-faults:u") < 140,
	   "measure: a region counts the page faults of its visits");
	ok(value_of("outer", "page-faults:u") >= 150 && value_of("outer", "page-faults:u") < 200,
	   "measure: a region includes the counts of the regions in it");
	ok(value_of("outer", "task-clock:u") >= value_of("inner", "task-clock:u"),
	   "measure: an outer region takes at least the time of the inner one");
	is_u64(gpmu_visits(g, "inner"), 1, "measure: a visit is counted once it has ended");
	is_u64(gpmu_visits(g, "nowhere"), 0, "measure: a region that does not exist has no visits");
	is_str(gpmu_region_at(g, 1), "inner", "measure: regions are listed in the order of begins");
	ok(!gpmu_region_at(g, 2), "measure: the list of regions ends with NULL");
	ok(isnan(value_of("nowhere", "page-faults:u")), "measure: an unknown region has no rows");
	text = printed();
	is_u64(count_lines(text, "\n") + count_lines(text, "outer"), 3,
	       "measure: the table has a line for each event of a region, also of those in braces");
	ok(!strncmp(text, "region    visits", strlen("region    visits")),
	   "measure: the table begins with the names of its columns");
	free(text);
	gpmu_close(g);
}

#define UNENDED	"no visit of the region has ended"

/* A region that is begun and never ended, of task events, of a tool and of the model */
static void unended(void)
{
	static const char *const sources[] = { STEADY };
	struct gpmu_options options = {
		.size = sizeof(options), .sources = sources, .source_count = 1,
	};
	char *text[2];

	for (int i = 0; i < 2; i++) {
		options.per_thread = i;
		g = open_or_bail("page-faults:u,user_time,GraceMemBW", &options);
		gpmu_begin(g, "open");
		text[i] = printed();
		gpmu_close(g);
	}
	is_u64(count_lines(text[0], "<not counted> " UNENDED), 3,
	       "measure: each row of a region of which no visit has ended has this reason");
	is_u64(count_lines(text[0], "open"), 3, "measure: a region that has not ended has a row for each event");
	is_u64(count_lines(text[1], "<not counted> " UNENDED), 3,
	       "measure: a region that has not ended has the same rows per thread");
	free(text[0]);
	free(text[1]);
}

/* --- threads */

static pthread_barrier_t barrier;	/* of all threads */
static pthread_barrier_t alive;		/* of the first one and main() */

static void *work(void *arg)
{
	size_t number = (size_t)arg;

	gpmu_begin(g, "touch");
	/* All threads are in the region at the same time. */
	pthread_barrier_wait(&barrier);
	touch(1000 * (number + 1));
	pthread_barrier_wait(&barrier);
	gpmu_end(g, "touch");
	/* The thread lives until the table has been printed. */
	if (number == 0) {
		pthread_barrier_wait(&alive);
		pthread_barrier_wait(&alive);
	}
	return NULL;
}

static void run_threads(const struct gpmu_options *options, const char *how)
{
	pthread_t threads[THREADS];
	double faults;
	char *text;

	g = open_or_bail("page-faults:u,duration_time", options);
	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_barrier_init(&alive, NULL, 2);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (size_t i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_wait(&alive);
	faults = value_of("touch", "page-faults:u");
	if (!ok(faults >= 6000 && faults < 11000,
		"threads, %s: the counts of ended and living threads are added up", how))
		diag("%g page faults", faults);
	is_u64(gpmu_visits(g, "touch"), THREADS, "threads: the visits of all threads are added up");
	ok(value_of("touch", "duration_time") < 60e9, "threads: the duration of a region is known");
	text = printed();
	is_u64(count_lines(text, "page-faults:u"), options ? THREADS : 1,
	       "threads: the table has a line for each thread only if the options request it");
	free(text);
	pthread_barrier_wait(&alive);
	pthread_join(threads[0], NULL);
	faults = value_of("touch", "page-faults:u");
	ok(faults >= 6000 && faults < 11000, "threads, %s: the counts of threads stay after their end", how);
	pthread_barrier_destroy(&alive);
	pthread_barrier_destroy(&barrier);
	gpmu_close(g);
}

static void *leave(void *arg)
{
	gpmu_begin(g, "left");
	touch(10);
	return arg;
}

static void *pause_in(void *arg)
{
	const struct timespec time = { .tv_nsec = 20000000 };

	gpmu_begin(g, arg);
	nanosleep(&time, NULL);
	gpmu_end(g, arg);
	return NULL;
}

static double seconds_of(const char *region)
{
	const struct gpmu_rows *rows;
	const struct gpmu_row *row;

	if (gpmu_get_rows(g, region, &rows))
		return NAN;
	row = gpmu_rows_at(rows, 0);
	return row ? (double)row->time_end / 1e9 : NAN;
}

static void ends_of_threads(void)
{
	pthread_t thread, other;

	g = open_or_bail("page-faults:u", NULL);
	pthread_create(&thread, NULL, leave, NULL);
	pthread_join(thread, NULL);
	is_u64(gpmu_visits(g, "left"), 1, "threads: the end of a thread ends its regions");
	gpmu_begin(g, "left");
	gpmu_end(g, "left");
	is_u64(gpmu_visits(g, "left"), 2, "threads: other threads use a region after a thread has ended in it");
	for (int i = 0; i < 3; i++) {
		pthread_create(&thread, NULL, pause_in, "one");
		pthread_create(&other, NULL, pause_in, "two");
		pthread_join(thread, NULL);
		pthread_join(other, NULL);
	}
	ok(seconds_of("one") >= 0.06 && seconds_of("two") >= 0.06,
	   "threads: regions of different threads may overlap in any order");
	gpmu_close(g);
}

/* --- the model */

static void model(void)
{
	static const char *const sources[] = { STEADY };
	struct gpmu_options options = {
		.size = sizeof(options), .sources = sources, .source_count = 1,
		.aggregation = GPMU_AGGREGATE_NODE,
	};
	pthread_t threads[THREADS];
	char *text;

	g = open_or_bail("GraceMemBW,page-faults:u,nvidia_scf_pmu_0/cmem_rd_data/", &options);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, pause_in, "same");
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	ok(fabs(value_of("same", "GraceMemBW") - 131.52) < 1e-3,
	   "measure: a metric of PMUs outside the cores is counted once, not by each thread");
	text = printed();
	is_u64(count_lines(text, "GraceMemBW of N"), 2,
	       "measure: rows of PMUs outside the cores are by node if the options request it");
	is_u64(count_lines(text, "same"), 4,
	       "measure: the table has the thread's events and those of the machine");
	free(text);
	gpmu_close(g);

	options.aggregation = GPMU_AGGREGATE_SOCKET;
	g = open_or_bail("GraceMemBW", &options);
	pause_in("same");
	text = printed();
	is_u64(count_lines(text, "GraceMemBW of S"), 2,
	       "measure: rows by socket have the label of the socket, not of its node");
	free(text);
	gpmu_close(g);

	options.format = GPMU_SINK_CSV;
	options.separator = ";";
	options.aggregation = GPMU_AGGREGATE_MACHINE;
	g = open_or_bail("GraceMemBW", &options);
	gpmu_begin(g, "a \"b\"");
	gpmu_end(g, "a \"b\"");
	text = printed();
	ok(!strncmp(text, "\"a \"\"b\"\"\";", strlen("\"a \"\"b\"\"\";")) && strstr(text, ";-1;1;") &&
	   count_lines(text, "") == 1, "measure: CSV begins with region, process, thread and visits");
	free(text);
	gpmu_close(g);

	options.format = GPMU_SINK_JSON;
	g = open_or_bail("GraceMemBW", &options);
	gpmu_begin(g, "solve");
	gpmu_end(g, "solve");
	text = printed();
	ok(!strncmp(text, "{\"region\":\"solve\",\"process\":", 28) &&
	   strstr(text, ",\"thread\":-1,\"visits\":1,\""),
	   "measure: JSON begins with region, process, thread and visits");
	free(text);
	gpmu_begin(g, "a\"\xff\n");
	gpmu_end(g, "a\"\xff\n");
	text = printed();
	ok(strstr(text, "{\"region\":\"a\\\"\xef\xbf\xbd\\u000a\","),
	   "measure: JSON has U+FFFD for a byte of a region's name that is not UTF-8");
	free(text);
	gpmu_close(g);
}

/* Three groups on two counters */
static void multiplexed(void)
{
	static const char *const sources[] = { STEADY ",counters=2" };
	const struct gpmu_options options = {
		.size = sizeof(options), .sources = sources, .source_count = 1,
	};
	size_t shares = 0, whole = 0;
	char *text, *line, *save;
	double share;
	char name[64];
	int end;

	g = open_or_bail("{nvidia_scf_pmu_0/cmem_rd_data/,nvidia_scf_pmu_0/cmem_rd_access/},"
			 "{nvidia_scf_pmu_0/cmem_wr_total_bytes/,nvidia_scf_pmu_0/gmem_rd_data/},"
			 "{nvidia_scf_pmu_0/gmem_wr_total_bytes/,nvidia_scf_pmu_0/scf_cache/}", &options);
	pause_in("same");
	text = printed();
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		end = 0;
		share = 0;
		whole += sscanf(line, "same 1 %*f %63s %*[0-9]%n", name, &end) == 1 && end &&
			 strspn(line + end, " ") == 2;
		shares += sscanf(line + end, " (%lf%%)", &share) == 1 && share > 0 && share < 100;
	}
	is_u64(shares, 6, "measure: the table has the share of time of multiplexed values");
	is_u64(whole, 6, "measure: the table prints the estimate of a count as a whole number");
	free(text);
	gpmu_close(g);
}

static void without_values(void)
{
	FILE *full = fopen("/dev/full", "w");
	char *text;

	g = open_or_bail("software/config=4095/u", NULL);
	gpmu_begin(g, "a");
	gpmu_end(g, "a");
	text = printed();
	is_u64(count_lines(text, "  <not supported> "), 1,
	       "measure: the table prints an unsupported event with the reason");
	free(text);
	if (full) {
		ok(gpmu_print(g, full) == -ENOSPC, "measure: a full disk is an error");
		fclose(full);
	}
	gpmu_close(g);
}

static void targets(void)
{
	const struct gpmu_options options = { .size = sizeof(options), .inherit = 1 };
	pthread_t thread;

	g = open_or_bail("page-faults:u", &options);
	gpmu_begin(g, "all");
	pthread_create(&thread, NULL, leave, NULL);
	pthread_join(thread, NULL);
	gpmu_end(g, "all");
	ok(value_of("all", "page-faults:u") >= 10,
	   "measure: with inherit a region counts threads that the opening thread starts");
	gpmu_close(g);
}

int main(void)
{
	const struct gpmu_options by_thread = { .size = sizeof(by_thread), .per_thread = 1 };

	errors();
	without_counters();
	regions();
	unended();
	run_threads(NULL, "sum");
	run_threads(&by_thread, "by thread");
	ends_of_threads();
	model();
	multiplexed();
	without_values();
	targets();
	return done_testing();
}
