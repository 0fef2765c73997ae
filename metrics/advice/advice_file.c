// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules from JSON: an array of objects, whose members are texts. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "advice/advice.h"
#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"
#include "expr/gpmu_expr.h"

static const struct {
	const char *key;
	size_t offset;
} members[] = {
	{ "Name", offsetof(struct gpmu_advice_rule, name) },
	{ "Title", offsetof(struct gpmu_advice_rule, title) },
	{ "Condition", offsetof(struct gpmu_advice_rule, condition) },
	{ "Advice", offsetof(struct gpmu_advice_rule, text) },
};

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

static int set_members(struct gpmu_advice_rule *rule, const json_t *object, const char *where, struct gpmu_error *error)
{
	for (size_t i = 0; i < ARRAY_SIZE(members); i++) {
		const char *text = json_string_value(json_object_get(object, members[i].key));
		char *copy;

		if (!text || !*text) {
			error_set_path(error, 0, where, ": expected a text for %s", members[i].key);
			return -EINVAL;
		}
		copy = strdup(text);
		if (!copy)
			return error_no_memory(error);
		memcpy((char *)rule + members[i].offset, &copy, sizeof(copy));
	}
	if (json_object_size(object) != ARRAY_SIZE(members)) {
		error_set_path(error, 0, where, ": expected Name, Title, Condition and Advice only");
		return -EINVAL;
	}
	if (strlen(rule->text) > ADVICE_TEXT_MAX) {
		error_set_path(error, 0, where, ": Advice: expected at most %d bytes", ADVICE_TEXT_MAX);
		return -EINVAL;
	}
	return check_condition(rule, where, error);
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

static int load_rule(struct gpmu_advice *advice, const json_t *object, const char *where, struct gpmu_error *error)
{
	struct gpmu_advice_rule rule = { .size = sizeof(rule) };
	int ret = set_members(&rule, object, where, error);

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
