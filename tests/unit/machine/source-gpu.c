// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parts of a source that GPUs need: GPUs by UUID and their rows, events that only the plugin
 * knows by name, means, an absent event in a group, prepare(), message(), query().
 */
#include "count/session-test.h"
#include "plugin/source-fake.h"

static struct fake_state state;
static char logged[512];	/* the last line logged */
static int tellings;

static const struct gpmu_session_options system_wide = {
	.size = sizeof(system_wide),
	.system = 1,
};

static void hear(int level, const char *line, void *user)
{
	(void)user;
	tellings += level == GPMU_LOG_WARNING;
	snprintf(logged, sizeof(logged), "%s", line);
}

static void is_text(const char *got, const char *want, const char *what)
{
	if (!ok(got && !strcmp(got, want), "%s", what))
		diag("got \"%s\", want \"%s\"", got ? got : "(none)", want);
}

static const char *spec(void)
{
	static char text[600];

	snprintf(text, sizeof(text), "%s=%p", FAKE, (void *)&state);
	return text;
}

static void start(struct test *test, const char *metrics, const char *events)
{
	memset(&state, 0, sizeof(state));
	state.has_gpus = true;
	test_plan(test, "gh200", spec(), metrics, events);
}

static bool is_gpu(const struct gpmu_row *r, const char *uuid, int number)
{
	return r->scope == GPMU_SCOPE_GPU && r->gpu && !strcmp(r->gpu, uuid) &&
	       r->gpu_number == number && r->source && !strcmp(r->source, "fake");
}

static void machine(void)
{
	const struct gpmu_gpu *gpu;
	struct test test;

	start(&test, NULL, "fake_0/one/");
	gpu = gpmu_machine_gpu(test.machine, 1);
	ok(gpu && !strcmp(gpmu_gpu_uuid(gpu), "GPU-b") && !strcmp(gpmu_gpu_name(gpu), "Fake 2") &&
		   !strcmp(gpmu_gpu_chip(gpu), "FK100") && !gpmu_gpu_pci(gpu) &&
		   gpmu_gpu_number(gpu) == 1,
	   "source GPU: a machine has the source's GPUs with their names, chips and numbers");
	ok(gpmu_pmu_gpu(gpmu_machine_find_pmu(test.machine, "fake_1")) == gpu,
	   "source GPU: a PMU has its GPU");
	ok(!gpmu_machine_gpu(test.machine, 2) &&
		   !gpmu_pmu_gpu(gpmu_machine_find_pmu(test.machine, "nvidia_scf_pmu_0")),
	   "source GPU: there are two GPUs, and other PMUs have none");
	test_release(&test);
}

static void refused(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *empty = gpmu_machine_new("/var/empty/none", NULL);
	struct gpmu_source *source;

	empty = empty ? empty : gpmu_machine_new(NULL, NULL);
	memset(&state, 0, sizeof(state));
	state.show = FAKE_SHOW_UUID;
	source = gpmu_source_new(spec(), NULL);
	ok(empty && source && gpmu_machine_add_source(empty, source, &error) == -EINVAL &&
		   strstr(error.text, "UUID"),
	   "source GPU: a GPU without a UUID is refused");
	ok(!gpmu_machine_gpu(empty, 0), "source GPU: a refused GPU is not added to the machine");
	gpmu_source_put(source);
	gpmu_machine_free(empty);
}

static void rows(void)
{
	struct test test;

	start(&test, NULL, "fake/one/");
	test_start(&test, &system_wide);
	ok(!test_interval(&test) && test.rows->length == 2,
	   "source GPU: an event on two GPUs has a row for each");
	ok(is_gpu(row(&test, 0), "GPU-a", 0) && is_gpu(row(&test, 1), "GPU-b", 1),
	   "source GPU: a row has the GPU's UUID, its number and the source's name");
	ok(row(&test, 0)->node == 0 && row(&test, 1)->node == 7,
	   "source GPU: a row has the GPU's node");
	test_release(&test);
}

/*
 * Returns the node of the GPU at a PCI address of the named machine; @numa_node, if not NULL,
 * replaces the device's.
 */
static int node_of(const char *name, const char *pci, const char *numa_node)
{
	struct sysroot root;
	struct gpmu_machine *machine;
	struct gpmu_source *source;
	const struct gpmu_node *found;
	char path[128];
	int node = -2;

	memset(&state, 0, sizeof(state));
	state.has_gpus = true;
	state.pci = pci;
	sysroot_make(&root, name);
	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/numa_node", pci);
	if (numa_node)
		sysroot_put(&root, path, numa_node);
	machine = gpmu_machine_new(root.path, NULL);
	source = gpmu_source_new(spec(), NULL);
	if (machine && source && !gpmu_machine_add_source(machine, source, NULL)) {
		found = gpmu_pmu_node(gpmu_machine_find_pmu(machine, "fake_0"));
		node = found ? gpmu_node_number(found) : -1;
	}
	gpmu_source_put(source);
	gpmu_machine_free(machine);
	sysroot_release(&root);
	return node;
}

static void pci_nodes(void)
{
	struct test test;

	ok(node_of("gh200", "0009:01:00.0", NULL) == 0 &&
		   node_of("superchip", "0008:01:00.0", "1\n") == 1,
	   "source GPU: without a node of its own, a GPU has that of its PCI device");
	ok(node_of("gh4", "0039:01:00.0", NULL) == 3,
	   "source GPU: on a Grace without numa_node a GPU has the node of its socket's number");
	ok(node_of("gh4", "0049:01:00.0", NULL) == -1,
	   "source GPU: a PCI domain without a socket gives no node");
	ok(node_of("laptop", "0000:00:02.0", NULL) == -1,
	   "source GPU: a PCI device without a node gives no node");
	ok(node_of("laptop", "0000:00:02.0", "5\n") == -1,
	   "source GPU: a node that the machine lacks gives no node");
	ok(node_of("laptop", "0000:00:02.0", "0\n") == 0,
	   "source GPU: a PCI device's node counts on machines other than Grace");
	ok(node_of("laptop", "../devices/0000:00:02.0", NULL) == -1,
	   "source GPU: a malformed PCI address gives no node");
	memset(&state, 0, sizeof(state));
	state.has_gpus = true;
	state.pci = "0039:01:00.0";
	test_plan(&test, "gh4", spec(), NULL, "fake/one/");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(is_gpu(row(&test, 0), "GPU-a", 0) && row(&test, 0)->node == 3 &&
		   row(&test, 0)->package == 684,
	   "source GPU: rows have the node of the PCI device and its package");
	test_release(&test);
}

static void means(void)
{
	struct test test;

	start(&test, NULL, "fake_0/mean/,fake_0/unlisted.sum/");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9) && !strcmp(row(&test, 0)->unit, "%"),
	   "source GPU: a mean is the integral divided by the time, times its scale");
	ok(!strcmp(row(&test, 1)->unit, "B") && row(&test, 1)->raw > 0,
	   "source GPU: an event that is not listed is found by its name");
	test_interval(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9),
	   "source GPU: a mean in the second interval is that of the interval");
	gpmu_session_disable(test.session);
	test_total(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9),
	   "source GPU: a mean in the total is that of all the time");
	test_release(&test);
}

static void absent(void)
{
	struct test test;

	start(&test, NULL, "{fake_0/one/,fake_0/absent/}");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_STATE_OK,
	   "source GPU: an event in a group with an absent one is counted");
	is_state(&test, 1, GPMU_STATE_NOT_SUPPORTED, "its unit is absent",
		 "source GPU: an absent event of a group is not supported, with the plugin's reason");
	test_interval(&test);
	is_state(&test, 1, GPMU_STATE_NOT_SUPPORTED, "its unit is absent",
		 "source GPU: an absent event stays not supported in later intervals");
	test_release(&test);
}

static void preparing(void)
{
	struct test test;

	start(&test, NULL, "fake_0/one/,fake_1/two/,fake_0/mean/");
	ok(!test_session(&test, &system_wide) && state.prepares == 1 &&
		   state.prepared_groups == state.groups && state.groups >= 2 && !state.enables,
	   "source GPU: prepare() is called once, after all groups are opened and before enable()");
	test_stop(&test);
	test_session(&test, &system_wide);
	ok(state.prepares == 2, "source GPU: prepare() is called again for another session");
	test_stop(&test);
	state.prepare = -EBUSY;
	ok(test_session(&test, &system_wide) == EBUSY &&
		   !strcmp(test.error.text, "source fake: fake: it is not ready"),
	   "source GPU: a failed prepare() fails the session with its message");
	ok(!state.groups, "source GPU: a failed prepare() leaves no group open");
	state.is_silent = true;
	test_session(&test, &system_wide);
	ok(strstr(test.error.text, strerror(EBUSY)) != NULL,
	   "source GPU: a failed prepare() without a message has the text of its errno");
	test_release(&test);
}

static void messages(void)
{
	struct test test;

	gpmu_log_set(hear, NULL);
	memset(&state, 0, sizeof(state));
	state.has_gpus = true;
	state.message = "GPU-a is busy";
	test_plan(&test, "gh200", spec(), NULL, "fake_0/one/");
	is_text(logged, "GPU-a is busy", "source GPU: a message after open() is logged");
	state.message = "prepared";
	test_session(&test, &system_wide);
	is_text(logged, "prepared", "source GPU: a message after prepare() is logged");
	gpmu_session_enable(test.session);
	state.message = "a gap of 3 ms";
	test_interval(&test);
	is_text(logged, "a gap of 3 ms", "source GPU: a message after a read is logged");
	state.message = "the end";
	gpmu_session_disable(test.session);
	is_text(logged, "the end", "source GPU: a message after disable() is logged");
	ok(tellings == 4, "source GPU: each message is logged once, as a warning");
	gpmu_log_set(NULL, NULL);
	test_release(&test);
}

static void questions(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_source *source;
	char *answer;

	memset(&state, 0, sizeof(state));
	source = gpmu_source_new(spec(), NULL);
	ok(!gpmu_source_query(source, "gpus", &answer, &error), "source GPU: a query succeeds");
	is_text(answer, "[\"GPU-a\"]", "source GPU: a query has its answer");
	free(answer);
	ok(gpmu_source_query(source, "what", &answer, &error) == -ENOENT && !answer &&
		   strstr(error.text, "\"what\": the plugin has no such query"),
	   "source GPU: an unknown query is ENOENT");
	ok(gpmu_source_query(source, "fails", &answer, &error) == -EPERM && !answer &&
		   !strcmp(error.text, "fake: you may not ask that"),
	   "source GPU: a failed query has the plugin's message");
	ok(gpmu_source_query(source, "nothing", &answer, NULL) == -EIO && !answer,
	   "source GPU: a query without an answer is EIO");
	gpmu_source_put(source);
	source = gpmu_source_new(MODEL "=metrics/sources/model/scenarios/steady.scenario", NULL);
	ok(source && gpmu_source_query(source, "gpus", &answer, &error) == -ENOENT,
	   "source GPU: a query to a plugin without query() is ENOENT");
	gpmu_source_put(source);
}

static void suggestions(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct test test;

	start(&test, NULL, "fake_0/one/");
	ok(!gpmu_event_new(test.machine, NULL, "fake_0/absend/", &error) &&
		   strstr(error.text, "absent"),
	   "source GPU: the error for a misspelt event suggests the plugin's nearest name");
	test_release(&test);
}

int main(void)
{
	machine();
	refused();
	rows();
	pci_nodes();
	means();
	absent();
	preparing();
	messages();
	questions();
	suggestions();
	return done_testing();
}
