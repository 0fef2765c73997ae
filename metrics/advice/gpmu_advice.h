/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* advice: rules that give advice on the metrics of a kernel */
#ifndef GPMU_ADVICE_API_H
#define GPMU_ADVICE_API_H

#include <stddef.h>

#include <gpmu/error.h>

/* The rules, from JSON; gpmu-report(1) describes the format. */
struct gpmu_advice;

/**
 * struct gpmu_advice_rule - a rule
 * @size: size of this structure
 * @name: name, a word
 * @title: the observation, a part of a sentence
 * @condition: expression in perf's grammar; the rule applies if it is not 0
 * @text: the advice, a sentence
 * @metrics: names of the metrics that the rule needs, separated by ", "
 */
struct gpmu_advice_rule {
	size_t size;
	const char *name, *title, *condition, *text, *metrics;
};

/* Creates the built-in rules. Returns NULL with errno ENOMEM. */
struct gpmu_advice *gpmu_advice_new(struct gpmu_error *error);
/* Frees @advice; NULL is allowed. */
void gpmu_advice_free(struct gpmu_advice *advice);

/**
 * gpmu_advice_add() - adds the rules of a JSON file
 * @advice: after a failure it has the rules before the fault
 * @path: the file. A rule replaces an earlier one of the same name
 * @error: set on failure, or NULL. Its text begins with "PATH: " or "PATH:LINE: "
 *
 * Return: 0; -EINVAL if the file is malformed; -ENOMEM; or the error of reading
 */
int gpmu_advice_add(struct gpmu_advice *advice, const char *path, struct gpmu_error *error);

/* Returns the rule at @index; NULL after the last; borrowed, and valid until rules are added */
const struct gpmu_advice_rule *gpmu_advice_rule(const struct gpmu_advice *advice, size_t index);

/* Gets a metric. Returns 0, or -ENOENT if it is not known. @unit: set to its unit, or to NULL */
typedef int gpmu_advice_get(const char *metric, double *value, const char **unit, void *user);

/**
 * gpmu_advice_apply() - applies a rule to the metrics of a kernel
 * @advice: the rules
 * @index: number of the rule
 * @get: returns the value of a metric; has_event(NAME) in the condition is 1 if it does
 * @user: passed to @get
 * @text: set to a new text, which the caller frees, or to NULL. If the rule applies: the metrics of
 *	the condition with their values, "NAME 91.5 %, NAME 14". If metrics are missing: their names
 *
 * Return: 1 if the rule applies, 0 if not; -ENOENT if a metric is missing; -ENOMEM
 */
int gpmu_advice_apply(const struct gpmu_advice *advice, size_t index, gpmu_advice_get *get, void *user, char **text);

#endif /* GPMU_ADVICE_API_H */
