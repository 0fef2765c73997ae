// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Groups that a plugin counts, by one that does what it is told: places, times, what is
 * not supported, what fails, what vanishes. FAKE is the path of source-fake.c, built.
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
static struct gpmu_error error;

/* A plan with two groups: "two one" of fake_0, "two" of fake_1 */
static struct test_plan *two_groups(struct test_plan *test)
{
	memset(test, 0, sizeof(*test));
	test_group(test, machine, "fake_0", "two one");
	test_group(test, machine, "fake_1", "two:5");
	error = (struct gpmu_error){ 0 };
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

static bool all_not_counted(const struct test_plan *test, size_t first, size_t length)
{
	for (size_t i = first; i < first + length; i++)
		if (test->counts->slots[i].length != 1 ||
		    test->counts->slots[i].counts[0].state != COUNT_NOT_COUNTED)
			return false;
	return true;
}

static bool all_zero(const struct test_plan *test)
{
	for (size_t i = 0; i < test->plan.n_slots; i++)
		if (!is_count(test, i, 0, 0))
			return false;
	return true;
}

static void counting(void)
{
	const struct place *place;
	struct test_plan test;

	two_groups(&test);
	ok(!test_open(&test, source, &error) && state.groups == 2, "two groups are opened");
	ok(!state.enables && all_zero(&test), "they do not count yet");
	ok(state.configs[0][0] == 2 && state.configs[0][1] == 5 && !state.configs[0][2],
	   "the plugin gets config and config1");
	place = test.counts->slots[0].places;
	ok(test.counts->slots[0].length == 1 && place->cpu == -1 && !place->node && place->tid == -1,
	   "an event has one place: the PMU's node, of no CPU, of no task");
	is_u64((uint64_t)test.counts->slots[2].places->node, 7, "that of the other PMU is its node");
	ok(!test_read(&test, T0) && !state.reads && all_zero(&test),
	   "before they are enabled nothing is read");
	ok(!test_enable(&test, T0) && state.enables == 1, "the plugin is enabled once for all groups");
	ok(!test_read(&test, T0) && state.reads == 2 && all_zero(&test),
	   "at once nothing has counted yet");
	ok(!test_read(&test, T0 + 10) && is_count(&test, 0, 20, 10) && is_count(&test, 1, 10, 10) &&
	   is_count(&test, 2, 20, 10), "then each event of each group counts");
	ok(!test_read(&test, T0 + 15) && is_count(&test, 0, 30, 15), "counts are cumulative");
	ok(!test_read(&test, T0 + 12) && is_count(&test, 0, 30, 15) && !state.backwards,
	   "a time before that is not handed on to the plugin");
	ok(!test_disable(&test, T0 + 20) && state.disables == 1, "it is disabled once");
	ok(!test_read(&test, T0 + 50) && is_count(&test, 1, 20, 20), "what was counted stays");
	ok(!test_enable(&test, T0 + 100) && !test_read(&test, T0 + 101) && is_count(&test, 1, 21, 21),
	   "enabled again it goes on");
	test_close(&test);
	ok(!state.groups && state.disables == 2 && !state.backwards,
	   "groups that are closed while they count are disabled before");
}

static void again(void)
{
	struct test_plan test;
	int reads = state.reads;

	two_groups(&test);
	ok(!test_open(&test, source, &error) && !test_read(&test, T0) && all_zero(&test) &&
	   state.reads == reads, "the plan can be opened again, and begins anew");
	test_enable(&test, T0 + 1000);
	ok(!test_read(&test, T0 + 1010) && is_count(&test, 1, 10, 10), "... counting");
	test_disable(&test, T0 + 1010);
	test_close(&test);
}

static void sessions(void)
{
	struct test_plan first, second;

	two_groups(&first);
	ok(!test_open(&first, source, &error), "a session has the source");
	two_groups(&second);
	ok(test_open(&second, source, &error) == -EBUSY, "another one is refused");
	is_str(error.text, "source fake is in use by another session: open a source for each",
	       "with a message");
	test_close(&second);
	memcpy(&second, &first, sizeof(second));
	ok(source_plugin.open(source, &first.plan, 0, NULL, first.counts, &second.open[0], &error) ==
	   -EBUSY, "so is a second one of the same plan");
	test_enable(&first, T0 + 2000);
	test_close(&first);
	two_groups(&second);
	ok(!test_open(&second, source, &error), "once the first has ended it is let in");
	test_close(&second);
	ok(!state.groups, "no group is left open");
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
		   "%s is no failure, but not supported", strerror(-errors[i]));
		is_str(test.counts->slots[1].why, "fake: no such group", "... and why");
		state.group_open = 0;
		ok(!test_enable(&test, T0 + 3000) && !test_read(&test, T0 + 3001) &&
		   !test_disable(&test, T0 + 3002) && state.time < T0 + 3000,
		   "... it is not enabled and not read");
		test_close(&test);
	}
	memset(&test, 0, sizeof(test));
	test_group(&test, machine, "fake_0", "two one two one");
	test_group(&test, machine, "fake_1", "one");
	ok(!test_open(&test, source, &error) &&
	   test.counts->slots[3].state == COUNT_NOT_SUPPORTED && test.counts->slots[4].length == 1,
	   "the other groups are opened");
	test_enable(&test, T0 + 4000);
	ok(!test_read(&test, T0 + 4007) && is_count(&test, 4, 7, 7), "and count");
	test_close(&test);
}

static void failures(void)
{
	struct test_plan test;

	two_groups(&test);
	state.group_open = -EACCES;
	ok(test_open(&test, source, &error) == -EACCES, "another error is one");
	is_str(error.text, "fake: no such group", "with the plugin's message");
	state.silent = true;
	test_close(&test);
	test_open(&test, source, &error);
	is_str(error.text, "fake_0: Permission denied", "or one that names the PMU");
	state.silent = false;
	test_close(&test);
	state.group_open = 7;
	ok(test_open(&test, source, NULL) == -EIO, "a number that is no error is one all the same");
	state.group_open = 0;
	test_close(&test);

	test_open(&test, source, &error);
	state.enable = -EIO;
	ok(test_enable(&test, T0 + 5000) == -EIO, "enabling may fail");
	ok(!test_read(&test, T0 + 5001) && all_zero(&test), "nothing counts then");
	state.enable = 0;
	test_close(&test);
	ok(!state.groups, "and all groups are closed");
}

static void reading(void)
{
	struct test_plan test;

	two_groups(&test);
	test_open(&test, source, &error);
	test_enable(&test, T0 + 6000);
	ok(!test_read(&test, T0 + 6010) && is_count(&test, 2, 20, 10), "a PMU counts");
	state.read = -ENODEV;
	ok(!test_read(&test, T0 + 6020) && all_not_counted(&test, 0, 3),
	   "when it vanishes its events are not counted, which is no failure");
	is_str(test.counts->slots[2].why, "fake_1 could not be read: No such device", "... and why");
	state.read = -EIO;
	ok(test_read(&test, T0 + 6030) == -EIO && all_not_counted(&test, 0, 2),
	   "another error is one; the events are not counted");
	state.read = 3;
	ok(test_read(&test, T0 + 6035) == -EIO, "so is a number that is none");
	state.read = 0;
	state.lies = true;
	ok(test_read(&test, T0 + 6040) == -EIO && all_not_counted(&test, 0, 2),
	   "and an event that ran longer than it was enabled");
	state.lies = false;
	test_disable(&test, T0 + 6050);
	test_close(&test);
}

static int fits(const char *name, const char *events)
{
	const struct event_instance *instances[TEST_SLOTS];
	struct test_plan test = { 0 };

	test_group(&test, machine, name, events);
	for (size_t i = 0; i < test.plan.n_slots; i++)
		instances[i] = &test.instances[i];
	test.instances[0].cycle_counter = strstr(events, ":c") != NULL;
	return source_plugin.fits(source, instances, test.plan.n_slots);
}

static void fitting(void)
{
	const struct event_instance *instances[2];
	struct test_plan test;

	two_groups(&test);
	instances[0] = &test.instances[0];
	instances[1] = &test.instances[2];
	ok(source_plugin.fits(source, instances, 2) == -EINVAL, "events of two PMUs are no group");
	ok(source_plugin.fits(source, instances, 0) == 1, "no events fit");
	test.instances[0].pmu = NULL;
	ok(source_plugin.fits(source, instances, 1) == -EINVAL,
	   "an event of no PMU is not the source's");
}

/* A PMU that does not say how many counters it has is asked. */
static void probing(void)
{
	struct test_plan test;

	ok(fits("fake_0", "one two one") == 1 && !fits("fake_0", "one two one two"),
	   "tried out, three events fit, four do not");
	ok(!state.groups, "what was tried is closed");
	state.group_open = -EACCES;
	ok(fits("fake_0", "one") == -EACCES, "what cannot be tried is not known");
	state.group_open = 0;
	two_groups(&test);
	test_open(&test, source, &error);
	test_enable(&test, T0);
	ok(fits("fake_0", "one") == -EBUSY, "nor while the source counts");
	test_disable(&test, T0);
	test_close(&test);
}

/* The configs of an event, "2 0 0 0 7" */
static const char *configs(size_t event, size_t length)
{
	static char text[256];
	size_t n = 0;

	for (size_t i = 0; i < length; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%" PRIu64, i ? " " : "",
				      state.configs[event][i]);
	return text;
}

/* Opened and read, by a plugin of another libgpmu; its arrays are not of the size of ours. */
static void other_sizes(const char *whose, uint64_t config4)
{
	struct perf_event_attr *attrs[2];
	struct test_plan test = { 0 };

	test_group(&test, machine, "fake_0", "two one");
	error = (struct gpmu_error){ 0 };
	for (size_t i = 0; i < 2; i++)
		attrs[i] = &test.instances[i].attr;
	attrs[0]->config2 = 4;
	attrs[1]->config1 = 5;
	attrs[1]->config3 = 6;
	attrs[1]->config4 = config4;
	ok(!test_open(&test, source, &error) && !test_enable(&test, T0) &&
	   !test_read(&test, T0 + 10) && is_count(&test, 0, 20, 10) && is_count(&test, 1, 10, 10),
	   "%s plugin's events are its own, and what it counts is read", whose);
	is_str(configs(0, 6), "2 0 4 0 0 0", "... the first of them");
	is_str(configs(1, 4), "1 5 0 6", "... and the second");
	is_u64(state.configs[1][4], config4, "... with what it has of config4");
	is_u64(state.configs[1][5], 0, "... and 0 where it expects more");
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
	   "an older plugin is not asked for what its events have no room for");
	ok(!test_open(&test, source, &error) &&
	   test.counts->slots[0].state == COUNT_NOT_SUPPORTED && test.counts->slots[2].length == 1,
	   "nor is a group of it opened; others are");
	is_str(test.counts->slots[1].why,
	       "fake_0/one,config4=0x1/: the plugin of source fake is too old for its terms (config4)",
	       "... and why");
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
	ok(state.closes == 1, "the source is closed in the end");
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
