// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of CUPTI by which a program's own profiler begins. CUPTI refuses its subscription, but lets a program without
 * one take gpmu's records, give them another clock or end them: CUPTI 13.0 hands over gpmu's buffers to the program, which
 * frees them and crashes. These functions precede CUPTI's own, as the library is preloaded. In a recorded process each of
 * them is refused as a subscription, and a note reports it. A program that takes its functions from dlsym(3) calls CUPTI's
 * own; the probe detects what it takes.
 */
#include <dlfcn.h>

#include "inject.h"

PUBLIC int cuptiSubscribe(void **subscriber, CUpti_CallbackFunc callback, void *data);
PUBLIC int cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete);
PUBLIC int cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback);
PUBLIC int cuptiActivityDisable(uint32_t kind);
PUBLIC int cuptiFinalize(void);

static uint32_t has_buffers;	/* the program has registered buffers before it was recorded; atomic */
static uint32_t is_noted;	/* atomic */

bool guard_has_buffers(void)
{
	return __atomic_load_n(&has_buffers, __ATOMIC_RELAXED);
}

/* Returns whether the call is refused, because the process is recorded. */
static bool refuses(const char *call)
{
	if (!inject || !inject_is_alive(inject))
		return false;
	if (!__atomic_exchange_n(&is_noted, 1, __ATOMIC_RELAXED))
		output_note(inject, ACTIVITY_WARNING,
			    "the profiler of the program is refused (%s): CUPTI serves one tool in a process, which is gpmu; run the program with only one of them",
			    call);
	return true;
}

/* Returns CUPTI's own function; NULL: none is loaded. */
static void *find_own(const char *name)
{
	void *own = dlsym(RTLD_NEXT, name);

	return own ? own : inject_mapped_symbol(name);
}

#define CALL_OWN(name, ...) do { \
	__typeof__(name) *own; \
\
	if (refuses(#name)) \
		return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED; \
	*(void **)&own = find_own(#name); \
	return own ? own(__VA_ARGS__) : CUPTI_ERROR_NOT_INITIALIZED; \
} while (0)

PUBLIC int cuptiSubscribe(void **subscriber, CUpti_CallbackFunc callback, void *data)
{
	CALL_OWN(cuptiSubscribe, subscriber, callback, data);
}

PUBLIC int cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request, CUpti_BuffersCallbackCompleteFunc complete)
{
	__atomic_store_n(&has_buffers, 1, __ATOMIC_RELAXED);
	CALL_OWN(cuptiActivityRegisterCallbacks, request, complete);
}

PUBLIC int cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc callback)
{
	CALL_OWN(cuptiActivityRegisterTimestampCallback, callback);
}

PUBLIC int cuptiActivityDisable(uint32_t kind)
{
	CALL_OWN(cuptiActivityDisable, kind);
}

PUBLIC int cuptiFinalize(void)
{
	__atomic_store_n(&has_buffers, 0, __ATOMIC_RELAXED);
	CALL_OWN(cuptiFinalize);
}
