// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whose bytes those of a link are. What an interval of a counter has is shared by what ran in it: by how long each
 * did, and by what it moves in a unit of time. That is what has all intervals together come true, found in
 * rounds from equal rates on: a maximum of likelihood (Richardson, Lucy). Names which ran always together stay equal.
 *
 * It is certain where one thing ran, as long as it did, and where the others cannot have moved it by what
 * they have moved at most elsewhere. The confidence says of how many bytes.
 */
#include <math.h>

#include "report.h"

#define ROUNDS		32
#define NO_RATE		1e-6	/* of the largest: it is on its way to 0 */

/* What has the same name */
struct share {
	double ways[REPORT_WAYS];
	double sure;			/* bytes */
	uint64_t time;			/* that was counted, by the first counter of each GPU */
	uint64_t now, covered;		/* in the interval that is looked at; covered: each moment once */
	uint64_t reached;		/* up to when it is covered */
	enum timeline_work_kind kind;
	bool used;
	/* Of one counter */
	double rate, most;		/* bytes/ns; what it can have at most where it is not alone */
	double sum, counted;		/* bytes of a round; ns */
	double widest;			/* the largest part of an interval that it has covered */
};

/* A name in an interval, an interval with its parts */
struct pays_part {
	uint32_t name;
	uint64_t time, covered;
};

struct pays_interval {
	double bytes;
	uint64_t length;		/* ns */
	size_t first, n;
};

struct sharing {
	struct share *shares;		/* by the word of the name */
	size_t n_shares;
	const struct timeline_work **works;	/* of a GPU, in order of time */
	size_t n, next;
	struct array running;		/* const struct timeline_work *, of the interval and in that order */
	struct array names;		/* uint32_t, of those in the interval */
	struct array intervals;		/* struct pays_interval, of a counter */
	struct array parts;		/* struct pays_part */
	double nobody[REPORT_WAYS];	/* while nothing ran */
	bool first;			/* the counter is the GPU's first */
};

static int by_begin(const void *one, const void *other)
{
	const struct timeline_work *a = *(const struct timeline_work *const *)one;
	const struct timeline_work *b = *(const struct timeline_work *const *)other;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

/* All that ran on a GPU */
static void find_works(struct gpmu_report *report, uint32_t gpu, struct sharing *sharing)
{
	const struct timeline *timeline = &report->timeline;

	sharing->n = 0;
	for (size_t i = 0; i < timeline->works.n; i++) {
		const struct timeline_work *work = timeline_at(&timeline->works, struct timeline_work, i);

		if (timeline_at(&timeline->streams, struct timeline_stream, work->stream)->gpu == gpu)
			sharing->works[sharing->n++] = work;
	}
	if (sharing->n)
		qsort(sharing->works, sharing->n, sizeof(struct timeline_work *), by_begin);
}

/* Those that ran in an interval; intervals come in order of time. */
static void find_running(struct gpmu_report *report, struct sharing *sharing, const struct report_step *step)
{
	const struct timeline_work **running;
	size_t kept = 0;

	while (sharing->next < sharing->n && sharing->works[sharing->next]->begin < step->end) {
		const struct timeline_work **added = array_add(&sharing->running, sizeof(struct timeline_work *));

		if (!added) {
			report->failed = true;
			return;
		}
		*added = sharing->works[sharing->next++];
	}
	running = sharing->running.data;
	for (size_t i = 0; i < sharing->running.n; i++)
		if (running[i]->end > step->begin)
			running[kept++] = running[i];
	sharing->running.n = kept;
}

/* How long each name ran in it; the sum of all */
static uint64_t measure(struct gpmu_report *report, struct sharing *sharing, const struct report_step *step)
{
	uint64_t sum = 0;

	sharing->names.n = 0;
	for (size_t i = 0; i < sharing->running.n; i++) {
		const struct timeline_work *work = *timeline_at(&sharing->running, const struct timeline_work *, i);
		uint64_t begin = work->begin > step->begin ? work->begin : step->begin;
		uint64_t end = work->end < step->end ? work->end : step->end;
		struct share *share = &sharing->shares[work->name];

		if (end <= begin)
			continue;
		if (!share->now) {
			uint32_t *name = array_add(&sharing->names, sizeof(*name));

			if (!name) {
				report->failed = true;
				return 0;
			}
			*name = work->name;
			share->reached = step->begin;
			share->covered = 0;
			share->kind = work->kind;
			share->used = true;
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

static void add_parts(struct gpmu_report *report, struct sharing *sharing, struct pays_interval *interval)
{
	interval->first = sharing->parts.n;
	interval->n = sharing->names.n;
	for (size_t i = 0; i < sharing->names.n; i++) {
		uint32_t name = *timeline_at(&sharing->names, uint32_t, i);
		struct share *share = &sharing->shares[name];
		struct pays_part *part = array_add(&sharing->parts, sizeof(*part));

		if (part)
			*part = (struct pays_part){ name, share->now, share->covered };
		else
			report->failed = true;
		share->time += sharing->first ? share->now : 0;
		share->now = 0;
	}
}

static void add_interval(struct gpmu_report *report, struct sharing *sharing, const struct report_step *step,
			 enum report_way way)
{
	struct pays_interval interval = { .length = step->end - step->begin }, *added;

	interval.bytes = step->rate * (double)interval.length;
	/* What is no amount has no share. */
	if (!(interval.bytes > 0) || isinf(interval.bytes))
		interval.bytes = 0;
	find_running(report, sharing, step);
	if (report->failed || !measure(report, sharing, step)) {
		sharing->nobody[way] += interval.bytes;
		return;
	}
	add_parts(report, sharing, &interval);
	added = report->failed ? NULL : array_add(&sharing->intervals, sizeof(*added));
	if (added)
		*added = interval;
	else
		report->failed = true;
}

static const struct pays_interval *interval_at(const struct sharing *sharing, size_t i)
{
	return timeline_at(&sharing->intervals, struct pays_interval, i);
}

static const struct pays_part *parts_of(const struct sharing *sharing, const struct pays_interval *interval)
{
	return (const struct pays_part *)sharing->parts.data + interval->first;
}

/* What all of an interval move in it by their rates; 0: none has any */
static double weigh(const struct sharing *sharing, const struct pays_interval *interval)
{
	const struct pays_part *parts = parts_of(sharing, interval);
	double sum = 0;

	for (size_t i = 0; i < interval->n; i++)
		sum += sharing->shares[parts[i].name].rate * (double)parts[i].time;
	return sum;
}

/* A part's bytes. @sum: of weigh() */
static double bytes_of(const struct sharing *sharing, const struct pays_interval *interval,
		       const struct pays_part *part, double sum)
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
	for (size_t i = 0; i < sharing->n_shares; i++) {
		struct share *share = &sharing->shares[i];

		share->rate = 1;
		share->most = INFINITY;
		share->counted = share->widest = 0;
	}
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct pays_interval *interval = interval_at(sharing, i);
		const struct pays_part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct share *share = &sharing->shares[parts[k].name];

			share->counted += (double)parts[k].time;
			share->widest = fmax(share->widest, (double)parts[k].covered / (double)interval->length);
		}
	}
}

/* By the interval with the fewest bytes: of those that are not at the edge of what has that name */
static void find_most(struct sharing *sharing)
{
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct pays_interval *interval = interval_at(sharing, i);
		const struct pays_part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct share *share = &sharing->shares[parts[k].name];

			if ((double)parts[k].covered >= share->widest / 2 * (double)interval->length)
				share->most = fmin(share->most, interval->bytes / (double)parts[k].time);
		}
	}
}

/* The rates by which the intervals come true, nearer by a round */
static void find_rates(struct sharing *sharing)
{
	double largest = 0;

	for (size_t i = 0; i < sharing->n_shares; i++)
		sharing->shares[i].sum = 0;
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct pays_interval *interval = interval_at(sharing, i);
		const struct pays_part *parts = parts_of(sharing, interval);
		double sum = weigh(sharing, interval);

		for (size_t k = 0; k < interval->n; k++)
			sharing->shares[parts[k].name].sum += bytes_of(sharing, interval, &parts[k], sum);
	}
	for (size_t i = 0; i < sharing->n_shares; i++) {
		struct share *share = &sharing->shares[i];

		share->rate = share->counted > 0 ? share->sum / share->counted : 0;
		largest = fmax(largest, share->rate);
	}
	for (size_t i = 0; i < sharing->n_shares; i++)
		if (sharing->shares[i].rate < largest * NO_RATE)
			sharing->shares[i].rate = 0;
}

/* Of @bytes of a part those that are no other's */
static double sure_of(const struct sharing *sharing, const struct pays_interval *interval, size_t index, double bytes)
{
	const struct pays_part *parts = parts_of(sharing, interval);
	const struct share *share = &sharing->shares[parts[index].name];
	double others = 0, covered = 0;

	for (size_t i = 0; i < interval->n; i++) {
		covered += (double)parts[i].covered / (double)interval->length;
		if (i != index)
			others += sharing->shares[parts[i].name].most * (double)parts[i].time;
	}
	/* It moves as much elsewhere too. */
	if (interval->n > 1 && share->rate * (double)parts[index].time * 2 < interval->bytes)
		return 0;
	return fmax(0, fmin(bytes, interval->bytes - others)) * fmin(1, covered);
}

static void share_counter(struct sharing *sharing, enum report_way way)
{
	find_widest(sharing);
	find_most(sharing);
	for (int i = 0; i < ROUNDS; i++)
		find_rates(sharing);
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct pays_interval *interval = interval_at(sharing, i);
		const struct pays_part *parts = parts_of(sharing, interval);
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
	const struct array *all = &report_gpu(report, gpu)->links[report->link];

	if (all->n)
		find_works(report, gpu, sharing);
	for (size_t i = 0; i < all->n; i++) {
		const struct report_series *series = timeline_at(all, struct report_series, i);

		sharing->first = i == 0;
		sharing->next = sharing->running.n = sharing->intervals.n = sharing->parts.n = 0;
		for (size_t k = 0; k < series->steps.n && !report->failed; k++)
			add_interval(report, sharing, timeline_at(&series->steps, struct report_step, k), series->way);
		if (!report->failed)
			share_counter(sharing, series->way);
	}
}

static double sum_of(const double *ways)
{
	return ways[REPORT_IN] + ways[REPORT_OUT] + ways[REPORT_BOTH];
}

/* Counters of both ways at a time do not tell which. */
static void put_ways(struct gpmu_report *report, const double *ways, bool split, double all)
{
	double bytes = sum_of(ways);

	report_number(report, REPORT_PAYS, bytes);
	report_maybe(report, REPORT_PAYS, all > 0, bytes / all);
	report_maybe(report, REPORT_PAYS, split, ways[REPORT_IN]);
	report_maybe(report, REPORT_PAYS, split, ways[REPORT_OUT]);
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

		if (!share->used)
			continue;
		report_text(report, REPORT_PAYS, report_word(report, i));
		report_text(report, REPORT_PAYS, kinds[share->kind]);
		put_ways(report, share->ways, both == 0, all);
		report_number(report, REPORT_PAYS, (double)share->time);
		report_maybe(report, REPORT_PAYS, bytes > 0, share->sure / bytes);
	}
	report_text(report, REPORT_PAYS, "(nothing that was recorded)");
	report_text(report, REPORT_PAYS, "");
	put_ways(report, sharing->nobody, both == 0, all);
	report_none(report, REPORT_PAYS);
	report_none(report, REPORT_PAYS);
}

/* Whether there are counters of a link */
static bool has(const struct gpmu_report *report, size_t link)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		if (report_gpu(report, gpu)->links[link].n)
			return true;
	return false;
}

static const char *why_none(struct gpmu_report *report)
{
	const char *title = report_link_title(report->link);

	for (size_t link = 0; link < REPORT_LINKS_N; link++)
		if (link != report->link && has(report, link))
			return report_print(report, "no counter of %s was recorded; --link=%s has one", title,
					    gpmu_report_link(link));
	return report_print(report, "no counter of %s was recorded: gpmu record -M %s", title,
			    report_link_metrics(report->link));
}

void report_pays(struct gpmu_report *report)
{
	size_t n = report->timeline.words.texts.n;
	struct sharing sharing = { .n_shares = n };

	report_table(report, REPORT_PAYS)->shown.title =
		report_print(report, "%s bytes by kernel and copy", report_link_title(report->link));
	if (!has(report, report->link)) {
		report_note(report, REPORT_PAYS, why_none(report));
		report_table_done(report, REPORT_PAYS, "bytes");
		return;
	}
	sharing.shares = calloc(n + 1, sizeof(*sharing.shares));
	sharing.works = calloc(report->timeline.works.n + 1, sizeof(struct timeline_work *));
	if (!sharing.shares || !sharing.works)
		report->failed = true;
	for (uint32_t gpu = 0; gpu < report->gpus.n && !report->failed; gpu++)
		share_gpu(report, gpu, &sharing);
	if (!report->failed)
		put_shares(report, &sharing, n);
	array_release(&sharing.running);
	array_release(&sharing.names);
	array_release(&sharing.intervals);
	array_release(&sharing.parts);
	free(sharing.shares);
	free(sharing.works);
	report_table_done(report, REPORT_PAYS, "bytes");
}
