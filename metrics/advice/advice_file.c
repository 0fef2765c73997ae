// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules from JSON: an array of objects, whose members are texts. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "base/error.h"
#include "base/text/text.h"
#include "expr/gpmu_expr.h"

void advice_rule_release(struct gpmu_advice_rule *rule)
{
	free((char *)rule->name);
	free((char *)rule->title);
	free((char *)rule->condition);
	free((char *)rule->text);
	free((char *)rule->metrics);
}

static int has_every_metric(const char *name, void *user)
{
	(void)name;
	(void)user;
	return 1;
}

/* Checks the condition, and sets the metrics of a rule, as if a kernel had them all. @where: "PATH: rule 3" */
static int check_condition(struct gpmu_advice_rule *rule, const char *where, struct gpmu_error *error)
{
	struct gpmu_expr_env env = { .size = sizeof(env), .has_event = has_every_metric };
	struct gpmu_error why = { .size = sizeof(why) };
	struct gpmu_expr *expr = gpmu_expr_new(rule->condition, &env, &why);

	if (!expr && errno == ENOMEM)
		return error_no_memory(error);
	if (!expr) {
		error_set_path(error, why.offset, where, ": Condition: %s", why.text);
		return -EINVAL;
	}
	if (!gpmu_expr_id_count(expr)) {
		gpmu_expr_free(expr);
		error_set_path(error, 0, where, ": Condition: expected an expression with a metric");
		return -EINVAL;
	}
	rule->metrics = advice_names(expr);
	gpmu_expr_free(expr);
	return rule->metrics ? 0 : error_no_memory(error);
}

/* Copies the members of an object. Returns 0, -EINVAL or -ENOMEM with @error set. */
static int set_members(struct gpmu_advice_rule *rule, json_t *object, const char *where, struct gpmu_error *error)
{
	const char *name, *title, *condition, *text;
	json_error_t why;

	if (json_unpack_ex(object, &why, JSON_STRICT, "{s:s, s:s, s:s, s:s}", "Name", &name, "Title", &title, "Condition", &condition,
			   "Advice", &text)) {
		error_set_path(error, 0, where, ": expected the texts Name, Title, Condition and Advice only: %s", why.text);
		return -EINVAL;
	}
	if (strlen(text) > ADVICE_TEXT_MAX) {
		error_set_path(error, 0, where, ": Advice: expected at most %d bytes", ADVICE_TEXT_MAX);
		return -EINVAL;
	}
	rule->name = strdup(name);
	rule->title = strdup(title);
	rule->condition = strdup(condition);
	rule->text = strdup(text);
	return rule->name && rule->title && rule->condition && rule->text ? 0 : error_no_memory(error);
}

/* Adds a rule, or replaces the one of its name. Takes over its texts. Returns 0 or -ENOMEM. */
static int put(struct gpmu_advice *advice, struct gpmu_advice_rule *rule)
{
	for (size_t i = 0; i < advice->rules.n; i++) {
		if (strcmp(advice->rules.list[i].name, rule->name) != 0)
			continue;
		advice_rule_release(&advice->rules.list[i]);
		advice->rules.list[i] = *rule;
		return 0;
	}
	return vector_push(&advice->rules, rule);
}

static int load_rule(struct gpmu_advice *advice, json_t *object, const char *where, struct gpmu_error *error)
{
	struct gpmu_advice_rule rule = { .size = sizeof(rule) };
	int ret = set_members(&rule, object, where, error);

	if (!ret)
		ret = check_condition(&rule, where, error);
	if (!ret && put(advice, &rule))
		ret = error_no_memory(error);
	if (ret)
		advice_rule_release(&rule);
	return ret;
}

static int load_rules(struct gpmu_advice *advice, const json_t *array, const char *path, struct gpmu_error *error)
{
	int ret = 0;

	if (!json_is_array(array)) {
		error_set_path(error, 0, path, ": expected an array of rules");
		return -EINVAL;
	}
	for (size_t i = 0; i < json_array_size(array) && !ret; i++) {
		char *where = text_print("%s: rule %zu", path, i + 1);

		if (!where)
			return error_no_memory(error);
		ret = load_rule(advice, json_array_get(array, i), where, error);
		free(where);
	}
	return ret;
}

int advice_load(struct gpmu_advice *advice, const char *text, size_t size, const char *path, struct gpmu_error *error)
{
	json_error_t why;
	json_t *array = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why);
	int ret;

	if (!array && json_error_code(&why) == json_error_out_of_memory)
		return error_no_memory(error);
	if (!array) {
		error_set_path(error, (size_t)why.position, path, ":%d: %s", why.line, why.text);
		return -EINVAL;
	}
	ret = load_rules(advice, array, path, error);
	json_decref(array);
	return ret;
}
