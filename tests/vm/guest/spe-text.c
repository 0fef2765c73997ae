// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spe-text PERF.DATA - prints the AUX and SPE records that libgpmu reads from a recording, one per line
 *
 *	aux CPU OFFSET SIZE FLAGS		PERF_RECORD_AUX
 *	record CPU NS CONTEXT PC TARGET VA PA TOTAL ISSUE TRANSLATION OP EVENTS SOURCE
 *
 * and at the end the counts of the decoder. NS is the time of the perf clock. Payloads are
 * hexadecimal; "-" stands for an absent field.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "perfdata/gpmu_perfdata.h"
#include "spe/gpmu_spe.h"

static const enum gpmu_spe_field columns[] = {
	GPMU_SPE_CONTEXT_EL1, GPMU_SPE_PC, GPMU_SPE_TARGET, GPMU_SPE_VA, GPMU_SPE_PA, GPMU_SPE_TOTAL,
	GPMU_SPE_ISSUE, GPMU_SPE_TRANSLATION, GPMU_SPE_OP, GPMU_SPE_EVENTS, GPMU_SPE_SOURCE,
};

static uint64_t perf_ns(uint64_t counter, const struct gpmu_perfdata_time_conv *conv)
{
	uint64_t rest = counter & ((1ULL << conv->shift) - 1);

	return conv->zero + (counter >> conv->shift) * conv->mult + (rest * conv->mult >> conv->shift);
}

static void print_record(const struct gpmu_spe_record *record, int cpu, const struct gpmu_perfdata_time_conv *conv)
{
	printf("record %d ", cpu);
	if (gpmu_spe_has(record, GPMU_SPE_TIME))
		printf("%" PRIu64, perf_ns(record->value[GPMU_SPE_TIME], conv));
	else
		printf("-");
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++) {
		if (gpmu_spe_has(record, columns[i]))
			printf(" %" PRIx64, record->value[columns[i]]);
		else
			printf(" -");
	}
	printf("\n");
}

/* A part of an AUX buffer begins and ends with whole records. */
static int print_trace(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_auxtrace *trace,
		       struct gpmu_spe_stats *sum, struct gpmu_error *error)
{
	const struct gpmu_perfdata_time_conv *conv = &gpmu_perfdata_info(perfdata)->time_conv;
	struct gpmu_spe_record records[64];
	struct gpmu_spe_decoder decoder;
	uint8_t *bytes = malloc(trace->size + 1);
	size_t count;

	if (!bytes || gpmu_perfdata_trace(perfdata, trace, 0, bytes, trace->size, error)) {
		free(bytes);
		return -1;
	}
	gpmu_spe_decoder_init(&decoder);
	gpmu_spe_begin(&decoder, trace->offset);
	gpmu_spe_feed(&decoder, bytes, trace->size);
	while ((count = gpmu_spe_next(&decoder, records, 64)))
		for (size_t i = 0; i < count; i++)
			print_record(&records[i], (int)trace->cpu, conv);
	gpmu_spe_end(&decoder, 0);
	gpmu_spe_stats_add(sum, &decoder.stats);
	free(bytes);
	return 0;
}

int main(int argc, char **argv)
{
	const struct gpmu_perfdata_record *record;
	struct gpmu_spe_stats sum = { 0 };
	struct gpmu_perfdata *perfdata;
	struct gpmu_error error = { .size = sizeof(error) };
	int status = -1;

	if (argc != 2) {
		fprintf(stderr, "usage: spe-text PERF.DATA\n");
		return 2;
	}
	perfdata = gpmu_perfdata_open(argv[1], &error);
	while (perfdata && (status = gpmu_perfdata_next(perfdata, &record, &error)) > 0) {
		if (record->type == PERF_RECORD_AUX)
			printf("aux %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (int)record->cpu, record->aux.offset,
			       record->aux.size, record->aux.flags);
		else if (record->type == GPMU_PERFDATA_AUXTRACE &&
			 (status = print_trace(perfdata, &record->auxtrace, &sum, &error)))
			break;
	}
	gpmu_perfdata_free(perfdata);
	if (status)
		fprintf(stderr, "spe-text: %s\n", error.text);
	printf("records %" PRIu64 " unknown %" PRIu64 " lost_bytes %" PRIu64 " damages %" PRIu64 " unfinished %" PRIu64
	       " bare %" PRIu64 "\n", sum.records, sum.unknown, sum.lost_bytes, sum.damages, sum.unfinished, sum.bare);
	return status ? 1 : 0;
}
