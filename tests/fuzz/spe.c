// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any bytes are decoded to the same records and counts, whatever the chunks, which the first byte of the input sizes.
 * The result conforms to the documentation in the header.
 */
#include <stdlib.h>
#include <string.h>

#include "spe/gpmu_spe.h"

#define RECORDS_MAX	4096

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct result {
	struct gpmu_spe_record records[RECORDS_MAX];
	struct gpmu_spe_stats stats;
	size_t count;
};

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void check_records(const struct result *result, size_t size)
{
	uint64_t end = 0, used = result->stats.lost_bytes;

	for (size_t i = 0; i < result->count; i++) {
		const struct gpmu_spe_record *record = &result->records[i];

		must(record->offset >= end && record->length >= 3);
		end = record->offset + record->length;
		used += record->length;
		must(gpmu_spe_has(record, GPMU_SPE_PC) || gpmu_spe_has(record, GPMU_SPE_OP));
		must(record->fields < 1u << (GPMU_SPE_UNKNOWN + 1));
		for (unsigned int field = 0; field < GPMU_SPE_FIELDS; field++)
			must(gpmu_spe_has(record, field) || !record->value[field]);
		must(gpmu_spe_tier(record, 0x410fd4f0).name != NULL);
	}
	must(end <= size && used <= size);
	must(result->stats.records == result->count && result->stats.bytes == size);
}

static void decode(struct result *result, const uint8_t *data, size_t size, size_t chunk)
{
	struct gpmu_spe_decoder decoder;
	size_t n;

	result->count = 0;
	gpmu_spe_decoder_init(&decoder);
	gpmu_spe_begin(&decoder, 0);
	for (size_t offset = 0; offset < size; offset += chunk) {
		gpmu_spe_feed(&decoder, data + offset, chunk < size - offset ? chunk : size - offset);
		while ((n = gpmu_spe_next(&decoder, result->records + result->count, RECORDS_MAX - result->count)))
			result->count += n;
	}
	gpmu_spe_end(&decoder, 0);
	result->stats = decoder.stats;
	check_records(result, size);
}

static void check_packets(const uint8_t *data, size_t size)
{
	struct gpmu_spe_packet packet;
	char text[512];
	size_t offset = 0;

	while (offset < size) {
		int length = gpmu_spe_packet(&packet, data + offset, size - offset, offset);

		if (length > 0) {
			must(gpmu_spe_packet_text(&packet, text, sizeof(text)) < (int)sizeof(text) && *text);
			must((unsigned int)length == packet.length);
		}
		offset += length > 0 ? (size_t)length : 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct result whole, pieces;

	if (!size || size > RECORDS_MAX)
		return 0;
	decode(&whole, data + 1, size - 1, size);
	decode(&pieces, data + 1, size - 1, 1 + data[0] % 80);
	must(whole.count == pieces.count && !memcmp(&whole.stats, &pieces.stats, sizeof(whole.stats)));
	must(!memcmp(whole.records, pieces.records, whole.count * sizeof(whole.records[0])));
	check_packets(data + 1, size - 1);
	return 0;
}
