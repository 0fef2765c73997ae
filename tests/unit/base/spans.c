// SPDX-License-Identifier: LGPL-2.1-or-later
/* Unions of times and their intersections, compared with a count of each moment */
#include "base/spans.h"
#include "tap.h"

#define MOMENTS	400

static uint64_t state = 88172645463325252ULL;

static uint64_t below(uint64_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % n;
}

static void draw(struct spans *spans, unsigned int *running)
{
	memset(running, 0, MOMENTS * sizeof(*running));
	for (uint64_t n = below(40); n; n--) {
		uint64_t begin = below(MOMENTS), end = begin + below(MOMENTS - begin);

		spans_add(spans, begin, end);
		for (uint64_t i = begin; i < end; i++)
			running[i]++;
	}
}

/* Counts the moments from @begin to @end in which at least @min of @a and one of @b run. */
static uint64_t count(const unsigned int *a, const unsigned int *b, unsigned int min, uint64_t begin, uint64_t end)
{
	uint64_t n = 0;

	for (uint64_t i = begin; i < end; i++)
		n += a[i] >= min && b[i];
	return n;
}

static void test_random(void)
{
	unsigned int a[MOMENTS], b[MOMENTS];
	bool is_total_right = true, has_several = true, has_common = true, is_within = true;

	for (int i = 0; i < 500; i++) {
		struct spans spans = { 0 }, other = { 0 };
		uint64_t begin = below(MOMENTS), end = begin + below(MOMENTS - begin), time;

		draw(&spans, a);
		draw(&other, b);
		has_several = has_several && !spans_several(&spans, &time) && time == count(a, a, 2, 0, MOMENTS);
		spans_unite(&spans);
		spans_unite(&other);
		is_total_right = is_total_right && spans_total(&spans) == count(a, a, 1, 0, MOMENTS);
		has_common = has_common && spans_common(&spans, &other) == count(a, b, 1, 0, MOMENTS);
		is_within = is_within && spans_within(&spans, begin, end) == count(a, a, 1, begin, end);
		spans_release(&spans);
		spans_release(&other);
	}
	ok(is_total_right, "spans: the total of a union is its number of moments");
	ok(has_several, "spans: the overlapped time is the number of moments with two or more");
	ok(has_common, "spans: the common time is that of both unions");
	ok(is_within, "spans: the time within a window is that of the window's moments");
}

int main(void)
{
	struct spans spans = { 0 };
	uint64_t time = 1;

	is_u64(spans_total(&spans), 0, "spans: an empty list has no time");
	is_u64(spans_within(&spans, 0, UINT64_MAX), 0,
	       "spans: an empty list has no time within a window");
	ok(!spans_several(&spans, &time) && !time, "spans: an empty list has no overlapped time");
	ok(!spans_add(&spans, 5, 5) && !spans_add(&spans, 6, 5) && !spans.all.n,
	   "spans: a span that ends at or before its begin is ignored");
	spans_add(&spans, 20, 30);
	spans_add(&spans, 10, 20);
	spans_unite(&spans);
	ok(spans.all.n == 1 && spans_total(&spans) == 20, "spans: two adjacent spans become one");
	ok(spans_within(&spans, 25, 15) == 0 && spans_within(&spans, 0, UINT64_MAX) == 20,
	   "spans: an inverted window has no time");
	spans_release(&spans);
	test_random();
	return done_testing();
}
