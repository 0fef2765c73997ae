// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spe-text PERF.DATA - prints the AUX and SPE records that libgpmu reads from a recording, one per line
 *
 *	aux CPU OFFSET SIZE FLAGS		PERF_RECORD_AUX
 *	record CPU NS CONTEXT PC TARGET VA PA TOTAL ISSUE TRANSLATION OP EVENTS SOURCE
 *	sample PID/TID CPU NS PERIOD ADDR DATA-SOURCE WEIGHT INS-LAT IP PA DATA-PAGE CODE-PAGE	PERF_RECORD_SAMPLE
 *
 * and at the end the counts of the decoder. NS is the time of the perf clock. Payloads are
 * hexadecimal; "-" stands for an absent field.
 *
 * spe-text TRACE.pftrace - prints the samples of SPE in a trace of gpmu record, one per line
 *
 *	record CPU NS TID PC TARGET VA PA LATENCY ISSUE TRANSLATION EVENTS;OP;TIER;HOME
 *
 * and the facts of the audit about SPE, "spe NAME VALUE". NS is CLOCK_MONOTONIC_RAW. TID is the thread of the track; the
 * other numbers are hexadecimal.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perfdata/gpmu_perfdata.h"
#include "spe/gpmu_spe.h"
#include "trace/reader/gpmu_trace_reader.h"

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

static void print_sampled(const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *of = &record->sample;

	printf("sample %u/%u %u %" PRIu64 " %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIu64 " %u %" PRIx64 " %" PRIx64 " %" PRIu64
	       " %" PRIu64 "\n", record->pid, record->tid, record->cpu, record->time, of->period, of->addr, of->data_src,
	       of->weight, of->ins_lat, of->ip, of->phys_addr, of->data_page_size, of->code_page_size);
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

static const struct gpmu_trace_arg *arg_of(const struct gpmu_trace_item *item, const char *name)
{
	for (size_t i = 0; i < item->arg_count; i++)
		if (!strcmp(item->args[i].name, name))
			return &item->args[i];
	return NULL;
}

static void print_sample(struct gpmu_trace_reader *reader, const struct gpmu_trace_item *item)
{
	static const char *const numbers[] = { "pc", "target", "va", "pa", "latency", "issue", "translation", "events" };
	static const char *const texts[] = { "op", "tier", "home" };
	const struct gpmu_trace_track_info *track = gpmu_trace_reader_track(reader, item->track);
	const struct gpmu_trace_arg *arg = arg_of(item, "cpu");

	if (track && track->parent)
		track = gpmu_trace_reader_track(reader, track->parent);
	printf("record %d %" PRIu64 " %d", arg ? (int)arg->integer : -1, item->begin, track ? (int)track->tid : 0);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		arg = arg_of(item, numbers[i]);
		if (arg)
			printf(" %" PRIx64, (uint64_t)arg->integer);
		else
			printf(" -");
	}
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		arg = arg_of(item, texts[i]);
		printf(";%s", arg ? arg->text : "-");
	}
	printf("\n");
}

static int print_timeline(const char *path)
{
	struct gpmu_error error = { .size = sizeof(error) };
	int fd = open(path, O_RDONLY | O_CLOEXEC), status;
	struct gpmu_trace_reader *reader = gpmu_trace_reader_new(fd, path, &error);
	const struct gpmu_trace_item *item;

	while ((status = gpmu_trace_reader_next(reader, &item, &error)) > 0) {
		if (item->category && !strcmp(item->category, "spe"))
			print_sample(reader, item);
		for (size_t i = 0; i < item->arg_count && item->category && !strcmp(item->category, "audit"); i++)
			if (!strcmp(item->name, "spe"))
				printf("spe %s %" PRId64 "\n", item->args[i].name, item->args[i].integer);
	}
	if (status)
		fprintf(stderr, "spe-text: %s\n", error.text);
	gpmu_trace_reader_free(reader);
	close(fd);
	return status ? 1 : 0;
}

static int print_recording(const char *path)
{
	const struct gpmu_perfdata_record *record;
	struct gpmu_spe_stats sum = { 0 };
	struct gpmu_perfdata *perfdata;
	struct gpmu_error error = { .size = sizeof(error) };
	int status = -1;

	perfdata = gpmu_perfdata_open(path, &error);
	while (perfdata && (status = gpmu_perfdata_next(perfdata, &record, &error)) > 0) {
		if (record->type == PERF_RECORD_AUX)
			printf("aux %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", (int)record->cpu, record->aux.offset,
			       record->aux.size, record->aux.flags);
		else if (record->type == PERF_RECORD_SAMPLE)
			print_sampled(record);
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

int main(int argc, char **argv)
{
	const char *end;

	if (argc != 2) {
		fprintf(stderr, "usage: spe-text PERF.DATA|TRACE.pftrace\n");
		return 2;
	}
	end = strrchr(argv[1], '.');
	return end && !strcmp(end, ".pftrace") ? print_timeline(argv[1]) : print_recording(argv[1]);
}
