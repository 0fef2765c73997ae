// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups of a plugin whose behaviour the test controls: targets, times, unsupported events,
 * failures, PMUs that become inaccessible. FAKE is the path of source-fake.c, built.
 */
#include <errno.h>
#include <limits.h>

#include "sysroot.h"
#include "plugin/source-fake.h"
#include "plugin/source-paths.h"
#include "plugin/source-test.h"

static struct fake_state state;
static struct gpmu_source *source;
static struct gpmu_machine *machine;
static struct gpmu_error error = { .size = sizeof(error) };

/* Plans two groups: "two one" on fake_0, "two" on fake_1. */
static struct test_plan *two_groups(struct test_plan *test)
{
	memset(test, 0, sizeof(*test));
	test_group(test, machine, "fake_0", "two one");
	test_group(test, machine, "fake_1", "two:5");
	error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	return test;
}

static bool is_count(const struct test_plan *test, size_t slot, uint64_t raw, uint64_t ns)
{
	struct count count = test_count(test, slot);

	if (count.raw == raw && count.enabled == ns && count.running == ns &&
	    count.state == COUNT_OK)
		return true;
	diag("slot %zu: raw %" PRIu64 ", enabled %" PRIu64 ", running %" PRIu64 ", state %d", slot,
	     count.raw, count.enabled, count.running, count.state);
	return false;
}

static bool are_all_not_counted(const struct test_plan *test, size_t first, size_t length)
{
	for (size_t i = first; i < first + length; i++)
		if (test->counts->slots[i].length != 1 ||
		    test->counts->slots[i].counts[0].state != COUNT_NOT_COUNTED)
			return false;
	return true;
}

static bool are_all_zero(const struct test_plan *test)
{
	for (size_t i = 0; i < test->plan.slot_count; i++)
		if (!is_count(test, i, 0, 0))
			return false;
	return true;
}

static void counting(void)
{
	const struct target *target;
	struct test_plan test;

	two_groups(&test);
	ok(!test_open(&test, source, &error) && state.groups == 2,
	   "source group: two groups are opened");
	ok(!state.enables && are_all_zero(&test),
	   "source group: open groups do not count before enable");
	ok(state.configs[0][0] == 2 && state.configs[0][1] == 5 && !state.configs[0][2],
	   "source group: the plugin gets config and config1");
	target = test.counts->slots[0].targets;
	ok(test.counts->slots[0].length == 1 && target->cpu == -1 && !target->node && target->tid == -1,
	   "source group: the target of an event is the PMU's node, without CPU and task");
	is_u64((uint64_t)test.counts->slots[2].targets->node, 7,
	       "source group: the target of another PMU's event is that PMU's node");
	ok(!test_read(&test, T0) && !state.reads && are_all_zero(&test),
	   "source group: a read before enable does not call the plugin");
	ok(!test_enable(&test, T0) && state.enables == 1,
	   "source group: the plugin is enabled once for all groups");
	ok(!test_read(&test, T0) && state.reads == 2 && are_all_zero(&test),
	   "source group: counts at the time of enable are 0");
	ok(!test_read(&test, T0 + 10) && is_count(&test, 0, 20, 10) && is_count(&test, 1, 10, 10) &&
	   is_count(&test, 2, 20, 10), "source group: each event of each group counts");
	ok(!test_read(&test, T0 + 15) && is_count(&test, 0, 30, 15),
	   "source group: counts are cumulative over reads");
	ok(!test_read(&test, T0 + 12) && is_count(&test, 0, 30, 15) && !state.has_gone_back,
	   "source group: an earlier time is not passed to the plugin");
	ok(!test_disable(&test, T0 + 20) && state.disables == 1,
	   "source group: the plugin is disabled once for all groups");
	ok(!test_read(&test, T0 + 50) && is_count(&test, 1, 20, 20),
	   "source group: counts stay after disable");
	ok(!test_enable(&test, T0 + 100) && !test_read(&test, T0 + 101) && is_count(&test, 1, 21, 21),
	   "source group: counts continue after the next enable");
	test_close(&test);
	ok(!state.groups && state.disables == 2 && !state.has_gone_back,
	   "source group: closing groups that count disables them first");
}

static void again(void)
{
	struct test_plan test;
	int reads = state.reads;

	two_groups(&test);
	ok(!test_open(&test, source, &error) && !test_read(&test, T0) && are_all_zero(&test) &&
	   state.reads == reads, "source group: a plan opened again begins with counts of 0");
	test_enable(&test, T0 + 1000);
	ok(!test_read(&test, T0 + 1010) && is_count(&test, 1, 10, 10),
	   "source group: a plan opened again counts");
	test_disable(&test, T0 + 1010);
	test_close(&test);
}

static void sessions(void)
{
	struct test_plan first, second;

	two_groups(&first);
	ok(!test_open(&first, source, &error),
	   "source session: the first session opens the source's groups");
	two_groups(&second);
	ok(test_open(&second, source, &error) == -EBUSY,
	   "source session: another session of the source is EBUSY");
	is_str(error.text, "source fake is in use by another session: open a source for each",
	       "source session: the error asks for a source for each session");
	test_close(&second);
	memcpy(&second, &first, sizeof(second));
	ok(source_plugin.open(source, &first.plan, 0, NULL, first.counts, &second.open[0], &error) ==
	   -EBUSY, "source session: a second session of the same plan is EBUSY");
	test_enable(&first, T0 + 2000);
	test_close(&first);
	two_groups(&second);
	ok(!test_open(&second, source, &error),
	   "source session: another session can open once the first has ended");
	test_close(&second);
	ok(!state.groups, "source session: no group is left open");
}

static void unsupported(void)
{
	static const int errors[] = { -ENOSPC, -EOPNOTSUPP, -ENOENT, -ENODEV };
	struct test_plan test;

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		two_groups(&test);
		state.group_open = errors[i];
		ok(!test_open(&test, source, &error) && !test.counts->slots[0].length &&
		   test.counts->slots[0].state == COUNT_NOT_SUPPORTED && !*error.text,
		   "source group: %s from group_open() makes it not supported, without an "
		   "error", strerror(-errors[i]));
		is_str(test.counts->slots[1].why, "fake: no such group",
		       "source group: a group that is not supported has the plugin's message");
		state.group_open = 0;
		ok(!test_enable(&test, T0 + 3000) && !test_read(&test, T0 + 3001) &&
		   !test_disable(&test, T0 + 3002) && state.time < T0 + 3000,
		   "source group: a group that is not supported is neither enabled nor read");
		test_close(&test);
	}
	memset(&test, 0, sizeof(test));
	test_group(&test, machine, "fake_0", "two one two one");
	test_group(&test, machine, "fake_1", "one");
	ok(!test_open(&test, source, &error) &&
	   test.counts->slots[3].state == COUNT_NOT_SUPPORTED && test.counts->slots[4].length == 1,
	   "source group: other groups are opened beside one that is not supported");
	test_enable(&test, T0 + 4000);
	ok(!test_read(&test, T0 + 4007) && is_count(&test, 4, 7, 7),
	   "source group: other groups count beside one that is not supported");
	test_close(&test);
}

static void failures(void)
{
	struct test_plan test;

	two_groups(&test);
	state.group_open = -EACCES;
	ok(test_open(&test, source, &error) == -EACCES,
	   "source group: EACCES from group_open() is an error");
	is_str(error.text, "fake: no such group",
	       "source group: an error of group_open() has the plugin's message");
	state.is_silent = true;
	test_close(&test);
	test_open(&test, source, &error);
	is_str(error.text, "fake_0: Permission denied",
	       "source group: an error without a message names the PMU and the errno");
	state.is_silent = false;
	test_close(&test);
	state.group_open = 7;
	ok(test_open(&test, source, NULL) == -EIO,
	   "source group: a positive result of group_open() is EIO");
	state.group_open = 0;
	test_close(&test);

	test_open(&test, source, &error);
	state.enable = -EIO;
	ok(test_enable(&test, T0 + 5000) == -EIO, "source group: an error of enable() is returned");
	ok(!test_read(&test, T0 + 5001) && are_all_zero(&test),
	   "source group: nothing counts after a failed enable()");
	state.enable = 0;
	test_close(&test);
	ok(!state.groups, "source group: all groups are closed after failures");
}

static void reading(void)
{
	struct test_plan test;

	two_groups(&test);
	test_open(&test, source, &error);
	test_enable(&test, T0 + 6000);
	ok(!test_read(&test, T0 + 6010) && is_count(&test, 2, 20, 10),
	   "source read: a PMU counts before the failure");
	state.read = -ENODEV;
	ok(!test_read(&test, T0 + 6020) && are_all_not_counted(&test, 0, 3),
	   "source read: ENODEV makes events not counted, without an error");
	is_str(test.counts->slots[2].why, "fake_1 could not be read: No such device",
	       "source read: an event that could not be read has the reason");
	state.read = -EIO;
	ok(test_read(&test, T0 + 6030) == -EIO && are_all_not_counted(&test, 0, 2),
	   "source read: EIO is an error, and the events are not counted");
	state.read = 3;
	ok(test_read(&test, T0 + 6035) == -EIO, "source read: a positive result is EIO");
	state.read = 0;
	state.is_lying = true;
	ok(test_read(&test, T0 + 6040) == -EIO && are_all_not_counted(&test, 0, 2),
	   "source read: a running time above the enabled time is EIO");
	state.is_lying = false;
	test_disable(&test, T0 + 6050);
	test_close(&test);
}

static int fits(const char *name, const char *events)
{
	const struct event_instance *instances[TEST_SLOTS];
	struct test_plan test = { 0 };

	test_group(&test, machine, name, events);
	for (size_t i = 0; i < test.plan.slot_count; i++)
		instances[i] = &test.instances[i];
	test.instances[0].is_cycle_counter = strstr(events, ":c") != NULL;
	return source_plugin.fits(source, instances, test.plan.slot_count);
}

static void fitting(void)
{
	const struct event_instance *instances[2];
	struct test_plan test;

	two_groups(&test);
	instances[0] = &test.instances[0];
	instances[1] = &test.instances[2];
	ok(source_plugin.fits(source, instances, 2) == -EINVAL,
	   "source fits: events of two PMUs are EINVAL");
	ok(source_plugin.fits(source, instances, 0) == 1, "source fits: an empty group fits");
	test.instances[0].pmu = NULL;
	ok(source_plugin.fits(source, instances, 1) == -EINVAL,
	   "source fits: an event of no PMU is EINVAL");
}

/* The groups of a PMU without a number of counters are probed. */
static void probing(void)
{
	struct test_plan test;

	ok(fits("fake_0", "one two one") == 1 && !fits("fake_0", "one two one two"),
	   "source fits: probing finds that three events fit and four do not");
	ok(!state.groups, "source fits: probed groups are closed");
	state.group_open = -EACCES;
	ok(fits("fake_0", "one") == -EACCES, "source fits: an error of a probe is returned");
	state.group_open = 0;
	two_groups(&test);
	test_open(&test, source, &error);
	test_enable(&test, T0);
	ok(fits("fake_0", "one") == -EBUSY,
	   "source fits: probing while the source counts is EBUSY");
	test_disable(&test, T0);
	test_close(&test);
}

/* Formats the configs of an event as "2 0 0 0 7". */
static const char *configs(size_t event, size_t length)
{
	static char text[256];
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64, i ? " " : "",
				      state.configs[event][i]);
	return text;
}

/*
 * Opens and reads a group of a plugin built with another gpmu-source.h, whose arrays have other
 * element sizes.
 */
static void other_sizes(const char *whose, uint64_t config4)
{
	struct perf_event_attr *attrs[2];
	struct test_plan test = { 0 };

	test_group(&test, machine, "fake_0", "two one");
	error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	for (size_t i = 0; i < 2; i++)
		attrs[i] = &test.instances[i].attr;
	attrs[0]->config2 = 4;
	attrs[1]->config1 = 5;
	attrs[1]->config3 = 6;
	attrs[1]->config4 = config4;
	ok(!test_open(&test, source, &error) && !test_enable(&test, T0) &&
	   !test_read(&test, T0 + 10) && is_count(&test, 0, 20, 10) && is_count(&test, 1, 10, 10),
	   "source sizes: a group of %s plugin is opened and read", whose);
	is_str(configs(0, 6), "2 0 4 0 0 0", "source sizes: the first event has its configs");
	is_str(configs(1, 4), "1 5 0 6", "source sizes: the second event has its configs");
	is_u64(state.configs[1][4], config4,
	       "source sizes: config4 is passed if the plugin has it");
	is_u64(state.configs[1][5], 0, "source sizes: numbers beyond ours are 0");
	test_disable(&test, T0 + 10);
	test_close(&test);
}

static void too_old(void)
{
	const struct event_instance *instances[2];
	static char name[] = "fake_0/one,config4=0x1/";
	struct test_plan test = { 0 };

	test_group(&test, machine, "fake_0", "two one");
	test_group(&test, machine, "fake_1", "one");
	test.instances[1].attr.config4 = 1ull << 56;
	test.instances[1].name = name;
	for (size_t i = 0; i < 2; i++)
		instances[i] = &test.instances[i];
	ok(source_plugin.fits(source, instances, 2) == -EOPNOTSUPP,
	   "source sizes: an older plugin is not asked for terms beyond its events");
	ok(!test_open(&test, source, &error) &&
	   test.counts->slots[0].state == COUNT_NOT_SUPPORTED && test.counts->slots[2].length == 1,
	   "source sizes: a group with terms beyond the plugin's events is not opened, others are");
	is_str(test.counts->slots[1].why,
	       "fake_0/one,config4=0x1/: the plugin of source fake is too old for its terms (config4)",
	       "source sizes: the reason names the plugin and the term");
	test_close(&test);
}

static void set_up(enum fake_show show)
{
	struct sysroot root;
	char spec[600];

	memset(&state, 0, sizeof(state));
	state.show = show;
	snprintf(spec, sizeof(spec), "%s=%p", FAKE, (void *)&state);
	sysroot_make(&root, "vm");
	machine = gpmu_machine_new(root.path, &error);
	source = gpmu_source_new(spec, &error);
	if (!machine || !source || gpmu_machine_add_source(machine, source, &error))
		test_bail(error.text);
	sysroot_release(&root);
}

static void tear_down(void)
{
	gpmu_machine_free(machine);
	gpmu_source_put(source);
	ok(state.closes == 1, "source: each one is closed once");
}

int main(void)
{
	set_up(FAKE_SHOW_GOOD);
	counting();
	again();
	sessions();
	unsupported();
	failures();
	reading();
	fitting();
	tear_down();
	set_up(FAKE_SHOW_UNKNOWN);
	probing();
	tear_down();
	set_up(FAKE_SHOW_GOOD);
	other_sizes("a new", 7);
	tear_down();
	setenv("FAKE_TABLE", "newer", 1);
	set_up(FAKE_SHOW_GOOD);
	other_sizes("a newer", 7);
	tear_down();
	setenv("FAKE_TABLE", "older", 1);
	set_up(FAKE_SHOW_GOOD);
	other_sizes("an older", 0);
	too_old();
	tear_down();
	return done_testing();
}
