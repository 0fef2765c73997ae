// SPDX-License-Identifier: LGPL-2.1-or-later
/* Computes bandwidths from counts: the sums of the rules and their accuracy. */
#include <math.h>

#include "traffic/traffic.h"

/* Sum over a rule's parts */
struct adding {
	enum traffic_way way;
	double plus, minus, maybe; /* bytes per second */
	double bytes;
	double share;
	bool has_any, has_run; /* has_run: the clock of at least one part ran */
	enum gpmu_traffic_state state; /* the worst state of the parts */
	const char *why;
};

/* Ranks states without a number, the worst highest; 0 for a state with a number. */
static int badness(enum gpmu_traffic_state state)
{
	switch (state) {
	case GPMU_TRAFFIC_NOT_COUNTED:
		return 1;
	case GPMU_TRAFFIC_NOT_SUPPORTED:
		return 2;
	default:
		return 0;
	}
}

static double lower(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

/* Returns whether the PMU's clock ran; an unknown clock counts as running. */
static bool clock_runs(const struct gpmu_traffic *traffic, const struct traffic_bundle *bundle)
{
	const struct traffic_count *cycles = &traffic->clocks[bundle->clock].event.count;

	return cycles->state != GPMU_TRAFFIC_OK || cycles->count > 0;
}

static void add_count(struct adding *adding, const struct traffic_part *part,
		      const struct traffic_count *count, double bytes)
{
	if (badness(count->state)) {
		if (badness(count->state) > badness(adding->state)) {
			adding->state = count->state;
			adding->why = count->why;
		}
		return;
	}
	adding->share = lower(adding->share, count->share);
	adding->bytes += (part->is_subtracted ? -1 : 1) * count->count * bytes;
	if (part->is_subtracted)
		adding->minus += count->rate * bytes;
	else if (part->memory && traffic_pairs[part->pair].memories & ~part->memory)
		adding->maybe += count->rate * bytes;
	else
		adding->plus += count->rate * bytes;
}

static int add_bundle(struct gpmu_traffic *traffic, const struct traffic_part *part, size_t socket,
		      size_t number, void *user)
{
	const struct traffic_bundle *bundle = traffic_find_bundle(traffic, part->pair, socket,
								  number);
	const struct traffic_pair *pair = &traffic_pairs[part->pair];
	struct adding *adding = user;

	adding->has_any = true;
	adding->has_run = adding->has_run || clock_runs(traffic, bundle);
	for (size_t i = 0; i < TRAFFIC_PAIR_EVENTS && pair->events[i].name; i++)
		if (adding->way == TRAFFIC_BOTH || pair->events[i].way == adding->way)
			add_count(adding, part, &bundle->events[i].count, pair->events[i].bytes);
	return 0;
}

static struct gpmu_traffic_value without_number(enum gpmu_traffic_state state, const char *why)
{
	return (struct gpmu_traffic_value){
		.state = state,
		.bytes = NAN,
		.rate = NAN,
		.low = NAN,
		.high = NAN,
		.share = NAN,
		.why = why,
	};
}

static void set_range(struct gpmu_traffic_value *value, double low, double high)
{
	value->state = GPMU_TRAFFIC_RANGE;
	value->bytes = value->rate = NAN;
	value->low = low;
	value->high = high;
}

/* No traffic reached the memory, even if other sockets' caches served requests. */
static void set_zero(struct gpmu_traffic_value *value)
{
	value->derived = 0;
	value->bytes = value->rate = value->low = value->high = 0;
}

/* Adds up the parts of a rule. */
static void add_up(struct gpmu_traffic *traffic, const struct traffic_parts *parts, size_t source,
		   size_t home, enum traffic_way way, struct gpmu_traffic_value *value)
{
	struct adding adding = { .way = way, .share = NAN, .state = GPMU_TRAFFIC_OK };
	double rate;

	traffic_walk(traffic, parts, source, home, add_bundle, &adding);
	if (!adding.has_any) {
		*value = without_number(GPMU_TRAFFIC_INVISIBLE, "no PMU counts it");
	} else if (badness(adding.state)) {
		*value = without_number(adding.state, adding.why);
	} else if (!adding.has_run) {
		*value = without_number(GPMU_TRAFFIC_IDLE, "the clock of its PMU was stopped");
	} else {
		rate = adding.plus - adding.minus;
		*value = (struct gpmu_traffic_value){
			.state = GPMU_TRAFFIC_OK,
			.derived = adding.minus > 0,
			.bytes = adding.bytes,
			.rate = rate,
			.low = rate,
			.high = rate,
			.share = adding.share,
		};
		if (adding.maybe > 0)
			set_range(value, adding.plus, adding.plus + adding.maybe);
		else if (rate < 0 && adding.plus > 0)
			set_range(value, 0, adding.plus);
		else if (rate < 0)
			set_zero(value);
	}
}

static void add_up_ways(struct gpmu_traffic *traffic, const struct traffic_parts *parts, size_t source,
			size_t home, struct gpmu_traffic_value *read, struct gpmu_traffic_value *write)
{
	add_up(traffic, parts, source, home, TRAFFIC_READ, read);
	add_up(traffic, parts, source, home, TRAFFIC_WRITE, write);
}

/*
 * Widens a view's value to a range: some of the subtracted traffic can belong to another
 * memory.
 */
static void widen(struct gpmu_traffic *traffic, const struct traffic_sum *sum, enum traffic_way way,
		  struct gpmu_traffic_value *value)
{
	/* The first part is the memory's count; the second one is subtracted. */
	const struct traffic_parts first = { .list = { sum->rule->parts.list[0] }, .count = 1 };
	struct gpmu_traffic_value all;

	if (value->state != GPMU_TRAFFIC_OK)
		return;
	add_up(traffic, &first, sum->source, sum->home, way, &all);
	if (all.state == GPMU_TRAFFIC_OK && all.rate > value->rate)
		set_range(value, value->rate, all.rate);
}

struct gpmu_traffic_value traffic_nothing(void)
{
	return (struct gpmu_traffic_value){ .state = GPMU_TRAFFIC_INVISIBLE,
					 .share = NAN,
					 .why = "no PMU counts it" };
}

static void add_number(struct gpmu_traffic_value *sum, const struct gpmu_traffic_value *value)
{
	bool is_range = sum->state == GPMU_TRAFFIC_RANGE || value->state == GPMU_TRAFFIC_RANGE;

	sum->low += value->low;
	sum->high += value->high;
	sum->bytes += value->bytes;
	sum->rate += value->rate;
	sum->share = lower(sum->share, value->share);
	sum->derived = sum->derived || value->derived;
	sum->state = is_range ? GPMU_TRAFFIC_RANGE : GPMU_TRAFFIC_OK;
	sum->why = NULL;
}

/*
 * Adds a value to a sum, which begins as traffic_nothing(). Ignores an invisible value; an
 * idle value counts as 0 if others have numbers.
 */
static void add_value(struct gpmu_traffic_value *sum, const struct gpmu_traffic_value *value)
{
	if (value->state == GPMU_TRAFFIC_INVISIBLE || badness(sum->state) > badness(value->state))
		return;
	if (badness(value->state)) {
		*sum = without_number(value->state, value->why);
	} else if (value->state == GPMU_TRAFFIC_IDLE) {
		if (sum->state == GPMU_TRAFFIC_INVISIBLE) {
			sum->state = GPMU_TRAFFIC_IDLE;
			sum->why = value->why;
		}
	} else {
		add_number(sum, value);
	}
}

/* Clears the numbers of a sum that ended in a state without a number. */
static void finish(struct gpmu_traffic_value *value)
{
	if (value->state == GPMU_TRAFFIC_OK)
		return;
	value->bytes = value->rate = NAN;
	if (value->state != GPMU_TRAFFIC_RANGE)
		value->low = value->high = NAN;
}

/* --- matrix --- */

static void set_cell(struct gpmu_traffic *traffic, const struct traffic_sum *sum, size_t number,
		     unsigned int memory, size_t home)
{
	size_t source = traffic_source_index(traffic, sum->rule->initiator, sum->source);
	size_t column = traffic_memory_index(traffic, memory, home);
	struct gpmu_traffic_line *cell =
		&traffic->cells[source * traffic_n_memories(traffic) + column];
	struct gpmu_traffic_value *to[] = { &cell->read, &cell->write };
	const struct gpmu_traffic_value *from[] = { &sum->line.read, &sum->line.write };

	cell->note = sum->line.note;
	for (size_t i = 0; i < 2; i++) {
		*to[i] = *from[i];
		/* If a sum is 0, so is each of its cells. */
		if (number == SIZE_MAX || badness(from[i]->state) ||
		    from[i]->state == GPMU_TRAFFIC_IDLE || from[i]->high == 0)
			continue;
		*to[i] = without_number(GPMU_TRAFFIC_TOGETHER, "counted together with others");
		to[i]->sum = number;
		to[i]->share = from[i]->share;
	}
}

static void set_cells(struct gpmu_traffic *traffic, const struct traffic_sum *sum, size_t number)
{
	const struct traffic_rule *rule = sum->rule;

	for (size_t home = 0; home < traffic->socket_count; home++) {
		if (rule->each == EACH_OTHERS ? home == sum->source : home != sum->home)
			continue;
		for (unsigned int memory = TRAFFIC_CMEM; memory <= TRAFFIC_GMEM; memory <<= 1)
			if (rule->memories & memory)
				set_cell(traffic, sum, number, memory, home);
	}
}

static void compute_cells(struct gpmu_traffic *traffic)
{
	for (size_t i = 0; i < traffic->rule_count; i++) {
		struct traffic_sum *sum = &traffic->rules[i];
		size_t number = SIZE_MAX;

		add_up_ways(traffic, &sum->rule->parts, sum->source, sum->home, &sum->line.read,
			    &sum->line.write);
		if (sum->rule->is_view) {
			widen(traffic, sum, TRAFFIC_READ, &sum->line.read);
			widen(traffic, sum, TRAFFIC_WRITE, &sum->line.write);
		}
		for (size_t n = 0; n < traffic->sum_count; n++)
			if (traffic->sums[n] == i)
				number = n;
		set_cells(traffic, sum, number);
	}
}

/* --- totals, links, peaks --- */

static void compute_source_totals(struct gpmu_traffic *traffic)
{
	size_t i;

	for (i = 0; i < traffic_n_sources(traffic); i++)
		traffic->source_totals[i].read = traffic->source_totals[i].write = traffic_nothing();
	for (i = 0; i < traffic->rule_count; i++) {
		const struct traffic_sum *sum = &traffic->rules[i];
		struct gpmu_traffic_line *total = &traffic->source_totals[traffic_source_index(
			traffic, sum->rule->initiator, sum->source)];

		if (sum->rule->is_view)
			continue;
		add_value(&total->read, &sum->line.read);
		add_value(&total->write, &sum->line.write);
	}
	for (i = 0; i < traffic_n_sources(traffic); i++) {
		finish(&traffic->source_totals[i].read);
		finish(&traffic->source_totals[i].write);
	}
}

static void compute_memory_totals(struct gpmu_traffic *traffic)
{
	for (size_t i = 0; i < traffic_n_total_rules; i++) {
		const struct traffic_total_rule *rule = &traffic_total_rules[i];

		for (size_t home = 0; (rule->chips & traffic->chip) && home < traffic->socket_count;
		     home++) {
			size_t column = traffic_memory_index(traffic, rule->memory, home);
			struct gpmu_traffic_line *total = rule->memory ?
				&traffic->memory_totals[column] : &traffic->total;

			add_up_ways(traffic, &rule->parts, home, home, &total->read, &total->write);
			total->note = rule->note;
		}
	}
}

static double imbalance(const struct gpmu_traffic_value *source,
			const struct gpmu_traffic_value *home)
{
	if (source->state != GPMU_TRAFFIC_OK || home->state != GPMU_TRAFFIC_OK ||
	    !(source->rate > 0))
		return NAN;
	return home->rate / source->rate - 1;
}

static void compute_links(struct gpmu_traffic *traffic)
{
	for (size_t i = 0; i < traffic->link_count; i++) {
		struct traffic_link *link = &traffic->links[i];
		const struct traffic_link_rule *rule = link->rule;
		struct gpmu_traffic_link *l = &link->link;

		add_up_ways(traffic, &rule->source, link->source, link->home, &l->source_read,
			    &l->source_write);
		add_up_ways(traffic, &rule->home, link->source, link->home, &l->home_read,
			    &l->home_write);
		l->imbalance = rule->is_alike ? imbalance(&l->source_read, &l->home_read) : NAN;
	}
}

static void compute_peaks(struct gpmu_traffic *traffic)
{
	for (size_t i = 0; i < traffic->peak_count; i++) {
		const struct traffic_peak_rule *rule = traffic->peaks[i].rule;
		struct gpmu_traffic_peak *peak = &traffic->peaks[i].peak;

		add_up(traffic, &rule->parts, traffic->peaks[i].source, traffic->peaks[i].home,
		       rule->way, &peak->value);
		peak->peak = rule->peak;
		if (rule->is_cycles) {
			const struct traffic_count *cycles =
				&traffic->clocks[traffic->peaks[i].clock].event.count;

			peak->peak = cycles->state == GPMU_TRAFFIC_OK && cycles->rate > 0 ?
					     rule->peak * cycles->rate :
					     NAN;
		}
		peak->low = peak->value.low / peak->peak;
		peak->high = peak->value.high / peak->peak;
	}
}

void traffic_compute(struct gpmu_traffic *traffic)
{
	compute_cells(traffic);
	compute_source_totals(traffic);
	compute_memory_totals(traffic);
	compute_links(traffic);
	compute_peaks(traffic);
}
