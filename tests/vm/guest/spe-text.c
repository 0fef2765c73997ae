// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * spe-text PERF.DATA - prints the AUX and SPE records that libgpmu reads from a recording, one per line
 *
 *	aux CPU OFFSET SIZE FLAGS		PERF_RECORD_AUX
 *	record CPU NS CONTEXT PC TARGET VA PA TOTAL ISSUE TRANSLATION OP EVENTS SOURCE
 *	cgroup ID PATH				PERF_RECORD_CGROUP
 *	sample PID/TID CPU MODE NS PERIOD EVENT TRACE ADDR DATA-SOURCE WEIGHT INS-LAT CGROUP IP IREGS UREGS PA
 *		DATA-PAGE CODE-PAGE		PERF_RECORD_SAMPLE; one for each count of a group, as perf script prints them
 *	arrays PID/TID CPU NS CALLCHAIN READ STACK	PERF_RECORD_SAMPLE
 *
 * and at the end the counts of the decoder. NS is the time of the perf clock. Payloads are
 * hexadecimal; "-" stands for an absent field. Elements of arrays are separated by commas.
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

/* Prints a column: "-" if the sample does not have the field */
#define print_field(record, bit, format, value) \
	((record)->has & (bit) ? printf(" " format, value) : printf(" -"))

static void print_regs(const struct gpmu_perfdata_regs *regs)
{
	printf(regs->count ? " %" PRIu64 : " -", regs->abi);
	for (size_t i = 0; i < regs->count; i++)
		printf(",%" PRIx64, regs->values[i]);
}

/* Prints the fields of a tracepoint as "NAME=VALUE,...", with "_" for a space. */
static void print_fields(const struct gpmu_perfdata_tracepoint *tracepoint, const struct gpmu_perfdata_sample *sample)
{
	for (size_t i = 0; tracepoint && i < tracepoint->field_count; i++) {
		const struct gpmu_perfdata_field *field = &tracepoint->fields[i];
		struct gpmu_perfdata_content content;

		if (!gpmu_perfdata_content(field, sample->raw, sample->raw_size, &content))
			continue;
		printf("%c%s=", i ? ',' : ' ', field->name);
		if (field->kind == GPMU_PERFDATA_TEXT)
			for (const char *c = content.bytes; c < (const char *)content.bytes + content.size; c++)
				putchar(*c == ' ' ? '_' : *c);
		else if (field->kind == GPMU_PERFDATA_SIGNED)
			printf("%" PRId64, (int64_t)content.number);
		else
			printf("%#" PRIx64, content.number);
	}
	if (!tracepoint)
		printf(" -");
}

static void print_sample_of(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_record *record,
			    const struct gpmu_perfdata_event *event, uint64_t period)
{
	const uint32_t mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	const struct gpmu_perfdata_sample *sample = &record->sample;

	printf("sample %d/%d", (int)record->pid, (int)record->tid);
	print_field(record, PERF_SAMPLE_CPU, "%u", record->cpu);
	printf(" %s", mode == PERF_RECORD_MISC_KERNEL ? "K" : mode == PERF_RECORD_MISC_USER ? "U" : "-");
	printf(" %" PRIu64 " %" PRIu64 " %s", record->time, period, event->name);
	print_fields(gpmu_perfdata_tracepoint(perfdata, event), sample);
	print_field(record, PERF_SAMPLE_ADDR, "%" PRIx64, sample->addr);
	print_field(record, PERF_SAMPLE_DATA_SRC, "%" PRIx64, sample->data_src);
	print_field(record, PERF_SAMPLE_WEIGHT_TYPE, "%" PRIu64, sample->weight);
	print_field(record, PERF_SAMPLE_WEIGHT_STRUCT, "%u", sample->ins_lat);
	print_field(record, PERF_SAMPLE_CGROUP, "%" PRIu64, sample->cgroup);
	print_field(record, PERF_SAMPLE_IP, "%" PRIx64, sample->ip);
	print_regs(&sample->intr);
	print_regs(&sample->user);
	print_field(record, PERF_SAMPLE_PHYS_ADDR, "%" PRIx64, sample->phys_addr);
	print_field(record, PERF_SAMPLE_DATA_PAGE_SIZE, "%" PRIu64, sample->data_page_size);
	print_field(record, PERF_SAMPLE_CODE_PAGE_SIZE, "%" PRIu64, sample->code_page_size);
	printf("\n");
}

static void print_arrays(const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *sample = &record->sample;

	printf("arrays %d/%d", (int)record->pid, (int)record->tid);
	print_field(record, PERF_SAMPLE_CPU, "%u", record->cpu);
	printf(" %" PRIu64 " ", record->time);
	for (size_t i = 0; i < sample->callchain_count; i++)
		printf("%" PRIx64 ",", sample->callchain[i]);
	printf(" ");
	for (size_t i = 0; i < sample->read.count; i++)
		printf("%" PRIx64 ":%" PRIx64 ":%" PRIu64 ",", sample->read.values[i].id, sample->read.values[i].value,
		       sample->read.values[i].lost);
	printf(" %" PRIu64 "\n", sample->stack_used);
}

/*
 * perf script prints a sample for each count of a group that changed, with the difference as its period. A sample without a
 * period has the period of its event.
 */
static void print_sampled(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_record *record)
{
	static struct gpmu_perfdata_value last[256];
	const struct gpmu_perfdata_read *read = &record->sample.read;

	print_arrays(record);
	if (!(record->has & PERF_SAMPLE_READ))
		print_sample_of(perfdata, record, record->event, record->has & PERF_SAMPLE_PERIOD ?
				record->sample.period : record->event->attr->sample_period);
	for (size_t i = 0; i < read->count; i++) {
		const struct gpmu_perfdata_event *event = gpmu_perfdata_event_of(perfdata, read->values[i].id);
		size_t index = 0;

		while (last[index].id && last[index].id != read->values[i].id &&
		       index < sizeof(last) / sizeof(*last) - 1)
			index++;
		if (event && read->values[i].value != last[index].value)
			print_sample_of(perfdata, record, event, read->values[i].value - last[index].value);
		last[index] = read->values[i];
	}
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
			print_sampled(perfdata, record);
		else if (record->type == PERF_RECORD_CGROUP)
			printf("cgroup %" PRIu64 " %s\n", record->cgroup.id, record->cgroup.path);
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
