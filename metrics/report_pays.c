// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Whose bytes those of a link are: what an interval of a counter has is shared by what ran in it, by how long each
 * did. That is certain where one thing ran, and all the time; the confidence says of how many of its bytes.
 */
#include "report.h"

/* What has the same name */
struct share {
	double ways[REPORT_WAYS];
	double sure;			/* bytes */
	uint64_t time;			/* that was counted, by the first counter of each GPU */
	uint64_t now, covered;		/* in the interval that is looked at; covered: each moment once */
	uint64_t reached;		/* up to when it is covered */
	enum timeline_work_kind kind;
	bool used;
};

struct sharing {
	struct share *shares;		/* by the word of the name */
	const struct timeline_work **works;	/* of a GPU, in order of time */
	size_t n, next;
	struct array running;		/* const struct timeline_work *, of the interval and in that order */
	struct array names;		/* uint32_t, of those in the interval */
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

static void share_step(struct gpmu_report *report, struct sharing *sharing, const struct report_step *step,
		       enum report_way way)
{
	double bytes = step->rate * (double)(step->end - step->begin);
	uint64_t sum;

	find_running(report, sharing, step);
	sum = report->failed ? 0 : measure(report, sharing, step);
	if (!sum)
		sharing->nobody[way] += bytes;
	for (size_t i = 0; i < sharing->names.n; i++) {
		struct share *share = &sharing->shares[*timeline_at(&sharing->names, uint32_t, i)];

		share->ways[way] += bytes * (double)share->now / (double)sum;
		share->time += sharing->first ? share->now : 0;
		if (sharing->names.n == 1)
			share->sure += bytes * (double)share->covered / (double)(step->end - step->begin);
		share->now = 0;
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
		sharing->next = 0;
		sharing->running.n = 0;
		for (size_t k = 0; k < series->steps.n && !report->failed; k++)
			share_step(report, sharing, timeline_at(&series->steps, struct report_step, k), series->way);
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
	struct sharing sharing = { 0 };

	report_table(report, REPORT_PAYS)->shown.title =
		report_print(report, "who pays for %s", report_link_title(report->link));
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
	free(sharing.shares);
	free(sharing.works);
	report_table_done(report, REPORT_PAYS, "bytes");
}
