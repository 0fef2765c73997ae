// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any file is accepted as a recording of perf, or refused with an offset and the expected content. What a
 * record points to can be read, and a second reading gives the same records.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "perfdata/gpmu_perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sum;	/* keeps the reads */

static void must(int promise)
{
	if (!promise)
		abort();
}

static void read_bytes(const void *data, uint64_t size)
{
	for (uint64_t i = 0; i < size; i++)
		sum += ((const uint8_t *)data)[i];
}

static void check_sample(const struct gpmu_perfdata_sample *sample)
{
	read_bytes(sample->callchain, sample->callchain_count * sizeof(*sample->callchain));
	read_bytes(sample->raw, sample->raw_size);
	read_bytes(sample->stack, sample->stack_used);
	read_bytes(sample->aux, sample->aux_size);
	read_bytes(sample->branches, sample->branch_count * sizeof(*sample->branches));
	read_bytes(sample->user.values, sample->user.count * sizeof(*sample->user.values));
	read_bytes(sample->intr.values, sample->intr.count * sizeof(*sample->intr.values));
	read_bytes(sample->read.values, sample->read.count * sizeof(*sample->read.values));
}

static void check_tracepoint(const struct gpmu_perfdata_tracepoint *tracepoint, const struct gpmu_perfdata_sample *sample)
{
	struct gpmu_perfdata_content content;

	for (size_t i = 0; tracepoint && i < tracepoint->field_count; i++)
		if (gpmu_perfdata_content(&tracepoint->fields[i], sample->raw, sample->raw_size, &content))
			read_bytes(content.bytes, content.size);
}

static void check_record(struct gpmu_perfdata *perfdata, const struct gpmu_perfdata_record *record, size_t size)
{
	uint8_t bytes[64];

	must(record->offset < size);
	read_bytes(record->body, record->size);
	if (record->type == PERF_RECORD_SAMPLE && record->event) {
		check_sample(&record->sample);
		check_tracepoint(gpmu_perfdata_tracepoint(perfdata, record->event), &record->sample);
	} else if (record->type == PERF_RECORD_MMAP2 || record->type == PERF_RECORD_MMAP) {
		read_bytes(record->mmap.file, strlen(record->mmap.file));
	} else if (record->type == PERF_RECORD_COMM) {
		read_bytes(record->comm, strlen(record->comm));
	} else if (record->type == GPMU_PERFDATA_AUXTRACE && record->auxtrace.size >= sizeof(bytes)) {
		must(!gpmu_perfdata_trace(perfdata, &record->auxtrace, record->auxtrace.size - sizeof(bytes), bytes,
					  sizeof(bytes), NULL));
	}
	if (record->event)
		must(record->event->name && record->event->index < gpmu_perfdata_event_count(perfdata));
}

static uint64_t check_pass(struct gpmu_perfdata *perfdata, size_t size)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record;
	uint64_t count = 0;
	int ret;

	while ((ret = gpmu_perfdata_next(perfdata, &record, &error)) == 1) {
		check_record(perfdata, record, size);
		count++;
	}
	must(!ret || (ret == -EINVAL && strstr(error.text, ": ") && error.offset <= size));
	return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("perfdata", 0);
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata *perfdata;
	char path[32];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	perfdata = gpmu_perfdata_open(path, &error);
	if (perfdata) {
		uint64_t count = check_pass(perfdata, size);

		if (!gpmu_perfdata_rewind(perfdata, &error))
			must(check_pass(perfdata, size) == count);
	} else {
		must(errno == EINVAL && !strncmp(error.text, path, strlen(path)));
	}
	gpmu_perfdata_free(perfdata);
	close(fd);
	return 0;
}
