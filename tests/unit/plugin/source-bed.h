/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A virtual machine with the model added to it; MODEL is the path of the plugin. */
#ifndef GPMU_TESTS_SOURCE_BED_H
#define GPMU_TESTS_SOURCE_BED_H

#include "sysroot.h"
#include "source-paths.h"
#include "source-test.h"

#define SCENARIOS	"metrics/sources/model/scenarios/"

static struct gpmu_error bed_error = { .size = sizeof(bed_error) };

struct bed {
	struct gpmu_machine *machine;
	struct gpmu_source *source;
	struct test_plan test;
};

__attribute__((unused))
static void bed_init(struct bed *bed, const char *options)
{
	struct sysroot root;
	char spec[600];

	memset(bed, 0, sizeof(*bed));
	sysroot_make(&root, "vm");
	bed->machine = gpmu_machine_new(root.path, &bed_error);
	sysroot_release(&root);
	snprintf(spec, sizeof(spec), "%s=" SCENARIOS "%s", MODEL, options);
	bed->source = gpmu_source_new(spec, &bed_error);
	if (!bed->machine || !bed->source ||
	    gpmu_machine_add_source(bed->machine, bed->source, &bed_error))
		test_bail(bed_error.text);
}

__attribute__((unused))
static void bed_release(struct bed *bed)
{
	test_close(&bed->test);
	gpmu_machine_free(bed->machine);
	gpmu_source_put(bed->source);
}

__attribute__((unused))
static void group(struct bed *bed, const char *pmu, const char *events)
{
	test_group(&bed->test, bed->machine, pmu, events);
}

/* Enables at T0 and reads @ns later; an error bails out. */
__attribute__((unused))
static void count(struct bed *bed, uint64_t ns)
{
	if (test_open(&bed->test, bed->source, &bed_error) || test_enable(&bed->test, T0) ||
	    test_read(&bed->test, T0 + ns))
		test_bail(bed_error.text);
}

__attribute__((unused))
static void is_raw(const struct bed *bed, size_t slot, uint64_t want, uint64_t ns, const char *what)
{
	struct count got = test_count(&bed->test, slot);

	is_u64(got.raw, want, what);
	if (got.enabled != ns || got.running != ns || got.state != COUNT_OK)
		ok(false, "source model: the counter ran all the time");
}

#endif /* GPMU_TESTS_SOURCE_BED_H */
