// SPDX-License-Identifier: LGPL-2.1-or-later
/* The dlfilters in a perf whose structures have other sizes than those of their header. */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <perf/perf_dlfilter.h>

#include "tap.h"

/* Size of the sample before machine_pid and vcpu, and of perf_dlfilter_al in perf 6.1 */
#define OLD_SAMPLE	200
#define OLD_AL		80

/* A filter, and its output */
struct filter {
	void *handle;
	struct perf_dlfilter_fns *fns;
	int (*start)(void **data, void *ctx);
	int (*filter_event)(void *data, const struct perf_dlfilter_sample *sample, void *ctx);
	int (*stop)(void *data, void *ctx);
	const char *(*description)(const char **text);
};

static uint32_t al_size;
static unsigned int cleanups;

static char **no_args(void *ctx, int *count)
{
	(void)ctx;
	*count = 0;
	return NULL;
}

static const struct perf_dlfilter_al *resolve_ip(void *ctx)
{
	static const struct perf_dlfilter_al al = { .size = OLD_AL, .sym = "walk", .dso = "/usr/bin/app" };

	return ctx ? &al : NULL;
}

/* As perf, writes at most what both sides have */
static __s32 resolve_address(void *ctx, __u64 address, struct perf_dlfilter_al *al)
{
	(void)ctx;
	al_size = al->size;
	if (al->size < OLD_AL || address == 1)
		return -1;
	al->sym = "table";
	al->dso = "app";
	return 0;
}

static void al_cleanup(void *ctx, struct perf_dlfilter_al *al)
{
	(void)ctx;
	(void)al;
	cleanups++;
}

static struct filter load(const char *path, bool is_new)
{
	struct filter filter = { .handle = dlopen(path, RTLD_NOW) };
	static struct perf_dlfilter_fns fns;

	if (!filter.handle) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
	fns = (struct perf_dlfilter_fns){
		.args = no_args, .resolve_ip = resolve_ip, .resolve_address = resolve_address,
		.al_cleanup = is_new ? al_cleanup : NULL,
	};
	filter.fns = dlsym(filter.handle, "perf_dlfilter_fns");
	filter.start = dlsym(filter.handle, "start");
	filter.filter_event = dlsym(filter.handle, "filter_event");
	filter.stop = dlsym(filter.handle, "stop");
	filter.description = dlsym(filter.handle, "filter_description");
	*filter.fns = fns;
	return filter;
}

static struct perf_dlfilter_sample sample_of(const char *event)
{
	return (struct perf_dlfilter_sample){
		.size = OLD_SAMPLE, .event = event, .addr = 0x1000, .weight = 7, .id = 1,
		.data_src = PERF_MEM_OP_LOAD | PERF_MEM_LVL_L1 << PERF_MEM_LVL_SHIFT,
	};
}

/* The output of stop() */
static const char *output(const struct filter *filter, void *data)
{
	static char text[4096];
	int saved, pipes[2];
	ssize_t n;

	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	if (saved < 0 || pipe(pipes))
		exit(1);
	dup2(pipes[1], STDOUT_FILENO);
	close(pipes[1]);
	filter->stop(data, NULL);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	n = read(pipes[0], text, sizeof(text) - 1);
	close(pipes[0]);
	text[n < 0 ? 0 : n] = '\0';
	return text;
}

static void test_spe(bool is_new)
{
	struct filter filter = load(PLUGIN_DIR "grace-spe.so", is_new);
	struct perf_dlfilter_sample sample = sample_of("memory");
	const char *age = is_new ? "with al_cleanup()" : "without al_cleanup()", *text;
	void *data = NULL;

	cleanups = 0;
	ok(!filter.start(&data, NULL), "dlfilter: grace-spe starts in a perf %s", age);
	ok(filter.filter_event(data, &sample, &data) == 1, "dlfilter: grace-spe counts and drops a sample of 200 bytes (%s)", age);
	ok(al_size == sizeof(struct perf_dlfilter_al), "dlfilter: grace-spe sets the size for resolve_address() (%s)", age);
	ok(cleanups == is_new, "dlfilter: grace-spe calls al_cleanup() if perf has it (%s)", age);
	/* No function or data is known */
	sample.addr = 1;
	ok(filter.filter_event(data, &sample, NULL) == 1, "dlfilter: grace-spe counts a sample that perf cannot resolve (%s)", age);
	ok(cleanups == is_new, "dlfilter: grace-spe does not call al_cleanup() after a failure (%s)", age);
	sample.size = 192;
	ok(filter.filter_event(data, &sample, NULL) == -EINVAL, "dlfilter: grace-spe refuses a sample without an event (%s)", age);
	text = output(&filter, data);
	ok(strstr(text, "# 2 sampled loads and stores"), "dlfilter: grace-spe counted two samples (%s)", age);
	ok(strstr(text, "load L1                   walk (app)                table (app)\n") &&
	   strstr(text, "load L1                   -                         -\n"),
	   "dlfilter: grace-spe prints function and data, or a dash (%s)", age);
	if (!strstr(text, "walk (app)"))
		diag("%s", text);
	dlclose(filter.handle);
}

static void test_traffic(void)
{
	struct filter filter = load(PLUGIN_DIR "grace-traffic.so", false);
	struct perf_dlfilter_sample sample = sample_of("nvidia_scf_pmu_0/cmem_rd_data/");
	const char *description;
	void *data = NULL;

	ok(!filter.start(&data, NULL) && filter.filter_event(data, &sample, NULL) == 1,
	   "dlfilter: grace-traffic takes a sample of 200 bytes");
	sample.size = 192;
	ok(filter.filter_event(data, &sample, NULL) == -EINVAL, "dlfilter: grace-traffic refuses a sample without an event");
	ok(strstr(output(&filter, data), "# no counts of PMUs"), "dlfilter: grace-traffic prints no interval for a single sample");
	ok(filter.description(&description) && strstr(description, "--dlarg MS"),
	   "dlfilter: the description of grace-traffic has its argument");
	ok(!filter.stop(NULL, NULL), "dlfilter: stop() after a failed start() does nothing");
	dlclose(filter.handle);
}

int main(void)
{
	test_spe(false);
	test_spe(true);
	test_traffic();
	return done_testing();
}
