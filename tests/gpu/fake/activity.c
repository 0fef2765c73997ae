// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A fake of CUPTI's Activity and Callback APIs. It reports violations: buffers that are not aligned, not zeroed, or handed
 * over twice; calls after a fatal error, in a forked child, in a callback, or by a second thread after the first flush.
 */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "activity_fake.h"

#define KINDS		64
#define HELD		64
#define THREADS		256
#define OFF		256
#define CHECKED		4096	/* bytes at a buffer's begin that are checked to be zero */

enum { INVALID_OPERATION = 7, INVALID_KIND = 21 };

struct buffer {
	uint8_t *bytes;
	size_t size, used;
	unsigned int holds;
	pid_t thread;		/* that fills it, if each thread has one of its own */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static CUpti_CallbackFunc callback;
static CUpti_BuffersCallbackRequestFunc request;
static CUpti_BuffersCallbackCompleteFunc complete;
static pid_t owner;
static bool has_ended, is_zeroed, has_nvtx, has_sources, has_openacc;
static bool is_shared, is_declined;	/* is_declined: since the last flush */
static bool is_kind_enabled[KINDS], is_domain_enabled[8];
static struct { uint32_t domain, cbid; } callbacks[OFF], off[OFF];
static size_t callback_count, off_count;
static struct buffer currents[THREADS], held[HELD];
static size_t held_count, delivered, flushes, dropped;
static unsigned int flush_calls;	/* atomic */
static pthread_mutex_t in_callbacks = PTHREAD_MUTEX_INITIALIZER;	/* exclusive=1: one at a time */
static __thread bool is_in_callback;
static pid_t flusher;	/* the thread */
static bool is_several;	/* the subscriber is one of several */
static __thread bool is_allowed;

static void other_request(uint8_t **bytes, size_t *size, size_t *max)
{
	static uint8_t buffer[1 << 20] __attribute__((aligned(8)));

	*bytes = buffer;
	*size = sizeof(buffer);
	*max = 0;
	memset(buffer, 0, sizeof(buffer));
}

static void other_complete(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	(void)context;
	(void)stream;
	(void)bytes;
	(void)size;
	(void)valid;
}

void activity_steal(void)
{
	if (is_several)
		return;
	pthread_mutex_lock(&lock);
	request = other_request;
	complete = other_complete;
	pthread_mutex_unlock(&lock);
}

void activity_finalize(void)
{
	pthread_mutex_lock(&lock);
	request = NULL;
	complete = NULL;
	callback = NULL;
	memset(is_kind_enabled, 0, sizeof(is_kind_enabled));
	pthread_mutex_unlock(&lock);
}

static int enter(const char *function)
{
	if (has_ended)
		fake_violation("%s after a fatal error", function);
	if (owner && owner != getpid())
		fake_violation("%s in a forked child", function);
	if (is_in_callback)
		fake_violation("%s in a callback", function);
	if (flusher && flusher != gettid())
		fake_violation("%s by a second thread", function);
	return fake_enter(function);
}

/* With several subscribers, functions without a subscriber fail. */
static int enter_alone(const char *function)
{
	int code = enter(function);

	return code || !is_several || is_allowed ? code : CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

bool activity_is_alone(void)
{
	return callback && !is_several;
}

void activity_allow(bool is_allowed_now)
{
	is_allowed = is_allowed_now;
}

size_t activity_size(uint32_t kind)
{
	static const struct {
		uint32_t kind;
		size_t size;
	} sizes[] = {
		{ CUPTI_ACTIVITY_KIND_MEMCPY, sizeof(CUpti_ActivityMemcpy5) },
		{ CUPTI_ACTIVITY_KIND_MEMCPY2, sizeof(CUpti_ActivityMemcpyPtoP4) },
		{ CUPTI_ACTIVITY_KIND_MEMSET, sizeof(CUpti_ActivityMemset4) },
		{ CUPTI_ACTIVITY_KIND_DRIVER, sizeof(CUpti_ActivityAPI) },
		{ CUPTI_ACTIVITY_KIND_RUNTIME, sizeof(CUpti_ActivityAPI) },
		{ CUPTI_ACTIVITY_KIND_DEVICE, sizeof(CUpti_ActivityDevice4) },
		{ CUPTI_ACTIVITY_KIND_CONTEXT, sizeof(CUpti_ActivityContext) },
		{ CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, sizeof(CUpti_ActivityKernel9) },
		{ CUPTI_ACTIVITY_KIND_MARKER, sizeof(CUpti_ActivityMarker2) },
		{ CUPTI_ACTIVITY_KIND_OVERHEAD, sizeof(CUpti_ActivityOverhead) },
		{ CUPTI_ACTIVITY_KIND_ENVIRONMENT, sizeof(CUpti_ActivityEnvironment) },
		{ CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, sizeof(CUpti_ActivityUnifiedMemoryCounter2) },
		{ CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, sizeof(CUpti_ActivitySynchronization) },
		{ CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, sizeof(CUpti_ActivityExternalCorrelation) },
		{ CUPTI_ACTIVITY_KIND_MEMORY2, sizeof(CUpti_ActivityMemory4) },
		{ CUPTI_ACTIVITY_KIND_GRAPH_TRACE, sizeof(CUpti_ActivityGraphTrace) },
		{ CUPTI_ACTIVITY_KIND_MEMORY_POOL, sizeof(CUpti_ActivityMemoryPool2) },
		{ CUPTI_ACTIVITY_KIND_OPENACC_DATA, sizeof(CUpti_ActivityOpenAccData) },
		{ CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH, sizeof(CUpti_ActivityOpenAccLaunch) },
		{ CUPTI_ACTIVITY_KIND_OPENACC_OTHER, offsetof(CUpti_ActivityOpenAccData, bytes) },
		{ CUPTI_ACTIVITY_KIND_JIT, sizeof(CUpti_ActivityJit2) },
	};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (sizes[i].kind == kind)
			return (sizes[i].size + 7) / 8 * 8;
	return 0;
}

bool activity_has_nvtx(void)
{
	return has_nvtx;
}

bool activity_is_enabled(uint32_t kind)
{
	return is_kind_enabled[kind] && !has_ended && owner == getpid();
}

unsigned int activity_enabled(void)
{
	unsigned int n = 0;

	for (uint32_t kind = 0; kind < KINDS; kind++)
		n += is_kind_enabled[kind];
	return n;
}

void activity_await_flush(void)
{
	const unsigned int before = __atomic_load_n(&flush_calls, __ATOMIC_ACQUIRE);

	while (__atomic_load_n(&flush_calls, __ATOMIC_ACQUIRE) < before + 2)
		poll(NULL, 0, 1);
}

size_t activity_off(void)
{
	return off_count;
}

bool activity_is_off(uint32_t kind, uint32_t cbid)
{
	for (size_t i = 0; i < off_count; i++)
		if (off[i].domain == kind && off[i].cbid == cbid)
			return true;
	return false;
}

void activity_end(void)
{
	has_ended = true;
}

/* Hands a buffer to the tool, with the lock held: a call back to CUPTI would deadlock */
static void deliver(struct buffer buffer)
{
	size_t number = ++delivered;

	if ((int)number == fake_options()->corrupt) {
		uint32_t first = *(uint32_t *)buffer.bytes, kind = 0xdead;

		if (activity_size(first) < buffer.used)
			memcpy(buffer.bytes + activity_size(first), &kind, sizeof(kind));
	}
	complete(NULL, 0, buffer.bytes, buffer.size, buffer.used);
}

static bool is_in_use(const uint8_t *bytes, size_t size)
{
	for (size_t i = 0; i < held_count; i++)
		if (bytes < held[i].bytes + held[i].size && held[i].bytes < bytes + size)
			return true;
	for (size_t i = 0; i < THREADS; i++)
		if (bytes < currents[i].bytes + currents[i].size && currents[i].bytes < bytes + size)
			return true;
	return false;
}

/* By default each thread has a buffer of its own. */
static struct buffer *current_of(void)
{
	pid_t thread = gettid();
	size_t empty = 0;

	for (size_t i = 0; i < THREADS && !is_shared; i++) {
		if (currents[i].bytes && currents[i].thread == thread)
			return &currents[i];
		if (!currents[i].bytes && currents[empty].bytes)
			empty = i;
	}
	return &currents[empty];
}

static void report_declined(void)
{
	const struct inject_state data = { CUPTI_ERROR_OUT_OF_MEMORY,
					   "User did not give a new activity buffer to CUPTI" };

	dropped++;
	if (!is_declined)
		activity_callback(CUPTI_CB_DOMAIN_STATE, CUPTI_CBID_STATE_ERROR, &data);
	is_declined = true;
}

static bool get_buffer(struct buffer *current)
{
	struct buffer buffer = { .thread = gettid() };
	size_t max = 0;

	request(&buffer.bytes, &buffer.size, &max);
	if (!buffer.bytes)
		return false;
	if ((uintptr_t)buffer.bytes % 8)
		fake_violation("a buffer is not aligned");
	if (is_in_use(buffer.bytes, buffer.size))
		fake_violation("a buffer is given twice");
	for (size_t i = 0; is_zeroed && i < buffer.size && i < CHECKED; i++) {
		if (!buffer.bytes[i])
			continue;
		fake_violation("a buffer is not zeroed");
		break;
	}
	*current = buffer;
	return true;
}

/* Hands over a current buffer, or keeps it until the kernels that hold it end. */
static void put_away(struct buffer *current, bool is_forced)
{
	struct buffer buffer = *current;

	memset(current, 0, sizeof(*current));
	if (!buffer.bytes)
		return;
	if (buffer.holds && !is_forced && held_count < HELD)
		held[held_count++] = buffer;
	else
		deliver(buffer);
}

static void put(const void *record, bool is_held)
{
	size_t size = activity_size(*(const uint32_t *)record);
	struct buffer *current = current_of(), next = *current;
	bool is_full = current->bytes && current->size - current->used < size;

	/* If the request is declined, the full buffer stays here, and each record is dropped. */
	if ((is_full || !current->bytes) && !get_buffer(&next)) {
		report_declined();
		return;
	}
	if (is_full)
		put_away(current, false);
	*current = next;
	memcpy(current->bytes + current->used, record, size);
	current->used += size;
	current->holds += is_held;
}

void activity_put(const void *record, bool is_held)
{
	static struct { uint64_t bytes[64]; } waiting;
	static bool is_waiting;

	if (several_put)
		several_put(record);
	pthread_mutex_lock(&lock);
	if (activity_is_enabled(*(const uint32_t *)record) && request) {
		if (!fake_options()->unordered) {
			put(record, is_held);
		} else if (!is_waiting) {
			memcpy(&waiting, record, activity_size(*(const uint32_t *)record));
			is_waiting = true;
		} else {
			put(record, is_held);
			put(&waiting, false);
			is_waiting = false;
		}
	}
	pthread_mutex_unlock(&lock);
}

/* Ends all kernels of a buffer that still run. */
static void end_kernels(struct buffer *buffer)
{
	for (size_t offset = 0; offset < buffer->used;) {
		CUpti_ActivityKernel9 *kernel = (void *)(buffer->bytes + offset);

		if (kernel->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && !kernel->end && kernel->start)
			kernel->end = activity_now();
		offset += activity_size(kernel->kind);
	}
	buffer->holds = 0;
}

void activity_release(void)
{
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < THREADS; i++)
		end_kernels(&currents[i]);
	for (size_t i = 0; i < held_count; i++)
		end_kernels(&held[i]);
	pthread_mutex_unlock(&lock);
}

void activity_kill(int signal)
{
	pthread_mutex_lock(&lock);
	kill(getpid(), signal);
	pthread_mutex_unlock(&lock);
	poll(NULL, 0, 60000);
}

bool activity_has_domain(uint32_t domain)
{
	return is_domain_enabled[domain];
}

void activity_callback(uint32_t domain, uint32_t cbid, const void *data)
{
	bool is_found = is_domain_enabled[domain];

	for (size_t i = 0; i < callback_count && !is_found; i++)
		is_found = callbacks[i].domain == domain && callbacks[i].cbid == cbid;
	if (!is_found || !callback)
		return;
	is_in_callback = true;
	if (fake_options()->exclusive)
		pthread_mutex_lock(&in_callbacks);
	callback(NULL, domain, cbid, data);
	if (fake_options()->exclusive)
		pthread_mutex_unlock(&in_callbacks);
	is_in_callback = false;
}

/* With exclusive=1 calls wait for callbacks to return. */
static void wait_for_callbacks(void)
{
	if (!fake_options()->exclusive)
		return;
	pthread_mutex_lock(&in_callbacks);
	pthread_mutex_unlock(&in_callbacks);
}

void *activity_subscribe(CUpti_CallbackFunc function, bool is_one_of_several)
{
	is_several = is_one_of_several;
	callback = function;
	owner = getpid();
	dropped = fake_options()->drop;
	return &callback;
}

PUBLIC int cuptiSubscribe(void **subscriber, CUpti_CallbackFunc function, void *data)
{
	int code = enter(__func__);

	(void)data;
	if (code)
		return code;
	if (fake_options()->second || callback)
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
	*subscriber = activity_subscribe(function, false);
	return 0;
}

PUBLIC int cuptiSubscribe_v2(void **subscriber, CUpti_CallbackFunc function, void *data,
			     CUpti_SubscriberParams *params)
{
	int code = enter(__func__);

	(void)data;
	if (code)
		return code;
	if (!subscriber || (params && params->structSize < sizeof(*params)))
		return CUPTI_ERROR_INVALID_PARAMETER;
	if (several_subscribe && params && !fake_options()->second)
		return several_subscribe(subscriber, function, params);
	if (callback)
		fake_violation("%s after cuptiSubscribe", __func__);
	if (fake_options()->second == FAKE_SECOND_LEAVES) {
		callback = function;
		*subscriber = &callback;
		return 0;
	}
	if (params && params->oldSubscriberName && params->oldSubscriberSize &&
	    fake_options()->second == FAKE_SECOND_NAMED)
		snprintf(params->oldSubscriberName, params->oldSubscriberSize, "CUPTI for Other");
	return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
}

PUBLIC int cuptiUnsubscribe(void *subscriber)
{
	int code = enter(__func__);

	if (code || subscriber != &callback || !callback)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	callback = NULL;
	is_several = false;
	return 0;
}

__attribute__((destructor))
static void check_subscriber(void)
{
	if (callback && fake_options()->second)
		fake_violation("a tool that only asks for the other tool's name is still subscribed");
}

PUBLIC int cuptiEnableCallback(uint32_t enable, void *subscriber, uint32_t domain, uint32_t cbid)
{
	int code = enter(__func__);

	if (code || subscriber != &callback || !enable || callback_count == OFF)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	callbacks[callback_count].domain = domain;
	callbacks[callback_count++].cbid = cbid;
	return 0;
}

PUBLIC int cuptiGetCallbackState(uint32_t *is_enabled, void *subscriber, uint32_t domain, uint32_t cbid)
{
	int code = enter(__func__);

	(void)domain;
	(void)cbid;
	*is_enabled = 1;
	return code || (subscriber == &callback && callback) ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiFinalize(void)
{
	int code = fake_enter(__func__);

	if (!code)
		activity_finalize();
	return code;
}

PUBLIC int cuptiEnableDomain(uint32_t enable, void *subscriber, uint32_t domain)
{
	int code = enter(__func__);

	if (code || subscriber != &callback || domain >= 8)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	is_domain_enabled[domain] = enable;
	return 0;
}

PUBLIC int cuptiGetCallbackName(uint32_t domain, uint32_t cbid, const char **name)
{
	int code = enter(__func__);

	*name = activity_call_name(domain, cbid);
	return code;
}

PUBLIC int cuptiSetThreadIdType(uint32_t type)
{
	int code = enter_alone(__func__);

	return code || type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
					  CUpti_BuffersCallbackCompleteFunc completed)
{
	int code = enter_alone(__func__);

	if (!code) {
		request = requested;
		complete = completed;
	}
	return code;
}

PUBLIC int cuptiActivitySetAttribute(uint32_t attribute, size_t *size, void *value)
{
	int code = enter_alone(__func__);

	if (code || *size != 1)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	if (attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER)
		is_zeroed = *(uint8_t *)value;
	else if (attribute != CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER)
		return CUPTI_ERROR_INVALID_PARAMETER;
	else if (request)
		fake_violation("buffers per thread are set after the callbacks of buffers");
	else
		is_shared = !*(uint8_t *)value;
	return 0;
}

static int set_kind(int code, uint32_t kind, bool wants_enabled)
{
	bool is_late = kind == CUPTI_ACTIVITY_KIND_ENVIRONMENT ||
		       kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;

	if (code)
		return code;
	if (!activity_size(kind))
		return INVALID_KIND;
	if (is_late && !fake_get("devices"))
		return 14;
	if (wants_enabled && kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL && (pc_sampling_is_enabled() || sass_is_enabled()))
		return 14;
	/* The real CUPTI crashes when a graph made before is launched. */
	if (wants_enabled && kind == CUPTI_ACTIVITY_KIND_GRAPH_TRACE && activity_has_graphs())
		fake_violation("GRAPH_TRACE is enabled where there are graphs");
	wait_for_callbacks();
	if (kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
		poll(NULL, 0, fake_options()->slow);
	pthread_mutex_lock(&lock);
	is_kind_enabled[kind] = wants_enabled;
	if (wants_enabled)
		off_count = 0;
	pthread_mutex_unlock(&lock);
	return 0;
}

PUBLIC int cuptiActivityEnable(uint32_t kind)
{
	return set_kind(enter_alone(__func__), kind, true);
}

PUBLIC int cuptiActivityDisable(uint32_t kind)
{
	return set_kind(enter_alone(__func__), kind, false);
}

static int set_api(int code, uint32_t kind, uint32_t cbid, bool wants_enabled)
{
	if (code || wants_enabled || off_count == OFF)
		return code ? code : CUPTI_ERROR_INVALID_PARAMETER;
	off[off_count].domain = kind;
	off[off_count++].cbid = cbid;
	return 0;
}

PUBLIC int cuptiActivityEnableRuntimeApi(uint32_t cbid, uint8_t enable)
{
	return set_api(enter_alone(__func__), CUPTI_ACTIVITY_KIND_RUNTIME, cbid, enable);
}

PUBLIC int cuptiActivityEnableDriverApi(uint32_t cbid, uint8_t enable)
{
	return set_api(enter_alone(__func__), CUPTI_ACTIVITY_KIND_DRIVER, cbid, enable);
}

PUBLIC int cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *config,
						      uint32_t length)
{
	int code = enter(__func__);

	return code || (config && length) ? code : CUPTI_ERROR_INVALID_PARAMETER;
}

PUBLIC int cuptiActivityFlushAll(uint32_t flags)
{
	int code = enter(__func__);
	bool is_forced = flags & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED;

	flusher = gettid();
	__atomic_fetch_add(&flush_calls, 1, __ATOMIC_RELEASE);
	if (code || !complete)
		return code ? code : INVALID_OPERATION;
	wait_for_callbacks();
	while (is_forced && fake_options()->stuck)
		poll(NULL, 0, -1);
	pthread_mutex_lock(&lock);
	if (is_forced || (int)flushes++ >= fake_options()->late) {
		for (size_t i = 0; i < held_count;) {
			struct buffer buffer = held[i];

			if (buffer.holds && !is_forced) {
				i++;
				continue;
			}
			memmove(&held[i], &held[i + 1], (--held_count - i) * sizeof(held[0]));
			deliver(buffer);
		}
		for (size_t i = 0; i < THREADS; i++)
			if (!currents[i].holds || is_forced)
				put_away(&currents[i], is_forced);
		is_declined = false;
	}
	pthread_mutex_unlock(&lock);
	return 0;
}

PUBLIC int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
	int code = enter_alone(__func__);
	uint8_t *next = *record ? (uint8_t *)*record + activity_size((*record)->kind) : buffer;

	if (code)
		return code;
	if (next >= buffer + valid)
		return CUPTI_ERROR_MAX_LIMIT_REACHED;
	if (!activity_size(((CUpti_Activity *)next)->kind))
		return INVALID_KIND;
	*record = (CUpti_Activity *)next;
	return 0;
}

/* The thread of OpenACC's runtime calls this. */
PUBLIC int cuptiOpenACCInitialize(void *add, void *drop, void *lookup)
{
	int code = fake_enter(__func__);

	if (has_openacc)
		fake_violation("%s twice", __func__);
	has_openacc = !code && add && drop && lookup;
	return code;
}

bool activity_has_openacc(void)
{
	return has_openacc;
}

PUBLIC int cuptiActivityEnableAllocationSource(uint8_t enable)
{
	int code = enter(__func__);

	has_sources = !code && enable;
	return code;
}

bool activity_has_sources(void)
{
	return has_sources;
}

/* A handle is an id. CUPTI permits this call in a callback. */
PUBLIC int cuptiGetGraphNodeId(void *node, uint64_t *id)
{
	*id = (uintptr_t)node;
	return has_ended || owner != getpid();
}

PUBLIC int cuptiActivityGetNumDroppedRecords(void *context, uint32_t stream, size_t *number)
{
	int code = enter_alone(__func__);

	(void)context;
	(void)stream;
	pthread_mutex_lock(&lock);
	*number = dropped;
	dropped = 0;
	pthread_mutex_unlock(&lock);
	return code;
}

PUBLIC int InitializeInjectionNvtx2(void *get_table)
{
	has_nvtx = get_table != NULL;
	return has_nvtx;
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
	pthread_atfork(before_fork, after_fork, after_fork);
	fake_hook(activity_do);
}
