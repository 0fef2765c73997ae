// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn. The expression is then refused with ENOMEM and a message, and
 * nothing leaks.
 */
#include "alloc.h"
#include "expr/gpmu_expr.h"

static double literal(const char *name, void *user)
{
	(void)name;
	(void)user;
	return 4;
}

static int answer(const char *name, void *user)
{
	(void)user;
	return !strcmp(name, "cycles-t");
}

/* More of everything than the first allocation holds */
static const char text[] =
	"(a + b - c * d / e % f + g | h & i ^ j) * 100 if has_event(cycles\\-t) "
	"else -max(d_ratio(k, l), min(m, n)) + source_count(o) * aggr_nr(p) < #num_cpus "
	"& strcmp_cpuid_str(0x41) | q + r + s + t + u + v + w + x + y + z + a + b + c@x\\=?@";

/* 0, -errno, or 1 for a failure without its message */
static int make(void)
{
	const struct gpmu_expr_env env = {
		.size = sizeof(env), .literal = literal, .has_event = answer,
		.cpuid_matches = answer,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_expr *expr;

	errno = 0;
	expr = gpmu_expr_new(text, &env, &error);
	if (!expr)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	gpmu_expr_free(expr);
	return 0;
}

int main(void)
{
	alloc_fail_each(make, 40, "expr: an expression of many names");
	return done_testing();
}
