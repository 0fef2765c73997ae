// SPDX-License-Identifier: LGPL-2.1-or-later
/* Evaluates the condition of a rule. */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "advice/advice.h"
#include "base/text/text.h"
#include "expr/gpmu_expr.h"

struct asked {
	gpmu_advice_get *get;
	void *user;
};

int advice_append(char **text, const char *fmt, ...)
{
	char *added, *all = NULL;
	va_list args;

	va_start(args, fmt);
	added = text_vprint(fmt, args);
	va_end(args);
	if (added)
		all = text_print("%s%s%s", *text ? *text : "", *text ? ", " : "", added);
	free(added);
	free(*text);
	*text = all;
	return all ? 0 : -ENOMEM;
}

char *advice_names(const struct gpmu_expr *expr)
{
	char *text = NULL;

	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++)
		if (advice_append(&text, "%s", gpmu_expr_id(expr, i)))
			return NULL;
	return text;
}

static int has_metric(const char *name, void *user)
{
	const struct asked *asked = user;
	const char *unit;
	double value;

	return !asked->get(name, &value, &unit, asked->user);
}

static int add_value(char **text, const char *name, double value, const char *unit)
{
	return advice_append(text, "%s %.6g%s%s", name, value, unit ? " " : "", unit ? unit : "");
}

/* Texts of an expression: the values of its metrics, and the names of those that are missing */
struct texts {
	char *values, *missing;
};

static int get_values(const struct gpmu_expr *expr, const struct asked *asked, struct gpmu_expr_value *values,
		      struct texts *texts)
{
	int ret = 0;

	for (size_t i = 0; i < gpmu_expr_id_count(expr) && !ret; i++) {
		const char *name = gpmu_expr_id(expr, i), *unit = NULL;

		values[i] = (struct gpmu_expr_value){ .sources = 1, .lines = 1 };
		if (asked->get(name, &values[i].value, &unit, asked->user))
			ret = advice_append(&texts->missing, "%s", name);
		else
			ret = add_value(&texts->values, name, values[i].value, unit);
	}
	return ret ? ret : texts->missing ? -ENOENT : 0;
}

/* A condition that divides by 0 does not apply: nothing was measured. */
static bool is_true(const struct gpmu_expr *expr, const struct gpmu_expr_value *values)
{
	double result = gpmu_expr_eval(expr, values);

	return !isnan(result) && result != 0 && !gpmu_expr_idle(expr, values);
}

static int apply(const struct gpmu_expr *expr, const struct asked *asked, char **text)
{
	struct gpmu_expr_value *values = calloc(gpmu_expr_id_count(expr) + 1, sizeof(*values));
	struct texts texts = { 0 };
	int ret = values ? get_values(expr, asked, values, &texts) : -ENOMEM;

	if (!ret)
		ret = is_true(expr, values);
	if (ret == 1 || ret == -ENOENT) {
		char **given = ret == 1 ? &texts.values : &texts.missing;

		*text = *given;
		*given = NULL;
	}
	free(texts.values);
	free(texts.missing);
	free(values);
	return ret;
}

int gpmu_advice_apply(const struct gpmu_advice *advice, size_t index, gpmu_advice_get *get, void *user, char **text)
{
	struct asked asked = { .get = get, .user = user };
	struct gpmu_expr_env env = { .size = sizeof(env), .has_event = has_metric, .user = &asked };
	struct gpmu_expr *expr = gpmu_expr_new(advice->rules.list[index].condition, &env, NULL);
	int ret;

	*text = NULL;
	/* Only memory can be short: the condition was compiled before. */
	if (!expr)
		return -ENOMEM;
	ret = apply(expr, &asked, text);
	gpmu_expr_free(expr);
	return ret;
}
