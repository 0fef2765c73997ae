// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds the counters of a link's bytes and their values over time. Grace's C2C0, C2C1 and
 * GMEM are counted on the CPU's side, as in balance_table.c: a read by the GPU is
 * incoming.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report.h"

#define TERMS	8

struct term {
	const char *counter;	/* pattern for the counter's name */
	enum report_way way;
};

/*
 * Alternative counters for a link. The first set that has counters for all its directions
 * is used, else the first set that has any counter.
 */
struct set {
	bool is_of_node;
	struct term terms[TERMS];
};

#define SETS	5

static const struct link {
	const char *name, *title, *metrics;
	struct set sets[SETS];
} links[REPORT_LINKS_N] = {
	[REPORT_C2C] = { .name = "c2c", .title = "NVLink-C2C", .metrics = "GpuC2cRxBW,GpuC2cTxBW", .sets = {
		{ false, { { "GpuC2cRxBW", REPORT_IN }, { "GpuC2cTxBW", REPORT_OUT } } },
		{ false, { { "*ctc__rx_bytes_data_user.sum*", REPORT_IN },
			   { "*ctc__tx_bytes_data_user.sum*", REPORT_OUT } } },
		{ false, { { "GpuC2cBW", REPORT_BOTH } } },
		{ true, { { "GraceC2c0ReadBW", REPORT_IN }, { "GraceC2c1ReadBW", REPORT_IN },
			  { "GraceGpuMemWriteBW", REPORT_IN },
			  { "GraceC2c0WriteBW", REPORT_OUT }, { "GraceC2c1WriteBW", REPORT_OUT },
			  { "GraceGpuMemReadBW", REPORT_OUT } } },
		{ true, { { "GraceC2c0BW", REPORT_BOTH }, { "GraceC2c1BW", REPORT_BOTH },
			  { "GraceGpuMemBW", REPORT_BOTH } } } } },
	[REPORT_PCIE] = { .name = "pcie", .title = "PCIe", .metrics = "GpuPcieReadBW,GpuPcieWriteBW", .sets = {
		{ false, { { "GpuPcieReadBW", REPORT_IN }, { "GpuPcieWriteBW", REPORT_OUT } } },
		{ false, { { "*pcie__read_bytes.sum*", REPORT_IN },
			   { "*pcie__write_bytes.sum*", REPORT_OUT } } },
		{ false, { { "GpuPcieBW", REPORT_BOTH } } } } },
	[REPORT_NVLINK] = { .name = "nvlink", .title = "NVLink", .metrics = "GpuNvlinkRxBW,GpuNvlinkTxBW", .sets = {
		{ false, { { "GpuNvlinkRxBW", REPORT_IN }, { "GpuNvlinkTxBW", REPORT_OUT } } },
		{ false, { { "*nvlrx__bytes.sum*", REPORT_IN },
			   { "*nvltx__bytes.sum*", REPORT_OUT } } } } },
	[REPORT_DRAM] = { .name = "dram", .title = "memory", .metrics = "GpuDramReadBW,GpuDramWriteBW", .sets = {
		{ false, { { "GpuDramWriteBW", REPORT_IN }, { "GpuDramReadBW", REPORT_OUT } } },
		{ false, { { "*dram__bytes_write.sum*", REPORT_IN },
			   { "*dram__bytes_read.sum*", REPORT_OUT } } },
		{ false, { { "*dram__bytes_op_write.sum*", REPORT_IN },
			   { "*dram__bytes_op_read.sum*", REPORT_OUT } } },
		{ false, { { "GpuDramBW", REPORT_BOTH } } } } },
};

const char *gpmu_report_link(size_t index)
{
	return index < REPORT_LINKS_N ? links[index].name : NULL;
}

const char *report_link_title(size_t link)
{
	return links[link].title;
}

const char *report_link_metrics(size_t link)
{
	return links[link].metrics;
}

/* --- values of a counter */

/*
 * Returns whether a counter's values are a rate in bytes per second, not an amount of bytes;
 * @factor: to bytes
 */
static bool is_rate(const struct gpmu_report *report, const struct timeline_counter *counter, double *factor)
{
	static const struct {
		const char *unit;
		double factor;
	} rates[] = {
		{ "B/s", 1 }, { "KB/s", 1e3 }, { "MB/s", 1e6 }, { "GB/s", 1e9 }, { "TB/s", 1e12 },
	};
	const char *unit = report_string(report, counter->unit);

	*factor = 1;
	for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
		if (strcmp(unit, rates[i].unit))
			continue;
		*factor = rates[i].factor;
		return true;
	}
	return false;
}

/* Times in which a counter was not counted, from its file's gaps */
static struct spans gaps_of(struct gpmu_report *report, const struct timeline_counter *counter)
{
	const struct timeline *timeline = &report->timeline;
	struct spans gaps = { 0 };

	for (size_t i = 0; i < timeline->gaps.n; i++) {
		const struct timeline_slice *gap = &timeline->gaps.list[i];

		if (gap->file == counter->file && gap->name == counter->name &&
		    (gap->other == TIMELINE_NONE || gap->other == counter->parent) &&
		    spans_add(&gaps, gap->begin, gap->end))
			report->has_failed = true;
	}
	spans_unite(&gaps);
	return gaps;
}

static void add_step(struct gpmu_report *report, struct report_steps *steps, uint64_t begin, uint64_t end,
		     double rate)
{
	const struct report_step *last = steps->n ? &steps->list[steps->n - 1] : NULL;
	struct report_step step = { .begin = begin, .end = end, .rate = rate };

	if (last) {
		step.sum = last->sum + last->rate * (double)(last->end - last->begin);
		step.time = last->time + last->end - last->begin;
	}
	if (vector_push(steps, &step))
		report->has_failed = true;
}

/*
 * Adds the parts of a value's interval that are not gaps. @first: index of the next gap,
 * which the function advances
 */
static void add_without_gaps(struct gpmu_report *report, struct report_steps *steps,
			     const struct spans *gaps, size_t *first, struct report_step step)
{
	while (*first < gaps->all.n && gaps->all.list[*first].end <= step.begin)
		(*first)++;
	for (size_t i = *first; i < gaps->all.n && step.begin < step.end; i++) {
		const struct span *gap = &gaps->all.list[i];

		if (gap->begin >= step.end)
			break;
		if (gap->begin > step.begin)
			add_step(report, steps, step.begin, gap->begin, step.rate);
		step.begin = gap->end;
	}
	if (step.begin < step.end)
		add_step(report, steps, step.begin, step.end, step.rate);
}

struct report_steps report_steps(struct gpmu_report *report, const struct timeline_counter *counter,
				 double scale)
{
	const struct timeline_file *file = &report->timeline.files.list[counter->file];
	const struct timeline_value *values = counter->values.list;
	struct spans gaps = gaps_of(report, counter);
	struct report_steps steps = { 0 };
	size_t first = 0;
	uint64_t end = 0;

	if (counter->is_held)
		end = file->end;
	vector_sort(&counter->values, compare_first);
	for (size_t i = 0; i < counter->values.n && !report->has_failed; i++) {
		struct report_step step = { .begin = values[i].time, .end = end };

		if (i + 1 < counter->values.n)
			step.end = values[i + 1].time;
		if (step.begin >= step.end)
			continue;
		step.rate = scale > 0 ? values[i].value * scale :
					values[i].value / (double)(step.end - step.begin);
		add_without_gaps(report, &steps, &gaps, &first, step);
	}
	spans_release(&gaps);
	return steps;
}

/* Integral up to a time */
static double before(const struct report_steps *steps, uint64_t time, uint64_t *counted)
{
	size_t low = 0, high = steps->n;
	const struct report_step *step;
	uint64_t part;

	*counted = 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (steps->list[middle].begin < time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	step = &steps->list[low - 1];
	part = (time < step->end ? time : step->end) - step->begin;
	*counted = step->time + part;
	return step->sum + step->rate * (double)part;
}

double report_within(const struct report_steps *steps, uint64_t begin, uint64_t end, uint64_t *time)
{
	uint64_t first, last;
	double from, to;

	*time = 0;
	if (end <= begin)
		return 0;
	from = before(steps, begin, &first);
	to = before(steps, end, &last);
	*time = last - first;
	return to - from;
}

/* --- the counters of a link */

/*
 * Returns whether a counter is of this GPU. A node's counters are matched by rank: the GPU with
 * the same position, if there are as many nodes as GPUs. A single GPU matches every node.
 */
static bool is_of(const struct gpmu_report *report, const struct timeline_counter *counter,
		  uint32_t gpu)
{
	const struct timeline *timeline = &report->timeline;
	uint32_t nodes = 0, lower = 0, rank = 0, seen[64];
	const struct timeline_gpu *own = &timeline->gpus.list[gpu];

	if (counter->gpu != TIMELINE_NONE)
		return counter->gpu == gpu;
	if (counter->is_of_process)
		return false;
	if (timeline->gpus.n == 1)
		return true;
	for (size_t i = 0; i < timeline->counters.n && nodes < 64; i++) {
		const struct timeline_counter *other = &timeline->counters.list[i];
		uint32_t k = 0;

		while (k < nodes && seen[k] != other->node)
			k++;
		if (other->node == TIMELINE_NONE || k < nodes || other->name != counter->name)
			continue;
		lower += other->node < counter->node;
		seen[nodes++] = other->node;
	}
	for (size_t i = 0; i < timeline->gpus.n; i++)
		rank += timeline->gpus.list[i].number < own->number;
	return counter->node != TIMELINE_NONE && nodes == timeline->gpus.n && rank == lower;
}

/*
 * Finds the counters of a set, all in one file so that nothing is counted twice. Returns a
 * bit mask of their directions.
 */
static unsigned int ways_of(struct gpmu_report *report, const struct set *set, uint32_t gpu,
			    struct report_link *found)
{
	const struct timeline *timeline = &report->timeline;
	uint32_t file = TIMELINE_NONE;
	unsigned int ways = 0;

	found->n = 0;
	for (size_t i = 0; i < timeline->counters.n; i++) {
		const struct timeline_counter *counter = &timeline->counters.list[i];
		const char *name = report_string(report, counter->name);

		if ((file != TIMELINE_NONE && counter->file != file) ||
		    (counter->gpu == TIMELINE_NONE) != set->is_of_node || !is_of(report, counter, gpu))
			continue;
		for (size_t k = 0; k < TERMS && set->terms[k].counter; k++) {
			if (fnmatch(set->terms[k].counter, name, 0))
				continue;
			file = counter->file;
			ways |= 1U << set->terms[k].way;
			if (vector_push(found, &(struct report_series){ .counter = counter, .way = set->terms[k].way }))
				report->has_failed = true;
		}
	}
	return ways;
}

static unsigned int all_ways(const struct set *set)
{
	unsigned int ways = 0;

	for (size_t k = 0; k < TERMS && set->terms[k].counter; k++)
		ways |= 1U << set->terms[k].way;
	return ways;
}

static void choose(struct gpmu_report *report, size_t link, uint32_t gpu)
{
	struct report_link *found = &report->gpus.list[gpu].links[link];
	const struct set *set, *any = NULL;

	for (set = links[link].sets; set < links[link].sets + SETS && set->terms[0].counter;
	     set++) {
		unsigned int ways = ways_of(report, set, gpu, found);

		if (ways == all_ways(set))
			break;
		if (ways && !any)
			any = set;
	}
	if (set == links[link].sets + SETS || !set->terms[0].counter)
		set = any;
	found->n = 0;
	if (!set)
		return;
	ways_of(report, set, gpu, found);
	for (size_t i = 0; i < found->n; i++) {
		struct report_series *series = &found->list[i];
		double factor;
		bool is_per_second = is_rate(report, series->counter, &factor);

		series->steps = report_steps(report, series->counter, is_per_second ? factor / 1e9 : 0);
	}
}

void report_links(struct gpmu_report *report)
{
	for (size_t link = 0; link < REPORT_LINKS_N; link++)
		for (uint32_t gpu = 0; gpu < report->gpus.n && !report->has_failed; gpu++)
			choose(report, link, gpu);
}

void report_links_release(struct gpmu_report *report)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		for (size_t link = 0; link < REPORT_LINKS_N; link++) {
			struct report_link *all = &report->gpus.list[gpu].links[link];

			for (size_t i = 0; i < all->n; i++)
				vector_free(&all->list[i].steps);
			free(all->list);
		}
}
