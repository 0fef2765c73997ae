/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu-inject.so, which the CUDA driver loads into programs that gpmu record starts ($CUDA_INJECTION64_PATH):
 * writes what CUPTI says of the process to its channel.
 *
 * It never disturbs the program. It prints nothing and ends nothing; what fails is a note in the channel. One thread
 * with all signals blocked, gpmu's, makes all calls of CUPTI's but those of the start, and holds no lock of ours around one. CUPTI's
 * callbacks, in threads of the program, make none: they only queue, and wake that thread. The callback by which a capture
 * range begins waits for it, up to half a second, where CUPTI has first to enable what is to be recorded.
 */
#ifndef GPMU_INJECT_H
#define GPMU_INJECT_H

#include <pthread.h>
#include <stdbool.h>

#include "trace/channel/channel.h"
#include "inject_api.h"

struct inject_buffer {
	struct inject_buffer *next;
	uint8_t *bytes;		/* page-aligned, zeroed when CUPTI gets it */
	size_t size, valid;
	void *context;
	uint32_t stream;
};

struct inject {
	struct channel_control *control;
	struct channel_writer *writer;
	struct inject_api api;
	uint32_t version, driver;	/* CUPTI's, the driver's */
	char path[256];			/* of CUPTI */
	void *subscriber;
	pthread_t thread;
	bool has_thread;

	/* Atomic: by any thread */
	uint32_t fatal;		/* no call of CUPTI's any more */
	uint32_t ready;		/* the driver is initialised */
	uint32_t stop;		/* the process ends */
	uint64_t progress;	/* changes while the thread works */
};

/* Of the process; NULL: it is not recorded */
extern struct inject *inject;

uint64_t inject_now(void);
/* Whether CUPTI can be called */
bool inject_is_alive(const struct inject *self);

/* library.c: finds the CUPTI of the process, or that which fits. false with @why */
bool inject_load(struct inject *self, char *why, size_t size);
void *inject_cupti_symbol(const char *name);

/* buffers.c: CUPTI's callbacks, and what they have queued */
void inject_request(uint8_t **buffer, size_t *size, size_t *most);
void inject_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
void buffers_init(size_t size, unsigned int most);
/* The oldest that is full; NULL: there is none */
struct inject_buffer *buffers_take(void);
/* Back to the pool, zeroed */
void buffers_give(struct inject_buffer *buffer);
/* Waits until there is one, @ms have passed or buffers_wake() was called. */
void buffers_wait(unsigned int ms);
void buffers_wake(void);
/* Requests that got none since the last call */
uint64_t buffers_declined(void);
/* How many came back in all */
uint64_t buffers_completed(void);

/* records.c: makes records of what is in a buffer */
void records_read(struct inject *self, struct inject_buffer *buffer);

/*
 * names.c: the number of a name, whose record is written if it is new; 0: none, or no room for it. What is new where
 * names of that use are NAMES_MOST in all has the number of "(more names)", which a note says.
 */
enum names_use { NAMES_OF_NVTX, NAMES_OF_CUDA, NAMES_USES };
uint32_t names_intern(struct inject *self, enum names_use use, const char *text);
/* Of a call, by its callback id */
uint32_t names_call(struct inject *self, uint32_t domain, uint32_t cbid);
bool names_is_noise(uint32_t domain, uint32_t cbid);
/* Of the calls that are not worth a record: the @index-th, false: after the last */
bool names_noise(size_t index, uint32_t *domain, uint32_t *cbid);

/* output.c: to the channel */
/* Waits a bounded time for room. false: it is lost, and counted */
bool output_write(struct inject *self, const struct activity_head *record);
/* Does not wait. */
void output_try(struct inject *self, const struct activity_head *record);
void output_lost(struct inject *self, enum activity_lost_why why, uint64_t count);
/* Writes how many were lost, and, while CUPTI can be asked, that all up to @time is there. false: there is no room now */
bool output_complete(struct inject *self, uint64_t time);
__attribute__((format(printf, 3, 4)))
void output_note(struct inject *self, enum activity_note_level level, const char *fmt, ...);
void output_process(struct inject *self);

/* capture.c: what is recorded now */
void capture_init(void);
/* A capture range begins or ends. Any thread; where it begins, this waits a bounded time until work is recorded. */
void capture_range(struct inject *self, bool begins);
/* By gpmu's thread: enables and disables what is to be, after any change: returns whether something is recorded */
bool capture_update(struct inject *self);
/* Whether what was done at this time is to be there: it was enabled then, and in a range, where one is asked for */
bool capture_has(const struct inject *self, uint64_t time);
/* Whether a range of that name is asked for */
bool capture_wants(const struct inject *self, enum channel_capture capture, const char *name);

/* callbacks.c, nvtx.c */
void callbacks_subscribe(struct inject *self);
void nvtx_callback(struct inject *self, uint32_t cbid, const CUpti_NvtxData *data);

/* probe.c: by the thread, after each flush; @records: something is recorded */
void probe_look(struct inject *self, bool records);
/* Whether calls of this thread are the probe's */
bool probe_is_ours(uint32_t tid);

/* others.c: a note, if another library of the process uses CUPTI */
void others_say(struct inject *self);

/* thread.c */
bool thread_start(struct inject *self);
/* Waits for it, while there is progress. */
void thread_end(struct inject *self);

#endif /* GPMU_INJECT_H */
