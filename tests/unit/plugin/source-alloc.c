// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn: opening a source, adding it to a machine, opening a group of
 * it. FAKE is the path of source-fake.c, built; its own allocations do not fail.
 */
#include "alloc.h"

#include "machine/machine.h"
#include "source-bed.h"
#include "source-fake.h"

static struct fake_state state;
static struct gpmu_machine *machine;
static struct gpmu_source *source;
static char spec[600];

static int checked(int ret, const struct gpmu_error *error)
{
	return ret == -ENOMEM && !strstr(error->text, "out of memory") ? 1 : ret;
}

static int make(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *made = gpmu_source_new(spec, &error);
	int ret = made ? 0 : checked(-errno, &error);

	gpmu_source_put(made);
	return ret;
}

/* Adds the source again; its PMUs replace their earlier ones. */
static int add(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_pmu *pmu = gpmu_machine_find_pmu(machine, "fake_1");
	size_t pmus = 0, sources = machine->sources_len;
	int ret = checked(gpmu_machine_add_source(machine, source, &error), &error);

	while (gpmu_machine_pmu(machine, pmus))
		pmus++;
	/* A failure leaves the machine unchanged. */
	if (pmus != 5 || (ret && (gpmu_machine_find_pmu(machine, "fake_1") != pmu ||
				  machine->sources_len != sources)))
		return 1;
	return ret;
}

static int open_groups(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct test_plan test = { 0 };
	int ret;

	test_group(&test, machine, "fake_0", "one two");
	test_group(&test, machine, "fake_1", "one two one two");
	ret = test_open(&test, source, &error);
	if (ret && test.counts)
		ret = checked(ret, &error);
	test_close(&test);
	return ret;
}

static int vanish(void)
{
	struct test_plan test = { 0 };
	int left = alloc_left, ret;

	test_group(&test, machine, "fake_0", "one two");
	alloc_left = -1;
	if (test_open(&test, source, NULL) || test_enable(&test, 1))
		test_bail("not opened");
	alloc_left = left;
	state.read = -ENODEV;
	ret = test_read(&test, 2);
	state.read = 0;
	test_close(&test);
	return ret;
}

static int probe(void)
{
	const struct event_instance *instances[1];
	struct test_plan test = { 0 };
	int ret;

	test_group(&test, machine, "fake_0", "one");
	instances[0] = &test.instances[0];
	ret = source_plugin.fits(source, instances, 1);
	return ret == 1 ? 0 : ret;
}

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct sysroot root;

	state.show = FAKE_SHOW_UNKNOWN;
	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	sysroot_make(&root, "vm");
	machine = gpmu_machine_new(root.path, &error);
	sysroot_release(&root);
	source = gpmu_source_new(spec, &error);
	if (!machine || !source || gpmu_machine_add_source(machine, source, &error))
		test_bail(error.text);
	alloc_fail_each(make, 2, "source: opening one");
	/*
	 * A machine grows by the reference and by the source's PMUs, which replace the earlier
	 * ones.
	 */
	machine->sources = realloc(machine->sources, 64 * sizeof(struct gpmu_source *));
	alloc_fail_each(add, 20, "source: adding its PMUs to a machine");
	alloc_fail_each(open_groups, 10, "source: opening groups");
	alloc_fail_each(vanish, 2, "source: a PMU that becomes inaccessible");
	alloc_fail_each(probe, 1, "source: asking whether events fit");
	gpmu_machine_free(machine);
	gpmu_source_put(source);
	is_u64((uint64_t)(state.opens - state.closes), 0, "source: each opened source is closed");
	is_u64((uint64_t)state.groups, 0, "source: each opened group is closed");
	return done_testing();
}
