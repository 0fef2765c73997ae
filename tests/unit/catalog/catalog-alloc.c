// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn, also those of jansson. Loading then fails with ENOMEM, leaves
 * the catalog unchanged, and leaks nothing.
 */
#include <jansson.h>

#include "alloc.h"
#include "catalog-test.h"
#include "sysroot.h"

static struct sysroot root;
static struct gpmu_catalog *catalog;
static size_t metrics, events;

/* Adds the folder to the catalog. A failure leaves the catalog unchanged. */
static int run_add(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = gpmu_catalog_add(catalog, root.path, &error);
	bool is_same = count_metrics(catalog) == metrics && count_events(catalog) == events &&
		       !gpmu_catalog_warning(catalog, 0) &&
		       gpmu_catalog_find_metric(catalog, "ipc", NULL) &&
		       gpmu_catalog_group_metric(catalog, "grace_scf", 0);

	if (ret)
		return is_same && !strcmp(error.text, "out of memory") ? ret : 1;
	return is_same;
}

static int make(const char *paths)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_catalog *made = gpmu_catalog_new(paths, &error);
	int ret = made ? 0 : -errno;

	gpmu_catalog_free(made);
	return ret && strcmp(error.text, "out of memory") ? 1 : ret;
}

static int run_new(void)
{
	return make(NULL);
}

/* A list of one path, a folder */
static int run_list(void)
{
	return make(root.path);
}

static void put_files(void)
{
	sysroot_init(&root);
	sysroot_put(&root, "arch/arm64/standard.json",
		    "[{\"EventName\": \"standard\"},"
		    "{\"MetricName\": \"s\", \"MetricExpr\": \"1\"}]");
	sysroot_put(&root, "arch/arm64/a/cpu/x-y.json",
		    "[{\"ArchStdEvent\": \"standard\"}, {\"ArchStdEvent\": \"S\"},\n"
		    "{\"ArchStdEvent\": \"nowhere\"},\n"
		    "{\"MetricName\": \"m\", \"MetricExpr\": \"a\", \"MetricGroup\": \"b;c\","
		    "\"MetricThreshold\": \"1\", \"MetricConstraint\": \"NO_GROUP_EVENTS\","
		    "\"BriefDescription\": \"b\", \"PublicDescription\": \"p\", \"Unit\": \"CHA\","
		    "\"ScaleUnit\": \"1%\", \"Compat\": \"c\"},\n"
		    "{\"MetricName\": \"m\", \"MetricExpr\": \"2\", \"Unit\": \"nvidia_x\"},\n"
		    "{\"EventName\": \"e\", \"Counter\": {\"a\": [\"b\", true]}, \"Odd\": 1,"
		    "\"BriefDescription\": \"a text of fair length that \\u0065scapes\"},\n"
		    "{\"EventName\": \"e\", \"Unit\": \"x\"},"
		    "{\"EventName\": \"e\", \"Unit\": \"x\"}]");
	sysroot_put(&root, "x-metricgroups.json", "{\"a\": \"b\"}");
	sysroot_link(&root, "link", "arch");
}

int main(void)
{
	json_set_alloc_funcs(malloc, free);
	catalog = gpmu_catalog_new(NULL, NULL);
	metrics = count_metrics(catalog);
	events = count_events(catalog);
	put_files();
	alloc_fail_each(run_new, 1, "catalog: the built-in tables");
	alloc_fail_each(run_add, 150, "catalog: an added folder");
	gpmu_catalog_free(catalog);
	catalog = NULL;
	alloc_fail_each(run_list, 150, "catalog: a path list");
	is_u64((uint64_t)alloc_held, 0, "catalog: all allocated memory is freed");
	sysroot_release(&root);
	return done_testing();
}
