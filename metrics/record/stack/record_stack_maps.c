// SPDX-License-Identifier: LGPL-2.1-or-later
#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/proc.h"
#include "base/raw_clock.h"
#include "base/task_status.h"
#include "record/stack/record_stack.h"

/* PERF_RECORD_MMAP2 without a build id, and the sample_id that follows it */
struct map_record {
	uint32_t pid, tid;
	uint64_t begin, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char path[PATH_MAX + 64];
};

void record_stack_put(struct record_stack *stack, const struct perf_event_header *header, const void *data,
		      size_t size, uint64_t time)
{
	char raw[UINT16_MAX];

	if (sizeof(*header) + size > sizeof(raw))
		return;
	memcpy(raw, header, sizeof(*header));
	memcpy(raw + sizeof(*header), data, size);
	record_queue_put_at(stack->reader.queue, RECORD_RAW, time, raw, sizeof(*header) + size);
}

static void put_map(struct record_stack *stack, struct map_record *map, uint64_t time)
{
	const struct record_sample_id id = { .pid = map->pid, .tid = map->tid, .time = time };
	struct perf_event_header header = { .type = PERF_RECORD_MMAP2, .misc = PERF_RECORD_MISC_USER };
	size_t size = offsetof(struct map_record, path) + strlen(map->path) + 1;

	size = (size + 7) / 8 * 8;
	memcpy((char *)map + size, &id, sizeof(id));
	size += sizeof(id);
	header.size = (uint16_t)(sizeof(header) + size);
	record_stack_put(stack, &header, map, size, time);
}

static void put_maps(struct record_stack *stack, pid_t pid)
{
	char line[PATH_MAX + 128], permissions[5];
	const uint64_t now = raw_clock_now();
	FILE *file = proc_lines(pid, "maps");

	while (file && fgets(line, sizeof(line), file)) {
		struct map_record map = { .pid = (uint32_t)pid, .tid = (uint32_t)pid };
		uint64_t end;
		int path_offset = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n", &map.begin, &end, permissions,
			   &map.offset, &map.major, &map.minor, &map.inode, &path_offset) != 7 || permissions[2] != 'x')
			continue;
		line[strcspn(line, "\n")] = '\0';
		map.length = end - map.begin;
		snprintf(map.path, PATH_MAX, "%s", line[path_offset] ? line + path_offset : "//anon");
		put_map(stack, &map, now);
	}
	if (file)
		fclose(file);
}

void record_stack_maps(struct record_stack *stack)
{
	const struct dirent *entry;
	pid_t last = 0;
	DIR *folder;

	for (size_t i = 0; i < stack->reader.tid_count; i++) {
		struct task_status status;

		if (task_status_read(stack->reader.tids[i], &status) || status.pid == last)
			continue;
		put_maps(stack, status.pid);
		last = status.pid;
	}
	folder = stack->reader.tid_count ? NULL : opendir("/proc");
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)*entry->d_name))
			put_maps(stack, (pid_t)strtol(entry->d_name, NULL, 10));
	if (folder)
		closedir(folder);
}
