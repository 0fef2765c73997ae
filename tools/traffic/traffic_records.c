// SPDX-License-Identifier: LGPL-2.1-or-later
/* CSV and JSON: a record for each number. man/gpmu-traffic.rst describes the columns. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/gpmu_json.h"
#include "message.h"
#include "traffic/traffic.h"

enum column_type {
	TEXT,
	NUMBER, /* NaN: none */
	SECONDS,
};

struct column {
	const char *name;
	enum column_type type;
	const char *text;
	double number;
};

enum {
	COL_BEGIN,
	COL_END,
	COL_HOST,
	COL_KIND,
	COL_NAME,
	COL_DIRECTION,
	COL_STATE,
	COL_DERIVED,
	COL_BYTES,
	COL_VALUE,
	COL_UNIT,
	COL_LOW,
	COL_HIGH,
	COL_SHARE,
	COL_IMBALANCE,
	COL_PEAK,
	COL_PEAK_LOW,
	COL_PEAK_HIGH,
	COL_SUM,
	COL_NOTE,
	COL_GPU,
	COL_SOURCE,
	COL_LEFT_OF,
	COL_LEFT,
	COL_RIGHT_OF,
	COL_RIGHT,
	COL_REMAINDER,
	COL_PART,
	N_COLUMNS,
};

#define COLUMN(heading, kind)	{ .name = heading, .type = kind, .number = NAN }

static const struct column columns[N_COLUMNS] = {
	[COL_BEGIN] = COLUMN("time_begin", SECONDS),
	[COL_END] = COLUMN("time_end", SECONDS),
	[COL_HOST] = COLUMN("host", TEXT),
	[COL_KIND] = COLUMN("kind", TEXT),
	[COL_NAME] = COLUMN("name", TEXT),
	[COL_DIRECTION] = COLUMN("direction", TEXT),
	[COL_STATE] = COLUMN("state", TEXT),
	[COL_DERIVED] = COLUMN("derived", NUMBER),
	[COL_BYTES] = COLUMN("bytes", NUMBER),
	[COL_VALUE] = COLUMN("value", NUMBER),
	[COL_UNIT] = COLUMN("unit", TEXT),
	[COL_LOW] = COLUMN("low", NUMBER),
	[COL_HIGH] = COLUMN("high", NUMBER),
	[COL_SHARE] = COLUMN("share", NUMBER),
	[COL_IMBALANCE] = COLUMN("imbalance", NUMBER),
	[COL_PEAK] = COLUMN("peak", NUMBER),
	[COL_PEAK_LOW] = COLUMN("peak_low", NUMBER),
	[COL_PEAK_HIGH] = COLUMN("peak_high", NUMBER),
	[COL_SUM] = COLUMN("sum", TEXT),
	[COL_NOTE] = COLUMN("note", TEXT),
	[COL_GPU] = COLUMN("gpu", TEXT),
	[COL_SOURCE] = COLUMN("source", TEXT),
	[COL_LEFT_OF] = COLUMN("left_of", TEXT),
	[COL_LEFT] = COLUMN("left", NUMBER),
	[COL_RIGHT_OF] = COLUMN("right_of", TEXT),
	[COL_RIGHT] = COLUMN("right", NUMBER),
	[COL_REMAINDER] = COLUMN("remainder", NUMBER),
	[COL_PART] = COLUMN("part", NUMBER),
};

static const char *const states[] = {
	[GPMU_TRAFFIC_OK] = "ok",
	[GPMU_TRAFFIC_RANGE] = "range",
	[GPMU_TRAFFIC_TOGETHER] = "together",
	[GPMU_TRAFFIC_INVISIBLE] = "invisible",
	[GPMU_TRAFFIC_IDLE] = "idle",
	[GPMU_TRAFFIC_NOT_COUNTED] = "not_counted",
	[GPMU_TRAFFIC_NOT_SUPPORTED] = "not_supported",
};

struct writer {
	const struct traffic_view *view;
	struct column record[N_COLUMNS];
	char host[256];
	char name[64]; /* of a GPU's part */
};

static void put_csv_text(const struct traffic_view *view, const char *text)
{
	if (!text)
		return;
	if (!strstr(text, view->separator) && !strpbrk(text, "\"\n")) {
		fputs(text, view->file);
		return;
	}
	putc('"', view->file);
	for (; *text; text++)
		fprintf(view->file, *text == '"' ? "\"\"" : "%c", *text);
	putc('"', view->file);
}

static void put_column(const struct traffic_view *view, const struct column *column)
{
	bool wants_json = view->wants_json;

	if (column->type == TEXT && wants_json)
		gpmu_json_print(view->file, column->text);
	else if (column->type == TEXT)
		put_csv_text(view, column->text);
	else if (isnan(column->number))
		fputs(wants_json ? "null" : "", view->file);
	else
		fprintf(view->file, column->type == SECONDS ? "%.9f" : "%.15g", column->number);
}

static void put_record(const struct writer *writer)
{
	const struct traffic_view *view = writer->view;

	if (view->wants_json)
		fputs("{\"gpmu_traffic\":1", view->file);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		if (view->wants_json)
			fprintf(view->file, ",\"%s\":", columns[i].name);
		else if (i)
			fputs(view->separator, view->file);
		put_column(view, &writer->record[i]);
	}
	fputs(view->wants_json ? "}\n" : "\n", view->file);
}

static void clear(struct writer *writer)
{
	memcpy(writer->record, columns, sizeof(columns));
	writer->record[COL_BEGIN].number = writer->view->begin;
	writer->record[COL_END].number = writer->view->end;
	writer->record[COL_HOST].text = *writer->host ? writer->host : NULL;
	writer->record[COL_UNIT].text = "GB/s";
}

static void set_value(struct writer *writer, const struct gpmu_traffic_value *value)
{
	struct column *record = writer->record;
	const struct gpmu_traffic_line *sum;

	record[COL_STATE].text = states[value->state];
	record[COL_DERIVED].number = value->derived;
	record[COL_BYTES].number = value->bytes;
	record[COL_VALUE].number = value->rate / 1e9;
	record[COL_LOW].number = value->low / 1e9;
	record[COL_HIGH].number = value->high / 1e9;
	record[COL_SHARE].number = value->share;
	if (value->state == GPMU_TRAFFIC_TOGETHER) {
		sum = gpmu_traffic_sum(writer->view->flow, value->sum);
		record[COL_SUM].text = sum->name;
	}
	if (value->why)
		record[COL_NOTE].text = value->why;
}

static void put_value(struct writer *writer, const char *kind, const char *name, const char *note,
		      const char *direction, const struct gpmu_traffic_value *value,
		      double imbalance)
{
	clear(writer);
	writer->record[COL_KIND].text = kind;
	writer->record[COL_NAME].text = name;
	writer->record[COL_DIRECTION].text = direction;
	writer->record[COL_IMBALANCE].number = imbalance;
	set_value(writer, value);
	if (note)
		writer->record[COL_NOTE].text = note;
	put_record(writer);
}

static void put_line(struct writer *writer, const char *kind, const struct gpmu_traffic_line *line)
{
	put_value(writer, kind, line->name, line->note, "read", &line->read, NAN);
	put_value(writer, kind, line->name, line->note, "write", &line->write, NAN);
}

static void put_link(struct writer *writer, const struct gpmu_traffic_link *link)
{
	const char *name = link->name, *note = link->note;

	put_value(writer, "link_source", name, note, "read", &link->source_read, NAN);
	put_value(writer, "link_source", name, note, "write", &link->source_write, NAN);
	put_value(writer, "link_home", name, note, "read", &link->home_read, link->imbalance);
	put_value(writer, "link_home", name, note, "write", &link->home_write,
		  NAN);
}

static void put_peak(struct writer *writer, const struct gpmu_traffic_peak *peak)
{
	clear(writer);
	writer->record[COL_KIND].text = "peak";
	writer->record[COL_NAME].text = peak->name;
	set_value(writer, &peak->value);
	writer->record[COL_PEAK].number = peak->peak / 1e9;
	writer->record[COL_PEAK_LOW].number = peak->low;
	writer->record[COL_PEAK_HIGH].number = peak->high;
	writer->record[COL_NOTE].text = peak->origin;
	put_record(writer);
}

static void put_gpu(struct writer *writer, size_t gpu, size_t part, size_t way)
{
	const struct gpmu_row *row = traffic_gpu_row(writer->view, gpu, part, way);
	struct gpmu_traffic_value value;

	if (!row)
		return;
	value = traffic_gpu_value(row);
	snprintf(writer->name, sizeof(writer->name), "GPU%zu %s", gpu,
		 traffic_gpu_parts[part].name);
	clear(writer);
	writer->record[COL_KIND].text = "gpu";
	writer->record[COL_NAME].text = writer->name;
	writer->record[COL_DIRECTION].text = way ? "write" : "read";
	set_value(writer, &value);
	writer->record[COL_GPU].text = row->gpu;
	writer->record[COL_SOURCE].text = row->source;
	put_record(writer);
}

static void put_balance(struct writer *writer, const struct gpmu_balance_line *line)
{
	struct column *record = writer->record;

	clear(writer);
	record[COL_KIND].text = "balance";
	record[COL_NAME].text = line->name;
	record[COL_STATE].text = states[line->state == GPMU_STATE_OK	       ? GPMU_TRAFFIC_OK :
					line->state == GPMU_STATE_NOT_COUNTED ? GPMU_TRAFFIC_NOT_COUNTED :
									  GPMU_TRAFFIC_NOT_SUPPORTED];
	record[COL_BYTES].number = line->remainder * (writer->view->end - writer->view->begin);
	record[COL_SHARE].number = line->share;
	record[COL_NOTE].text = line->why ? line->why : line->note;
	record[COL_GPU].text = line->gpu;
	record[COL_LEFT_OF].text = line->left_of;
	record[COL_LEFT].number = line->left / 1e9;
	record[COL_RIGHT_OF].text = line->right_of;
	record[COL_RIGHT].number = line->right / 1e9;
	record[COL_REMAINDER].number = line->remainder / 1e9;
	record[COL_PART].number = line->part;
	put_record(writer);
}

static void put_gpus(struct writer *writer)
{
	const struct traffic_view *view = writer->view;
	const struct gpmu_balance_line *line;

	for (size_t gpu = 0; gpmu_machine_gpu(view->machine, gpu); gpu++)
		for (size_t part = 0; part < TRAFFIC_GPU_PARTS; part++)
			for (size_t way = 0; way < 2; way++)
				put_gpu(writer, gpu, part, way);
	for (size_t i = 0; (line = gpmu_balance_line(view->balance, i)); i++)
		put_balance(writer, line);
}

void traffic_header(const struct traffic_view *view)
{
	fputs("# gpmu-traffic-csv 1\n", view->file);
	for (size_t i = 0; i < N_COLUMNS; i++)
		fprintf(view->file, "%s%s", i ? view->separator : "", columns[i].name);
	fputs("\n", view->file);
}

static void put_flow(struct writer *writer)
{
	const struct gpmu_traffic *flow = writer->view->flow;
	const struct gpmu_traffic_line *line;
	const struct gpmu_traffic_link *link;
	const struct gpmu_traffic_peak *peak;
	size_t i, j;

	for (i = 0; gpmu_traffic_source(flow, i); i++)
		for (j = 0; (line = gpmu_traffic_cell(flow, i, j)); j++)
			put_line(writer, "flow", line);
	for (i = 0; (line = gpmu_traffic_sum(flow, i)); i++)
		put_line(writer, "sum", line);
	for (i = 0; (line = gpmu_traffic_source_total(flow, i)); i++)
		put_line(writer, "source", line);
	for (i = 0; (line = gpmu_traffic_memory_total(flow, i)); i++)
		put_line(writer, "memory", line);
	put_line(writer, "total", gpmu_traffic_total(flow));
	for (i = 0; (link = gpmu_traffic_link(flow, i)); i++)
		put_link(writer, link);
	for (i = 0; (peak = gpmu_traffic_peak(flow, i)); i++)
		put_peak(writer, peak);
}

void traffic_records(const struct traffic_view *view)
{
	struct writer writer = { .view = view };

	if (gethostname(writer.host, sizeof(writer.host) - 1))
		*writer.host = '\0';
	if (view->flow)
		put_flow(&writer);
	put_gpus(&writer);
}
