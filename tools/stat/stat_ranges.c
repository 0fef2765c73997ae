// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chip.h"
#include "cmd.h"
#include "modes/gpmu_modes.h"
#include "output/output.h"
#include "output/unfinished.h"
#include "ranges/gpmu_ranges.h"
#include "run/count.h"
#include "stat/stat_ranges.h"

/* One pass on GH100 */
#define DEFAULT_METRICS	"gpu__time_duration.sum,sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum"

struct run {
	const struct stat_options *options;
	struct gpmu_ranges *ranges;
	struct gpmu_recorder_ranges choice;
	struct gpmu_plan *plan;		/* empty */
	size_t laps;			/* that the metrics need */
	sigset_t mask;			/* the command's */
	struct count_end end;
	uint64_t failed;		/* processes that could not be recorded */
};

/* --- before the command executes */

/* --gpu samples the GPU by PM sampling, from gpmu's process. */
static void check_modes(const struct stat_options *options)
{
	static const enum gpmu_mode by_choice[] = {
		[GPMU_RECORDER_RANGE_KERNELS] = GPMU_MODE_RANGE_KERNEL, [GPMU_RECORDER_RANGE_USER] = GPMU_MODE_RANGE_USER,
		[GPMU_RECORDER_RANGE_SASS] = GPMU_MODE_SASS,
	};
	uint32_t modes = 1u << by_choice[options->ranges.choice.mode];
	char text[256];

	if (common_has_gpus(&options->common))
		modes |= 1u << GPMU_MODE_PM;
	if (options->ranges.choice.checkpoint)
		modes |= 1u << GPMU_MODE_CHECKPOINT;
	if (gpmu_modes_refuse(modes, text, sizeof(text)))
		die("%s", text);
	if (common_has_sources(&options->common))
		die("%s counts by CUPTI alone: leave out --gpu, --section and --source", options->ranges.sass ? "--sass" : "--ranges");
}

/* Opens the output before the run, whose counts would be lost if it cannot be written. */
static void open_output(const struct stat_options *options, struct output *output)
{
	const int ret = output_open(output, options->path, options->wants_append ? OUTPUT_APPEND : OUTPUT_REPLACE, stderr);

	if (ret)
		die_output(options->path, stderr, ret);
}

/* The lists of -e and -M as one; the caller frees it. */
static char *join_requests(const struct common *common)
{
	char *list = print_text("%s", common->request_count ? common->requests[0].list : DEFAULT_METRICS);

	for (size_t i = 1; i < common->request_count; i++) {
		char *longer = print_text("%s,%s", list, common->requests[i].list);

		free(list);
		list = longer;
	}
	return list;
}

/* The chip of the first GPU that plugin cupti knows */
static char *find_chip(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	json_t *answer = chip_ask(NULL, "chip", &error);
	const char *chip = json_string_value(json_array_get(answer, 0));
	char *copy;

	if (!answer)
		die("%s", error.text);
	if (!chip)
		die("no GPU whose metrics CUPTI knows; gpmu doctor reports why");
	copy = print_text("%s", chip);
	json_decref(answer);
	return copy;
}

/* Asks CUPTI for the passes, which also checks the names. */
static void plan_passes(struct run *run, const char *chip)
{
	struct gpmu_error error = { .size = sizeof(error) };
	size_t length, i;
	const char *const *metrics = gpmu_ranges_metrics(run->ranges, &length);
	char *question = print_text("ranges"), *longer;
	json_t *answer, *unit;

	for (i = 0; i < length; i++) {
		longer = print_text("%s %s", question, metrics[i]);
		free(question);
		question = longer;
	}
	answer = chip_ask(chip, question, &error);
	if (!answer)
		die("%s", error.text);
	json_array_foreach(json_object_get(json_array_get(answer, 0), "units"), i, unit)
		if (gpmu_ranges_set_unit(run->ranges, i, json_string_value(unit)))
			die_no_memory();
	run->laps = (size_t)json_integer_value(json_object_get(json_array_get(answer, 0), "passes"));
	json_decref(answer);
	free(question);
}

static void say_passes(const struct run *run)
{
	const struct gpmu_recorder_ranges *choice = &run->choice;
	const size_t laps = run->laps * (choice->mode == GPMU_RECORDER_RANGE_USER ? choice->levels : 1);

	if (choice->replay == GPMU_RECORDER_REPLAY_KERNEL)
		say("passes of each kernel: %zu", laps);
	else if (choice->replay == GPMU_RECORDER_REPLAY_APPLICATION)
		say("runs of the command: %zu", laps);
	else if (laps > 1)
		say("passes: %zu; each counts another outermost range of the same name, which must do the same work each time",
		    laps);
}

/* SASS metrics need no passes; the command's process checks their names, as they depend on the chip. */
static void prepare_sass(struct run *run)
{
	const struct stat_ranges_options *options = &run->options->ranges;
	struct gpmu_error error = { .size = sizeof(error) };

	run->ranges = gpmu_ranges_new(NULL, NULL, options->sass, 0, &error);
	if (!run->ranges)
		die("%s", error.text);
	gpmu_ranges_connect(run->ranges, &run->choice);
	if (!run->choice.metric_count)
		die("--sass needs the name of a metric, such as smsp__sass_inst_executed");
	run->laps = 1;
}

static void prepare(struct run *run)
{
	const struct stat_options *options = run->options;
	struct gpmu_error error = { .size = sizeof(error) };
	char *list = join_requests(&options->common), *chip = find_chip();

	run->ranges = gpmu_ranges_new(options->common.catalog, chip, list, options->ranges.wants_each, &error);
	if (!run->ranges)
		die("%s", error.text);
	plan_passes(run, chip);
	say_passes(run);
	gpmu_ranges_connect(run->ranges, &run->choice);
	free(chip);
	free(list);
}

/* --- runs */

static char *state;	/* file that the runs of application replay share; NULL: none */

static void remove_state(void)
{
	if (state)
		unlink(state);
}

static void make_state(struct run *run)
{
	const char *folder = secure_getenv("TMPDIR");
	char *path, *file;
	int fd;

	if (run->choice.replay != GPMU_RECORDER_REPLAY_APPLICATION)
		return;
	folder = folder && *folder ? folder : "/tmp";
	/* The command may change its folder. */
	path = realpath(folder, NULL);
	if (!path)
		die("%s: %s", folder, strerror(errno));
	file = print_text("%s/gpmu-ranges-XXXXXX", path);
	free(path);
	fd = mkostemp(file, O_CLOEXEC);
	if (fd < 0)
		die("a file in %s: %s", folder, strerror(errno));
	close(fd);
	state = file;
	unfinished_remove_by(remove_state);
	run->choice.state = state;
}

static struct gpmu_recorder *make_recorder(const struct run *run, int fd)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = "ranges", .fd = fd, .program = "gpmu " GPMU_VERSION,
		.regions = (run->choice.sources & GPMU_RECORDER_RANGE_REGION) != 0, .ranges = &run->choice,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder *recorder = gpmu_recorder_new(&options, &error);

	if (!recorder)
		die("%s", error.text);
	return recorder;
}

/* A plan without events: the command counts itself. */
static void make_plan(struct run *run)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct common *common = &run->options->common;

	run->plan = need_memory(gpmu_plan_new(common->machine, common->catalog, NULL, &error));
	if (gpmu_plan_make(run->plan, &error))
		die("%s", error.text);
}

static void count_command(struct run *run, struct gpmu_recorder *recorder)
{
	const struct count count = {
		.plan = run->plan, .argv = run->options->argv, .mask = &run->mask,
		.environment = need_memory((void *)gpmu_recorder_environment(recorder, environ)),
	};
	struct gpmu_recorder_stats stats = { .size = sizeof(stats) };
	struct gpmu_error error = { .size = sizeof(error) };

	if (gpmu_recorder_start(recorder, run->options->common.machine, NULL, &error))
		die("%s", error.text);
	gpmu_recorder_enable(recorder);
	gpmu_session_free(count_run(&count, &run->end));
	/* The recorder would warn that the command has not used CUDA. */
	if (!run->end.is_executed)
		return;
	if (gpmu_recorder_stop(recorder, &error))
		die("%s", error.text);
	gpmu_recorder_get_stats(recorder, &stats);
	run->failed += stats.lost_process_count;
}

/* The recorder's trace would have nothing but notes. */
static void run_once(struct run *run)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	struct gpmu_recorder *recorder;

	if (fd < 0)
		die("/dev/null: %s", strerror(errno));
	recorder = make_recorder(run, fd);
	count_command(run, recorder);
	gpmu_recorder_free(recorder);
	close(fd);
}

/* Application replay runs the command until CUPTI has all passes, at most twice as often as planned. */
static void run_all(struct run *run)
{
	const size_t max = 2 * run->laps * run->choice.levels;
	size_t runs = 0;

	do {
		gpmu_ranges_restart(run->ranges);
		run_once(run);
		runs++;
	} while (run->choice.replay == GPMU_RECORDER_REPLAY_APPLICATION && run->end.is_executed && !run->end.is_interrupted &&
	       !gpmu_ranges_numbers(run->ranges)->is_complete && runs < max);
}

/* Returns the number of ranges that should have counters and have none. */
static uint64_t count_missing(const struct run *run)
{
	const struct gpmu_recorder_range_numbers *numbers = gpmu_ranges_numbers(run->ranges);
	uint64_t known = numbers->counted, missing;

	for (int i = 0; i < GPMU_RECORDER_RANGE_REASONS; i++)
		known += numbers->lost[i];
	missing = numbers->seen > known ? numbers->seen - known : 0;
	missing += numbers->lost[GPMU_RECORDER_RANGE_DROPPED] + numbers->lost[GPMU_RECORDER_RANGE_PARTIAL] +
		   numbers->lost[GPMU_RECORDER_RANGE_FOREIGN] + numbers->lost[GPMU_RECORDER_RANGE_OVERLAPPING];
	return missing;
}

static bool is_strict(const struct run *run)
{
	const uint64_t missing = count_missing(run);
	const char *noun = stat_ranges_noun(run->options);

	if (!run->options->is_strict || (!missing && !run->failed && gpmu_ranges_numbers(run->ranges)->counted))
		return true;
	say("--strict: %s without counts: %" PRIu64 ", processes that could not be counted: %" PRIu64 ", %s with counts: %" PRIu64,
	    noun, missing, run->failed, noun, gpmu_ranges_numbers(run->ranges)->counted);
	return false;
}

/* A pass that did not begin with the same memory would count something else. */
static bool has_checkpoints(const struct run *run)
{
	const uint64_t failed = gpmu_ranges_numbers(run->ranges)->checkpoints.failed;

	if (failed)
		say("checkpoints that could not be saved or restored: %" PRIu64 "; the ranges of such a pass are not counted", failed);
	return !failed;
}

int stat_ranges(struct stat_options *options)
{
	struct run run = { .options = options, .choice = options->ranges.choice };
	struct output output = { 0 };
	int status;

	check_modes(options);
	open_output(options, &output);
	/* Threads of plugins would take the signals that a run waits for. */
	count_hold_signals(&run.mask);
	common_open(&options->common);
	if (options->ranges.sass)
		prepare_sass(&run);
	else
		prepare(&run);
	make_plan(&run);
	make_state(&run);
	run_all(&run);
	remove_state();
	count_heed_signals(&run.mask);
	if (run.end.signal && run.end.signal != SIGINT && run.end.signal != SIGPIPE)
		say("%s: %s", options->argv[0], strsignal(run.end.signal));
	if (run.end.is_executed)
		stat_ranges_print(options, run.ranges, &output);
	else
		output_drop(&output);
	status = !run.end.is_executed || (has_checkpoints(&run) && is_strict(&run)) ? run.end.status : EXIT_OWN;
	gpmu_plan_free(run.plan);
	gpmu_ranges_free(run.ranges);
	return status;
}
