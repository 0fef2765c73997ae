// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Contract of gpmu-cupti.so: the query "check", which reports the driver, CUPTI and the GPUs, and why a GPU cannot be
 * sampled; and the option "check", with which open() succeeds without a usable GPU.
 */
#include "answers.h"
#include "contract.h"

#define FIRST	"GPU-6f2a1c00-0001-4a00-8000-000000000001"

/* The answer; it is valid until the next call. */
static const char *ask(const char *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	static char *answer;
	void *source = open_source(options);

	free(answer);
	answer = NULL;
	ok(!plugin->query(source, "check", &answer, &error), "the query \"check\" is answered: %s", error.text);
	plugin->close(source);
	return answer ? answer : "";
}

static void has(const char *answer, const char *text)
{
	if (!ok(strstr(answer, text) != NULL, "the answer contains %s", text))
		diag("%s", answer);
}

/* A GPU that can be sampled, with and without the option */
static void test_well(void)
{
	static const char *const options[] = { "check", "" };

	for (size_t i = 0; i < 2; i++) {
		const char *answer = ask(options[i]);

		has(answer, "\"driver\":\"13.0\"");
		has(answer, "\"version\":130001,\"cuda\":\"13.0\"");
		has(answer, "/libcupti.so.13\"");
		has(answer, "},\"trouble\":null,\"gpus\":[{\"index\":0,\"uuid\":\"" FIRST "\","
		    "\"name\":\"NVIDIA H200\",\"chip\":\"GH100\",\"pci\":\"0000:18:00.0\",\"trouble\":null}]}");
	}
}

/* The first GPU cannot be sampled, and has a "trouble" of @kind; the second can. */
static void trouble(const char *setting, const char *kind, const char *remedy)
{
	char settings[128], want[256];
	const char *answer;

	snprintf(settings, sizeof(settings), "reset machine=h200x2 %s", setting);
	fake_set(settings);
	answer = ask("check");
	snprintf(want, sizeof(want), "\"pci\":\"0000:18:00.0\",\"trouble\":{\"kind\":\"%s\",\"text\":\"", kind);
	has(answer, want);
	snprintf(want, sizeof(want), "\"remedy\":%s", remedy);
	has(answer, want);
	has(answer, "\"pci\":\"0000:2a:00.0\",\"trouble\":null");
}

static void test_troubles(void)
{
	trouble("enable=0:26", "busy", "\"end that program, or if it is DCGM: dcgmi profile --pause\"");
	trouble("enable=0:35", "permission", "\"run as root, or load the driver with "
		"NVreg_RestrictProfilingToAdminUsers=0\"");
	trouble("enable=0:43", "mig", "\"nvidia-smi -mig 0\"");
	trouble("enable=0:33", "vgpu", "null");
	trouble("enable=0:41", "confidential", "\"set its mode to devtools or off on the host\"");
	trouble("enable=0:999", "other", "null");
	trouble("support=0:vgpu", "vgpu", "\"set its plugin parameter enable_profiling to 1 on the host\"");
	trouble("support=0:sli", "sli", "null");
	trouble("support=0:architecture", "chip", "null");
}

/* No GPU can be sampled: open() fails without the option and succeeds with it. */
static void none(const char *setting, const char *want)
{
	struct gpmu_error error = { .size = sizeof(error) };
	char settings[128], *text = NULL;
	void *source = NULL;
	const char *answer;

	snprintf(settings, sizeof(settings), "reset %s", setting);
	fake_set(settings);
	ok(plugin->open(&source, "", &error) < 0 && *error.text, "%s: open() without the option check fails: %s",
	   setting, error.text);
	answer = ask("check");
	has(answer, want);
	has(answer, "\"gpus\":[]}");
	source = open_source("check");
	ok(!plugin->pmu(source, 0), "a source without usable GPUs has no PMU");
	ok(plugin->query(source, "metrics", &text, &error) == -ENODEV && !text && is_line(error.text),
	   "queries other than \"check\" are refused: %s", error.text);
	plugin->close(source);
}

static void test_none(void)
{
	none("driver=12080", "{\"driver\":\"12.8\",\"cupti\":null,\"trouble\":{\"kind\":\"cupti\",\"text\":\"CUPTI is of CUDA "
	     "13.0, the driver for CUDA 12.8\",\"remedy\":\"install the CUPTI of CUDA 12.8\"}");
	none("driver=12020", "{\"driver\":\"12.2\",\"cupti\":null,\"trouble\":{\"kind\":\"driver\",\"text\":\"the driver is "
	     "for CUDA 12.2\"");
	none("cuinit=999", "\"trouble\":{\"kind\":\"driver\"");
	none("cupti=18", "\"trouble\":{\"kind\":\"cupti\"");
}

static void test_no_gpu(void)
{
	none("machine=none", "\"trouble\":{\"kind\":\"gpu\",\"text\":\"the CUDA driver finds no GPU\",\"remedy\":null}");
}

static void test_memory(void)
{
	void *source = open_source("check");

	answers_fail_each(plugin, source, "check");
	plugin->close(source);
}

int main(void)
{
	run_case("a GPU that can be sampled", "machine=h200", test_well);
	run_case("GPUs that cannot be sampled", "machine=h200x2", test_troubles);
	run_case("no driver or no CUPTI", "machine=h200", test_none);
	run_case("no GPU", "machine=none", test_no_gpu);
	run_case("no memory", "machine=h200", test_memory);
	return done_testing();
}
