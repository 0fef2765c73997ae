// SPDX-License-Identifier: LGPL-2.1-or-later
/* gpmu plan: prints the groups of events that metrics need, for "perf stat -e". */
#include <stdlib.h>
#include <string.h>

#include "chip.h"
#include "cmd.h"
#include "common.h"

struct options {
	struct common common;
	bool is_system_wide;
	const char *chip;	/* of the GPU to plan for; NULL: the machine's */
};

enum { KEY_CHIP = COMMON_KEYS };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->common;
		state->child_inputs[1] = &options->common;
		state->child_inputs[2] = &options->common;
		return 0;
	case KEY_CHIP:
		options->chip = arg;
		return 0;
	case 'a':
		options->is_system_wide = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "%s: expected only options", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_option argp_options[] = {
	{ .name = "all-cpus", .key = 'a',
	  .doc = "plan for perf stat -a; affects only formulas with #core_wide or #target_cpu" },
	{ .name = "chip", .key = KEY_CHIP, .arg = "NAME",
	  .doc = "with --gpu: plan for this chip, such as GH100; needs no GPU" },
	{ 0 },
};

static const struct argp_child children[] = {
	{ .argp = &request_argp }, { .argp = &gpu_argp }, { .argp = &common_argp }, { 0 },
};

static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.doc = "Prints the groups of events that metrics need, for \"perf stat -e\".",
	.children = children,
};

static int print(const struct options *options, const struct gpmu_plan *plan)
{
	char *text = need_memory(gpmu_plan_text(plan));
	int status = EXIT_SUCCESS;

	for (size_t i = 0; gpmu_plan_item(plan, i); i++)
		if (gpmu_plan_item_why(plan, i))
			status = EXIT_FAILURE;
	common_plan_warnings(plan);
	common_hints(&options->common, plan);
	if (options->common.is_verbose)
		common_explain(plan);
	if (*text)
		puts(text);
	free(text);
	return status;
}

/* Nothing is counted, so no GPU is opened, and CUPTI's answer for a chip does not need NVML. */
static char *choose_gpu(struct options *options)
{
	struct common *common = &options->common;
	struct gpmu_error error = { .size = sizeof(error) };
	char *spec = options->chip ? print_text("cupti=chip=%s", options->chip) : print_text("cupti=list");

	if (options->chip && !common->wants_gpu)
		die("--chip needs --gpu");
	if (options->chip) {
		json_t *chips = chip_ask(options->chip, "chips", &error);

		if (!chips)
			chip_die(error.text);
		json_decref(chips);
		texts_add(&common->sources, spec);
		common->wants_gpu = false;
	}
	common->cupti = spec;
	return spec;
}

static int run(int argc, char **argv)
{
	struct options options = { 0 };
	struct gpmu_plan *plan;
	char *spec;
	int status;

	common_init(&options.common);
	parse_arguments(&argp, argc, argv, 0, &options);
	if (!options.common.request_count)
		die("expected -M METRIC or -e EVENT; \"gpmu list\" lists them");
	spec = choose_gpu(&options);
	common_open(&options.common);
	plan = common_plan(&options.common, options.is_system_wide);
	status = print(&options, plan);
	gpmu_plan_free(plan);
	common_release(&options.common);
	free(spec);
	return status;
}

const struct cmd cmd_plan = {
	.name = "plan",
	.summary = "print the groups of events that metrics need",
	.run = run,
};
