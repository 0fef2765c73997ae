// SPDX-License-Identifier: LGPL-2.1-or-later
/* A fake of libcuda.so.1: the driver's functions that find GPUs */
#include <ctype.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fake.h"
#include "heap.h"

#define PUBLIC	__attribute__((visibility("default")))

/* Values of CUresult */
enum { INVALID_VALUE = 1, NOT_INITIALIZED = 3, NO_DEVICE = 100, INVALID_DEVICE = 101 };

static bool is_initialized;

/* Reports variables by which the real driver would load a tool into the process */
static void look_for_injection(void)
{
	static const char *const variables[] = {
		"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "CUDA_INJECTION32_PATH",
		"NVTX_INJECTION32_PATH",
	};

	if (fake_options()->inject && getenv(variables[0])) {
		void *library = dlopen(getenv(variables[0]), RTLD_NOW | RTLD_LOCAL);
		int (*initialize)(void) = NULL;

		if (library)
			*(void **)&initialize = dlsym(library, "InitializeInjection");
		if (!initialize || initialize() != 1)
			fake_violation("%s cannot be initialised", getenv(variables[0]));
		return;
	}
	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++)
		if (getenv(variables[i]))
			fake_count("injection", 1);
}

static int gpu_of(const char *entry, const int *order, int length)
{
	char *end;
	long number = strtol(entry, &end, 10);

	if (end != entry && !*end)
		return number >= 0 && number < length ? order[number] : -1;
	for (int i = 0; i < length; i++)
		if (!strncmp(fake_gpu(i)->uuid, entry, strlen(entry)))
			return i;
	return -1;
}

/* Without CUDA_DEVICE_ORDER=PCI_BUS_ID the fastest GPU is the first: here it is the last one */
static size_t find_devices(int *devices)
{
	const char *by = getenv("CUDA_DEVICE_ORDER"), *visible = getenv("CUDA_VISIBLE_DEVICES");
	int order[FAKE_GPUS] = { 0 }, length = (int)fake_gpus();
	char *copy, *state = NULL;
	size_t found = 0;

	for (int i = 0; i < length; i++)
		order[i] = by && !strcmp(by, "PCI_BUS_ID") ? i : length - 1 - i;
	if (!visible) {
		memcpy(devices, order, sizeof(order));
		return length;
	}
	copy = strdup(visible);
	for (char *entry = strtok_r(copy, ",", &state); entry && found < FAKE_GPUS;
	     entry = strtok_r(NULL, ",", &state)) {
		int gpu = gpu_of(entry, order, length);

		if (gpu < 0)
			break;
		devices[found++] = gpu;
	}
	free(copy);
	return found;
}

static void *wait_for_ever(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* A signal of the process that only the caller's threads block is this one's. */
static void start_thread(void)
{
	pthread_t thread;

	if (fake_options()->thread && !pthread_create(&thread, NULL, wait_for_ever, NULL))
		pthread_detach(thread);
}

PUBLIC int cuInit(unsigned int flags)
{
	int devices[FAKE_GPUS] = { 0 }, code = fake_enter(__func__);
	size_t length;

	if (code)
		return code;
	if (flags)
		return INVALID_VALUE;
	while (*fake_options()->until && access(fake_options()->until, F_OK))
		usleep(10000);
	if (fake_options()->cuinit)
		return fake_options()->cuinit;
	if (is_initialized)
		return 0;
	look_for_injection();
	length = find_devices(devices);
	if (!length)
		return NO_DEVICE;
	fake_devices(devices, length);
	is_initialized = true;
	start_thread();
	fake_do("initialised", "");
	return 0;
}

PUBLIC int cuDriverGetVersion(int *version)
{
	int code = fake_enter(__func__);

	if (!code)
		*version = fake_options()->driver;
	return code;
}

static int check(const char *function, const void *result, int device)
{
	int code = fake_enter(function), gpu = fake_device(device);

	if (code)
		return code;
	if (!is_initialized)
		return NOT_INITIALIZED;
	if (!result)
		return INVALID_VALUE;
	return gpu < 0 ? INVALID_DEVICE : fake_gpu(gpu)->vanished ? 999 : 0;
}

PUBLIC int cuDeviceGetCount(int *count)
{
	int code = fake_enter(__func__);

	if (code)
		return code;
	if (!is_initialized)
		return NOT_INITIALIZED;
	*count = (int)fake_get("devices");
	fake_do("asked", "4");
	return 0;
}

PUBLIC int cuDeviceGet(int *device, int ordinal)
{
	int code = check(__func__, device, ordinal);

	if (!code)
		*device = ordinal;
	return code;
}

PUBLIC int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
	int code = check(__func__, uuid, device);
	char byte[3] = "";
	const char *text;
	size_t length = 0;

	if (code)
		return code;
	text = fake_gpu(fake_device(device))->uuid + strlen("GPU-");
	for (; *text && length < 16; text += 2) {
		text += *text == '-';
		memcpy(byte, text, 2);
		uuid[length++] = (unsigned char)strtoul(byte, NULL, 16);
	}
	return 0;
}

PUBLIC int cuDeviceGetName(char *name, int length, int device)
{
	int code = check(__func__, name, device);

	if (!code)
		snprintf(name, length, "%s", fake_gpu(fake_device(device))->name);
	return code;
}

PUBLIC int cuDeviceGetPCIBusId(char *id, int length, int device)
{
	int code = check(__func__, id, device);

	if (code)
		return code;
	snprintf(id, length, "%s", fake_gpu(fake_device(device))->pci);
	for (; *id; id++)
		*id = (char)toupper((unsigned char)*id);
	return 0;
}

PUBLIC int cuCtxPushCurrent_v2(void *context)
{
	int code = fake_enter(__func__);

	return code ? code : context ? 0 : INVALID_VALUE;
}

PUBLIC int cuCtxPopCurrent_v2(void **context)
{
	int code = fake_enter(__func__);

	if (!code)
		*context = NULL;
	return code;
}

PUBLIC int cuCtxSynchronize(void)
{
	return fake_enter(__func__);
}

/* The last one that the program has created */
PUBLIC int cuCtxGetCurrent(void **context)
{
	const long number = fake_get("contexts");
	int code = fake_enter(__func__);

	if (!code)
		memcpy(context, &number, sizeof(number));
	return code;
}

PUBLIC int cuMemGetInfo_v2(size_t *available, size_t *total)
{
	int code = fake_enter(__func__);

	if (code)
		return code;
	*available = heap_available();
	*total = heap_total();
	return 0;
}

PUBLIC int cuCtxGetDevice(int *device)
{
	return cuDeviceGet(device, 0);
}
