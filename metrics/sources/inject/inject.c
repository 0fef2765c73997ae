// SPDX-License-Identifier: LGPL-2.1-or-later
/* Entry points for the CUDA driver, NVTX and libgpmu; fork and end of the process */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject.h"
#include "ranges/ranges.h"

PUBLIC int InitializeInjection(void);
PUBLIC int InitializeInjectionNvtx2(void *get_table);
PUBLIC void gpmu_inject_region(const char *name, int begins);
PUBLIC void gpmu_inject_range(const char *name, int begins);

struct inject *inject;

static struct inject self;
static pid_t forked_from;	/* pid of the recorded parent; 0: none */

bool inject_is_alive(const struct inject *recording)
{
	return !__atomic_load_n(&recording->fatal, __ATOMIC_ACQUIRE);
}

/* A forked child has no CUDA, no CUPTI and no thread of gpmu. */
static void in_child(void)
{
	if (!inject)
		return;
	forked_from = getppid();
	channel_writer_forget(inject->writer);
	inject = NULL;
}

static bool open_channel(void)
{
	const char *name = secure_getenv(CHANNEL_VARIABLE);
	int connection;

	if (!name || !*name)
		return false;
	self.control = channel_connect(name, "CUDA", &connection);
	if (!self.control)
		return false;
	if (channel_has_reader(self.control))
		self.writer = channel_writer_send(connection, self.control->ring, "CUDA");
	close(connection);
	if (self.writer)
		return true;
	channel_unmap_control(self.control);
	return false;
}

/* CUDA is initialised in a forked child of a process with CUPTI, which cannot be recorded. */
static void refuse_child(void)
{
	output_process(&self);
	output_note(&self, ACTIVITY_WARNING,
		    "CUDA is not recorded: this process was forked by %d, which is recorded; CUPTI needs an exec, as the method spawn of Python's multiprocessing does",
		    (int)forked_from);
	channel_writer_close(self.writer);
}

static void start(void)
{
	char why[512];
	bool is_loaded = inject_load(&self, why, sizeof(why));

	output_process(&self);
	buffers_init(self.control->buffer ? self.control->buffer : 1 << 20,
		     self.control->buffers ? self.control->buffers : 1);
	capture_init();
	if (!is_loaded) {
		output_note(&self, ACTIVITY_WARNING, "CUDA is not recorded: %s", why);
		self.fatal = 1;
	}
	self.pid = getpid();
	inject = &self;
	if (is_loaded)
		callbacks_subscribe(&self);
	if (!inject_is_alive(&self))
		return channel_writer_finish(self.writer);
	capture_update(&self);
	if (pthread_atfork(NULL, NULL, in_child) || !end_register() || !thread_start(&self)) {
		__atomic_store_n(&self.fatal, 1, __ATOMIC_SEQ_CST);
		output_note(&self, ACTIVITY_WARNING, "CUDA is not recorded: no thread can be created");
		channel_writer_finish(self.writer);
		return;
	}
	signals_begin();
}

PUBLIC int InitializeInjection(void)
{
	static int calls;
	int kept = errno;

	if (!__atomic_fetch_add(&calls, 1, __ATOMIC_SEQ_CST) || forked_from) {
		memset(&self, 0, offsetof(struct inject, api));
		if (open_channel()) {
			if (forked_from)
				refuse_child();
			else
				start();
		}
	}
	forked_from = 0;
	errno = kept;
	return 1;
}

/*
 * NVTX loads one library, this one. It passes the call on to CUPTI, whose marker records need it. If the driver is not
 * initialised yet, CUPTI is only loaded, because the process may still fork.
 */
PUBLIC int InitializeInjectionNvtx2(void *get_table)
{
	int (*next)(void *);
	char why[512];

	if (!secure_getenv(CHANNEL_VARIABLE) || (!inject && !inject_load(&self, why, sizeof(why))))
		return 0;
	*(void **)&next = inject_cupti_symbol("InitializeInjectionNvtx2");
	return next ? next(get_table) : 0;
}

PUBLIC void gpmu_inject_region(const char *name, int begins)
{
	gpmu_inject_range(name, begins);
	if (inject && capture_wants(inject, CHANNEL_CAPTURE_REGION, name))
		capture_range(inject, begins);
}

PUBLIC void gpmu_inject_range(const char *name, int begins)
{
	if (!inject)
		return;
	if (begins)
		ranges_push(inject, CHANNEL_RANGES_REGION, name);
	else
		ranges_pop(inject, CHANNEL_RANGES_REGION);
}
