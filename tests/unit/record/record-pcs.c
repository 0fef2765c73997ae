// SPDX-License-Identifier: LGPL-2.1-or-later
/* PC samples in a trace: lines of instructions, and what has not arrived */
#include <malloc.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/tracks/record_map.h"
#include "tap.h"
#include "trace/gpmu_trace.h"

#define CRC	7
#define IMAGE	16	/* bytes of the cubin */

enum { KERNEL = 1, STALL };

/* Any instruction is in a function that is inlined twice. */
static int find_lines(void *user, const void *cubin, size_t size, const char *function, uint64_t offset,
		      struct gpmu_recorder_line list[GPMU_RECORDER_LINES], size_t *count)
{
	*(size_t *)user += size == IMAGE && !memcmp(cubin, "0123456789abcdef", IMAGE) && !strcmp(function, "_Z3runPfi") && offset == 0x40;
	list[0] = (struct gpmu_recorder_line){ .file = "a.cu", .line = 5, .function = "_Z5scaleILi3EEff" };
	list[1] = (struct gpmu_recorder_line){ .file = "b.cu", .line = 11 };
	list[2] = (struct gpmu_recorder_line){ .file = "b.cu", .line = 21 };
	*count = 3;
	return 0;
}

static void put(struct record_map *map, const struct activity_head *record)
{
	ok(record_map_early(map, 0, record) >= 0, "record pcs: a record of kind %u is taken", record->kind);
}

static void put_process(struct record_map *map)
{
	const union {
		struct activity_process body;
		char bytes[sizeof(struct activity_process) + 8];
	} process = { { .head = { .size = sizeof(process), .kind = ACTIVITY_PROCESS }, .pid = 5, .cupti = 1 } };

	record_map_process(map);
	put(map, &process.body.head);
	record_string_add(map->processes[0], KERNEL, "_Z3runPfi");
	record_string_add(map->processes[0], STALL, "wait");
}

static void put_part(struct record_map *map, uint64_t crc, uint64_t total, uint64_t offset, uint64_t bytes)
{
	union {
		struct activity_cubin body;
		char bytes[sizeof(struct activity_cubin) + IMAGE];
	} cubin = { { .head = { .size = sizeof(cubin), .kind = ACTIVITY_CUBIN }, .cubin = crc, .total = total, .offset = offset, .bytes = bytes } };

	memcpy(cubin.bytes + sizeof(cubin.body), "0123456789abcdef" + offset, bytes <= IMAGE - offset ? bytes : IMAGE - offset);
	put(map, &cubin.body.head);
}

/* The part of the image from @offset on */
static void put_cubin(struct record_map *map, uint64_t offset, uint64_t bytes)
{
	put_part(map, CRC, IMAGE, offset, bytes);
}

static void put_samples(struct record_map *map, uint64_t samples)
{
	const struct activity_pc pc = {
		{ .size = sizeof(pc), .kind = ACTIVITY_PC }, .begin = 100, .end = 200, .cubin = CRC, .offset = 0x40,
		.function = KERNEL, .stall = STALL, .samples = samples,
	};

	record_map_early(map, 0, &pc.head);
	ok(!record_map_event(map, 0, &pc.head), "record pcs: samples are taken");
}

static void put_total(struct record_map *map, uint64_t samples, uint64_t foreign)
{
	const struct activity_pc_total total = {
		{ .size = sizeof(total), .kind = ACTIVITY_PC_TOTAL }, .samples = samples, .foreign = foreign, .mode = 1, .period = 16,
	};

	put(map, &total.head);
}

static bool has_text(int fd, const char *text)
{
	static char bytes[1 << 16];
	ssize_t length = pread(fd, bytes, sizeof(bytes), 0);

	return length > 0 && memmem(bytes, (size_t)length, text, strlen(text));
}

int main(void)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	const struct gpmu_trace_options options = { .size = sizeof(options), .path = "trace" };
	struct gpmu_trace *trace = gpmu_trace_new(fd, &options, NULL);
	size_t found = 0;
	const struct gpmu_recorder_symbols symbols = { .size = sizeof(symbols), .user = &found, .lines = find_lines };
	struct record_map map;
	const struct record_process *process;

	if (!trace) {
		printf("Bail out! no trace\n");
		return 1;
	}
	record_map_init(&map, trace, NULL);
	map.symbols = &symbols;
	put_process(&map);
	put_cubin(&map, 0, IMAGE + 1);
	put_cubin(&map, 8, 8);
	process = map.processes[0];
	is_u64(process->pcs.cubins.list[0].arrived, 0, "record pcs: a part of an image that is longer than the image, or not the next one, is ignored");
	put_cubin(&map, 0, 8);
	put_cubin(&map, 8, 8);
	put_part(&map, CRC + 1, UINT64_C(1) << 30, 0, 8);
	ok(malloc_usable_size(process->pcs.cubins.list[1].image) < 1 << 20, "record pcs: an image has memory for the parts that have arrived only");
	put_samples(&map, 30);
	put_samples(&map, 20);
	put_total(&map, 55, 2);
	record_pcs_balance(map.processes[0]);
	is_u64(process->lost[ACTIVITY_LOST_PC_MISSING][ACTIVITY_PC].count, 3, "record pcs: samples that are counted, and neither delivered nor without an instruction, are lost");
	is_u64(process->lost[ACTIVITY_LOST_PC_FOREIGN][ACTIVITY_PC].count, 0, "record pcs: 4 % of the samples without an instruction are not lost");
	put_total(&map, 5, 4);
	record_pcs_balance(map.processes[0]);
	is_u64(process->lost[ACTIVITY_LOST_PC_FOREIGN][ACTIVITY_PC].count, 6, "record pcs: 10 % of the samples without an instruction are lost");
	ok(!record_map_end(&map) && found == 1, "record pcs: an instruction with a stall reason is looked up once, in the whole image");
	record_map_release(&map);
	ok(!gpmu_trace_finish(trace, NULL), "record pcs: the trace is complete");
	gpmu_trace_free(trace);
	ok(has_text(fd, "run(float*, int)") && !has_text(fd, "_Z3runPfi"), "record pcs: the name of the kernel is demangled in the trace");
	ok(has_text(fd, "float scale<3>(float)") && !has_text(fd, "_Z5scale"), "record pcs: the name of an inlined function is demangled in the trace");
	ok(has_text(fd, "b.cu:11 < b.cu:21"), "record pcs: the trace has the lines of the calls of an inlined function");
	close(fd);
	return done_testing();
}
