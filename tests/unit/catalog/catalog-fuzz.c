// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Randomly damaged files are accepted or refused with a line number. The sanitizers find
 * everything else (tests/fuzz/catalog.c goes further). The random numbers are the same in each
 * run.
 */
#include <errno.h>

#include "catalog-test.h"
#include "damage.h"

#define ROUNDS	20000

static const char seed_text[] =
	"[{\"MetricName\": \"GraceX\", \"MetricExpr\": \"d_ratio(a@event\\\\=cycles@, 2)\",\n"
	"\"MetricGroup\": \"a;b\", \"ScaleUnit\": \"1GB/s\", \"Unit\": \"nvidia_scf_pmu\",\n"
	"\"Compat\": \"2\"},\n"
	"{\"EventName\": \"e\", \"EventCode\": \"0x1a5\", \"UMask\": \"0x2\", \"Unit\": \"CHA\"},\n"
	"{\"ArchStdEvent\": \"e\", \"PublicDescription\": \"caf\\u00e9 \xc3\xa9\"},\n"
	"{\"EventName\": \"f\", \"MSRIndex\": \"0x1a6\", \"MSRValue\": \"0x1\",\n"
	"\"Counter\": [1, 2.5e1, {}]}]\n";

static const char *const tokens[] = {
	"\"", "\\", "{", "}", "[", "]", ",", ":", "null", "\\u0000", "\\ud800", "\xff",
	"\"Unit\": \"\",", "\"Unit\": 1,", "\"odd\": {\"a\": []},", "{},", "\n", ";",
	"99999999999999999999", "\"ArchStdEvent\": \"e\",",
};

/* Returns whether each accepted event and metric can be found. */
static bool is_whole(const struct gpmu_catalog *catalog)
{
	const struct gpmu_event_def *event;
	const struct gpmu_metric *metric;
	size_t i;

	for (i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		if (!gpmu_catalog_find_metric(catalog, gpmu_metric_name(metric), NULL) ||
		    !*gpmu_metric_expr(metric) || !(metric_scale(metric) > 0))
			return false;
	for (i = 0; (event = gpmu_catalog_event(catalog, i)); i++)
		if (!catalog_find_event(catalog, gpmu_event_def_pmu(event),
					     gpmu_event_def_name(event), NULL) ||
		    !*gpmu_event_def_terms(event))
			return false;
	return true;
}

int main(void)
{
	static const char *const places[] = { "/arch/arm64/x.json", "x.json" };
	unsigned int taken = 0, refused = 0, wrong = 0;
	char text[2048];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		struct gpmu_catalog *catalog = empty();
		struct gpmu_error error = { .size = sizeof(error) };
		const char *place = places[i % 2];
		char *copy, line[64];
		size_t length;
		int ret;

		memcpy(text, seed_text, sizeof(seed_text) - 1);
		length = damage(text, sizeof(seed_text) - 1, sizeof(text), tokens,
				DAMAGE_LENGTH(tokens), 3);
		/* A sanitizer reports reads past the end. */
		copy = malloc(length ? length : 1);
		if (!copy)
			exit(1);
		ret = add_bytes(catalog, place, memcpy(copy, text, length), length, &error);
		free(copy);
		snprintf(line, sizeof(line), "%s:", place);
		if (ret) {
			refused++;
			wrong += ret != -EINVAL || strncmp(error.text, line, strlen(line)) ||
				 strpbrk(error.text, "\n\t") || error.offset > length ||
				 count_metrics(catalog) || count_events(catalog);
		} else {
			taken++;
			wrong += !is_whole(catalog);
		}
		gpmu_catalog_free(catalog);
	}
	diag("%u taken, %u refused", taken, refused);
	ok(taken > ROUNDS / 20 && refused > ROUNDS / 20,
	   "catalog: some damaged files are accepted and some are refused");
	is_u64(wrong, 0, "catalog: each damaged file is loaded whole, or refused with its line");
	return done_testing();
}
