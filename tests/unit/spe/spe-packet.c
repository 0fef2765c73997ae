// SPDX-License-Identifier: LGPL-2.1-or-later
/* One packet: each first byte, alone and after an extended header, each payload of an operation, texts */
#include <errno.h>

#include "spe-test.h"

/* Meaning of the first byte, by the rules of DDI 0487 */
static bool is_sized(unsigned int header)
{
	return (header & 0xc0) == 0x40 || (header & 0xc0) == 0x80;
}

static enum gpmu_spe_packet_kind kind_of(unsigned int header)
{
	if (header == 0x71)
		return GPMU_SPE_PACKET_TIME;
	if ((header & 0xcf) == 0x42)
		return GPMU_SPE_PACKET_EVENTS;
	if ((header & 0xcf) == 0x43)
		return GPMU_SPE_PACKET_SOURCE;
	if ((header & 0xfc) == 0x48)
		return GPMU_SPE_PACKET_OP;
	if ((header & 0xfc) == 0x64)
		return GPMU_SPE_PACKET_CONTEXT;
	if ((header & 0xf8) == 0x98)
		return GPMU_SPE_PACKET_COUNTER;
	if ((header & 0xf8) == 0xb0)
		return GPMU_SPE_PACKET_ADDRESS;
	return GPMU_SPE_PACKET_UNKNOWN;
}

static unsigned int index_of(unsigned int header)
{
	switch (kind_of(header)) {
	case GPMU_SPE_PACKET_OP:
	case GPMU_SPE_PACKET_CONTEXT:
		return header & 3;
	case GPMU_SPE_PACKET_COUNTER:
	case GPMU_SPE_PACKET_ADDRESS:
		return header & 7;
	case GPMU_SPE_PACKET_UNKNOWN:
		return header;
	default:
		return 0;
	}
}

/* The packet of @length bytes is read with these members, and no part of it is. */
static bool is_packet(const struct stream *stream, enum gpmu_spe_packet_kind kind, unsigned int index,
		      uint64_t value)
{
	struct gpmu_spe_packet packet = { 0 };
	int length = gpmu_spe_packet(&packet, stream->bytes, stream->length, 0);

	if (length != (int)stream->length || packet.length != stream->length || packet.kind != kind ||
	    packet.index != index || packet.value != value) {
		diag("%02x: length %d, kind %d, index %u, value %" PRIx64, stream->bytes[0], length, (int)packet.kind,
		     packet.index, packet.value);
		return false;
	}
	for (size_t size = 0; size < stream->length; size++)
		if (gpmu_spe_packet(&packet, stream->bytes, size, 0))
			return false;
	return true;
}

static void sized_packets(void)
{
	static struct stream stream;
	bool is_right = true;

	for (unsigned int header = 0x40; header < 0xc0; header++)
		for (int round = 0; round < 100; round++) {
			uint64_t value = spe_random() & mask_of(1u << (header >> 4 & 3));

			stream.length = 0;
			put_packet(&stream, header, value);
			is_right = is_packet(&stream, kind_of(header), index_of(header), value) && is_right;
		}
	ok(is_right, "spe: each packet with a payload is read with its kind, index and value, "
	   "and a part of a packet is not read");
}

static void extended_packets(void)
{
	static struct stream stream;
	bool is_right = true;

	for (unsigned int first = 0x20; first < 0x24; first++)
		for (unsigned int header = 0x40; header < 0xc0; header++) {
			uint64_t value = spe_random() & mask_of(1u << (header >> 4 & 3));
			enum gpmu_spe_packet_kind kind = kind_of(header);
			bool is_indexed = kind == GPMU_SPE_PACKET_COUNTER || kind == GPMU_SPE_PACKET_ADDRESS;

			stream.length = 0;
			put_bytes(&stream, first, 1);
			put_packet(&stream, header, value);
			if (is_indexed)
				is_right = is_packet(&stream, kind, (first & 3) << 3 | (header & 7), value) && is_right;
			else if (kind != GPMU_SPE_PACKET_OP)
				is_right = is_packet(&stream, GPMU_SPE_PACKET_UNKNOWN, index_of(header), value) &&
					   is_right;
		}
	ok(is_right, "spe: an extended header gives two more bits of the index of addresses and counters");
}

static void other_bytes(void)
{
	struct gpmu_spe_packet packet;
	bool is_refused = true, is_reserved = true, is_extended = true;

	for (unsigned int first = 0; first < 256; first++) {
		const uint8_t bytes[10] = { (uint8_t)first };
		int length = gpmu_spe_packet(&packet, bytes, sizeof(bytes), 0);

		if (first >= 0xc0 || (first >= 0x24 && first < 0x40))
			is_refused = is_refused && length == -EBADMSG;
		else if (first >= 0x02 && first < 0x20)
			is_reserved = is_reserved && length == 1 && packet.kind == GPMU_SPE_PACKET_UNKNOWN;
	}
	for (unsigned int second = 1; second < 256; second++) {
		const uint8_t bytes[10] = { 0x20, (uint8_t)second };

		if (!is_sized(second))
			is_extended = is_extended && gpmu_spe_packet(&packet, bytes, sizeof(bytes), 0) == -EBADMSG;
	}
	ok(is_refused, "spe: first bytes from 0x24 to 0x3f and from 0xc0 begin no packet");
	ok(is_reserved, "spe: first bytes from 0x02 to 0x1f are packets without a payload");
	ok(is_extended, "spe: an extended header is refused before a byte that has no size");
}

static void alignments(void)
{
	struct gpmu_spe_packet packet;
	bool is_right = true;

	for (unsigned int n = 0; n < 4; n++)
		for (uint64_t offset = 0; offset < 64; offset++) {
			const uint8_t bytes[] = { (uint8_t)(0x20 + n), 0 };
			uint64_t boundary = 2u << n, end = offset + 2;

			while (end % boundary)
				end++;
			is_right = is_right && gpmu_spe_packet(&packet, bytes, 2, offset) == (int)(end - offset) &&
				   packet.kind == GPMU_SPE_PACKET_ALIGNMENT && packet.value == boundary;
		}
	ok(is_right, "spe: an alignment packet ends at the next multiple of its boundary of the trace offset");
}

/* Texts that the vectors do not have */
static void texts(void)
{
	static const struct {
		struct gpmu_spe_packet packet;
		const char *text;
	} cases[] = {
		{ { GPMU_SPE_PACKET_TIME, 0, 9, UINT64_MAX }, "TS 18446744073709551615" },
		{ { GPMU_SPE_PACKET_SOURCE, 0, 9, UINT64_MAX }, "DATA-SOURCE 18446744073709551615" },
		{ { GPMU_SPE_PACKET_CONTEXT, 2, 5, 17 }, "CONTEXT 0x11 (2)" },
		{ { GPMU_SPE_PACKET_OP, 0, 2, 0x10 }, "OTHER 0x10" },
		{ { GPMU_SPE_PACKET_OP, 1, 2, 0x21 }, "ST MEMCPY" },
		{ { GPMU_SPE_PACKET_OP, 1, 2, 0x60 }, "LD 0x60" },
		{ { GPMU_SPE_PACKET_OP, 1, 2, 0x02 }, "LD" },
		{ { GPMU_SPE_PACKET_OP, 0, 2, 0xfc }, "SME-OTHER ETS 4194304" },
		{ { GPMU_SPE_PACKET_EVENTS, 0, 2, 0 }, "EV" },
		{ { GPMU_SPE_PACKET_ADDRESS, GPMU_SPE_PA, 9, 9ull << 60 | 4096 }, "PA 0x1000 ns=1 ch=0 pat=0 nse=1" },
		{ { GPMU_SPE_PACKET_UNKNOWN, 0x41, 2, 7 }, "UNKNOWN 0x41 0x7" },
		{ { GPMU_SPE_PACKET_ALIGNMENT, 1, 4, 4 }, "PAD" },
	};
	const struct gpmu_spe_packet all_events = { GPMU_SPE_PACKET_EVENTS, 0, 9, UINT64_MAX };
	char text[1024], short_text[10];
	int length;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gpmu_spe_packet_text(&cases[i].packet, text, sizeof(text));
		ok(!strcmp(text, cases[i].text), "spe: the text of a packet is \"%s\"", cases[i].text);
	}
	length = gpmu_spe_packet_text(&all_events, text, sizeof(text));
	ok(length == (int)strlen(text) && length < 512, "spe: the text of all events is shorter than 512 bytes");
	ok(gpmu_spe_packet_text(&all_events, short_text, sizeof(short_text)) == length &&
	   !strcmp(short_text, "EV EXCEPT") && gpmu_spe_packet_text(&all_events, NULL, 0) == length,
	   "spe: a text is truncated to its buffer, and its full length returned");
}

/* The subclasses of spe_op.c do not overlap, and each payload gives the flags of its bits. */
static void operations(void)
{
	unsigned int known[4] = { 0 }, flags[4] = { 0 };
	bool is_store_right = true, is_length_right = true;

	for (unsigned int op_class = 0; op_class < 4; op_class++)
		for (unsigned int payload = 0; payload < 256; payload++) {
			struct gpmu_spe_op op = gpmu_spe_op(GPMU_SPE_OP_VALUE(op_class, payload));

			known[op_class] += (unsigned int)op.is_known;
			flags[op_class] |= op.flags;
			is_store_right =
				is_store_right && !(op.flags & GPMU_SPE_OP_STORE) == !(op_class == 1 && payload & 1);
			if (op.is_known && !strcmp(op.name, "SVE-SME-REG"))
				is_length_right = is_length_right && op.bits == 32u << (payload >> 4 & 7);
		}
	is_u64(known[0], 8 + 32 + 32, "spe: 72 payloads of the class other are known");
	is_u64(known[1], 6 * 2 + 1 + 16 + 64 + 4, "spe: 97 payloads of loads and stores are known");
	ok(known[2] == 256 && !known[3], "spe: each payload of a branch is known, and none of class 3");
	ok(is_store_right, "spe: bit 0 of a payload of the class of loads and stores makes it a store");
	ok(is_length_right, "spe: bits 4 to 6 of an SVE load or store give its vector length");
	is_u64(flags[0] | flags[1] | flags[2], (GPMU_SPE_OP_JUMP << 1) - 1, "spe: each flag of operations occurs");
}

int main(void)
{
	sized_packets();
	extended_packets();
	other_bytes();
	alignments();
	texts();
	operations();
	ok(!strcmp(gpmu_spe_event(3), "L1D-REFILL") && !gpmu_spe_event(12) && !gpmu_spe_event(26) && !gpmu_spe_event(64),
	   "spe: only events that the architecture defines have names");
	return done_testing();
}
