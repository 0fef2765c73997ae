// SPDX-License-Identifier: LGPL-2.1-or-later
/* Compares files side by side, and their imbalance. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report.h"

enum quantity { WALL, KERNELS, IDLE, BYTES, API, SYNC, QUANTITIES };

static const struct {
	const char *name, *unit;
} quantities[QUANTITIES] = {
	[WALL] = { "wall", "ns" }, [KERNELS] = { "kernels", "ns" }, [IDLE] = { "idle", "ns" },
	[BYTES] = { "bytes", "B" }, [API] = { "api", "ns" }, [SYNC] = { "sync", "ns" },
};

const char *report_rank(struct gpmu_report *report, uint32_t index)
{
	int64_t rank = report->timeline.files.list[index].rank;

	return report_print(report, "%lld", rank >= 0 ? (long long)rank : (long long)index);
}

/* Time that the program waited, excluding streams that waited for events */
static uint64_t waited(const struct gpmu_report *report, uint32_t file)
{
	uint64_t time = 0;

	for (size_t i = 0; i < report->timeline.waits.n; i++) {
		const struct timeline_slice *wait = &report->timeline.waits.list[i];

		if (wait->file == file &&
		    strcmp(report_string(report, wait->name), "stream wait") != 0)
			time += wait->end - wait->begin;
	}
	return time;
}

static void measure(struct gpmu_report *report, uint32_t index, double *values)
{
	const struct timeline_file *file = &report->timeline.files.list[index];
	uint64_t wall = timeline_wall(file);

	for (size_t i = 0; i < QUANTITIES; i++)
		values[i] = 0;
	values[WALL] = (double)wall;
	for (size_t i = 0; i < report->loads.n; i++) {
		const struct report_load *load = &report->loads.list[i];

		if (load->file != index)
			continue;
		values[KERNELS] += (double)spans_total(&load->kernels);
		values[IDLE] += (double)(wall - spans_within(&load->busy, file->begin, file->end));
		values[BYTES] += (double)load->bytes;
	}
	values[API] = (double)report_api_time(report, index);
	values[SYNC] = (double)waited(report, index);
}

static void put_rank(struct gpmu_report *report, uint32_t index, const double *values)
{
	const struct timeline_file *file = &report->timeline.files.list[index];

	report_text(report, REPORT_RANKS, report_rank(report, index));
	report_text(report, REPORT_RANKS, report_string(report, file->host));
	for (size_t i = 0; i < QUANTITIES; i++)
		report_number(report, REPORT_RANKS, values[i]);
	report_text(report, REPORT_RANKS, file->path);
}

static void put_quantity(struct gpmu_report *report, enum quantity quantity, const uint32_t *order,
			 const double *values, size_t n)
{
	double low = values[quantity], high = low, sum = 0;
	size_t highest = 0;

	for (size_t i = 0; i < n; i++) {
		double value = values[i * QUANTITIES + quantity];

		sum += value;
		low = value < low ? value : low;
		if (value > high) {
			high = value;
			highest = i;
		}
	}
	report_text(report, REPORT_IMBALANCE, quantities[quantity].name);
	report_number(report, REPORT_IMBALANCE, low);
	report_number(report, REPORT_IMBALANCE, sum / (double)n);
	report_number(report, REPORT_IMBALANCE, high);
	report_text(report, REPORT_IMBALANCE, quantities[quantity].unit);
	report_maybe(report, REPORT_IMBALANCE, sum > 0, high * (double)n / sum - 1);
	report_text(report, REPORT_IMBALANCE, report_rank(report, order[highest]));
}

static int by_rank(const void *left, const void *right, void *user)
{
	const struct gpmu_report *report = user;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	int64_t a = report->timeline.files.list[i].rank, b = report->timeline.files.list[k].rank;

	a = a >= 0 ? a : i;
	b = b >= 0 ? b : k;
	return COMPARE(a, b) ?: COMPARE(i, k);
}

uint32_t *report_rank_order(struct gpmu_report *report)
{
	size_t n = report->timeline.files.n;
	uint32_t *order = calloc(n + 1, sizeof(*order));

	report->has_failed = report->has_failed || !order;
	for (uint32_t i = 0; order && i < n; i++)
		order[i] = i;
	if (order && n)
		qsort_r(order, n, sizeof(*order), by_rank, report);
	return order;
}

void report_ranks(struct gpmu_report *report)
{
	size_t n = report->timeline.files.n;
	uint32_t *order = report_rank_order(report);
	double *values = calloc(n + 1, QUANTITIES * sizeof(*values));

	report->has_failed = report->has_failed || !values;
	if (!report->has_failed && n) {
		for (size_t i = 0; i < n; i++) {
			measure(report, order[i], values + i * QUANTITIES);
			put_rank(report, order[i], values + i * QUANTITIES);
		}
		for (size_t i = 0; n > 1 && i < QUANTITIES; i++)
			put_quantity(report, i, order, values, n);
	}
	free(order);
	free(values);
	report_table_done(report, REPORT_RANKS, NULL);
	report_table_done(report, REPORT_IMBALANCE, NULL);
}
