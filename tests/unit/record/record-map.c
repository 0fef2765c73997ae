// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records of a process in unusual order, samples of unusual threads */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/tracks/record_map.h"
#include "sysroot.h"
#include "tap.h"
#include "trace/gpmu_trace.h"

static const struct activity_lost lost = {
	{ .size = sizeof(lost), .kind = ACTIVITY_LOST }, .from = 10, .to = 20, .count = 3,
	.why = ACTIVITY_LOST_CHANNEL, .kind = ACTIVITY_MARKER,
};

/* The reader reports a loss before records that it reads later. */
static void loss_first(struct record_map *map)
{
	const union {
		struct activity_process body;
		char bytes[sizeof(struct activity_process) + 8];
	} process = { { .head = { .size = sizeof(process), .kind = ACTIVITY_PROCESS,
				  .flags = ACTIVITY_PROCESS_REGIONS }, .pid = 5 } };
	int number = record_map_process(map);

	ok(number == 0 && !record_map_early(map, 0, &lost.head) &&
	   !record_map_early(map, 0, &process.body.head) && map->processes[0]->pid == 5 &&
	   !map->cuda_count,
	   "record map: a loss before the initial record of a process does not make it one of CUDA");
	is_u64(map->processes[0]->lost[ACTIVITY_LOST_CHANNEL][ACTIVITY_MARKER].count, 3,
	       "record map: a loss before the initial record of a process is counted");
}

static void name_process(struct record_map *map, uint32_t pid, uint16_t flags)
{
	const union {
		struct activity_process body;
		char bytes[sizeof(struct activity_process) + 8];
	} process = { { .head = { .size = sizeof(process), .kind = ACTIVITY_PROCESS,
				  .flags = flags }, .pid = pid } };
	int number = record_map_process(map);

	ok(number >= 0 && !record_map_early(map, (uint32_t)number, &process.body.head),
	   "record map: the initial record of process %u is taken", pid);
}

/* A process whose channels are in this order; r: of regions, c: of CUDA */
static void channels(struct record_map *map, const char *order)
{
	static uint32_t pid = 100;
	size_t processes = map->process_count - map->joined_count;
	const struct record_process *first;

	pid++;
	for (const char *kind = order; *kind; kind++)
		name_process(map, pid, *kind == 'r' ? ACTIVITY_PROCESS_REGIONS : 0);
	ok(map->process_count - map->joined_count == processes + 1,
	       "record map: channels in the order %s are one process", order);
	first = map->processes[map->process_count - strlen(order)];
	for (size_t i = map->process_count - strlen(order) + 1; i < map->process_count; i++)
		ok(map->processes[i]->first == first && !first->first,
		   "record map: channel %zu in the order %s has the threads of the first",
		   i - (map->process_count - strlen(order)), order);
}

/* Maps a sample of a call stack that begins with a context. Returns the number of events that it adds to the trace, or -errno. */
static int sample_stack(struct record_map *map, bool is_kernel, int32_t pid, int32_t tid, uint64_t count, uint64_t context)
{
	const struct {
		struct perf_event_header header;
		int32_t pid, tid;
		uint64_t time, cpu, period, count, addresses[3];
	} raw = {
		{ PERF_RECORD_SAMPLE, is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER, sizeof(raw) }, pid, tid, 1000, 0, 1,
		count, { context, 0x1000, 0x2000 },
	};
	struct gpmu_trace_stats before = { .size = sizeof(before) }, after = { .size = sizeof(after) };
	int ret;

	gpmu_trace_get_stats(map->trace, &before);
	ret = record_map_raw(map, &raw, sizeof(raw));
	gpmu_trace_get_stats(map->trace, &after);
	return ret ? ret : (int)(after.events - before.events);
}

/* Maps a sample of a call stack with two frames in the sample's mode. Returns as sample_stack(). */
static int sample(struct record_map *map, bool is_kernel, int32_t pid, int32_t tid, uint64_t count)
{
	return sample_stack(map, is_kernel, pid, tid, count, is_kernel ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER);
}

static int take_nothing(void *user, const struct perf_event_header *record)
{
	(void)user;
	(void)record;
	return 0;
}

/* Counts the look-ups. */
static int count_finds(void *user, pid_t pid, uint64_t address, uint64_t time, const char **function, const char **object)
{
	(void)pid;
	(void)address;
	(void)time;
	*function = *object = "found";
	++*(unsigned int *)user;
	return 0;
}

static void samples(struct record_map *map)
{
	unsigned int finds = 0;
	const struct gpmu_recorder_symbols symbols = {
		.size = sizeof(symbols), .user = &finds, .take = take_nothing, .find = count_finds,
	};

	map->sampler = gpmu_trace_sampler(map->trace, "cycles");
	map->symbols = &symbols;
	ok(sample(map, false, 7, 8, 3) == 1, "record map: a sample of a thread is in the trace");
	ok(sample(map, true, 0, 0, 3) == 1 && map->idle_track > 0 && !map->outside_track,
	   "record map: a sample of the idle thread has a track of its own");
	ok(sample(map, true, -1, -1, 3) == 1 && map->ended_track > 0 && map->ended_track != map->idle_track,
	   "record map: a sample of a thread that has just ended, which has the number -1, has another track");
	is_u64(finds, 6, "record map: functions of the kernel and of a thread's process are looked up");
	ok(sample(map, false, 0, 0, 3) == 1 && sample(map, false, -1, -1, 3) == 1 && map->outside_track > 0 &&
	   map->outside_track != map->idle_track && map->outside_samples == 2,
	   "record map: a sample of thread 0 or -1 in user space is counted and is on the track of tasks outside the PID namespace");
	is_u64(finds, 6, "record map: functions of a task outside the PID namespace are not looked up in the kernel");
	ok(sample_stack(map, true, -1, -1, 3, PERF_CONTEXT_USER) == 1 && map->outside_samples == 2,
	   "record map: a sample of thread -1 in the kernel with callers in user space is of a thread that has just ended");
	ok(sample_stack(map, true, 0, 0, 3, PERF_CONTEXT_USER) == 1 && map->outside_samples == 3,
	   "record map: a sample of thread 0 in the kernel with callers in user space is of a task outside the PID namespace");
	ok(!sample(map, false, 7, 8, 4), "record map: a sample with more frames than bytes is left out");
	map->symbols = NULL;
}

static void keep_line(int level, const char *line, void *user)
{
	(void)level;
	snprintf(user, 128, "%s", line);
}

static void no_homes(void)
{
	struct sysroot root;
	struct gpmu_machine *machine;
	struct record_map map = { 0 };
	char line[128] = "";

	sysroot_init(&root);
	sysroot_put(&root, "sys/devices/system/cpu/online", "0\n");
	machine = gpmu_machine_new(root.path, NULL);
	map.machine = machine;
	gpmu_log_set(keep_line, line);
	ok(!record_map_samples_begin(&map) && !strcmp(line, RECORD_NO_HOMES),
	   "record map: if the kernel lists no memory blocks of nodes, a warning reports that homes are not known");
	gpmu_log_set(NULL, NULL);
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static int add_device(struct record_map *map, uint32_t number, const char *uuid)
{
	union {
		struct activity_device body;
		char bytes[sizeof(struct activity_device) + 8];
	} device = { { .head = { .size = sizeof(device), .kind = ACTIVITY_DEVICE }, .device = number, .major = 9,
		       .multiprocessors = 132, .warps = 64, .blocks = 32, .registers = 65536, .shared = 233472 } };

	snprintf(device.body.uuid, sizeof(device.body.uuid), "%s", uuid);
	return record_map_early(map, 0, &device.body.head);
}

/* Each launch has another amount of dynamic shared memory. */
static int launch(struct record_map *map, uint32_t n)
{
	const struct activity_kernel kernel = {
		.work = { .head = { .size = sizeof(kernel), .kind = ACTIVITY_KERNEL }, .begin = n * 10, .end = n * 10 + 5,
			  .device = n % 2, .stream = 7 },
		.grid = { 1, 1, 1 }, .block = { 32, 1, 1 }, .shared_dynamic = n * 16,
	};

	return record_map_event(map, 0, &kernel.work.head);
}

static void hostile_process(struct gpmu_trace *trace)
{
	struct record_map map;
	bool is_right = true;
	char uuid[16];

	record_map_init(&map, trace, NULL);
	name_process(&map, 99, 0);
	for (uint32_t i = 0; i < 300; i++) {
		snprintf(uuid, sizeof(uuid), "GPU-%u", i);
		is_right = is_right && !add_device(&map, i, uuid);
	}
	ok(is_right && map.gpu_count == GPMU_TRACE_GPUS_MAX,
	   "record map: a process with 300 GPUs has 256 in the trace, the last of which stands for the rest");
	for (uint32_t i = 1; i <= 5000; i++)
		is_right = is_right && !launch(&map, i);
	ok(is_right && map.processes[0]->kernels.n == 4096 + 2,
	   "record map: a kernel with 5000 configurations has 4096 entries, and one without a configuration on each GPU");
	record_map_release(&map);
}

int main(void)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	const struct gpmu_trace_options options = { .size = sizeof(options), .path = "null" };
	struct gpmu_trace *trace = gpmu_trace_new(fd, &options, NULL);
	/* After execve() a program can mark regions and use CUDA again. */
	static const char *const orders[] = { "r", "c", "rc", "cr", "rr", "rcr", "rrc", "crr" };
	struct record_map map;

	if (!trace) {
		printf("Bail out! no trace\n");
		return 1;
	}
	record_map_init(&map, trace, NULL);
	loss_first(&map);
	for (size_t i = 0; i < sizeof(orders) / sizeof(*orders); i++)
		channels(&map, orders[i]);
	samples(&map);
	no_homes();
	hostile_process(trace);
	record_map_release(&map);
	gpmu_trace_free(trace);
	close(fd);
	return done_testing();
}
