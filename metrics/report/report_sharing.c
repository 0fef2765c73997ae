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
#include <stdlib.h>

#include "base/array.h"
#include "base/gpmu_double.h"
#include "report/report_sharing.h"

#define ROUNDS		32
#define NO_RATE		1e-6	/* of the largest rate; a smaller one converges to 0 */

static int by_begin(const void *left, const void *right)
{
	const struct timeline_work *a = *(const struct timeline_work *const *)left;
	const struct timeline_work *b = *(const struct timeline_work *const *)right;

	return COMPARE(a->begin, b->begin);
}

/* Collects all work on a GPU. */
static void find_works(struct gpmu_report *report, uint32_t gpu, struct report_sharing *sharing)
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
static void find_running(struct gpmu_report *report, struct report_sharing *sharing,
			 const struct report_step *step)
{
	size_t *running, kept = 0;

	for (; sharing->next < sharing->n && sharing->works[sharing->next]->begin < step->end; sharing->next++)
		if (vector_push(&sharing->running, &sharing->next)) {
			report->has_failed = true;
			return;
		}
	running = sharing->running.list;
	for (size_t i = 0; i < sharing->running.n; i++)
		if (sharing->works[running[i]]->end > step->begin)
			running[kept++] = running[i];
	sharing->running.n = kept;
}

static uint32_t key_of(const struct gpmu_report *report, const struct report_sharing *sharing,
		       const struct timeline_work *work)
{
	return sharing->work_keys ? sharing->work_keys[work - report->timeline.works.list] : work->name;
}

/* Measures how long each name ran in the interval; returns the sum. */
static uint64_t measure(struct gpmu_report *report, struct report_sharing *sharing,
			const struct report_step *step)
{
	uint64_t sum = 0;

	sharing->keys.n = 0;
	for (size_t i = 0; i < sharing->running.n; i++) {
		const struct timeline_work *work = sharing->works[sharing->running.list[i]];
		uint64_t begin = work->begin > step->begin ? work->begin : step->begin;
		uint64_t end = work->end < step->end ? work->end : step->end;
		const uint32_t key = key_of(report, sharing, work);
		struct report_share *share = &sharing->shares[key];

		if (end <= begin)
			continue;
		if (!share->now) {
			if (vector_push(&sharing->keys, &key)) {
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

static void add_parts(struct gpmu_report *report, struct report_sharing *sharing,
		      struct report_interval *interval)
{
	interval->first = sharing->parts.n;
	interval->n = sharing->keys.n;
	for (size_t i = 0; i < sharing->keys.n; i++) {
		const uint32_t key = sharing->keys.list[i];
		struct report_share *share = &sharing->shares[key];

		if (vector_push(&sharing->parts,
				&(struct report_part){ .key = key, .time = share->now, .covered = share->covered }))
			report->has_failed = true;
		share->time += sharing->is_first ? share->now : 0;
		share->now = 0;
	}
}

static void add_interval(struct gpmu_report *report, struct report_sharing *sharing,
			 const struct report_step *step, enum report_way way)
{
	struct report_interval interval = { .length = step->end - step->begin };

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

static const struct report_part *parts_of(const struct report_sharing *sharing, const struct report_interval *interval)
{
	return &sharing->parts.list[interval->first];
}

/* Sum over the interval's parts of rate times running time; 0 if all rates are 0 */
static double weigh(const struct report_sharing *sharing, const struct report_interval *interval)
{
	const struct report_part *parts = parts_of(sharing, interval);
	double sum = 0;

	for (size_t i = 0; i < interval->n; i++)
		sum += sharing->shares[parts[i].key].rate * (double)parts[i].time;
	return sum;
}

/* Bytes of a part. @sum: result of weigh() */
static double bytes_of(const struct report_sharing *sharing, const struct report_interval *interval,
		       const struct report_part *part, double sum)
{
	double time = (double)part->time, all = 0;

	if (sum > 0)
		return interval->bytes * sharing->shares[part->key].rate * time / sum;
	for (size_t i = 0; i < interval->n; i++)
		all += (double)parts_of(sharing, interval)[i].time;
	return interval->bytes * time / all;
}

static void find_widest(struct report_sharing *sharing)
{
	for (size_t i = 0; i < sharing->share_count; i++) {
		struct report_share *share = &sharing->shares[i];

		share->rate = 1;
		share->max = INFINITY;
		share->counted = share->widest = 0;
	}
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct report_interval *interval = &sharing->intervals.list[i];
		const struct report_part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct report_share *share = &sharing->shares[parts[k].key];

			share->counted += (double)parts[k].time;
			share->widest = gpmu_double_max(share->widest,
					     (double)parts[k].covered / (double)interval->length);
		}
	}
}

/*
 * Limits each name's rate by the interval with the fewest bytes for its time, among the
 * intervals that the name covers substantially, not only at the edge of its work.
 */
static void find_max(struct report_sharing *sharing)
{
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct report_interval *interval = &sharing->intervals.list[i];
		const struct report_part *parts = parts_of(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			struct report_share *share = &sharing->shares[parts[k].key];

			if ((double)parts[k].covered >=
			    share->widest / 2 * (double)interval->length)
				share->max =
					gpmu_double_min(share->max, interval->bytes / (double)parts[k].time);
		}
	}
}

/* Performs one iteration: improves the rates so that they better explain the intervals. */
static void find_rates(struct report_sharing *sharing)
{
	double largest = 0;

	for (size_t i = 0; i < sharing->share_count; i++)
		sharing->shares[i].sum = 0;
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct report_interval *interval = &sharing->intervals.list[i];
		const struct report_part *parts = parts_of(sharing, interval);
		double sum = weigh(sharing, interval);

		for (size_t k = 0; k < interval->n; k++)
			sharing->shares[parts[k].key].sum +=
				bytes_of(sharing, interval, &parts[k], sum);
	}
	for (size_t i = 0; i < sharing->share_count; i++) {
		struct report_share *share = &sharing->shares[i];

		share->rate = share->counted > 0 ? share->sum / share->counted : 0;
		largest = gpmu_double_max(largest, share->rate);
	}
	for (size_t i = 0; i < sharing->share_count; i++)
		if (sharing->shares[i].rate < largest * NO_RATE)
			sharing->shares[i].rate = 0;
}

/* Returns the bytes of a part's @bytes that no other name can have moved. */
static double sure_of(const struct report_sharing *sharing, const struct report_interval *interval, size_t index,
		      double bytes)
{
	const struct report_part *parts = parts_of(sharing, interval);
	const struct report_share *share = &sharing->shares[parts[index].key];
	double others = 0, covered = 0;

	for (size_t i = 0; i < interval->n; i++) {
		covered += (double)parts[i].covered / (double)interval->length;
		if (i != index)
			others += sharing->shares[parts[i].key].max * (double)parts[i].time;
	}
	/* Its rate over all intervals must explain at least half of these bytes. */
	if (interval->n > 1 && share->rate * (double)parts[index].time * 2 < interval->bytes)
		return 0;
	return gpmu_double_max(0, gpmu_double_min(bytes, interval->bytes - others)) * gpmu_double_min(1, covered);
}

static void share_counter(struct report_sharing *sharing, enum report_way way)
{
	find_widest(sharing);
	find_max(sharing);
	for (int i = 0; i < ROUNDS; i++)
		find_rates(sharing);
	for (size_t i = 0; i < sharing->intervals.n; i++) {
		const struct report_interval *interval = &sharing->intervals.list[i];
		const struct report_part *parts = parts_of(sharing, interval);
		double sum = weigh(sharing, interval);

		for (size_t k = 0; k < interval->n; k++) {
			double bytes = bytes_of(sharing, interval, &parts[k], sum);

			sharing->shares[parts[k].key].ways[way] += bytes;
			sharing->shares[parts[k].key].sure += sure_of(sharing, interval, k, bytes);
		}
	}
}

void report_sharing_init(struct gpmu_report *report, struct report_sharing *sharing, size_t count,
			 const uint32_t *work_keys)
{
	*sharing = (struct report_sharing){ .share_count = count, .work_keys = work_keys };
	sharing->shares = calloc(count + 1, sizeof(*sharing->shares));
	sharing->works = calloc(report->timeline.works.n + 1, sizeof(struct timeline_work *));
	if (!sharing->shares || !sharing->works)
		report->has_failed = true;
}

void report_sharing_release(struct report_sharing *sharing)
{
	vector_free(&sharing->running);
	vector_free(&sharing->keys);
	vector_free(&sharing->intervals);
	vector_free(&sharing->parts);
	free(sharing->shares);
	free(sharing->works);
}

void report_sharing_begin(struct gpmu_report *report, struct report_sharing *sharing, uint32_t gpu)
{
	find_works(report, gpu, sharing);
	sharing->is_first = true;
}

void report_sharing_add(struct gpmu_report *report, struct report_sharing *sharing, const struct report_steps *steps,
			enum report_way way)
{
	sharing->next = sharing->running.n = sharing->intervals.n = sharing->parts.n = 0;
	for (size_t i = 0; i < steps->n && !report->has_failed; i++)
		add_interval(report, sharing, &steps->list[i], way);
	if (!report->has_failed)
		share_counter(sharing, way);
	sharing->is_first = false;
}
