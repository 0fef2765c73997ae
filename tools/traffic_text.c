// SPDX-License-Identifier: LGPL-2.1-or-later
/* The matrix as text. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "traffic.h"

#define NAME_WIDTH 15
#define CELL_WIDTH 16
#define WIDE	   44 /* names of links and peaks */
#define WIDER	   48 /* names of comparisons */

static const char *const ways[] = { "read", "write" };

/* The marks that were used, for the notes below the table */
struct signs {
	bool derived, range, together, invisible, multiplexed;
	double share; /* the lowest */
};

struct table {
	const struct traffic_view *view;
	struct signs signs;
	bool notes; /* there are some */
};

static double gb(double rate)
{
	return rate / 1e9;
}

static void note_signs(struct signs *signs, const struct gpmu_traffic_value *value)
{
	bool number = value->state == GPMU_TRAFFIC_OK || value->state == GPMU_TRAFFIC_RANGE;

	signs->derived = signs->derived || (value->state == GPMU_TRAFFIC_OK && value->derived);
	signs->range = signs->range || value->state == GPMU_TRAFFIC_RANGE;
	signs->together = signs->together || value->state == GPMU_TRAFFIC_TOGETHER;
	signs->invisible = signs->invisible || value->state == GPMU_TRAFFIC_INVISIBLE;
	if (number && value->share < 1) {
		if (!signs->multiplexed || value->share < signs->share)
			signs->share = value->share;
		signs->multiplexed = true;
	}
}

/* a to z, then aa, ab, ... */
static void write_letter(size_t index, char *text)
{
	if (index >= 26)
		*text++ = (char)('a' + index / 26 - 1);
	*text++ = (char)('a' + index % 26);
	*text = '\0';
}

/* "0" means that nothing was counted; small rates are "<0.001". */
static void write_number(double rate, char *text, size_t size)
{
	if (rate == 0)
		snprintf(text, size, "0");
	else if (rate < 5e5)
		snprintf(text, size, "<0.001");
	else
		snprintf(text, size, "%.3f", gb(rate));
}

static void write_value(struct table *table, const struct gpmu_traffic_value *value, char *text,
			size_t size)
{
	char letter[8];

	note_signs(&table->signs, value);
	switch (value->state) {
	case GPMU_TRAFFIC_OK:
		write_number(value->rate, text, size);
		snprintf(text + strlen(text), size - strlen(text), "%s%s",
			 value->derived ? "~" : "", value->share < 1 ? "*" : "");
		break;
	case GPMU_TRAFFIC_RANGE:
		snprintf(text, size, "%.2f..%.2f%s", gb(value->low), gb(value->high),
			 value->share < 1 ? "*" : "");
		break;
	case GPMU_TRAFFIC_TOGETHER:
		write_letter(value->sum, letter);
		snprintf(text, size, "(%s)", letter);
		break;
	case GPMU_TRAFFIC_INVISIBLE:
		snprintf(text, size, "invisible");
		break;
	case GPMU_TRAFFIC_IDLE:
		snprintf(text, size, "idle");
		break;
	case GPMU_TRAFFIC_NOT_COUNTED:
		snprintf(text, size, "<not counted>");
		break;
	default:
		snprintf(text, size, "<not supported>");
	}
}

static void put_value(struct table *table, const struct gpmu_traffic_value *value)
{
	char text[64];

	write_value(table, value, text, sizeof(text));
	fprintf(table->view->file, "%*s", CELL_WIDTH, text);
}

static const struct gpmu_traffic_value *way_of(const struct gpmu_traffic_line *line, size_t way)
{
	return way ? &line->write : &line->read;
}

static void put_row(struct table *table, const char *name, size_t source, size_t way, bool totals)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_traffic *flow = view->flow;

	fprintf(view->file, "  %-*s %-5s", NAME_WIDTH, way ? "" : name, ways[way]);
	for (size_t memory = 0; gpmu_traffic_memory(flow, memory); memory++)
		put_value(table, way_of(totals ? gpmu_traffic_memory_total(flow, memory) :
						 gpmu_traffic_cell(flow, source, memory),
					way));
	put_value(table, way_of(totals ? gpmu_traffic_total(flow) :
					 gpmu_traffic_source_total(flow, source), way));
	fprintf(view->file, "\n");
}

static void put_matrix(struct table *table)
{
	const struct traffic_view *view = table->view;
	const char *name;

	fprintf(view->file, "\n  %-*s %-5s", NAME_WIDTH, "GB/s", "");
	for (size_t memory = 0; (name = gpmu_traffic_memory(view->flow, memory)); memory++)
		fprintf(view->file, "%*s", CELL_WIDTH, name);
	fprintf(view->file, "%*s\n", CELL_WIDTH, "total");
	for (size_t source = 0; (name = gpmu_traffic_source(view->flow, source)); source++)
		for (size_t way = 0; way < 2; way++)
			put_row(table, name, source, way, false);
	for (size_t way = 0; way < 2; way++)
		put_row(table, "total", 0, way, true);
}

/* Whether a cell of the matrix is counted in this sum */
static bool is_used(const struct gpmu_traffic *flow, size_t sum)
{
	const struct gpmu_traffic_line *cell;

	for (size_t source = 0; gpmu_traffic_source(flow, source); source++)
		for (size_t memory = 0; (cell = gpmu_traffic_cell(flow, source, memory)); memory++)
			for (size_t way = 0; way < 2; way++)
				if (way_of(cell, way)->state == GPMU_TRAFFIC_TOGETHER &&
				    way_of(cell, way)->sum == sum)
					return true;
	return false;
}

static void put_sums(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_traffic_line *sum;
	bool first = true;
	char letter[8];

	for (size_t i = 0; (sum = gpmu_traffic_sum(view->flow, i)); i++) {
		if (!is_used(view->flow, i))
			continue;
		if (first)
			fprintf(view->file, "\n  %-*s%*s%*s\n", WIDE, "counted together, GB/s",
				CELL_WIDTH, "read", CELL_WIDTH, "write");
		first = false;
		write_letter(i, letter);
		fprintf(view->file, "  (%s) %-*s", letter, WIDE - 3 - (int)strlen(letter),
			sum->name);
		put_value(table, &sum->read);
		put_value(table, &sum->write);
		fprintf(view->file, "\n");
	}
}

static void put_imbalance(FILE *file, const struct gpmu_traffic_value *source,
			  const struct gpmu_traffic_value *home, double imbalance)
{
	/* Both ends are not read at exactly the same time: tiny differences are shown as 0. */
	if (fabs(imbalance) < 0.0005)
		fprintf(file, "%9.1f %%", 0.0);
	else if (!isnan(imbalance))
		fprintf(file, "%+9.1f %%", imbalance * 100);
	else if (source->state == GPMU_TRAFFIC_OK && home->state == GPMU_TRAFFIC_OK)
		fprintf(file, "%11s", home->rate > 0 ? "-" : "idle");
}

static void put_link(struct table *table, const struct gpmu_traffic_link *link, size_t way)
{
	const struct gpmu_traffic_value *source = way ? &link->source_write : &link->source_read;
	const struct gpmu_traffic_value *home = way ? &link->home_write : &link->home_read;
	FILE *file = table->view->file;

	fprintf(file, "  %-*s %-5s", WIDE - 6, way ? "" : link->name, ways[way]);
	put_value(table, source);
	put_value(table, home);
	put_imbalance(file, source, home, way ? link->imbalance_write : link->imbalance_read);
	fprintf(file, "\n");
}

static void put_links(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_traffic_link *link;

	for (size_t i = 0; (link = gpmu_traffic_link(view->flow, i)); i++) {
		if (!i)
			fprintf(view->file, "\n  %-*s%*s%*s%11s\n", WIDE, "between sockets, GB/s",
				CELL_WIDTH, "at the source", CELL_WIDTH, "at the home",
				"difference");
		for (size_t way = 0; way < 2; way++)
			put_link(table, link, way);
	}
}

static void put_peak(struct table *table, const struct gpmu_traffic_peak *peak)
{
	FILE *file = table->view->file;

	fprintf(file, "  %-*s", WIDE, peak->name);
	put_value(table, &peak->value);
	if (isnan(peak->peak))
		fprintf(file, "%10s", "-");
	else
		fprintf(file, "%10.1f", gb(peak->peak));
	if (isnan(peak->low))
		fprintf(file, "%14s", "-");
	else if (peak->low < peak->high)
		fprintf(file, "%6.2f..%5.2f %%", peak->low * 100, peak->high * 100);
	else
		fprintf(file, "%12.2f %%", peak->low * 100);
	fprintf(file, "\n");
}

static void put_origin(const struct traffic_view *view, const char *origin)
{
	if (origin && !view->said->origins)
		fprintf(view->file, "    %s\n", origin);
}

/* Peaks are ordered by origin, which is printed below the last of each. */
static void put_peaks(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_traffic_peak *peak;
	const char *origin = NULL;

	for (size_t i = 0; (peak = gpmu_traffic_peak(view->flow, i)); i++) {
		if (!i)
			fprintf(view->file, "\n  %-*s%*s%10s%14s\n", WIDE,
				"share of the peak, GB/s", CELL_WIDTH, "moved", "peak", "share");
		if (origin && strcmp(origin, peak->origin))
			put_origin(view, origin);
		origin = peak->origin;
		put_peak(table, peak);
	}
	put_origin(view, origin);
	view->said->origins = true;
}

/* --- GPUs, and comparisons of two counting places --- */

static void put_gpu(struct table *table, size_t gpu, size_t part, bool *first)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_row *rows[] = { traffic_gpu_row(view, gpu, part, 0),
					  traffic_gpu_row(view, gpu, part, 1) };
	char name[64];

	if (!rows[0] || !rows[1])
		return;
	if (*first)
		fprintf(view->file, "\n  %-*s%*s%*s\n", WIDE, "GPUs, GB/s", CELL_WIDTH,
			"read, received", CELL_WIDTH, "written, sent");
	*first = false;
	snprintf(name, sizeof(name), "GPU%zu %s", gpu, traffic_gpu_parts[part].name);
	fprintf(view->file, "  %-*s", WIDE, name);
	for (size_t way = 0; way < 2; way++) {
		const struct gpmu_traffic_value value = traffic_gpu_value(rows[way]);

		put_value(table, &value);
	}
	fprintf(view->file, "\n");
}

static void put_gpus(struct table *table)
{
	bool first = true;

	for (size_t gpu = 0; gpmu_machine_gpu(table->view->machine, gpu); gpu++)
		for (size_t part = 0; part < TRAFFIC_GPU_PARTS; part++)
			put_gpu(table, gpu, part, &first);
}

/* A remainder that rounds to 0.000 is printed as 0. */
static void put_remainder(FILE *file, const struct gpmu_balance_line *line)
{
	bool small = fabs(line->remainder) < 5e5;

	fprintf(file, small ? "%*.3f" : "%+*.3f", CELL_WIDTH, small ? 0 : gb(line->remainder));
	fprintf(file, small ? "%9.1f %%" : "%+9.1f %%", small ? 0 : line->part * 100);
}

static void put_balance(struct table *table, const struct gpmu_balance_line *line)
{
	const double sides[] = { line->left, line->right };
	FILE *file = table->view->file;
	char name[256];

	snprintf(name, sizeof(name), "%s: %s, %s", line->name, line->left_of, line->right_of);
	fprintf(file, "  %-*s", WIDER, name);
	for (size_t i = 0; i < 2; i++) {
		const struct gpmu_traffic_value value = {
			.state = line->state == GPMU_OK		 ? GPMU_TRAFFIC_OK :
				 line->state == GPMU_NOT_COUNTED ? GPMU_TRAFFIC_NOT_COUNTED :
								   GPMU_TRAFFIC_NOT_SUPPORTED,
			.rate = sides[i],
			.share = line->share,
		};

		put_value(table, &value);
	}
	if (line->state == GPMU_OK)
		put_remainder(file, line);
	fprintf(file, "\n");
}

static void put_balances(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_balance_line *line;

	for (size_t i = 0; (line = gpmu_balance_line(view->balance, i)); i++) {
		if (!i)
			fprintf(view->file, "\n  %-*s%*s%*s%*s\n", WIDER,
				"counted at two places, GB/s", CELL_WIDTH, "first", CELL_WIDTH,
				"second", CELL_WIDTH, "remainder");
		put_balance(table, line);
	}
}

/* --- notes: marks and missing values --- */

static void put_note(struct table *table, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put_note(struct table *table, const char *fmt, ...)
{
	FILE *file = table->view->file;
	va_list args;

	fputs(table->notes ? "  " : "\n  ", file);
	table->notes = true;
	va_start(args, fmt);
	vfprintf(file, fmt, args);
	va_end(args);
	fputc('\n', file);
}

static bool is_new(struct traffic_said *said, const char *line)
{
	for (size_t i = 0; i < said->n; i++)
		if (!strcmp(said->lines[i], line))
			return false;
	if (said->n == sizeof(said->lines) / sizeof(said->lines[0]))
		return false;
	said->lines[said->n++] = need_memory(strdup(line));
	return true;
}

static void say_once(struct table *table, const char *name, const char *line)
{
	if (is_new(table->view->said, line))
		put_note(table, "%s%s%s", name, *name ? ": " : "", line);
}

static void say_why(struct table *table, const struct gpmu_traffic_line *line)
{
	for (size_t way = 0; way < 2; way++) {
		const struct gpmu_traffic_value *value = way_of(line, way);

		if (value->why && (value->state == GPMU_TRAFFIC_NOT_COUNTED ||
				   value->state == GPMU_TRAFFIC_NOT_SUPPORTED))
			say_once(table, line->name, value->why);
		if (line->note && (value->state == GPMU_TRAFFIC_INVISIBLE ||
				   value->state == GPMU_TRAFFIC_RANGE || value->derived))
			say_once(table, line->name, line->note);
	}
}

/* Notes the GPU's UUID and counting source, and why values are missing. */
static void note_gpu(struct table *table, size_t gpu)
{
	const struct traffic_view *view = table->view;
	char name[32], text[256];

	snprintf(name, sizeof(name), "GPU%zu", gpu);
	for (size_t i = 0; i < TRAFFIC_GPU_PARTS * 2; i++) {
		const struct gpmu_row *row = traffic_gpu_row(view, gpu, i / 2, i % 2);

		if (!row)
			continue;
		snprintf(text, sizeof(text), "%s%s%s", row->gpu, row->source ? ", by " : "",
			 row->source ? row->source : "");
		say_once(table, name, text);
		if (row->why)
			say_once(table, name, row->why);
	}
}

static void note_gpus(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_balance_line *line;

	for (size_t gpu = 0; gpmu_machine_gpu(view->machine, gpu); gpu++)
		note_gpu(table, gpu);
	for (size_t i = 0; (line = gpmu_balance_line(view->balance, i)); i++)
		say_once(table, line->name, line->why ? line->why : line->note);
}

static void note_flow(struct table *table)
{
	const struct traffic_view *view = table->view;
	const struct gpmu_traffic_line *cell;
	const struct gpmu_traffic_link *link;

	for (size_t source = 0; gpmu_traffic_source(view->flow, source); source++)
		for (size_t memory = 0; (cell = gpmu_traffic_cell(view->flow, source, memory));
		     memory++)
			say_why(table, cell);
	for (size_t i = 0; (link = gpmu_traffic_link(view->flow, i)); i++)
		if (link->note)
			say_once(table, link->name, link->note);
}

static void put_notes(struct table *table)
{
	const struct signs *signs = &table->signs;

	if (signs->derived)
		say_once(table, "", "~ is a difference of several PMUs' counts");
	if (signs->range)
		say_once(table, "", "a..b are bounds: the counts do not determine the value");
	/* Not once: the share differs in each interval. */
	if (signs->multiplexed)
		put_note(table,
			 "* is an estimate: counters were multiplexed, and ran %.2f%% of the time "
			 "or more",
			 signs->share * 100);
	if (table->view->flow)
		note_flow(table);
	note_gpus(table);
}

void traffic_text(const struct traffic_view *view)
{
	struct table table = { .view = view };

	fprintf(view->file, "\n  %.9f s: traffic%s, %s\n",
		view->interval ? view->end : view->end - view->begin,
		view->interval ? " of this interval" : "",
		view->flow ? gpmu_traffic_title(view->flow) : "GPUs");
	if (view->flow) {
		put_matrix(&table);
		put_sums(&table);
		put_links(&table);
		put_peaks(&table);
	}
	put_gpus(&table);
	put_balances(&table);
	put_notes(&table);
}

void traffic_said_release(struct traffic_said *said)
{
	while (said->n)
		free(said->lines[--said->n]);
}
