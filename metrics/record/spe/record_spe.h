/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records samples of Arm SPE. The PMU writes them to an AUX buffer for each CPU. One thread moves the contents of the
 * buffers into a file; another thread decodes the contents and queues the samples.
 */
#ifndef GPMU_RECORD_SPE_H
#define GPMU_RECORD_SPE_H

#include "record/queue/record_spool.h"
#include "record/ring/record_ring.h"

/* The decoder of a ring's AUX buffer */
struct record_spe_buffer {
	struct gpmu_spe_decoder decoder;
	int node;			/* of the CPU; -1: not known */
};

/* Head of a chunk in the spool, followed by @size bytes of a buffer; or a mark: all samples up to @raw are in earlier chunks */
struct record_spe_chunk {
	uint32_t ring;
	int32_t pid, tid;
	uint32_t is_mark;
	uint64_t offset, size, flags;	/* as of PERF_RECORD_AUX */
	uint64_t time;			/* CLOCK_MONOTONIC_RAW, ns */
	uint64_t counter, raw;		/* the system counter, and CLOCK_MONOTONIC_RAW at the same time */
	struct record_span window;	/* samples outside it are counted and dropped */
};

/* For the audit, if the process is in another PID namespace than the initial one */
#define RECORD_SPE_NO_CONTEXTS	"SPE: samples have thread ids of the initial PID namespace, and this process is in another one: a sample " \
				"belongs to the thread that ran when the kernel published it, and with -a to no thread"

/* Lost samples of lost bytes. A sample has 64 bytes on Neoverse; other cores have further lengths. */
static inline uint64_t record_spe_samples(uint64_t bytes)
{
	return (bytes + 63) / 64;
}

struct record_spe {
	/* Set by the owner before record_spe_open() */
	struct record_reader reader;
	const char *terms;		/* as in perf's arm_spe_0/TERMS/, also period=N; may be "" */
	uint64_t buffer;		/* bytes of each AUX buffer; 0: the default */
	struct record_spool spool;	/* opened by the owner before the threads start */
	/*
	 * As in struct gpmu_recorder_options; set by the owner before it ends the threads, or NULL. If it does not return 0,
	 * no more samples are decoded.
	 */
	int (*progress)(void *user, uint64_t done, uint64_t total);
	void *user;
	/* Set by record_spe_open() */
	char *note;			/* for the audit: what is not recorded, and why; or NULL */
	struct record_rings rings;	/* count 0: not open */
	struct record_spe_buffer *buffers;	/* by ring */
	uint64_t period;
	bool has_no_contexts;		/* threads have other numbers here than in the samples:
					 * RECORD_SPE_NO_CONTEXTS */
	/* Used by record_spe_run() only, until it has ended */
	uint64_t counter, raw;		/* as of a chunk */
	uint64_t bound;			/* ns: the largest error of @raw */
	uint64_t unmarked;		/* bytes of chunks since the last mark */
	/* Used by record_spe_decode() only, until it has ended */
	int64_t frequency;		/* of the system counter, in Hz; 0: not known */
	uint64_t outside;		/* samples outside the window */
	struct gpmu_spe_stats stats;	/* complete after the thread has ended */
};

/* Returns 0, or -errno with @error set. record_spe_release() follows in any case. */
int record_spe_open(struct record_spe *spe, struct gpmu_error *error);
/* Enables the events, shortly before the threads start: the buffers fill from now on. */
void record_spe_enable(const struct record_spe *spe);
/* The threads' functions; @spe: a struct record_spe */
void *record_spe_run(void *spe);
void *record_spe_decode(void *spe);
void record_spe_release(struct record_spe *spe);

#endif /* GPMU_RECORD_SPE_H */
