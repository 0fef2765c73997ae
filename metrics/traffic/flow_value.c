// SPDX-License-Identifier: LGPL-2.1-or-later
/* Computes bandwidths from counts: the sums of the rules and their accuracy. */
#include <math.h>

#include "traffic/flow.h"

/* Sum over a rule's parts */
struct adding {
	enum flow_way way;
	double plus, minus, maybe; /* bytes per second */
	double bytes;
	double share;
	bool any, runs; /* runs: the clock of at least one part ran */
	enum gpmu_flow_state state; /* the worst state of the parts */
	const char *why;
};

/* Ranks states without a number, the worst highest; 0 for a state with a number. */
static int badness(enum gpmu_flow_state state)
{
	switch (state) {
	case GPMU_FLOW_NOT_COUNTED:
		return 1;
	case GPMU_FLOW_NOT_SUPPORTED:
		return 2;
	default:
		return 0;
	}
}

static double lower(double a, double b)
{
	return isnan(a) || b < a ? b : a;
}

/* Whether the PMU's clock ran; an unknown clock counts as running */
static bool clock_runs(const struct gpmu_flow *flow, const struct flow_bundle *bundle)
{
	const struct flow_count *cycles = &flow->clocks[bundle->clock].event.count;

	return cycles->state != GPMU_FLOW_OK || cycles->count > 0;
}

static void add_count(struct adding *adding, const struct flow_part *part,
		      const struct flow_count *count, double bytes)
{
	if (badness(count->state)) {
		if (badness(count->state) > badness(adding->state)) {
			adding->state = count->state;
			adding->why = count->why;
		}
		return;
	}
	adding->share = lower(adding->share, count->share);
	adding->bytes += (part->minus ? -1 : 1) * count->count * bytes;
	if (part->minus)
		adding->minus += count->rate * bytes;
	else if (part->maybe)
		adding->maybe += count->rate * bytes;
	else
		adding->plus += count->rate * bytes;
}

static int add_bundle(struct gpmu_flow *flow, const struct flow_part *part, size_t socket,
		      size_t number, void *user)
{
	const struct flow_bundle *bundle = flow_find_bundle(flow, part->pair, socket, number);
	const struct flow_pair *pair = &flow_pairs[part->pair];
	struct adding *adding = user;

	adding->any = true;
	adding->runs = adding->runs || clock_runs(flow, bundle);
	for (size_t i = 0; i < FLOW_PAIR_EVENTS && pair->events[i].name; i++)
		if (adding->way == FLOW_BOTH || pair->events[i].way == adding->way)
			add_count(adding, part, &bundle->events[i].count, pair->events[i].bytes);
	return 0;
}

static struct gpmu_flow_value without_number(enum gpmu_flow_state state, const char *why)
{
	return (struct gpmu_flow_value){
		.state = state,
		.bytes = NAN,
		.rate = NAN,
		.low = NAN,
		.high = NAN,
		.share = NAN,
		.why = why,
	};
}

static void set_range(struct gpmu_flow_value *value, double low, double high)
{
	value->state = GPMU_FLOW_RANGE;
	value->bytes = value->rate = NAN;
	value->low = low;
	value->high = high;
}

/* Nothing reached the memory, whatever other sockets' caches answered. */
static void set_zero(struct gpmu_flow_value *value)
{
	value->derived = 0;
	value->bytes = value->rate = value->low = value->high = 0;
}

void flow_add_up(struct gpmu_flow *flow, const struct flow_part *parts, size_t part_count,
		 size_t source, size_t home, enum flow_way way, struct gpmu_flow_value *value)
{
	struct adding adding = { .way = way, .share = NAN, .state = GPMU_FLOW_OK };
	double rate;

	for (size_t i = 0; i < part_count; i++)
		flow_walk(flow, &parts[i], source, home, add_bundle, &adding);
	if (!adding.any) {
		*value = without_number(GPMU_FLOW_INVISIBLE, "no PMU sees it");
	} else if (badness(adding.state)) {
		*value = without_number(adding.state, adding.why);
	} else if (!adding.runs) {
		*value = without_number(GPMU_FLOW_IDLE, "the clock of its PMU stood still");
	} else {
		rate = adding.plus - adding.minus;
		*value = (struct gpmu_flow_value){
			.state = GPMU_FLOW_OK,
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

/*
 * Widens a view's value to a range: some of the subtracted traffic can belong to another
 * memory.
 */
static void widen(struct gpmu_flow *flow, const struct flow_sum *sum, enum flow_way way,
		  struct gpmu_flow_value *value)
{
	struct gpmu_flow_value all;

	if (value->state != GPMU_FLOW_OK)
		return;
	/* The first part is the memory's count; the second one is subtracted. */
	flow_add_up(flow, sum->rule->parts, 1, sum->source, sum->home, way, &all);
	if (all.state == GPMU_FLOW_OK && all.rate > value->rate)
		set_range(value, value->rate, all.rate);
}

struct gpmu_flow_value flow_nothing(void)
{
	return (struct gpmu_flow_value){ .state = GPMU_FLOW_INVISIBLE,
					 .share = NAN,
					 .why = "no PMU sees it" };
}

static void add_number(struct gpmu_flow_value *sum, const struct gpmu_flow_value *value)
{
	bool range = sum->state == GPMU_FLOW_RANGE || value->state == GPMU_FLOW_RANGE;

	sum->low += value->low;
	sum->high += value->high;
	sum->bytes += value->bytes;
	sum->rate += value->rate;
	sum->share = lower(sum->share, value->share);
	sum->derived = sum->derived || value->derived;
	sum->state = range ? GPMU_FLOW_RANGE : GPMU_FLOW_OK;
	sum->why = NULL;
}

/* Ignores an invisible value; an idle value counts as 0 if others have numbers. */
void flow_add_value(struct gpmu_flow_value *sum, const struct gpmu_flow_value *value)
{
	if (value->state == GPMU_FLOW_INVISIBLE || badness(sum->state) > badness(value->state))
		return;
	if (badness(value->state)) {
		*sum = without_number(value->state, value->why);
	} else if (value->state == GPMU_FLOW_IDLE) {
		if (sum->state == GPMU_FLOW_INVISIBLE) {
			sum->state = GPMU_FLOW_IDLE;
			sum->why = value->why;
		}
	} else {
		add_number(sum, value);
	}
}

/* Clears the numbers of a sum that ended in a state without a number. */
static void finish(struct gpmu_flow_value *value)
{
	if (value->state == GPMU_FLOW_OK)
		return;
	value->bytes = value->rate = NAN;
	if (value->state != GPMU_FLOW_RANGE)
		value->low = value->high = NAN;
}

/* --- matrix --- */

static void set_cell(struct gpmu_flow *flow, const struct flow_sum *sum, size_t number,
		     unsigned int memory, size_t home)
{
	size_t source = flow_source_index(flow, sum->rule->initiator, sum->source);
	struct gpmu_flow_line *cell =
		&flow->cells[source * flow_n_memories(flow) + flow_memory_index(flow, memory, home)];
	struct gpmu_flow_value *to[] = { &cell->read, &cell->write };
	const struct gpmu_flow_value *from[] = { &sum->line.read, &sum->line.write };

	cell->note = sum->line.note;
	for (size_t i = 0; i < 2; i++) {
		*to[i] = *from[i];
		/* If a sum is 0, so is each of its cells. */
		if (number == SIZE_MAX || badness(from[i]->state) ||
		    from[i]->state == GPMU_FLOW_IDLE || from[i]->high == 0)
			continue;
		*to[i] = without_number(GPMU_FLOW_TOGETHER, "counted together with others");
		to[i]->sum = number;
		to[i]->share = from[i]->share;
	}
}

static void set_cells(struct gpmu_flow *flow, const struct flow_sum *sum, size_t number)
{
	const struct flow_rule *rule = sum->rule;

	for (size_t home = 0; home < flow->n_sockets; home++) {
		if (rule->each == EACH_OTHERS ? home == sum->source : home != sum->home)
			continue;
		for (unsigned int memory = FLOW_CMEM; memory <= FLOW_GMEM; memory <<= 1)
			if (rule->memories & memory)
				set_cell(flow, sum, number, memory, home);
	}
}

static void compute_cells(struct gpmu_flow *flow)
{
	for (size_t i = 0; i < flow->n_rules; i++) {
		struct flow_sum *sum = &flow->rules[i];
		struct gpmu_flow_value *values[] = { &sum->line.read, &sum->line.write };
		size_t number = SIZE_MAX;

		for (size_t way = 0; way < 2; way++) {
			flow_add_up(flow, sum->rule->parts, sum->rule->part_count, sum->source,
				    sum->home, (enum flow_way)way, values[way]);
			if (sum->rule->view)
				widen(flow, sum, (enum flow_way)way, values[way]);
		}
		for (size_t n = 0; n < flow->sum_count; n++)
			if (flow->sums[n] == i)
				number = n;
		set_cells(flow, sum, number);
	}
}

/* --- totals, links, peaks --- */

static void compute_source_totals(struct gpmu_flow *flow)
{
	size_t i;

	for (i = 0; i < flow_n_sources(flow); i++)
		flow->source_totals[i].read = flow->source_totals[i].write = flow_nothing();
	for (i = 0; i < flow->n_rules; i++) {
		const struct flow_sum *sum = &flow->rules[i];
		struct gpmu_flow_line *total = &flow->source_totals[flow_source_index(
			flow, sum->rule->initiator, sum->source)];

		if (sum->rule->view)
			continue;
		flow_add_value(&total->read, &sum->line.read);
		flow_add_value(&total->write, &sum->line.write);
	}
	for (i = 0; i < flow_n_sources(flow); i++) {
		finish(&flow->source_totals[i].read);
		finish(&flow->source_totals[i].write);
	}
}

static void compute_memory_totals(struct gpmu_flow *flow)
{
	for (size_t i = 0; i < flow_n_total_rules; i++) {
		const struct flow_total_rule *rule = &flow_total_rules[i];

		for (size_t home = 0; (rule->chips & flow->chip) && home < flow->n_sockets;
		     home++) {
			struct gpmu_flow_line *total =
				rule->memory ?
					&flow->memory_totals[flow_memory_index(flow, rule->memory,
									       home)] :
					&flow->total;

			flow_add_up(flow, rule->parts, rule->part_count, home, home, FLOW_READ,
				    &total->read);
			flow_add_up(flow, rule->parts, rule->part_count, home, home, FLOW_WRITE,
				    &total->write);
			total->note = rule->note;
		}
	}
}

static double imbalance(const struct gpmu_flow_value *source, const struct gpmu_flow_value *home)
{
	if (source->state != GPMU_FLOW_OK || home->state != GPMU_FLOW_OK || !(source->rate > 0))
		return NAN;
	return home->rate / source->rate - 1;
}

static void compute_links(struct gpmu_flow *flow)
{
	for (size_t i = 0; i < flow->n_links; i++) {
		struct flow_link *link = &flow->links[i];
		const struct flow_link_rule *rule = link->rule;
		struct gpmu_flow_link *l = &link->link;

		flow_add_up(flow, rule->source, rule->n_source, link->source, link->home, FLOW_READ,
			    &l->source_read);
		flow_add_up(flow, rule->source, rule->n_source, link->source, link->home,
			    FLOW_WRITE, &l->source_write);
		flow_add_up(flow, rule->home, rule->n_home, link->source, link->home, FLOW_READ,
			    &l->home_read);
		flow_add_up(flow, rule->home, rule->n_home, link->source, link->home, FLOW_WRITE,
			    &l->home_write);
		l->imbalance_read = imbalance(&l->source_read, &l->home_read);
		l->imbalance_write = imbalance(&l->source_write, &l->home_write);
	}
}

static void compute_peaks(struct gpmu_flow *flow)
{
	for (size_t i = 0; i < flow->n_peaks; i++) {
		const struct flow_peak_rule *rule = flow->peaks[i].rule;
		struct gpmu_flow_peak *peak = &flow->peaks[i].peak;

		flow_add_up(flow, rule->parts, rule->part_count, flow->peaks[i].source,
			    flow->peaks[i].home, rule->way, &peak->value);
		peak->peak = rule->peak;
		if (rule->cycles) {
			const struct flow_count *cycles =
				&flow->clocks[flow->peaks[i].clock].event.count;

			peak->peak = cycles->state == GPMU_FLOW_OK && cycles->rate > 0 ?
					     rule->peak * cycles->rate :
					     NAN;
		}
		peak->low = peak->value.low / peak->peak;
		peak->high = peak->value.high / peak->peak;
	}
}

void flow_compute(struct gpmu_flow *flow)
{
	compute_cells(flow);
	compute_source_totals(flow);
	compute_memory_totals(flow);
	compute_links(flow);
	compute_peaks(flow);
}
