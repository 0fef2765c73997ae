// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * What GPUs need of a source: GPUs by their UUID and rows of each, events that only the
 * plugin knows by name, means, an event that is absent in a group that counts, preparing,
 * messages, questions.
 */
#include "count/session-test.h"
#include "plugin/source-fake.h"

static struct fake_state state;
static char told[512];	/* the last that went to the log */
static int tellings;

static const struct gpmu_session_options system_wide = {
	.size = sizeof(system_wide),
	.system = 1,
};

static void hear(int level, const char *line, void *user)
{
	(void)user;
	tellings += level == GPMU_LOG_WARNING;
	snprintf(told, sizeof(told), "%s", line);
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
	state.gpus = true;
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
	   "a machine has the GPUs of its source, with what that says");
	ok(gpmu_pmu_gpu(gpmu_machine_find_pmu(test.machine, "fake_1")) == gpu,
	   "and its PMUs know theirs");
	ok(!gpmu_machine_gpu(test.machine, 2) &&
		   !gpmu_pmu_gpu(gpmu_machine_find_pmu(test.machine, "nvidia_scf_pmu_0")),
	   "the others have none");
	test_release(&test);
}

static void refused(void)
{
	struct gpmu_error error = { .text = "" };
	struct gpmu_machine *empty = gpmu_machine_new("/var/empty/none", NULL);
	struct gpmu_source *source;

	empty = empty ? empty : gpmu_machine_new(NULL, NULL);
	memset(&state, 0, sizeof(state));
	state.show = FAKE_SHOW_UUID;
	source = gpmu_source_new(spec(), NULL);
	ok(empty && source && gpmu_machine_add_source(empty, source, &error) == -EINVAL &&
		   strstr(error.text, "UUID"),
	   "a GPU without a UUID is refused");
	ok(!gpmu_machine_gpu(empty, 0), "and the machine has none then");
	gpmu_source_put(source);
	gpmu_machine_free(empty);
}

static void rows(void)
{
	struct test test;

	start(&test, NULL, "fake/one/");
	test_start(&test, &system_wide);
	ok(!test_interval(&test) && test.n == 2, "an event of two GPUs has a row for each");
	ok(is_gpu(row(&test, 0), "GPU-a", 0) && is_gpu(row(&test, 1), "GPU-b", 1),
	   "with its UUID, its number, and who has counted it");
	ok(row(&test, 0)->node == 0 && row(&test, 1)->node == 7, "and its node");
	test_release(&test);
}

/* The node of a GPU at a PCI address of a machine, whose numa_node may be changed */
static int node_of(const char *name, const char *pci, const char *numa_node)
{
	struct sysroot root;
	struct gpmu_machine *machine;
	struct gpmu_source *source;
	const struct gpmu_node *found;
	char path[128];
	int node = -2;

	memset(&state, 0, sizeof(state));
	state.gpus = true;
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
	   "where the source does not tell a GPU's node, it is that of its PCI device");
	ok(node_of("gh4", "0039:01:00.0", NULL) == 3,
	   "of a Grace whose firmware does not tell, that of the socket's number");
	ok(node_of("gh4", "0049:01:00.0", NULL) == -1, "none where there is no such socket");
	ok(node_of("laptop", "0000:00:02.0", NULL) == -1, "or the device has none");
	ok(node_of("laptop", "0000:00:02.0", "5\n") == -1, "or the machine has no such node");
	ok(node_of("laptop", "0000:00:02.0", "0\n") == 0, "which need not be a Grace");
	ok(node_of("laptop", "../devices/0000:00:02.0", NULL) == -1,
	   "what is no address is not looked for");
	memset(&state, 0, sizeof(state));
	state.gpus = true;
	state.pci = "0039:01:00.0";
	test_plan(&test, "gh4", spec(), NULL, "fake/one/");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(is_gpu(row(&test, 0), "GPU-a", 0) && row(&test, 0)->node == 3 &&
		   row(&test, 0)->package == 684,
	   "rows have it, and its package");
	test_release(&test);
}

static void means(void)
{
	struct test test;

	start(&test, NULL, "fake_0/mean/,fake_0/unlisted.sum/");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9) && !strcmp(row(&test, 0)->unit, "%"),
	   "a mean is the integral over the time, times its scale");
	ok(!strcmp(row(&test, 1)->unit, "B") && row(&test, 1)->raw > 0,
	   "an event that is not listed is found by its name");
	test_interval(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9), "in each interval");
	gpmu_session_disable(test.session);
	test_total(&test);
	ok(close_to(row(&test, 0)->value, 1.5, 1e-9), "and in all of them");
	test_release(&test);
}

static void absent(void)
{
	struct test test;

	start(&test, NULL, "{fake_0/one/,fake_0/absent/}");
	test_start(&test, &system_wide);
	test_interval(&test);
	ok(row(&test, 0)->state == GPMU_OK, "in a group with an event that is absent others count");
	is_state(&test, 1, GPMU_NOT_SUPPORTED, "its unit is absent", "which is not supported");
	test_interval(&test);
	is_state(&test, 1, GPMU_NOT_SUPPORTED, "its unit is absent", "in later intervals too");
	test_release(&test);
}

static void preparing(void)
{
	struct test test;

	start(&test, NULL, "fake_0/one/,fake_1/two/,fake_0/mean/");
	ok(!test_session(&test, &system_wide) && state.prepares == 1 &&
		   state.prepared_groups == state.groups && state.groups >= 2 && !state.enables,
	   "a source prepares once all groups are open, and does not count yet");
	test_stop(&test);
	test_session(&test, &system_wide);
	ok(state.prepares == 2, "again for another session");
	test_stop(&test);
	state.prepare = -EBUSY;
	ok(test_session(&test, &system_wide) == EBUSY &&
		   !strcmp(test.error.text, "source fake: fake: it is not ready"),
	   "where it cannot, there is no session, and it says why");
	ok(!state.groups, "and nothing is left open");
	state.silent = true;
	test_session(&test, &system_wide);
	ok(strstr(test.error.text, strerror(EBUSY)) != NULL, "or the error does");
	test_release(&test);
}

static void messages(void)
{
	struct test test;

	gpmu_log_set(hear, NULL);
	memset(&state, 0, sizeof(state));
	state.gpus = true;
	state.message = "GPU-a is busy";
	test_plan(&test, "gh200", spec(), NULL, "fake_0/one/");
	is_text(told, "GPU-a is busy", "what a source has to say after it is opened goes to the log");
	state.message = "prepared";
	test_session(&test, &system_wide);
	is_text(told, "prepared", "as after preparing");
	gpmu_session_enable(test.session);
	state.message = "a gap of 3 ms";
	test_interval(&test);
	is_text(told, "a gap of 3 ms", "after reading");
	state.message = "the end";
	gpmu_session_disable(test.session);
	is_text(told, "the end", "after the end");
	ok(tellings == 4, "each once, as a warning");
	gpmu_log_set(NULL, NULL);
	test_release(&test);
}

static void questions(void)
{
	struct gpmu_error error = { .text = "" };
	struct gpmu_source *source;
	char *answer;

	memset(&state, 0, sizeof(state));
	source = gpmu_source_new(spec(), NULL);
	ok(!gpmu_source_query(source, "gpus", &answer, &error), "a source is asked");
	is_text(answer, "[\"GPU-a\"]", "and answers");
	free(answer);
	ok(gpmu_source_query(source, "what", &answer, &error) == -ENOENT && !answer &&
		   strstr(error.text, "\"what\": it knows no such question"),
	   "what it does not know is ENOENT");
	ok(gpmu_source_query(source, "fails", &answer, &error) == -EPERM && !answer &&
		   !strcmp(error.text, "fake: you may not ask that"),
	   "what fails has its message");
	ok(gpmu_source_query(source, "nothing", &answer, NULL) == -EIO && !answer,
	   "no answer is a failure");
	gpmu_source_put(source);
	source = gpmu_source_new(MODEL "=metrics/sources/model/scenarios/steady.scenario", NULL);
	ok(source && gpmu_source_query(source, "gpus", &answer, &error) == -ENOENT,
	   "so is a question to one that answers none");
	gpmu_source_put(source);
}

static void suggestions(void)
{
	struct gpmu_error error = { .text = "" };
	struct test test;

	start(&test, NULL, "fake_0/one/");
	ok(!gpmu_event_new(test.machine, NULL, "fake_0/absend/", &error) &&
		   strstr(error.text, "absent"),
	   "a name that is nearly one of the plugin's is told so");
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
