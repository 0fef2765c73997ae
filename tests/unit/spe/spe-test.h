/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encodes packets, and decodes streams in chunks, for tests of spe/. */
#ifndef GPMU_TESTS_SPE_TEST_H
#define GPMU_TESTS_SPE_TEST_H

#include <stdlib.h>
#include <string.h>

#include "spe/gpmu_spe.h"
#include "tap.h"

#define STREAM_MAX	(1 << 16)
#define RECORDS_MAX	2048

struct stream {
	uint8_t bytes[STREAM_MAX];
	size_t length;
};

/* Records and counts of a decoded stream */
struct decoded {
	struct gpmu_spe_record records[RECORDS_MAX];
	size_t count;
	struct gpmu_spe_stats stats;
};

/* xorshift64, the same sequence in each run */
static inline uint64_t spe_random(void)
{
	static uint64_t state = 88172645463325252ull;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static inline uint32_t spe_below(uint32_t n)
{
	return (uint32_t)((spe_random() >> 11) % n);
}

static inline void put_bytes(struct stream *stream, uint64_t value, unsigned int size)
{
	for (unsigned int i = 0; i < size; i++)
		stream->bytes[stream->length++] = (uint8_t)(value >> 8 * i);
}

/* A packet of a first byte that has a payload */
static inline void put_packet(struct stream *stream, unsigned int header, uint64_t value)
{
	put_bytes(stream, header, 1);
	put_bytes(stream, value, 1u << (header >> 4 & 3));
}

static inline void put_pads(struct stream *stream, unsigned int n)
{
	memset(stream->bytes + stream->length, 0, n);
	stream->length += n;
}

static inline void put_end(struct stream *stream)
{
	put_bytes(stream, 1, 1);
}

/* First byte of a packet of each field; events and data source of two bytes */
static const uint8_t headers_of[GPMU_SPE_FIELDS] = {
	0xb0, 0xb1, 0xb2, 0xb3, 0xb4, 0x98, 0x99, 0x9a, 0x64, 0x65, 0x48, 0x52, 0x53, 0x71,
};

static inline uint64_t mask_of(unsigned int size)
{
	return size == 8 ? ~0ull : (1ull << 8 * size) - 1;
}

/* The record's packet of a field */
static inline void put_field(struct stream *stream, const struct gpmu_spe_record *record, unsigned int field)
{
	uint64_t value = record->value[field];
	unsigned int header = headers_of[field];

	if (field == GPMU_SPE_OP) {
		header |= value & 3;
		value >>= 8;
	}
	if (field == GPMU_SPE_EVENTS || field == GPMU_SPE_SOURCE)
		for (header &= 0xcf; value & ~mask_of(1u << (header >> 4 & 3));)
			header += 0x10;
	put_packet(stream, header, value);
}

/* A value that fits into a packet of the field */
static inline uint64_t random_value(unsigned int field)
{
	uint64_t value = spe_random() >> spe_below(40);

	if (field == GPMU_SPE_OP)
		return GPMU_SPE_OP_VALUE(value & 3, value >> 8 & 0xff);
	if (field == GPMU_SPE_SOURCE || field == GPMU_SPE_EVENTS)
		return value & mask_of(1u << spe_below(4));
	return value & mask_of(1u << (headers_of[field] >> 4 & 3));
}

/* The layout of Neoverse: @more 0, or 2 for an events packet of four bytes. Fields not in @fields are pads. */
static inline void put_slot(struct stream *stream, const struct gpmu_spe_record *record, unsigned int more)
{
	const struct {
		unsigned int offset, field;
	} places[] = {
		{ 0, GPMU_SPE_PC }, { 14, GPMU_SPE_CONTEXT_EL1 }, { 14, GPMU_SPE_CONTEXT_EL2 }, { 19, GPMU_SPE_OP },
		{ 24 + more, GPMU_SPE_ISSUE }, { 27 + more, GPMU_SPE_TOTAL }, { 30 + more, GPMU_SPE_VA },
		{ 30 + more, GPMU_SPE_TARGET }, { 39 + more, GPMU_SPE_TRANSLATION }, { 42 + more, GPMU_SPE_PA },
		{ 51 + more, GPMU_SPE_SOURCE }, { 55, GPMU_SPE_TIME },
	};
	size_t begin = stream->length;

	put_pads(stream, 64);
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		stream->length = begin + places[i].offset;
		if (gpmu_spe_has(record, places[i].field))
			put_field(stream, record, places[i].field);
	}
	stream->length = begin + 21;
	put_packet(stream, more ? 0x62 : 0x52, record->value[GPMU_SPE_EVENTS]);
	stream->length = begin + 63;
	if (!gpmu_spe_has(record, GPMU_SPE_TIME))
		put_end(stream);
	stream->length = begin + 64;
}

/* A record as Neoverse writes it. Fields that an operation lacks are absent. */
static inline struct gpmu_spe_record random_slot(int has_time, unsigned int more)
{
	static const uint32_t rarely[] = {
		1u << GPMU_SPE_CONTEXT_EL1, 1u << GPMU_SPE_CONTEXT_EL2, 1u << GPMU_SPE_VA, 1u << GPMU_SPE_TARGET,
		1u << GPMU_SPE_TRANSLATION, 1u << GPMU_SPE_PA, 1u << GPMU_SPE_SOURCE,
	};
	struct gpmu_spe_record record = {
		.fields = 1u << GPMU_SPE_PC | 1u << GPMU_SPE_OP | 1u << GPMU_SPE_EVENTS | 1u << GPMU_SPE_ISSUE |
			  1u << GPMU_SPE_TOTAL | (has_time ? 1u << GPMU_SPE_TIME : 0),
		.length = 64,
	};

	for (size_t i = 0; i < sizeof(rarely) / sizeof(rarely[0]); i++)
		if (spe_below(3) && !(i % 2 == 1 && i < 4 && record.fields & rarely[i - 1]))
			record.fields |= rarely[i];
	for (unsigned int field = 0; field < GPMU_SPE_FIELDS; field++)
		if (gpmu_spe_has(&record, field))
			record.value[field] = random_value(field);
	record.value[GPMU_SPE_SOURCE] &= 0xff;
	record.value[GPMU_SPE_EVENTS] &= mask_of(2 + more);
	return record;
}

static inline void decode_chunk(struct gpmu_spe_decoder *decoder, struct decoded *decoded, const uint8_t *bytes,
				size_t size, size_t max)
{
	/* A copy of its own, so that the sanitizers find a read beyond it */
	uint8_t *chunk = malloc(size + !size);
	size_t n;

	memcpy(chunk, bytes, size);
	gpmu_spe_feed(decoder, chunk, size);
	while ((n = gpmu_spe_next(decoder, decoded->records + decoded->count, max)))
		decoded->count += n;
	free(chunk);
}

/* Decodes a stream in chunks of @first bytes and then of @size; @max records at once */
static inline void decode(struct decoded *decoded, const uint8_t *bytes, size_t length, size_t first, size_t size,
			  size_t max)
{
	struct gpmu_spe_decoder decoder;

	decoded->count = 0;
	gpmu_spe_decoder_init(&decoder);
	gpmu_spe_begin(&decoder, 0);
	for (size_t offset = 0; offset < length; first = size) {
		size_t chunk = first < length - offset ? first : length - offset;

		decode_chunk(&decoder, decoded, bytes + offset, chunk, max);
		offset += chunk;
	}
	gpmu_spe_end(&decoder, 0);
	decoded->stats = decoder.stats;
}

static inline void decode_whole(struct decoded *decoded, const struct stream *stream)
{
	decode(decoded, stream->bytes, stream->length, stream->length, stream->length, RECORDS_MAX);
}

static inline bool is_same_records(const struct decoded *a, const struct decoded *b)
{
	return a->count == b->count && !memcmp(a->records, b->records, a->count * sizeof(a->records[0])) &&
	       !memcmp(&a->stats, &b->stats, sizeof(a->stats));
}

#endif /* GPMU_TESTS_SPE_TEST_H */
