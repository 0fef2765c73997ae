// SPDX-License-Identifier: LGPL-2.1-or-later
/* Damaged streams: dropped records, counts, and where decoding continues */
#include "spe-test.h"

static struct stream stream;
static struct decoded whole, pieces;
static struct gpmu_spe_record sent[16];

static void put_slots(size_t count)
{
	stream.length = 0;
	for (size_t i = 0; i < count; i++) {
		sent[i] = random_slot(1, 0);
		sent[i].offset = stream.length;
		put_slot(&stream, &sent[i], 0);
	}
}

/* PC, operation, end: 12 bytes */
static void put_small(uint64_t pc)
{
	put_packet(&stream, 0xb0, pc);
	put_packet(&stream, 0x4a, 0);
	put_end(&stream);
}

static uint64_t pc_of(size_t i)
{
	return i < whole.count ? whole.records[i].value[GPMU_SPE_PC] : UINT64_MAX;
}

/* A first byte that is no packet, in place of a packet's or a pad's, costs its 64-byte record alone. */
static void damaged_slots(void)
{
	static const uint8_t places[] = { 0, 9, 14, 19, 21, 24, 27, 30, 39, 42, 51, 53, 55 };
	bool is_neighbour_right = true, is_loss_right = true;

	for (size_t i = 0; i < sizeof(places); i++) {
		put_slots(9);
		stream.bytes[4 * 64 + places[i]] = 0xff;
		decode_whole(&whole, &stream);
		is_neighbour_right = is_neighbour_right && whole.count == 8 &&
				     !memcmp(whole.records, sent, 4 * sizeof(sent[0])) &&
				     !memcmp(whole.records + 4, sent + 5, 4 * sizeof(sent[0]));
		is_loss_right = is_loss_right && whole.stats.lost_bytes == 64 && whole.stats.damages == 1 &&
				!whole.stats.unfinished && !whole.stats.bare && !whole.stats.unknown;
	}
	ok(is_neighbour_right, "spe: a damaged byte in a stream of 64-byte records loses only its record");
	ok(is_loss_right, "spe: the 64 bytes of a damaged record are counted as lost, and one damage");
}

static void damaged_start(void)
{
	put_slots(3);
	stream.bytes[0] = 0xff;
	for (size_t i = 1; i < 64; i++)
		stream.bytes[i] = 0;
	decode_whole(&whole, &stream);
	ok(whole.count == 2 && whole.stats.lost_bytes == 1 && whole.stats.damages == 1,
	   "spe: before the first record a damaged byte is lost alone");
}

static void byte_by_byte(void)
{
	stream.length = 0;
	put_small(0x100);
	put_packet(&stream, 0xb0, 0x200);
	put_bytes(&stream, 0xfffefdfc, 4);
	put_small(0x300);
	decode_whole(&whole, &stream);
	ok(whole.count == 2 && pc_of(0) == 0x100 && pc_of(1) == 0x300,
	   "spe: after damage in a stream without slots the record begun is dropped and the next is found");
	ok(whole.stats.lost_bytes == 9 + 4 && whole.stats.damages == 1,
	   "spe: adjacent damaged bytes count as one damage, and all bytes of the record begun as lost");
}

static void lost_end(void)
{
	stream.length = 0;
	put_small(0x100);
	put_packet(&stream, 0xb0, 0x200);
	put_packet(&stream, 0x4a, 0);
	put_small(0x300);
	decode_whole(&whole, &stream);
	ok(whole.count == 2 && pc_of(1) == 0x300 && whole.records[1].length == 12,
	   "spe: a second PC in a record begins the next record");
	ok(whole.stats.unfinished == 1 && whole.stats.lost_bytes == 11,
	   "spe: a record whose end is missing is dropped and counted as unfinished");
}

static void bare_records(void)
{
	stream.length = 0;
	put_end(&stream);
	put_packet(&stream, 0x52, 2);
	put_packet(&stream, 0x71, 12345);
	put_small(0x100);
	decode_whole(&whole, &stream);
	ok(whole.count == 1 && pc_of(0) == 0x100 && whole.stats.records == 1,
	   "spe: a record without a PC and an operation is dropped");
	ok(whole.stats.bare == 2 && whole.stats.lost_bytes == 1 + 3 + 9,
	   "spe: records without a PC and an operation are counted, and their bytes as lost");
	stream.length = 0;
	put_packet(&stream, 0x4a, 0);
	put_end(&stream);
	put_packet(&stream, 0xb0, 0);
	put_end(&stream);
	decode_whole(&whole, &stream);
	ok(whole.count == 2 && !gpmu_spe_has(&whole.records[0], GPMU_SPE_PC) &&
	   gpmu_spe_has(&whole.records[1], GPMU_SPE_PC) && !pc_of(1),
	   "spe: an operation or a PC is enough for a record, and a PC of 0 differs from none");
}

static void unknown_packets(void)
{
	stream.length = 0;
	put_small(0x100);
	put_packet(&stream, 0xb0, 0x200);
	put_packet(&stream, 0x80, 0x71);	/* its payload is not read as a packet */
	put_packet(&stream, 0x66, 0x71717171);
	put_packet(&stream, 0x4b, 0x12);
	put_bytes(&stream, 0x1f, 1);
	put_bytes(&stream, 0x21, 1);
	put_packet(&stream, 0xb0, 0x300);	/* of index 8, so not a PC */
	put_bytes(&stream, 0x20, 1);
	put_packet(&stream, 0x71, 12345);	/* not a time stamp */
	put_end(&stream);
	decode_whole(&whole, &stream);
	ok(whole.count == 2 && pc_of(1) == 0x200 && whole.stats.unknown == 5 && !whole.stats.lost_bytes,
	   "spe: unknown packets of a known size are skipped and counted, and nothing is lost");
	ok(gpmu_spe_has(&whole.records[1], GPMU_SPE_UNKNOWN) && !gpmu_spe_has(&whole.records[0], GPMU_SPE_UNKNOWN),
	   "spe: a record with unknown packets is marked");
	is_u64(whole.records[1].value[GPMU_SPE_OP], GPMU_SPE_OP_VALUE(3, 0x12),
	       "spe: an operation of the reserved class is kept");
}

/* A stream has slots if most of its records are slots. */
static void mixed_stream(void)
{
	put_slots(4);
	put_small(0x100);
	put_pads(&stream, 52);
	put_bytes(&stream, 0xff, 1);
	put_small(0x200);
	put_pads(&stream, 51);
	put_small(0x300);
	decode_whole(&whole, &stream);
	ok(whole.count == 6 && pc_of(4) == 0x100 && pc_of(5) == 0x300 && whole.stats.slots == 4,
	   "spe: after damage decoding goes on at a multiple of 64 if most records were slots");
	is_u64(whole.stats.lost_bytes, 64, "spe: bytes that are skipped to a multiple of 64 are counted as lost");
}

/* Three AUX records, the first cut off, with a gap that is in none */
static void aux_records(void)
{
	struct gpmu_spe_stats sum = { 0 };
	struct gpmu_spe_decoder decoder;

	put_slots(5);
	whole.count = 0;
	gpmu_spe_decoder_init(&decoder);
	gpmu_spe_begin(&decoder, 64);
	decode_chunk(&decoder, &whole, stream.bytes + 64, 64 + 21 + 2, 9);
	gpmu_spe_end(&decoder, 0x01 | 0x04);
	ok(whole.count == 1 && whole.records[0].offset == 64, "spe: offsets are those of the trace");
	ok(decoder.stats.unfinished == 1 && decoder.stats.lost_bytes == 23,
	   "spe: the end of an AUX record drops the record begun, with the bytes of its last packet");
	gpmu_spe_begin(&decoder, 4096);
	decode_chunk(&decoder, &whole, stream.bytes + 3 * 64, 64, 9);
	gpmu_spe_end(&decoder, 0x08);
	ok(whole.count == 2 && whole.records[1].offset == 4096 && decoder.stats.lost_bytes == 23,
	   "spe: a record begins at the start of an AUX record");
	gpmu_spe_begin(&decoder, 8192);
	decode_chunk(&decoder, &whole, stream.bytes, 30, 9);
	gpmu_spe_begin(&decoder, 16384);
	decode_chunk(&decoder, &whole, stream.bytes + 4 * 64, 64, 9);
	gpmu_spe_end(&decoder, 0x02);
	ok(whole.count == 3 && whole.records[2].offset == 16384 && decoder.stats.unfinished == 2 &&
	   decoder.stats.lost_bytes == 23 + 30, "spe: the start of an AUX record drops the record begun before it");
	ok(decoder.stats.truncations == 1 && decoder.stats.partials == 1 && decoder.stats.collisions == 1,
	   "spe: truncated, partial and collided AUX records are counted by their flags");
	put_slots(1);
	memset(stream.bytes, 0, 8);
	stream.bytes[7] = 0xff;
	gpmu_spe_begin(&decoder, 0);
	decode_chunk(&decoder, &whole, stream.bytes, 8, 9);
	gpmu_spe_begin(&decoder, 64 - 8);
	stream.bytes[0] = 0x22;
	decode_chunk(&decoder, &whole, stream.bytes, 8, 9);
	gpmu_spe_end(&decoder, 0);
	ok(decoder.stats.damages == 1 && decoder.stats.lost_bytes == 54,
	   "spe: damage of an AUX record has no effect on an alignment packet of the next");
	gpmu_spe_stats_add(&sum, &decoder.stats);
	gpmu_spe_stats_add(&sum, &decoder.stats);
	ok(sum.bytes == 2 * decoder.stats.bytes && sum.records == 6 && sum.partials == 2 && sum.lost_bytes == 108,
	   "spe: the counts of two decoders are added");
}

/* Random bytes, and good records with random changes */
static void random_bytes(void)
{
	bool is_same = true, is_bounded = true;

	for (int round = 0; round < 2000; round++) {
		put_slots(round % 3 ? 16 : 0);
		if (!stream.length)
			put_pads(&stream, 1 + spe_below(1500));
		for (uint32_t n = round % 3 ? spe_below(20) : (uint32_t)stream.length; n; n--)
			stream.bytes[round % 3 ? spe_below((uint32_t)stream.length) : n - 1] = (uint8_t)spe_random();
		decode_whole(&whole, &stream);
		decode(&pieces, stream.bytes, stream.length, 1 + spe_below(70), 1 + spe_below(70), 1 + spe_below(4));
		is_same = is_same && is_same_records(&whole, &pieces);
		is_bounded =
			is_bounded && whole.stats.lost_bytes <= stream.length && whole.stats.records == whole.count;
	}
	ok(is_same, "spe: random bytes give the same records and counts, whatever the chunks");
	ok(is_bounded, "spe: no more bytes of random bytes are lost than there are");
}

int main(void)
{
	damaged_slots();
	damaged_start();
	byte_by_byte();
	lost_end();
	bare_records();
	unknown_packets();
	mixed_stream();
	aux_records();
	random_bytes();
	return done_testing();
}
