/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Attribution of a link's bytes to names: those of the works, or of any groups of works. */
#ifndef GPMU_REPORT_SHARING_H
#define GPMU_REPORT_SHARING_H

#include "report/report.h"

/* The bytes attributed to one name */
struct report_share {
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
struct report_part {
	uint32_t key;
	uint64_t time, covered;
};

struct report_interval {
	double bytes;
	uint64_t length;		/* ns */
	size_t first, n;
};

struct report_sharing {
	struct report_share *shares;	/* by key */
	size_t share_count;
	const uint32_t *work_keys;	/* of each work of the timeline; NULL: the number of its name */
	const struct timeline_work **works;	/* of one GPU, sorted by time */
	size_t n, next;
	VECTOR(size_t) running;		/* indices in works of those in the interval, sorted by time */
	VECTOR(uint32_t) keys;		/* in the interval */
	VECTOR(struct report_interval) intervals;	/* of one counter */
	VECTOR(struct report_part) parts;
	double nobody[REPORT_WAYS];	/* bytes in intervals in which nothing ran */
	bool is_first;			/* the current counter is the GPU's first */
};

static inline double report_sum_of_ways(const double *ways)
{
	return ways[REPORT_IN] + ways[REPORT_OUT] + ways[REPORT_BOTH];
}

/* @count: number of keys. The caller releases the sharing, also if the report has failed. */
void report_sharing_init(struct gpmu_report *report, struct report_sharing *sharing, size_t count,
			 const uint32_t *work_keys);
void report_sharing_release(struct report_sharing *sharing);
/* Collects the work of a GPU, whose counters follow. */
void report_sharing_begin(struct gpmu_report *report, struct report_sharing *sharing, uint32_t gpu);
/* Adds the bytes of a counter to the shares. */
void report_sharing_add(struct gpmu_report *report, struct report_sharing *sharing, const struct report_steps *steps,
			enum report_way way);

#endif /* GPMU_REPORT_SHARING_H */
