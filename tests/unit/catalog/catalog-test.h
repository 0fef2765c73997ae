/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Catalogs of texts, for the tests of each part of the catalog. */
#ifndef GPMU_TESTS_CATALOG_H
#define GPMU_TESTS_CATALOG_H

#include <stdlib.h>

#include "catalog/catalog.h"
#include "tap.h"

/* As gpmu_catalog_add() of a file @place with this text */
__attribute__((unused))
static int add_bytes(struct gpmu_catalog *catalog, const char *place, const char *text,
		     size_t size, struct gpmu_error *error)
{
	struct catalog_load load;
	int ret = catalog_load_init(&load, catalog, error);

	if (ret)
		return ret;
	return catalog_load_end(&load, catalog,
				catalog_add_text(&load, place, place, text, size));
}

__attribute__((unused))
static int add_text(struct gpmu_catalog *catalog, const char *place, const char *text,
		    struct gpmu_error *error)
{
	return add_bytes(catalog, place, text, strlen(text), error);
}

/* Adds a file that must be accepted. */
__attribute__((unused))
static void add(struct gpmu_catalog *catalog, const char *place, const char *text)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (add_text(catalog, place, text, &error)) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
}

/* A catalog without entries */
__attribute__((unused))
static struct gpmu_catalog *empty(void)
{
	struct gpmu_catalog *catalog = calloc(1, sizeof(*catalog));

	if (!catalog) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	return catalog;
}

__attribute__((unused))
static size_t count_metrics(const struct gpmu_catalog *catalog)
{
	size_t n = 0;

	while (gpmu_catalog_metric(catalog, n))
		n++;
	return n;
}

__attribute__((unused))
static size_t count_events(const struct gpmu_catalog *catalog)
{
	size_t n = 0;

	while (gpmu_catalog_event(catalog, n))
		n++;
	return n;
}

/* is_str() for texts that can be NULL */
__attribute__((unused))
static bool is_text(const char *got, const char *want, const char *what)
{
	return is_str(got ? got : "nothing", want ? want : "nothing", what);
}

#endif /* GPMU_TESTS_CATALOG_H */
