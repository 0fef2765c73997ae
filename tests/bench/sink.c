// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * sink: the time of a row from counts to text, for each kind of sink, beside printf()
 * of the same CSV line.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "bench.h"
#include "gpmu.h"
#include "values/rows.h"

#define ROWS		200
#define INTERVALS	1000
#define ROUNDS		5
#define ONLY_LINES	1024
#define ONLY_COLUMNS	8

static struct gpmu_row rows[ROWS];

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Alternating events and metrics, numbers of all lengths, intervals of a millisecond */
static void next_interval(unsigned int n)
{
	for (size_t i = 0; i < ROWS; i++) {
		rows[i] = (struct gpmu_row){
			.size = sizeof(rows[i]),
			.time_begin = n * 1000000,
			.time_end = (n + 1) * 1000000,
			.metric = i % 2,
			.name = i % 2 ? "GraceMemBW" : "nvidia_scf_pmu/cmem_rd_data/",
			.pmu = "nvidia_scf_pmu_0",
			.scope = GPMU_SCOPE_NODE,
			.node = (int)(i / 2 % 4),
			.package = (int)(i / 2 % 4) * 36,
			.cpu = -1,
			.pid = -1,
			.raw = i % 2 ? 0 : 1234567890 + n * i,
			.enabled = 1000123 + n,
			.running = 700000 + n,
			.share = 700000.0 / (1000123 + n),
			.counters = 1,
			.alert = -1,
			.runs = 1,
			.unit = i % 2 ? "GB/s" : NULL,
		};
		rows[i].value = i % 2 ? (double)(n + i) / 7 : (double)rows[i].raw * 10 / 7;
	}
}

/* Time per row in ns, without the time to make the rows */
static double measure(enum gpmu_sink_kind kind, FILE *file)
{
	struct gpmu_sink_options options = { .size = sizeof(options),
					     .interval = 1,
					     .big_numbers = 1 };
	struct gpmu_sink *sink = gpmu_sink_new(kind, file, &options, NULL);
	double ns = 0;

	for (unsigned int n = 0; sink && n < INTERVALS; n++) {
		double begin;

		next_interval(n);
		begin = cpu_ns();
		if (gpmu_sink_rows(sink, &(struct gpmu_rows){ rows, ROWS }))
			exit(2);
		ns += cpu_ns() - begin;
	}
	gpmu_sink_free(sink);
	return sink ? ns / INTERVALS / ROWS : INFINITY;
}

/* Time per value in ns of a table of metrics only, which has a line for each CPU */
static double measure_only(FILE *file)
{
	static const char *const names[ONLY_COLUMNS] = { "a", "b", "c", "d", "e", "f", "g", "h" };
	static struct gpmu_row list[ONLY_LINES * ONLY_COLUMNS];
	const size_t n = sizeof(list) / sizeof(list[0]);
	struct gpmu_sink_options options = { .size = sizeof(options),
					     .aggregation = GPMU_AGGREGATE_CPU,
					     .metric_only = 1 };
	struct gpmu_sink *sink = gpmu_sink_new(GPMU_SINK_CSV, file, &options, NULL);
	double begin;

	for (size_t i = 0; i < n; i++)
		list[i] = (struct gpmu_row){ .size = sizeof(list[i]), .metric = 1,
					     .name = names[i / ONLY_LINES], .scope = GPMU_SCOPE_CPU,
					     .cpu = (int)(i % ONLY_LINES), .value = (double)i / 7 };
	if (!sink)
		return INFINITY;
	begin = cpu_ns();
	if (gpmu_sink_rows(sink, &(struct gpmu_rows){ list, n }))
		exit(2);
	begin = cpu_ns() - begin;
	gpmu_sink_free(sink);
	return begin / (double)n;
}

/* printf() does not print the fewest digits. */
static double measure_printf(FILE *file)
{
	double ns = 0;

	for (unsigned int n = 0; n < INTERVALS; n++) {
		double begin;

		next_interval(n);
		begin = cpu_ns();
		for (const struct gpmu_row *row = rows; row < rows + ROWS; row++)
			fprintf(file,
				"%.9f,%.9f,%s,%s,%d,%d,,,%s,%s,%s,%.17g,%s,%s,%.17g,%lu,%lu,%lu,"
				"%zu,%u,%.17g,,\n",
				(double)row->time_begin / 1e9, (double)row->time_end / 1e9, "host", "node", row->node, row->package,
				row->pmu, row->metric ? "metric" : "event", row->name, row->value,
				row->unit ? row->unit : "", "ok", row->share,
				(unsigned long)row->raw, (unsigned long)row->enabled,
				(unsigned long)row->running, row->counters, row->runs,
				row->deviation);
		fflush(file);
		ns += cpu_ns() - begin;
	}
	return ns / INTERVALS / ROWS;
}

static void print_only(FILE *file, double print, const char *theirs)
{
	double best = INFINITY;
	char ours[24];

	for (int i = 0; i < ROUNDS; i++)
		best = fmin(best, measure_only(file));
	snprintf(ours, sizeof(ours), "%.0f ns", best);
	bench_row("a value of --metric-only, 1,024 CPUs x 8 metrics", ours, theirs, best / print, 0);
}

int main(void)
{
	static const char *const names[] = { "summary", "CSV", "JSON" };
	FILE *file = fopen("/dev/null", "w");
	char what[40], ours[24], theirs[24];
	double print;

	if (!file)
		return 2;
	print = measure_printf(file);
	snprintf(theirs, sizeof(theirs), "%.0f ns", print);
	for (int kind = GPMU_SINK_SUMMARY; kind <= GPMU_SINK_JSON; kind++) {
		double best = INFINITY;

		/* The best of several rounds, as the machine may have other load */
		for (int i = 0; i < ROUNDS; i++)
			best = fmin(best, measure((enum gpmu_sink_kind)kind, file));
		snprintf(what, sizeof(what), "a row of %s beside printf() of CSV", names[kind]);
		snprintf(ours, sizeof(ours), "%.0f ns", best);
		bench_row(what, ours, theirs, best / print, 0);
	}
	print_only(file, print, theirs);
	fclose(file);
	return 0;
}
