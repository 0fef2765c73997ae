// SPDX-License-Identifier: LGPL-2.1-or-later
/* The built-in tables have the same entries as their files have when they are added. */
#include "catalog-test.h"

static const char built_in[] = "built in: ", files[] = "pmu-events/";
static size_t wrong;

static void check(bool is_same, const char *name, const char *member)
{
	if (is_same)
		return;
	wrong++;
	diag("%s: another %s", name, member);
}

static bool is_same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static void check_entry(const struct catalog_entry *a, const struct catalog_entry *b)
{
	const char *file = a->file->name;

	check(is_same_text(a->name, b->name), a->name, "name");
	check(is_same_text(a->key, b->key), a->name, "key");
	check(is_same_text(a->pmu, b->pmu), a->name, "PMU");
	check(is_same_text(a->compat, b->compat), a->name, "identifier");
	check(is_same_text(a->description, b->description), a->name, "description");
	check(is_same_text(a->details, b->details), a->name, "details");
	check(is_same_text(a->unit, b->unit), a->name, "unit");
	check(a->scale == b->scale, a->name, "scale");
	check(a->line == b->line, a->name, "line");
	check(a->order == b->order, a->name, "order");
	check(!strncmp(file, built_in, strlen(built_in)) &&
	      !strncmp(b->file->name, files, strlen(files)) &&
	      !strcmp(file + strlen(built_in), b->file->name + strlen(files)), a->name, "file");
	check(is_same_text(a->file->cpu, b->file->cpu), a->name, "CPU");
	check(is_same_text(a->file->arch, b->file->arch), a->name, "architecture");
	check(is_same_text(a->file->topic, b->file->topic), a->name, "topic");
}

static void check_metrics(const struct gpmu_catalog *catalog, const struct gpmu_catalog *read)
{
	const struct gpmu_metric *a, *b;
	const char *name;
	size_t i, j;

	wrong = 0;
	for (i = 0; (a = gpmu_catalog_metric(catalog, i)) &&
		    (b = gpmu_catalog_metric(read, i)); i++) {
		name = a->entry.name;
		check_entry(&a->entry, &b->entry);
		check(is_same_text(a->expr, b->expr), name, "expression");
		check(is_same_text(a->threshold, b->threshold), name, "threshold");
		check(is_same_text(a->constraint, b->constraint), name, "constraint");
		for (j = 0; gpmu_metric_group(a, j) || gpmu_metric_group(b, j); j++)
			check(is_same_text(gpmu_metric_group(a, j), gpmu_metric_group(b, j)), name,
			      "group");
	}
	ok(i > 100 && i == count_metrics(catalog) && i == count_metrics(read),
	   "built-in catalog: it has as many metrics as the files");
	is_u64(wrong, 0, "built-in catalog: metrics are those of the files");
}

static void check_events(const struct gpmu_catalog *catalog, const struct gpmu_catalog *read)
{
	const struct gpmu_event_def *a, *b;
	size_t i;

	wrong = 0;
	for (i = 0; (a = gpmu_catalog_event(catalog, i)) &&
		    (b = gpmu_catalog_event(read, i)); i++) {
		check_entry(&a->entry, &b->entry);
		check(is_same_text(a->terms, b->terms), a->entry.name, "terms");
	}
	ok(i > 200 && i == count_events(catalog) && i == count_events(read),
	   "built-in catalog: it has as many events as the files");
	is_u64(wrong, 0, "built-in catalog: events are those of the files");
}

static void check_groups(const struct gpmu_catalog *catalog, const struct gpmu_catalog *read)
{
	const struct gpmu_metric *a, *b;
	const char *group;
	size_t i, j;

	wrong = 0;
	for (i = 0; (group = gpmu_catalog_group(catalog, i)); i++) {
		check(is_same_text(group, gpmu_catalog_group(read, i)), group, "name");
		for (j = 0; (a = gpmu_catalog_group_metric(catalog, group, j)); j++) {
			b = gpmu_catalog_group_metric(read, group, j);
			check(b && !strcmp(a->entry.name, b->entry.name), group, "metric");
		}
		check(!gpmu_catalog_group_metric(read, group, j), group, "number of metrics");
	}
	ok(i > 10 && !gpmu_catalog_group(read, i),
	   "built-in catalog: it has as many metric groups as the files");
	is_u64(wrong, 0, "built-in catalog: metric groups are those of the files");
}

int main(void)
{
	static const char *const folders[] = {
		"pmu-events/arch", "pmu-events/backport/6.1", "pmu-events/core", "pmu-events/gpu",
	};
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL), *read = empty();
	struct gpmu_error error = { .size = sizeof(error) };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		if (gpmu_catalog_add(read, folders[i], &error)) {
			printf("Bail out! %s\n", error.text);
			return 1;
		}
	check_metrics(catalog, read);
	check_events(catalog, read);
	check_groups(catalog, read);
	is_u64(catalog->order, read->order, "built-in catalog: further entries are added last");
	gpmu_catalog_free(read);
	gpmu_catalog_free(catalog);
	return done_testing();
}
