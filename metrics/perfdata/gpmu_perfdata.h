/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perfdata reader: reads recordings of perf record */
#ifndef GPMU_PERFDATA_API_H
#define GPMU_PERFDATA_API_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <gpmu/error.h>

#include "perfdata/gpmu_perfdata_info.h"
#include "perfdata/gpmu_perfdata_tracing.h"

/*
 * A reader reads a perf.data, one record at a time: a file, a folder (of
 * perf record --threads or --kcore), or a pipe (perf record -o -). The format is documented in
 * Linux's tools/perf/Documentation/perf.data-file-format.txt. Recordings of perf 6.1, 6.12 and 7.3
 * have been tested.
 *
 * Records come in the order of the file, which is not the order of time: each ring buffer of
 * the kernel is sorted, and PERF_RECORD_FINISHED_ROUND bounds how far they are apart. Records that
 * perf compressed are decompressed.
 *
 * All functions that return int return -EINVAL if the file is malformed. Their error's text
 * begins with "PATH:OFFSET: ", and its offset is the byte offset in the file. The records before
 * the damage have then been returned. A record that is too short for its fields, or has impossible
 * values, is skipped and counted; the error follows after the last record.
 */
struct gpmu_perfdata;

/* Record types that perf writes; those of the kernel are in <linux/perf_event.h>, except the first, which is new in Linux 6.19. */
enum {
	GPMU_PERFDATA_CALLCHAIN_DEFERRED = 22,
	GPMU_PERFDATA_HEADER_ATTR = 64,
	GPMU_PERFDATA_HEADER_TRACING_DATA = 66,
	GPMU_PERFDATA_HEADER_BUILD_ID = 67,
	GPMU_PERFDATA_FINISHED_ROUND = 68,
	GPMU_PERFDATA_ID_INDEX = 69,
	GPMU_PERFDATA_AUXTRACE_INFO = 70,
	GPMU_PERFDATA_AUXTRACE = 71,
	GPMU_PERFDATA_AUXTRACE_ERROR = 72,
	GPMU_PERFDATA_EVENT_UPDATE = 78,
	GPMU_PERFDATA_TIME_CONV = 79,
	GPMU_PERFDATA_HEADER_FEATURE = 80,
	GPMU_PERFDATA_COMPRESSED = 81,
	GPMU_PERFDATA_FINISHED_INIT = 82,
	GPMU_PERFDATA_COMPRESSED2 = 83,
	GPMU_PERFDATA_TYPES = 87,	/* all types are lower */
};

/* Types of struct gpmu_perfdata_auxtrace_info */
enum { GPMU_PERFDATA_ARM_SPE = 4 };

/**
 * struct gpmu_perfdata_event - an event that was recorded
 * @attr: as given to perf_event_open(2); members that the file lacks are 0
 * @name: name. If the file has none: of a tracepoint "system:event", of the generic hardware and software events of
 *	perf_event_open(2) perf's name with its modifiers, "cycles:pp", of others "PMU/config=0x.../", with the PMU's type if its name is
 *	not recorded
 * @unit: unit of its counts; or NULL
 * @scale: factor of its counts; 1 if the file has none
 * @index: its index among the events of the file, from 0
 * @config3: member of the attr since Linux 6.3, which @attr may lack
 * @config4: likewise, since Linux 6.18
 */
struct gpmu_perfdata_event {
	const struct perf_event_attr *attr;
	const char *name, *unit;
	double scale;
	size_t index;
	uint64_t config3, config4;
};

/**
 * struct gpmu_perfdata_value - one count, of PERF_SAMPLE_READ or PERF_RECORD_READ
 * @value: count
 * @id: id of its event, for gpmu_perfdata_event_of(); 0: not recorded
 * @lost: lost samples
 */
struct gpmu_perfdata_value {
	uint64_t value, id, lost;
};

/* Counts that were read at one time; @values is borrowed. Times are 0 if not recorded. */
struct gpmu_perfdata_read {
	uint64_t enabled, running;	/* ns */
	const struct gpmu_perfdata_value *values;
	size_t count;
};

/* Registers: those of the mask in the event's attr, in the order of its bits; @abi 0: none */
struct gpmu_perfdata_regs {
	uint64_t abi;
	const uint64_t *values;
	size_t count;
};

/*
 * A sample. The PERF_SAMPLE_ bits in @has of the record select the members that are set. Others are 0.
 * Arrays are borrowed. The thread, period, call chain and cgroup of the event offcpu-time (perf record --off-cpu since perf 6.16)
 * are those in its raw bytes, and its mode is user space.
 */
struct gpmu_perfdata_sample {
	uint64_t ip;			/* address of the code */
	uint64_t addr;			/* address of the data */
	uint64_t period;		/* counts that the sample stands for */
	uint64_t data_src;		/* union perf_mem_data_src */
	uint64_t transaction;		/* PERF_TXN_ bits */
	uint64_t phys_addr;		/* physical address of the data */
	uint64_t cgroup;		/* id */
	uint64_t data_page_size, code_page_size;	/* bytes */
	uint64_t weight;		/* event-specific, of SPE the total latency in cycles; of WEIGHT_STRUCT the first part */
	uint16_t ins_lat, p_stage_cyc;	/* PERF_SAMPLE_WEIGHT_STRUCT: the other parts */
	struct gpmu_perfdata_read read;
	const uint64_t *callchain;	/* with PERF_CONTEXT_ marks */
	size_t callchain_count;
	const void *raw, *aux, *stack;
	uint32_t raw_size;		/* bytes */
	uint64_t aux_size, stack_size;	/* bytes */
	uint64_t stack_used;		/* bytes of @stack that are valid */
	const struct perf_branch_entry *branches;
	size_t branch_count;
	struct gpmu_perfdata_regs user, intr;
};

struct gpmu_perfdata_mmap {
	uint64_t addr, len, pgoff;	/* bytes */
	uint32_t prot, flags, maj, min;
	uint64_t ino, ino_generation;
	const uint8_t *build_id;	/* NULL: none */
	size_t build_id_size;
	const char *file;
};

struct gpmu_perfdata_task {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;			/* ns, same clock as the record's */
};

struct gpmu_perfdata_ksymbol {
	uint64_t addr;
	uint32_t len;
	uint16_t type, flags;
	const char *name;
};

/* The call stack of a process, of samples whose call chain ends with PERF_CONTEXT_USER_DEFERRED and @cookie */
struct gpmu_perfdata_deferred {
	uint64_t cookie;
	const uint64_t *callchain;	/* with PERF_CONTEXT_ marks */
	size_t count;
};

struct gpmu_perfdata_aux {
	uint64_t offset, size;		/* bytes */
	uint64_t flags;			/* PERF_AUX_FLAG_ */
};

/*
 * A part of an AUX buffer, whose bytes gpmu_perfdata_trace() reads. @offset counts all bytes of its
 * buffer, as that of PERF_RECORD_AUX. @position and @file are private to the reader.
 */
struct gpmu_perfdata_auxtrace {
	uint64_t size, offset, reference, position;
	uint32_t idx, tid, cpu;		/* @tid, @cpu: UINT32_MAX for none */
	size_t file;
};

struct gpmu_perfdata_auxtrace_info {
	uint32_t type;
	const uint64_t *priv;
	size_t count;
};

/**
 * struct gpmu_perfdata_record - a record; all that it points to is borrowed until the next one
 * @type: PERF_RECORD_ or GPMU_PERFDATA_ type
 * @misc: PERF_RECORD_MISC_ bits
 * @offset: byte offset in the file; of the compressed record, if it was in one
 * @event: the event to which it belongs; NULL: perf wrote it, or its event is unknown
 * @has: PERF_SAMPLE_ bits of the members below, and for a sample of all its members
 * @pid: process; also of MMAP, COMM, READ and ITRACE_START, where @has has PERF_SAMPLE_TID
 * @tid: thread; likewise
 * @time: time in ns, by the clock in gpmu_perfdata_info
 * @id: id of the event
 * @stream_id: id of the event, without inheritance
 * @cpu: CPU
 * @body: the bytes after the record's header
 * @size: bytes of @body
 * The union's member is that of the type; other types have @body alone.
 */
struct gpmu_perfdata_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;
	const struct gpmu_perfdata_event *event;
	uint64_t has;
	uint32_t pid, tid;
	uint64_t time, id, stream_id;
	uint32_t cpu;
	const void *body;
	size_t size;
	union {
		struct gpmu_perfdata_sample sample;
		struct gpmu_perfdata_mmap mmap;			/* MMAP, MMAP2 */
		const char *comm;				/* COMM */
		struct gpmu_perfdata_task task;			/* FORK, EXIT */
		struct gpmu_perfdata_read read;			/* READ */
		uint64_t lost;					/* LOST, LOST_SAMPLES */
		struct gpmu_perfdata_aux aux;			/* AUX */
		struct gpmu_perfdata_deferred deferred;		/* CALLCHAIN_DEFERRED */
		struct { uint32_t pid, tid; } other;		/* SWITCH_CPU_WIDE: the other thread */
		struct gpmu_perfdata_ksymbol ksymbol;		/* KSYMBOL */
		struct { uint64_t id; const char *path; } cgroup;	/* CGROUP */
		struct gpmu_perfdata_auxtrace auxtrace;		/* AUXTRACE */
		struct gpmu_perfdata_auxtrace_info auxtrace_info;	/* AUXTRACE_INFO */
	};
};

/**
 * struct gpmu_perfdata_stats - statistics of the records that were read so far
 * @size: size of this structure
 * @records: number of records, by type; unknown types are in the last element
 * @inner: records that were compressed
 * @bytes: bytes of the file that were read so far
 * @traces: bytes of AUX buffers
 * @unknown_ids: records whose event is not in the file
 * @is_stopped: a pipe was not read to its end, because the handler of a signal ran while it had no bytes
 * @lost: sum of PERF_RECORD_LOST: samples and other records
 * @lost_samples: sum of PERF_RECORD_LOST_SAMPLES: samples. Since Linux 6.1 perf writes these records at the end, and the same
 *	losses are in @lost, except those that the kernel reported by such a record (PEBS of x86).
 *	Samples that a BPF filter dropped are in neither count
 * @is_whole: all records were read or skipped; an error after the last one is about skipped records, or damage of facts about the
 *	machine or the recording
 */
struct gpmu_perfdata_stats {
	size_t size;
	uint64_t records[GPMU_PERFDATA_TYPES + 1];
	uint64_t inner, bytes, traces, unknown_ids;
	bool is_stopped;
	uint64_t lost, lost_samples;
	bool is_whole;
};

/**
 * gpmu_perfdata_open() - opens a recording of perf
 * @path: a file, a folder, a FIFO; "-": standard input
 * @error: set on failure, or NULL
 *
 * A pipe is copied to an unlinked file in TMPDIR or /tmp, because it is read again.
 *
 * Return: a new reader; NULL with errno EINVAL (not a recording of perf, or malformed),
 * ENOMEM, or the error of opening or reading
 */
struct gpmu_perfdata *gpmu_perfdata_open(const char *path, struct gpmu_error *error);
/* Frees @perfdata; NULL is allowed. */
void gpmu_perfdata_free(struct gpmu_perfdata *perfdata);

/**
 * gpmu_perfdata_next() - reads the next record
 * @perfdata: the reader
 * @record: set to the record, if there is one; borrowed until the next call
 * @error: set on failure, or NULL
 *
 * Return: 1 if there is a record; 0 at the end; -EINVAL if the file is malformed from the
 * offset on; -ENOMEM; or the error of reading. After a failure all later calls return the same
 * error
 */
int gpmu_perfdata_next(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_record **record,
		       struct gpmu_error *error);
/* Returns to the first record. Returns 0, or the error that gpmu_perfdata_next() would return. */
int gpmu_perfdata_rewind(struct gpmu_perfdata *perfdata, struct gpmu_error *error);

/**
 * gpmu_perfdata_trace() - reads bytes of a part of an AUX buffer
 * @perfdata: the reader
 * @trace: the part, of a record of this reader; it need not be the latest
 * @from: first byte, from 0
 * @data: set to the bytes
 * @size: number of bytes; @from + @size is not beyond the part
 * @error: set on failure, or NULL
 *
 * Return: 0; -EINVAL if the file ends before; or the error of reading
 */
int gpmu_perfdata_trace(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_auxtrace *trace,
			uint64_t from, void *data, size_t size, struct gpmu_error *error);

/*
 * Notes damage that the caller found in a record. gpmu_perfdata_next() reports the first such error after the last record.
 * @offset: of the record
 * @expected: the error's text
 */
void gpmu_perfdata_note_damage(struct gpmu_perfdata *perfdata, uint64_t offset, const char *expected);

size_t gpmu_perfdata_event_count(const struct gpmu_perfdata *perfdata);
/* Returns an event, borrowed as long as @perfdata exists; NULL if @index is too large. */
const struct gpmu_perfdata_event *gpmu_perfdata_event(const struct gpmu_perfdata *perfdata, size_t index);
/* Returns the event of an id; NULL if there is none. */
const struct gpmu_perfdata_event *gpmu_perfdata_event_of(const struct gpmu_perfdata *perfdata, uint64_t id);
/* Returns the tracepoint of an event, borrowed as long as @perfdata exists; NULL: it is none, or its format is not recorded */
const struct gpmu_perfdata_tracepoint *gpmu_perfdata_tracepoint(const struct gpmu_perfdata *perfdata,
								const struct gpmu_perfdata_event *event);
/*
 * Returns the facts in the file about the machine and the recording, borrowed as long as
 * @perfdata exists. The facts of a pipe are complete at its end.
 */
const struct gpmu_perfdata_info *gpmu_perfdata_info(const struct gpmu_perfdata *perfdata);
/*
 * Returns a text with the types and numbers of the records that were skipped, and the offset of the first record of each type. The
 * caller frees it. NULL: no record was skipped, or out of memory
 */
char *gpmu_perfdata_skipped(const struct gpmu_perfdata *perfdata);
/* Gets statistics. Returns 0; -EINVAL if @stats has no size. */
int gpmu_perfdata_get_stats(const struct gpmu_perfdata *perfdata, struct gpmu_perfdata_stats *stats);

#endif /* GPMU_PERFDATA_API_H */
