// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu record: records a timeline of a command, its GPUs and the machine. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aggregation.h"
#include "chip.h"
#include "cmd.h"
#include "common.h"
#include "output/progress.h"
#include "profile/gpmu_profile.h"
#include "record/record_attach.h"
#include "record/record_missing.h"
#include "record/record_path.h"
#include "record/record_pcs.h"
#include "record/record_summary.h"
#include "run/child.h"
#include "run/count.h"

#define INTERVAL	(10 * MS)
#define DEFAULT_EVENTS	"task-clock,page-faults"	/* of a command, without -e and -M */
#define STACK_SIZE	8192	/* bytes of a copied stack, as perf record's default */

enum {
	KEY_SCHED = COMMON_KEYS,
	KEY_NO_CUDA,
	KEY_NO_CPU,
	KEY_CUDA,
	KEY_NODES,
	KEY_CAPTURE,
	KEY_DURATION,
	KEY_MAX_SIZE,
	KEY_BUFFERS,
	KEY_REGIONS,
	KEY_STRICT,
	KEY_SPE,
	KEY_SPE_BUFFER,
	KEY_SAMPLE,
	KEY_CALL_GRAPH,
	KEY_PC_SAMPLING,
	KEY_PC_PERIOD,
	KEY_PC_STALL,
};

struct record {
	struct common common;
	struct aggregation aggregation;
	bool is_system_wide, wants_sched, wants_graph_nodes, wants_regions, wants_no_cpu, wants_no_cuda, is_strict;
	const char *pattern;		/* -o */
	const char *spe;		/* terms; NULL: SPE is not recorded */
	const char *sample, *call_graph;
	struct record_pcs pcs;
	uint32_t stack_size;	/* of --call-graph; 0: frame pointers */
	struct gpmu_profile_symbols *symbols;
	uint64_t interval, timeout, max_size, cuda_buffers, spe_buffer;
	int64_t delay;
	uint32_t cuda;
	enum gpmu_recorder_capture capture;
	const char *range;
	struct tasks pids, tids;	/* -p, -t */
	char **argv;			/* the command; NULL: none */
	int fd;				/* of -o -; 0: the trace is a file */
	char *path, *sampler;
	struct gpmu_recorder *recorder;
	struct progress progress;
	const struct gpmu_plan *plan;	/* until the first rows are taken; then NULL */
	bool has_failed;
};

/* --cuda */
static const struct {
	const char *name;
	uint32_t kinds;
} cuda_names[] = {
	{ "kernel", GPMU_RECORDER_KERNEL },
	{ "memcpy", GPMU_RECORDER_MEMCPY },
	{ "memset", GPMU_RECORDER_MEMSET },
	{ "graph", GPMU_RECORDER_GRAPH },
	{ "calls", GPMU_RECORDER_CALLS },
	{ "runtime", GPMU_RECORDER_RUNTIME },
	{ "driver", GPMU_RECORDER_DRIVER },
	{ "sync", GPMU_RECORDER_SYNC },
	{ "nvtx", GPMU_RECORDER_NVTX },
	{ "memory", GPMU_RECORDER_MEMORY },
	{ "unified", GPMU_RECORDER_UNIFIED },
	{ "managed", GPMU_RECORDER_MANAGED },
	{ "overhead", GPMU_RECORDER_OVERHEAD },
	{ "external", GPMU_RECORDER_EXTERNAL },
	{ "clocks", GPMU_RECORDER_ENVIRONMENT },
	{ "module", GPMU_RECORDER_MODULE },
	{ "allocator", GPMU_RECORDER_ALLOCATOR },
	{ "openacc", GPMU_RECORDER_OPENACC },
};

#define N_CUDA_NAMES	ARRAY_SIZE(cuda_names)
#define CUDA_NAMES	"kernel, memcpy, memset, graph, calls, runtime, driver, sync, nvtx, memory, unified, managed, overhead, " \
			"external, clocks, module, allocator, openacc"

static const uint32_t cuda_default =
	GPMU_RECORDER_KERNEL | GPMU_RECORDER_MEMCPY | GPMU_RECORDER_MEMSET | GPMU_RECORDER_GRAPH |
	GPMU_RECORDER_CALLS | GPMU_RECORDER_SYNC | GPMU_RECORDER_NVTX | GPMU_RECORDER_MEMORY |
	GPMU_RECORDER_MANAGED | GPMU_RECORDER_OVERHEAD | GPMU_RECORDER_ENVIRONMENT |
	GPMU_RECORDER_MODULE;

/* Freed, which removes its files, if gpmu exits early */
static struct gpmu_recorder *unfinished;

static void drop(void)
{
	gpmu_recorder_free(unfinished);
	unfinished = NULL;
}

/* --- options --- */

static uint32_t parse_cuda(const char *text)
{
	const char *cursor = text;
	uint32_t kinds = 0;

	for (;;) {
		size_t length = strcspn(cursor, ","), i;

		for (i = 0; i < N_CUDA_NAMES; i++)
			if (strlen(cuda_names[i].name) == length && !strncmp(cuda_names[i].name, cursor, length)) {
				kinds |= cuda_names[i].kinds;
				break;
			}
		if (i == N_CUDA_NAMES)
			die("--cuda %s: no activity of CUDA is named \"%.*s\"; expected " CUDA_NAMES ", separated by \",\"", text,
			    (int)length, cursor);
		if (!cursor[length])
			return kinds;
		cursor += length + 1;
	}
}

static void parse_capture(struct record *record, const char *text)
{
	if (!strcmp(text, "cudaProfilerApi")) {
		record->capture = GPMU_RECORDER_PROFILER;
	} else if (!strncmp(text, "nvtx:", 5) && text[5]) {
		record->capture = GPMU_RECORDER_RANGE;
		record->range = text + 5;
	} else if (!strcmp(text, "region") || (!strncmp(text, "region:", 7) && text[7])) {
		record->capture = GPMU_RECORDER_REGION;
		record->range = text[6] ? text + 7 : NULL;
	} else {
		die("--capture-range %s: expected cudaProfilerApi, nvtx:NAME, region or region:NAME", text);
	}
}

/* An option with a size in bytes */
struct size_option {
	const char *name;
	double min, max;
	bool is_power;		/* of 2 */
	const char *expected;
};

static const struct size_option max_size = { "--max-size", 1ULL << 20, 1e18, false, "at least 1M, such as 500M or 2G" };
static const struct size_option cuda_buffers = { "--cuda-buffers", 4ULL << 20, 8ULL << 30, false, "4M to 8G, such as 512M" };
static const struct size_option spe_buffer = { "--spe-buffer", 64ULL << 10, 1ULL << 30, true, "a power of 2 from 64K to 1024M, such as 16M" };

/* The bytes of "500M" */
static uint64_t parse_size(const struct size_option *option, const char *text)
{
	static const char units[] = "KMGT";
	const char *unit;
	char *end;
	double size = strtod(text, &end);
	int shift = 0;

	unit = *end ? strchr(units, toupper((unsigned char)*end)) : NULL;
	if (unit) {
		shift = 10 * (int)(unit - units + 1);
		end++;
	}
	size *= (double)(1ULL << shift);
	if (end == text || *end || !(size >= option->min) || size > option->max ||
	    (option->is_power && (uint64_t)size & ((uint64_t)size - 1)))
		die("%s %s: expected %s", option->name, text, option->expected);
	return (uint64_t)size;
}

/* Sets the bytes of the stack that each sample copies. */
static void parse_call_graph(struct record *record, const char *text)
{
	const bool wants_pointers = !strcmp(text, "fp");
	unsigned long long size = STACK_SIZE;
	char *end = "";

	if (!strncmp(text, "dwarf,", 6) && isdigit((unsigned char)text[6]))
		size = strtoull(text + 6, &end, 0);
	else if (!wants_pointers && strcmp(text, "dwarf") != 0)
		end = "?";
	if (*end || !size || size % 8 || size > GPMU_RECORDER_STACK)
		die("--call-graph %s: expected fp, dwarf or dwarf,SIZE, a multiple of 8 up to %d bytes", text, GPMU_RECORDER_STACK);
	record->call_graph = text;
	record->stack_size = wants_pointers ? 0 : (uint32_t)size;
}

/* Options of PC sampling. Returns whether @key is one. */
static bool parse_pcs(struct record *record, int key, char *arg)
{
	if (key == KEY_PC_SAMPLING)
		record->pcs.mode = record_pcs_mode(arg);
	else if (key == KEY_PC_PERIOD)
		record->pcs.period = record_pcs_period(arg);
	else if (key == KEY_PC_STALL)
		record->pcs.stalls = arg;
	else
		return false;
	return true;
}

/* Options of samples. Returns whether @key is one. */
static bool parse_samples(struct record *record, int key, char *arg)
{
	if (key == KEY_SPE)
		record->spe = arg ? arg : "";
	else if (key == KEY_SPE_BUFFER)
		record->spe_buffer = parse_size(&spe_buffer, arg);
	else if (key == KEY_SAMPLE)
		record->sample = arg;
	else if (key == KEY_CALL_GRAPH)
		parse_call_graph(record, arg);
	else
		return false;
	return true;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record *record = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < 3; i++)
			state->child_inputs[i] = &record->common;
		state->child_inputs[3] = &record->aggregation;
		return 0;
	case 'a':
		record->is_system_wide = true;
		return 0;
	case 'p':
		parse_tasks("-p", arg, &record->pids);
		return 0;
	case 't':
		parse_tasks("-t", arg, &record->tids);
		return 0;
	case 'o':
		if (!*arg)
			die("-o: expected a name for the trace");
		record->pattern = arg;
		return 0;
	case 'I':
		record->interval = parse_ms("-I", arg);
		return 0;
	case 'D':
		record->delay = parse_number("-D", arg, 0, MAX_TIME) * MS;
		return 0;
	case KEY_DURATION:
		record->timeout = parse_duration(arg);
		return 0;
	case KEY_SCHED:
		record->wants_sched = true;
		return 0;
	case KEY_NO_CUDA:
		record->wants_no_cuda = true;
		return 0;
	case KEY_NO_CPU:
		record->wants_no_cpu = true;
		return 0;
	case KEY_CUDA:
		record->cuda = parse_cuda(arg);
		return 0;
	case KEY_REGIONS:
		record->wants_regions = true;
		return 0;
	case KEY_STRICT:
		record->is_strict = true;
		return 0;
	case KEY_NODES:
		record->wants_graph_nodes = true;
		return 0;
	case KEY_CAPTURE:
		parse_capture(record, arg);
		return 0;
	case KEY_MAX_SIZE:
		record->max_size = parse_size(&max_size, arg);
		return 0;
	case KEY_BUFFERS:
		record->cuda_buffers = parse_size(&cuda_buffers, arg);
		return 0;
	case ARGP_KEY_ARG:
		/* The rest is the command's. */
		record->argv = state->argv + state->next - 1;
		state->next = state->argc;
		return 0;
	default:
		return parse_samples(record, key, arg) || parse_pcs(record, key, arg) ? 0 : ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option options[] = {
	{ .name = "output", .key = 'o', .arg = "FILE",
	  .doc = "write the trace to FILE, - is standard output; %h is the host, "
	  "%p gpmu's pid, %q{VAR} a variable (default: gpmu-APP-%h-%p.pftrace)" },
	{ .name = "pid", .key = 'p', .arg = "LIST",
	  .doc = "record the threads and counters of these processes, until they end" },
	{ .name = "tid", .key = 't', .arg = "LIST", .doc = "record these threads, until they end" },
	{ .name = "all-cpus", .key = 'a', .doc = "count system-wide, on all CPUs" },
	{ .name = "interval", .key = 'I', .arg = "MS", .doc = "read counters every MS milliseconds (default: 10)" },
	{ .name = "delay", .key = 'D', .arg = "MS", .doc = "begin MS milliseconds after the start" },
	{ .name = "duration", .key = KEY_DURATION, .arg = "S",
	  .doc = "end recording and the command after S seconds" },
	{ .name = "sched", .key = KEY_SCHED, .doc = "record context switches system-wide" },
	{ .name = "regions", .key = KEY_REGIONS,
	  .doc = "record the regions that the command marks with gpmu-mark.h" },
	{ .name = "no-cuda-trace", .key = KEY_NO_CUDA, .doc = "do not record the command's CUDA activity" },
	{ .name = "no-cpu-trace", .key = KEY_NO_CPU, .doc = "do not record when the command's threads run, nor count "
	  DEFAULT_EVENTS },
	{ .name = "cuda", .key = KEY_CUDA, .arg = "LIST", .doc = "record only these CUDA activities: " CUDA_NAMES },
	{ .name = "cuda-buffers", .key = KEY_BUFFERS, .arg = "SIZE",
	  .doc = "use at most SIZE bytes of buffers for CUPTI in each process "
	  "(default: 256M)" },
	{ .name = "graph-nodes", .key = KEY_NODES, .doc = "record each kernel of a graph" },
	{ .name = "capture-range", .key = KEY_CAPTURE, .arg = "RANGE",
	  .doc = "record CUDA only within cudaProfilerApi, nvtx:NAME, "
	  "region or region:NAME" },
	{ .name = "spe", .key = KEY_SPE, .arg = "TERMS", .flags = OPTION_ARG_OPTIONAL,
	  .doc = "record samples of Arm SPE; TERMS as in perf's arm_spe_0/TERMS/, "
	  "also period=N (default: 1048576 operations)" },
	{ .name = "spe-buffer", .key = KEY_SPE_BUFFER, .arg = "SIZE",
	  .doc = "use SIZE bytes of buffer for SPE on each CPU, a power of 2 from 64K to 1024M "
	  "(default: 4M)" },
	{ .name = "call-graph", .key = KEY_CALL_GRAPH, .arg = "HOW",
	  .doc = "find callers of samples by frame pointers (fp, default) or copies of the stack "
	  "(dwarf[,SIZE])" },
	{ .name = "sample", .key = KEY_SAMPLE, .arg = "EVENT[,PERIOD]",
	  .doc = "sample call stacks by EVENT, once per PERIOD (default: 999 times per second)" },
	{ .name = "pc-sampling", .key = KEY_PC_SAMPLING, .arg = "MODE", .flags = OPTION_ARG_OPTIONAL,
	  .doc = "sample the program counters of the command's GPU kernels; MODE is continuous (default) or serialized" },
	{ .name = "pc-period", .key = KEY_PC_PERIOD, .arg = "CYCLES",
	  .doc = "sample each multiprocessor once per CYCLES, a power of 2 (default: 65536; serialized: 4096)" },
	{ .name = "pc-stall", .key = KEY_PC_STALL, .arg = "LIST", .doc = "sample only these stall reasons (default: all)" },
	{ .name = "max-size", .key = KEY_MAX_SIZE, .arg = "SIZE",
	  .doc = "keep the newest records, at most SIZE bytes, such "
	  "as 500M" },
	{ .name = "strict", .key = KEY_STRICT,
	  .doc = "fail if records were lost, or processes could not be recorded" },
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &request_argp }, { .argp = &gpu_argp }, { .argp = &common_argp },
	{ .argp = &aggregation_argp }, { 0 },
};

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "[COMMAND [ARGUMENT...]]",
	.doc = "Records a timeline of a command, its GPUs and the machine, as a trace for Perfetto.",
	.children = children,
};

static bool has_tasks(const struct record *record)
{
	return record->pids.length || record->tids.length;
}

/* --cuda and --no-cuda-trace */
static void choose_cuda(struct record *record)
{
	if (record->cuda && record->wants_no_cuda)
		die("--cuda and --no-cuda-trace: choose one");
	if (!record->cuda && !record->wants_no_cuda)
		record->cuda = cuda_default;
}

static void check(const struct record *record)
{
	bool has_command = record->argv && (record->cuda || record->wants_regions);
	bool has_threads = (record->argv || has_tasks(record)) && !record->wants_no_cpu;

	if (has_tasks(record) && (record->argv || record->is_system_wide))
		die("-p or -t with %s: choose one", record->argv ? "a command" : "-a");
	if (!has_command && !has_threads && !record->wants_sched && !record->spe && !record->sample &&
	    !record->common.request_count)
		die("nothing to record: expected a command, -p, -t, -M, -e, --sched, --spe or --sample");
	if (record->aggregation.by == GPMU_AGGREGATE_CPU && !record->is_system_wide)
		die("-A needs -a");
	record_pcs_check(&record->pcs, record->argv, record->cuda, record->capture != GPMU_RECORDER_ALWAYS || record->delay > 0);
	if (record->spe_buffer && !record->spe)
		die("--spe-buffer needs --spe");
	if (record->call_graph && !record->sample)
		die("--call-graph needs --sample");
	if (record->wants_regions && !record->argv)
		die("--regions needs a command");
	if (record->capture != GPMU_RECORDER_ALWAYS && !record->cuda)
		die("--capture-range and --no-cuda-trace: choose one");
	if (record->wants_graph_nodes && !record->cuda)
		die("--graph-nodes and --no-cuda-trace: choose one");
}

/* --- the recorder --- */

static char *command_text(const struct record *record)
{
	char *text = NULL;
	size_t size;
	FILE *file = need_memory(open_memstream(&text, &size));

	for (char **arg = record->argv; arg && *arg; arg++)
		fprintf(file, "%s%s", arg == record->argv ? "" : " ", *arg);
	if (fclose(file))
		die_no_memory();
	return text;
}

/* Returns whether the run counts the machine, which only one rank of a node does. */
static bool counts_machine(const struct record *record)
{
	const struct common *common = &record->common;

	if (record->is_system_wide || common_has_sources(common))
		return true;
	for (size_t i = 0; i < common->request_count; i++)
		if (common->requests[i].is_metric)
			return true;
	return false;
}

static void elect(struct record *record, struct rank rank)
{
	struct common *common = &record->common;

	if (!rank.count || !common->request_count || !counts_machine(record))
		return;
	record->sampler = record_path_elect(record->path);
	if (!record->sampler)
		return;
	common->request_count = 0;
	common->sources.length = 0;
	common->wants_gpu = false;
	if (common->is_verbose)
		say("the counters of this node are in %s", record->sampler);
}

/* The remedy, if the recorder of @options fails only with CUDA */
static const char *remedy_of(struct gpmu_recorder_options options)
{
	struct gpmu_recorder *without;

	options.cuda = 0;
	without = gpmu_recorder_new(&options, NULL);
	gpmu_recorder_free(without);
	return without ? "; --no-cuda-trace records without CUDA" : "";
}

/*
 * With -o - the command prints to standard error, because its output would damage the trace on
 * standard output.
 */
static void open_output(struct record *record)
{
	const char *what = record->argv ? record->argv[0] : has_tasks(record) ? "tasks" : NULL;

	if (!record->pattern || strcmp(record->pattern, "-") != 0) {
		record->path = record_path_of(record->pattern, what);
		return;
	}
	if (isatty(STDOUT_FILENO))
		die("-o -: standard output is a terminal; expected a file or a pipe, such as \"> FILE\"");
	record->path = need_memory(strdup("standard output"));
	record->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (record->fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		die("-o -: %s", strerror(errno));
}

/* A signal while samples of SPE are still written ends the writing. */
static int show_progress(void *user, uint64_t done, uint64_t total)
{
	return progress_show(user, done, total) || count_signal_waits();
}

static void make_record(struct record *record)
{
	struct rank rank = rank_of_this();
	struct gpmu_error error = { .size = sizeof(error) };
	char *command = command_text(record);
	struct gpmu_recorder_options options = {
		.size = sizeof(options), .graph_nodes = record->wants_graph_nodes,
		.cuda = record->argv ? record->cuda : 0, .capture = record->capture,
		.range = record->range, .sched = record->wants_sched, .max_size = record->max_size,
		.program = "gpmu " GPMU_VERSION, .command = command, .rank = rank.number,
		.rank_count = rank.count, .regions = record->wants_regions,
		.cuda_buffers = record->cuda_buffers,
		.spe = record->spe, .spe_buffer = record->spe_buffer, .system = record->is_system_wide,
		.sample = record->sample, .stack_size = record->stack_size, .progress = show_progress, .user = &record->progress,
		.pc_sampling = record->pcs.mode, .pc_period = record->pcs.period, .pc_stalls = record->pcs.stalls,
		.threads = (record->argv || has_tasks(record)) && !record->wants_no_cpu,
	};
	struct gpmu_recorder_symbols symbols = {
		.size = sizeof(symbols), .take = gpmu_profile_symbols_take, .find = gpmu_profile_symbols_find,
		.unwind = gpmu_profile_symbols_unwind, .lines = gpmu_profile_symbols_lines,
	};

	if (record->sample || record->spe || record->pcs.mode) {
		symbols.user = record->symbols = need_memory(gpmu_profile_symbols_new());
		options.symbols = &symbols;
	}
	open_output(record);
	options.fd = record->fd;
	elect(record, rank);
	options.path = record->path;
	options.sampler = record->sampler;
	record->recorder = unfinished = gpmu_recorder_new(&options, &error);
	if (!record->recorder)
		die("%s%s", error.text, remedy_of(options));
	atexit(drop);
	free(command);
}

static bool take_rows(const struct gpmu_rows *rows, void *user)
{
	struct record *record = user;
	int ret = gpmu_recorder_rows(record->recorder, rows);

	if (record->plan)
		record_missing_report(rows, record->plan, record->common.wants_gpu, record->recorder);
	record->plan = NULL;
	if (ret)
		say("%s: %s", record->path, output_error(-ret));
	record->has_failed = record->has_failed || ret;
	return !ret;
}

static void note_counting(bool is_on, void *user)
{
	struct record *record = user;

	if (is_on)
		gpmu_recorder_enable(record->recorder);
	else
		gpmu_recorder_disable(record->recorder);
}

/* Returns whether the kernel allows a command's default events, which no option has requested. */
static bool can_count(const struct gpmu_plan *plan, const struct child *child)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options), .pids = &child->pid, .pid_count = 1,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_session *session = gpmu_session_new(plan, &options, &error);

	if (!session)
		warn(DEFAULT_EVENTS " are not counted: %s", error.text);
	gpmu_session_free(session);
	return session;
}

/* Makes a plan of the default events, if they are wanted and allowed. */
static struct gpmu_plan *plan_defaults(struct record *record, const struct child *child)
{
	struct common *common = &record->common;
	struct gpmu_plan *plan;

	if (!(record->argv || has_tasks(record)) || record->is_system_wide || record->wants_no_cpu ||
	    record->sampler || common->request_count)
		return NULL;
	common_request(common, false, DEFAULT_EVENTS);
	plan = common_plan(common, false);
	if (!child->pid || can_count(plan, child))
		return plan;
	gpmu_plan_free(plan);
	common->request_count = 0;
	return NULL;
}

static struct gpmu_plan *make_plan(struct record *record, const struct child *child)
{
	struct common *common = &record->common;
	struct gpmu_plan *plan;

	common_open(common);
	common->wants_tasks = !record->is_system_wide;
	plan = plan_defaults(record, child);
	if (!plan)
		plan = common_plan(common, record->is_system_wide);
	if (common->request_count) {
		common_plan_warnings(plan);
		common_hints(common, plan);
	}
	if (common->is_verbose)
		common_explain(plan);
	common_need_here(common, plan);
	aggregation_check(&record->aggregation, record->is_system_wide, plan);
	return plan;
}

/* The trace reports which GPUs CUPTI cannot count, and who uses their profilers. */
static void note_warnings(const struct record *record)
{
	const struct texts *warnings = &record->common.warnings;

	for (size_t i = 0; i < warnings->length; i++)
		if (gpmu_recorder_note(record->recorder, warnings->list[i]))
			die_no_memory();
}

static int count_all(struct record *record, const struct gpmu_plan *plan,
		     const struct child *child, const sigset_t *mask)
{
	const bool has_counters = record->common.request_count > 0;
	struct count count = {
		.plan = plan,
		.session = { .size = sizeof(count.session), .system = record->is_system_wide, .inherit = 1,
			     .zero_asleep = 1, .aggregation = record->aggregation.by, .pids = record->pids.list,
			     .pid_count = record->pids.length, .tids = record->tids.list,
			     .tid_count = record->tids.length,
			     .skip_denied = record->is_system_wide && common_has_gpus(&record->common) },
		.argv = record->argv,
		.child = child,
		.mask = mask,
		.delay = record->delay,
		.interval = has_counters ? record->interval : 0,
		.timeout = record->timeout,
		.counts = note_counting,
		.rows = has_counters ? take_rows : NULL,
		.user = record,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct count_end end;
	struct gpmu_session *session;
	int ret;

	count.opened = count_open(&count);
	note_warnings(record);
	if (gpmu_recorder_start(record->recorder, record->common.machine, count.opened, &error))
		die("%s", error.text);
	session = count_run(&count, &end);
	if (!session)
		return end.status;
	progress_begin(&record->progress, "writing");
	ret = gpmu_recorder_stop(record->recorder, &error);
	progress_end(&record->progress);
	if (ret) {
		say("%s", error.text);
		record->has_failed = true;
	}
	record->has_failed = !record_summary_print(record->recorder, record->path, record->is_strict) || record->has_failed;
	/* Names the signal as a shell does, except after Ctrl-C. */
	if (end.signal && end.signal != SIGINT && end.signal != SIGPIPE && !record->timeout)
		say("%s: %s", record->argv[0], strsignal(end.signal));
	gpmu_session_free(session);
	return record->has_failed ? EXIT_OWN : end.status;
}

static void add_task(struct record *record, pid_t pid)
{
	if (gpmu_recorder_pid(record->recorder, pid) == -ENOMEM)
		die_no_memory();
}

/* Adds the threads of a process that exists already. */
static void add_threads(struct record *record, pid_t pid)
{
	char *path = print_text("/proc/%d/task", (int)pid);
	DIR *dir = opendir(path);
	const struct dirent *entry;

	free(path);
	if (!dir)
		die("-p %d: no such process", (int)pid);
	while ((entry = readdir(dir)))
		if (isdigit((unsigned char)*entry->d_name))
			add_task(record, (pid_t)strtol(entry->d_name, NULL, 10));
	closedir(dir);
	if (record->cuda)
		record_attach_warn("-p", pid);
}

static void add_tasks(struct record *record, const struct child *child)
{
	if (child->pid)
		add_task(record, child->pid);
	for (size_t i = 0; i < record->pids.length; i++)
		add_threads(record, record->pids.list[i]);
	for (size_t i = 0; i < record->tids.length; i++) {
		add_task(record, record->tids.list[i]);
		if (record->cuda)
			record_attach_warn("-t", record->tids.list[i]);
	}
}

/*
 * On an H200 CUPTI 13.0 ended in a process whose PC sampling found the profiler in use, so that records of kernels were missing,
 * too. Returns a warning, which the caller frees; NULL: PCs are sampled as requested. --strict needs the samples.
 */
static char *leave_out_pcs(struct record *record)
{
	char *busy = record->pcs.mode && !record->is_strict ? chip_find_busy() : NULL, *why;

	if (!busy)
		return NULL;
	why = print_text("no PC sample is recorded: %s", busy);
	warn("%s", why);
	record->pcs = (struct record_pcs){ .mode = GPMU_RECORDER_PC_OFF };
	free(busy);
	return why;
}

static int run(int argc, char **argv)
{
	struct record record = { .interval = INTERVAL };
	struct gpmu_plan *plan;
	struct child child;
	char *why;
	sigset_t mask;
	int status;

	common_init(&record.common);
	parse_arguments(&argp, argc, argv, ARGP_IN_ORDER, &record);
	record.is_system_wide |= !record.argv && !has_tasks(&record);
	choose_cuda(&record);
	check(&record);
	why = leave_out_pcs(&record);
	make_record(&record);
	if (why && gpmu_recorder_note(record.recorder, why))
		die_no_memory();
	free(why);
	count_begin(&child, record.argv,
		    need_memory((void *)gpmu_recorder_environment(record.recorder, environ)), &mask);
	/*
	 * A pipe whose reader has ended is an error that the recorder reports. The command has copied
	 * the signals' dispositions already.
	 */
	signal(SIGPIPE, SIG_IGN);
	add_tasks(&record, &child);
	record.plan = plan = make_plan(&record, &child);
	record_pcs_check_plan(&record.pcs, record.cuda, plan);
	status = count_all(&record, plan, &child, &mask);
	gpmu_plan_free(plan);
	drop();
	gpmu_profile_symbols_free(record.symbols);
	common_release(&record.common);
	free(record.path);
	free(record.sampler);
	free(record.pids.list);
	free(record.tids.list);
	count_heed_signals(&mask);
	return status;
}

const struct cmd cmd_record = {
	.name = "record",
	.summary = "record a timeline of a command, its GPUs and the machine",
	.run = run,
};
