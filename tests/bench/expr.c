// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * expr METRICS.json METRIC: evaluations and compilations of the metric's expression
 * per second on one core.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "expr/gpmu_expr.h"

#define WANTED		10e6
#define SECONDS		1.0
#define EVALUATIONS	100000
#define COMPILATIONS	1000
#define ROUNDS		5

static char json[1 << 20];

/* The string after "KEY": at or after @from, without its escapes; NULL if there is none */
static char *value_of(char *from, const char *key)
{
	char *begin = strstr(from, key), *out, *in;

	begin = begin ? strchr(begin + strlen(key), '"') : NULL;
	if (!begin)
		return NULL;
	out = in = ++begin;
	while (*in && *in != '"') {
		if (*in == '\\' && in[1])
			in++;
		*out++ = *in++;
	}
	*out = 0;
	return begin;
}

/* The expression of the metric, which follows its name in the file */
static char *find_metric(const char *path, const char *metric)
{
	FILE *file = fopen(path, "r");
	char name[200], *begin;
	size_t len;

	if (!file)
		return NULL;
	len = fread(json, 1, sizeof(json) - 1, file);
	json[len] = 0;
	fclose(file);
	snprintf(name, sizeof(name), "\"MetricName\": \"%s\"", metric);
	begin = strstr(json, name);
	return begin ? value_of(begin, "\"MetricExpr\":") : NULL;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One round; it returns the sum so that the compiler cannot drop the evaluations */
static double evaluate(const struct gpmu_expr *expr, struct gpmu_expr_value *values)
{
	double sum = 0;

	for (int i = 0; i < EVALUATIONS; i++) {
		values[0].value += 1;
		sum += gpmu_expr_eval(expr, values);
	}
	return sum;
}

static double compile(const char *text)
{
	double sum = 0;

	for (int i = 0; i < COMPILATIONS; i++) {
		struct gpmu_expr *expr = gpmu_expr_new(text, NULL, NULL);

		sum += expr ? (double)gpmu_expr_id_count(expr) : 0;
		gpmu_expr_free(expr);
	}
	return sum;
}

int main(int argc, char **argv)
{
	const char *text = argc == 3 ? find_metric(argv[1], argv[2]) : NULL;
	struct gpmu_expr *expr = text ? gpmu_expr_new(text, NULL, NULL) : NULL;
	double evaluations = 0, compilations = 0, begin, rate, sum = 0;
	char what[200], ours[24];
	struct gpmu_expr_value *values;

	if (!expr) {
		fprintf(stderr, "usage: expr METRICS.json METRIC\n");
		return 2;
	}
	values = calloc(gpmu_expr_id_count(expr) + 1, sizeof(*values));
	if (!values)
		return 2;
	for (size_t i = 0; i < gpmu_expr_id_count(expr); i++)
		values[i] = (struct gpmu_expr_value){ 1e6 * (double)(i + 1), 2, 2 };
	/* The best of several rounds, as the machine may have other load */
	for (int i = 0; i < ROUNDS; i++) {
		long n = 0;

		begin = cpu_seconds();
		do {
			sum += evaluate(expr, values);
			n += EVALUATIONS;
		} while (cpu_seconds() - begin < SECONDS / ROUNDS);
		rate = (double)n / (cpu_seconds() - begin);
		evaluations = rate > evaluations ? rate : evaluations;
		begin = cpu_seconds();
		sum += compile(text);
		rate = COMPILATIONS / (cpu_seconds() - begin);
		compilations = rate > compilations ? rate : compilations;
	}
	snprintf(what, sizeof(what), "%s evaluated", argv[2]);
	snprintf(ours, sizeof(ours), "%.1f M/s", evaluations / 1e6);
	bench_row(what, ours, "10 M/s", WANTED / evaluations, 1);
	snprintf(what, sizeof(what), "%s compiled", argv[2]);
	snprintf(ours, sizeof(ours), "%.3f M/s", compilations / 1e6);
	bench_none(what, ours);
	free(values);
	gpmu_expr_free(expr);
	return sum <= 0;
}
