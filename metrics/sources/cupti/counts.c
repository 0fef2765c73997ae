// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "cupti_counts.h"

#define FIRST_ROOM	256

int counts_init(struct counts *counts, const struct count_event *events, size_t length)
{
	*counts = (struct counts){ .length = length };
	counts->counts = calloc(length, sizeof(*counts->counts));
	counts->events = calloc(length, sizeof(*counts->events));
	if (!counts->counts || !counts->events)
		return -ENOMEM;
	memcpy(counts->events, events, length * sizeof(*events));
	return 0;
}

void counts_release(struct counts *counts)
{
	free(counts->counts);
	free(counts->events);
	free(counts->values);
	free(counts->times);
	free(counts->switches);
	*counts = (struct counts){ 0 };
}

static size_t place(const struct counts *counts, size_t index)
{
	size_t place = counts->first + index;

	return place < counts->room ? place : place - counts->room;
}

int counts_reserve(struct counts *counts, size_t room)
{
	struct sample_time *times;
	double *values;

	if (room <= counts->room)
		return 0;
	times = calloc(room, sizeof(*times));
	values = calloc(room * counts->length, sizeof(*values));
	if (!times || !values) {
		free(times);
		free(values);
		return -ENOMEM;
	}
	for (size_t i = 0; i < counts->kept; i++) {
		size_t from = place(counts, i);

		times[i] = counts->times[from];
		memcpy(&values[i * counts->length], &counts->values[from * counts->length],
		       counts->length * sizeof(*values));
	}
	free(counts->times);
	free(counts->values);
	counts->times = times;
	counts->values = values;
	counts->room = room;
	counts->first = 0;
	return 0;
}

int counts_add(struct counts *counts, uint64_t start, uint64_t end, const double *values)
{
	size_t to;

	if (counts->kept == counts->room &&
	    counts_reserve(counts, counts->room ? 2 * counts->room : FIRST_ROOM))
		return -ENOMEM;
	to = place(counts, counts->kept++);
	counts->times[to] = (struct sample_time){ start, end };
	memcpy(&counts->values[to * counts->length], values, counts->length * sizeof(*values));
	counts->newest = end;
	for (size_t i = 0; i < counts->length; i++) {
		if (isfinite(values[i]))
			counts->counts[i].samples++;
		else
			counts->counts[i].nothing++;
	}
	return 0;
}

int counts_switch(struct counts *counts, uint64_t time, bool is_on)
{
	struct count_switch *added = vector_append(counts->switches, counts->switches_len);

	if (!added)
		return -ENOMEM;
	*added = (struct count_switch){ time, is_on };
	return 0;
}

static void add_value(struct count *count, double value)
{
	double whole;

	/* A count never falls. */
	value = count->rest + (value > 0 ? value : 0);
	whole = floor(value);
	count->raw += (uint64_t)fmod(whole, 0x1p64);
	count->rest = value - whole;
}

/* Adds the part of a sample from @from to @to, which lie in it */
static void add_part(struct counts *counts, size_t sample, uint64_t from, uint64_t to)
{
	const double *values = &counts->values[sample * counts->length];
	double length = (double)(counts->times[sample].end - counts->times[sample].start);
	double part = (double)(to - from);

	for (size_t i = 0; i < counts->length; i++) {
		const struct count_event *event = &counts->events[i];

		if (!isfinite(values[i]))
			continue;
		add_value(&counts->counts[i], event->is_mean ? values[i] * part / event->scale :
			  values[i] * (part / length));
		counts->counts[i].running += to - from;
	}
}

/* Settles up to @time, with no switch in between */
static void settle_evenly(struct counts *counts, uint64_t time)
{
	if (counts->is_on)
		counts->enabled += time - counts->settled;
	while (counts->kept) {
		size_t sample = place(counts, 0);
		uint64_t from = counts->times[sample].start, to = counts->times[sample].end;

		if (from >= time)
			break;
		if (from < counts->settled)
			from = counts->settled;
		if (to > time)
			to = time;
		if (counts->is_on && from < to)
			add_part(counts, sample, from, to);
		if (counts->times[sample].end > time)
			break;
		counts->first = place(counts, 1);
		counts->kept--;
	}
	counts->settled = time;
}

void counts_settle(struct counts *counts, uint64_t time)
{
	size_t done = 0;

	while (done < counts->switches_len && counts->switches[done].time <= time) {
		if (counts->switches[done].time > counts->settled)
			settle_evenly(counts, counts->switches[done].time);
		counts->is_on = counts->switches[done++].is_on;
	}
	counts->switches_len -= done;
	if (done)
		memmove(counts->switches, counts->switches + done,
			counts->switches_len * sizeof(*counts->switches));
	if (time > counts->settled)
		settle_evenly(counts, time);
}
