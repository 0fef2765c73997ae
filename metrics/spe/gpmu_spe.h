/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spe: records of Arm's Statistical Profiling Extension, and where their data came from */
#ifndef GPMU_SPE_API_H
#define GPMU_SPE_API_H

#include <stddef.h>
#include <stdint.h>

/*
 * The packet format is that of the Arm Architecture Reference Manual (DDI 0487), chapter
 * "Statistical Profiling Extension Sample Record Specification", versions 1.0 to 1.4.
 *
 * A sample record is a sequence of packets in any order. A record has at most one packet of each
 * field and ends with an end packet or a time stamp. A field without a packet is absent, which
 * differs from 0.
 */

/* Fields of a record. Addresses, counters and contexts are in the order of their packets' index. */
enum gpmu_spe_field {
	GPMU_SPE_PC,
	GPMU_SPE_TARGET,	/* of a branch */
	GPMU_SPE_VA,		/* virtual address of the data */
	GPMU_SPE_PA,		/* physical address of the data */
	GPMU_SPE_PREVIOUS,	/* target of the branch taken before the sampled operation */
	GPMU_SPE_TOTAL,		/* cycles from selection to completion, saturated at 4095 or 65535 */
	GPMU_SPE_ISSUE,		/* cycles from selection to issue, which the total contains */
	GPMU_SPE_TRANSLATION,	/* cycles of address translation */
	GPMU_SPE_CONTEXT_EL1,	/* CONTEXTIDR_EL1: the thread, in a guest's kernel */
	GPMU_SPE_CONTEXT_EL2,	/* CONTEXTIDR_EL2: the thread, on a host with VHE */
	GPMU_SPE_OP,		/* operation: gpmu_spe_op() */
	GPMU_SPE_EVENTS,	/* bit mask: gpmu_spe_event() */
	GPMU_SPE_SOURCE,	/* data source: gpmu_spe_tier() */
	GPMU_SPE_TIME,		/* value of the system counter, in ticks of CNTFRQ_EL0 */
	GPMU_SPE_FIELDS,
	GPMU_SPE_UNKNOWN = GPMU_SPE_FIELDS,	/* bit of @fields alone: the record has unknown packets */
};

/**
 * struct gpmu_spe_record - a sample record
 * @offset: trace offset of its first packet, in bytes
 * @length: bytes from its first packet to the end of its last
 * @fields: bit 1 << FIELD for each field that is present
 * @value: payloads of the packets by field; 0 where absent. Addresses are read by
 *	gpmu_spe_address() and the functions after it, the operation by gpmu_spe_op()
 */
struct gpmu_spe_record {
	uint64_t offset;
	uint32_t length;
	uint32_t fields;
	uint64_t value[GPMU_SPE_FIELDS];
};

static inline int gpmu_spe_has(const struct gpmu_spe_record *record, enum gpmu_spe_field field)
{
	return record->fields >> field & 1;
}

/* Address of a payload, extended from bit 55: the top byte holds attributes or a tag. */
static inline uint64_t gpmu_spe_address(uint64_t payload)
{
	return (uint64_t)((int64_t)(payload << 8) >> 8);
}

/* Physical address of a GPMU_SPE_PA payload */
static inline uint64_t gpmu_spe_physical(uint64_t payload)
{
	return payload & ((1ULL << 56) - 1);
}

/* Returns the value of a field; of an address field the address, without its attributes. */
static inline uint64_t gpmu_spe_number(const struct gpmu_spe_record *record, enum gpmu_spe_field field)
{
	const uint64_t payload = record->value[field];

	switch (field) {
	case GPMU_SPE_PC:
	case GPMU_SPE_TARGET:
	case GPMU_SPE_VA:
	case GPMU_SPE_PREVIOUS:
		return gpmu_spe_address(payload);
	case GPMU_SPE_PA:
		return gpmu_spe_physical(payload);
	default:
		return payload;
	}
}

/* NS and NSE of all addresses except GPMU_SPE_VA select the address space, see DDI 0487. */
static inline int gpmu_spe_ns(uint64_t payload)
{
	return payload >> 63 & 1;
}

static inline int gpmu_spe_nse(uint64_t payload)
{
	return payload >> 60 & 1;
}

/* Exception level of GPMU_SPE_PC, GPMU_SPE_TARGET and GPMU_SPE_PREVIOUS */
static inline int gpmu_spe_level(uint64_t payload)
{
	return payload >> 61 & 3;
}

/* With the Memory Tagging Extension, GPMU_SPE_PA has whether the access was checked, and its tag. */
static inline int gpmu_spe_is_checked(uint64_t payload)
{
	return payload >> 62 & 1;
}

static inline int gpmu_spe_physical_tag(uint64_t payload)
{
	return payload >> 56 & 0xf;
}

/* Decoder */

/**
 * struct gpmu_spe_stats - counts of a decoder; those of several can be added
 * @bytes: bytes fed
 * @records: complete records
 * @slots: of @records, those of 64 bytes that begin at a multiple of 64
 * @unknown: packets that were skipped by their size
 * @lost_bytes: bytes that are neither padding nor part of a complete record
 * @damages: times that no packet began where one was expected
 * @unfinished: records dropped because the trace or the AUX record ended, or another record began
 * @bare: records dropped because they have neither a PC nor an operation
 * @collisions: AUX records with PERF_AUX_FLAG_COLLISION: at least one sample was dropped in each
 * @truncations: AUX records with PERF_AUX_FLAG_TRUNCATED: the buffer was full
 * @partials: AUX records with PERF_AUX_FLAG_PARTIAL: the last record may be cut
 */
struct gpmu_spe_stats {
	uint64_t bytes, records, slots, unknown;
	uint64_t lost_bytes, damages, unfinished, bare;
	uint64_t collisions, truncations, partials;
};

#define GPMU_SPE_PACKET_MAX	10	/* bytes of the longest packet */

/*
 * A decoder turns the bytes of one trace, which is the AUX buffer of one CPU or thread, into
 * records. The bytes come in chunks of any size: a packet and a record may span chunks. It
 * allocates no memory, so there is nothing to release. The members of the structure are the
 * decoder's own, except @stats, which the caller may read.
 *
 *	gpmu_spe_decoder_init(&decoder);
 *	for each AUX record:
 *		gpmu_spe_begin(&decoder, offset);
 *		for each chunk of it:
 *			gpmu_spe_feed(&decoder, chunk, size);
 *			while ((n = gpmu_spe_next(&decoder, records, 256)))
 *				use n records
 *		gpmu_spe_end(&decoder, flags);
 *
 * A trace without AUX records is decoded with a single begin at offset 0 and an end.
 *
 * A packet that is not known but has a size is skipped. Any other unknown byte is damage, which
 * drops the record begun. Decoding continues at the next multiple of 64 if most records so far were
 * slots, and at the next byte that begins a packet otherwise, where the rest of the record may be
 * decoded as a record. A second packet of the same field shows that the end of a record is missing,
 * and drops the first record. A record without a PC and an operation is dropped.
 */
struct gpmu_spe_decoder {
	struct gpmu_spe_stats stats;
	struct gpmu_spe_record record;		/* begun and not ended; its fields are 0 if there is none */
	const uint8_t *cursor, *end;		/* the rest of the chunk */
	uint64_t offset;			/* of @cursor */
	uint64_t skip_to;			/* no packet begins before this offset */
	uint64_t damaged;			/* offset after the last damage */
	uint8_t carry[GPMU_SPE_PACKET_MAX];	/* bytes before @cursor of a packet that spans chunks */
	unsigned int carried;
};

void gpmu_spe_decoder_init(struct gpmu_spe_decoder *decoder);
/*
 * Begins an AUX record at this trace offset, where a record begins. Drops a record that has not ended.
 */
void gpmu_spe_begin(struct gpmu_spe_decoder *decoder, uint64_t offset);
/*
 * Gives the decoder the next chunk, borrowed until gpmu_spe_next() returns 0. A chunk that has not been
 * decoded to its end is lost, without a count.
 */
void gpmu_spe_feed(struct gpmu_spe_decoder *decoder, const void *chunk, size_t size);
/* Decodes up to @max records; returns their number, 0 when the chunk is used up. */
size_t gpmu_spe_next(struct gpmu_spe_decoder *decoder, struct gpmu_spe_record *records, size_t max);
/*
 * Ends an AUX record, or the trace: counts the @flags of PERF_RECORD_AUX, and drops a record
 * that has not ended.
 */
void gpmu_spe_end(struct gpmu_spe_decoder *decoder, uint64_t flags);
/* Adds the counts of another decoder, such as that of another CPU. */
void gpmu_spe_stats_add(struct gpmu_spe_stats *stats, const struct gpmu_spe_stats *more);

/* Packets */

enum gpmu_spe_packet_kind {
	GPMU_SPE_PACKET_PAD,
	GPMU_SPE_PACKET_ALIGNMENT,
	GPMU_SPE_PACKET_END,
	GPMU_SPE_PACKET_TIME,
	GPMU_SPE_PACKET_EVENTS,
	GPMU_SPE_PACKET_SOURCE,
	GPMU_SPE_PACKET_CONTEXT,
	GPMU_SPE_PACKET_OP,
	GPMU_SPE_PACKET_COUNTER,
	GPMU_SPE_PACKET_ADDRESS,
	GPMU_SPE_PACKET_UNKNOWN,	/* reserved, of a known size */
};

/**
 * struct gpmu_spe_packet - a packet
 * @kind: its kind
 * @index: index of a context, counter or address; class of an operation; header of an unknown packet
 * @length: bytes; for an alignment packet up to the boundary
 * @value: payload, 0 if there is none; boundary of an alignment packet
 */
struct gpmu_spe_packet {
	enum gpmu_spe_packet_kind kind;
	unsigned int index;
	unsigned int length;
	uint64_t value;
};

/**
 * gpmu_spe_packet() - reads one packet
 * @packet: set to the packet, unless no packet begins here
 * @data: the bytes
 * @size: number of bytes
 * @offset: trace offset of @data
 *
 * Return: bytes of the packet, which exceed @size only for an alignment packet; 0 if @size bytes do not
 * contain it; -EBADMSG if no packet begins with these bytes
 */
int gpmu_spe_packet(struct gpmu_spe_packet *packet, const void *data, size_t size, uint64_t offset);

/*
 * Describes a packet as "perf report -D" of perf 7.3 does: "LD GP-REG". Writes at most @size
 * bytes. Returns the full length, as snprintf() does.
 */
int gpmu_spe_packet_text(const struct gpmu_spe_packet *packet, char *text, size_t size);

/* Name of an event bit, "L1D-REFILL"; NULL: implementation defined or reserved */
const char *gpmu_spe_event(unsigned int bit);

/* Operations */

enum gpmu_spe_op_class {
	GPMU_SPE_OTHER,
	GPMU_SPE_MEMORY,	/* load, store, atomic */
	GPMU_SPE_BRANCH,	/* branch, exception return */
	GPMU_SPE_RESERVED,
};

enum gpmu_spe_op_flag {
	GPMU_SPE_OP_STORE	= 1 << 0,	/* of GPMU_SPE_MEMORY; else a load */
	GPMU_SPE_OP_ATOMIC	= 1 << 1,
	GPMU_SPE_OP_EXCLUSIVE	= 1 << 2,
	GPMU_SPE_OP_ORDERED	= 1 << 3,	/* acquire or release */
	GPMU_SPE_OP_COND	= 1 << 4,	/* conditional branch, select or compare */
	GPMU_SPE_OP_INDIRECT	= 1 << 5,
	GPMU_SPE_OP_FP		= 1 << 6,	/* floating point */
	GPMU_SPE_OP_ASE		= 1 << 7,	/* Advanced SIMD */
	GPMU_SPE_OP_PRED	= 1 << 8,	/* predicated */
	GPMU_SPE_OP_GATHER	= 1 << 9,	/* gather or scatter */
	GPMU_SPE_OP_COMMON	= 1 << 10,	/* access to the guarded control stack that is not privileged */
	GPMU_SPE_OP_GCS		= 1 << 11,	/* branch that uses the guarded control stack */
	GPMU_SPE_OP_CALL	= 1 << 12,	/* branch with link */
	GPMU_SPE_OP_RETURN	= 1 << 13,
	/* Neither call nor return. If CALL, RETURN and JUMP are all 0, the type of branch is not known. */
	GPMU_SPE_OP_JUMP	= 1 << 14,
};

/**
 * struct gpmu_spe_op - an operation
 * @op_class: its class
 * @is_known: 0: the class or the subclass is reserved
 * @name: name of its subclass, "GP-REG", "SVE-SME-REG"; "" of a branch, and of an atomic, exclusive,
 *	acquire or release operation, whose flags identify it; static, never freed
 * @flags: enum gpmu_spe_op_flag
 * @bits: effective vector length, or tile size of SME, in bits; 0: no such operation
 */
struct gpmu_spe_op {
	enum gpmu_spe_op_class op_class;
	int is_known;
	const char *name;
	unsigned int flags;
	unsigned int bits;
};

/* Value of GPMU_SPE_OP of a packet with this class and payload */
#define GPMU_SPE_OP_VALUE(op_class, payload)	((uint64_t)(payload) << 8 | (op_class))

/* Reads a value of GPMU_SPE_OP. */
struct gpmu_spe_op gpmu_spe_op(uint64_t value);

/* Returns whether the record is a load or a store. */
static inline int gpmu_spe_is_memory(const struct gpmu_spe_record *record)
{
	return gpmu_spe_has(record, GPMU_SPE_OP) && (record->value[GPMU_SPE_OP] & 3) == GPMU_SPE_MEMORY;
}

/* Returns whether a load or store is a store; one that also loads, such as a swap, is. */
static inline int gpmu_spe_is_store(const struct gpmu_spe_record *record)
{
	return record->value[GPMU_SPE_OP] >> 8 & 1;
}

/* Tier and home of the data */

enum gpmu_spe_tier_kind {
	GPMU_SPE_TIER_NONE,		/* neither a load nor a store */
	GPMU_SPE_TIER_ABSENT,		/* a load whose record has no data source */
	GPMU_SPE_TIER_FOREIGN,		/* the encoding of this CPU is not known */
	GPMU_SPE_TIER_UNKNOWN,		/* the CPU documents no such number */
	GPMU_SPE_TIER_L1D,
	GPMU_SPE_TIER_L2,
	GPMU_SPE_TIER_PEER_CORE,
	GPMU_SPE_TIER_LOCAL_CLUSTER,
	GPMU_SPE_TIER_SYSTEM_CACHE,
	GPMU_SPE_TIER_PEER_CLUSTER,
	GPMU_SPE_TIER_REMOTE,
	GPMU_SPE_TIER_DRAM,
	/* Bounds of stores, from their events */
	GPMU_SPE_TIER_STORE_UNKNOWN,
	GPMU_SPE_TIER_STORE_L1D,
	GPMU_SPE_TIER_STORE_BEYOND_L1D,
	GPMU_SPE_TIER_STORE_LLC,
	GPMU_SPE_TIER_STORE_BEYOND_LLC,
	GPMU_SPE_TIERS,
};

/**
 * struct gpmu_spe_tier - which level of the memory system served an access
 * @kind: the level
 * @number: number of the data source; -1: the record has none
 * @is_bound: 1: of a store, from its events. Only loads have a data source.
 * @name: name, "L2"; static, never freed
 * @text: description of the level, one line; static, never freed
 */
struct gpmu_spe_tier {
	enum gpmu_spe_tier_kind kind;
	int64_t number;
	int is_bound;
	const char *name, *text;
};

/**
 * gpmu_spe_tier() - returns the tier of a record's access
 * @record: the record
 * @midr: MIDR_EL1 of its CPU; 0: not known. Only the data sources of Neoverse V2 have names
 *
 * The tier is the data source that the CPU reported. The data source identifies neither the node of
 * the memory nor a GPU's memory; gpmu_spe_home() does, from the physical address. No field
 * distinguishes a remote cache from remote memory. A data source and the events of one record may
 * differ, as while a prefetch is in flight.
 */
struct gpmu_spe_tier gpmu_spe_tier(const struct gpmu_spe_record *record, uint64_t midr);

enum gpmu_spe_memory_kind {
	GPMU_SPE_MEMORY_CPU,	/* memory of a node with CPUs */
	GPMU_SPE_MEMORY_GPU,	/* memory of a node without CPUs on a machine with Neoverse V2: a GPU's, on Grace Hopper */
	GPMU_SPE_MEMORY_BARE,	/* memory of a node without CPUs on another machine */
};

/* Kind of the memory of a node. @midr: MIDR_EL1 of the machine's CPUs; 0: not known */
enum gpmu_spe_memory_kind gpmu_spe_memory_kind_of(int has_cpus, uint64_t midr);

/* Addresses from @begin to before @end */
struct gpmu_spe_range {
	uint64_t begin, end;
	int node;
	enum gpmu_spe_memory_kind kind;
};

/* Physical memory by node: sorted and disjoint ranges. Zeroed: empty */
struct gpmu_spe_memory {
	struct gpmu_spe_range *ranges;
	size_t count;
};

/*
 * Adds a range; adjacent ranges of one node are joined. Returns 0; -EINVAL if it is empty or overlaps
 * another range; -ENOMEM.
 */
int gpmu_spe_memory_add(struct gpmu_spe_memory *memory, const struct gpmu_spe_range *range);
/* Frees the ranges; @memory is empty afterwards. */
void gpmu_spe_memory_release(struct gpmu_spe_memory *memory);
struct gpmu_machine;
/*
 * Reads the memory blocks that the running machine's nodes have now. There are none if the kernel
 * has no memory hotplug. Returns 0 with a memory to release, or -errno with nothing to release:
 * -EBADMSG if sysfs is malformed, -ENOMEM, -EMFILE, -ENFILE.
 */
int gpmu_spe_memory_read(struct gpmu_spe_memory *memory, const struct gpmu_machine *machine);

enum gpmu_spe_home_kind {
	GPMU_SPE_HOME_NONE,	/* neither a load nor a store, and no physical address */
	GPMU_SPE_HOME_ABSENT,	/* no physical address: not recorded without pa_enable */
	GPMU_SPE_HOME_UNKNOWN,	/* the memory has no ranges */
	GPMU_SPE_HOME_OUTSIDE,	/* in no range: device memory, or memory that is not online */
	GPMU_SPE_HOME_CPU,	/* memory of a node with CPUs; the node of the record's CPU is not known */
	GPMU_SPE_HOME_LOCAL,	/* memory of the node of the record's CPU */
	GPMU_SPE_HOME_OTHER,	/* memory of another node with CPUs: the other socket's, on Grace */
	GPMU_SPE_HOME_GPU,
	GPMU_SPE_HOME_BARE,	/* memory of a node without CPUs, on a machine that is not a Grace */
	GPMU_SPE_HOMES,
};

/**
 * struct gpmu_spe_home - the memory that holds the data, whichever cache served the access
 * @kind: kind of memory
 * @node: its node; -1: none
 * @name: name of @kind, "other CPU memory"; static, never freed
 */
struct gpmu_spe_home {
	enum gpmu_spe_home_kind kind;
	int node;
	const char *name;
};

/**
 * gpmu_spe_home() - returns the home of a record's data, from its physical address alone
 * @record: the record
 * @memory: the memory of its machine
 * @node: node of its CPU; -1: not known
 */
struct gpmu_spe_home gpmu_spe_home(const struct gpmu_spe_record *record, const struct gpmu_spe_memory *memory,
				   int node);

/* Labels: texts by which samples are named and counted. They are truncated to @size bytes, of which the last is NUL. */

#define GPMU_SPE_LABEL_MAX	192	/* bytes of the longest label */

/* "DRAM (0xe)" with the number of the data source; of a store, "store: beyond L1D" */
void gpmu_spe_tier_label(const struct gpmu_spe_tier *tier, char *text, size_t size);
/* "local CPU memory (node 0)" */
void gpmu_spe_home_label(const struct gpmu_spe_home *home, char *text, size_t size);
/* Describes a value of GPMU_SPE_OP: "load GP-REG", "branch, conditional". */
void gpmu_spe_op_label(uint64_t value, char *text, size_t size);

#endif /* GPMU_SPE_API_H */
