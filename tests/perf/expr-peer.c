// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Compares our parser of metric expressions with perf's util/expr.c, which is compiled
 * from the kernel source at test time. The functions that it calls in the rest of perf
 * are stubs in this file.
 *
 *	expr-peer compare FILE [SPOIL]	both parsers accept each line, find the same
 *					events and compute the same value from the same
 *					random counts; a tab in the line begins the
 *					text for perf's parser, if it is another
 *	expr-peer refuse FILE		both parsers refuse each line
 *	expr-peer random N [SPOIL]	as compare, with N random expressions and N damaged
 *					ones, which both parsers accept or both refuse
 *
 * Prints the differences and a summary. Exits with 1 if there is a difference. SPOIL
 * makes one: "value", "nan" or "ids" changes one result of our parser.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/gpmu_expr.h"

/* perf's */
#include "util/evlist.h"
#include "util/expr.h"
#include "util/hashmap.h"
#include "util/tool_pmu.h"

#define TOLERANCE	1e-12
#define ROUNDS		20
#define PARAMETER	1
#define CPUID		"0x00000000410fd490"
#define MAX_TEXT	4096

/* --- properties of the machine, for both parsers: a hash of the name --- */

static unsigned int hash(const char *s)
{
	unsigned int h = 5381;

	while (*s)
		h = h * 33 + (unsigned char)*s++;
	return h;
}

/* Selects the machine, 0 or 1; an event exists on one of the two only. */
static unsigned int salt;

static double literal_value(const char *name)
{
	return (hash(name) ^ salt) % 5;
}

static bool event_exists(const char *name)
{
	return (hash(name) ^ salt) & 1;
}

static bool cpuid_is(const char *pattern)
{
	return (hash(pattern) ^ salt) & 1;
}

static double our_literal(const char *name, void *user)
{
	(void)user;
	return literal_value(name);
}

static int our_has_event(const char *name, void *user)
{
	(void)user;
	return event_exists(name);
}

static int our_cpuid(const char *pattern, void *user)
{
	(void)user;
	return cpuid_is(pattern);
}

static const struct gpmu_expr_env env = {
	.size = sizeof(env), .parameter = PARAMETER, .literal = our_literal,
	.has_event = our_has_event, .cpuid_matches = our_cpuid,
};

/* The stubs of perf */
static const char *literal_asked;

int verbose;

int eprintf(int level, int var, const char *fmt, ...)
{
	(void)level;
	(void)var;
	(void)fmt;
	return 0;
}

enum tool_pmu_event tool_pmu__str_to_event(const char *str)
{
	literal_asked = str;
	return TOOL_PMU__EVENT_DURATION_TIME;
}

bool tool_pmu__read_event(enum tool_pmu_event ev, struct evsel *evsel, bool is_system_wide,
			  const char *user_requested_cpu_list, u64 *result)
{
	(void)ev;
	(void)evsel;
	(void)is_system_wide;
	(void)user_requested_cpu_list;
	*result = (u64)literal_value(literal_asked);
	return true;
}

struct evlist *evlist__new(void)
{
	return calloc(1, 1);
}

void evlist__put(struct evlist *evlist)
{
	free(evlist);
}

/* perf replaces the first and the last "@" with slashes. */
int parse_event(struct evlist *evlist, const char *str)
{
	char name[MAX_TEXT];

	(void)evlist;
	snprintf(name, sizeof(name), "%s", str);
	for (char *c = name; *c; c++)
		*c = *c == '/' ? '@' : *c;
	return event_exists(name) ? 0 : -EINVAL;
}

char *get_cpuid_allow_env_override(struct perf_cpu cpu)
{
	(void)cpu;
	return strdup(CPUID);
}

int strcmp_cpuid_str(const char *mapcpuid, const char *cpuid)
{
	(void)cpuid;
	return !cpuid_is(mapcpuid);
}

/* --- the comparison --- */

static struct {
	size_t taken, refused, ids, values, nans, differences;
} seen;

static const char *spoil = "";

/* True once, if SPOIL is @what */
static bool spoils(const char *what)
{
	if (strcmp(spoil, what))
		return false;
	spoil = "";
	return true;
}

static void differs(const char *text, const char *what)
{
	seen.differences++;
	printf("%s: %s\n", text, what);
}

static double random_below(int n)
{
	return rand() % n;
}

/* Sometimes 0, for divisions by zero */
static double random_count(void)
{
	return rand() % 8 ? rand() / 1024.0 : 0;
}

/* NaN, infinities and negative numbers too: intermediate results can have them */
static double random_value(void)
{
	switch (rand() % 8) {
	case 0:
		return NAN;
	case 1:
		return INFINITY;
	case 2:
		return -random_below(3);
	default:
		return random_count();
	}
}

static bool is_same(double a, double b)
{
	if (!isfinite(a) || !isfinite(b))
		return (isnan(a) && isnan(b)) || a == b;
	return fabs(a - b) <= TOLERANCE * fmax(fabs(a), fabs(b));
}

static bool is_same_ids(const struct gpmu_expr *expr, struct expr_parse_ctx *ctx)
{
	struct expr_id_data *data;

	if (gpmu_expr_id_count(expr) != hashmap__size(ctx->ids))
		return false;
	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++) {
		if (expr__get_id(ctx, spoils("ids") ? "spoilt" : gpmu_expr_id(expr, i), &data))
			return false;
	}
	seen.ids += gpmu_expr_id_count(expr);
	return true;
}

/* One set of values */
static void compare_value(const char *text, const struct gpmu_expr *expr, const char *perf_text,
			  struct expr_parse_ctx *ctx, struct gpmu_expr_value *values,
			  double (*value)(void))
{
	double ours, theirs = NAN;
	char what[100];

	expr__ctx_clear(ctx);
	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++) {
		values[i] = (struct gpmu_expr_value){ value(), 1 + random_below(4),
						      1 + random_below(8) };
		expr__add_id_val_source_count_aggr_nr(ctx, strdup(gpmu_expr_id(expr, i)),
						      values[i].value, (int)values[i].sources,
						      (int)values[i].lines);
	}
	/* If the evaluation fails, perf prints no value. */
	if (expr__parse(&theirs, ctx, perf_text))
		theirs = NAN;
	ours = gpmu_expr_eval(expr, values);
	if (isfinite(ours) && ours != 0 && spoils("value"))
		ours *= 1 + 2 * TOLERANCE;
	if (isnan(ours) && spoils("nan"))
		ours = 0;
	seen.values++;
	seen.nans += isnan(theirs);
	if (is_same(ours, theirs))
		return;
	snprintf(what, sizeof(what), "ours is %.17g, perf's %.17g", ours, theirs);
	differs(text, what);
}

static void compare_taken(const char *text, const struct gpmu_expr *expr, const char *perf_text,
			  struct expr_parse_ctx *ctx, double (*value)(void))
{
	struct gpmu_expr_value *values = calloc(gpmu_expr_id_count(expr) + 1, sizeof(*values));

	seen.taken++;
	if (!is_same_ids(expr, ctx))
		differs(text, "the events differ");
	else
		for (int i = 0; i < ROUNDS && value && values; i++)
			compare_value(text, expr, perf_text, ctx, values, value);
	free(values);
}

/* @value: the random counts; NULL if only the events are compared */
static void compare(const char *text, const char *perf_text, double (*value)(void))
{
	struct expr_parse_ctx *ctx = expr__ctx_new();
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr *expr = gpmu_expr_new(text, &env, &error);
	bool is_taken_by_perf;

	ctx->sctx.runtime = PARAMETER;
	is_taken_by_perf = !expr__find_ids(perf_text, NULL, ctx);
	if (is_taken_by_perf && expr)
		compare_taken(text, expr, perf_text, ctx, value);
	else if (is_taken_by_perf)
		differs(text, error.text);
	else if (expr)
		differs(text, "perf refuses it");
	else
		seen.refused++;
	gpmu_expr_free(expr);
	expr__ctx_free(ctx);
}

/* --- random expressions --- */

static char buffer[MAX_TEXT];
static size_t used;

static void put(const char *s)
{
	size_t len = strlen(s);

	if (used + len < sizeof(buffer)) {
		memcpy(buffer + used, s, len + 1);
		used += len;
	}
}

#define PUT_ONE_OF(...)	do { \
	static const char *const choices[] = { __VA_ARGS__ }; \
	put(choices[(size_t)rand() % (sizeof(choices) / sizeof(choices[0]))]); \
} while (0)

static void put_name(void)
{
	PUT_ONE_OF("a", "b", "c", "d", "pmu@e\\=1\\,f\\=?@", "x\\-y", "L1:u", "1x", "e.f", "?");
}

static void put_expression(int depth);

/*
 * Only operands that perf's parser can handle: it converts the operands of "%" to long,
 * so they must fit. perf's has_event() is true for every event that has a count.
 */
static void put_special(int depth)
{
	switch (rand() % 7) {
	case 0:
		PUT_ONE_OF("min(", "max(", "d_ratio(", "d_ratio(");
		put_expression(depth + 1);
		put(",");
		put_expression(depth + 1);
		put(")");
		break;
	case 1:
		PUT_ONE_OF("source_count(", "aggr_nr(");
		put_name();
		put(")");
		break;
	case 2:
		PUT_ONE_OF("#num_cpus", "#slots", "#smt_on", "#a.b-c", "#core_wide");
		break;
	case 3:
		PUT_ONE_OF("strcmp_cpuid_str(0x41)", "strcmp_cpuid_str(0x42)",
			   "strcmp_cpuid_str(c\\-d)");
		break;
	case 4:
		PUT_ONE_OF("(7 % 4)", "(9.5 % 2.5)", "(aggr_nr(a) % 3)", "(0 % 1)", "(-5 % 3)",
			   "(1 % 0)");
		break;
	case 5:
		PUT_ONE_OF("(h if has_event(h) else ", "(i@j@ if has_event(i@j@) else ");
		put_expression(depth + 1);
		put(")");
		break;
	default:
		put("NaN");
	}
}

static void put_primary(int depth)
{
	switch (depth > 8 ? rand() % 5 : rand() % 9) {
	case 0:
	case 1:
	case 2:
		put_name();
		break;
	case 3:
		PUT_ONE_OF("0", "1", "2.5", "1e308", "1e9", ".5", "1e-5", "3.", "1.e2", "0", "10");
		break;
	case 4:
		put("-");
		put_primary(depth + 1);
		break;
	case 5:
	case 6:
		put("(");
		put_expression(depth + 1);
		if (rand() % 2) {
			put(" if ");
			put_expression(depth + 1);
			put(" else ");
			put_expression(depth + 1);
		}
		put(")");
		break;
	default:
		put_special(depth);
	}
}

static void put_expression(int depth)
{
	put_primary(depth);
	for (int n = rand() % (depth > 4 ? 2 : 4); n; n--) {
		PUT_ONE_OF(" | ", " & ", " ^ ", " < ", " > ", " + ", "-", " * ", "/", "*", "+");
		put_primary(depth);
	}
}

/*
 * Replaces two texts that crash perf: "%" with a divisor between 0 and 1, which is
 * converted to 0, and a single "@" in has_event().
 */
static void damage(void)
{
	static const char pieces[] = "()(),,+-*/|&^<>#?\\=@.:_e15a if else min NaN";

	for (int n = 1 + rand() % 4; n && used > 1; n--) {
		size_t pos = (size_t)rand() % used, cut = (size_t)rand() % 4 % (used - pos);

		if (rand() % 2)
			buffer[pos] = pieces[(size_t)rand() % (sizeof(pieces) - 1)];
		else
			memmove(buffer + pos, buffer + pos + cut, used + 1 - pos - cut);
		used = strlen(buffer);
	}
	for (char *c = buffer; *c; c++) {
		if (*c == '%')
			*c = '*';
		else if (*c == '@' && strstr(buffer, "has_event"))
			*c = '_';
	}
}

/*
 * True if @text has a "#", "=" or backslash that begins no token: perf skips it, our
 * parser refuses it. Every other character begins a token in both.
 */
static bool has_skipped_bytes(const char *text)
{
	for (const char *c = text; *c; c++) {
		if (*c == '#' && !isalnum((unsigned char)c[1]) && (!c[1] || !strchr("_.-", c[1])))
			return true;
		if (*c == '\\' && (!c[1] || !strchr("-,=", c[1])))
			return true;
		if (*c == '=' && (c == text || c[-1] != '\\'))
			return true;
	}
	return false;
}

static void random_round(void)
{
	used = 0;
	buffer[0] = 0;
	put_expression(0);
	if (rand() % 4 == 0) {
		put(" if ");
		put_expression(2);
		put(" else ");
		put_expression(2);
	}
	compare(buffer, buffer, random_value);
	damage();
	if (!has_skipped_bytes(buffer))
		compare(buffer, buffer, strstr(buffer, "has_event") ? NULL : random_value);
}

/* --- the command --- */

static void compare_line(char *line, bool is_taken)
{
	char *tab = strchr(line, '\t');
	const char *perf_text = tab ? tab + 1 : line;

	if (tab)
		*tab = 0;
	for (salt = 0; salt < 2; salt++) {
		size_t refused = seen.refused, taken = seen.taken;

		compare(line, perf_text, is_taken ? random_count : NULL);
		if (is_taken && seen.refused != refused)
			differs(line, "both parsers refuse it");
		if (!is_taken && seen.taken != taken)
			differs(line, "both parsers accept it");
	}
}

static int compare_file(const char *path, bool is_taken)
{
	FILE *file = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	if (!file) {
		perror(path);
		return 2;
	}
	while ((len = getline(&line, &room, file)) > 0) {
		if (line[len - 1] == '\n')
			line[len - 1] = 0;
		compare_line(line, is_taken);
	}
	free(line);
	fclose(file);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	int ret = 0;

	spoil = argc > 3 ? argv[3] : "";
	srand(1);
	if (!strcmp(mode, "compare") || !strcmp(mode, "refuse")) {
		ret = compare_file(argv[2], !strcmp(mode, "compare"));
	} else if (!strcmp(mode, "random")) {
		for (long n = strtol(argv[2], NULL, 10); n > 0; n--) {
			salt = (unsigned int)n % 2;
			random_round();
		}
	} else {
		fprintf(stderr, "usage: expr-peer compare|refuse FILE | random N\n");
		ret = 2;
	}
	printf("taken=%zu refused=%zu ids=%zu values=%zu nans=%zu differences=%zu\n", seen.taken,
	       seen.refused, seen.ids, seen.values, seen.nans, seen.differences);
	return ret ? ret : seen.differences != 0;
}
