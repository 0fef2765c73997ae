/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu-inject.so, which the CUDA driver loads into programs that gpmu record starts ($CUDA_INJECTION64_PATH), writes
 * CUPTI's records of the process to its channel. The dynamic linker also preloads it into all these programs, so that its
 * functions precede the functions of libc that end a process (end.c, signals.c).
 *
 * It never disturbs the program: it prints nothing and ends nothing, and reports failures by notes in the channel. After
 * the start one thread, gpmu's, with all signals blocked, makes all calls to CUPTI, and holds none of our locks around a
 * call. CUPTI's callbacks run in threads of the program and call nothing of CUPTI: they only queue and wake gpmu's thread.
 * With graph_nodes they get the ids of nodes from CUPTI.
 * The callback at the begin of a capture range waits up to half a second until gpmu's thread has enabled recording.
 */
#ifndef GPMU_INJECT_H
#define GPMU_INJECT_H

#include <pthread.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "trace/channel/channel.h"
#include "inject_api.h"

struct inject_buffer {
	struct inject_buffer *next;
	uint8_t *bytes;		/* page-aligned; zeroed before CUPTI gets it */
	size_t size, valid;
	void *context;
	uint32_t stream;
};

/* Flushes before the process ends. Functions of atexit(3) may launch work after the first one. */
enum inject_end { END_NONE, END_FIRST, END_LAST };

struct inject {
	struct channel_control *control;
	struct channel_writer *writer;
	struct inject_api api;
	uint32_t version, driver;	/* CUPTI's, the driver's */
	char path[256];			/* of CUPTI */
	void *subscriber;
	pid_t pid;
	bool has_thread;

	/* Atomic: set by any thread */
	uint32_t fatal;		/* CUPTI must not be called any more */
	uint32_t ready;		/* the driver is initialised */
	uint32_t stop;		/* enum inject_end: the flush that is requested because the process ends */
	uint32_t wanted, flushed;	/* number of flushes that were requested by thread_flush(), and number of those that are done */
	uint32_t ended;		/* enum inject_end: the flush that is done */
	uint64_t called;	/* channel_called() after END_FIRST */
	uint32_t signal;	/* ends the process after the last flush; 0: none */
	uint32_t ender;		/* tid of the thread that ends the process; 0: none */
	bool is_released;	/* calls no longer wait for the last flush */
	/* Written for each record, so apart from the members that each launch reads */
	_Alignas(64) uint64_t progress;	/* changes while the thread works */
	/* Used by gpmu's thread: */
	uint64_t arrived;	/* records of work that CUPTI has delivered */
	uint64_t marked;	/* channel_called() when the channel was marked as complete */
	bool is_last;		/* flushes deliver work that has not ended */
	bool has_allocators;	/* CUPTI records the library of each allocation; set at the start */
};

#define PUBLIC	__attribute__((visibility("default")))

/* The process's recording; NULL if it is not recorded */
extern struct inject *inject;

/* Maps zeroed memory for a table. A page takes memory once it is used. NULL: out of memory */
static inline void *inject_table(size_t size)
{
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return table == MAP_FAILED ? NULL : table;
}

/* Returns whether CUPTI can be called. */
bool inject_is_alive(const struct inject *self);

/* library.c: loads the CUPTI of the process, or one that matches the driver. On failure false with @why */
bool inject_load(struct inject *self, char *why, size_t size);
void *inject_cupti_symbol(const char *name);
/* A function of a CUPTI that the program has loaded; NULL: there is none */
void *inject_mapped_symbol(const char *name);

/* guard.c: returns whether the program had registered buffers before it was recorded: it records activities itself. */
bool guard_has_buffers(void);

/* buffers.c: CUPTI's callbacks for buffers, and the queue of full buffers */
void inject_request(uint8_t **buffer, size_t *size, size_t *max);
void inject_complete(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid);
void buffers_init(size_t size, unsigned int max);
/* Takes the oldest full buffer; NULL if there is none */
struct inject_buffer *buffers_take(void);
/* Returns a buffer to the pool */
void buffers_give(struct inject_buffer *buffer);
/* Waits until a buffer is full, @ms have passed or buffers_wake() is called. */
void buffers_wait(unsigned int ms);
void buffers_wake(void);
/* Returns whether requests have had no buffer since the last buffers_were_declined(). */
bool buffers_are_short(void);
/* Returns the same as buffers_are_short(), and counts later requests anew. */
bool buffers_were_declined(void);
/* Returns whether any request has had no buffer. */
bool buffers_were_short(void);
/* The most bytes that all buffers have had at once, and their limit */
size_t buffers_memory(void);
size_t buffers_limit(void);
/* Total number of buffers that came back */
uint64_t buffers_completed(void);

/* records.c: converts the records of a buffer */
void records_read(struct inject *self, struct inject_buffer *buffer);

/*
 * names.c: the number of a name, whose record is written if the name is new; 0 for no name or without room. Once the names
 * of a use have CHANNEL_NAMES_MAX bytes, new ones get the number of "(more names)", and a note reports it.
 */
enum names_use { NAMES_OF_NVTX, NAMES_OF_CUDA, NAMES_USES };
uint32_t names_intern(struct inject *self, enum names_use use, const char *text);
/* The number of a call's name, by its callback id */
uint32_t names_call(struct inject *self, uint32_t domain, uint32_t cbid);
bool names_is_noise(uint32_t domain, uint32_t cbid);
/* The @index-th of the calls that are not recorded; false after the last */
bool names_noise(size_t index, uint32_t *domain, uint32_t *cbid);

/* output.c: writes to the channel */
/* Waits a bounded time for room. false: the record is counted as lost */
bool output_write(struct inject *self, const struct activity_head *record);
/* Writes like output_write(), but does not wait. */
void output_try(struct inject *self, const struct activity_head *record);
/* Counts records that were lost since the last completion time. @kind: 0: not known */
void output_lost(struct inject *self, enum activity_lost_why why, enum activity_kind kind, uint64_t count);
/* Returns whether records have been lost for this reason. */
bool output_has_lost(enum activity_lost_why why);
/* Writes the records held back and, unless CUPTI has failed, that records are complete up to @time. false: no room */
bool output_complete(struct inject *self, uint64_t time);
__attribute__((format(printf, 3, 4)))
void output_note(struct inject *self, enum activity_note_level level, const char *fmt, ...);
/*
 * Writes a warning unless *@is_written, and then sets that. Returns *@is_written. false: no room; nothing is counted as lost,
 * because the caller tries again
 */
__attribute__((format(printf, 3, 4)))
bool output_warn_once(struct inject *self, bool *is_written, const char *fmt, ...);
void output_process(struct inject *self);

/* capture.c: selects the work to record */
void capture_init(void);
/* Begins or ends a capture range, in any thread. At the begin it waits a bounded time until recording is enabled. */
void capture_range(struct inject *self, bool is_begin);
/* Notes that the program has allocated managed memory. The first time it waits until transfers of it are recorded. */
void capture_managed(struct inject *self);
/* Called by gpmu's thread after any change: enables and disables kinds; returns whether anything is recorded */
bool capture_update(struct inject *self);
/* Writes the end of recording when the process ends. Kinds stay enabled: later calls are counted, too. */
void capture_end(struct inject *self);
/* Returns whether work of this time is to be recorded: recording was enabled and, with capture ranges, a range was open. */
bool capture_has(const struct inject *self, uint64_t time);
/* Returns whether a range of this name is a capture range. */
bool capture_wants(const struct inject *self, enum channel_capture capture, const char *name);

/* State of the recording of a kind by CUPTI; CAPTURE_SWITCHING: not certain, because kinds are being enabled or disabled */
enum capture_state { CAPTURE_OFF, CAPTURE_SWITCHING, CAPTURE_ON };
enum capture_state capture_state(enum activity_kind kind);

/* calls.c: counts the work that the program calls, by callbacks of the driver's functions */
void calls_enable(struct inject *self);
void calls_callback(struct inject *self, uint32_t cbid, const CUpti_CallbackData *data);
/* Notes that this thread's call adds a node to a graph, and so launches nothing. */
void calls_node_created(void);
/* Returns whether the call of this correlation is counted as CHANNEL_UNSURE. */
bool calls_are_unsure(uint32_t correlation);
void calls_note_unsure(uint32_t correlation);

/* host_memory.c: pinned and managed memory of the program, and the nodes of pinned memory */
void host_memory_enable(struct inject *self);
/* Takes a callback of the driver that is not a launch. */
void host_memory_callback(struct inject *self, uint32_t cbid, const CUpti_CallbackData *data);
/* Called by gpmu's thread: reads the nodes of new pinned memory, so rarely that this takes a small part of the time. */
void host_memory_poll(struct inject *self);
/* Reads the nodes of new pinned memory now. */
void host_memory_end(struct inject *self);

/* graphs.c: counts the nodes of graphs that are launched, if nodes are recorded */
/* Takes a callback about a graph, of the domain of resources. */
void graphs_event(struct inject *self, uint32_t cbid, const CUpti_GraphData *data);
/* Notes that a call that instantiates a graph begins or ends in this thread. */
void graphs_instantiate(bool is_begin);
/* Notes that a node of the executable graph may be disabled. */
void graphs_disable(const void *exec);
/* Counts the nodes of an executable graph that is launched. */
void graphs_count(struct inject *self, const void *exec, uint32_t correlation, enum channel_tally tally);

/*
 * several.c: subscribes so that other tools of the process can subscribe, too, and replaces the functions of the table by
 * those for several subscribers. Returns 0; CUPTI_ERROR_NOT_SUPPORTED: nothing was changed;
 * CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED: another tool has subscribed alone.
 */
int several_subscribe(struct inject *self, CUpti_CallbackFunc callback);

/* openacc.c: connects CUPTI to OpenACC's runtime, if it is requested and the runtime is known. */
void openacc_connect(struct inject *self);

/* modules.c */
void modules_enable(struct inject *self);
void modules_loaded(struct inject *self, const CUpti_ModuleResourceData *module);

/* callbacks.c, nvtx.c */
void callbacks_subscribe(struct inject *self);
void nvtx_callback(struct inject *self, uint32_t cbid, const CUpti_NvtxData *data);

/* probe.c: called by the thread after each flush; @has_records: work is being recorded */
void probe_look(struct inject *self, bool has_records);
/* Called before and after the last flush of exit(3): at the begin the probe makes a call, whose record arrives by that flush. */
void probe_begin_end(struct inject *self);
void probe_end(struct inject *self);
/* Returns whether CUPTI's records have gpmu's clock. */
bool probe_clock_is_ours(struct inject *self);
/* Returns whether this thread makes the probe's calls. */
bool probe_is_ours(uint32_t tid);

/* thread.c */
bool thread_start(struct inject *self);
/* The functions below may be called in a signal handler. They wait as long as the thread makes progress. */
/* Flushes all records and, with END_LAST, ends recording. Returns false if the thread makes no progress for @ms. */
bool thread_end(struct inject *self, enum inject_end end, unsigned int ms);
/* Returns whether no work has been called since the first flush. CUPTI, which may have ended since, needs no call then. */
bool thread_has_flushed(const struct inject *self);
/* Called before work is launched: if the last flush has begun, waits for the end of the process, which would lose the work. */
void thread_hold(struct inject *self);
/*
 * Flushes all records before exec or a handler of SIGABRT, and marks the channel as complete until more work is called.
 */
void thread_flush(struct inject *self, unsigned int ms);

/* end.c: functions of libc that end the process or its program */
/* Registers functions for exit(3) and quick_exit(3). Returns false without memory. */
bool end_register(void);
/* Returns whether all other threads have ended, the main thread by pthread_exit(3). The process would end without our thread. */
bool end_is_due(void);

/* signals.c: signals whose default action ends the process */
/* Installs the handlers. */
void signals_begin(void);
/* Ends the process by the default action of @signal. */
void signals_die(int signal);
/* Returns whether the program has a handler of SIGABRT. */
bool signals_handles_abort(void);
/* Calls the handler as abort(3) does, and sets SIG_DFL if it returns. */
void signals_abort(void);

#endif /* GPMU_INJECT_H */
