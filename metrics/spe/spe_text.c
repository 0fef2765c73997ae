// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Packets as text in the form of "perf report -D" of perf 7.3, with two exceptions. perf reports
 * reserved packets as damage. It omits NSE of addresses, indexes of reserved counters and payloads
 * of reserved operations. Numbers are unsigned.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/array.h"
#include "spe/gpmu_spe.h"

struct text {
	char *to;
	size_t size;
	size_t length;	/* bytes of the whole text, which may exceed @size */
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *text, const char *fmt, ...)
{
	size_t used = text->length < text->size ? text->length : text->size;
	va_list args;
	int ret;

	va_start(args, fmt);
	ret = vsnprintf(text->size ? text->to + used : NULL, text->size - used, fmt, args);
	va_end(args);
	text->length += ret > 0 ? (size_t)ret : 0;
}

static void add_events(struct text *text, uint64_t events)
{
	const char *separator = " IMPDEF:";

	add(text, "EV");
	for (unsigned int bit = 0; bit < 64; bit++)
		if (events >> bit & 1 && gpmu_spe_event(bit))
			add(text, " %s", gpmu_spe_event(bit));
	for (unsigned int bit = 0; bit < 64; bit++) {
		if (!(events >> bit & 1) || gpmu_spe_event(bit))
			continue;
		add(text, "%s%u", separator, bit);
		separator = ",";
	}
}

/* In the order in which they are written */
static const struct {
	unsigned int flag;
	const char *word;
} words[] = {
	{ GPMU_SPE_OP_ATOMIC, "AT" }, { GPMU_SPE_OP_EXCLUSIVE, "EXCL" }, { GPMU_SPE_OP_ORDERED, "AR" },
	{ GPMU_SPE_OP_ASE, "ASE" }, { GPMU_SPE_OP_FP, "FP" }, { GPMU_SPE_OP_PRED, "PRED" },
	{ GPMU_SPE_OP_GATHER, "SG" }, { GPMU_SPE_OP_COMMON, "COMM" }, { GPMU_SPE_OP_COND, "COND" },
	{ GPMU_SPE_OP_INDIRECT, "IND" }, { GPMU_SPE_OP_GCS, "GCS" }, { GPMU_SPE_OP_CALL, "CR-BL" },
	{ GPMU_SPE_OP_RETURN, "CR-RET" }, { GPMU_SPE_OP_JUMP, "CR-NON-BL-RET" },
};

static void add_op(struct text *text, const struct gpmu_spe_packet *packet)
{
	struct gpmu_spe_op op = gpmu_spe_op(GPMU_SPE_OP_VALUE(packet->index, packet->value));
	const char *select = "";

	if (op.op_class == GPMU_SPE_RESERVED) {
		add(text, "OP-TYPE 0x%" PRIx64 " (%u)", packet->value, packet->index);
		return;
	}
	if (op.op_class == GPMU_SPE_MEMORY)
		add(text, "%s%s", op.flags & GPMU_SPE_OP_STORE ? "ST" : "LD", *op.name ? " " : "");
	else if (op.op_class == GPMU_SPE_BRANCH)
		add(text, "B");
	else if (op.is_known && !op.bits)
		select = op.flags & GPMU_SPE_OP_COND ? " COND-SELECT" : " INSN-OTHER";
	add(text, "%s", op.name);
	if (!op.is_known)
		add(text, "%s 0x%" PRIx64, op.op_class == GPMU_SPE_OTHER ? "OTHER" : "", packet->value);
	if (op.bits)
		add(text, " %s %u", op.op_class == GPMU_SPE_OTHER && packet->value & 0x80 ? "ETS" : "EVLEN", op.bits);
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (op.flags & words[i].flag && !(*select && words[i].flag == GPMU_SPE_OP_COND))
			add(text, " %s", words[i].word);
	add(text, "%s", select);
}

static void add_address(struct text *text, const struct gpmu_spe_packet *packet)
{
	static const char *const names[] = { "PC", "TGT", "VA", "PA", "PBT" };
	const uint64_t value = packet->value;

	if (packet->index >= ARRAY_SIZE(names)) {
		add(text, "ADDR 0x%" PRIx64 " (%u)", value, packet->index);
		return;
	}
	if (packet->index == GPMU_SPE_VA) {
		add(text, "VA 0x%" PRIx64, value);
		return;
	}
	add(text, "%s 0x%" PRIx64, names[packet->index], gpmu_spe_physical(value));
	if (packet->index == GPMU_SPE_PA)
		add(text, " ns=%d ch=%d pat=%x", gpmu_spe_ns(value), gpmu_spe_is_checked(value),
		    (unsigned int)gpmu_spe_physical_tag(value));
	else
		add(text, " el%d ns=%d", gpmu_spe_level(value), gpmu_spe_ns(value));
	if (gpmu_spe_nse(value))
		add(text, " nse=1");
}

static void add_counter(struct text *text, const struct gpmu_spe_packet *packet)
{
	static const char *const names[] = { "TOT", "ISSUE", "XLAT" };

	add(text, "LAT %" PRIu64, packet->value);
	if (packet->index < ARRAY_SIZE(names))
		add(text, " %s", names[packet->index]);
	else
		add(text, " (%u)", packet->index);
}

static void add_context(struct text *text, const struct gpmu_spe_packet *packet)
{
	add(text, "CONTEXT 0x%" PRIx64, packet->value);
	if (packet->index < 2)
		add(text, " el%u", packet->index + 1);
	else
		add(text, " (%u)", packet->index);
}

int gpmu_spe_packet_text(const struct gpmu_spe_packet *packet, char *to, size_t size)
{
	struct text text = { .to = to, .size = size };

	switch (packet->kind) {
	case GPMU_SPE_PACKET_PAD:
	case GPMU_SPE_PACKET_ALIGNMENT:
		add(&text, "PAD");
		break;
	case GPMU_SPE_PACKET_END:
		add(&text, "END");
		break;
	case GPMU_SPE_PACKET_TIME:
		add(&text, "TS %" PRIu64, packet->value);
		break;
	case GPMU_SPE_PACKET_EVENTS:
		add_events(&text, packet->value);
		break;
	case GPMU_SPE_PACKET_SOURCE:
		add(&text, "DATA-SOURCE %" PRIu64, packet->value);
		break;
	case GPMU_SPE_PACKET_CONTEXT:
		add_context(&text, packet);
		break;
	case GPMU_SPE_PACKET_OP:
		add_op(&text, packet);
		break;
	case GPMU_SPE_PACKET_COUNTER:
		add_counter(&text, packet);
		break;
	case GPMU_SPE_PACKET_ADDRESS:
		add_address(&text, packet);
		break;
	case GPMU_SPE_PACKET_UNKNOWN:
		add(&text, "UNKNOWN 0x%02x", packet->index);
		if (packet->length > 1)
			add(&text, " 0x%" PRIx64, packet->value);
		break;
	}
	return (int)text.length;
}
