// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Bytes to records. A packet costs one load of its header's entry, one of its payload and a store,
 * without a branch for its kind. Records of Neoverse, which have each packet at a fixed place in
 * 64 bytes, are read without a loop over their packets; both ways give the same record.
 */
#include <stdbool.h>
#include <string.h>

#include "spe/spe.h"

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define SLOT		64
#define NEEDED		(1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP)
#define NOT_DAMAGED	UINT64_MAX

/* Flags of PERF_RECORD_AUX, linux/perf_event.h */
#define AUX_TRUNCATED	0x01
#define AUX_PARTIAL	0x04
#define AUX_COLLISION	0x08

void gpmu_spe_decoder_init(struct gpmu_spe_decoder *decoder)
{
	*decoder = (struct gpmu_spe_decoder){ .damaged = NOT_DAMAGED };
}

static void forget(struct gpmu_spe_decoder *decoder)
{
	decoder->record = (struct gpmu_spe_record){ 0 };
}

/* Drops the record that has begun, whose last byte is before @offset. Returns its bytes. */
static uint64_t drop(struct gpmu_spe_decoder *decoder, uint64_t offset)
{
	uint64_t lost = decoder->record.fields ? offset - decoder->record.offset : 0;

	decoder->stats.lost_bytes += lost;
	forget(decoder);
	return lost;
}

/* A second packet of a field begins the next record: the end of this one is missing. */
__attribute__((noinline, cold))
static void repeated(struct gpmu_spe_decoder *decoder, uint64_t offset)
{
	drop(decoder, offset);
	decoder->stats.unfinished++;
}

static inline void put(struct gpmu_spe_decoder *decoder, unsigned int field, uint64_t value,
		       uint64_t offset)
{
	struct gpmu_spe_record *record = &decoder->record;

	if (unlikely(record->fields & 1u << field))
		repeated(decoder, offset);
	record->offset = record->fields ? record->offset : offset;
	record->fields |= 1u << field;
	record->value[field] = value;
}

/* A packet that is not known is part of the record. */
static unsigned int unknown(struct gpmu_spe_decoder *decoder, uint64_t offset, unsigned int length)
{
	struct gpmu_spe_record *record = &decoder->record;

	record->offset = record->fields ? record->offset : offset;
	record->fields |= 1u << GPMU_SPE_UNKNOWN;
	decoder->stats.unknown++;
	return length;
}

/* No packet begins at @offset. */
static unsigned int damage(struct gpmu_spe_decoder *decoder, uint64_t offset)
{
	struct gpmu_spe_stats *stats = &decoder->stats;

	drop(decoder, offset);
	stats->lost_bytes++;
	stats->damages += offset != decoder->damaged;
	decoder->damaged = offset + 1;
	if (stats->slots > stats->records / 2)
		decoder->damaged = (offset / SLOT + 1) * SLOT;
	decoder->skip_to = decoder->damaged;
	return 1;
}

static unsigned int extended(struct gpmu_spe_decoder *decoder, const uint8_t *p, uint64_t offset)
{
	const struct spe_header *header = &spe_headers[p[1]];

	if (!p[1]) {
		decoder->skip_to = offset + spe_aligned(p[0], offset);
		return 2;
	}
	if (header->length < 2 || header->action == SPE_EXTENDED)
		return damage(decoder, offset);
	if (!spe_is_indexed(header) || spe_extended_index(p) > 7 || header->action == SPE_UNKNOWN)
		return unknown(decoder, offset, 1u + header->length);
	put(decoder, header->action, spe_load64(p + 1 + header->from) & header->mask, offset);
	return 1u + header->length;
}

__attribute__((noinline))
static unsigned int other(struct gpmu_spe_decoder *decoder, const uint8_t *p, uint64_t offset)
{
	switch (spe_headers[*p].action) {
	case SPE_PAD:
		return 1;
	case SPE_UNKNOWN:
		return unknown(decoder, offset, spe_headers[*p].length);
	case SPE_EXTENDED:
		return extended(decoder, p, offset);
	default:
		return damage(decoder, offset);
	}
}

static inline void count(struct gpmu_spe_stats *stats, const struct gpmu_spe_record *record)
{
	stats->records++;
	stats->slots += record->length == SLOT && record->offset % SLOT == 0;
}

/* Ends the record at @offset. Returns 1 and sets @record; 0 if it was dropped. */
static inline size_t finish(struct gpmu_spe_decoder *decoder, uint64_t offset,
			    struct gpmu_spe_record *record)
{
	if (unlikely(!(decoder->record.fields & NEEDED))) {
		/* An end packet alone */
		if (!drop(decoder, offset))
			decoder->stats.lost_bytes++;
		decoder->stats.bare++;
		return 0;
	}
	decoder->record.length = (uint32_t)(offset - decoder->record.offset);
	count(&decoder->stats, &decoder->record);
	*record = decoder->record;
	forget(decoder);
	return 1;
}

/*
 * Reads the packet at @p, which is complete. Returns its length. If it ends a record, adds 1 to
 * @made and sets @record.
 */
static inline unsigned int step(struct gpmu_spe_decoder *decoder, const uint8_t *p, uint64_t offset,
				struct gpmu_spe_record *record, size_t *made)
{
	const struct spe_header *header = &spe_headers[*p];

	if (unlikely(header->action > SPE_END))
		return other(decoder, p, offset);
	if (likely(header->action < SPE_END))
		put(decoder, header->action, spe_load64(p + header->from) & header->mask, offset);
	if (header->action >= GPMU_SPE_TIME)
		*made += finish(decoder, offset + header->length, record);
	return header->length;
}

/* A slot that is being read. @wrong becomes nonzero if its bytes do not have the layout. */
struct slot {
	struct gpmu_spe_record *record;
	uint64_t wrong;
	uint32_t fields;
};

/* Reads the packet of this header and @size bytes of payload at @p, or as many pads. */
static inline void slot_field(struct slot *slot, const uint8_t *p, uint8_t header, unsigned int size,
			      unsigned int field)
{
	const uint64_t value = spe_load64(p + 1) & (~0ull >> (64 - 8 * size));
	const uint64_t present = -(uint64_t)(*p == header);

	slot->wrong |= ~present & (*p | value);
	slot->fields |= (uint32_t)present & 1u << field;
	slot->record->value[field] = value & present;
}

/*
 * The layout of Neoverse N1. The events packet has two bytes of payload, or four, as events 17
 * and 18 of SVE need; then two more bytes are used of the pads before the time stamp.
 */
static inline bool slot_read(const uint8_t *p, struct gpmu_spe_record *record, unsigned int more)
{
	struct slot slot = { .record = record };
	const unsigned int context = p[14] & 1, address = p[30 + more] == 0xb1;
	const uint64_t tail = spe_load64(p + 56), timed = -(uint64_t)(p[55] == 0x71);

	record->length = SLOT;
	/* The other fields are set below. */
	record->value[GPMU_SPE_PREVIOUS] = record->value[GPMU_SPE_CONTEXT_EL2 - context] = 0;
	record->value[GPMU_SPE_TARGET + address] = 0;
	slot_field(&slot, p, 0xb0, 8, GPMU_SPE_PC);
	slot.wrong |= spe_load64(p + 6) >> 24;
	slot_field(&slot, p + 14, (uint8_t)(0x64 + context), 4, GPMU_SPE_CONTEXT_EL1 + context);
	slot.wrong |= (p[19] & 0xfcu) ^ 0x48;
	record->value[GPMU_SPE_OP] = GPMU_SPE_OP_VALUE(p[19] & 3, p[20]);
	slot_field(&slot, p + 21, more ? 0x62 : 0x52, 2 + more, GPMU_SPE_EVENTS);
	slot_field(&slot, p + 24 + more, 0x99, 2, GPMU_SPE_ISSUE);
	slot_field(&slot, p + 27 + more, 0x98, 2, GPMU_SPE_TOTAL);
	slot_field(&slot, p + 30 + more, (uint8_t)(0xb2 - address), 8, GPMU_SPE_VA - address);
	slot_field(&slot, p + 39 + more, 0x9a, 2, GPMU_SPE_TRANSLATION);
	slot_field(&slot, p + 42 + more, 0xb3, 8, GPMU_SPE_PA);
	slot_field(&slot, p + 51 + more, 0x43, 1, GPMU_SPE_SOURCE);
	if (!more)
		slot.wrong |= (uint64_t)p[53] | p[54];
	slot.wrong |= ~timed & (p[55] | (tail ^ 1ull << 56));
	record->value[GPMU_SPE_TIME] = tail & timed;
	record->fields = slot.fields | 1u << GPMU_SPE_OP | ((uint32_t)timed & 1u << GPMU_SPE_TIME);
	return !slot.wrong;
}

/* Reads the SLOT bytes at @p as a record. Returns false if they do not have the layout. */
static inline bool slot_try(const uint8_t *p, struct gpmu_spe_record *record)
{
	if (p[0] != 0xb0)
		return false;
	if (p[21] == 0x52)
		return slot_read(p, record, 0);
	return p[21] == 0x62 && slot_read(p, record, 2);
}

static inline const uint8_t *skip_pads(const uint8_t *p, const uint8_t *end)
{
	while (end - p >= 8) {
		uint64_t next = spe_load64(p);

		if (next)
			return p + __builtin_ctzll(next) / 8;
		p += 8;
	}
	while (p < end && !*p)
		p++;
	return p;
}

/* Decodes while any packet fits into the rest of the chunk and @max is not reached. */
static size_t run(struct gpmu_spe_decoder *decoder, struct gpmu_spe_record *records, size_t max)
{
	const uint8_t *const begin = decoder->cursor, *const end = decoder->end;
	const uint64_t first = decoder->offset;
	const uint8_t *p = begin;
	size_t made = 0;

	while (made < max && end - p >= GPMU_SPE_PACKET_MAX) {
		const uint64_t offset = first + (uint64_t)(p - begin);

		if (!*p) {
			p = skip_pads(p, end);
			continue;
		}
		if (!decoder->record.fields && end - p >= SLOT && slot_try(p, &records[made])) {
			records[made].offset = offset;
			count(&decoder->stats, &records[made++]);
			p += SLOT;
			continue;
		}
		p += step(decoder, p, offset, &records[made], &made);
		if (unlikely(decoder->skip_to > offset))
			break;
	}
	decoder->offset = first + (uint64_t)(p - begin);
	decoder->cursor = p;
	return made;
}

/* Reads one packet that may have begun in an earlier chunk. Returns false if it does not end in this one. */
static bool run_one(struct gpmu_spe_decoder *decoder, struct gpmu_spe_record *record, size_t *made)
{
	uint8_t bytes[GPMU_SPE_PACKET_MAX] = { 0 };
	const uint64_t offset = decoder->offset - decoder->carried;
	size_t fresh = (size_t)(decoder->end - decoder->cursor), room = sizeof(bytes) - decoder->carried;
	struct gpmu_spe_packet packet;
	unsigned int length;

	fresh = fresh < room ? fresh : room;
	memcpy(bytes, decoder->carry, decoder->carried);
	memcpy(bytes + decoder->carried, decoder->cursor, fresh);
	if (!gpmu_spe_packet(&packet, bytes, decoder->carried + fresh, offset)) {
		memcpy(decoder->carry, bytes, sizeof(bytes));
		decoder->carried += (unsigned int)fresh;
		decoder->cursor += fresh;
		decoder->offset += fresh;
		return false;
	}
	length = step(decoder, bytes, offset, record, made);
	decoder->cursor += length - decoder->carried;
	decoder->offset = offset + length;
	decoder->carried = 0;
	return true;
}

/* Skips to the boundary of an alignment packet, or past damage. */
static void skip(struct gpmu_spe_decoder *decoder)
{
	uint64_t length = decoder->skip_to - decoder->offset;

	if (length > (uint64_t)(decoder->end - decoder->cursor))
		length = (uint64_t)(decoder->end - decoder->cursor);
	if (decoder->skip_to == decoder->damaged)
		decoder->stats.lost_bytes += length;
	decoder->cursor += length;
	decoder->offset += length;
}

void gpmu_spe_begin(struct gpmu_spe_decoder *decoder, uint64_t offset)
{
	gpmu_spe_end(decoder, 0);
	decoder->offset = decoder->skip_to = offset;
	decoder->damaged = NOT_DAMAGED;
}

void gpmu_spe_feed(struct gpmu_spe_decoder *decoder, const void *chunk, size_t size)
{
	decoder->cursor = chunk;
	decoder->end = decoder->cursor + size;
	decoder->stats.bytes += size;
}

size_t gpmu_spe_next(struct gpmu_spe_decoder *decoder, struct gpmu_spe_record *records, size_t max)
{
	size_t made = 0;

	while (made < max && decoder->cursor < decoder->end) {
		if (decoder->offset < decoder->skip_to)
			skip(decoder);
		else if (!decoder->carried && decoder->end - decoder->cursor >= GPMU_SPE_PACKET_MAX)
			made += run(decoder, records + made, max - made);
		else if (!run_one(decoder, records + made, &made))
			break;
	}
	return made;
}

void gpmu_spe_end(struct gpmu_spe_decoder *decoder, uint64_t flags)
{
	struct gpmu_spe_stats *stats = &decoder->stats;

	stats->unfinished += drop(decoder, decoder->offset - decoder->carried) || decoder->carried;
	stats->lost_bytes += decoder->carried;
	decoder->carried = 0;
	stats->truncations += !!(flags & AUX_TRUNCATED);
	stats->partials += !!(flags & AUX_PARTIAL);
	stats->collisions += !!(flags & AUX_COLLISION);
}

void gpmu_spe_stats_add(struct gpmu_spe_stats *stats, const struct gpmu_spe_stats *more)
{
	uint64_t *to = &stats->bytes;
	const uint64_t *from = &more->bytes;

	_Static_assert(sizeof(*stats) % sizeof(*to) == 0, "all members are uint64_t");
	for (size_t i = 0; i < sizeof(*stats) / sizeof(*to); i++)
		to[i] += from[i];
}
