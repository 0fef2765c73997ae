// SPDX-License-Identifier: LGPL-2.1-or-later
/* Adds a metric with all events and metrics that its formula uses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "catalog/catalog.h"
#include "plan/plan_build.h"

#define MAX_DEPTH	100	/* of metrics that use metrics */
#define MAX_IDS		1000	/* in a formula; each name is compared with all others */

/* A metric that is being added, and the metric that uses it */
struct visit {
	const struct gpmu_metric *metric;
	const struct visit *user;
	size_t depth;
};

struct adding {
	struct gpmu_plan *plan;
	const struct plan_request *request;
	struct gpmu_error *error;
	size_t root;
};

static int add(struct adding *a, const struct gpmu_metric *metric, const struct visit *user,
	       size_t *index);

/* --- resolving identifiers of a formula --- */

/*
 * Copies "nvidia_scf_pmu@cmem_rd_data@" with slashes, the filter and the modifiers; the
 * caller frees it.
 */
static int event_text(struct adding *a, const char *id, char **text, bool *is_filtered)
{
	const char *modifiers = a->request->modifiers;
	char *first, *last, *changed;
	int ret;

	*text = strdup(id);
	if (!*text)
		return -ENOMEM;
	first = strchr(*text, '@');
	last = strrchr(*text, '@');
	if (first)
		*first = *last = '/';
	ret = plan_filter_apply(a->request->filter, a->plan->machine, text, is_filtered);
	if (ret || !modifiers)
		return ret;
	changed = text_print(first || *is_filtered ? "%s%s" : "%s:%s", *text, modifiers);
	if (!changed)
		return -ENOMEM;
	free(*text);
	*text = changed;
	return 0;
}

/* Appends ":u" to the requested metric's label, once. */
static int mark_user_only(struct plan_metric *metric)
{
	char *label;

	if (metric->is_user_only)
		return 0;
	label = text_print("%s:u", metric->label);
	if (!label)
		return -ENOMEM;
	free(metric->label);
	metric->label = label;
	metric->is_user_only = true;
	return 0;
}

static int add_event(struct adding *a, const char *id, struct plan_input *input)
{
	bool is_filtered = false;
	char *text = NULL;
	int ret;

	input->kind = PLAN_SLOTS;
	ret = event_text(a, id, &text, &is_filtered);
	if (!ret)
		ret = plan_metric_event(a->plan, text, is_filtered || a->request->modifiers,
					&input->event, a->error);
	if (ret && ret != -ENOMEM)
		error_set_offset(a->error, a->request->offset);
	if (!ret && a->plan->events[input->event].is_user_only)
		ret = mark_user_only(&a->plan->metrics[a->root]);
	free(text);
	return ret;
}

/* Finds another metric that the machine supports: 1, 0 or -ENOMEM */
static int find_metric(const struct gpmu_plan *plan, const char *id,
		       const struct gpmu_metric **metric)
{
	if (strchr(id, '@'))
		return 0;
	*metric = gpmu_catalog_find_metric(plan->catalog, id, plan->machine);
	if (!*metric)
		return errno == ENOMEM ? -ENOMEM : 0;
	return gpmu_metric_supported(*metric, plan->machine);
}

/* Builds the error text "A uses B uses A". */
static int fail_cycle(struct adding *a, const struct visit *last, const struct gpmu_metric *metric)
{
	char *path = text_print("%s", gpmu_metric_name(metric)), *longer;
	const struct visit *visit = last;

	for (; path; visit = visit->user) {
		longer = text_print("%s uses %s", gpmu_metric_name(visit->metric), path);
		free(path);
		path = longer;
		if (visit->metric == metric)
			break;
	}
	if (!path)
		return -ENOMEM;
	error_set(a->error, a->request->offset, "%s", path);
	free(path);
	return -EINVAL;
}

static int add_used(struct adding *a, const struct gpmu_metric *metric, const struct visit *user,
		    size_t *index)
{
	const struct gpmu_plan *plan = a->plan;
	const struct visit *visit;

	for (visit = user; visit; visit = visit->user)
		if (visit->metric == metric)
			return fail_cycle(a, user, metric);
	for (size_t i = a->root; i < plan->metric_count; i++) {
		if (plan->metrics[i].metric == metric) {
			*index = i;
			return 0;
		}
	}
	return add(a, metric, user, index);
}

static int add_input(struct adding *a, const char *id, const struct visit *user,
		     struct plan_input *input)
{
	const struct gpmu_metric *metric = NULL;
	int ret;

	if (!strcasecmp(id, "duration_time")) {
		input->kind = PLAN_DURATION;
		return 0;
	}
	ret = find_metric(a->plan, id, &metric);
	if (ret < 0)
		return ret;
	if (!ret)
		return add_event(a, id, input);
	input->kind = PLAN_METRIC;
	return add_used(a, metric, user, &input->metric);
}

/* --- the metric --- */

/* Makes a metric unsupported and takes ownership of @why; NULL means out of memory. */
static int set_why(struct gpmu_plan *plan, size_t index, char *why)
{
	plan->metrics[index].why = why;
	return why ? 0 : -ENOMEM;
}

/*
 * Compiles a metric's formula or threshold. Returns -EINVAL with @*why set if the text is
 * invalid.
 */
static int compile(struct gpmu_plan *plan, const struct gpmu_metric *metric, const char *text,
		   struct gpmu_expr **expr, char **why)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr_env env;

	*why = NULL;
	if (plan_env(plan, &env))
		return -ENOMEM;
	*expr = gpmu_expr_new(text, &env, &error);
	if (plan_env_no_memory(plan) || (!*expr && errno == ENOMEM)) {
		gpmu_expr_free(*expr);
		*expr = NULL;
		return -ENOMEM;
	}
	if (*expr)
		return 0;
	*why = text_print("its formula (%s:%u) cannot be computed: character %zu: %s",
			  gpmu_metric_file(metric), gpmu_metric_line(metric), error.offset + 1,
			  error.text);
	return *why ? -EINVAL : -ENOMEM;
}

/* Makes a metric unsupported that has @n names, which exceeds the limit. */
static int refuse_formula(struct gpmu_plan *plan, size_t index, size_t n)
{
	struct plan_metric *entry = &plan->metrics[index];
	const struct gpmu_metric *metric = entry->metric;

	gpmu_expr_free(entry->expr);
	entry->expr = NULL;
	return set_why(plan, index, text_print("its formula (%s:%u) has %zu names, more than %d",
					       gpmu_metric_file(metric), gpmu_metric_line(metric),
					       n, MAX_IDS));
}

/* Metrics of this group have events that CUPTI counts in kernels and ranges only, in the process that launches them. */
static bool needs_ranges(const struct gpmu_metric *metric)
{
	const char *group;

	for (size_t i = 0; (group = gpmu_metric_group(metric, i)); i++)
		if (!strcmp(group, "gpu_ranges"))
			return true;
	return false;
}

static int add_formula(struct adding *a, size_t index, const struct visit *visit)
{
	struct gpmu_plan *plan = a->plan;
	struct gpmu_expr *expr = NULL;
	struct plan_input *inputs;
	char *why;
	size_t n;
	int ret;

	if (needs_ranges(visit->metric))
		return set_why(plan, index, text_print("PM sampling cannot collect it; use gpmu stat --ranges=kernel"));
	ret = compile(plan, visit->metric, gpmu_metric_expr(visit->metric), &expr, &why);
	if (ret == -EINVAL)
		return set_why(plan, index, why);
	if (ret)
		return ret;
	plan->metrics[index].expr = expr;
	n = plan_ids(expr);
	if (n > MAX_IDS)
		return refuse_formula(plan, index, n);
	inputs = calloc(n ? n : 1, sizeof(*inputs));
	if (!inputs)
		return -ENOMEM;
	plan->metrics[index].inputs = inputs;
	for (size_t i = 0; i < n && !ret; i++)
		ret = add_input(a, gpmu_expr_id(expr, i), visit, &inputs[i]);
	return ret;
}

static char *label_of(const struct gpmu_metric *metric, const struct plan_request *request)
{
	const char *filter = request->filter_text, *modifiers = request->modifiers;

	return text_print("%s%s%s%s%s%s", gpmu_metric_name(metric), filter ? "/" : "",
			  filter ? filter : "", filter ? "/" : "", modifiers ? ":" : "",
			  modifiers ? modifiers : "");
}

static int copy(char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return from && !*to ? -ENOMEM : 0;
}

/* Appends an entry without a compiled formula. */
static int append(struct adding *a, const struct gpmu_metric *metric, size_t *index)
{
	struct gpmu_plan *plan = a->plan;
	struct plan_metric *entry = vector_append(plan->metrics, plan->metric_count);

	if (!entry)
		return -ENOMEM;
	*index = plan->metric_count - 1;
	if (a->root == PLAN_NONE)
		a->root = *index;
	*entry = (struct plan_metric){
		.metric = metric, .root = a->root, .label = label_of(metric, a->request),
		.cgroup = plan->cgroup,
	};
	if (!entry->label || copy(&entry->filter, a->request->filter_text))
		return -ENOMEM;
	return copy(&entry->modifiers, a->request->modifiers);
}

static int add(struct adding *a, const struct gpmu_metric *metric, const struct visit *user,
	       size_t *index)
{
	struct visit visit = { .metric = metric, .user = user };
	int ret;

	visit.depth = user ? user->depth + 1 : 0;
	ret = append(a, metric, index);
	if (ret)
		return ret;
	if (visit.depth == MAX_DEPTH)
		return set_why(a->plan, *index,
			       text_print("metrics are nested deeper than %d levels", MAX_DEPTH));
	/* If its PMU lacks an event, the counts give the reason, for each GPU. */
	ret = catalog_metric_fits(metric, a->plan->machine);
	if (ret < 0)
		return ret;
	if (!ret)
		return set_why(a->plan, *index, gpmu_metric_why_not(metric, a->plan->machine));
	return add_formula(a, *index, &visit);
}

int plan_add_metric(struct gpmu_plan *plan, const struct gpmu_metric *metric,
		    const struct plan_request *request, size_t *index, struct gpmu_error *error)
{
	struct adding a = { .plan = plan, .request = request, .error = error, .root = PLAN_NONE };
	const struct plan_metric *there;

	for (*index = 0; *index < plan->metric_count; ++*index) {
		there = &plan->metrics[*index];
		if (there->metric == metric && there->root == *index &&
		    there->cgroup == plan->cgroup &&
		    text_is_same(there->filter, request->filter_text) &&
		    text_is_same(there->modifiers, request->modifiers))
			return 0;
	}
	return add(&a, metric, NULL, index);
}

/* --- thresholds --- */

/*
 * Resolves an identifier of a threshold: the metric itself, a metric that its formula
 * uses, or another metric with the same filter, which gets its own groups. Returns -EINVAL
 * for anything else; perf's metrics have no such threshold.
 */
static int add_threshold_input(struct gpmu_plan *plan, size_t index, const char *id,
			       struct plan_input *input)
{
	struct plan_request request = { .filter_text = plan->metrics[index].filter,
					.modifiers = plan->metrics[index].modifiers };
	const struct gpmu_metric *metric = NULL;
	struct plan_filter filter;
	struct plan_mark mark = plan_mark(plan);
	int ret;

	ret = find_metric(plan, id, &metric);
	if (ret <= 0)
		return ret ? ret : -EINVAL;
	input->kind = PLAN_METRIC;
	for (size_t i = index; i < plan->metric_count && plan->metrics[i].root == index; i++) {
		if (plan->metrics[i].metric == metric) {
			input->metric = i;
			return 0;
		}
	}
	ret = plan_filter_init(&filter, request.filter_text, 0, NULL);
	if (ret)
		return ret;
	request.filter = &filter;
	ret = plan_add_metric(plan, metric, &request, &input->metric, NULL);
	plan_filter_release(&filter);
	if (ret)
		plan_rewind(plan, mark);
	return ret;
}

static void drop_threshold(struct plan_metric *metric)
{
	gpmu_expr_free(metric->threshold);
	free(metric->threshold_inputs);
	metric->threshold = NULL;
	metric->threshold_inputs = NULL;
}

static int add_threshold(struct gpmu_plan *plan, size_t index)
{
	const struct gpmu_metric *metric = plan->metrics[index].metric;
	const char *text = gpmu_metric_threshold(metric);
	struct gpmu_expr *expr = NULL;
	struct plan_input *inputs;
	size_t n;
	char *why;
	int ret;

	if (!text || plan->metrics[index].why)
		return 0;
	plan->cgroup = plan->metrics[index].cgroup;
	ret = compile(plan, metric, text, &expr, &why);
	free(why);
	if (ret)
		return ret == -EINVAL ? 0 : ret;
	n = plan_ids(expr);
	inputs = calloc(n ? n : 1, sizeof(*inputs));
	plan->metrics[index].threshold = expr;
	plan->metrics[index].threshold_inputs = inputs;
	if (!inputs)
		return -ENOMEM;
	for (size_t i = 0; i < n && !ret; i++)
		ret = add_threshold_input(plan, index, gpmu_expr_id(expr, i), &inputs[i]);
	if (ret)
		drop_threshold(&plan->metrics[index]);
	return ret == -ENOMEM ? ret : 0;
}

int plan_add_thresholds(struct gpmu_plan *plan)
{
	int ret;

	for (size_t i = 0; i < plan->item_count; i++) {
		if (plan->items[i].kind != PLAN_ITEM_METRIC)
			continue;
		ret = add_threshold(plan, plan->items[i].index);
		if (ret)
			return ret;
	}
	return 0;
}

void plan_drop_thresholds(struct gpmu_plan *plan)
{
	const struct plan_metric *used;
	struct plan_metric *metric;
	bool is_dropped;

	for (size_t i = 0; i < plan->metric_count; i++) {
		metric = &plan->metrics[i];
		is_dropped = metric->why != NULL;
		for (size_t j = 0; j < plan_ids(metric->threshold) && !is_dropped; j++) {
			used = &plan->metrics[metric->threshold_inputs[j].metric];
			is_dropped = plan->metrics[used->root].why != NULL;
		}
		if (is_dropped)
			drop_threshold(metric);
	}
}
