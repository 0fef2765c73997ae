// SPDX-License-Identifier: LGPL-2.1-or-later
/* The matrix as text. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_shown.h"
#include "common.h"
#include "message.h"
#include "output/table.h"
#include "traffic/traffic.h"

/* Least widths of columns, so that most intervals' tables are aligned with each other */
#define NAME_WIDTH 14
#define CELL_WIDTH 14
#define WIDE	   44 /* names of links and peaks */
#define WIDER	   48 /* names of comparisons */

static const char *const ways[] = { "read", "write" };

/* The marks that were used, for the notes below the table */
struct signs {
	bool has_derived, has_range, has_together, has_invisible, has_multiplexed;
	double share; /* the lowest */
};

struct page {
	const struct traffic_view *view;
	struct signs signs;
	struct table table; /* the current one */
	bool has_notes;	    /* there are some */
};

static double gb(double rate)
{
	return rate / 1e9;
}

static void note_signs(struct signs *signs, const struct gpmu_traffic_value *value)
{
	bool is_number = value->state == GPMU_TRAFFIC_OK || value->state == GPMU_TRAFFIC_RANGE;

	signs->has_derived = signs->has_derived || (value->state == GPMU_TRAFFIC_OK && value->derived);
	signs->has_range = signs->has_range || value->state == GPMU_TRAFFIC_RANGE;
	signs->has_together = signs->has_together || value->state == GPMU_TRAFFIC_TOGETHER;
	signs->has_invisible = signs->has_invisible || value->state == GPMU_TRAFFIC_INVISIBLE;
	if (is_number && value->share < 1) {
		if (!signs->has_multiplexed || value->share < signs->share)
			signs->share = value->share;
		signs->has_multiplexed = true;
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

static void write_value(struct page *page, const struct gpmu_traffic_value *value, char *text,
			size_t size)
{
	char letter[8];

	note_signs(&page->signs, value);
	switch (value->state) {
	case GPMU_TRAFFIC_OK:
		write_number(value->rate, text, size);
		snprintf(text + strlen(text), size - strlen(text), "%s%s",
			 value->derived ? "~" : "", value->share < 1 ? "*" : "");
		break;
	case GPMU_TRAFFIC_RANGE:
		snprintf(text, size, "%.3f..%.3f%s", gb(value->low), gb(value->high),
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

static void add_value(struct page *page, const struct gpmu_traffic_value *value)
{
	char text[64];

	write_value(page, value, text, sizeof(text));
	table_cell(&page->table, "%s", text);
}

/* Begins a table, whose first column is @min wide. */
static void begin(struct page *page, const char *heading, size_t min)
{
	table_init(&page->table, page->view->file, "  ");
	table_column(&page->table, heading, 0, min, 0);
}

static void add_column(struct page *page, const char *heading)
{
	table_column(&page->table, heading, TABLE_RIGHT, CELL_WIDTH, 0);
}

/* Prints the table after an empty line, if it has rows. */
static void end(struct page *page)
{
	if (!page->table.n)
		return;
	putc('\n', page->view->file);
	table_print(&page->table);
}

static const struct gpmu_traffic_value *way_of(const struct gpmu_traffic_line *line, size_t way)
{
	return way ? &line->write : &line->read;
}

static void add_row(struct page *page, const char *name, size_t source, size_t way, bool is_total)
{
	const struct gpmu_traffic *flow = page->view->flow;

	table_cell(&page->table, "%s", way ? "" : name);
	table_cell(&page->table, "%s", ways[way]);
	for (size_t memory = 0; gpmu_traffic_memory(flow, memory); memory++)
		add_value(page, way_of(is_total ? gpmu_traffic_memory_total(flow, memory) :
						gpmu_traffic_cell(flow, source, memory),
				       way));
	add_value(page, way_of(is_total ? gpmu_traffic_total(flow) : gpmu_traffic_source_total(flow, source), way));
}

static void put_matrix(struct page *page)
{
	const struct gpmu_traffic *flow = page->view->flow;
	const char *name;

	begin(page, "GB/s", NAME_WIDTH);
	table_column(&page->table, "", 0, strlen("write"), 0);
	for (size_t memory = 0; (name = gpmu_traffic_memory(flow, memory)); memory++)
		add_column(page, name);
	add_column(page, "total");
	for (size_t source = 0; (name = gpmu_traffic_source(flow, source)); source++)
		for (size_t way = 0; way < 2; way++)
			add_row(page, name, source, way, false);
	for (size_t way = 0; way < 2; way++)
		add_row(page, "total", 0, way, true);
	end(page);
}

/* Returns whether a cell of the matrix is counted in this sum. */
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

static void put_sums(struct page *page)
{
	const struct gpmu_traffic *flow = page->view->flow;
	const struct gpmu_traffic_line *sum;
	char letter[8];

	begin(page, "counted together, GB/s", WIDE);
	add_column(page, "read");
	add_column(page, "write");
	for (size_t i = 0; (sum = gpmu_traffic_sum(flow, i)); i++) {
		if (!is_used(flow, i))
			continue;
		write_letter(i, letter);
		table_cell(&page->table, "(%s) %s", letter, sum->name);
		add_value(page, &sum->read);
		add_value(page, &sum->write);
	}
	end(page);
}

static void add_imbalance(struct page *page, const struct gpmu_traffic_value *source,
			  const struct gpmu_traffic_value *home, double imbalance)
{
	bool is_counted = source->state == GPMU_TRAFFIC_OK && home->state == GPMU_TRAFFIC_OK;

	/* Both ends are not read at exactly the same time: tiny differences are shown as 0. */
	if (fabs(imbalance) < 0.0005)
		table_cell(&page->table, "0.0 %%");
	else if (!isnan(imbalance))
		table_cell(&page->table, "%+.1f %%", imbalance * 100);
	else
		table_cell(&page->table, "%s", !is_counted ? "" : home->rate > 0 ? "-" : "idle");
}

static void add_link(struct page *page, const struct gpmu_traffic_link *link, size_t way)
{
	const struct gpmu_traffic_value *source = way ? &link->source_write : &link->source_read;
	const struct gpmu_traffic_value *home = way ? &link->home_write : &link->home_read;

	table_cell(&page->table, "%s", way ? "" : link->name);
	table_cell(&page->table, "%s", ways[way]);
	add_value(page, source);
	add_value(page, home);
	if (link->alike && !way)
		add_imbalance(page, source, home, link->imbalance);
	else
		table_cell(&page->table, "%s", "");
}

static void put_links(struct page *page)
{
	const struct gpmu_traffic_link *link;

	begin(page, "between sockets, GB/s", WIDE - strlen("  write"));
	table_column(&page->table, "", 0, strlen("write"), 0);
	add_column(page, "at the source");
	add_column(page, "at the home");
	table_column(&page->table, "difference", TABLE_RIGHT, 0, 0);
	for (size_t i = 0; (link = gpmu_traffic_link(page->view->flow, i)); i++)
		for (size_t way = 0; way < 2; way++)
			add_link(page, link, way);
	end(page);
}

static void add_peak(struct page *page, const struct gpmu_traffic_peak *peak)
{
	struct table *table = &page->table;

	table_cell(table, "%s", peak->name);
	add_value(page, &peak->value);
	if (isnan(peak->peak))
		table_cell(table, "-");
	else
		table_cell(table, "%.1f", gb(peak->peak));
	if (isnan(peak->low))
		table_cell(table, "-");
	else if (peak->low < peak->high)
		table_cell(table, "%.2f..%5.2f %%", peak->low * 100, peak->high * 100);
	else
		table_cell(table, "%.2f %%", peak->low * 100);
}

static void add_origin(struct page *page, const char *origin)
{
	if (origin && !page->view->notes->has_origins)
		table_note(&page->table, 0, "  %s", origin);
}

/* Peaks are ordered by origin, which is printed below the last of each. */
static void put_peaks(struct page *page)
{
	const struct gpmu_traffic_peak *peak;
	const char *origin = NULL;

	begin(page, "share of the peak, GB/s", WIDE);
	add_column(page, "moved");
	table_column(&page->table, "peak", TABLE_RIGHT, 8, 0);
	table_column(&page->table, "share", TABLE_RIGHT, 12, 0);
	for (size_t i = 0; (peak = gpmu_traffic_peak(page->view->flow, i)); i++) {
		if (origin && strcmp(origin, peak->origin))
			add_origin(page, origin);
		origin = peak->origin;
		add_peak(page, peak);
	}
	add_origin(page, origin);
	end(page);
	page->view->notes->has_origins = true;
}

/* --- GPUs, and comparisons of two counting places --- */

static void add_gpu(struct page *page, size_t gpu, size_t part)
{
	const struct gpmu_row *rows[] = { traffic_gpu_row(page->view, gpu, part, 0),
					  traffic_gpu_row(page->view, gpu, part, 1) };

	if (!rows[0] || !rows[1])
		return;
	table_cell(&page->table, "GPU%zu %s", gpu, traffic_gpu_parts[part].name);
	for (size_t way = 0; way < 2; way++) {
		const struct gpmu_traffic_value value = traffic_gpu_value(rows[way]);

		add_value(page, &value);
	}
}

static void put_gpus(struct page *page)
{
	begin(page, "GPUs, GB/s", WIDE);
	add_column(page, "read, received");
	add_column(page, "written, sent");
	for (size_t gpu = 0; gpmu_machine_gpu(page->view->machine, gpu); gpu++)
		for (size_t part = 0; part < TRAFFIC_GPU_PARTS; part++)
			add_gpu(page, gpu, part);
	end(page);
}

/* A remainder that rounds to 0.000 is printed as 0. */
static void add_remainder(struct table *table, const struct gpmu_balance_line *line)
{
	bool is_small = fabs(line->remainder) < 5e5;

	if (isnan(line->remainder)) {
		table_cell(table, "idle");
		return;
	}
	table_cell(table, is_small ? "%.3f" : "%+.3f", is_small ? 0 : gb(line->remainder));
	table_cell(table, is_small ? "%.1f %%" : "%+.1f %%", is_small ? 0 : line->part * 100);
}

static void add_balance(struct page *page, const struct gpmu_balance_line *line)
{
	const double sides[] = { line->left, line->right };

	table_cell(&page->table, "%s: %s, %s", line->name, line->left_of, line->right_of);
	for (size_t i = 0; i < 2; i++) {
		const struct gpmu_traffic_value value = {
			.state = line->state == GPMU_STATE_OK		 ? GPMU_TRAFFIC_OK :
				 line->state == GPMU_STATE_NOT_COUNTED ? GPMU_TRAFFIC_NOT_COUNTED :
								   GPMU_TRAFFIC_NOT_SUPPORTED,
			.rate = sides[i],
			.share = line->share,
		};

		add_value(page, &value);
	}
	if (line->state == GPMU_STATE_OK)
		add_remainder(&page->table, line);
	table_end_row(&page->table);
}

static void put_balances(struct page *page)
{
	const struct gpmu_balance_line *line;

	begin(page, "counted on two sides, GB/s", WIDER);
	add_column(page, "first");
	add_column(page, "second");
	add_column(page, "remainder");
	table_column(&page->table, "", TABLE_RIGHT, 9, 0);
	for (size_t i = 0; (line = gpmu_balance_line(page->view->balance, i)); i++)
		add_balance(page, line);
	end(page);
}

/* --- notes: marks and missing values --- */

static void put_note(struct page *page, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void put_note(struct page *page, const char *fmt, ...)
{
	va_list args;
	char *text;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		die_no_memory();
	va_end(args);
	fprintf(page->view->file, "%s%s\n", page->has_notes ? "  " : "\n  ", gpmu_shown(text));
	free(text);
	page->has_notes = true;
}

static bool is_new(struct traffic_notes *notes, const char *line)
{
	for (size_t i = 0; i < notes->n; i++)
		if (!strcmp(notes->lines[i], line))
			return false;
	if (notes->n == ARRAY_SIZE(notes->lines))
		return false;
	notes->lines[notes->n++] = need_memory(strdup(line));
	return true;
}

static void say_once(struct page *page, const char *name, const char *line)
{
	if (is_new(page->view->notes, line))
		put_note(page, "%s%s%s", name, *name ? ": " : "", line);
}

static void say_why(struct page *page, const struct gpmu_traffic_line *line)
{
	for (size_t way = 0; way < 2; way++) {
		const struct gpmu_traffic_value *value = way_of(line, way);

		if (value->why && (value->state == GPMU_TRAFFIC_NOT_COUNTED ||
				   value->state == GPMU_TRAFFIC_NOT_SUPPORTED))
			say_once(page, line->name, value->why);
		if (line->note && (value->state == GPMU_TRAFFIC_INVISIBLE ||
				   value->state == GPMU_TRAFFIC_RANGE || value->derived))
			say_once(page, line->name, line->note);
	}
}

/* Notes the GPU's UUID and counting source, and why values are missing. */
static void note_gpu(struct page *page, size_t gpu)
{
	const struct traffic_view *view = page->view;
	char name[32], text[256];

	snprintf(name, sizeof(name), "GPU%zu", gpu);
	for (size_t i = 0; i < TRAFFIC_GPU_PARTS * 2; i++) {
		const struct gpmu_row *row = traffic_gpu_row(view, gpu, i / 2, i % 2);

		if (!row)
			continue;
		snprintf(text, sizeof(text), "%s%s%s", row->gpu, row->source ? ", by " : "",
			 row->source ? row->source : "");
		say_once(page, name, text);
		if (row->why)
			say_once(page, name, row->why);
	}
}

static void note_gpus(struct page *page)
{
	const struct traffic_view *view = page->view;
	const struct gpmu_balance_line *line;

	for (size_t gpu = 0; gpmu_machine_gpu(view->machine, gpu); gpu++)
		note_gpu(page, gpu);
	for (size_t i = 0; (line = gpmu_balance_line(view->balance, i)); i++)
		say_once(page, line->name, line->why ? line->why : line->note);
}

static void note_flow(struct page *page)
{
	const struct traffic_view *view = page->view;
	const struct gpmu_traffic_line *cell;
	const struct gpmu_traffic_link *link;

	for (size_t source = 0; gpmu_traffic_source(view->flow, source); source++)
		for (size_t memory = 0; (cell = gpmu_traffic_cell(view->flow, source, memory));
		     memory++)
			say_why(page, cell);
	for (size_t i = 0; (link = gpmu_traffic_link(view->flow, i)); i++)
		if (link->note)
			say_once(page, link->name, link->note);
}

static void put_notes(struct page *page)
{
	const struct signs *signs = &page->signs;

	if (signs->has_derived)
		say_once(page, "", "~ is a difference of several PMUs' counts");
	if (signs->has_range)
		say_once(page, "", "a..b are bounds: the counts do not determine the value");
	/* Not once: the share differs in each interval. */
	if (signs->has_multiplexed)
		put_note(page,
			 "* is an estimate: counters were multiplexed, and ran %.2f%% of the time "
			 "or more",
			 signs->share * 100);
	if (page->view->flow)
		note_flow(page);
	note_gpus(page);
}

void traffic_text(const struct traffic_view *view)
{
	struct page page = { .view = view };

	fprintf(view->file, "\n  %.9f s: traffic%s, %s\n",
		view->has_interval ? view->end : view->end - view->begin,
		view->has_interval ? " of this interval" : "",
		view->flow ? gpmu_traffic_title(view->flow) : "GPUs");
	if (view->flow) {
		put_matrix(&page);
		put_sums(&page);
		put_links(&page);
		put_peaks(&page);
	}
	put_gpus(&page);
	put_balances(&page);
	put_notes(&page);
}

void traffic_notes_release(struct traffic_notes *notes)
{
	while (notes->n)
		free(notes->lines[--notes->n]);
}
