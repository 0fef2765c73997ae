// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu import: writes a recording of perf as a timeline for Perfetto. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/gpmu_plural.h"
#include "cmd.h"
#include "common.h"
#include "import/gpmu_import.h"
#include "message.h"
#include "output/output.h"
#include "output/progress.h"

#define DEFAULT_FILE	"perf.data"
#define DEFAULT_TRACE	"perf.pftrace"

enum { KEY_NO_INLINE = COMMON_KEYS };

struct options {
	const char *path, *trace;
	bool wants_no_inline;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case 'o':
		if (!*arg)
			die("-o: expected a name for the trace");
		options->trace = arg;
		return 0;
	case KEY_NO_INLINE:
		options->wants_no_inline = true;
		return 0;
	case ARGP_KEY_ARG:
		if (options->path)
			argp_error(state, "%s: expected only one recording", arg);
		options->path = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{ .name = "output", .key = 'o', .arg = "FILE",
	  .doc = "write the trace to FILE (" DEFAULT_TRACE "); \"-\": standard output" },
	{ .name = "no-inline", .key = KEY_NO_INLINE, .doc = "omit inlined functions from call stacks" },
	{ .key = 'h', .flags = OPTION_HIDDEN },
	{ 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.args_doc = "[FILE]",
	.doc = "Writes a recording of perf record (" DEFAULT_FILE "; \"-\": standard input) as a timeline for https://ui.perfetto.dev.",
};

static void print(const char *trace, const struct gpmu_import_facts *facts)
{
	const struct {
		uint64_t n;
		const char *singular, *plural;
	} counts[] = {
		{ facts->threads, "thread", "threads" }, { facts->samples, "sample", "samples" },
		{ facts->tracepoints, "tracepoint sample", "tracepoint samples" }, { facts->spe, "SPE operation", "SPE operations" },
		{ facts->switches, "switch", "switches" }, { facts->values, "counter value", "counter values" },
		{ facts->lost, "record lost", "records lost" },
	};
	char *line = NULL;
	size_t size;
	FILE *file = need_memory(open_memstream(&line, &size));

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		fprintf(file, "%s%" PRIu64 " %s", i ? ", " : "", counts[i].n, gpmu_plural(counts[i].n, counts[i].singular, counts[i].plural));
	if (fclose(file))
		die_no_memory();
	say("%s: %s", trace, line);
	free(line);
}

static int run(int argc, char **argv)
{
	struct gpmu_import_options how = { .size = sizeof(how), .version = "gpmu " GPMU_VERSION, .progress = progress_show,
					   .waiting = progress_wait };
	struct gpmu_import_facts facts = { .size = sizeof(facts) };
	struct gpmu_error error = { .size = sizeof(error) };
	struct options options = { .path = NULL };
	struct progress progress;
	struct output output;
	int ret;

	parse_arguments(&argp, argc, argv, 0, &options);
	if (!options.path)
		options.path = DEFAULT_FILE;
	if (!options.trace)
		options.trace = DEFAULT_TRACE;
	output_check(options.trace, options.path);
	how.path = options.trace;
	how.wants_no_inlines = options.wants_no_inline;
	how.user = &progress;
	ret = output_open(&output, strcmp(options.trace, "-") ? options.trace : NULL, OUTPUT_REPLACE, stdout);
	if (ret)
		die("%s: %s", options.trace, output_error(-ret));
	progress_begin(&progress, "reading");
	ret = gpmu_import(options.path, fileno(output.file), &how, &facts, &error);
	progress_end(&progress);
	if (ret) {
		output_drop(&output);
		say("%s", ret == -EINTR ? "stopped by a signal: nothing was imported" : error.text);
		return ret == -EINTR ? EXIT_SIGNAL + SIGINT : EXIT_FAILURE;
	}
	ret = output_close(&output);
	if (ret)
		die("%s: %s", options.trace, output_error(-ret));
	print(options.trace, &facts);
	if (facts.no_time)
		say("%" PRIu64 " %s no time on the clock of the trace: the notes of \"gpmu report %s\" have the reason", facts.no_time,
		    gpmu_plural(facts.no_time, "record is omitted, as it has", "records are omitted, as they have"), strcmp(options.trace, "-") ? options.trace : "TRACE");
	if (facts.outside)
		say("%" PRIu64 " %s", facts.outside, gpmu_outside_why(facts.outside));
	if (facts.is_damaged)
		say("%s", error.text);
	if (facts.is_stopped) {
		say("stopped by a signal: only a part of the recording was imported");
		return EXIT_SIGNAL + SIGINT;
	}
	return facts.is_damaged ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct cmd cmd_import = {
	.name = "import",
	.summary = "write a recording of perf as a timeline",
	.run = run,
};
