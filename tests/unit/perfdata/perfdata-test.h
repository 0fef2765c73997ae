/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes recordings of perf, for tests of their reader. */
#ifndef GPMU_TESTS_PERFDATA_H
#define GPMU_TESTS_PERFDATA_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "tap.h"
#include "perfdata/gpmu_perfdata.h"

#define MADE_MAX	(1U << 20)
#define MADE_ATTR	128	/* bytes of an attr, as of perf 6.1 */

/* Bytes that are being made */
struct made {
	uint8_t data[MADE_MAX];
	size_t length;
	size_t record;		/* where the record begins that is being made */
};

static inline void put(struct made *made, const void *data, size_t size)
{
	if (made->length + size > MADE_MAX)
		abort();
	memcpy(made->data + made->length, data, size);
	made->length += size;
}

static inline void put64(struct made *made, uint64_t value)
{
	put(made, &value, sizeof(value));
}

static inline void put32(struct made *made, uint32_t value)
{
	put(made, &value, sizeof(value));
}

/* A text with its NUL, padded to a multiple of 8 bytes */
static inline void put_text(struct made *made, const char *text)
{
	static const char zeros[8];
	size_t length = strlen(text) + 1;

	put(made, text, length);
	put(made, zeros, -length & 7);
}

/* A text of a feature: its length in front */
static inline void put_string(struct made *made, const char *text)
{
	put32(made, (uint32_t)(strlen(text) + 8) & ~7U);
	put_text(made, text);
}

static inline void begin(struct made *made, uint32_t type, uint16_t misc)
{
	struct perf_event_header header = { .type = type, .misc = misc };

	made->record = made->length;
	put(made, &header, sizeof(header));
}

static inline void end(struct made *made)
{
	uint16_t size = (uint16_t)(made->length - made->record);

	memcpy(made->data + made->record + offsetof(struct perf_event_header, size), &size, sizeof(size));
}

/* COMM, with the trailer of TID, TIME and IDENTIFIER */
static inline void put_comm(struct made *made, const char *comm, uint32_t pid, uint64_t time, uint64_t id)
{
	begin(made, PERF_RECORD_COMM, 0);
	put32(made, pid);
	put32(made, pid);
	put_text(made, comm);
	put32(made, pid);
	put32(made, pid);
	put64(made, time);
	put64(made, id);
	end(made);
}

/* AUXTRACE_INFO of SPE: of the first version the PMU's type and 0, of the second 2 and the number of values of the head */
static inline void put_auxtrace_info(struct made *made, uint64_t first, uint64_t second)
{
	begin(made, GPMU_PERFDATA_AUXTRACE_INFO, 0);
	put32(made, GPMU_PERFDATA_ARM_SPE);
	put32(made, 0);
	put64(made, first);
	put64(made, second);
	end(made);
}

/* AUXTRACE of a CPU, which its bytes follow */
static inline void put_auxtrace(struct made *made, uint64_t size, uint64_t offset, uint32_t cpu)
{
	begin(made, GPMU_PERFDATA_AUXTRACE, 0);
	put64(made, size);
	put64(made, offset);
	put64(made, 0);
	put32(made, cpu);
	put32(made, UINT32_MAX);
	put32(made, cpu);
	put32(made, 0);
	end(made);
}

/* Attributes of the tests' events: samples of IDENTIFIER, IP, TID, TIME */
static inline struct perf_event_attr test_attr(void)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE, .size = MADE_ATTR, .config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.sample_id_all = 1,
	};
}

static inline void put_sample(struct made *made, uint64_t id, uint64_t ip, uint32_t pid, uint64_t time)
{
	begin(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(made, id);
	put64(made, ip);
	put32(made, pid);
	put32(made, pid);
	put64(made, time);
	end(made);
}

/* A format of a tracepoint in tracefs, which begins with the fields that all have */
#define TEST_FORMAT(name, id, fields) \
	"name: " name "\nID: " id "\nformat:\n" \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" fields "\nprint fmt: \"%d\", REC->cpu\n"

#define TEST_FIELD(declaration, offset, size, is_signed) \
	"\tfield:" declaration ";\toffset:" offset ";\tsize:" size ";\tsigned:" is_signed ";\n"

/* The raw bytes of TEST_POINT, whose tracepoint has the id 301 */
struct test_point {
	uint16_t common_type;
	uint8_t common_flags, common_preempt_count;
	int32_t common_pid;
	int16_t cpu;
	uint8_t array[6];
	uint64_t address;
	char comm[8];
	uint64_t big;
	uint32_t name, relative;	/* the low half is an offset, the high half a length */
	char texts[8];
};

#define TEST_POINT TEST_FORMAT("point", "301", \
	TEST_FIELD("s16 cpu", "8", "2", "1") TEST_FIELD("u8 array[6]", "10", "6", "0") \
	TEST_FIELD("void * address", "16", "8", "0") TEST_FIELD("char comm[8]", "24", "8", "1") \
	TEST_FIELD("u64 big", "32", "8", "0") TEST_FIELD("__data_loc char[] name", "40", "4", "1") \
	TEST_FIELD("__rel_loc char[] relative", "44", "4", "1"))

static const struct test_point test_point = {
	.common_type = 301, .cpu = -3, .array = { 1, 2, 3, 4, 5, 0xab }, .address = 0xffff800012340000, .comm = "app\0xyz",
	.big = UINT64_MAX, .name = 48 | 4 << 16, .relative = 4 | 4 << 16, .texts = "one\0two",
};

static inline void put_sized(struct made *made, const void *data, size_t size)
{
	put64(made, size);
	put(made, data, size);
}

/* Tracing data with formats of a system */
static inline void put_tracing_of(struct made *made, const char *system, const char *const *formats, uint32_t count)
{
	const uint8_t sizes[] = { 0, 8, 0, 16, 0, 0 };

	put(made, "\x17\x08\x44tracing", 10);
	put(made, "0.6", 4);
	put(made, sizes, sizeof(sizes));
	put(made, "header_page", 12);
	put_sized(made, "page", 4);
	put(made, "header_event", 13);
	put_sized(made, "event", 5);
	put32(made, 1);
	put_sized(made, "ftrace", 6);
	put32(made, 1);
	put(made, system, strlen(system) + 1);
	put32(made, count);
	for (uint32_t i = 0; i < count; i++)
		put_sized(made, formats[i], strlen(formats[i]));
	put32(made, 0);		/* symbols */
	put32(made, 0);		/* texts of printk */
}

static inline void put_tracing(struct made *made, const char *const *formats, uint32_t count)
{
	put_tracing_of(made, "test", formats, count);
}

/* --- whole files */

/* Magic and size, of a pipe */
static inline void put_pipe_header(struct made *made)
{
	put(made, "PERFILE2", 8);
	put64(made, 16);
}

/* HEADER_ATTR of an event with one id */
static inline void put_pipe_attr(struct made *made, const struct perf_event_attr *attr, uint64_t id)
{
	begin(made, GPMU_PERFDATA_HEADER_ATTR, 0);
	put(made, attr, attr->size);
	put64(made, id);
	end(made);
}

struct feature {
	unsigned int bit;
	const struct made *content;
};

/* Makes a file of events with one id each, from 1 on, of records and of features. */
static inline void make_file(struct made *made, const struct perf_event_attr *attrs, size_t attr_count,
			     const struct made *records, const struct feature *features, size_t feature_count)
{
	uint64_t ids = 104, places = ids + 8 * attr_count, data = places + (MADE_ATTR + 16) * attr_count;
	uint64_t bits[4] = { 0 }, offset;

	for (size_t i = 0; i < feature_count; i++)
		bits[features[i].bit / 64] |= 1ULL << features[i].bit % 64;
	put(made, "PERFILE2", 8);
	put64(made, 104);
	put64(made, MADE_ATTR + 16);
	put64(made, places);
	put64(made, (MADE_ATTR + 16) * attr_count);
	put64(made, data);
	put64(made, records->length);
	put64(made, 0);
	put64(made, 0);
	put(made, bits, sizeof(bits));
	for (size_t i = 0; i < attr_count; i++)
		put64(made, i + 1);
	for (size_t i = 0; i < attr_count; i++) {
		put(made, &attrs[i], MADE_ATTR);
		put64(made, ids + 8 * i);
		put64(made, 8);
	}
	put(made, records->data, records->length);
	offset = made->length + 16 * feature_count;
	for (size_t i = 0; i < feature_count; i++) {
		put64(made, offset);
		put64(made, features[i].content->length);
		offset += features[i].content->length;
	}
	for (size_t i = 0; i < feature_count; i++)
		put(made, features[i].content->data, features[i].content->length);
}

/* Writes the first @length bytes to a file, and returns its name until the next call. */
static inline const char *written(const void *data, size_t length)
{
	static char path[] = "/tmp/gpmu-perfdata-XXXXXX";
	FILE *file;

	strcpy(path + sizeof(path) - 7, "XXXXXX");
	file = fdopen(mkstemp(path), "w");
	if (!file || fwrite(data, 1, length, file) != length || fclose(file)) {
		printf("Bail out! no file in /tmp\n");
		exit(1);
	}
	return path;
}

/* Opens made bytes as a file. */
static inline struct gpmu_perfdata *open_made(const struct made *made, size_t length, struct gpmu_error *error)
{
	const char *path = written(made->data, length);
	struct gpmu_perfdata *perfdata = gpmu_perfdata_open(path, error);

	unlink(path);
	return perfdata;
}


/* A loss: LOST or LOST_SAMPLES */
static inline void put_lost(struct made *made, uint32_t type, uint16_t misc, uint64_t lost)
{
	begin(made, type, misc);
	if (type == PERF_RECORD_LOST)
		put64(made, 1);
	put64(made, lost);
	put64(made, 0);	/* trailer: thread, time, id */
	put64(made, 0);
	put64(made, 1);
	end(made);
}

/* Opens a file of one event, with the records that were made. */
static inline struct gpmu_perfdata *open_records(struct made *file, const struct made *records, struct gpmu_error *error)
{
	struct perf_event_attr attr = test_attr();

	file->length = 0;
	make_file(file, &attr, 1, records, NULL, 0);
	return open_made(file, file->length, error);
}

/* The next record; NULL, after its error, if there is none */
static inline const struct gpmu_perfdata_record *next(struct gpmu_perfdata *perfdata)
{
	static struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_perfdata_record *record = NULL;
	int ret = perfdata ? gpmu_perfdata_next(perfdata, &record, &error) : -EINVAL;

	if (ret < 0)
		diag("%s", error.text);
	return ret == 1 ? record : NULL;
}

#endif /* GPMU_TESTS_PERFDATA_H */
