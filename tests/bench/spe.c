// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spe: SPE bytes decoded to whole records per second, beside perf 7.3's decoder of packets, which makes no records.
 * Half of the records are loads, a quarter stores, a quarter branches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "spe/gpmu_spe.h"
#ifdef HAS_PERF
#include "arm-spe-pkt-decoder.h"
#endif

#define RECORDS		500000
#define ROUNDS		9
#define BATCH		256
#define WANTED		500.0	/* MB/s */
#define GOAL		1.25	/* 1 / 0.8 of perf's rate */

static uint8_t stream[RECORDS * 64 + 64];
static size_t length;
static volatile uint64_t sink;	/* keeps the compiler from dropping the work */

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void put(uint8_t header, uint64_t value, unsigned int size)
{
	stream[length++] = header;
	for (unsigned int i = 0; i < size; i++)
		stream[length++] = (uint8_t)(value >> 8 * i);
}

/* @is_slot: the layout of Neoverse; else without pads. @more: two more bytes of events */
static void put_record(unsigned int i, int is_slot, unsigned int more)
{
	const size_t begin = length;
	const int variant = rand() % 4;

	put(0xb0, 0x8000aaaad1f03c4c + (unsigned int)(rand() % 4096) * 4, 8);
	length = is_slot ? begin + 14 : length;
	put(0x65, (unsigned int)(rand() % 1000), 4);
	put(variant < 3 ? 0x49 : 0x4a, variant == 2, 1);
	put(more ? 0x62 : 0x52, 0x16, 2 + more);
	put(0x99, (unsigned int)(rand() % 100), 2);
	put(0x98, (unsigned int)(rand() % 4000), 2);
	if (variant < 3) {
		put(0xb2, 0xaaaaf3210f40 + (unsigned int)rand(), 8);
		put(0x9a, (unsigned int)(rand() % 100), 2);
		put(0xb3, 0x800000209f3d4f40 + (unsigned int)(rand() % 4096) * 64, 8);
		if (variant < 2)
			put(0x43, (unsigned int)(rand() % 15), 1);
	} else {
		put(0xb1, 0x8000aaaad1f03d00, 8);
	}
	length = is_slot ? begin + 55 : length;
	put(0x71, 77770000000 + i * 1000ull, 8);
}

static double ours(void)
{
	static struct gpmu_spe_record records[BATCH];
	struct gpmu_spe_decoder decoder;
	double begin = cpu_seconds();
	uint64_t sum = 0;
	size_t n;

	gpmu_spe_decoder_init(&decoder);
	gpmu_spe_begin(&decoder, 0);
	gpmu_spe_feed(&decoder, stream, length);
	while ((n = gpmu_spe_next(&decoder, records, BATCH)))
		for (size_t i = 0; i < n; i++)
			sum += records[i].value[GPMU_SPE_TIME];
	gpmu_spe_end(&decoder, 0);
	begin = cpu_seconds() - begin;
	sink = sum;
	if (decoder.stats.records != RECORDS || decoder.stats.lost_bytes)
		exit(2);
	return (double)length / 1e6 / begin;
}

static double theirs(void)
{
#ifdef HAS_PERF
	double begin = cpu_seconds();
	struct arm_spe_pkt packet;
	uint64_t sum = 0;
	int size;

	for (size_t offset = 0; offset < length; offset += (size_t)size) {
		size = arm_spe_get_packet(stream + offset, length - offset, &packet, 0);
		if (size <= 0)
			exit(2);
		sum += packet.payload;
	}
	begin = cpu_seconds() - begin;
	sink = sum;
	return (double)length / 1e6 / begin;
#else
	return NAN;
#endif
}

int main(void)
{
	static const struct {
		const char *what;
		int is_slot;
		unsigned int more;
	} layouts[] = {
		{ "64-byte records", 1, 0 },
		{ "64-byte records with 4 bytes of events", 1, 2 },
		{ "records without pads", 0, 0 },
	};

	for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++) {
		double our_rate = 0, their_rate = 0;
		char text[80], rate[24], peer[24];

		memset(stream, 0, sizeof(stream));
		length = 0;
		for (unsigned int n = 0; n < RECORDS; n++)
			put_record(n, layouts[i].is_slot, layouts[i].more);
		/* The best of several rounds, as the machine may have other load */
		for (int n = 0; n < ROUNDS; n++) {
			our_rate = fmax(our_rate, ours());
			their_rate = fmax(their_rate, theirs());
		}
		snprintf(rate, sizeof(rate), "%.0f MB/s", our_rate);
		snprintf(peer, sizeof(peer), "%.0f MB/s", their_rate);
		snprintf(text, sizeof(text), "SPE: %s", layouts[i].what);
		bench_row(text, rate, "500 MB/s", WANTED / our_rate, 1);
		snprintf(text, sizeof(text), "SPE: beside perf 7.3's packets alone");
		if (their_rate > 0)
			bench_row(text, rate, peer, their_rate / our_rate, GOAL);
		else
			bench_none(text, "no source of Linux: make perf");
	}
	return 0;
}
