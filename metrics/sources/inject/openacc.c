// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Connects CUPTI to the profiling interface of OpenACC's runtime, which calls acc_register_library() of the libraries in
 * $ACC_PROFLIB, before or after the program initialises CUDA.
 */
#include "inject.h"

PUBLIC void acc_register_library(void *add, void *drop, void *lookup);

/* Functions of the runtime; NULL: none yet */
static struct {
	void *add, *drop, *lookup;
} runtime;

static uint32_t is_connected;

void openacc_connect(struct inject *self)
{
	int code;

	if (!(self->control->kinds >> ACTIVITY_OPENACC & 1) || !__atomic_load_n(&runtime.add, __ATOMIC_ACQUIRE) ||
	    __atomic_exchange_n(&is_connected, 1, __ATOMIC_SEQ_CST))
		return;
	code = self->api.openacc ? self->api.openacc(runtime.add, runtime.drop, runtime.lookup) : CUPTI_ERROR_UNKNOWN;
	if (code)
		output_note(self, ACTIVITY_WARNING, "OpenACC is not recorded: cuptiOpenACCInitialize returned %d", code);
}

PUBLIC void acc_register_library(void *add, void *drop, void *lookup)
{
	runtime.drop = drop;
	runtime.lookup = lookup;
	__atomic_store_n(&runtime.add, add, __ATOMIC_RELEASE);
	if (inject && inject_is_alive(inject))
		openacc_connect(inject);
}
