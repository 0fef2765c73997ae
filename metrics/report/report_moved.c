// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compares the bytes that counters saw on a link with the bytes copied in the same time.
 * The rest was moved by kernels that access the other side's memory, by other programs, or
 * is the link's overhead.
 */
#include <math.h>
#include <string.h>

#include "base/gpmu_double.h"
#include "report/report.h"

static const char *const ways[REPORT_WAYS] = {
	[REPORT_IN] = "in", [REPORT_OUT] = "out", [REPORT_BOTH] = "both",
};

struct moved {
	double counted, copied, migrated;
	uint64_t time;		/* ns that were counted */
	const struct report_steps *steps;	/* of the first counter */
	const char *counters;	/* "GpuC2cRxBW + ..." */
};

bool report_is_in_direction(const char *name, enum report_way way)
{
	const char *to = strstr(name, "to");
	bool is_to_device = to && to > name && to[-1] == 'H' && (to[2] == 'D' || to[2] == 'A');
	bool is_from_device = to && to > name && (to[-1] == 'D' || to[-1] == 'A') && to[2] == 'H';

	return (is_to_device && way != REPORT_OUT) || (is_from_device && way != REPORT_IN);
}

/*
 * The bytes of a copy that fall into the time in which the link was counted, evenly
 * distributed
 */
static double part(const struct moved *moved, uint64_t begin, uint64_t end, uint64_t bytes)
{
	uint64_t time;

	report_within(moved->steps, begin, end > begin ? end : begin + 1, &time);
	return (double)bytes * (double)time / (double)(end > begin ? end - begin : 1);
}

static void add_copies(struct gpmu_report *report, uint32_t gpu, enum report_way way,
		       struct moved *moved)
{
	const struct timeline *timeline = &report->timeline;

	for (size_t i = 0; i < timeline->works.n; i++) {
		const struct timeline_work *work = &timeline->works.list[i];

		if (work->kind == TIMELINE_COPY && report_is_in_direction(report_string(report, work->name), way) &&
		    timeline->streams.list[work->stream].gpu == gpu)
			moved->copied += part(moved, work->begin, work->end, work->bytes);
	}
	for (size_t i = 0; i < timeline->unified.n; i++) {
		const struct timeline_unified *unified = &timeline->unified.list[i];
		const char *name = report_string(report, unified->name);

		if (unified->gpu == gpu && !strncmp(name, "bytes", 5) && report_is_in_direction(name, way))
			moved->migrated += part(moved, unified->begin, unified->end, unified->value);
	}
}

static void add_counters(struct gpmu_report *report, const struct report_link *all, enum report_way way,
			 struct moved *moved)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct report_series *series = &all->list[i];
		const char *name = report_string(report, series->counter->name);
		uint64_t time;

		if (series->way != way)
			continue;
		moved->counted += report_within(&series->steps, 0, UINT64_MAX, &time);
		moved->counters = moved->counters ?
					  report_print(report, "%s + %s", moved->counters, name) :
					  name;
		if (moved->steps)
			continue;
		moved->steps = &series->steps;
		moved->time = time;
	}
}

/* @wants_copies: whether copies use this link */
static void put_moved(struct gpmu_report *report, size_t link, uint32_t gpu, enum report_way way,
		      bool wants_copies)
{
	struct moved moved = { 0 };
	const struct span whole = report_gpu_wall(report, gpu);
	uint64_t wall = whole.end - whole.begin;
	double left;

	add_counters(report, &report->gpus.list[gpu].links[link], way, &moved);
	if (!moved.steps)
		return;
	if (wants_copies)
		add_copies(report, gpu, way, &moved);
	left = moved.counted - moved.copied - moved.migrated;
	report_text(report, REPORT_LINKS, report_link_title(link));
	report_text(report, REPORT_LINKS, report->gpus.list[gpu].label);
	report_text(report, REPORT_LINKS, ways[way]);
	report_number(report, REPORT_LINKS, moved.counted);
	report_maybe(report, REPORT_LINKS, wants_copies, moved.copied);
	report_maybe(report, REPORT_LINKS, wants_copies, moved.migrated);
	report_maybe(report, REPORT_LINKS, wants_copies, left);
	report_maybe(report, REPORT_LINKS, wants_copies && moved.counted > 0, left / moved.counted);
	report_maybe(report, REPORT_LINKS, wall > 0, gpmu_double_min((double)moved.time / (double)wall, 1));
	report_text(report, REPORT_LINKS, moved.counters);
	if (wants_copies) {
		report->counted += moved.counted;
		report->unexplained += left;
	}
}

void report_moved(struct gpmu_report *report)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++) {
		bool has_c2c = report->gpus.list[gpu].links[REPORT_C2C].n > 0;

		/* On a machine with NVLink-C2C, copies use that link. */
		for (size_t link = 0; link < REPORT_LINKS_N; link++)
			for (size_t way = 0; way < REPORT_WAYS; way++)
				put_moved(report, link, gpu, way,
					  link == REPORT_C2C || (link == REPORT_PCIE && !has_c2c));
	}
	report_table_done(report, REPORT_LINKS, NULL);
}
