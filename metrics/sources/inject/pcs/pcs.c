// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/raw_clock.h"
#include "pcs/pcs.h"

#define CONTEXTS	64	/* that are ever sampled; later ones are not */
#define FETCH_NS	UINT64_C(100000000)	/* between fetches; CUPTI's thread decodes as often */
#define BEGIN_MS	2000	/* a callback waits for the lock at most */
#define FETCH_MS	100

static struct pcs_api api;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct pcs_context *contexts[CONTEXTS];
static size_t context_count;
static bool has_api, has_ended;		/* has_api: written before any callback */
static uint64_t fetched;		/* gpmu's thread: when it has fetched last */

static bool load(struct inject *self)
{
	const char *missing = NULL;

#define LOAD(member, symbol, ...) \
	*(void **)&api.member = inject_cupti_symbol(#symbol); \
	if (!api.member) \
		missing = #symbol;
	PCS_FUNCTIONS(LOAD)
	if (missing)
		output_note(self, ACTIVITY_WARNING, "PC sampling is not possible: this CUPTI has no %s; install CUDA 12.6 or later", missing);
	return !missing;
}

void pcs_begin(struct inject *self)
{
	static const uint32_t cbids[] = {
		CUPTI_CBID_RESOURCE_CONTEXT_CREATED, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
		CUPTI_CBID_RESOURCE_MODULE_LOADED, CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING,
	};

	if (self->control->pc_mode == CHANNEL_PC_OFF || !load(self))
		return;
	has_api = true;
	for (size_t i = 0; i < sizeof(cbids) / sizeof(*cbids); i++)
		self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE, cbids[i]);
}

static bool lock_for(unsigned int ms)
{
	struct timespec end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += ms / 1000;
	end.tv_nsec += ms % 1000 * 1000000L;
	end.tv_sec += end.tv_nsec / 1000000000;
	end.tv_nsec %= 1000000000;
	return !pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &end);
}

/* --- contexts, with the lock held */

static struct pcs_context *find(const void *handle)
{
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i]->handle == handle && contexts[i]->state == PCS_SAMPLING)
			return contexts[i];
	return NULL;
}

__attribute__((format(printf, 2, 3)))
static void refuse(struct inject *self, const char *fmt, ...)
{
	char text[256];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	output_lost(self, ACTIVITY_LOST_PC_CONTEXT, ACTIVITY_PC, 1);
	output_note(self, ACTIVITY_WARNING, "PC sampling: %s", text);
}

/* A second context of a GPU ends the sampling of both, without an error before its first launch. */
static bool is_taken(uint32_t device)
{
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i]->device == device && contexts[i]->state == PCS_SAMPLING)
			return true;
	return false;
}

static void add_context(struct inject *self, void *handle)
{
	struct pcs_context *context;
	uint32_t device = 0, id = 0;

	if (has_ended || api.device(handle, &device) || api.context(handle, &id))
		return;
	if (is_taken(device)) {
		refuse(self, "context %u is not sampled: CUPTI samples one context of a GPU, and this process has another one; use one "
		       "context", id);
		return;
	}
	context = context_count < CONTEXTS ? calloc(1, sizeof(*context)) : NULL;
	if (!context) {
		refuse(self, "context %u is not sampled: there is no memory, or there were %d contexts", id, CONTEXTS);
		return;
	}
	context->id = id;
	context->device = device;
	context->total = (struct activity_pc_total){
		.head = { sizeof(context->total), ACTIVITY_PC_TOTAL, 0 }, .device = device, .context = id,
		.mode = self->control->pc_mode, .period = self->control->pc_period, .stalls = self->control->pc_stalls,
	};
	contexts[context_count++] = context;
	pcs_context_begin(self, &api, context, handle);
}

static void end_context(struct inject *self, const void *handle)
{
	struct pcs_context *context = find(handle);

	if (context)
		pcs_context_end(self, &api, context);
}

static void fetch_all(struct inject *self)
{
	for (size_t i = 0; i < context_count; i++)
		if (contexts[i]->state == PCS_SAMPLING)
			pcs_context_fetch(self, &api, contexts[i]);
}

/* --- callbacks */

static void add_module(struct inject *self, const CUpti_ModuleResourceData *module)
{
	CUpti_GetCubinCrcParams params = { .size = sizeof(params), .cubin = module->pCubin, .cubinSize = module->cubinSize };

	if (module->pCubin && module->cubinSize && !api.crc(&params))
		pcs_cubins_add(self, params.cubinCrc, module->pCubin, module->cubinSize);
}

void pcs_callback(struct inject *self, uint32_t cbid, const CUpti_ResourceData *data)
{
	const bool is_unload = cbid == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING;

	if (!has_api || !data)
		return;
	if (cbid == CUPTI_CBID_RESOURCE_MODULE_LOADED && data->resourceDescriptor)
		return add_module(self, data->resourceDescriptor);
	if (cbid != CUPTI_CBID_RESOURCE_CONTEXT_CREATED && cbid != CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && !is_unload)
		return;
	if (!lock_for(is_unload ? FETCH_MS : BEGIN_MS)) {
		/* CUPTI keeps the samples of modules that are unloaded. */
		if (!is_unload)
			refuse(self, "a context is not sampled, or not to its end: CUPTI is busy");
		return;
	}
	if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_CREATED)
		add_context(self, data->context);
	else if (cbid == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
		end_context(self, data->context);
	else if (!has_ended)
		fetch_all(self);
	pthread_mutex_unlock(&lock);
}

/* --- gpmu's thread */

static void write_rows(struct inject *self, struct pcs_row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		rows[i].pc.function = names_intern(self, NAMES_OF_CUDA, rows[i].function);
		rows[i].pc.stall = names_intern(self, NAMES_OF_CUDA, rows[i].stall);
		pcs_cubins_write(self, rows[i].pc.cubin);
		output_write(self, &rows[i].pc.head);
	}
	free(rows);
}

/* Takes the numbers of samples that are not yet written. Returns how many contexts have some. */
static size_t take_totals(struct activity_pc_total totals[CONTEXTS])
{
	size_t n = 0;

	for (size_t i = 0; i < context_count; i++) {
		struct activity_pc_total *total = &contexts[i]->total;

		if (!contexts[i]->has_total)
			continue;
		totals[n++] = *total;
		total->samples = total->dropped = total->foreign = total->full = 0;
		contexts[i]->has_total = false;
	}
	return n;
}

/* Writes what was fetched, and unlocks. */
static void write_all(struct inject *self)
{
	struct activity_pc_total totals[CONTEXTS];
	size_t row_count, count = take_totals(totals);
	struct pcs_row *rows = pcs_rows_take(&row_count);

	pthread_mutex_unlock(&lock);
	write_rows(self, rows, row_count);
	for (size_t i = 0; i < count; i++)
		output_write(self, &totals[i].head);
}

void pcs_poll(struct inject *self)
{
	const uint64_t now = raw_clock_now();

	if (!has_api || now - fetched < FETCH_NS || pthread_mutex_trylock(&lock))
		return;
	fetched = now;
	if (!has_ended && inject_is_alive(self))
		fetch_all(self);
	write_all(self);
}

void pcs_end(struct inject *self)
{
	if (!has_api || !lock_for(BEGIN_MS))
		return;
	for (size_t i = 0; i < context_count && inject_is_alive(self); i++)
		if (contexts[i]->state == PCS_SAMPLING)
			pcs_context_end(self, &api, contexts[i]);
	has_ended = true;
	write_all(self);
}
