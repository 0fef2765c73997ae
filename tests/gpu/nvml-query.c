// SPDX-License-Identifier: LGPL-2.1-or-later
/* The answers of the plugin nvml to queries, for the fake's scenarios */
#include <errno.h>

#include "answers.h"
#include "nvml-test.h"

static void *source;

static void begin(const char *scenario)
{
	use_scenario(scenario);
	source = open_source("");
	ok(source != NULL, "%s: the source can be opened", scenario);
}

/* The first GPU of the answer. The caller frees *@answer. */
static json_t *first_gpu(const char *question, json_t **answer)
{
	*answer = ask(source, question);
	return json_array_get(json_object_get(*answer, "gpus"), 0);
}

/* @path is "memory.used" or "processes.0.pid" */
static json_t *member_at(json_t *object, const char *path)
{
	while (*path && object) {
		size_t length = strcspn(path, ".");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)length, path);
		object = json_is_array(object) ? json_array_get(object, strtoul(key, NULL, 10)) :
						 json_object_get(object, key);
		path += length + (path[length] == '.');
	}
	return object;
}

/* Compares the value at @path, as JSON */
static bool has(json_t *object, const char *path, const char *want)
{
	json_t *found = member_at(object, path);
	char *got = found ? json_dumps(found, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("nothing");
	bool has_passed = ok(!strcmp(got, want), "answer: %s is %s", path, want);

	if (!has_passed)
		diag("got %s", got);
	free(got);
	return has_passed;
}

/* An error of NVML does not prove that there is no link. */
/* NVML without nvmlDeviceGetMemoryInfo_v2 */
static void check_old_memory(void)
{
	json_t *answer, *gpu;

	begin("a100");
	gpu = first_gpu("gpus", &answer);
	has(gpu, "memory.total", "150754820096");
	has(gpu, "memory.used", "75377410048");
	has(gpu, "memory.reserved", "null");
	is_str(json_string_value(json_object_get(member_at(gpu, "unavailable"), "memory.reserved")), "Not Supported",
	       "reserved memory is null, with its reason, if NVML does not report it");
	json_decref(answer);
	plugin->close(source);
}

static void check_links(void)
{
	json_t *answer, *gpu;

	begin("links");
	gpu = first_gpu("gpus", &answer);
	has(gpu, "nvlinks", "null");
	has(gpu, "unavailable.nvlinks", "\"Unknown Error\"");
	has(gpu, "c2c", "null");
	has(gpu, "unavailable.c2c", "\"Insufficient Permissions\"");
	json_decref(answer);
	plugin->close(source);
}

static void check_gpu(void)
{
	json_t *answer, *gpu;

	begin("h200");
	gpu = first_gpu("gpus", &answer);
	has(answer, "driver", "\"580.159.04\"");
	has(answer, "cuda", "\"13.0\"");
	has(gpu, "uuid", "\"GPU-6f2a1c00-0001-4a00-8000-000000000001\"");
	has(gpu, "pci", "\"0000:18:00.0\"");
	has(gpu, "node", "0");
	has(gpu, "utilization.sm", "87");
	has(gpu, "utilization.decoder", "0");
	has(gpu, "power", "350.5");
	has(gpu, "power_limit", "700");
	has(gpu, "clocks.sm", "1980");
	has(gpu, "clocks_max.memory", "3201");
	has(gpu, "throttle", "[\"sw_power_cap\"]");
	/* As nvidia-smi shows it: the driver's reserved memory is not used memory. */
	has(gpu, "memory.total", "150754820096");
	has(gpu, "memory.reserved", "641728512");
	has(gpu, "memory.used", "74735681536");
	has(gpu, "memory.free", "75377410048");
	has(gpu, "pcie.width", "16");
	has(gpu, "nvlinks", "0");
	has(gpu, "c2c", "false");
	has(gpu, "gpm", "true");
	has(gpu, "ecc", "true");
	has(gpu, "mig", "false");
	has(gpu, "compute_mode", "\"default\"");
	/* A value that NVML does not have is null with a reason, never 0. */
	has(gpu, "utilization.encoder", "null");
	is_str(json_string_value(json_object_get(member_at(gpu, "unavailable"), "utilization.encoder")),
	       "Not Supported", "a value of null has its reason in \"unavailable\"");
	json_decref(answer);
	plugin->close(source);
}

static void check_processes(void)
{
	json_t *answer, *gpu;

	begin("h200");
	gpu = first_gpu("gpus", &answer);
	is_u64(json_array_size(member_at(gpu, "processes")), 2, "a process that began between two calls is listed");
	has(gpu, "processes.0.pid", "4711");
	has(gpu, "processes.0.name", "\"/opt/app/train\"");
	has(gpu, "processes.0.memory", "64424509440");
	has(gpu, "processes.0.time_us", "2333336");
	has(gpu, "processes.0.sm", "68");
	has(gpu, "processes.1.sm", "nothing");
	json_decref(answer);
	gpu = first_gpu("gpus", &answer);
	has(gpu, "processes.0.sm", "nothing");
	has(gpu, "processes.1.pid", "4712");
	has(gpu, "processes.1.sm", "12");
	json_decref(answer);
	gpu = first_gpu("gpus", &answer);
	has(gpu, "processes.1.sm", "nothing");
	json_decref(answer);
	plugin->close(source);
}

/* The lists grow by one process each call, and by many in the second call. */
static void check_growing(void)
{
	size_t compute = 0, graphics = 0;
	json_t *answer, *gpu, *process;
	size_t i;

	begin("changes");
	gpu = first_gpu("gpus", &answer);
	json_array_foreach(member_at(gpu, "processes"), i, process) {
		compute += !strcmp(json_string_value(json_object_get(process, "type")), "compute");
		graphics += !strcmp(json_string_value(json_object_get(process, "type")), "graphics");
	}
	is_u64(compute, 2, "a list that grows between calls is read completely");
	is_u64(graphics, 31, "a list that has grown by much is read completely");
	json_decref(answer);
	plugin->close(source);
}

static void check_accounting(void)
{
	json_t *answer, *gpu;

	begin("h200");
	gpu = first_gpu("accounting", &answer);
	has(gpu, "mode", "true");
	has(gpu, "buffer_size", "4000");
	is_u64(json_array_size(member_at(gpu, "processes")), 2, "processes with an accounting record are listed");
	has(gpu, "forgotten", "1");
	has(gpu, "processes.0.running", "true");
	has(gpu, "processes.0.time_ms", "null");
	has(gpu, "processes.1.running", "false");
	has(gpu, "processes.1.time_ms", "61234");
	has(gpu, "processes.1.sm", "99");
	has(gpu, "processes.1.memory_max", "32212254720");
	json_decref(answer);
	plugin->close(source);
}

static void check_instances(json_t *gpu)
{
	has(gpu, "host_mode", "\"sriov\"");
	is_u64(json_array_size(member_at(gpu, "instances")), 3, "a vGPU that began between two calls is listed");
	has(gpu, "instances.2.instance", "3251636");
	has(gpu, "gone", "1");
	has(gpu, "instances.0.vgpu_uuid", "\"4d4e9d1c-1634-11f0-a1b2-0242ac120002\"");
	has(gpu, "instances.0.type", "\"NVIDIA H200X-35C\"");
	has(gpu, "instances.0.memory_used", "17179869184");
	has(gpu, "instances.0.license.licensed", "true");
	has(gpu, "instances.0.license.state", "\"licensed\"");
	has(gpu, "instances.0.license.expiry", "\"2027-03-01T00:00:00Z\"");
	has(gpu, "instances.1.license.state", "\"unlicensed-restricted\"");
	has(gpu, "instances.1.license.expiry", "null");
	has(gpu, "instances.0.utilization.time_us", "3000000");
	has(gpu, "instances.0.utilization.sm", "30");
	has(gpu, "instances.1.utilization.sm", "7");
	has(gpu, "instances.2.utilization", "null");
	is_u64(json_array_size(member_at(gpu, "instances.0.processes")), 1,
	       "only the newest sample of a process is listed");
	has(gpu, "instances.0.processes.0.pid", "100");
	has(gpu, "instances.0.processes.0.name", "\"python\"");
	has(gpu, "instances.0.processes.0.sm", "30");
	has(gpu, "instances.0.accounting.mode", "true");
	has(gpu, "instances.0.accounting.processes.0.time_ms", "null");
	has(gpu, "instances.0.accounting.processes.1.time_ms", "2500");
	has(gpu, "instances.0.accounting.forgotten", "1");
	has(gpu, "instances.1.accounting", "null");
	has(gpu, "instances.1.unavailable.accounting", "\"Not Supported\"");
}

static void check_vgpu(const char *scenario, const char *jpeg)
{
	json_t *answer, *gpu;

	begin(scenario);
	gpu = first_gpu("vgpu", &answer);
	check_instances(gpu);
	has(gpu, "instances.0.utilization.jpeg", jpeg);
	json_decref(answer);
	/* Only samples since the last answer */
	gpu = first_gpu("vgpu", &answer);
	has(gpu, "instances.0.utilization.time_us", "4000000");
	has(gpu, "instances.0.utilization.sm", "44");
	has(gpu, "instances.1.utilization", "null");
	has(gpu, "instances.0.processes.0.name", "\"late\"");
	is_u64(json_array_size(member_at(gpu, "instances.0.processes")), 1,
	       "a process without a new sample is not listed");
	json_decref(answer);
	gpu = first_gpu("vgpu", &answer);
	has(gpu, "instances.0.utilization", "null");
	json_decref(answer);
	plugin->close(source);
}

static void check_clear(void)
{
	json_t *answer, *gpu;

	begin("vgpu");
	answer = ask(source, "vgpu clear 3251634");
	ok(answer != NULL, "accounting can be cleared");
	json_decref(answer);
	gpu = first_gpu("vgpu", &answer);
	is_u64(json_array_size(member_at(gpu, "instances.0.accounting.processes")), 1,
	       "after clearing only running processes have accounts");
	has(gpu, "instances.0.accounting.processes.0.running", "true");
	json_decref(answer);
	ok(!ask(source, "vgpu clear 17") && strstr(failure.text, "17: NVML: Not Found"),
	   "clearing accounts of an unknown instance fails: %s", failure.text);
	ok(!ask(source, "vgpu clear all") && strstr(failure.text, "expected the number"),
	   "clearing accounts of a non-number fails: %s", failure.text);
	plugin->close(source);
}

static void check_clocks(void)
{
	json_t *answer, *gpu;

	begin("h200");
	gpu = first_gpu("clocks lock 1500", &answer);
	has(gpu, "index", "0");
	has(gpu, "mhz", "1500");
	has(gpu, "kind", "\"requested\"");
	json_decref(answer);
	gpu = first_gpu("clocks lock", &answer);
	has(gpu, "mhz", "1980");
	has(gpu, "kind", "\"maximum\"");
	json_decref(answer);
	answer = ask(source, "clocks reset");
	ok(answer != NULL, "locks of the clocks can be ended");
	json_decref(answer);
	ok(!ask(source, "clocks lock fast") && strstr(failure.text, "expected a number of MHz"),
	   "locking clocks at a non-number fails: %s", failure.text);
	ok(!ask(source, "clocks lock 1981") && strstr(failure.text, "above its maximum of 1980 MHz"),
	   "locking clocks above the maximum fails: %s", failure.text);
	plugin->close(source);
}

static void check_no_vgpu(void)
{
	json_t *answer, *gpu;

	begin("h200");
	gpu = first_gpu("vgpu", &answer);
	has(gpu, "host_mode", "null");
	has(gpu, "unavailable.host_mode", "\"Not Supported\"");
	has(gpu, "instances", "[]");
	json_decref(answer);
	plugin->close(source);
}

/* Opens a source with the scenario @text, whose file is removed once the fake has read it */
static void begin_text(const char *text, const char *options)
{
	char path[] = "/tmp/nvml-XXXXXX";
	int fd = mkstemp(path);

	use_scenario("h200");
	if (!ok(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text), "a file for the scenario can be written"))
		exit(1);
	close(fd);
	setenv("GPMU_FAKE_NVML", path, 1);
	source = open_source(options);
	unlink(path);
}

static void check_check(void)
{
	json_t *answer, *gpu;

	begin("gh200");
	gpu = first_gpu("check", &answer);
	has(answer, "driver", "\"580.159.04\"");
	has(answer, "trouble", "null");
	has(gpu, "uuid", "\"GPU-6f2a1c00-0003-4a00-8000-000000000003\"");
	has(gpu, "pci", "\"0009:01:00.0\"");
	has(gpu, "node", "0");
	has(gpu, "gpm", "true");
	has(gpu, "mig", "false");
	json_decref(answer);
	plugin->close(source);

	begin_text("{\"init\":9}", "");
	ok(!source && !strcmp(failure.text, "NVML: NVIDIA's driver is not loaded: sudo modprobe nvidia"),
	   "open() without a loaded driver fails: %s", failure.text);
	begin_text("{\"init\":9}", "check");
	ok(source != NULL, "the option check lets open() succeed without a driver");
	answer = ask(source, "check");
	has(answer, "trouble", "{\"kind\":\"driver\",\"text\":\"NVML: NVIDIA's driver is not loaded\","
	    "\"remedy\":\"sudo modprobe nvidia\"}");
	has(answer, "gpus", "[]");
	has(answer, "driver", "nothing");
	json_decref(answer);
	ok(!plugin->pmu(source, 0), "a source without a driver has no PMU");
	ok(!ask(source, "gpus") && strstr(failure.text, "not loaded"), "queries other than \"check\" are refused without a driver");
	plugin->close(source);
	begin_text("{\"gpus\":[]}", "period=50,check");
	answer = ask(source, "check");
	has(answer, "trouble", "{\"kind\":\"gpu\",\"text\":\"NVML: there is no GPU\",\"remedy\":null}");
	json_decref(answer);
	plugin->close(source);
}

/*
 * The clock of NVML's time stamps is set back after the first answer, which takes two calls: samples of the first
 * answer are of the year 2255, later ones of 2001 and of 2004.
 */
static void check_set_back(void)
{
#define THEN	"\"time\":9000000000000000,\"until\":4"
#define LATER	"\"time\":1000000000000000,\"from\":2,\"until\":4"
#define LAST	"\"time\":1100000000000000,\"from\":4"
	static const char scenario[] =
		"{\"gpus\":[{\"uuid\":\"GPU-1\",\"name\":\"H200\",\"processes\":[],\"graphics\":[],"
		"\"samples\":[{\"pid\":7," THEN ",\"sm\":1},{\"pid\":7," LATER ",\"sm\":2},"
		"{\"pid\":7," LAST ",\"sm\":3}],"
		"\"vgpus\":[{\"instance\":5}],"
		"\"vgpu_samples\":[{\"instance\":5," THEN ",\"sm\":1},{\"instance\":5," LATER ",\"sm\":2},"
		"{\"instance\":5," LAST ",\"sm\":3}]}]}";
	static const char *const want[] = { "1", "2", "3" };
	json_t *answer, *gpu;

	begin_text(scenario, "");
	for (size_t i = 0; i < 3; i++) {
		gpu = first_gpu("gpus", &answer);
		has(gpu, "processes.0.sm", want[i]);
		json_decref(answer);
		gpu = first_gpu("vgpu", &answer);
		has(gpu, "instances.0.utilization.sm", want[i]);
		json_decref(answer);
	}
	gpu = first_gpu("gpus", &answer);
	has(gpu, "processes", "[]");
	json_decref(answer);
	plugin->close(source);
}

static void check_memory(void)
{
	begin("h200");
	answers_fail_each(plugin, source, "check");
	answers_fail_each(plugin, source, "accounting");
	plugin->close(source);
}

int main(void)
{
	if (!load_plugin())
		return 1;
	check_gpu();
	check_old_memory();
	check_links();
	check_check();
	check_set_back();
	check_processes();
	check_growing();
	check_accounting();
	check_vgpu("vgpu", "3");
	check_vgpu("vgpu-old", "null");
	check_clear();
	check_clocks();
	check_no_vgpu();
	check_memory();
	return done_testing();
}
