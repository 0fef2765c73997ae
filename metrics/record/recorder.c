// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <regex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "base/raw_clock.h"
#include "base/sized.h"
#include "base/text/gpmu_nearest.h"
#include "base/vector.h"
#include "plugin/preload.h"
#include "record/recorder.h"
#include "trace/channel/gpmu_stall.h"
#include "trace/trace.h"

/*
 * Limits for each of two buffers, in bytes: a quarter of a channel's ring fits. Records that fill the buffers while the
 * disk is slow are not lost.
 */
#define QUEUE_ROOM	(256u << 20)
#define SCHED_ROOM	(64u << 20)
#define ROWS_ROOM	(4u << 20)
#define STACKS_ROOM	(64u << 20)
#define SPE_ROOM	(64u << 20)
#define MERGE_ROOM	(128u << 20)
#define MAX_SIZE_MIN	(1u << 20)
#define FLUSH		200		/* ms */
/* CUPTI delivers a buffer that is in use when it is full: a launch loop fills this one in 10 ms. */
#define CUPTI_BUFFER	(512u << 10)
#define CUPTI_MIN	(4u << 20)
#define CUPTI_MAX	((uint64_t)8 << 30)
#define CUPTI_DEFAULT	(256u << 20)
#define SPE_MIN	(64u << 10)
#define SPE_MAX	(1u << 30)
#define PERIOD_MIN	32u	/* cycles */
#define PERIOD_CONTINUOUS	(1u << 16)
#define PERIOD_SERIALIZED	(1u << 12)

static const struct {
	uint32_t cuda, activity;
} activities[] = {
	{ GPMU_RECORDER_KERNEL, 1u << ACTIVITY_KERNEL },
	{ GPMU_RECORDER_MEMCPY, 1u << ACTIVITY_COPY },
	{ GPMU_RECORDER_MEMSET, 1u << ACTIVITY_SET },
	{ GPMU_RECORDER_GRAPH, 1u << ACTIVITY_GRAPH },
	{ GPMU_RECORDER_RUNTIME, 1u << ACTIVITY_RUNTIME },
	{ GPMU_RECORDER_DRIVER, 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORDER_CALLS, 1u << ACTIVITY_RUNTIME | 1u << ACTIVITY_DRIVER },
	{ GPMU_RECORDER_SYNC, 1u << ACTIVITY_SYNC },
	{ GPMU_RECORDER_NVTX, 1u << ACTIVITY_MARKER },
	{ GPMU_RECORDER_MEMORY, 1u << ACTIVITY_MEMORY | 1u << ACTIVITY_HOST_MEMORY },
	{ GPMU_RECORDER_UNIFIED, 1u << ACTIVITY_UNIFIED | 1u << ACTIVITY_HOST_MEMORY },
	{ GPMU_RECORDER_MANAGED, 1u << ACTIVITY_UNIFIED | 1u << ACTIVITY_HOST_MEMORY },
	{ GPMU_RECORDER_OVERHEAD, 1u << ACTIVITY_OVERHEAD },
	{ GPMU_RECORDER_EXTERNAL, 1u << ACTIVITY_EXTERNAL },
	{ GPMU_RECORDER_ENVIRONMENT, 1u << ACTIVITY_ENVIRONMENT },
	{ GPMU_RECORDER_MODULE, 1u << ACTIVITY_MODULE },
	{ GPMU_RECORDER_OPENACC, 1u << ACTIVITY_OPENACC },
	{ GPMU_RECORDER_ALLOCATOR, 1u << ACTIVITY_MEMORY },
};

static int refuse(struct gpmu_error *error, const char *text)
{
	error_set(error, 0, "%s", text);
	return -EINVAL;
}

/* Sets bits by index in gpmu_stalls[]. Returns NULL, or the first name that is not one of them. */
static const char *parse_stalls(const char *text, uint32_t *bits)
{
	for (const char *name = text; name; name = strchr(name, ',') ? strchr(name, ',') + 1 : NULL) {
		const uint32_t stall = gpmu_stall_find(name, strcspn(name, ","));

		if (stall == GPMU_STALL_NONE)
			return name;
		*bits |= 1u << stall;
	}
	return NULL;
}

static int refuse_stall(struct gpmu_error *error, const char *name)
{
	char *wanted = strndup(name, strcspn(name, ","));
	struct nearest nearest;

	if (!wanted)
		return error_no_memory(error);
	gpmu_nearest_init(&nearest, wanted);
	for (size_t i = 0; i < gpmu_stall_count; i++)
		gpmu_nearest_try(&nearest, gpmu_stalls[i].name);
	error_set(error, 0, "\"%.60s\" is no stall reason%s%s%s; gpmu list --stall-reasons lists them", wanted,
		  nearest.name ? ", did you mean " : " such as long_scoreboard", nearest.name ? nearest.name : "", nearest.name ? "?" : "");
	free(wanted);
	return -EINVAL;
}

static int check_pcs(const struct gpmu_recorder_options *options, struct gpmu_error *error)
{
	const char *unknown;
	uint32_t bits = 0;

	if (options->pc_sampling > GPMU_RECORDER_PC_SERIALIZED)
		return refuse(error, "PC sampling: expected a value of enum gpmu_recorder_pc");
	if (options->pc_sampling && !options->cuda)
		return refuse(error, "PC sampling needs a command whose CUDA is recorded");
	if (options->pc_sampling && options->capture != GPMU_RECORDER_ALWAYS)
		return refuse(error, "PC sampling cannot be combined with capture ranges: CUPTI refuses to record kernels once it samples");
	if (options->pc_period && (options->pc_period < PERIOD_MIN || options->pc_period & (options->pc_period - 1)))
		return refuse(error, "the period of PC sampling: expected a power of 2 from 32 to 2147483648 cycles");
	unknown = parse_stalls(options->pc_stalls, &bits);
	return unknown ? refuse_stall(error, unknown) : 0;
}

static int check_filter(const char *filter, struct gpmu_error *error)
{
	char why[128];
	regex_t regex;
	int code = regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB);

	if (!code) {
		regfree(&regex);
		return 0;
	}
	if (code == REG_ESPACE)
		return error_no_memory(error);
	regerror(code, &regex, why, sizeof(why));
	error_set(error, 0, "the filter of ranges \"%s\": expected an extended regular expression: %s", filter, why);
	return -EINVAL;
}

static int check_ranges(const struct gpmu_recorder_ranges *ranges, struct gpmu_error *error)
{
	const struct channel_ranges *control = NULL;
	size_t size = 0;

	for (size_t i = 0; i < ranges->metric_count; i++)
		size += strlen(ranges->metrics[i]) + 1;
	if (size >= sizeof(control->metrics))
		return refuse(error, "counters of ranges: the names of the metrics have more than 32 KiB; request fewer");
	if (ranges->filter && strlen(ranges->filter) >= sizeof(control->filter))
		return refuse(error, "counters of ranges: the filter has at most 255 bytes");
	if (ranges->state && strlen(ranges->state) >= sizeof(control->state))
		return refuse(error, "counters of ranges: the path of the file between runs has at most 255 bytes; TMPDIR can name "
			      "another folder");
	return ranges->filter ? check_filter(ranges->filter, error) : 0;
}

static int check(const struct gpmu_recorder_options *options, const struct gpmu_recorder_symbols *symbols,
		 struct gpmu_error *error)
{
	if (!options->path || !*options->path)
		return refuse(error, "a recorder needs the path of its trace");
	if (options->max_size && options->max_size < MAX_SIZE_MIN)
		return refuse(error, "a trace may not be limited to less than 1 MiB");
	if (options->cuda_buffers < CUPTI_MIN || options->cuda_buffers > CUPTI_MAX)
		return refuse(error, "CUPTI's buffers in a process: expected 4 MiB to 8 GiB");
	if (options->spe_buffer && (options->spe_buffer < SPE_MIN || options->spe_buffer > SPE_MAX ||
				    options->spe_buffer & (options->spe_buffer - 1)))
		return refuse(error, "the buffer of SPE for each CPU: expected a power of 2, 64 KiB to 1 GiB");
	if (options->range &&
	    strlen(options->range) >= sizeof(((struct channel_control *)0)->range))
		return refuse(error, "the name of a range has at most 255 bytes");
	if (options->capture == GPMU_RECORDER_RANGE && (!options->range || !*options->range))
		return refuse(error, "recording within NVTX ranges requires their name");
	if (options->symbols && (!symbols->take || !symbols->find))
		return refuse(error, "the symbols need both functions, take and find");
	if (options->stack_size % 8 || options->stack_size > GPMU_RECORDER_STACK)
		return refuse(error, "the copy of a stack: expected a multiple of 8 up to 65528 bytes");
	if (options->stack_size && (!options->symbols || !symbols->unwind))
		return refuse(error, "copies of stacks need symbols with the function unwind");
	return check_pcs(options, error);
}

static bool copy_text(char **copy, const char *text)
{
	*copy = text ? strdup(text) : NULL;
	return *copy || !text;
}

static int copy_options(struct gpmu_recorder *recorder, const struct gpmu_recorder_options *options,
			struct gpmu_error *error)
{
	int ret = sized_options(&recorder->options, sizeof(recorder->options), options, error);

	if (!ret)
		ret = sized_options(&recorder->symbols, sizeof(recorder->symbols), recorder->options.symbols, error);
	if (ret)
		return ret;
	if (recorder->options.ranges)
		ret = sized_options(&recorder->ranges, sizeof(recorder->ranges), recorder->options.ranges, error);
	if (ret)
		return ret;
	if (!recorder->options.cuda_buffers)
		recorder->options.cuda_buffers = CUPTI_DEFAULT;
	recorder->options.cuda_buffers -= recorder->options.cuda_buffers % CUPTI_BUFFER;
	ret = check(&recorder->options, &recorder->symbols, error);
	if (!ret)
		ret = check_ranges(&recorder->ranges, error);
	if (ret)
		return ret;
	if (copy_text(&recorder->path, recorder->options.path) &&
	    copy_text(&recorder->range, recorder->options.range) &&
	    copy_text(&recorder->program, recorder->options.program) &&
	    copy_text(&recorder->command, recorder->options.command) &&
	    copy_text(&recorder->sampler, recorder->options.sampler) &&
	    copy_text(&recorder->terms, recorder->options.spe) &&
	    copy_text(&recorder->sample, recorder->options.sample))
		return 0;
	return error_no_memory(error);
}

static void set_pcs(const struct gpmu_recorder *recorder, struct channel_control *control)
{
	const struct gpmu_recorder_options *options = &recorder->options;
	uint32_t period = options->pc_period;

	if (!period)
		period = options->pc_sampling == GPMU_RECORDER_PC_SERIALIZED ? PERIOD_SERIALIZED : PERIOD_CONTINUOUS;
	control->pc_mode = options->pc_sampling;
	control->pc_period = (uint32_t)__builtin_ctz(period);
	parse_stalls(options->pc_stalls, &control->pc_stalls);
}

/* The range profiler's part of the control page */
static void set_ranges(struct channel_ranges *to, const struct gpmu_recorder_ranges *from)
{
	size_t used = 0;

	to->mode = from->mode;
	to->replay = from->replay;
	to->sources = from->sources;
	to->part = from->part;
	to->levels = from->levels ? from->levels : 1;
	to->skip = from->skip;
	to->count = from->count;
	to->limit = from->limit;
	to->checkpoint = from->checkpoint != 0;
	to->reserve = from->reserve;
	to->metric_count = (uint32_t)from->metric_count;
	for (size_t i = 0; i < from->metric_count; i++) {
		const size_t size = strlen(from->metrics[i]) + 1;

		memcpy(to->metrics + used, from->metrics[i], size);
		used += size;
	}
	strcpy(to->filter, from->filter ? from->filter : "");
	strcpy(to->state, from->state ? from->state : "");
}

static int make_control(struct gpmu_recorder *recorder)
{
	struct channel_control control = {
		.version = CHANNEL_VERSION,
		.size = sizeof(control),
		.ring = RECORDER_RING,
		.graph_nodes = recorder->options.graph_nodes != 0,
		.managed_only = !(recorder->options.cuda & GPMU_RECORDER_UNIFIED),
		.regions = recorder->options.regions != 0,
		.allocators = (recorder->options.cuda & GPMU_RECORDER_ALLOCATOR) != 0,
		.capture = (uint32_t)recorder->options.capture,
		.flush = FLUSH,
		.buffer = CUPTI_BUFFER,
		.buffers = (uint32_t)(recorder->options.cuda_buffers / CUPTI_BUFFER),
	};
	set_pcs(recorder, &control);
	for (size_t i = 0; i < ARRAY_SIZE(activities); i++)
		if (recorder->options.cuda & activities[i].cuda)
			control.kinds |= activities[i].activity;
	if (recorder->range)
		memcpy(control.range, recorder->range, strlen(recorder->range));
	set_ranges(&control.ranges, &recorder->ranges);
	recorder->control_fd = channel_create_control(&control, &recorder->control);
	return recorder->control_fd < 0 ? recorder->control_fd : 0;
}

static int prepare_channels(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	int ret = recorder_inject_find(recorder, error);

	if (ret)
		return ret;
	ret = make_control(recorder);
	if (!ret)
		ret = recorder_peers_start(recorder);
	if (ret)
		error_set(error, 0, "shared memory and a socket for the recorded processes: %s",
			  error_text(-ret));
	return ret;
}

struct gpmu_recorder *gpmu_recorder_new(const struct gpmu_recorder_options *options,
					struct gpmu_error *error)
{
	struct gpmu_recorder *recorder;
	int ret;

	recorder = calloc(1, sizeof(*recorder));
	if (!recorder) {
		error_no_memory(error);
		return NULL;
	}
	pthread_mutex_init(&recorder->stats_lock, NULL);
	recorder->control_fd = recorder->file.fd = recorder->door = -1;
	for (int i = 0; i < RECORDER_RESERVE; i++)
		recorder->reserve[i] = -1;
	for (int i = 0; i < RECORDER_SOURCES; i++)
		recorder->source_streams[i] = -1;
	record_spool_init(&recorder->spe.spool);
	ret = copy_options(recorder, options, error);
	if (!ret && (recorder->options.cuda || recorder->options.regions || recorder->options.ranges))
		ret = prepare_channels(recorder, error);
	if (!ret)
		return recorder;
	gpmu_recorder_free(recorder);
	errno = -ret;
	return NULL;
}

static void end_threads(struct gpmu_recorder *recorder)
{
	atomic_store(&recorder->ending, true);
	for (int i = 0; i < RECORDER_SOURCES; i++)
		if (i != RECORDER_ROWS && recorder->is_running[i])
			pthread_join(recorder->threads[i], NULL);
	if (recorder->is_decoding)
		pthread_join(recorder->decoder, NULL);
	recorder->is_decoding = false;
	atomic_store(&recorder->written, true);
	if (recorder->is_running[RECORDER_ROWS])
		pthread_join(recorder->threads[RECORDER_ROWS], NULL);
	memset(recorder->is_running, 0, sizeof(recorder->is_running));
}

void gpmu_recorder_free(struct gpmu_recorder *recorder)
{
	if (!recorder)
		return;
	end_threads(recorder);
	record_stack_release(&recorder->stack);
	record_spe_release(&recorder->spe);
	record_sched_release(&recorder->sched);
	recorder_channels_release(recorder);
	recorder_peers_release(recorder);
	recorder_notes_release(recorder);
	if (recorder->control)
		channel_unmap_control(recorder->control);
	if (recorder->control_fd >= 0)
		close(recorder->control_fd);
	recorder_inject_release(recorder);
	for (int i = 0; i < RECORDER_SOURCES; i++)
		record_queue_release(&recorder->queues[i]);
	record_map_release(&recorder->map);
	record_merge_release(&recorder->merge);
	gpmu_trace_free(recorder->trace);
	recorder_file_close(&recorder->file);
	for (size_t i = 0; i < recorder->row_count; i++) {
		free((char *)recorder->rows[i].first.name);
		free((char *)recorder->rows[i].first.gpu);
	}
	free(recorder->rows);
	free(recorder->ends);
	free(recorder->streams);
	free(recorder->tids);
	free(recorder->path);
	free(recorder->range);
	free(recorder->program);
	free(recorder->command);
	free(recorder->sampler);
	free(recorder->terms);
	free(recorder->sample);
	pthread_mutex_destroy(&recorder->stats_lock);
	free(recorder);
}

int gpmu_recorder_pid(struct gpmu_recorder *recorder, pid_t pid)
{
	pid_t *added;

	if (pid <= 0 || recorder->is_started)
		return -EINVAL;
	/* Two events of a thread would record each of its switches twice. */
	for (size_t i = 0; i < recorder->tid_count; i++)
		if (recorder->tids[i] == pid)
			return 0;
	added = vector_append(recorder->tids, recorder->tid_count);
	if (!added)
		return -ENOMEM;
	*added = pid;
	return 0;
}

static void set_open_error(const char *path, int ret, struct gpmu_error *error)
{
	static const struct {
		int ret;
		const char *remedy;
	} remedies[] = {
		{ -ESPIPE, ": only the size of a file can be limited" },
		{ -ENOENT, ": its folder does not exist" },
		{ -EMFILE, ": raise ulimit -n" },
		{ -EBUSY, ": another gpmu record writes it; each needs a file of its own" },
	};
	const char *remedy = "";

	for (size_t i = 0; i < ARRAY_SIZE(remedies); i++)
		if (remedies[i].ret == ret)
			remedy = remedies[i].remedy;
	error_set(error, 0, "%.100s: %s%s", path, error_text(-ret), remedy);
}

static int open_trace(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	uint64_t max = recorder->options.max_size;
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = recorder->path, .buffer = (size_t)(max / 32),
		.restart = max / 16,
	};
	int ret = recorder_file_open(&recorder->file, recorder->path, recorder->options.fd, max);

	if (ret) {
		set_open_error(recorder->path, ret, error);
		return ret;
	}
	recorder->trace = gpmu_trace_new(recorder->file.fd, &options, error);
	if (!recorder->trace)
		return -errno;
	record_map_init(&recorder->map, recorder->trace, recorder->machine);
	recorder->map.wants_inner_driver = recorder->options.cuda & GPMU_RECORDER_DRIVER ||
				   !(recorder->options.cuda & GPMU_RECORDER_CALLS);
	record_merge_init(&recorder->merge, MERGE_ROOM);
	recorder->map.ranges = recorder->options.ranges ? &recorder->ranges : NULL;
	recorder->map.symbols = recorder->options.symbols ? &recorder->symbols : NULL;
	if (recorder->sample)
		recorder->map.sampler = gpmu_trace_sampler(recorder->trace, recorder->stack.name);
	recorder->map.copied = recorder->options.stack_size ? &recorder->stack.attr : NULL;
	if (recorder->map.sampler < 0)
		return recorder->map.sampler;
	return recorder->terms ? record_map_samples_begin(&recorder->map) : 0;
}

static bool needs_sched(const struct gpmu_recorder *recorder)
{
	return recorder->options.sched || (recorder->options.threads && recorder->tid_count);
}

static struct record_reader reader_of(struct gpmu_recorder *recorder, enum recorder_source source, bool has_all_tasks)
{
	return (struct record_reader){
		.machine = recorder->machine, .tids = recorder->tids,
		.tid_count = has_all_tasks ? 0 : recorder->tid_count,
		.queue = &recorder->queues[source], .window = &recorder->window, .ending = &recorder->ending,
	};
}

static int open_sched(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct record_sched *sched = &recorder->sched;

	sched->is_own = !recorder->options.sched;
	sched->is_rank = recorder->options.rank_count != 0;
	sched->reader = reader_of(recorder, RECORDER_SCHED, false);
	return record_sched_open(sched, error);
}

static int open_spe(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct record_spe *spe = &recorder->spe;

	spe->reader = reader_of(recorder, RECORDER_SPE, recorder->options.system);
	spe->terms = recorder->terms;
	spe->buffer = recorder->options.spe_buffer;
	return record_spe_open(spe, error);
}

/* Creates the spool in the folder of a trace that is a file: its file system has room for recordings. */
static int open_spool(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const int ret = record_spool_open(&recorder->spe.spool, recorder->file.fd);

	if (ret)
		error_set(error, 0, "the file for SPE's buffers: %s; TMPDIR can name another folder", error_text(-ret));
	return ret;
}

static int open_stack(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct record_stack *stack = &recorder->stack;

	stack->reader = reader_of(recorder, RECORDER_STACKS, recorder->options.system);
	stack->event = recorder->sample;
	stack->copy = recorder->options.stack_size;
	return record_stack_open(stack, error);
}

static bool needs_stacks(const struct gpmu_recorder *recorder)
{
	return recorder->sample || (recorder->terms && recorder->options.symbols);
}

static int open_sources(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const size_t rooms[RECORDER_SOURCES] = {
		[RECORDER_CHANNELS] = recorder->control ? QUEUE_ROOM : 4096,
		[RECORDER_ROWS] = ROWS_ROOM,
		[RECORDER_SCHED] = needs_sched(recorder) ? SCHED_ROOM : 4096,
		[RECORDER_SPE] = recorder->terms ? SPE_ROOM : 4096,
		[RECORDER_STACKS] = needs_stacks(recorder) ? STACKS_ROOM : 4096,
	};
	int ret = 0;

	for (int i = 0; i < RECORDER_SOURCES && !ret; i++)
		ret = record_queue_init(&recorder->queues[i], rooms[i]);
	if (ret)
		error_set(error, 0, "%s", error_text(-ret));
	if (!ret && recorder->control)
		recorder_channels_start(recorder);
	if (!ret && needs_sched(recorder))
		ret = open_sched(recorder, error);
	if (!ret && recorder->terms)
		ret = open_spe(recorder, error);
	if (!ret && needs_stacks(recorder))
		ret = open_stack(recorder, error);
	return ret;
}

static int start_threads(struct gpmu_recorder *recorder)
{
	const struct {
		bool is_wanted;
		void *(*run)(void *user);
		void *user;
	} threads[RECORDER_SOURCES] = {
		[RECORDER_CHANNELS] = { .is_wanted = recorder->control != NULL,
				   .run = recorder_channels_run, .user = recorder },
		[RECORDER_ROWS] = { .is_wanted = true, .run = recorder_write_run, .user = recorder },
		[RECORDER_SCHED] = { .is_wanted = recorder->sched.rings.count > 0,
				   .run = record_sched_run, .user = &recorder->sched },
		[RECORDER_SPE] = { .is_wanted = recorder->spe.rings.count > 0,
				   .run = record_spe_run, .user = &recorder->spe },
		[RECORDER_STACKS] = { .is_wanted = recorder->stack.rings.count > 0,
				   .run = record_stack_run, .user = &recorder->stack },
	};
	sigset_t all, before;
	int ret = 0;

	/* Signals are handled by the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	for (int i = 0; i < RECORDER_SOURCES && !ret; i++) {
		if (!threads[i].is_wanted)
			continue;
		ret = -pthread_create(&recorder->threads[i], NULL, threads[i].run,
				      threads[i].user);
		recorder->is_running[i] = !ret;
	}
	if (!ret && recorder->is_running[RECORDER_SPE]) {
		ret = -pthread_create(&recorder->decoder, NULL, record_spe_decode, &recorder->spe);
		recorder->is_decoding = !ret;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return ret;
}

int gpmu_recorder_start(struct gpmu_recorder *recorder, const struct gpmu_machine *machine,
			const struct gpmu_session *session, struct gpmu_error *error)
{
	int ret;

	recorder->machine = machine;
	recorder->session = session;
	recorder_inject_report(recorder);
	ret = open_sources(recorder, error);
	if (!ret)
		ret = open_trace(recorder, error);
	if (!ret && recorder->terms)
		ret = open_spool(recorder, error);
	if (ret)
		return ret;
	/* The recorded time is empty until recording is enabled. */
	recorder->flushed = raw_clock_now();
	record_window_init(&recorder->window, recorder->flushed);
	recorder_stats_publish(recorder);
	record_spe_enable(&recorder->spe);
	ret = start_threads(recorder);
	recorder->is_started = !ret;
	if (ret)
		error_set(error, 0, "a thread cannot be started: %s", error_text(-ret));
	return ret;
}

static void set_enabled(struct gpmu_recorder *recorder, uint32_t enabled)
{
	if (recorder->control)
		__atomic_store_n(&recorder->control->enabled, enabled, __ATOMIC_RELAXED);
}

void gpmu_recorder_enable(struct gpmu_recorder *recorder)
{
	record_window_open(&recorder->window, raw_clock_now());
	set_enabled(recorder, 1);
}

void gpmu_recorder_disable(struct gpmu_recorder *recorder)
{
	record_window_close(&recorder->window, raw_clock_now());
	set_enabled(recorder, 0);
}

/* Warns of the cause that leaves users with an empty trace. */
static void warn_no_process(const struct gpmu_recorder *recorder)
{
	if (recorder->preload || !recorder_lacks_cuda(recorder))
		return;
	log_line(GPMU_LOG_WARNING, "0 processes connected: none has used CUDA or NVTX, or "
		 "CUDA_INJECTION64_PATH did not reach it: set-user-ID programs, sudo and env -i "
		 "drop it, so gpmu must run inside them, and inside another network namespace if "
		 "descriptors are closed");
}

/* Logs why no regions are in the trace. */
static void warn_no_regions(const struct gpmu_recorder *recorder)
{
	if (!recorder->has_loaded && !recorder->map.region_count)
		log_line(GPMU_LOG_WARNING, "no region can be recorded: " PRELOAD_REFUSED
			 "; from another network namespace none can reach gpmu without the descriptors that it inherits");
	else if (!recorder->map.region_count && !recorder->refusal_count)
		log_line(GPMU_LOG_WARNING, PRELOAD_UNUSED ", or only outside the recorded time");
}

int gpmu_recorder_stop(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	int ret;

	gpmu_recorder_disable(recorder);
	recorder->spe.progress = recorder->options.progress;
	recorder->spe.user = recorder->options.user;
	end_threads(recorder);
	warn_no_process(recorder);
	if (recorder->preload)
		warn_no_regions(recorder);
	ret = recorder->failed ? recorder->failed : recorder_file_begin(&recorder->file);
	if (!ret)
		ret = recorder_audit(recorder);
	if (ret)
		error_set(error, 0, "%.100s: %s", recorder->path,
			  error_text(-ret));
	else
		ret = gpmu_trace_finish(recorder->trace, error);
	/* Without memory for the audit, the records before it are written. */
	recorder->failed = ret == -ENOMEM ? gpmu_trace_flush(recorder->trace, NULL) : ret;
	recorder_count_written(recorder);
	recorder_stats_publish(recorder);
	return ret;
}
