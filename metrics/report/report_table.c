// SPDX-License-Identifier: LGPL-2.1-or-later
/* The definitions of the tables and columns, and functions to fill their cells in order. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "report/report.h"

#define COLUMN(name_, kind_)	{ .size = sizeof(struct gpmu_report_column), .name = name_, .kind = GPMU_REPORT_##kind_ }
#define LONG(name_)		{ .size = sizeof(struct gpmu_report_column), .name = name_, .is_long = 1 }
#define STATISTICS		COLUMN("total", TIME), COLUMN("min", TIME), \
				COLUMN("median", TIME), COLUMN("max", TIME)

static const struct gpmu_report_column kernels[] = {
	LONG("name"), COLUMN("count", COUNT), COLUMN("share", SHARE), STATISTICS,
};

static const struct gpmu_report_column copies[] = {
	LONG("name"), COLUMN("count", COUNT), COLUMN("bytes", BYTES), COLUMN("bandwidth", RATE),
	STATISTICS,
};

static const struct gpmu_report_column gpus[] = {
	COLUMN("gpu", TEXT), COLUMN("wall", TIME), COLUMN("busy", TIME), COLUMN("idle", TIME),
	COLUMN("idle_share", SHARE), COLUMN("kernels", TIME), COLUMN("copies", TIME),
	COLUMN("overlap", TIME), COLUMN("several", TIME), COLUMN("mean_running", NUMBER),
	LONG("name"), LONG("uuid"),
};

static const struct gpmu_report_column streams[] = {
	LONG("name"), COLUMN("gpu", TEXT), COLUMN("rank", TEXT), COLUMN("kernels", COUNT),
	COLUMN("kernel_time", TIME), COLUMN("copies", COUNT), COLUMN("bytes", BYTES),
	COLUMN("busy", TIME), COLUMN("busy_share", SHARE),
};

static const struct gpmu_report_column api[] = {
	LONG("name"), COLUMN("api", TEXT), COLUMN("count", COUNT), COLUMN("failed", COUNT),
	COLUMN("self", TIME), COLUMN("self_share", SHARE), STATISTICS,
};

static const struct gpmu_report_column waits[] = {
	COLUMN("name", TEXT), COLUMN("count", COUNT), STATISTICS,
};

static const struct gpmu_report_column modules[] = {
	COLUMN("name", TEXT), COLUMN("count", COUNT), COLUMN("bytes", BYTES), STATISTICS,
};

static const struct gpmu_report_column openacc[] = {
	LONG("source"), LONG("name"), COLUMN("count", COUNT), COLUMN("bytes", BYTES), STATISTICS,
};

static const struct gpmu_report_column nodes[] = {
	LONG("created_in"), LONG("name"), COLUMN("count", COUNT), COLUMN("nodes", COUNT), STATISTICS,
};

static const struct gpmu_report_column nvtx[] = {
	LONG("name"), COLUMN("domain", TEXT), COLUMN("count", COUNT), STATISTICS,
	COLUMN("busy", TIME), COLUMN("busy_share", SHARE), COLUMN("c2c", BYTES),
	COLUMN("pcie", BYTES), COLUMN("nvlink", BYTES), COLUMN("dram", BYTES),
};

static const struct gpmu_report_column nvtx_counters[] = {
	LONG("range"), COLUMN("domain", TEXT), COLUMN("of", TEXT), COLUMN("mean", NUMBER),
	COLUMN("unit", TEXT), COLUMN("counted", SHARE), LONG("counter"),
};

static const struct gpmu_report_column moved[] = {
	COLUMN("link", TEXT), COLUMN("gpu", TEXT), COLUMN("direction", TEXT),
	COLUMN("counted", BYTES), COLUMN("copied", BYTES), COLUMN("migrated", BYTES),
	COLUMN("unexplained", BYTES), COLUMN("unexplained_share", SHARE), COLUMN("coverage", SHARE),
	LONG("counters"),
};

static const struct gpmu_report_column attribution[] = {
	LONG("name"), COLUMN("kind", TEXT), COLUMN("bytes", BYTES), COLUMN("share", SHARE),
	COLUMN("in", BYTES), COLUMN("out", BYTES), COLUMN("time", TIME),
	COLUMN("confidence", SHARE),
};

static const struct gpmu_report_column memory[] = {
	COLUMN("process", TEXT), COLUMN("rank", TEXT), COLUMN("what", TEXT), COLUMN("memory", TEXT),
	COLUMN("buffers", COUNT), COLUMN("size", BYTES), COLUMN("bytes", BYTES), COLUMN("in", BYTES),
	COLUMN("out", BYTES), COLUMN("faults", COUNT), COLUMN("confidence", SHARE), LONG("kernel"), LONG("advice"),
};

static const struct gpmu_report_column ranks[] = {
	COLUMN("rank", TEXT), COLUMN("host", TEXT), COLUMN("wall", TIME), COLUMN("kernels", TIME),
	COLUMN("idle", TIME), COLUMN("bytes", BYTES), COLUMN("api", TIME), COLUMN("sync", TIME),
	LONG("file"),
};

static const struct gpmu_report_column imbalance[] = {
	COLUMN("quantity", TEXT), COLUMN("min", NUMBER), COLUMN("mean", NUMBER),
	COLUMN("max", NUMBER), COLUMN("unit", TEXT), COLUMN("imbalance", SHARE),
	COLUMN("max_rank", TEXT),
};

static const struct gpmu_report_column audit[] = {
	COLUMN("check", TEXT), COLUMN("level", TEXT), COLUMN("rank", TEXT), LONG("text"),
};

static const struct gpmu_report_column counters[] = {
	LONG("counter"), COLUMN("of", TEXT), COLUMN("rank", TEXT), COLUMN("mean", NUMBER),
	COLUMN("min", NUMBER), COLUMN("max", NUMBER), COLUMN("unit", TEXT), COLUMN("total", NUMBER),
	COLUMN("per_second", NUMBER), COLUMN("counted", SHARE), COLUMN("running", SHARE),
};

static const struct gpmu_report_column threads[] = {
	LONG("name"), COLUMN("process", TEXT), COLUMN("pid", TEXT), COLUMN("tid", TEXT),
	COLUMN("rank", TEXT), COLUMN("run", TIME), COLUMN("run_share", SHARE), COLUMN("wait", TIME),
	COLUMN("preempted", TIME), COLUMN("switches", COUNT), COLUMN("migrations", COUNT),
	COLUMN("cpus", TEXT),
};

static const struct gpmu_report_column samples[] = {
	COLUMN("tier", TEXT), COLUMN("home", TEXT), COLUMN("share", SHARE), COLUMN("samples", COUNT),
	COLUMN("latency_mean", NUMBER), COLUMN("latency_max", COUNT),
};

static const struct gpmu_report_column functions[] = {
	LONG("function"), LONG("object"), COLUMN("tier", TEXT), COLUMN("share", SHARE), COLUMN("samples", COUNT),
	COLUMN("latency_mean", NUMBER), COLUMN("latency_max", COUNT),
};

static const struct gpmu_report_column nvtx_tiers[] = {
	LONG("range"), COLUMN("domain", TEXT), COLUMN("tier", TEXT), COLUMN("home", TEXT), COLUMN("share", SHARE),
	COLUMN("samples", COUNT), COLUMN("latency_mean", NUMBER), COLUMN("latency_max", COUNT),
};

static const struct gpmu_report_column stacks[] = {
	LONG("stack"), COLUMN("share", SHARE), COLUMN("samples", COUNT), COLUMN("event", TEXT), COLUMN("comm", TEXT),
};

#define NO_SAMPLES	"no sample of Arm SPE was recorded: use gpmu record --spe; --by stack has the samples of other events"
#define TABLE(name_, title_, columns_, note_) { \
	.size = sizeof(struct gpmu_report_table), .name = name_, .title = title_, .note = note_, \
	.columns = columns_, .column_count = ARRAY_SIZE(columns_), .sorted_by = -1, \
}

/* The tables with their columns, without rows, and with the note that says why */
static const struct gpmu_report_table tables[REPORT_TABLES] = {
	[REPORT_KERNELS] = TABLE("kernels", "kernels", kernels, "no kernel ran, or none was recorded"),
	[REPORT_COPIES] = TABLE("copies", "copies and memsets", copies, "no copy or memset was recorded"),
	[REPORT_GPUS] = TABLE("gpus", "GPUs", gpus, "no GPU was used"),
	[REPORT_STREAMS] = TABLE("streams", "streams", streams, "nothing ran on a stream"),
	[REPORT_API] = TABLE("api", "CUDA calls", api, "no call was recorded"),
	[REPORT_WAITS] = TABLE("sync", "synchronization", waits, "no synchronization was recorded"),
	[REPORT_NVTX] = TABLE("nvtx", "NVTX ranges and regions", nvtx, "no NVTX range and no region was recorded"),
	[REPORT_NVTX_COUNTERS] = TABLE("nvtx_counters", "counters in NVTX ranges and regions", nvtx_counters, NULL),
	[REPORT_LINKS] = TABLE("links", "bytes over links and bytes copied", moved,
			       "no counter of a link was recorded: gpmu record -M GpuPcieReadBW,GpuPcieWriteBW, or where the GPU has "
			       "NVLink-C2C GpuC2cRxBW,GpuC2cTxBW"),
	[REPORT_ATTRIBUTION] = TABLE("attribution", "link bytes by kernel and copy", attribution, NULL),
	[REPORT_MEMORY] = TABLE("memory", "bytes of the host's memory that no copy moved", memory,
				"no unified memory was moved, no pinned memory is on another node than its GPU's, and no "
				"kernel accessed the host's memory directly, or no counter of its link was recorded"),
	[REPORT_RANKS] = TABLE("ranks", "ranks", ranks, NULL),
	[REPORT_IMBALANCE] = TABLE("imbalance", "imbalance between ranks", imbalance, "one trace: nothing to compare it with"),
	[REPORT_AUDIT] = TABLE("audit", "audit", audit, NULL),
	[REPORT_COUNTERS] = TABLE("counters", "counters", counters, "no counter was recorded; gpmu record -M or -e records counters"),
	[REPORT_THREADS] = TABLE("threads", "threads", threads,
				 "no thread was recorded: record a command with gpmu record, the machine with gpmu record --sched, or "
				 "use perf record --switch-events with --sample-cpu or -a before gpmu import"),
	[REPORT_SAMPLES] = TABLE("tiers", "loads and stores by tier and home", samples, NO_SAMPLES),
	[REPORT_STACKS] = TABLE("stacks", "samples by call stack", stacks,
				"no call stacks were sampled: use gpmu record --sample, or perf record -g before gpmu import"),
	[REPORT_FUNCTIONS] = TABLE("functions", "samples of Arm SPE by function and tier", functions, NO_SAMPLES),
	/* The columns depend on the keys: report_pcs.c sets them. */
	[REPORT_PCS] = TABLE("pcs", "PC samples", stacks, "no PC sample was recorded: use gpmu record --pc-sampling"),
	[REPORT_MODULES] = TABLE("modules", "modules of kernels", modules, "no load or compilation of a module was recorded"),
	[REPORT_OPENACC] = TABLE("openacc", "operations of OpenACC", openacc,
				 "no operation of OpenACC was recorded: use gpmu record --cuda=openacc; the program's OpenACC "
				 "runtime must support ACC_PROFLIB"),
	[REPORT_NODES] = TABLE("nodes", "work of graphs by the NVTX range that created it", nodes,
			       "no work of a graph's node was recorded: use gpmu record --graph-nodes"),
	[REPORT_NVTX_TIERS] = TABLE("nvtx_tiers", "loads and stores in NVTX ranges and regions", nvtx_tiers, NULL),
};

void report_table_init(struct gpmu_report *report)
{
	for (size_t i = 0; i < REPORT_TABLES; i++)
		report->tables[i].shown = tables[i];
}

static void add(struct gpmu_report *report, enum report_table_id id, struct gpmu_report_cell cell)
{
	if (vector_push(&report->tables[id].cells, &cell))
		report->has_failed = true;
}

void report_text(struct gpmu_report *report, enum report_table_id id, const char *text)
{
	add(report, id, (struct gpmu_report_cell){ .known = 1, .text = text });
}

void report_number(struct gpmu_report *report, enum report_table_id id, double number)
{
	add(report, id, (struct gpmu_report_cell){ .known = 1, .number = number });
}

void report_none(struct gpmu_report *report, enum report_table_id id)
{
	add(report, id, (struct gpmu_report_cell){ 0 });
}

void report_maybe(struct gpmu_report *report, enum report_table_id id, bool is_known, double number)
{
	if (is_known)
		report_number(report, id, number);
	else
		report_none(report, id);
}

const char *report_string(const struct gpmu_report *report, uint32_t word)
{
	return word == TIMELINE_NONE ? "" : strings_text(&report->timeline.strings, word);
}

const char *report_print(struct gpmu_report *report, const char *fmt, ...)
{
	char text[1024];
	uint32_t word;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (!strings_number(&report->timeline.strings, text, &word))
		return report_string(report, word);
	report->has_failed = true;
	return "";
}

void report_note(struct gpmu_report *report, enum report_table_id id, const char *note)
{
	report->tables[id].shown.note = note;
}

/* Sorts the largest number first; equal numbers by the text of the first column. */
static int compare(const void *left, const void *right, void *user)
{
	const struct gpmu_report_cell *a = left, *b = right;
	const size_t column = *(const size_t *)user;
	double x = a[column].known ? a[column].number : -1;
	double y = b[column].known ? b[column].number : -1;

	if (x > y || x < y)
		return x > y ? -1 : 1;
	return a->text && b->text ? strcmp(a->text, b->text) : 0;
}

void report_table_done(struct gpmu_report *report, enum report_table_id id, const char *column)
{
	struct gpmu_report_table *shown = &report->tables[id].shown;
	struct gpmu_report_cell *cells = report->tables[id].cells.list;
	size_t order = 0;

	if (report->has_failed)
		return;
	shown->row_count = report->tables[id].cells.n / shown->column_count;
	shown->cells = cells;
	if (shown->row_count)
		shown->note = NULL;
	if (!column)
		return;
	while (strcmp(shown->columns[order].name, column))
		order++;
	shown->sorted_by = (int)order;
	if (shown->row_count)
		qsort_r(cells, shown->row_count, shown->column_count * sizeof(*cells), compare, &order);
}
