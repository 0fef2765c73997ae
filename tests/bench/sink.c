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

#define ROWS		200
#define INTERVALS	1000
#define ROUNDS		5

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
		if (gpmu_sink_rows(sink, rows, ROWS))
			exit(2);
		ns += cpu_ns() - begin;
	}
	gpmu_sink_free(sink);
	return sink ? ns / INTERVALS / ROWS : INFINITY;
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
	fclose(file);
	return 0;
}
