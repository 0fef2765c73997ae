// SPDX-License-Identifier: LGPL-2.1-or-later
/* Settings of the fakes, and their numbers of calls and objects */
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "fake.h"

#define FAULTS		16
#define CALLS		192
#define KINDS		16
#define NAME_SIZE	64

struct fault {
	char function[NAME_SIZE];
	long first, last;	/* calls since it was set, from 1 */
	long seen;
	int code;
};

struct number {
	char name[NAME_SIZE];
	long value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault faults[FAULTS];
static size_t faults_length;
static struct number calls[CALLS], kinds[KINDS];
static long all_calls, violations;
static struct fake_options options;
static struct fake_gpu gpus[FAKE_GPUS];
static size_t gpus_length;
static int devices[FAKE_GPUS];
static size_t devices_length;

uint64_t fake_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
}

static struct number *number_of(struct number *numbers, size_t length, const char *name)
{
	for (size_t i = 0; i < length; i++) {
		if (!numbers[i].name[0])
			snprintf(numbers[i].name, sizeof(numbers[i].name), "%s", name);
		if (!strcmp(numbers[i].name, name))
			return &numbers[i];
	}
	abort();
}

int fake_enter(const char *function)
{
	int code = 0;

	pthread_mutex_lock(&lock);
	all_calls++;
	number_of(calls, CALLS, function)->value++;
	for (size_t i = 0; i < faults_length; i++) {
		struct fault *fault = &faults[i];

		if (strcmp(fault->function, function))
			continue;
		fault->seen++;
		if (fault->seen >= fault->first && fault->seen <= fault->last)
			code = fault->code;
	}
	pthread_mutex_unlock(&lock);
	return code;
}

void fake_violation(const char *format, ...)
{
	va_list args;

	flockfile(stderr);
	fputs("# fake: ", stderr);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	funlockfile(stderr);
	pthread_mutex_lock(&lock);
	violations++;
	pthread_mutex_unlock(&lock);
}

void fake_count(const char *kind, long by)
{
	pthread_mutex_lock(&lock);
	number_of(kinds, KINDS, kind)->value += by;
	pthread_mutex_unlock(&lock);
}

const struct fake_options *fake_options(void)
{
	return &options;
}

uint64_t fake_stall(void)
{
	uint64_t stall;

	pthread_mutex_lock(&lock);
	stall = options.stall;
	options.stall = 0;
	pthread_mutex_unlock(&lock);
	return stall;
}

size_t fake_gpus(void)
{
	return gpus_length;
}

struct fake_gpu *fake_gpu(size_t index)
{
	return &gpus[index];
}

void fake_clear_gpus(void)
{
	gpus_length = 0;
}

void fake_add_gpu(const struct fake_gpu *gpu)
{
	if (gpus_length == FAKE_GPUS)
		abort();
	gpus[gpus_length++] = *gpu;
}

int fake_device(long ordinal)
{
	return ordinal >= 0 && (size_t)ordinal < devices_length ? devices[ordinal] : -1;
}

void fake_devices(const int *list, size_t length)
{
	memcpy(devices, list, length * sizeof(*list));
	devices_length = length;
}

static void (*doer)(const char *word, const char *value);

void fake_hook(void (*hook)(const char *word, const char *value))
{
	doer = hook;
}

void fake_do(const char *word, const char *value)
{
	if (doer)
		doer(word, value);
}

FILE *fake_open_data(const char *name)
{
	const char *slash = NULL;
	char path[PATH_MAX];
	Dl_info library;
	FILE *file;

	if (dladdr((void *)fake_open_data, &library))
		slash = strrchr(library.dli_fname, '/');
	snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash + 1 - library.dli_fname) : 0,
		 slash ? library.dli_fname : "", name);
	file = fopen(path, "re");
	if (!file) {
		fprintf(stderr, "fake: no %s\n", path);
		abort();
	}
	return file;
}

static void set_machine(const char *machine)
{
	FILE *file = fake_open_data("machines.tsv");
	char line[512], name[32];
	struct fake_gpu gpu;

	gpus_length = 0;
	while (fgets(line, sizeof(line), file)) {
		memset(&gpu, 0, sizeof(gpu));
		if (sscanf(line, "%31[^\t\n]\t%47[^\t]\t%63[^\t]\t%15[^\t]\t%19[^\t]\t%63[^\t\n]", name,
			   gpu.uuid, gpu.name, gpu.chip, gpu.pci, gpu.absent) == 6 &&
		    name[0] != '#' && !strcmp(name, machine))
			fake_add_gpu(&gpu);
	}
	fclose(file);
	if (!gpus_length && strcmp(machine, "none")) {
		fprintf(stderr, "fake: no machine %s\n", machine);
		abort();
	}
}

static int number(const char *text)
{
	return (int)strtol(text, NULL, 10);
}

/* FUNCTION:CODE, FUNCTION@N:CODE, FUNCTION@N+:CODE */
static void add_fault(const char *text)
{
	struct fault fault = { .first = 1, .last = INT32_MAX };
	const char *colon = strrchr(text, ':'), *at_sign = strchr(text, '@');
	char *end;

	if (!colon || faults_length == FAULTS)
		abort();
	fault.code = number(colon + 1);
	if (at_sign) {
		fault.first = strtol(at_sign + 1, &end, 10);
		if (*end != '+')
			fault.last = fault.first;
	}
	snprintf(fault.function, sizeof(fault.function), "%.*s",
		 (int)((at_sign ? at_sign : colon) - text), text);
	faults[faults_length++] = fault;
}

/* A setting of a GPU, "GPU:VALUE" */
static void set_gpu(const char *key, const char *text)
{
	const char *colon = strchr(text, ':');
	size_t index = number(text);
	int value = colon ? number(colon + 1) : 0;

	if (!colon || index >= gpus_length)
		abort();
	if (!strcmp(key, "enable"))
		gpus[index].enable_code = value;
	else if (!strcmp(key, "vanish"))
		gpus[index].vanished = value;
	else if (!strcmp(key, "freeze"))
		gpus[index].is_frozen = value;
	else
		snprintf(gpus[index].support, sizeof(gpus[index].support), "%s", colon + 1);
}

static void reset(void)
{
	faults_length = 0;
	memset(calls, 0, sizeof(calls));
	all_calls = violations = 0;
	options = (struct fake_options){ .driver = 13000, .cupti = 130001, .device = 143771 };
	fake_replay_end();
	set_machine("h200");
}

static void set_pair(const char *from, const char *to, uint64_t scale, uint64_t *a, uint64_t *b)
{
	*a = strtoull(from, NULL, 10) * scale;
	*b = to ? strtoull(to + 1, NULL, 10) * scale : 0;
}

static void set(const char *key, const char *value)
{
	static const char *const of_gpu[] = { "enable", "vanish", "freeze", "support" };
	const struct {
		const char *key;
		int *value;
	} ints[] = { { "driver", &options.driver }, { "cupti", &options.cupti },
		     { "cuinit", &options.cuinit }, { "image", &options.image },
		     { "forget", &options.forget }, { "reversed", &options.reversed },
		     { "inject", &options.inject }, { "thread", &options.thread }, { "second", &options.second },
		     { "zero", &options.zero }, { "corrupt", &options.corrupt },
		     { "drop", &options.drop }, { "unordered", &options.unordered },
		     { "late", &options.late }, { "slow", &options.slow },
		     { "exclusive", &options.exclusive }, { "stuck", &options.stuck },
		     { "pcs_full", &options.pcs_full }, { "pcs_drop", &options.pcs_drop },
		     { "device", &options.device },
		     { "pcs_lose", &options.pcs_lose }, { "pcs_busy", &options.pcs_busy },
		     { "sass_drop", &options.sass_drop }, { "sass_first", &options.sass_first },
		     { "sass_more", &options.sass_more },
		     { "launch_ex", &options.launch_ex } };
	uint64_t unused;

	for (size_t i = 0; i < sizeof(of_gpu) / sizeof(*of_gpu); i++)
		if (!strcmp(key, of_gpu[i]))
			return set_gpu(key, value);
	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++) {
		if (strcmp(key, ints[i].key))
			continue;
		*ints[i].value = number(value);
		return;
	}
	if (!strcmp(key, "reset"))
		reset();
	else if (!strcmp(key, "machine"))
		set_machine(value);
	else if (!strcmp(key, "fail"))
		add_fault(value);
	else if (!strcmp(key, "hardware"))
		set_pair(value, NULL, 1, &options.hardware, &unused);
	else if (!strcmp(key, "latency"))
		set_pair(value, NULL, 1000, &options.latency, &unused);
	else if (!strcmp(key, "jump"))
		set_pair(value, NULL, 1, &options.jump, &unused);
	else if (!strcmp(key, "stall"))
		set_pair(value, NULL, 1000000, &options.stall, &unused);
	else if (!strcmp(key, "gap"))
		set_pair(value, strchr(value, ':'), 1000000, &options.gap_from,
			 &options.gap_length);
	else if (!strcmp(key, "lock"))
		snprintf(options.lock, sizeof(options.lock), "%s", value);
	else if (!strcmp(key, "until"))
		snprintf(options.until, sizeof(options.until), "%s", value);
	else if (!strcmp(key, "replay"))
		fake_replay(value);
	else {
		fprintf(stderr, "fake: no setting %s\n", key);
		abort();
	}
}

void fake_set(const char *settings)
{
	char *copy = strdup(settings), *state = NULL, *value;

	pthread_mutex_lock(&lock);
	for (char *key = strtok_r(copy, " ", &state); key; key = strtok_r(NULL, " ", &state)) {
		value = strchr(key, '=');
		if (value)
			*value++ = '\0';
		set(key, value ? value : "");
	}
	pthread_mutex_unlock(&lock);
	free(copy);
}

long fake_get(const char *what)
{
	long value;

	pthread_mutex_lock(&lock);
	if (!strcmp(what, "violations"))
		value = violations;
	else if (!strcmp(what, "calls"))
		value = all_calls;
	else if (!strcmp(what, "devices"))
		value = (long)devices_length;
	else if (!strncmp(what, "calls:", 6))
		value = number_of(calls, CALLS, what + 6)->value;
	else
		value = number_of(kinds, KINDS, what)->value;
	pthread_mutex_unlock(&lock);
	return value;
}

static void before_fork(void)
{
	pthread_mutex_lock(&lock);
}

static void after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

__attribute__((constructor))
static void start(void)
{
	const char *settings = getenv("GPMU_FAKE");

	pthread_atfork(before_fork, after_fork, after_fork);
	fake_set("reset");
	if (settings)
		fake_set(settings);
}
