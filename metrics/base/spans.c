// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/spans.h"

int spans_add(struct spans *spans, uint64_t begin, uint64_t end)
{
	return begin < end ? vector_push(&spans->all, &(struct span){ .begin = begin, .end = end }) : 0;
}

void spans_unite(struct spans *spans)
{
	struct span *all = spans->all.list;
	size_t n = 0;

	if (!spans->all.n)
		return;
	vector_sort(&spans->all, compare_first);
	for (size_t i = 1; i < spans->all.n; i++) {
		if (all[i].begin > all[n].end)
			all[++n] = all[i];
		else if (all[i].end > all[n].end)
			all[n].end = all[i].end;
	}
	spans->all.n = n + 1;
	all[0].before = 0;
	for (size_t i = 1; i <= n; i++)
		all[i].before = all[i - 1].before + all[i - 1].end - all[i - 1].begin;
}

void spans_release(struct spans *spans)
{
	vector_free(&spans->all);
}

uint64_t spans_total(const struct spans *spans)
{
	const struct span *last;

	if (!spans->all.n)
		return 0;
	last = &spans->all.list[spans->all.n - 1];
	return last->before + last->end - last->begin;
}

/* Length of the part before @time */
static uint64_t before(const struct spans *spans, uint64_t time)
{
	size_t low = 0, high = spans->all.n;
	const struct span *span;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spans->all.list[middle].begin < time)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return 0;
	span = &spans->all.list[low - 1];
	return span->before + (time < span->end ? time : span->end) - span->begin;
}

uint64_t spans_within(const struct spans *spans, uint64_t begin, uint64_t end)
{
	return end > begin ? before(spans, end) - before(spans, begin) : 0;
}

uint64_t spans_common(const struct spans *a, const struct spans *b)
{
	uint64_t common = 0;

	for (size_t i = 0; i < a->all.n; i++)
		common += spans_within(b, a->all.list[i].begin, a->all.list[i].end);
	return common;
}

int spans_several(const struct spans *spans, uint64_t *time)
{
	size_t n = spans->all.n, begun = 0, ended = 0;
	uint64_t *begins, *ends, last = 0;

	*time = 0;
	if (!n)
		return 0;
	begins = reallocarray(NULL, n, 2 * sizeof(*begins));
	if (!begins)
		return -ENOMEM;
	ends = begins + n;
	for (size_t i = 0; i < n; i++) {
		begins[i] = spans->all.list[i].begin;
		ends[i] = spans->all.list[i].end;
	}
	qsort(begins, n, sizeof(*begins), compare_first);
	qsort(ends, n, sizeof(*ends), compare_first);
	while (ended < n) {
		bool is_begin_next = begun < n && begins[begun] < ends[ended];
		uint64_t now = is_begin_next ? begins[begun] : ends[ended];

		if (begun - ended >= 2)
			*time += now - last;
		last = now;
		begun += is_begin_next;
		ended += !is_begin_next;
	}
	free(begins);
	return 0;
}
