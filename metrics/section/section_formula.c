// SPDX-License-Identifier: LGPL-2.1-or-later
/* Makes a MetricExpr of a section's metric: an event of the GPUs, or a formula of such events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/number.h"
#include "base/text/text.h"
#include "gpmu.h"
#include "section/gpmu_derived.h"
#include "section/section_set.h"

#define PM_PREFIX	"pmsampling:"
#define NAME_CHARACTERS	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
#define MAX_NAME	200
#define MAX_DEPTH	8	/* definitions that refer to each other */

/* Why metrics of other kinds are no events of PM sampling. A name is compared with the beginnings in this order. */
static const struct {
	const char *begin;
	const char *why;
} reasons[] = {
	{ "breakdown:", "CUPTI does not list the parts of a throughput" },
	{ "group:", "this is a group of metrics that only Nsight Compute has" },
	{ "launch__", "this is an attribute of a kernel launch, not a counter" },
	{ "device__", "this is an attribute of the device, not a counter" },
	{ "profiler__", "this describes a run of Nsight Compute, not the GPU" },
	{ "numa__", "this describes NUMA nodes, not a counter" },
	{ "nvlink__", "this is an attribute of NVLinks, not a counter" },
	{ "derived__", "the section does not define it" },
	{ "sass__", "this is counted by instruction, not by PM sampling" },
	{ "smsp__pcsamp", "this is counted by PC sampling" },
};

struct work {
	const struct gpmu_machine *machine;
	const struct gpmu_section_metrics *metrics;
	struct section_formula *formula;
	unsigned int depth;
};

static char *make_formula(struct work *work, const struct gpmu_section_metric *metric);

const char *section_bare_name(const char *name)
{
	return !strncmp(name, PM_PREFIX, strlen(PM_PREFIX)) ? name + strlen(PM_PREFIX) : name;
}

void section_formula_release(struct section_formula *formula)
{
	free(formula->text);
	free(formula->unit);
	free(formula->why);
	*formula = (struct section_formula){ .text = NULL };
}

/* Sets the reason, the first of several. Returns NULL for callers that make a text. */
static char *refuse(struct work *work, char *why)
{
	if (work->formula->why)
		free(why);
	else
		work->formula->why = why;
	return NULL;
}

static const char *find_reason(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++)
		if (!strncmp(name, reasons[i].begin, strlen(reasons[i].begin)))
			return reasons[i].why;
	if (name[strspn(name, NAME_CHARACTERS)] || strlen(name) > MAX_NAME)
		return "CUPTI has no names of this form";
	if (!strstr(name, "__"))
		return "this is counted by instruction, not by PM sampling";
	return NULL;
}

/* Returns the event's name in a MetricExpr. Sets the unit unless the formula has one. */
static char *make_event(struct work *work, const char *name)
{
	const char *bare = section_bare_name(name), *why = find_reason(bare), *unit;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_event *event;
	char *text;

	if (why)
		return refuse(work, strdup(why));
	text = text_print(SECTION_PMU "/%s/", bare);
	event = text ? gpmu_event_new(work->machine, NULL, text, &error) : NULL;
	free(text);
	if (!event && errno == ENOMEM)
		return NULL;
	if (!event)
		return refuse(work, strdup("PM sampling of this GPU does not have it"));
	unit = gpmu_event_unit(event);
	if (unit && !work->formula->unit)
		work->formula->unit = strdup(unit);
	gpmu_event_free(event);
	return text_print(SECTION_PMU "@%s@", bare);
}

/* Returns the definition of a name; or NULL */
static const struct gpmu_section_metric *find_definition(const struct work *work, const char *name)
{
	const struct gpmu_section_metric *metric;

	for (size_t i = 0; (metric = gpmu_section_metrics_at(work->metrics, i)); i++)
		if (metric->expr && !strcmp(section_bare_name(metric->name), section_bare_name(name)))
			return metric;
	return NULL;
}

/* A function of gpmu_derived_formula(): an event, or the formula of another definition */
static char *make_operand(const char *name, void *user)
{
	struct work *work = user;
	const struct gpmu_section_metric *definition = find_definition(work, name);
	char *text;

	if (!definition)
		return make_event(work, name);
	if (work->depth == MAX_DEPTH)
		return refuse(work, strdup("its definition refers to itself"));
	work->depth++;
	text = make_formula(work, definition);
	work->depth--;
	return text;
}

/* CUPTI evaluates sums as integers; averages, ratios and percentages are real. */
static int is_integer(const char *name, void *user)
{
	const size_t length = strlen(name);

	(void)user;
	return length > 4 && !strcmp(name + length - 4, ".sum");
}

static char *make_derived(struct work *work, const char *expr)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_derived *derived = gpmu_derived_new(expr, &error);
	char *text;

	if (!derived)
		return errno == ENOMEM ? NULL : refuse(work, text_print("its formula is malformed: %s", error.text));
	text = gpmu_derived_formula(derived, make_operand, is_integer, work);
	if (!text && errno == E2BIG)
		refuse(work, strdup("its formula is too long"));
	gpmu_derived_free(derived);
	return text;
}

static char *multiply(char *text, double multiplier)
{
	char number[NUMBER_SIZE + 1], *product;

	if (!text || multiplier == 1)
		return text;
	number[number_fixed(number, multiplier, 9, false)] = '\0';
	product = text_print("(%s * %s)", text, number);
	free(text);
	return product;
}

static char *make_formula(struct work *work, const struct gpmu_section_metric *metric)
{
	if (!(metric->multiplier > -1e15 && metric->multiplier < 1e15))
		return refuse(work, strdup("its multiplier is out of range"));
	return multiply(metric->expr ? make_derived(work, metric->expr) : make_event(work, metric->name),
			metric->multiplier);
}

int section_formula(const struct gpmu_machine *machine, const struct gpmu_section_metrics *metrics,
		    const struct gpmu_section_metric *metric, struct section_formula *formula)
{
	struct work work = { machine, metrics, formula, 0 };

	*formula = (struct section_formula){ .text = NULL };
	formula->text = make_formula(&work, metric);
	/* A quotient or product of two units has another unit, which the file does not give. */
	if (metric->expr) {
		free(formula->unit);
		formula->unit = NULL;
	}
	return formula->text || formula->why ? 0 : -ENOMEM;
}
