/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of the contract suites of gpmu-cupti.so, which use the plugin through its ABI alone.
 * The suites load the fakes of tests/gpu/fake in place of NVIDIA's libraries. With GPMU_TEST_REAL=1
 * they load the machine's libraries and skip cases that need a fake.
 *
 * Each case runs in a process of its own, because a loaded library stays loaded. A case fails if it
 * crashes or takes longer than CASE_SECONDS.
 */
#ifndef GPMU_TESTS_GPU_CONTRACT_H
#define GPMU_TESTS_GPU_CONTRACT_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "again.h"
#include "gpmu-source.h"
#include "gpmu.h"
#include "paths.h"
#include "tap.h"

#define MS		UINT64_C(1000000)
#define SECOND		UINT64_C(1000000000)
#define CASE_SECONDS	60
#define EVENTS		8
#define OPTIONS		"interval=1ms"
#define INTERVAL	MS

#define READ		"dram__bytes_read.sum"
#define WRITE		"dram__bytes_write.sum"
#define TIME		"gpu__time_duration.sum"
#define ACTIVE		"gr__cycles_active.avg.pct_of_peak_sustained_elapsed"

static const struct gpmu_source_plugin *plugin;
static void (*fake_set)(const char *settings);
static long (*fake_get)(const char *what);

static inline bool is_real(void)
{
	return getenv("GPMU_TEST_REAL") != NULL;
}

static inline uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return time.tv_sec * SECOND + time.tv_nsec;
}

static inline uint64_t sleep_until(uint64_t time)
{
	uint64_t current;

	while ((current = now()) < time)
		nanosleep(&(struct timespec){ .tv_sec = (time - current) / SECOND,
					      .tv_nsec = (time - current) % SECOND }, NULL);
	return current;
}

static inline size_t entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	if (!dir)
		return 0;
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static inline size_t fds(void)
{
	return entries("/proc/self/fd");
}

static inline size_t threads(void)
{
	return entries("/proc/self/task");
}

static inline void load(void)
{
	void *handle;

	if (!is_real()) {
		setenv("GPMU_CUDA", FAKE, 0);
		handle = dlopen(FAKE "/libgpmu-fake.so", RTLD_NOW | RTLD_LOCAL);
		if (handle) {
			fake_set = (void (*)(const char *))dlsym(handle, "fake_set");
			fake_get = (long (*)(const char *))dlsym(handle, "fake_get");
		}
	}
	handle = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
	if (handle)
		plugin = dlsym(handle, "gpmu_source_plugin");
	if (!plugin) {
		printf("Bail out! %s\n", dlerror());
		exit(1);
	}
}

struct run_of_case {
	const char *settings;
	void (*function)(void);
};

static inline void do_case(const void *data)
{
	const struct run_of_case *run = data;

	alarm(CASE_SECONDS);
	if (run->settings)
		setenv("GPMU_FAKE", run->settings, 1);
	load();
	run->function();
	if (fake_get)
		is_u64(fake_get("violations"), 0, "no call breaks the rules of the real library");
}

/* Runs a case. @settings are the fake's; NULL if the case needs none and runs on the real libraries too. */
static inline void run_case(const char *what, const char *settings, void (*function)(void))
{
	const struct run_of_case run = { settings, function };
	int status;

	if (settings && is_real()) {
		ok(true, "%s: the case passes # SKIP needs the fake libraries", what);
		return;
	}
	diag("%s", what);
	status = tap_again(do_case, &run, is_real() ? 1 : AGAIN_RUNS);
	ok(!status, "%s: the case ends without a crash and in time", what);
	if (status)
		diag("status 0x%x", (unsigned int)status);
}

static inline void *open_source(const char *options)
{
	struct gpmu_error error = { .size = sizeof(error) };
	void *source = NULL;
	int ret = plugin->open(&source, options, &error);

	if (!ok(!ret, "open(\"%s\") returns a source", options)) {
		diag("%d: %s", ret, error.text);
		exit(1);
	}
	return source;
}

/* Prints all pending messages; returns the last one that contains @text, or NULL */
static inline const char *messages(void *source, const char *text)
{
	static char found[512];
	const char *message;
	bool has_any = false;

	while ((message = plugin->message(source))) {
		diag("message: %s", message);
		if (!text || !strstr(message, text))
			continue;
		snprintf(found, sizeof(found), "%s", message);
		has_any = true;
	}
	return has_any ? found : NULL;
}

static inline bool is_line(const char *text)
{
	size_t length = strlen(text);

	return length && !strchr(text, '\n') && text[length - 1] != '.';
}

static inline size_t pmus(void *source)
{
	size_t n = 0;

	while (plugin->pmu(source, n))
		n++;
	return n;
}

static inline bool event_of(void *source, size_t pmu, const char *name,
			    struct gpmu_source_event *event)
{
	const struct gpmu_source_event_info *info = plugin->event_find(source, pmu, name);

	*event = (struct gpmu_source_event){ 0 };
	if (!info || strncmp(info->terms, "event=", 6))
		return false;
	event->config = strtoull(info->terms + 6, NULL, 0);
	return true;
}

/* Returns whether @text is @prefix and then a number, and nothing else. */
static inline bool is_number(const char *text, const char *prefix)
{
	size_t length = strlen(prefix);
	char *end;

	if (strncmp(text, prefix, length))
		return false;
	strtoul(text + length, &end, 0);
	return end != text + length && !*end;
}

/* Opens a group of events by name; @names ends with NULL. Returns the result of group_open(). */
static inline int try_group(void *source, size_t pmu, const char *const *names, void **group,
			    struct gpmu_error *error)
{
	struct gpmu_source_event events[EVENTS];
	size_t length = 0;

	*group = NULL;
	*error = (struct gpmu_error){ .size = sizeof(struct gpmu_error) };
	for (; names[length]; length++)
		if (!event_of(source, pmu, names[length], &events[length]))
			return -ENOENT;
	return plugin->group_open(source, pmu, events, length, group, error);
}

static inline void *open_group(void *source, size_t pmu, const char *const *names)
{
	struct gpmu_error error = { .size = sizeof(error) };
	void *group;
	int ret = try_group(source, pmu, names, &group, &error);

	if (!ok(!ret, "group_open() returns a group of %s%s", names[0], names[1] ? " and more" : "")) {
		diag("%d: %s", ret, error.text);
		exit(1);
	}
	return group;
}

static inline void prepare(void *source)
{
	struct gpmu_error error = { .size = sizeof(error) };
	int ret = plugin->prepare(source, &error);

	if (!ok(!ret, "prepare() of the source succeeds")) {
		diag("%d: %s", ret, error.text);
		exit(1);
	}
}

static inline uint64_t enable(void *source)
{
	uint64_t time = now();

	ok(!plugin->enable(source, time), "enable() of the source succeeds");
	return time;
}

static inline uint64_t disable(void *source)
{
	uint64_t time = now();

	ok(!plugin->disable(source, time), "disable() of the source succeeds");
	return time;
}

/* Passes if @got differs from @want by at most @off. */
static inline bool is_near(double got, double want, double off, const char *what)
{
	bool has_passed = ok(got >= want - off && got <= want + off, "%s", what);

	if (!has_passed)
		diag("got %.17g, want %.17g, at most %g off", got, want, off);
	return has_passed;
}

#define NAMES(...)	((const char *const[]){ __VA_ARGS__, NULL })

#endif /* GPMU_TESTS_GPU_CONTRACT_H */
