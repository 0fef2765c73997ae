// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Attributes a link's bytes to kernels and copies (Richardson-Lucy). The bytes in an
 * interval of a counter are divided among the names that ran in it, by their running time
 * and their rate in bytes per time. The rates are those that best explain all intervals
 * together: starting from equal rates, each iteration increases the likelihood. Names that
 * always ran together keep equal rates.
 *
 * Bytes are certain if one name ran alone, for the time that it ran, and if the other
 * names cannot have moved them at the highest rate that they had elsewhere. The confidence
 * is the share of certain bytes.
 */
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "report/report.h"

#define ROUNDS		32
#define NO_RATE		1e-6	/* of the largest rate; a smaller one converges to 0 */

/* The bytes attributed to one name */
struct share {
	double ways[REPORT_WAYS];
	double sure;			/* certain bytes */
	/* ns of running time within intervals of the first counter of each GPU */
	uint64_t time;
	/* ns in the current interval; covered: overlaps counted once */
	uint64_t now, covered;
	uint64_t reached;		/* time up to which covered is computed */
	enum timeline_work_kind kind;
	bool is_used;
	/* For the current counter */
	double rate, max;		/* bytes/ns; upper limit where other names ran, too */
	double sum, counted;		/* bytes in this iteration; ns */
	double widest;			/* largest share of an interval that the name covered */
};

/* A name's part in an interval; an interval with its parts */
struct part {
	uint32_t name;
	uint64_t time, covered;
};

struct interval {
	double bytes;
	uint64_t length;		/* ns */
	size_t first, n;
};

struct sharing {
	struct share *shares;		/* indexed by the name's number in the string table */
	size_t share_count;
	const struct timeline_work **works;	/* of one GPU, sorted by time */
	size_t n, next;
	VECTOR(const struct timeline_work *) running;	/* those in the interval, sorted by time */
	VECTOR(uint32_t) names;		/* in the interval */
	VECTOR(struct interval) intervals;	/* of one counter */
	VECTOR(struct part) parts;
	double nobody[REPORT_WAYS];	/* bytes in intervals in which nothing ran */
	bool is_first;			/* the current counter is the GPU's first */
};

static int by_begin(const void *left, const void *right)
{
	const struct timeline_work *a = *(const struct timeline_work *const *)left;
	const struct timeline_work *b = *(const struct timeline_work *const *)right;

	return COMPARE(a->begin, b->begin);
}

/* Collects all work on a GPU. */
static void find_works(struct gpmu_report *report, uint32_t gpu, struct sharing *sharing)
{
	const struct timeline *timeline = &report->timeline;

	sharing->n = 0;
	for (size_t i = 0; i < timeline->works.n; i++) {
		const struct timeline_work *work = &timeline->works.list[i];

		if (timeline->streams.list[work->stream].gpu == gpu)
			sharing->works[sharing->n++] = work;
	}
	if (sharing->n)
		qsort(sharing->works, sharing->n, sizeof(struct timeline_work *), by_begin);
}

/* Updates the list of works that ran in an interval; intervals must come in order of time. */
static void find_running(struct gpmu_report *report, struct sharing *sharing,
			 const struct report_step *step)
{
	const struct timeline_work **running;
	size_t kept = 0;

	for (; sharing->next < sharing->n && sharing->works[sharing->next]->begin < step->end; sharing->next++)
		if (vector_push(&sharing->running, &sharing->works[sharing->next])) {
			report->has_failed = true;
			return;
		}
	running = sharing->running.list;
	for (size_t i = 0; i < sharing->running.n; i++)
		if (running[i]->end > step->begin)
			running[kept++] = running[i];
	sharing->running.n = kept;
}

/* Measures how long each name ran in the interval; returns the sum. */
static uint64_t measure(struct gpmu_report *report, struct sharing *sharing,
			const struct report_step *step)
{
	uint64_t sum = 0;

	sharing->names.n = 0;
	for (size_t i = 0; i < sharing->running.n; i++) {
		const struct timeline_work *work = sharing->running.list[i];
		uint64_t begin = work->begin > step->begin ? work->begin : step->begin;
		uint64_t end = work->end < step->end ? work->end : step->end;
		struct share *share = &sharing->shares[work->name];

		if (end <= begin)
			continue;
		if (!share->now) {
			if (vector_push(&sharing->names, &work->name)) {
				report->has_failed = true;
				return 0;
			}
			share->reached = step->begin;
			share->covered = 0;
			share->kind = work->kind;
			share->is_used = true;
		}
		share->now += end - begin;
		if (end > share->reached) {
			share->covered += end - (begin > share->reached ? begin : share->reached);
			share->reached = end;
		}
		sum += end - begin;
	}
	return sum;
}

static void add_parts(struct gpmu_report *report, struct sharing *sharing,
		      struct interval *interval)
{
	interval->first = sharing->parts.n;
	interval->n = sharing->names.n;
	for (size_t i = 0; i < sharing->names.n; i++) {
		uint32_t name = sharing->names.list[i];
		struct share *share = &sharing->shares[name];

		if (vector_push(&sharing->parts,
				&(struct part){ .name = name, .time = share->now, .covered = share->covered }))
			report->has_failed = true;
		share->time += sharing->is_first ? share->now : 0;
		share->now = 0;
	}
}

static void add_interval(struct gpmu_report *report, struct sharing *sharing,
			 const struct report_step *step, enum report_way way)
{
	struct interval interval = { .length = step->end - step->begin };

	interval.bytes = step->rate * (double)interval.length;
	/* A value that is no amount is not attributed. */
	if (!(interval.bytes > 0) || isinf(interval.bytes))
		interval.bytes = 0;
	find_running(report, sharing, step);
	if (report->has_failed || !measure(report, sharing, step)) {
		sharing->nobody[way] += interval.bytes;
		return;
	}
	add_parts(report, sharing, &interval);
	if (report->has_failed || vector_push(&sharing->intervals, &interval))
		report->has_failed = true;
}

static const struct part *parts_of(const struct sharing *sharing, const struct interval *interval)
{
	return &sharing->parts.list[interval->first];
}

/* Sum over the interval's parts of rate times running time; 0 if all rates are 0 */
static double weigh(const struct sharing *sharing, const struct interval *interval)
{
	const struct part *parts = parts_of(sharing, interval);
	double sum = 0;

	for (size_t i = 0; i < interval->n; i++)
		sum += sharing->shares[parts[i].name].rate * (double)parts[i].time;
	return sum;
}

/* Bytes of a part. @sum: result of weigh() */
static double bytes_of(const struct sharing *sharing, const struct interval *interval,
		       const struct part *part, double sum)
{
	double time = (double)part->time, all = 0;

	if (sum > 0)
		return interval->bytes * sharing->shares[part->name].rate * time / sum;
	for (size_t i = 0; i < interval->n; i++)
		all += (double)parts_of(sharing, interval)[i].time;
	return interval->bytes * time / all;
}

static void find_widest(struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->share_count; i++) {
		struct share *share = &sharing->shares[i];

		share->rate = 1;
		share->max = INFINITY;
		share->counted = share->widest = 0;
	}
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct interval *interval = &sharing->intervals.list[i];
		const struct part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct share *share = &sharing->shares[parts[k].name];

			share->counted += (double)parts[k].time;
			share->widest = fmax(share->widest,
					     (double)parts[k].covered / (double)interval->length);
		}
	}
}

/*
 * Limits each name's rate by the interval with the fewest bytes for its time, among the
 * intervals that the name covers substantially, not only at the edge of its work.
 */
static void find_max(struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct interval *interval = &sharing->intervals.list[i];
		const struct part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct share *share = &sharing->shares[parts[k].name];

			if ((double)parts[k].covered >=
			    share->widest / 2 * (double)interval->length)
				share->max =
					fmin(share->max, interval->bytes / (double)parts[k].time);
		}
	}
}

/* Performs one iteration: improves the rates so that they better explain the intervals. */
static void find_rates(struct sharing *sharing)
{
	double largest = 0;

	for (size_t i = 0; i < sharing->share_count; i++)
		sharing->shares[i].sum = 0;
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct interval *interval = &sharing->intervals.list[i];
		const struct part *parts = parts_of(sharing, interval);
		double sum = weigh(sharing, interval);

		for (size_t k = 0; k < interval->n; k++)
			sharing->shares[parts[k].name].sum +=
				bytes_of(sharing, interval, &parts[k], sum);
	}
	for (size_t i = 0; i < sharing->share_count; i++) {
		struct share *share = &sharing->shares[i];

		share->rate = share->counted > 0 ? share->sum / share->counted : 0;
		largest = fmax(largest, share->rate);
	}
	for (size_t i = 0; i < sharing->share_count; i++)
		if (sharing->shares[i].rate < largest * NO_RATE)
			sharing->shares[i].rate = 0;
}

/* Returns the bytes of a part's @bytes that no other name can have moved. */
static double sure_of(const struct sharing *sharing, const struct interval *interval, size_t index,
		      double bytes)
{
	const struct part *parts = parts_of(sharing, interval);
	const struct share *share = &sharing->shares[parts[index].name];
	double others = 0, covered = 0;

	for (size_t i = 0; i < interval->n; i++) {
		covered += (double)parts[i].covered / (double)interval->length;
		if (i != index)
			others += sharing->shares[parts[i].name].max * (double)parts[i].time;
	}
	/* Its rate over all intervals must explain at least half of these bytes. */
	if (interval->n > 1 && share->rate * (double)parts[index].time * 2 < interval->bytes)
		return 0;
	return fmax(0, fmin(bytes, interval->bytes - others)) * fmin(1, covered);
}

static void share_counter(struct sharing *sharing, enum report_way way)
{
	find_widest(sharing);
	find_max(sharing);
	for (int i = 0; i < ROUNDS; i++)
		find_rates(sharing);
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct interval *interval = &sharing->intervals.list[i];
		const struct part *parts = parts_of(sharing, interval);
		double sum = weigh(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			double bytes = bytes_of(sharing, interval, &parts[k], sum);

			sharing->shares[parts[k].name].ways[way] += bytes;
			sharing->shares[parts[k].name].sure += sure_of(sharing, interval, k, bytes);
		}
	}
}

static void share_gpu(struct gpmu_report *report, uint32_t gpu, struct sharing *sharing)
{
	const struct report_link *all = &report->gpus.list[gpu].links[report->link];

	if (all->n)
		find_works(report, gpu, sharing);
	for (size_t i = 0; i < all->n; i++) {
		const struct report_series *series = &all->list[i];

		sharing->is_first = i == 0;
		sharing->next = sharing->running.n = sharing->intervals.n = sharing->parts.n = 0;
		for (size_t k = 0; k < series->steps.n && !report->has_failed; k++)
			add_interval(report, sharing, &series->steps.list[k], series->way);
		if (!report->has_failed)
			share_counter(sharing, series->way);
	}
}

static double sum_of(const double *ways)
{
	return ways[REPORT_IN] + ways[REPORT_OUT] + ways[REPORT_BOTH];
}

/* If a counter covers both directions, the split is unknown. */
static void put_ways(struct gpmu_report *report, const double *ways, bool is_split, double all)
{
	double bytes = sum_of(ways);

	report_number(report, REPORT_ATTRIBUTION, bytes);
	report_maybe(report, REPORT_ATTRIBUTION, all > 0, bytes / all);
	report_maybe(report, REPORT_ATTRIBUTION, is_split, ways[REPORT_IN]);
	report_maybe(report, REPORT_ATTRIBUTION, is_split, ways[REPORT_OUT]);
}

static void put_shares(struct gpmu_report *report, const struct sharing *sharing, size_t n)
{
	static const char *const kinds[] = {
		[TIMELINE_KERNEL] = "kernel", [TIMELINE_COPY] = "memcpy", [TIMELINE_SET] = "memset",
		[TIMELINE_GRAPH] = "graph",
	};
	double all = sum_of(sharing->nobody), both = sharing->nobody[REPORT_BOTH];

	for (uint32_t i = 0; i < n; i++) {
		all += sum_of(sharing->shares[i].ways);
		both += sharing->shares[i].ways[REPORT_BOTH];
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct share *share = &sharing->shares[i];
		double bytes = sum_of(share->ways);

		if (!share->is_used)
			continue;
		report_text(report, REPORT_ATTRIBUTION, report_string(report, i));
		report_text(report, REPORT_ATTRIBUTION, kinds[share->kind]);
		put_ways(report, share->ways, both == 0, all);
		report_number(report, REPORT_ATTRIBUTION, (double)share->time);
		report_maybe(report, REPORT_ATTRIBUTION, bytes > 0, share->sure / bytes);
	}
	report_text(report, REPORT_ATTRIBUTION, "(no recorded activity)");
	report_text(report, REPORT_ATTRIBUTION, "");
	put_ways(report, sharing->nobody, both == 0, all);
	report_none(report, REPORT_ATTRIBUTION);
	report_none(report, REPORT_ATTRIBUTION);
}

/* Returns whether a link has counters. */
static bool has(const struct gpmu_report *report, size_t link)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		if (report->gpus.list[gpu].links[link].n)
			return true;
	return false;
}

static const char *why_none(struct gpmu_report *report)
{
	const char *title = report_link_title(report->link);

	for (size_t link = 0; link < REPORT_LINKS_N; link++)
		if (link != report->link && has(report, link))
			return report_print(report,
					    "no counter of %s was recorded; --link=%s has one",
					    title, gpmu_report_link(link));
	return report_print(report, "no counter of %s was recorded: gpmu record -M %s", title,
			    report_link_metrics(report->link));
}

void report_attribution(struct gpmu_report *report)
{
	size_t n = report->timeline.strings.texts.n;
	struct sharing sharing = { .share_count = n };

	report->tables[REPORT_ATTRIBUTION].shown.title =
		report_print(report, "%s bytes by kernel and copy", report_link_title(report->link));
	if (!has(report, report->link)) {
		report_note(report, REPORT_ATTRIBUTION, why_none(report));
		report_table_done(report, REPORT_ATTRIBUTION, "bytes");
		return;
	}
	sharing.shares = calloc(n + 1, sizeof(*sharing.shares));
	sharing.works = calloc(report->timeline.works.n + 1, sizeof(struct timeline_work *));
	if (!sharing.shares || !sharing.works)
		report->has_failed = true;
	for (uint32_t gpu = 0; gpu < report->gpus.n && !report->has_failed; gpu++)
		share_gpu(report, gpu, &sharing);
	if (!report->has_failed)
		put_shares(report, &sharing, n);
	vector_free(&sharing.running);
	vector_free(&sharing.names);
	vector_free(&sharing.intervals);
	vector_free(&sharing.parts);
	free(sharing.shares);
	free(sharing.works);
	report_table_done(report, REPORT_ATTRIBUTION, "bytes");
}
