/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A trace in a file, read back by protobuf-c */
#ifndef GPMU_TESTS_TRACE_TEST_H
#define GPMU_TESTS_TRACE_TEST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
#include "tap.h"
#include "trace.pb-c.h"
#include "trace/gpmu_trace.h"

struct test_trace {
	struct gpmu_trace *trace;
	FILE *file;
	int fd;
};

static void test_trace_init(struct test_trace *t, size_t buffer, uint64_t restart)
{
	const struct gpmu_trace_options options = {
		.size = sizeof(options), .path = "out.pftrace", .buffer = buffer, .restart = restart,
	};

	t->file = tmpfile();
	t->fd = t->file ? fileno(t->file) : -1;
	t->trace = t->file ? gpmu_trace_new(t->fd, &options, NULL) : NULL;
	if (!t->trace) {
		printf("Bail out! no trace\n");
		exit(1);
	}
}

static void test_trace_release(struct test_trace *t)
{
	gpmu_trace_free(t->trace);
	fclose(t->file);
}

/* Returns all bytes of the file. */
static uint8_t *test_trace_bytes(const struct test_trace *t, size_t *length)
{
	off_t size = lseek(t->fd, 0, SEEK_END);
	uint8_t *bytes = malloc((size_t)size + 1);

	*length = (size_t)size;
	if (!bytes || pread(t->fd, bytes, (size_t)size, 0) != size) {
		printf("Bail out! the file cannot be read\n");
		exit(1);
	}
	return bytes;
}

/* Returns NULL if the file is not a sequence of whole packets. */
static GpmuPb__Trace *test_trace_read(const struct test_trace *t)
{
	size_t length;
	uint8_t *bytes = test_trace_bytes(t, &length);
	GpmuPb__Trace *trace = gpmu_pb__trace__unpack(NULL, length, bytes);

	free(bytes);
	return trace;
}

__attribute__((unused))
static size_t test_trace_packets(const struct test_trace *t)
{
	GpmuPb__Trace *trace = test_trace_read(t);
	size_t n = trace ? trace->n_packet : 0;

	gpmu_pb__trace__free_unpacked(trace, NULL);
	return n;
}

/* An event with its required fields only */
__attribute__((unused))
static struct gpmu_trace_event event_on(int track, uint64_t time, const char *name)
{
	return (struct gpmu_trace_event){
		.size = sizeof(struct gpmu_trace_event), .track = track, .time = time, .name = name,
	};
}

__attribute__((unused))
static struct gpmu_trace_stats stats_of(const struct test_trace *t)
{
	struct gpmu_trace_stats stats = { .size = sizeof(stats) };

	gpmu_trace_get_stats(t->trace, &stats);
	return stats;
}

#endif /* GPMU_TESTS_TRACE_TEST_H */
