// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spe-peer MODE: our decoder of SPE beside perf's, which is linked in.
 *
 *	stream N SPOIL	decodes N random records; SPOIL names a field of ours that is changed once
 *	file PATH	decodes the bytes of a file
 *	texts N		describes N random packets
 *	slots N		writes N random records in the layout of Neoverse's slots, as a script of the stand-in
 *	show HEX	prints the records that each decodes; a comma begins a second buffer
 *	alignment N	reads an alignment packet of the boundary 2 << N at two addresses
 *
 * The last line has the counts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/arm-spe-decoder/arm-spe-decoder.h"

#include "../unit/spe/spe-test.h"

#define CHUNK_RECORDS	256

/* The stubs of perf */
int verbose;
int eprintf(int level, int var, const char *fmt, ...);

int eprintf(int level, int var, const char *fmt, ...)
{
	(void)level;
	(void)var;
	(void)fmt;
	return 0;
}

static struct {
	size_t records, packets, deliberate, lost, differences;
} seen;

static const char *spoil = "";

static void differs(const char *what, uint64_t ours, uint64_t theirs)
{
	seen.differences++;
	printf("%s: ours %" PRIx64 ", perf's %" PRIx64 "\n", what, ours, theirs);
}

static void compare(const char *what, uint64_t ours, uint64_t theirs)
{
	if (!strcmp(spoil, what) && seen.records > 10) {
		spoil = "";
		ours ^= 1;
	}
	if (ours != theirs)
		differs(what, ours, theirs);
}

/* perf's flags of an operation */
static uint32_t perf_op(uint64_t value)
{
	static const struct {
		const char *name;
		uint32_t flags;
	} names[] = {
		{ "GP-REG", ARM_SPE_OP_GP_REG }, { "SIMD-FP", ARM_SPE_OP_SIMD_FP },
		{ "UNSPEC-REG", ARM_SPE_OP_UNSPEC_REG }, { "NV-SYSREG", ARM_SPE_OP_NV_SYSREG },
		{ "MTE-TAG", ARM_SPE_OP_MTE_TAG }, { "MEMCPY", ARM_SPE_OP_MEMCPY }, { "MEMSET", ARM_SPE_OP_MEMSET },
		{ "SVE-SME-REG", ARM_SPE_OP_SVE }, { "GCS", ARM_SPE_OP_GCS },
		{ "SVE-OTHER", ARM_SPE_OP_SVE | ARM_SPE_OP_DP }, { "SME-OTHER", ARM_SPE_OP_SME },
	};
	static const struct {
		unsigned int ours;
		uint32_t flags, branch_flags;
	} bits[] = {
		{ GPMU_SPE_OP_ATOMIC, ARM_SPE_OP_ATOMIC, 0 }, { GPMU_SPE_OP_EXCLUSIVE, ARM_SPE_OP_EXCL, 0 },
		{ GPMU_SPE_OP_ORDERED, ARM_SPE_OP_AR, 0 }, { GPMU_SPE_OP_FP, ARM_SPE_OP_FP, 0 },
		{ GPMU_SPE_OP_ASE, ARM_SPE_OP_ASE, 0 }, { GPMU_SPE_OP_PRED, ARM_SPE_OP_PRED, 0 },
		{ GPMU_SPE_OP_GATHER, ARM_SPE_OP_SG, 0 }, { GPMU_SPE_OP_COMMON, ARM_SPE_OP_COMM, 0 },
		{ GPMU_SPE_OP_COND, ARM_SPE_OP_COND, ARM_SPE_OP_BR_COND },
		{ GPMU_SPE_OP_INDIRECT, 0, ARM_SPE_OP_BR_INDIRECT }, { GPMU_SPE_OP_GCS, 0, ARM_SPE_OP_BR_GCS },
		{ GPMU_SPE_OP_CALL, 0, ARM_SPE_OP_BR_CR_BL }, { GPMU_SPE_OP_RETURN, 0, ARM_SPE_OP_BR_CR_RET },
		{ GPMU_SPE_OP_JUMP, 0, ARM_SPE_OP_BR_CR_NON_BL_RET },
	};
	const struct gpmu_spe_op op = gpmu_spe_op(value);
	const bool is_branch = op.op_class == GPMU_SPE_BRANCH;
	uint32_t flags = is_branch ? ARM_SPE_OP_BRANCH_ERET : ARM_SPE_OP_OTHER;

	if (op.op_class == GPMU_SPE_MEMORY)
		flags = ARM_SPE_OP_LDST | (op.flags & GPMU_SPE_OP_STORE ? ARM_SPE_OP_ST : ARM_SPE_OP_LD);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		flags |= strcmp(names[i].name, op.name) ? 0 : names[i].flags;
	for (size_t i = 0; i < ARRAY_SIZE(bits); i++)
		if (op.flags & bits[i].ours)
			flags |= is_branch ? bits[i].branch_flags : bits[i].flags;
	return flags;
}

/* The fields that perf's record has. Absent ones are 0 in it, and a context is all ones. */
static void compare_record(const struct gpmu_spe_record *ours, const struct arm_spe_record *theirs)
{
	const uint64_t *value = ours->value;
	uint64_t context = UINT64_MAX;

	for (int field = GPMU_SPE_CONTEXT_EL1; field <= GPMU_SPE_CONTEXT_EL2; field++)
		if (gpmu_spe_has(ours, field))
			context = value[field];
	compare("pc", gpmu_spe_address(value[GPMU_SPE_PC]), theirs->from_ip);
	compare("target", gpmu_spe_address(value[GPMU_SPE_TARGET]), theirs->to_ip);
	compare("previous", gpmu_spe_address(value[GPMU_SPE_PREVIOUS]), theirs->prev_br_tgt);
	compare("va", gpmu_spe_address(value[GPMU_SPE_VA]), theirs->virt_addr);
	compare("pa", gpmu_spe_physical(value[GPMU_SPE_PA]), theirs->phys_addr);
	compare("total", value[GPMU_SPE_TOTAL], theirs->latency);
	compare("events", value[GPMU_SPE_EVENTS], theirs->type);
	compare("source", value[GPMU_SPE_SOURCE], theirs->source);
	compare("context", context, theirs->context_id);
	compare("time", value[GPMU_SPE_TIME], theirs->timestamp);
	compare("op", gpmu_spe_has(ours, GPMU_SPE_OP) ? perf_op(value[GPMU_SPE_OP]) : 0, theirs->op);
}

/* Each payload, also of the packets that perf's record decoder drops, from perf's packets of the record */
static void compare_packets(const struct gpmu_spe_record *ours, const uint8_t *bytes)
{
	struct gpmu_spe_record theirs = { .offset = ours->offset, .length = ours->length };
	const uint8_t *const end = bytes + ours->length;
	struct arm_spe_pkt packet;

	for (int length; bytes < end; bytes += length) {
		int field = GPMU_SPE_FIELDS;

		length = arm_spe_get_packet(bytes, (size_t)(end - bytes), &packet, 0);
		if (length <= 0) {
			differs("bad packet", *bytes, 0);
			return;
		}
		seen.packets++;
		switch (packet.type) {
		case ARM_SPE_ADDRESS:
			field = packet.index;
			break;
		case ARM_SPE_COUNTER:
			field = GPMU_SPE_TOTAL + packet.index;
			break;
		case ARM_SPE_CONTEXT:
			field = GPMU_SPE_CONTEXT_EL1 + packet.index;
			break;
		case ARM_SPE_OP_TYPE:
			field = GPMU_SPE_OP;
			packet.payload = GPMU_SPE_OP_VALUE(packet.index, packet.payload);
			break;
		case ARM_SPE_EVENTS:
			field = GPMU_SPE_EVENTS;
			break;
		case ARM_SPE_DATA_SOURCE:
			field = GPMU_SPE_SOURCE;
			break;
		case ARM_SPE_TIMESTAMP:
			field = GPMU_SPE_TIME;
			break;
		default:
			continue;
		}
		theirs.fields |= 1u << field;
		theirs.value[field] = packet.payload;
	}
	compare("fields", ours->fields, theirs.fields);
	for (int field = 0; field < GPMU_SPE_FIELDS; field++)
		if (ours->value[field] != theirs.value[field])
			differs("payload", ours->value[field], theirs.value[field]);
}

/* perf's decoder asks for a buffer when it has used up the one before. */
struct source {
	const uint8_t *bytes;
	size_t length;
	size_t next;	/* bytes of the buffer behind it; 0: none */
};

static int get_trace(struct arm_spe_buffer *buffer, void *data)
{
	struct source *source = data;

	buffer->buf = source->bytes;
	buffer->len = source->length;
	source->bytes += source->length;
	source->length = source->next;
	source->next = 0;
	return (int)buffer->len;
}

static void compare_stream(const uint8_t *bytes, size_t length)
{
	static struct gpmu_spe_record records[CHUNK_RECORDS];
	struct source source = { bytes, length, 0 };
	struct arm_spe_params params = { .get_trace = get_trace, .data = &source };
	struct arm_spe_decoder *theirs = arm_spe_decoder_new(&params);
	struct gpmu_spe_decoder ours;
	size_t n;
	int ret;

	gpmu_spe_decoder_init(&ours);
	gpmu_spe_begin(&ours, 0);
	gpmu_spe_feed(&ours, bytes, length);
	while ((n = gpmu_spe_next(&ours, records, CHUNK_RECORDS)))
		for (size_t i = 0; i < n; i++) {
			ret = arm_spe_decode(theirs);
			seen.records++;
			if (ret != 1) {
				differs("status", 1, (uint64_t)ret);
				continue;
			}
			compare_record(&records[i], &theirs->record);
			compare_packets(&records[i], bytes + records[i].offset);
		}
	gpmu_spe_end(&ours, 0);
	seen.lost += ours.stats.lost_bytes;
	ret = arm_spe_decode(theirs);
	if (ret)
		differs("status at the end", 0, (uint64_t)ret);
	arm_spe_decoder_free(theirs);
}

/* Values by which both decoders agree: addresses of user space at EL0, of the kernel above it */
static uint64_t agreed_value(unsigned int field)
{
	uint64_t value = random_value(field);
	const uint64_t low = value & mask_of(6), high = 0xfff000000000000 | low;

	switch (field) {
	case GPMU_SPE_PC:
	case GPMU_SPE_TARGET:
	case GPMU_SPE_PREVIOUS:
		return spe_below(2) ? 1ull << 63 | low : (spe_below(2) ? 0xa0ull : 0xc0ull) << 56 | (high & mask_of(7));
	case GPMU_SPE_VA:
		return (spe_below(2) ? low : high & mask_of(7)) | spe_random() << 56;
	case GPMU_SPE_OP:
		return GPMU_SPE_OP_VALUE(spe_below(3), value >> 8 & 0xff);
	case GPMU_SPE_SOURCE:
		return value & 0xffff;
	default:
		return value;
	}
}

/* A slot of either layout; or any fields in any order */
static void put_agreed(struct stream *stream, bool is_slot)
{
	struct gpmu_spe_record record = random_slot((int)spe_below(2), 0);
	const unsigned int more = spe_below(2) * 2;

	if (!is_slot)
		record.fields = (spe_below(1 << GPMU_SPE_FIELDS) & ~(1u << GPMU_SPE_CONTEXT_EL1)) | 1u << GPMU_SPE_PC;
	for (unsigned int field = 0; field < GPMU_SPE_FIELDS; field++)
		record.value[field] = gpmu_spe_has(&record, field) ? agreed_value(field) : 0;
	if (is_slot) {
		record.value[GPMU_SPE_SOURCE] &= 0xff;
		put_slot(stream, &record, more);
		return;
	}
	for (unsigned int i = 0, first = spe_below(GPMU_SPE_TIME); i < GPMU_SPE_TIME; i++) {
		const unsigned int field = (first + i) % GPMU_SPE_TIME;

		if (!gpmu_spe_has(&record, field))
			continue;
		if (field <= GPMU_SPE_TRANSLATION && !spe_below(8))
			put_bytes(stream, 0x20, 1);
		put_field(stream, &record, field);
		put_pads(stream, spe_below(4) ? 0 : spe_below(20));
	}
	if (gpmu_spe_has(&record, GPMU_SPE_TIME))
		put_field(stream, &record, GPMU_SPE_TIME);
	else
		put_end(stream);
}

static void streams(long n)
{
	static struct stream stream;

	while (n > 0) {
		bool is_slot = spe_below(2);

		stream.length = 0;
		for (int i = 0; i < 500; i++)
			put_agreed(&stream, is_slot);
		compare_stream(stream.bytes, stream.length);
		n -= 500;
	}
}

static void slots(long n)
{
	static struct stream stream;

	for (; n > 0; n--) {
		struct gpmu_spe_record record = random_slot(1, 0);

		for (unsigned int field = 0; field < GPMU_SPE_FIELDS; field++)
			record.value[field] = gpmu_spe_has(&record, field) ? agreed_value(field) : 0;
		record.value[GPMU_SPE_SOURCE] &= 0xff;
		stream.length = 0;
		put_slot(&stream, &record, 0);
		fwrite(stream.bytes, 1, stream.length, stdout);
	}
}

static int stream_of_file(const char *path)
{
	FILE *file = fopen(path, "r");
	uint8_t *bytes = malloc(1 << 30);
	size_t length;

	if (!file || !bytes) {
		perror(path);
		return 2;
	}
	length = fread(bytes, 1, 1 << 30, file);
	fclose(file);
	compare_stream(bytes, length);
	free(bytes);
	return 0;
}

/* Texts that differ, as spe_text.c documents */
static bool is_deliberate(const struct gpmu_spe_packet *packet)
{
	switch (packet->kind) {
	case GPMU_SPE_PACKET_UNKNOWN:
		return true;
	case GPMU_SPE_PACKET_TIME:
	case GPMU_SPE_PACKET_SOURCE:
		return packet->value >> 63;
	case GPMU_SPE_PACKET_CONTEXT:
		return packet->index > 1;
	case GPMU_SPE_PACKET_COUNTER:
		return packet->index > 2;
	case GPMU_SPE_PACKET_ADDRESS:
		return packet->index < 5 && packet->index != GPMU_SPE_VA && gpmu_spe_nse(packet->value);
	case GPMU_SPE_PACKET_OP:
		return packet->index < 3 && !gpmu_spe_op(GPMU_SPE_OP_VALUE(packet->index, packet->value)).is_known;
	default:
		return false;
	}
}

/* A packet that perf cannot read has the text "bad". */
static void perf_text(const uint8_t *bytes, size_t length, char *text, size_t size)
{
	struct arm_spe_pkt packet;

	if (arm_spe_get_packet(bytes, length, &packet, 0) <= 0 || arm_spe_pkt_desc(&packet, text, size))
		snprintf(text, size, "bad");
}

/* A first byte that has a payload; mostly one that is known */
static unsigned int text_header(void)
{
	const unsigned int header = headers_of[spe_below(GPMU_SPE_FIELDS)];

	if (!spe_below(4))
		return 0x40 + spe_below(0x80);
	return header == 0x48 ? header + spe_below(4) : header;
}

static void texts(long n)
{
	for (; n > 0; n--) {
		char ours[ARM_SPE_PKT_DESC_MAX], theirs[ARM_SPE_PKT_DESC_MAX];
		struct stream stream = { .length = 0 };
		struct gpmu_spe_packet packet;

		if (!spe_below(4))
			put_bytes(&stream, 0x20 + spe_below(4), 1);
		put_packet(&stream, text_header(), random_value(GPMU_SPE_TIME));
		if (gpmu_spe_packet(&packet, stream.bytes, stream.length, 0) <= 0) {
			differs("bad", *stream.bytes, 0);
			continue;
		}
		seen.packets++;
		seen.deliberate += is_deliberate(&packet);
		gpmu_spe_packet_text(&packet, ours, sizeof(ours));
		perf_text(stream.bytes, stream.length, theirs, sizeof(theirs));
		if (!strcmp(ours, theirs) != !is_deliberate(&packet)) {
			seen.differences++;
			printf("\"%s\" is \"%s\" in perf\n", ours, theirs);
		}
	}
}

static void show_ours(const uint8_t *bytes, size_t first, size_t length)
{
	static const char *const names[GPMU_SPE_FIELDS] = {
		"pc", "target", "va", "pa", "previous", "total", "issue", "translation", "el1", "el2", "op", "events",
		"source", "time",
	};
	static struct decoded decoded;

	decode(&decoded, bytes, length, first, length, RECORDS_MAX);
	for (size_t i = 0; i < decoded.count; i++) {
		const struct gpmu_spe_record *record = &decoded.records[i];

		printf("ours");
		for (unsigned int field = 0; field < GPMU_SPE_FIELDS; field++)
			if (gpmu_spe_has(record, field))
				printf(" %s=%" PRIx64, names[field],
				       field == GPMU_SPE_PA ? gpmu_spe_physical(record->value[field]) :
				       field < GPMU_SPE_TOTAL ? gpmu_spe_address(record->value[field]) :
								record->value[field]);
		putchar('\n');
	}
	printf("lost %" PRIu64 "\n", decoded.stats.lost_bytes);
}

static void show_theirs(const uint8_t *bytes, size_t first, size_t length)
{
	struct source source = { bytes, first, length - first };
	struct arm_spe_params params = { .get_trace = get_trace, .data = &source };
	struct arm_spe_decoder *decoder = arm_spe_decoder_new(&params);
	int ret;

	/* perf makes a sample of a record that ends with an error, too. */
	while ((ret = arm_spe_decode(decoder))) {
		const struct arm_spe_record *record = &decoder->record;

		printf("perf %s pc=%" PRIx64 " va=%" PRIx64 " context=%d source=%x time=%" PRIx64 "\n",
		       ret > 0 ? "record" : "error", record->from_ip, record->virt_addr, (int)record->context_id,
		       record->source, record->timestamp);
	}
	arm_spe_decoder_free(decoder);
}

static void show(const char *hex)
{
	struct stream stream = { .length = 0 };
	size_t first = 0;

	for (; hex[0] && hex[1]; hex += 2) {
		const char digits[] = { hex[0], hex[1], '\0' };

		put_bytes(&stream, strtoul(digits, NULL, 16), 1);
		if (hex[2] == ',') {
			first = stream.length;
			hex++;
		}
	}
	first = first ? first : stream.length;
	show_ours(stream.bytes, first, stream.length);
	show_theirs(stream.bytes, first, stream.length);
}

/* At the trace offset 0 */
static void alignment(unsigned int n)
{
	static uint8_t bytes[128] __attribute__((aligned(64)));

	for (size_t offset = 0; offset < 4; offset += 2) {
		struct gpmu_spe_packet ours;
		struct arm_spe_pkt theirs;

		memset(bytes, 0xff, sizeof(bytes));
		bytes[offset] = (uint8_t)(0x20 + n);
		bytes[offset + 1] = 0;
		printf("ours %d perf %d\n", gpmu_spe_packet(&ours, bytes + offset, 64, 0),
		       arm_spe_get_packet(bytes + offset, 64, &theirs, 0));
	}
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	bool is_compared = true;
	int ret = 0;

	spoil = argc > 3 ? argv[3] : "";
	if (!strcmp(mode, "stream"))
		streams(strtol(argv[2], NULL, 10));
	else if (!strcmp(mode, "file"))
		ret = stream_of_file(argv[2]);
	else if (!strcmp(mode, "texts"))
		texts(strtol(argv[2], NULL, 10));
	else
		is_compared = false;
	if (!strcmp(mode, "show"))
		show(argv[2]);
	else if (!strcmp(mode, "slots"))
		slots(strtol(argv[2], NULL, 10));
	else if (!strcmp(mode, "alignment"))
		alignment((unsigned int)strtol(argv[2], NULL, 10));
	else if (!is_compared)
		ret = 2;
	if (is_compared)
		printf("records=%zu packets=%zu deliberate=%zu lost=%zu differences=%zu\n", seen.records, seen.packets,
		       seen.deliberate, seen.lost, seen.differences);
	return ret ? ret : seen.differences != 0;
}
