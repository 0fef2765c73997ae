// SPDX-License-Identifier: LGPL-2.1-or-later
/* Expressions at and beyond the limits of depth, length and number of names */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "expr/gpmu_expr.h"
#include "tap.h"

#define DEPTH	100
#define LENGTH	(1u << 20)
#define THREADS	4
/* musl's default stack of a thread; frames with sanitizers are larger. */
#ifdef __SANITIZE_ADDRESS__
#define STACK	(1u << 20)
#else
#define STACK	(1u << 17)
#endif

/* The text of the current test */
static char text[LENGTH + 2];

static char *append(char *end, const char *what, int times)
{
	size_t len = strlen(what);

	for (; times > 0; times--, end += len)
		memcpy(end, what, len);
	*end = 0;
	return end;
}

static void nest(const char *before, int times, const char *inner, const char *after)
{
	append(append(append(text, before, times), inner, 1), after, times);
}

static void is_too_big(const char *why, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr *expr = gpmu_expr_new(text, NULL, &error);

	ok(!expr && errno == E2BIG, "expr: refused with E2BIG: %s", what);
	is_str(error.text, why, "expr: the error for E2BIG has the reason");
	gpmu_expr_free(expr);
}

static void is_taken(const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr *expr = gpmu_expr_new(text, NULL, &error);

	if (!ok(expr, "expr: accepted: %s", what))
		diag("%s", error.text);
	gpmu_expr_free(expr);
}

static void test_depth(void)
{
	nest("(", DEPTH - 1, "a", ")");
	is_taken("99 nested parentheses");
	nest("(", DEPTH, "a", ")");
	is_too_big("nested deeper than 100 levels", "100 nested parentheses");
	nest("-", DEPTH - 1, "a", "");
	is_taken("99 nested signs");
	nest("-", DEPTH, "a", "");
	is_too_big("nested deeper than 100 levels", "100 nested signs");
	nest("a if b else ", DEPTH - 1, "c", "");
	is_taken("99 nested conditions");
	nest("a if b else ", DEPTH, "c", "");
	is_too_big("nested deeper than 100 levels", "100 nested conditions");
	nest("max(a, ", DEPTH - 1, "b", ")");
	is_taken("99 nested calls");
	nest("max(a, ", DEPTH, "b", ")");
	is_too_big("nested deeper than 100 levels", "100 nested calls");
	nest("(a) - (b) * -c if (d) else ", 50, "(e)", "");
	is_taken("50 parentheses that are closed again");
	nest("(a if b else -c) + ", DEPTH + 1, "d", "");
	is_taken("101 conditions in closed parentheses");
	memset(text, '(', LENGTH);
	text[LENGTH] = 0;
	is_too_big("nested deeper than 100 levels", "a million nested parentheses");
}

/* Each level leaves seven values on the stack. */
static void test_stack(void)
{
	struct gpmu_expr_value value = { 1, 1, 1 };
	struct gpmu_expr *expr;

	nest("a | a ^ a & a < a + a * max(a, ", 36, "a", ")");
	expr = gpmu_expr_new(text, NULL, NULL);
	ok(expr && gpmu_expr_eval(expr, &value) == 1,
	   "expr: 253 values are kept while the last is computed");
	gpmu_expr_free(expr);
	nest("a | a ^ a & a < a + a * max(a, ", 37, "a", ")");
	is_too_big("keeps more than 256 values", "an expression that keeps 260 values");
	nest("a | a ^ a & a < a + a * (", 42, "a + (a + (a + (a)))", ")");
	is_taken("an expression that keeps 256 values");
	nest("a | a ^ a & a < a + a * (", 42, "a + (a + (a + (a + (a))))", ")");
	is_too_big("keeps more than 256 values", "an expression that keeps 257 values");
}

/* Fills the text with terms numbered 1, 2, ...; returns their number. */
static size_t fill(const char *first, const char *fmt)
{
	size_t len = (size_t)sprintf(text, "%s", first), n = 0;

	while (len + 20 < LENGTH)
		len += (size_t)snprintf(text + len, 20, fmt, ++n);
	return n;
}

static void test_length(void)
{
	struct gpmu_expr_value *values;
	struct gpmu_expr *expr;
	size_t n;

	memset(text, ' ', LENGTH);
	text[LENGTH - 1] = '7';
	text[LENGTH] = 0;
	is_taken("an expression of 1 MiB");
	text[LENGTH] = ' ';
	text[LENGTH + 1] = 0;
	is_too_big("longer than 1048576 bytes", "an expression of 1 MiB and a byte");

	memset(text, '1', LENGTH);
	text[LENGTH] = 0;
	ok(!gpmu_expr_new(text, NULL, NULL) && errno == EINVAL,
	   "expr: a number of a million digits is refused");
	memset(text, '?', LENGTH);
	expr = gpmu_expr_new(text, NULL, NULL);
	is_u64(expr ? strlen(gpmu_expr_id(expr, 0)) : 0, LENGTH,
	       "expr: a name of a million letters is accepted");
	gpmu_expr_free(expr);

	n = fill("0", "+e%zu");
	expr = gpmu_expr_new(text, NULL, NULL);
	is_u64(expr ? gpmu_expr_id_count(expr) : 0, n, "expr: a text of 1 MiB has as many names as fit");
	values = calloc(n + 1, sizeof(*values));
	for (size_t i = 0; values && i < n; i++)
		values[i].value = 1;
	ok(expr && values && gpmu_expr_eval(expr, values) == (double)n,
	   "expr: the values of as many names as fit are summed");
	free(values);
	gpmu_expr_free(expr);

	memset(text, 0, sizeof(text));
	memcpy(text, "a", 1);
	for (size_t i = 1; i + 4 < LENGTH; i += 4)
		memcpy(text + i, i % 8 == 1 ? "&1+a" : "|0+a", 4);
	is_taken("a million constants that do not matter");
}

/* Refused only after parsing it all, at the deepest level of recursion */
static void *deepest(void *error)
{
	gpmu_expr_free(gpmu_expr_new(text, NULL, error));
	return NULL;
}

/* NULL if every value is right */
static void *evaluate(void *expr)
{
	struct gpmu_expr_value values[2] = { { 6, 1, 1 }, { 3, 1, 1 } };
	void *wrong = NULL;

	for (int i = 0; i < 10000; i++) {
		values[0].value += 3;
		if (gpmu_expr_eval(expr, values) != i + 3)
			wrong = expr;
	}
	return wrong;
}

static bool start(pthread_t *thread, void *(*function)(void *), void *arg)
{
	pthread_attr_t attr;
	int ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	ret = pthread_create(thread, &attr, function, arg);
	pthread_attr_destroy(&attr);
	return !ret;
}

static void test_threads(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr *expr;
	pthread_t threads[THREADS];
	void *wrong = NULL, *result;
	int n = 0;

	nest("a | a ^ a & a < a + a * (", DEPTH - 1, "a", ")");
	if (start(&threads[0], deepest, &error))
		pthread_join(threads[0], NULL);
	is_str(error.text, "keeps more than 256 values",
	       "expr: the deepest expression is parsed on a small stack");

	expr = gpmu_expr_new("a / b", NULL, NULL);
	while (n < THREADS && start(&threads[n], evaluate, expr))
		n++;
	for (int i = 0; i < n; i++) {
		pthread_join(threads[i], &result);
		wrong = wrong ? wrong : result;
	}
	ok(expr && n == THREADS && !wrong,
	   "expr: several threads evaluate one expression concurrently");
	gpmu_expr_free(expr);
}

int main(void)
{
	test_depth();
	test_stack();
	test_length();
	test_threads();
	return done_testing();
}
