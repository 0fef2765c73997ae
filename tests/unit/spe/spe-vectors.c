// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * tests/data/spe/vectors.tsv: the decoded bytes are described as KEY=VALUE. The description contains each word of the
 * documented meaning. Texts of packets are perf's, with a list of deliberate differences.
 */
#include "spe-test.h"

#define VECTORS		"tests/data/spe/vectors.tsv"
#define NEOVERSE_V2	0x410fd4f1
#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

struct text {
	char bytes[2048];
	size_t length;
};

__attribute__((format(printf, 2, 3)))
static void add(struct text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	text->length += (size_t)vsnprintf(text->bytes + text->length, sizeof(text->bytes) - text->length, fmt, args);
	va_end(args);
}

static void add_bits(struct text *text, const char *key, uint64_t bits, bool is_unnamed)
{
	const char *separator = "";

	add(text, " %s=", key);
	for (unsigned int bit = 0; bit < 64; bit++)
		if (bits >> bit & 1 && !(is_unnamed && gpmu_spe_event(bit))) {
			add(text, "%s%u", separator, bit);
			separator = ",";
		}
}

static const char *subclass(const struct gpmu_spe_op *op)
{
	static const char *const words[][2] = {
		{ "OTHER", "other" }, { "SVE-OTHER", "sve" }, { "SME-OTHER", "sme" }, { "GP-REG", "gp" },
		{ "SIMD-FP", "simdfp" }, { "UNSPEC-REG", "unspec" }, { "NV-SYSREG", "nvsysreg" },
		{ "MTE-TAG", "mtetag" }, { "MEMCPY", "memcpy" }, { "MEMSET", "memset" }, { "", "ext" },
		{ "SVE-SME-REG", "sve" }, { "GCS", "gcs" },
	};

	for (size_t i = 0; i < LENGTH(words); i++)
		if (!strcmp(op->name, words[i][0]))
			return words[i][1];
	return "?";
}

static void add_op(struct text *text, uint64_t value)
{
	static const char *const classes[] = { "other", "ldst", "branch", "3" };
	const struct gpmu_spe_op op = gpmu_spe_op(value);
	const unsigned int flags = op.flags;

	add(text, " pkt=op class=%s raw=0x%x sub=%s", classes[op.op_class], (unsigned int)(value >> 8), subclass(&op));
	add(text, " evl=%u ets=%u st=%d at=%d excl=%d ar=%d cond=%d ind=%d", op.bits, op.bits,
	    !!(flags & GPMU_SPE_OP_STORE), !!(flags & GPMU_SPE_OP_ATOMIC), !!(flags & GPMU_SPE_OP_EXCLUSIVE),
	    !!(flags & GPMU_SPE_OP_ORDERED), !!(flags & GPMU_SPE_OP_COND), !!(flags & GPMU_SPE_OP_INDIRECT));
	add(text, " fp=%d ase=%d pred=%d sg=%d comm=%d gcs=%d cr=%d", !!(flags & GPMU_SPE_OP_FP),
	    !!(flags & GPMU_SPE_OP_ASE), !!(flags & GPMU_SPE_OP_PRED), !!(flags & GPMU_SPE_OP_GATHER),
	    !!(flags & GPMU_SPE_OP_COMMON), !!(flags & GPMU_SPE_OP_GCS),
	    flags & GPMU_SPE_OP_CALL ? 1 : flags & GPMU_SPE_OP_RETURN ? 2 : flags & GPMU_SPE_OP_JUMP ? 3 : 0);
}

static const char *source_word(uint64_t number)
{
	static const char *const words[GPMU_SPE_TIERS] = {
		[GPMU_SPE_TIER_L1D] = "l1d", [GPMU_SPE_TIER_L2] = "l2", [GPMU_SPE_TIER_SYSTEM_CACHE] = "syscache",
		[GPMU_SPE_TIER_DRAM] = "dram", [GPMU_SPE_TIER_REMOTE] = "remote", [GPMU_SPE_TIER_UNKNOWN] = "unknown",
	};
	struct gpmu_spe_record load = { .fields = 1u << GPMU_SPE_OP | 1u << GPMU_SPE_SOURCE };
	const char *word;

	load.value[GPMU_SPE_OP] = GPMU_SPE_MEMORY;
	load.value[GPMU_SPE_SOURCE] = number;
	word = words[gpmu_spe_tier(&load, NEOVERSE_V2).kind];
	return word ? word : "?";
}

static void add_address(struct text *text, const struct gpmu_spe_packet *packet)
{
	static const char *const kinds[] = { "pc", "branch", "va", "pa", "prev" };
	const uint64_t value = packet->value;

	add(text, " pkt=addr index=%u kind=%s raw=0x%" PRIx64, packet->index,
	    packet->index < LENGTH(kinds) ? kinds[packet->index] : "unknown", value);
	add(text, " addr=0x%" PRIx64 " full=0x%016" PRIx64, gpmu_spe_physical(value), gpmu_spe_address(value));
	add(text, " el=%d ns=%d nse=%d tag=0x%02x ch=%d pat=%d", gpmu_spe_level(value), gpmu_spe_ns(value),
	    gpmu_spe_nse(value), (unsigned int)(value >> 56), gpmu_spe_is_checked(value),
	    gpmu_spe_physical_tag(value));
}

static void add_packet(struct text *text, const struct gpmu_spe_packet *packet)
{
	static const char *const counters[] = { "total", "issue", "xlat" };
	const unsigned int index = packet->index;
	const uint64_t value = packet->value;

	switch (packet->kind) {
	case GPMU_SPE_PACKET_PAD:
		add(text, " pkt=pad");
		break;
	case GPMU_SPE_PACKET_ALIGNMENT:
		add(text, " pkt=align boundary=%" PRIu64, value);
		break;
	case GPMU_SPE_PACKET_END:
		add(text, " pkt=end");
		break;
	case GPMU_SPE_PACKET_TIME:
		add(text, " pkt=ts value=%" PRIu64, value);
		break;
	case GPMU_SPE_PACKET_EVENTS:
		add(text, " pkt=events");
		add_bits(text, "bits", value, false);
		add_bits(text, "impdef", value, true);
		break;
	case GPMU_SPE_PACKET_SOURCE:
		add(text, " pkt=source value=%" PRIu64 " v2=%s", value, source_word(value));
		break;
	case GPMU_SPE_PACKET_CONTEXT:
		add(text, " pkt=context el=%u id=%" PRIu64, index + 1, value);
		break;
	case GPMU_SPE_PACKET_OP:
		add_op(text, GPMU_SPE_OP_VALUE(index, value));
		break;
	case GPMU_SPE_PACKET_COUNTER:
		add(text, " pkt=counter index=%u kind=%s", index, index < 3 ? counters[index] : "unknown");
		add(text, " cycles=%" PRIu64 " raw=0x%" PRIx64, value, value);
		break;
	case GPMU_SPE_PACKET_ADDRESS:
		add_address(text, packet);
		break;
	case GPMU_SPE_PACKET_UNKNOWN:
		add(text, " pkt=%s", packet->length == 1 ? "reserved" : "unknown");
		break;
	}
}

/* A record, without what is absent */
static void add_record(struct text *text, const struct gpmu_spe_record *record)
{
	static const struct {
		enum gpmu_spe_field field;
		const char *key;
	} numbers[] = {
		{ GPMU_SPE_ISSUE, "issue" }, { GPMU_SPE_TOTAL, "total" }, { GPMU_SPE_TRANSLATION, "xlat" },
		{ GPMU_SPE_SOURCE, "source" }, { GPMU_SPE_TIME, "ts" }, { GPMU_SPE_CONTEXT_EL1, "tid" },
		{ GPMU_SPE_CONTEXT_EL2, "tid" },
	}, addresses[] = { { GPMU_SPE_PC, "pc" }, { GPMU_SPE_VA, "va" }, { GPMU_SPE_TARGET, "target" } };
	static const char *const classes[] = { "other", "load", "branch", "3" };
	const uint64_t *value = record->value;

	for (size_t i = 0; i < LENGTH(numbers); i++)
		if (gpmu_spe_has(record, numbers[i].field))
			add(text, " %s=%" PRIu64, numbers[i].key, value[numbers[i].field]);
	for (size_t i = 0; i < LENGTH(addresses); i++)
		if (gpmu_spe_has(record, addresses[i].field))
			add(text, " %s=0x%016" PRIx64 " %s=0x%" PRIx64, addresses[i].key,
			    gpmu_spe_address(value[addresses[i].field]), addresses[i].key,
			    gpmu_spe_address(value[addresses[i].field]));
	if (gpmu_spe_has(record, GPMU_SPE_PC))
		add(text, " el=%d", gpmu_spe_level(value[GPMU_SPE_PC]));
	if (gpmu_spe_has(record, GPMU_SPE_PA))
		add(text, " pa=0x%" PRIx64, gpmu_spe_physical(value[GPMU_SPE_PA]));
	if (gpmu_spe_has(record, GPMU_SPE_EVENTS))
		add_bits(text, "events", value[GPMU_SPE_EVENTS], false);
	if (gpmu_spe_has(record, GPMU_SPE_SOURCE))
		add(text, " tier=%s", source_word(value[GPMU_SPE_SOURCE]));
	if (gpmu_spe_has(record, GPMU_SPE_OP)) {
		const struct gpmu_spe_op op = gpmu_spe_op(value[GPMU_SPE_OP]);

		add(text, " op=%s", op.flags & GPMU_SPE_OP_STORE ? "store" : classes[op.op_class]);
		add_op(text, value[GPMU_SPE_OP]);
	}
	add(text, " end=%d", !gpmu_spe_has(record, GPMU_SPE_TIME));
}

/* First packet, its length or that of all of it if it is a record or a run of pads; then the stream */
static void add_stream(struct text *text, const struct stream *stream, const struct decoded *decoded)
{
	const struct gpmu_spe_stats *stats = &decoded->stats;
	struct gpmu_spe_packet packet;
	int length = gpmu_spe_packet(&packet, stream->bytes, stream->length, 0);

	if (length > 0) {
		add_packet(text, &packet);
		add(text, " len=%d", length);
	}
	add(text, " len=%zu records=%zu record=%zu then record", stream->length, decoded->count, decoded->count);
	add(text, " truncated=%" PRIu64 " corrupt=%" PRIu64, stats->unfinished, stats->damages);
	add(text, " unknown=%" PRIu64 " lost_bytes=%" PRIu64, stats->unknown, stats->lost_bytes);
	for (size_t i = 0; i < decoded->count; i++)
		add_record(text, &decoded->records[i]);
	if (decoded->count == 2)
		add(text, " first.pc=0x%" PRIx64 " second.pc=0x%" PRIx64,
		    gpmu_spe_address(decoded->records[0].value[GPMU_SPE_PC]),
		    gpmu_spe_address(decoded->records[1].value[GPMU_SPE_PC]));
	add(text, " ");
}

static bool contains(const struct text *text, char *words)
{
	bool is_right = true;

	for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		char padded[256];

		snprintf(padded, sizeof(padded), " %s ", word);
		if (strstr(text->bytes, padded))
			continue;
		diag("no \"%s\" in%s", word, text->bytes);
		is_right = false;
	}
	return is_right;
}

/* Packets as perf prints them: up to 16 pads are one */
static void add_perf_text(struct text *text, const struct stream *stream)
{
	struct gpmu_spe_packet packet;
	unsigned int pads = 0;
	char words[512];
	int length;

	for (size_t offset = 0; offset < stream->length; offset += (size_t)length) {
		length = gpmu_spe_packet(&packet, stream->bytes + offset, stream->length - offset, offset);
		if (length <= 0)
			return;
		if (packet.kind == GPMU_SPE_PACKET_PAD && pads++ % 16)
			continue;
		pads = packet.kind == GPMU_SPE_PACKET_PAD ? pads : 0;
		gpmu_spe_packet_text(&packet, words, sizeof(words));
		add(text, "%s%s", text->length ? " | " : "", words);
	}
}

/* Where our text differs from perf's */
static const char *const differences[][2] = {
	{ "pc_realm", "PC 0x400012345678 el1 ns=1 nse=1" },	/* perf drops bit 60 */
	{ "lat_idx5", "LAT 7 (5)" },				/* perf drops the index */
	{ "unknown_sized", "UNKNOWN 0x80 0x55 | PC 0x400 el0 ns=1 | B | EV RETIRED | END" },
	{ "reserved_hdr", "UNKNOWN 0x02 | PC 0x400 el0 ns=1 | B | EV RETIRED | END" },
	{ "bad_then_good", "" },
	{ "rec_cut", "PC 0x400 el0 ns=1 | LD GP-REG" },
};

static void check(char *name, char *bytes, char *meaning, const char *want)
{
	static struct stream stream;
	static struct decoded decoded;
	struct text text = { .length = 0 }, perf = { .length = 0 };

	stream.length = strlen(bytes) / 2;
	for (size_t i = 0; i < stream.length; i++) {
		const char digits[] = { bytes[2 * i], bytes[2 * i + 1], '\0' };

		stream.bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
	}
	decode_whole(&decoded, &stream);
	add_stream(&text, &stream, &decoded);
	ok(contains(&text, meaning), "spe: the vector %s has the documented meaning", name);
	add_perf_text(&perf, &stream);
	for (size_t i = 0; i < LENGTH(differences); i++)
		if (!strcmp(differences[i][0], name))
			want = differences[i][1];
	if (!ok(!strcmp(perf.bytes, want), "spe: the text of the vector %s is that of perf 7.3 or a listed difference",
		name))
		diag("%s", perf.bytes);
}

int main(void)
{
	FILE *file = fopen(VECTORS, "r");
	char line[2048];
	int count = 0;

	while (file && fgets(line, sizeof(line), file)) {
		char *fields[4], *rest = line;

		line[strcspn(line, "\n")] = '\0';
		if (*line == '#')
			continue;
		for (size_t i = 0; i < LENGTH(fields); i++)
			fields[i] = strsep(&rest, "\t");
		if (fields[3])
			check(fields[0], fields[1], fields[2], fields[3]);
		count += fields[3] != NULL;
	}
	if (file)
		fclose(file);
	is_u64((uint64_t)count, 79, "spe: " VECTORS " has 79 vectors");
	return done_testing();
}
