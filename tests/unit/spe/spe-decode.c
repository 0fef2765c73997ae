// SPDX-License-Identifier: LGPL-2.1-or-later
/* Good streams: encoded records are decoded, wherever chunks and the trace end */
#include "spe-test.h"

static struct stream stream;
static struct decoded whole, pieces, wanted;

static void want(const struct gpmu_spe_record *record)
{
	wanted.records[wanted.count++] = *record;
}

/* A record of any fields in any order, with pads and unknown packets between */
static void put_record(unsigned int pads_max)
{
	struct gpmu_spe_record record = { .offset = stream.length };
	unsigned int order[GPMU_SPE_TIME], n = GPMU_SPE_TIME;

	for (unsigned int i = 0; i < n; i++)
		order[i] = i;
	for (bool is_first = true; n;) {
		unsigned int pick = spe_below(n), field = order[pick];

		order[pick] = order[--n];
		if (!spe_below(3) && field != GPMU_SPE_PC)
			continue;
		record.fields |= 1u << field;
		record.value[field] = random_value(field);
		if (!is_first)
			put_pads(&stream, spe_below(pads_max + 1));
		is_first = false;
		if (field <= GPMU_SPE_TRANSLATION && !spe_below(8))
			put_bytes(&stream, 0x20, 1);
		put_field(&stream, &record, field);
		if (!spe_below(8)) {
			record.fields |= 1u << GPMU_SPE_UNKNOWN;
			put_packet(&stream, spe_below(2) ? 0x9f : 0x40, 0x7171717171717171);
			wanted.stats.unknown++;
		}
	}
	if (spe_below(2)) {
		record.fields |= 1u << GPMU_SPE_TIME;
		record.value[GPMU_SPE_TIME] = random_value(GPMU_SPE_TIME);
		put_field(&stream, &record, GPMU_SPE_TIME);
	} else {
		put_end(&stream);
	}
	record.length = (uint32_t)(stream.length - record.offset);
	want(&record);
	put_pads(&stream, spe_below(pads_max + 1));
}

static void start(void)
{
	stream.length = 0;
	memset(&wanted, 0, sizeof(wanted));
}

static bool is_as_wanted(const struct decoded *decoded)
{
	return decoded->count == wanted.count && decoded->stats.records == wanted.count &&
	       !memcmp(decoded->records, wanted.records, wanted.count * sizeof(wanted.records[0])) &&
	       decoded->stats.unknown == wanted.stats.unknown && !decoded->stats.lost_bytes &&
	       !decoded->stats.damages && !decoded->stats.unfinished && !decoded->stats.bare &&
	       decoded->stats.bytes == stream.length;
}

static void round_trips(void)
{
	bool is_right = true, is_chunked = true;

	for (int round = 0; round < 300; round++) {
		start();
		for (int i = 0; i < 100; i++)
			put_record(round % 20);
		decode_whole(&whole, &stream);
		is_right = is_right && is_as_wanted(&whole);
		decode(&pieces, stream.bytes, stream.length, 1 + spe_below(100), 1 + spe_below(100), 1 + spe_below(3));
		is_chunked = is_chunked && is_as_wanted(&pieces);
	}
	ok(is_right, "spe: 30,000 records of any packets in any order are decoded to their fields");
	ok(is_chunked, "spe: the same records are decoded from chunks of any size");
}

static void each_boundary(void)
{
	bool has_two = true, is_equal = true;

	start();
	for (int i = 0; i < 12; i++)
		put_record(9);
	for (size_t first = 0; first <= stream.length; first++) {
		decode(&pieces, stream.bytes, stream.length, first, stream.length, 5);
		has_two = has_two && is_as_wanted(&pieces);
	}
	for (size_t size = 1; size < 100; size++) {
		decode(&pieces, stream.bytes, stream.length, size, size, 1);
		is_equal = is_equal && is_as_wanted(&pieces);
	}
	ok(has_two, "spe: two chunks with a boundary at any byte give the records of the whole");
	ok(is_equal, "spe: chunks of any equal size give the records of the whole");
}

/* A trace that ends at @cut: complete records, and the bytes of the record begun are lost. */
static bool is_cut(size_t cut)
{
	const struct gpmu_spe_record *record = wanted.records;
	uint64_t lost = 0;

	decode(&pieces, stream.bytes, cut, cut, cut, 7);
	for (; record < wanted.records + wanted.count && record->offset + record->length <= cut; record++)
		;
	if (record < wanted.records + wanted.count && record->offset < cut)
		lost = cut - record->offset;
	return pieces.count == (size_t)(record - wanted.records) &&
	       !memcmp(pieces.records, wanted.records, pieces.count * sizeof(*record)) &&
	       pieces.stats.lost_bytes == lost && pieces.stats.unfinished == (lost > 0);
}

static void each_cut(void)
{
	bool has_any = true, has_slots = true;

	start();
	for (int i = 0; i < 12; i++)
		put_record(9);
	for (size_t cut = 0; cut <= stream.length; cut++)
		has_any = has_any && is_cut(cut);
	ok(has_any, "spe: a trace that ends at any byte gives all complete records and counts the bytes of the last");
	start();
	for (int i = 0; i < 8; i++) {
		struct gpmu_spe_record record = random_slot(1, 0);

		record.offset = stream.length;
		put_slot(&stream, &record, 0);
		want(&record);
	}
	for (size_t cut = 0; cut <= stream.length; cut++)
		has_slots = has_slots && is_cut(cut);
	ok(has_slots, "spe: a trace of 64-byte records that ends at any byte gives all complete records");
}

static void slots(void)
{
	for (unsigned int more = 0; more <= 2; more += 2)
		for (int has_time = 0; has_time < 2; has_time++) {
			start();
			for (int i = 0; i < 900; i++) {
				struct gpmu_spe_record record = random_slot(has_time, more);

				record.offset = stream.length;
				put_slot(&stream, &record, more);
				want(&record);
			}
			decode_whole(&whole, &stream);
			ok(is_as_wanted(&whole) && whole.stats.slots == wanted.count,
			   "spe: 64-byte records with %u bytes of events that end with %s are decoded", 2 + more,
			   has_time ? "a time stamp" : "an end packet");
			decode(&pieces, stream.bytes, stream.length, 1, 1, 9);
			ok(is_same_records(&whole, &pieces),
			   "spe: chunks of 1 byte give the same of 64-byte records with %u bytes of events that end with %s",
			   2 + more, has_time ? "a time stamp" : "an end packet");
		}
}

/* The fast path for slots accepts only bytes of which the packets give the same record. */
static void changed_slots(void)
{
	static const uint8_t values[] = {
		0x00, 0x01, 0x02, 0x20, 0x42, 0x43, 0x48, 0x52, 0x62, 0x64, 0x66, 0x71, 0x98, 0x99, 0x9a, 0xb0,
		0xb1, 0xb2, 0xb3, 0xb4, 0xc0, 0xff,
	};
	size_t differing = 0;

	for (int round = 0; round < 12; round++)
		for (size_t index = 0; index < 64; index++)
			for (size_t i = 0; i < sizeof(values); i++) {
				unsigned int more = round % 2 * 2;

				stream.length = 0;
				for (int n = 0; n < 3; n++) {
					struct gpmu_spe_record record = random_slot(round & 2, more);

					put_slot(&stream, &record, more);
				}
				stream.bytes[64 + index] = values[i];
				decode_whole(&whole, &stream);
				decode(&pieces, stream.bytes, stream.length, 1, 1, 9);
				differing += !is_same_records(&whole, &pieces);
			}
	is_u64(differing, 0, "spe: a 64-byte record with any changed byte gives the same in one chunk and in chunks of 1 byte");
}

static void alignments(void)
{
	bool is_right = true;

	for (unsigned int n = 0; n < 4; n++)
		for (unsigned int before = 0; before < 20; before++) {
			struct gpmu_spe_packet packet;
			struct gpmu_spe_record record = { .fields = 1u << GPMU_SPE_PC, .length = 10 };

			start();
			put_pads(&stream, before);
			put_bytes(&stream, 0x20 + n, 2);
			gpmu_spe_packet(&packet, stream.bytes + before, 2, before);
			while (stream.length < before + packet.length)
				put_bytes(&stream, 0xff, 1);
			record.offset = stream.length;
			put_field(&stream, &record, GPMU_SPE_PC);
			put_end(&stream);
			want(&record);
			for (size_t size = 1; size < 40; size++) {
				decode(&pieces, stream.bytes, stream.length, size, size, 9);
				is_right = is_right && is_as_wanted(&pieces);
			}
		}
	ok(is_right, "spe: bytes between an alignment packet and its boundary are skipped, wherever chunks end");
}

static void addresses(void)
{
	static const struct {
		uint64_t payload, address;
	} cases[] = {
		{ 0x80007fffffffffff, 0x00007fffffffffff }, { 0x807fffffffffffff, 0x007fffffffffffff },
		{ 0x0080000000000000, 0xff80000000000000 }, { 0xc000000000001000, 0x1000 },
		{ 0x5c00aaaabbbb0040, 0xaaaabbbb0040 }, { 0xc0ffb16f0badcafc, 0xffffb16f0badcafc },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ok(gpmu_spe_address(cases[i].payload) == cases[i].address,
		   "spe: the payload %016" PRIx64 " is the address %016" PRIx64 ", extended from bit 55",
		   cases[i].payload, cases[i].address);
	is_u64(gpmu_spe_physical(0xc9ff004012345640), 0xff004012345640, "spe: a physical address has 56 bits");
}

/* Attributes are in the top byte of each address, but not of other fields. */
static void numbers(void)
{
	static const enum gpmu_spe_field fields[] = { GPMU_SPE_PC, GPMU_SPE_TARGET, GPMU_SPE_VA, GPMU_SPE_PREVIOUS };
	struct gpmu_spe_record record;
	bool is_right = true;

	for (int field = 0; field < GPMU_SPE_FIELDS; field++)
		record.value[field] = 0xc900004012345640;
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ok(gpmu_spe_number(&record, fields[i]) == 0x4012345640,
		   "spe: the number of field %d, a virtual address, has no attributes", (int)fields[i]);
	is_u64(gpmu_spe_number(&record, GPMU_SPE_PA), 0x4012345640, "spe: the number of a physical address has no attributes");
	for (enum gpmu_spe_field field = GPMU_SPE_TOTAL; field < GPMU_SPE_FIELDS; field++)
		is_right = is_right && gpmu_spe_number(&record, field) == 0xc900004012345640;
	ok(is_right, "spe: the number of a field without an address is its payload");
}

int main(void)
{
	round_trips();
	each_boundary();
	each_cut();
	slots();
	changed_slots();
	alignments();
	addresses();
	numbers();
	return done_testing();
}
