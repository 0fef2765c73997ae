// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metric expressions: precedence, constant folding, names, NaN, errors */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "expr/gpmu_expr.h"
#include "tap.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
/* A value that no expression of these tests has */
#define REFUSED	(-777)

static int asked;	/* number of calls of the environment's functions */

static double literal(const char *name, void *user)
{
	(void)user;
	asked++;
	if (!strcmp(name, "num_cpus"))
		return 4;
	if (!strcmp(name, "smt_on"))
		return 0;
	return NAN;
}

static int has_event(const char *event, void *user)
{
	(void)user;
	asked++;
	return !strcmp(event, "unknown") ? -ENOENT : !strcmp(event, "cycles-t");
}

static int cpuid_matches(const char *pattern, void *user)
{
	int *calls = user;

	asked++;
	++*calls;
	/* Any number but 0 means yes. */
	return !strcmp(pattern, "0x410fd490") ? 8 : 0;
}

static int calls;

static const struct gpmu_expr_env env = {
	.size = sizeof(env), .parameter = 12, .literal = literal, .has_event = has_event,
	.cpuid_matches = cpuid_matches, .user = &calls,
};

/* The names separated by blanks, or "refused" */
static const char *ids(const char *text)
{
	static char joined[256];
	struct gpmu_expr *expr = gpmu_expr_new(text, &env, NULL);

	if (!expr)
		return "refused";
	joined[0] = 0;
	for (size_t i = 0, len = 0; i < gpmu_expr_id_count(expr) && len < sizeof(joined); i++)
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%s", i ? " " : "",
					gpmu_expr_id(expr, i));
	gpmu_expr_free(expr);
	return joined;
}

/*
 * Evaluates with value 2 for the first ID, 3 for the second and so on, 10 times as many sources
 * and 100 times as many instances. IDs with "nan" have no value, IDs with "inf" are infinite.
 */
static double eval(const char *text)
{
	struct gpmu_expr *expr = gpmu_expr_new(text, &env, NULL);
	struct gpmu_expr_value values[16];
	double result;

	if (!expr || gpmu_expr_id_count(expr) > ARRAY_SIZE(values)) {
		gpmu_expr_free(expr);
		return REFUSED;
	}
	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++) {
		const char *id = gpmu_expr_id(expr, i);
		double n = (double)i + 2;

		values[i] = (struct gpmu_expr_value){ n, n * 10, n * 100 };
		if (strstr(id, "nan"))
			values[i].value = NAN;
		if (strstr(id, "inf"))
			values[i].value = INFINITY;
	}
	result = gpmu_expr_eval(expr, values);
	gpmu_expr_free(expr);
	return result;
}

struct value {
	const char *text;
	double want;
};

static void are_values(const struct value *values, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double got = eval(values[i].text), want = values[i].want;

		if (!ok(got == want || (isnan(got) && isnan(want)), "expr: the value of %s is %g",
			values[i].text, want))
			diag("got %.17g", got);
	}
}

static void test_arithmetic(void)
{
	static const struct value values[] = {
		{ "1 + 2 * 3", 7 }, { "(1 + 2) * 3", 9 }, { "10 - 4 - 3", 3 }, { "a - b - c", -5 },
		{ "24 / a / b", 4 }, { "a - (b - c)", 3 }, { "-a * b", -6 }, { "-a + b", 1 },
		{ "- -a", 2 },
		{ "a - -b", 5 }, { "-(a + b)", -5 }, { "a*b+c", 10 }, { "\t a\n+\r\nb\v\f", 5 },
		{ "7 % 4", 3 }, { "7.9 % 4.9", 3 }, { "-7 % 4", -3 }, { "(a + 5) % b * 2", 2 },
		{ "1 < 2 & 2 < 1", 0 }, { "a < b & b < c", 1 }, { "1 | 0 & 0", 1 },
		{ "1 ^ 1 | 1", 1 }, { "1 ^ 0 & 0", 1 }, { "a ^ b | 0", 0 }, { "a > 1 + 0", 1 },
		{ "1 < 2 > 0", 1 }, { "3 > 2 < 1", 0 }, { "a > b", 0 }, { "a < a", 0 },
		{ "min(a, b) + max(a, b)", 5 }, { "min(max(a, b), c - 3)", 1 },
		{ "d_ratio(a, b) * 3", 2 }, { "d_ratio(a + b, c + 1)", 1 },
		{ "source_count(a) + aggr_nr(b)", 320 },
		{ "a * source_count(a) + aggr_nr(a)", 240 },
		{ "a + a", 4 }, { "a + a + b + b + a * c", 18 }, { "#num_cpus * a", 8 },
		{ "#num_cpus - 1", 3 },
		{ "a if b else c", 2 }, { "a if b > 5 else c if b > 2 else d", 4 },
		{ "a if b > 5 else b if c > 5 else d + 1", 6 }, { "(a if b else c) + 1", 3 },
		{ "a + 1 if b > 1 else c", 3 }, { "a if #smt_on else b", 2 },
		{ "9007199254740993", 9007199254740992 },
	};

	are_values(values, ARRAY_SIZE(values));
}

static void test_numbers(void)
{
	static const struct value values[] = {
		{ ".5 + 1.", 1.5 }, { "2e3 + 5e-1", 2000.5 }, { "1.5e2", 150 },
		{ "1.e2 + .5e1", 105 },
		{ "0007", 7 }, { "1e-5*1e5", 1 }, { "1e308", 1e308 }, { "2-1", 1 }, { "2 -1", 1 },
	};

	are_values(values, ARRAY_SIZE(values));
	is_str(ids("1e5x + 1E5 + 1.5.2 + 1x + 0x1f + . + 1e + 1e\\-5 + 9: + nan + inf"),
	       "1e5x 1E5 1.5.2 1x 0x1f . 1e 1e-5 9: nan inf",
	       "expr: a text that only begins like a number is a name");
	is_str(ids("1e+5"), "1e", "expr: an exponent has no plus sign");
}

static void test_truth(void)
{
	static const struct value values[] = {
		{ "a | 0", 1 }, { "0 | a", 1 }, { "a & 1", 1 }, { "1 & a", 1 }, { "7 & a", 1 },
		{ "a & 0", 0 }, { "0 & a", 0 }, { "a | 5", 1 }, { "3 | a", 1 }, { "a & b", 1 },
		{ "a | b", 1 }, { "(a - 2) | (b - 3)", 0 }, { "(a - 2) | b", 1 },
		{ "a & (b - 3)", 0 },
		{ "a ^ b", 0 }, { "a ^ (b - 3)", 1 }, { "1 ^ 2", 0 }, { "0 ^ 2", 1 },
		{ "0 | 0", 0 },
		{ "-0 | 0", 0 }, { "a if -0 else b", 2 },
	};

	are_values(values, ARRAY_SIZE(values));
}

static void test_no_samples(void)
{
	static const struct value values[] = {
		{ "NaN", NAN }, { "nan1", NAN }, { "-nan1", NAN }, { "0 * NaN", NAN },
		{ "nan1 + a", NAN },
		{ "a / (b - 3)", NAN }, { "1 / 0", NAN }, { "0 / 0", NAN }, { "a / 0 + b", NAN },
		{ "a / -0", NAN }, { "d_ratio(a, b - 3)", 0 }, { "d_ratio(1, 0)", 0 },
		{ "d_ratio(nan1, 0)", 0 }, { "d_ratio(nan1, b)", NAN }, { "d_ratio(a, nan1)", NAN },
		{ "1 < NaN", NAN }, { "nan1 > a", NAN }, { "a < nan1", NAN },
		{ "min(NaN, a)", 2 }, { "min(a, NaN)", NAN }, { "max(nan1, b)", 3 },
		{ "max(a, nan1)", NAN },
		{ "nan1 | 1", 1 }, { "nan1 & 0", 0 }, { "nan1 | b", 1 }, { "a & nan1", NAN },
		{ "nan1 | (b - 3)", NAN }, { "(a - 2) & nan1", 0 }, { "nan1 | nan2", NAN },
		{ "nan1 & nan2", NAN }, { "nan1 ^ 1", NAN }, { "nan1 ^ nan2", NAN },
		{ "NaN | 1", 1 }, { "NaN & 0", 0 }, { "NaN | 0", NAN }, { "1 & NaN", NAN },
		{ "a if NaN else b", 2 }, { "a if nan1 else b", 2 }, { "nan1 if a else 1", NAN },
		{ "1 if a else nan1", 1 },
		{ "a % (b - 3)", NAN }, { "5 if a else 1 % (b - 3)", NAN }, { "a % nan1", NAN },
		{ "nan1 % a", NAN }, { "a % (b / 6 - 1)", NAN }, { "a % .5", NAN },
		{ "9223372036854775807 % 2", NAN }, { "a % inf1", NAN }, { "-9e18 % -1", 0 },
		{ "(1 % (a - 2)) if 0 else 5", 5 },
		{ "inf1 - inf1", NAN }, { "a / inf1", 0 }, { "1e308 * 10", INFINITY },
		{ "0 | inf1", INFINITY }, { "1 & inf1", INFINITY }, { "inf1 ^ 1", NAN },
		{ "inf1 | 0", INFINITY }, { "inf1 & 1", INFINITY }, { "nan1 & (b - 3)", 0 },
		{ "(b - 1) | nan1", 1 },
		{ "has_event(unknown)", NAN }, { "a if has_event(unknown) else b", 2 },
	};

	are_values(values, ARRAY_SIZE(values));
}

static void test_questions(void)
{
	static const struct value values[] = {
		{ "has_event(cycles\\-t)", 1 }, { "has_event(other)", 0 },
		{ "has_event(cycles\\-t) + a", 3 },
		{ "strcmp_cpuid_str(0x410fd490) + 1", 2 }, { "strcmp_cpuid_str(0x410fd493)", 0 },
		{ "a if (strcmp_cpuid_str(0x410fd493) | strcmp_cpuid_str(0x410fd490) ^ 1) else a + b", 5 },
	};
	struct gpmu_expr *expr;
	struct gpmu_expr_value value = { 1, 1, 1 };
	int before;

	are_values(values, ARRAY_SIZE(values));
	ok(calls > 0, "expr: the environment's functions get the caller's pointer");
	expr = gpmu_expr_new("a * #num_cpus * has_event(b) * strcmp_cpuid_str(c)", &env, NULL);
	before = asked;
	gpmu_expr_eval(expr, &value);
	ok(asked == before, "expr: evaluation calls no function of the environment");
	gpmu_expr_free(expr);
}

static void test_ids(void)
{
	is_str(ids("b + a * b"), "b a", "expr: names are in the order of their first use, each once");
	is_str(ids("c + b + a + b + c + d"), "c b a d",
	       "expr: each name is listed once, with several in turn");
	is_str(ids("0 * (0 & a) + b + a + (0 & b)"), "b a",
	       "expr: names in parts that are folded away are not listed");
	is_str(ids("a + source_count(a) + aggr_nr(b) + b"), "a b",
	       "expr: a count and its source_count() have one name");
	is_str(ids("nvidia_scf_pmu@event\\=cycles@ / duration_time"),
	       "nvidia_scf_pmu@event=cycles@ duration_time",
	       "expr: the name of a PMU's event has its backslash removed");
	is_str(ids("min2 + if_x + maxi + L1:u + NaNs + Else"), "min2 if_x maxi L1:u NaNs Else",
	       "expr: keywords can be parts of names");
	is_str(ids("msr@tsc\\,cpu=cpu_core@ + a@b=c=@"), "msr@tsc,cpu=cpu_core@ a@b=c=@",
	       "expr: = after an @ needs no backslash");
	is_str(ids("hv@x\\,core\\=?@ + ??"), "hv@x,core=12@ 1212",
	       "expr: ? in a name is the parameter");
	is_str(ids("a if #smt_on else b"), "b", "expr: a branch that is never taken has no names");
	is_str(ids("a if 1 < #num_cpus else b"), "a",
	       "expr: a branch that a computed constant excludes has no names");
	is_str(ids("(a if 1 else b) + (c if 0 else d)"), "a d",
	       "expr: excluded branches beside others have no names");
	is_str(ids("a if has_event(other) else b"), "b",
	       "expr: a branch for a missing event has no names");
	is_str(ids("(3 if a else 3) * b"), "b",
	       "expr: a condition between equal constants has no names");
	is_str(ids("(3 if a else 4) * b"), "a b",
	       "expr: a condition between different constants has its names");
	is_str(ids("0 & a | b"), "b", "expr: a part that & 0 makes 0 has no names");
	is_str(ids("(1 | a) + (b | 1) + (c & 1)"), "c",
	       "expr: a part that | 1 makes 1 has no names");
	is_str(ids("a / 0 + d_ratio(b, 0) + c"), "c", "expr: a division by 0 has no names");
	is_str(ids("a * 0"), "a", "expr: a product with 0 has its names, as it can be NaN");
	is_str(ids("a if min(0, 0) else b"), "a b",
	       "expr: min() and max() are not folded, as in perf");
	is_str(ids("a if NaN else b"), "a b", "expr: a condition that is NaN is not folded");
	is_str(ids("a if 1e308 * 10 else b"), "a b",
	       "expr: a condition that is infinite is not folded");
	is_str(ids("1e308 * 10 if a else 1e308 * 10"), "",
	       "expr: two equal infinite branches are folded");
	is_str(ids("(0 | 1e308 * 10) if a else -(-1e308 * 10)"), "",
	       "expr: infinite branches after | and - are folded");
	is_str(ids("(1 & NaN) if a else (1 & NaN)"), "a", "expr: two NaN branches are not folded");
	is_str(ids("#num_cpus * 3"), "", "expr: an expression of constants has no names");
}

static void is_refused_for(const char *text, const struct gpmu_expr_env *with, size_t offset,
			   const char *why)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = 999 };
	struct gpmu_expr *expr = gpmu_expr_new(text, with, &error);

	ok(!expr && errno == EINVAL && error.offset == offset,
	   "expr: \"%.40s\" is refused at offset %zu",
	   text, offset);
	is_str(error.text, why, "expr: the error of a refused expression has the reason");
	if (expr)
		diag("was taken");
	else if (error.offset != offset)
		diag("at %zu", error.offset);
	gpmu_expr_free(expr);
}

static void test_refused(void)
{
	static const struct {
		const char *text;
		size_t offset;
		const char *why;
	} bad[] = {
		{ "", 0, "expected a value, found the end" },
		{ "  ", 2, "expected a value, found the end" },
		{ "a +", 3, "expected a value, found the end" },
		{ "+ a", 0, "expected a value, found \"+\"" },
		{ "a b", 2, "expected an operator, found \"b\"" },
		{ "1 2", 2, "expected an operator, found \"2\"" },
		{ "1e-5x", 4, "expected an operator, found \"x\"" },
		{ "(a", 2, "expected \")\", found the end" },
		{ "a)", 1, "expected an operator, found \")\"" },
		{ "()", 1, "expected a value, found \")\"" },
		{ "a if b", 6, "expected an operator or \"else\", found the end" },
		{ "a if b c", 7, "expected an operator or \"else\", found \"c\"" },
		{ "a else b", 2, "expected an operator, found \"else\"" },
		{ "if a else b", 0, "expected a value, found \"if\"" },
		{ "a if b if c else d else e", 7, "expected an operator or \"else\", found \"if\"" },
		{ "min(a)", 5, "expected \",\", found \")\"" },
		{ "min(a, b, c)", 8, "expected \")\", found \",\"" },
		{ "min a, b", 4, "expected \"(\", found \"a\"" },
		{ "min(a if b else c, d)", 6, "expected \",\", found \"if\"" },
		{ "source_count(1)", 13, "expected the name of an event, found \"1\"" },
		{ "has_event(min)", 10, "expected the name of an event, found \"min\"" },
		{ "source_count(a + b)", 15, "expected \")\", found \"+\"" },
		{ "aggr_nr()", 8, "expected the name of an event, found \")\"" },
		{ "strcmp_cpuid_str(\"x\")", 17, "expected the name of an event, found \"\"\"" },
		{ "a $ b", 2, "expected an operator, found \"$\"" },
		{ "a\\+b", 1, "expected an operator, found \"\\\"" },
		{ "a = b", 2, "expected an operator, found \"=\"" },
		{ "a <= b", 3, "expected a value, found \"=\"" },
		{ "a=b@", 1, "expected an operator, found \"=\"" },
		{ "a@b =c", 4, "expected an operator, found \"=\"" },
		{ "a@b,c@", 3, "expected an operator, found \",\"" },
		{ "a\\", 1, "expected an operator, found \"\\\"" },
		{ "a\\\\-b", 1, "expected an operator, found \"\\\"" },
		{ "#", 0, "expected a value, found \"#\"" },
		{ "#nothing", 0, "#nothing has no value here" },
		{ "#num_cpus-1", 0, "#num_cpus-1 has no value here" },
		{ "a % 0", 2, "a remainder of a division by 0" },
		{ "1 if 1 else a % 0", 14, "a remainder of a division by 0" },
		{ "1e999", 0, "1e999 is out of range" },
		{ "1 + 1e-999", 4, "1e-999 is out of range" },
		{ "a\303\251", 1, "expected an operator, found byte 0xc3" },
		{ "\033[1m", 0, "expected a value, found byte 0x1b" },
		{ "a \177", 2, "expected an operator, found byte 0x7f" },
		{ "a 1234567890123456789012345678901234567890123456789012345678901234567890", 2,
		  "expected an operator, found \"1234567890123456789012345678901234567890123456789012345678901234\"" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		is_refused_for(bad[i].text, &env, bad[i].offset, bad[i].why);
	errno = 0;
	ok(!gpmu_expr_new("a +", &env, NULL) && errno == EINVAL,
	   "expr: the error argument can be NULL");
}

/* Functions that are absent, or beyond the size of an older caller's struct */
static void test_environment(void)
{
	struct gpmu_expr_env older = env;
	struct gpmu_error untouched = { sizeof(untouched), 7, "untouched" };
	struct gpmu_expr *expr;

	is_refused_for("a + #num_cpus", NULL, 4, "#num_cpus has no value here");
	is_refused_for("a + has_event(b)", NULL, 4, "has_event() has no value here");
	is_refused_for("strcmp_cpuid_str(b)", NULL, 0, "strcmp_cpuid_str() has no value here");
	older.size = offsetof(struct gpmu_expr_env, has_event);
	is_refused_for("has_event(b)", &older, 0, "has_event() has no value here");
	older.size = sizeof(older) + 100;
	expr = gpmu_expr_new("#num_cpus * x?", &older, &untouched);
	ok(expr && !strcmp(gpmu_expr_id(expr, 0), "x12"),
	   "expr: a larger struct of a newer caller is accepted");
	ok(untouched.offset == 7 && !strcmp(untouched.text, "untouched"),
	   "expr: the error is left alone on success");
	gpmu_expr_free(expr);
	errno = 77;
	expr = gpmu_expr_new("x? + 1e5", NULL, NULL);
	ok(errno == 77, "expr: errno is left alone on success");
	is_str(expr ? gpmu_expr_id(expr, 0) : NULL, "x0",
	       "expr: without an environment the parameter is 0");
	ok(expr && !gpmu_expr_id(expr, 1) && !gpmu_expr_id(expr, 100000),
	   "expr: there is no name after the last");
	gpmu_expr_free(expr);
	gpmu_expr_free(NULL);
	expr = gpmu_expr_new("1 + 1", NULL, NULL);
	ok(expr && !gpmu_expr_id_count(expr) && gpmu_expr_eval(expr, NULL) == 2,
	   "expr: a constant needs no values");
	gpmu_expr_free(expr);
}

/* Where a division by 0 decides the result; a is 0, b is 2, c is NaN. */
static void test_idle(void)
{
	static const struct {
		const char *text;
		int idle;
	} values[] = {
		{ "b / a", 1 }, { "a / b", 0 }, { "d_ratio(b, a)", 1 }, { "d_ratio(a, b)", 0 },
		{ "b % a", 1 }, { "a % b", 0 }, { "a - b", 0 }, { "-d_ratio(a, a)", 1 },
		{ "100 * (b + d_ratio(b, a)) / b", 1 }, { "max(b, b / a)", 1 },
		{ "b / a if a > 0 else b", 0 }, { "b if a < 1 else b / a", 0 },
		{ "b / a if a < 1 else b", 1 }, { "b if a > 0 else b / a", 1 },
		{ "b if b / a > 1 else a", 1 }, { "(b % a) + b", 1 }, { "b + c", 0 },
		{ "1", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
		struct gpmu_expr *expr = gpmu_expr_new(values[i].text, NULL, NULL);
		struct gpmu_expr_value v[3] = { { 0 } };
		size_t n;

		for (n = 0; expr && n < gpmu_expr_id_count(expr) && n < 3; n++)
			v[n].value = *gpmu_expr_id(expr, n) == 'a' ? 0 :
				     *gpmu_expr_id(expr, n) == 'b' ? 2 : NAN;
		ok(expr && gpmu_expr_idle(expr, v) == values[i].idle, "expr: the result of %s is %s",
		   values[i].text, values[i].idle ? "idle" : "not idle");
		gpmu_expr_free(expr);
	}
}

/* The grammar of derived metrics */
static void test_derived(void)
{
	const struct gpmu_expr_env derived = { .size = sizeof(derived), .derived = 1 };
	const struct gpmu_expr_value values[] = { { 6, 1, 1 }, { NAN, 1, 1 } };
	struct gpmu_expr *expr = gpmu_expr_new("simplify(a) / 4 + nan_as_zero(b) + 0.5", &derived, NULL);

	ok(expr && gpmu_expr_eval(expr, values) == 2, "expr: derived metrics have simplify() and nan_as_zero()");
	ok(expr && !gpmu_expr_idle(expr, values), "expr: a derived metric without a division by 0 is not idle");
	gpmu_expr_free(expr);
	is_str(ids("simplify + nan_as_zero"), "simplify nan_as_zero", "expr: in perf's grammar simplify and nan_as_zero are names");
	expr = gpmu_expr_new("1 / 0 * a", &derived, NULL);
	is_u64(expr ? gpmu_expr_id_count(expr) : 0, 1, "expr: constants of derived metrics are not folded");
	gpmu_expr_free(expr);
}

int main(void)
{
	test_arithmetic();
	test_idle();
	test_numbers();
	test_truth();
	test_no_samples();
	test_questions();
	test_ids();
	test_refused();
	test_environment();
	test_derived();
	return done_testing();
}
