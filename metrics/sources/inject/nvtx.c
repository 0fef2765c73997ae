// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Capture ranges marked by NVTX. Structures are those of nvToolsExt.h and generated_nvtx_meta.h. Ranges nested in a
 * captured range of their domain belong to it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "inject.h"
#include "ranges/ranges.h"

#define STRINGS_MAX	4096	/* registered strings that are remembered */
#define DOMAINS		8	/* with captured ranges of a thread at a time */
#define RANGES		64	/* open ranges with an id */

enum message_type { MESSAGE_ASCII = 1, MESSAGE_REGISTERED = 3 };

struct event_attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const void *message;
};

/* Parameters of calls in a domain: the domain, and those of calls without one */
struct domain_params {
	const void *domain;
	const void *core;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct string {
	const void *handle;
	char *text;
} *strings;
static size_t string_count;
static uint64_t ranges[RANGES];	/* ids of captured ranges; 0: unused */

static __thread struct {
	const void *domain;
	unsigned int depth;
} pushed[DOMAINS];

/* The text of a registered string, which is never freed; NULL: not known */
static const char *registered(const void *handle)
{
	const char *text = NULL;

	pthread_mutex_lock(&lock);
	for (size_t i = string_count; i > 0 && !text; i--)
		if (strings[i - 1].handle == handle)
			text = strings[i - 1].text;
	pthread_mutex_unlock(&lock);
	return text;
}

static bool wants(const struct inject *self, const char *name)
{
	return name && capture_wants(self, CHANNEL_CAPTURE_NVTX, name);
}

static void add_string(const void *handle, const char *text)
{
	struct string *added = string_count < STRINGS_MAX ? vector_append(strings, string_count) : NULL;

	if (!added)
		return;
	*added = (struct string){ handle, strdup(text) };
	if (!added->text)
		string_count--;
}

static void register_string(const struct inject *self, const CUpti_NvtxData *data)
{
	const struct domain_params *params = data->functionParams;
	const void *handle = data->functionReturnValue ?
			     *(const void *const *)data->functionReturnValue : NULL;

	if (!handle || !params->core || (!ranges_are_wanted(self) && !wants(self, params->core)))
		return;
	pthread_mutex_lock(&lock);
	add_string(handle, params->core);
	pthread_mutex_unlock(&lock);
}

/* The name of an event; NULL: it has none, or one that is not known */
static const char *name_of(const struct event_attributes *event)
{
	if (!event)
		return NULL;
	if (event->message_type == MESSAGE_ASCII)
		return event->message;
	return event->message_type == MESSAGE_REGISTERED ? registered(event->message) : NULL;
}

static void push(struct inject *self, const void *domain, const char *name)
{
	const bool is_wanted = wants(self, name);

	ranges_push(self, CHANNEL_RANGES_NVTX, name);
	for (size_t i = 0; i < DOMAINS; i++) {
		if (!pushed[i].depth || pushed[i].domain != domain)
			continue;
		pushed[i].depth++;
		return;
	}
	for (size_t i = 0; i < DOMAINS && is_wanted; i++) {
		if (pushed[i].depth)
			continue;
		pushed[i].domain = domain;
		pushed[i].depth = 1;
		capture_range(self, true);
		return;
	}
}

static void pop(struct inject *self, const void *domain)
{
	ranges_pop(self, CHANNEL_RANGES_NVTX);
	for (size_t i = 0; i < DOMAINS; i++) {
		if (!pushed[i].depth || pushed[i].domain != domain)
			continue;
		if (!--pushed[i].depth)
			capture_range(self, false);
		return;
	}
}

static void start(struct inject *self, const CUpti_NvtxData *data, bool is_wanted)
{
	uint64_t id = is_wanted && data->functionReturnValue ?
		      *(const uint64_t *)data->functionReturnValue : 0;
	bool is_kept = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES && id && !is_kept; i++) {
		if (ranges[i])
			continue;
		ranges[i] = id;
		is_kept = true;
	}
	pthread_mutex_unlock(&lock);
	if (is_kept)
		capture_range(self, true);
}

static void end(struct inject *self, uint64_t id)
{
	bool is_found = false;

	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < RANGES && id && !is_found; i++) {
		is_found = ranges[i] == id;
		if (is_found)
			ranges[i] = 0;
	}
	pthread_mutex_unlock(&lock);
	if (is_found)
		capture_range(self, false);
}

void nvtx_callback(struct inject *self, uint32_t cbid, const CUpti_NvtxData *data)
{
	const struct domain_params *params = data->functionParams;
	const void *first = params ? params->domain : NULL;	/* the only parameter of a call without a domain */

	if (!params && cbid != CUPTI_CBID_NVTX_nvtxRangePop)
		return;
	switch (cbid) {
	case CUPTI_CBID_NVTX_nvtxRangePushA:
		return push(self, NULL, first);
	case CUPTI_CBID_NVTX_nvtxRangePushEx:
		return push(self, NULL, name_of(first));
	case CUPTI_CBID_NVTX_nvtxDomainRangePushEx:
		return push(self, first, name_of(params->core));
	case CUPTI_CBID_NVTX_nvtxRangePop:
		return pop(self, NULL);
	case CUPTI_CBID_NVTX_nvtxDomainRangePop:
		return pop(self, first);
	case CUPTI_CBID_NVTX_nvtxRangeStartA:
		return start(self, data, wants(self, first));
	case CUPTI_CBID_NVTX_nvtxRangeStartEx:
		return start(self, data, wants(self, name_of(first)));
	case CUPTI_CBID_NVTX_nvtxDomainRangeStartEx:
		return start(self, data, wants(self, name_of(params->core)));
	case CUPTI_CBID_NVTX_nvtxRangeEnd:
		return end(self, (uint64_t)(uintptr_t)first);
	case CUPTI_CBID_NVTX_nvtxDomainRangeEnd:
		return end(self, (uint64_t)(uintptr_t)params->core);
	case CUPTI_CBID_NVTX_nvtxDomainRegisterStringA:
		return register_string(self, data);
	default:
		return;
	}
}
