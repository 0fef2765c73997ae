// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pcs/pcs_api.h"
#include "sass/sass.h"

#define CONTEXTS	64	/* that are ever counted; kernels of later ones are not */
#define DEVICES		64
#define WARP		32	/* threads */
#define LOCK_MS		2000	/* CUPTI may hold a lock of its own around a callback */

/* Callback ids of functions that launch kernels, as in cupti_driver_cbid.h; calls.c has all */
enum {
	LAUNCH = 307, LAUNCH_PTSZ = 442, LAUNCH_COOPERATIVE = 477, LAUNCH_COOPERATIVE_PTSZ = 478, LAUNCH_EX = 652,
	LAUNCH_EX_PTSZ = 653, GRAPH_LAUNCH = 514, GRAPH_LAUNCH_PTSZ = 515,
};

static struct sass_api api;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct sass_context contexts[CONTEXTS];
static size_t context_count;
static uint64_t *ids[DEVICES];		/* NULL: not configured */
static bool is_configured[DEVICES];	/* or has been refused */
static uint64_t partial;		/* contexts that have lost records */
static uint64_t late;			/* launches after the end, not yet written */
static bool has_api, has_ended;		/* has_api: written before any callback */
static __thread bool is_inside;		/* a call to CUPTI, which may call back */

bool sass_is_wanted(const struct inject *self)
{
	return self->control->ranges.mode == CHANNEL_RANGES_SASS;
}

static const char *fill(void)
{
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
	const char *missing = NULL;

#define FILL(member, symbol, find) \
	*(void **)&api.member = find; \
	if (!api.member && !missing) \
		missing = #symbol;
#define FILL_CUPTI(member, symbol, ...)		FILL(member, symbol, inject_cupti_symbol(#symbol))
#define FILL_DRIVER(member, symbol, ...)	FILL(member, symbol, driver ? dlsym(driver, #symbol) : NULL)
	SASS_FUNCTIONS(FILL_CUPTI)
	SASS_DRIVER_FUNCTIONS(FILL_DRIVER)
	return missing;
}

void sass_begin(struct inject *self)
{
	const char *missing;

	if (!sass_is_wanted(self))
		return;
	missing = fill();
	if (missing) {
		output_note(self, ACTIVITY_WARNING, "SASS metrics are not counted: CUPTI has no function %s; install CUDA 12.6 or later",
			    missing);
		return;
	}
	has_api = true;
	/* Without all callbacks of this domain CUPTI counts only the first function of a thread. */
	self->api.domain(1, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE);
}

static bool take_lock(void)
{
	struct timespec end;

	if (is_inside)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += LOCK_MS / 1000;
	is_inside = !pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &end);
	return is_inside;
}

static void leave_lock(void)
{
	is_inside = false;
	pthread_mutex_unlock(&lock);
}

/* --- contexts, with the lock held */

static struct sass_context *find(const void *handle)
{
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i].handle == handle && contexts[i].state == SASS_ENABLED)
			return &contexts[i];
	return NULL;
}

static void add_context(struct inject *self, void *handle)
{
	struct sass_context *context = &contexts[context_count];
	uint32_t device;

	if (has_ended || context_count == CONTEXTS || api.device(handle, &device) || device >= DEVICES)
		return;
	if (!is_configured[device])
		ids[device] = sass_configure(self, &api, device);
	is_configured[device] = true;
	if (!ids[device])
		return;
	context_count++;
	*context = (struct sass_context){ .handle = handle, .ids = ids[device] };
	sass_context_begin(self, &api, context);
}

static void end_context(struct inject *self, struct sass_context *context)
{
	if (context && sass_context_end(self, &api, context))
		partial++;
}

/* --- callbacks */

void sass_callback(struct inject *self, uint32_t cbid, const CUpti_ResourceData *data)
{
	if (!has_api || !data || (cbid != CUPTI_CBID_RESOURCE_CONTEXT_CREATED &&
				  cbid != CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING &&
				  cbid != CUPTI_CBID_RESOURCE_MODULE_LOADED &&
				  cbid != CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING))
		return;
	if (cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED)
		return sass_parts_module(self, &api, data->resourceDescriptor);
	if (!take_lock())
		return;
	if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
		add_context(self, data->context);
	else if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		end_context(self, find(data->context));
	else if (find(data->context))
		sass_context_flush(self, &api, find(data->context));
	leave_lock();
}

/* Reads the shape of a launch from the parameters of a driver's function, as in generated_cuda_meta.h. */
static struct sass_shape read_shape(uint32_t cbid, const void *parameters)
{
	const void *config = NULL;	/* begins with the dimensions of grid and block */
	uint32_t size[6];
	uint64_t blocks, threads;

	if (cbid == LAUNCH_EX || cbid == LAUNCH_EX_PTSZ)
		memcpy(&config, parameters, sizeof(config));
	else if (cbid == LAUNCH || cbid == LAUNCH_PTSZ || cbid == LAUNCH_COOPERATIVE || cbid == LAUNCH_COOPERATIVE_PTSZ)
		config = (const char *)parameters + sizeof(void *);	/* after the function */
	if (!config)
		return (struct sass_shape){ .is_unknown = true };
	memcpy(size, config, sizeof(size));
	blocks = (uint64_t)size[0] * size[1] * size[2];
	threads = (uint64_t)size[3] * size[4] * size[5];
	return (struct sass_shape){ blocks * ((threads + WARP - 1) / WARP), blocks * threads, false };
}

void sass_launch(struct inject *self, uint32_t cbid, const CUpti_CallbackData *call)
{
	const bool is_graph = cbid == GRAPH_LAUNCH || cbid == GRAPH_LAUNCH_PTSZ;
	const struct sass_shape shape = is_graph ? (struct sass_shape){ 0 } : read_shape(cbid, call->functionParams);

	if (is_inside || pthread_mutex_lock(&lock))
		return;
	if (is_graph)
		sass_functions_graph();
	else if (has_ended)
		late++;
	else
		sass_functions_launch(self, call->symbolName ? call->symbolName : "", &shape, !find(call->context));
	pthread_mutex_unlock(&lock);
}

void sass_end(struct inject *self)
{
	if (!sass_is_wanted(self) || !inject_is_alive(self) || !take_lock())
		return;
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i].state == SASS_ENABLED)
			end_context(self, &contexts[i]);
	if (!has_ended)
		sass_functions_write(self, partial);
	else if (late)
		sass_functions_write_late(self, late);
	late = 0;
	has_ended = true;
	leave_lock();
}
