// SPDX-License-Identifier: LGPL-2.1-or-later
/* Derived metrics: types, divisions by 0, instances and correlation ids */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "expr/gpmu_expr.h"
#include "section/gpmu_derived.h"
#include "tap.h"

#define INTEGER(value)	{ .type = GPMU_DERIVED_INTEGER, .number.integer = (value) }
#define REAL(value)	{ .type = GPMU_DERIVED_REAL, .number.real = (value) }
#define WITH(value, list, ids) \
	{ .type = GPMU_DERIVED_INTEGER, .number.integer = (value), .instances = (list), .count = sizeof(list) / sizeof((list)[0]), \
	  .has_ids = (ids) }

/* Writes "3 [1:4 2:5]": the regular value, and the instances by id; without ids "3 [4 5]" */
static void write_value(char *text, size_t size, const struct gpmu_derived_value *value)
{
	int n = value->type == GPMU_DERIVED_TEXT ? snprintf(text, size, "%s", value->text) :
		value->type == GPMU_DERIVED_REAL ? snprintf(text, size, "%g", value->number.real) :
		snprintf(text, size, "%" PRIu64, value->number.integer);

	for (size_t i = 0; i < value->count; i++) {
		n += snprintf(text + n, size - (size_t)n, i ? " " : " [");
		if (value->has_ids)
			n += snprintf(text + n, size - (size_t)n, "%" PRIu64 ":", value->instances[i].id);
		n += value->type == GPMU_DERIVED_REAL ?
		     snprintf(text + n, size - (size_t)n, "%g", value->instances[i].number.real) :
		     snprintf(text + n, size - (size_t)n, "%" PRIu64, value->instances[i].number.integer);
	}
	if (value->count)
		snprintf(text + n, size - (size_t)n, "]");
}

/* @a, @b: values of the metrics of these names */
static void is_value(const char *formula, const struct gpmu_derived_value *a, const struct gpmu_derived_value *b,
		     const char *want, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_derived *derived = gpmu_derived_new(formula, &error);
	struct gpmu_derived_value values[2] = { 0 }, result;
	char got[256] = "";

	for (size_t i = 0; derived && gpmu_derived_name(derived, i); i++)
		values[i] = *gpmu_derived_name(derived, i) == 'a' ? *a : *b;
	if (derived && !gpmu_derived_eval(derived, values, &result)) {
		write_value(got, sizeof(got), &result);
		gpmu_derived_release(&result);
	} else {
		diag("%s", error.text);
	}
	is_str(got, want, what);
	gpmu_derived_free(derived);
}

static void test_regular(void)
{
	const struct gpmu_derived_value seven = INTEGER(7), two = INTEGER(2), zero = INTEGER(0), half = REAL(0.5);
	const struct gpmu_derived_value real = REAL(7), none = REAL(0), nan_value = REAL(NAN);
	const struct gpmu_derived_value text = { .type = GPMU_DERIVED_TEXT, .text = "name" };

	is_value("a + b", &seven, &two, "9", "derived: integers are added");
	is_value("a - b", &two, &seven, "18446744073709551611", "derived: a difference of integers below 0 wraps around");
	is_value("a * b", &seven, &half, "0", "derived: the right value is converted to the integer type of the left");
	is_value("b * a", &seven, &half, "3.5", "derived: the right value is converted to the real type of the left");
	is_value("a / b", &seven, &two, "3", "derived: a division of integers is an integer");
	is_value("a / b", &real, &two, "3.5", "derived: a division of a real number by an integer is real");
	is_value("a / b", &seven, &zero, "7", "derived: a division by an integer 0 leaves the left value");
	is_value("a / b", &real, &zero, "7", "derived: a division of a real number by an integer 0 leaves the left value");
	is_value("a / b", &real, &none, "inf", "derived: a division of real numbers by 0 is infinite");
	is_value("a / b", &seven, &half, "7", "derived: a right value that becomes the integer 0 leaves the left value");
	is_value("a / 0", &seven, &two, "7", "derived: a division by the constant 0 leaves the left value");
	is_value("a / 2", &real, &two, "3.5", "derived: a constant without a point is an integer on the right");
	is_value("1 / 2 * a", &seven, &two, "0", "derived: a constant without a point is an integer on the left");
	is_value("1. / 2 * a", &seven, &two, "3.5", "derived: a constant with a point is real");
	is_value("0.3109", &seven, &two, "0.3109", "derived: a constant alone is a formula");
	is_value("18446744073709551615", &seven, &two, "18446744073709551615", "derived: an integer constant has 64 bits");
	is_value("a + b * 2", &seven, &two, "11", "derived: a product binds more tightly than a sum");
	is_value("(a + b) * 2", &seven, &two, "18", "derived: parentheses group operators");
	is_value("a - b - b", &seven, &two, "3", "derived: operators of equal rank are applied from the left");
	is_value("a + b", &text, &two, "name", "derived: a text on the left is the result");
	is_value("b + a", &text, &two, "2", "derived: a text on the right is 0");
	is_value("nan_as_zero(a) + b", &nan_value, &two, "2", "derived: nan_as_zero() makes a missing value 0");
	is_value("a + b", &seven, &nan_value, "7", "derived: a value that is no number becomes the integer 0");
}

static void test_instances(void)
{
	struct gpmu_derived_instance four[] = { { 0, { 1 } }, { 0, { 2 } }, { 0, { 3 } }, { 0, { 4 } } };
	struct gpmu_derived_instance two[] = { { 0, { 10 } }, { 0, { 20 } } };
	struct gpmu_derived_instance left[] = { { 4, { 40 } }, { 1, { 10 } }, { 2, { 20 } } };
	struct gpmu_derived_instance right[] = { { 1, { 1 } }, { 3, { 3 } }, { 4, { 0 } }, { 5, { 5 } } };
	const struct gpmu_derived_value plain = WITH(100, four, 0), fewer = WITH(30, two, 0);
	const struct gpmu_derived_value ids = WITH(70, left, 1), other = WITH(9, right, 1), scalar = INTEGER(2);

	is_value("a + b", &plain, &fewer, "130 [11 22 3 4]", "derived: without ids the common number of instances is combined, and further ones on the left stay");
	is_value("b + a", &plain, &fewer, "130 [11 22]", "derived: without ids further instances on the right are left out");
	is_value("a + b", &plain, &scalar, "102 [1 2 3 4]", "derived: instances without ids are not combined with a regular value");
	is_value("a + b", &ids, &other, "79 [1:11 2:20 3:3 4:40 5:5]", "derived: ids of both sides are joined, and those of one side keep their value");
	is_value("a / b", &ids, &other, "7 [1:10 2:20 3:3 4:40 5:5]", "derived: an instance that is divided by an integer 0 stays");
	is_value("a * b", &ids, &scalar, "140 [4:80 1:20 2:40]", "derived: each instance with an id is combined with the regular value on the right");
	is_value("b + a", &ids, &scalar, "72", "derived: a regular value on the left is combined with each instance on the right");
	is_value("simplify(a) * b", &ids, &scalar, "140", "derived: simplify() drops instances");
}

static void refuses(const char *formula, int want, const char *error_text, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_derived *derived = gpmu_derived_new(formula, &error);

	ok(!derived && errno == want, "derived: a formula is refused: %s", what);
	is_str(error.text, error_text, what);
	gpmu_derived_free(derived);
}

static char *event(const char *name, void *user)
{
	char *text = malloc(64);

	(void)user;
	if (text)
		snprintf(text, 64, "pmu@%s@", name);
	return text;
}

static int is_integer(const char *name, void *user)
{
	(void)user;
	return strstr(name, ".sum") != NULL;
}

static void writes(const char *formula, const char *want, const char *what)
{
	struct gpmu_derived *derived = gpmu_derived_new(formula, NULL);
	char *text = derived ? gpmu_derived_formula(derived, event, is_integer, NULL) : NULL;
	struct gpmu_expr *expr = text ? gpmu_expr_new(text, NULL, NULL) : NULL;

	is_str(text, want, what);
	ok(expr != NULL, "derived: the MetricExpr of %s is in perf's grammar", formula);
	gpmu_expr_free(expr);
	free(text);
	gpmu_derived_free(derived);
}

static void test_long_formula(void)
{
	char formula[256] = "a";
	struct gpmu_derived *derived;

	for (size_t i = 0; i < 40; i++)
		memcpy(formula + 1 + 6 * i, "/b.sum", 7);
	derived = gpmu_derived_new(formula, NULL);
	ok(derived && !gpmu_derived_formula(derived, event, is_integer, NULL) && errno == E2BIG,
	   "derived: a MetricExpr that would have more than 64 KiB is refused");
	gpmu_derived_free(derived);
}

int main(void)
{
	test_regular();
	test_instances();
	refuses("a b", EINVAL, "expected an operator, found \"b\"", "two names without an operator are refused");
	refuses("a < b", EINVAL, "a derived metric has only +, -, *, /, nan_as_zero() and simplify()", "a comparison is refused");
	refuses("min(a, b)", EINVAL, "a derived metric has only +, -, *, /, nan_as_zero() and simplify()", "a function of perf is refused");
	refuses("", EINVAL, "expected a value, found the end", "an empty formula is refused");
	writes("x.avg / y.avg * 1e30", "((pmu@x.avg@ / pmu@y.avg@) * 1e30)", "derived: a formula is written as a MetricExpr");
	writes("x.avg / y.sum", "(pmu@x.avg@ / pmu@y.sum@ if pmu@y.sum@ else pmu@x.avg@)", "derived: a division by an integer metric has the rule of 0");
	writes("nan_as_zero(x.avg) - simplify(2)", "(pmu@x.avg@ - 2)", "derived: functions of instances are left out of a MetricExpr");
	test_long_formula();
	return done_testing();
}
