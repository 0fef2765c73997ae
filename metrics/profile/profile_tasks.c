// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The maps of a process are an implicit interval tree: an array sorted by begin, in which the middle
 * element of each range is the root of that range, and has the highest end and the times in it. A search visits
 * only ranges that can contain the address at the time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/gpmu_outside.h"
#include "profile/elf/profile_elf.h"
#include "profile/profile_tasks.h"

#define MISC_EXEC	(1U << 13)	/* PERF_RECORD_MISC_COMM_EXEC, PERF_RECORD_MISC_FORK_EXEC */
#define PARENTS_MAX	64		/* generations of fork() without exec() that are looked up */

struct maps {
	struct profile_map *list;
	size_t n;
};

/* When a process began as a copy of another */
struct fork {
	uint64_t time;
	uint32_t parent;
};

struct profile_process {
	struct maps maps;		/* files and functions */
	struct maps memory;		/* of no file */
	VECTOR(uint64_t) execs;		/* times */
	VECTOR(struct fork) forks;
	bool is_unsorted;
};

/* A name, or the process, of a thread from a time on */
struct name {
	uint64_t time;
	uint32_t pid;
	uint32_t name;			/* number in names, plus 1; 0: the name of @parent */
	uint32_t parent;		/* thread that created this one */
};

struct profile_thread {
	VECTOR(struct name) names;
	bool is_unsorted;
};

/* The process to which something is added */
static struct profile_process *process_of(struct profile_tasks *tasks, uint32_t pid)
{
	struct profile_process *process = vector_element(&tasks->processes, &tasks->pids, pid);

	if (process)
		process->is_unsorted = true;
	return process;
}

static const struct profile_process *find_process(const struct profile_tasks *tasks, uint32_t pid)
{
	uint32_t index;

	return map_get(&tasks->pids, pid, &index) ? &tasks->processes.list[index] : NULL;
}

/* --- adding */

/* Prefixes of paths that are not files. Names that are not paths, such as "[heap]", are not files either; the vDSO counts as one. */
static const char *const no_files[] = { "//", "/anon_hugepage", "/memfd:", "/dev/zero", "/SYSV" };

static enum profile_map_kind kind_of(const struct gpmu_perfdata_record *record)
{
	const enum profile_map_kind memory = record->misc & PERF_RECORD_MISC_MMAP_DATA ? PROFILE_MAP_DATA : PROFILE_MAP_MEMORY;
	const char *file = record->mmap.file;

	if (record->pid == PROFILE_KERNEL)
		return PROFILE_MAP_FILE;
	if (!strncmp(file, PROFILE_JIT, strlen(PROFILE_JIT)))
		return PROFILE_MAP_FUNCTION;
	/* As in perf, code in huge pages is that of a just-in-time compiler. */
	if (record->type == PERF_RECORD_MMAP2 && record->mmap.flags & MAP_HUGETLB)
		return memory;
	for (size_t i = 0; i < ARRAY_SIZE(no_files); i++)
		if (!strncmp(file, no_files[i], strlen(no_files[i])))
			return memory;
	return *file == '/' || !strcmp(file, PROFILE_VDSO) ? PROFILE_MAP_FILE : memory;
}

static int add_build_id(struct profile_tasks *tasks, const struct gpmu_perfdata_mmap *from, uint32_t *number)
{
	struct profile_build_id build_id = { .size = from->build_id_size };

	*number = 0;
	if (!from->build_id || !from->build_id_size)
		return 0;
	memcpy(build_id.id, from->build_id, from->build_id_size);
	if (vector_push(&tasks->build_ids, &build_id))
		return -ENOMEM;
	*number = (uint32_t)tasks->build_ids.n;
	return 0;
}

static int add_map(struct profile_tasks *tasks, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_mmap *from = &record->mmap;
	struct profile_process *process = process_of(tasks, record->pid);
	struct profile_map map = {
		.begin = from->addr, .end = from->len > UINT64_MAX - from->addr ? UINT64_MAX : from->addr + from->len,
		.offset = from->pgoff, .time = record->time, .kind = kind_of(record),
	};
	uint32_t build_id;

	if (!process || strings_number(&tasks->files, from->file, &map.file) || add_build_id(tasks, from, &build_id))
		return -ENOMEM;
	if (map.kind == PROFILE_MAP_FUNCTION)
		map.frames = (uint32_t)from->ino;
	else
		map.build_id = build_id;
	return vector_push(map.kind == PROFILE_MAP_MEMORY || map.kind == PROFILE_MAP_DATA ? &process->memory :
											    &process->maps, &map);
}

static int add_name(struct profile_tasks *tasks, uint32_t tid, struct name new)
{
	struct profile_thread *thread = vector_element(&tasks->threads, &tasks->tids, tid);

	if (!thread || vector_push(&thread->names, &new))
		return -ENOMEM;
	thread->is_unsorted = true;
	return 0;
}

static int add_comm(struct profile_tasks *tasks, const struct gpmu_perfdata_record *record)
{
	struct profile_process *process = process_of(tasks, record->pid);
	uint32_t number;

	if (!process || strings_number(&tasks->names, record->comm, &number) ||
	    (record->misc & MISC_EXEC && vector_push(&process->execs, &record->time)))
		return -ENOMEM;
	return add_name(tasks, record->tid,
			(struct name){ .time = record->time, .pid = record->pid, .name = number + 1 });
}

static int add_fork(struct profile_tasks *tasks, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_task *task = &record->task;
	struct profile_process *process;

	/* perf makes records of the processes that ran before it, with all their maps: they inherit none. */
	if (task->pid != task->ppid && !(record->misc & MISC_EXEC)) {
		process = process_of(tasks, task->pid);
		if (!process ||
		    vector_push(&process->forks, &(struct fork){ .time = task->time, .parent = task->ppid }))
			return -ENOMEM;
	}
	return add_name(tasks, task->tid, (struct name){ .time = task->time, .pid = task->pid, .parent = task->ptid });
}

/* Returns the task's tid in the initial PID namespace, common_pid of a tracepoint; 0: idle, or not recorded. */
static uint32_t initial_pid(const struct gpmu_perfdata_record *record)
{
	const size_t offset = 4;	/* in all tracepoints, as in struct trace_entry of Linux's <linux/trace_events.h> */
	uint32_t pid = 0;

	if (record->event && record->event->attr->type == PERF_TYPE_TRACEPOINT &&
	    record->sample.raw_size >= offset + sizeof(pid))
		memcpy(&pid, (const char *)record->sample.raw + offset, sizeof(pid));
	return pid;
}

static bool is_outside_sample(const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *sample = &record->sample;

	return record->has & PERF_SAMPLE_TID &&
	       gpmu_outside_sample(record->tid, record->misc & PERF_RECORD_MISC_CPUMODE_MASK,
				   sample->user.abi || gpmu_outside_chain(sample->callchain, sample->callchain_count) ||
				   initial_pid(record));
}

bool profile_tasks_is_outside(const struct gpmu_perfdata_record *record)
{
	switch (record->type) {
	case PERF_RECORD_SAMPLE:
		return is_outside_sample(record);
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		/* Maps of the kernel have the pid -1. */
		return gpmu_outside_number(record->pid) &&
		       gpmu_outside_mode(record->misc & PERF_RECORD_MISC_CPUMODE_MASK);
	case PERF_RECORD_COMM:
		return gpmu_outside_number(record->tid);
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		return gpmu_outside_number(record->task.tid);
	default:
		return false;
	}
}

int profile_tasks_add(struct profile_tasks *tasks, const struct gpmu_perfdata_record *record)
{
	if (record->type != PERF_RECORD_SAMPLE && profile_tasks_is_outside(record))
		return 0;
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		return add_map(tasks, record);
	case PERF_RECORD_COMM:
		return add_comm(tasks, record);
	case PERF_RECORD_FORK:
		return add_fork(tasks, record);
	default:
		return 0;
	}
}

/* --- sorting */

static int compare_maps(const void *a, const void *b)
{
	const struct profile_map *left = a, *right = b;

	return COMPARE(left->begin, right->begin) ?: COMPARE(left->time, right->time);
}

static void widen(struct profile_map *map, const struct profile_map *below)
{
	if (below->max > map->max)
		map->max = below->max;
	if (below->earliest < map->earliest)
		map->earliest = below->earliest;
	if (below->latest > map->latest)
		map->latest = below->latest;
}

/* Sets the highest end and the times of a range of maps, and of all ranges in it. Returns its root; NULL: it is empty */
static const struct profile_map *set_max(struct profile_map *maps, size_t count)
{
	struct profile_map *map = maps + count / 2;
	const struct profile_map *below, *above;

	if (!count)
		return NULL;
	below = set_max(maps, count / 2);
	above = set_max(map + 1, count - count / 2 - 1);
	map->max = map->end;
	map->earliest = map->latest = map->time;
	if (below)
		widen(map, below);
	if (above)
		widen(map, above);
	return map;
}

static void sort_maps(struct maps *maps)
{
	vector_sort(maps, compare_maps);
	set_max(maps->list, maps->n);
}

/* All elements that are sorted by time begin with their time. */
void profile_tasks_sort(struct profile_tasks *tasks)
{
	struct profile_process *processes = tasks->processes.list;
	struct profile_thread *threads = tasks->threads.list;

	for (size_t i = 0; i < tasks->processes.n; i++) {
		if (!processes[i].is_unsorted)
			continue;
		processes[i].is_unsorted = false;
		sort_maps(&processes[i].maps);
		sort_maps(&processes[i].memory);
		vector_sort(&processes[i].execs, compare_first);
		vector_sort(&processes[i].forks, compare_first);
	}
	for (size_t i = 0; i < tasks->threads.n; i++) {
		if (threads[i].is_unsorted)
			vector_sort(&threads[i].names, compare_first);
		threads[i].is_unsorted = false;
	}
}

/* --- looking up */

/* The last element at or before a time, in a list sorted by time; NULL: there is none */
static const void *latest(const void *list, size_t n, size_t size, uint64_t time)
{
	size_t count = profile_count_until(time, list, n, size);

	return count ? (const char *)list + (count - 1) * size : NULL;
}

static const struct profile_thread *find_thread(const struct profile_tasks *tasks, uint32_t tid)
{
	uint32_t index;

	return map_get(&tasks->tids, tid, &index) ? &tasks->threads.list[index] : NULL;
}

/* The name of a thread at a time. A new thread or process has the name of the thread that created it. NULL: not known */
static const char *given_name(const struct profile_tasks *tasks, uint32_t tid, uint64_t time)
{
	for (int i = 0; i < PARENTS_MAX; i++) {
		const struct profile_thread *thread = find_thread(tasks, tid);
		const struct name *name = thread ? latest(thread->names.list, thread->names.n, sizeof(*name), time) : NULL;

		if (!name)
			return NULL;
		/* FORK and COMM of the same time are in any order. */
		while (!name->name && name > thread->names.list && name[-1].time == name->time)
			name--;
		if (name->name)
			return strings_text(&tasks->names, name->name - 1);
		tid = name->parent;
		time = name->time;
	}
	return NULL;
}

const char *profile_tasks_name(const struct profile_tasks *tasks, uint32_t tid, uint64_t time)
{
	const char *name = given_name(tasks, tid, time);

	/* The records of a creator may be lost. */
	return name ? name : given_name(tasks, profile_tasks_pid(tasks, tid, time), time);
}

uint32_t profile_tasks_pid(const struct profile_tasks *tasks, uint32_t tid, uint64_t time)
{
	const struct profile_thread *thread = find_thread(tasks, tid);
	const struct name *name = thread ? latest(thread->names.list, thread->names.n, sizeof(*name), time) : NULL;

	return name ? name->pid : tid;
}

/* A search for the latest map from @since to @until that contains the address */
struct search {
	uint64_t address, since, until;
	struct profile_range *range;
	struct profile_map *found;
};

/*
 * Finds the map that begins last among those with the same time. Where maps are not visited, none of them can replace the one
 * that is found, at any address of the range.
 */
static void search_maps(struct search *search, struct profile_map *maps, size_t count)
{
	struct profile_map *map = maps + count / 2;

	if (!count)
		return;
	if (map->max <= search->address) {
		profile_range_limit(search->range, search->address, map->max);
		return;
	}
	if (map->earliest > search->until || map->latest < search->since ||
	    (search->found && map->latest <= search->found->time))
		return;
	profile_range_limit(search->range, search->address, map->begin);
	profile_range_limit(search->range, search->address, map->end);
	if (map->begin <= search->address) {
		search_maps(search, map + 1, count - count / 2 - 1);
		if (map->end > search->address && map->time >= search->since && map->time <= search->until &&
		    (!search->found || map->time > search->found->time))
			search->found = map;
	}
	search_maps(search, maps, count / 2);
}

/* Returns the latest map in the memory of a process, or else in its files and functions, and in the processes that it is a copy of. */
static struct profile_map *latest_map(const struct profile_tasks *tasks, uint32_t pid, uint64_t address, uint64_t time,
				      bool is_in_memory, struct profile_range *range)
{
	for (int i = 0; i < PARENTS_MAX; i++) {
		const struct profile_process *process = find_process(tasks, pid);
		struct search search = { .address = address, .until = time, .range = range };
		const struct maps *maps;
		const struct fork *fork;
		const uint64_t *exec;

		if (!process)
			return NULL;
		maps = is_in_memory ? &process->memory : &process->maps;
		exec = latest(process->execs.list, process->execs.n, sizeof(*exec), time);
		fork = latest(process->forks.list, process->forks.n, sizeof(*fork), time);
		/*
		 * Maps of an earlier process with this number, or from before exec(), are no
		 * longer valid.
		 */
		search.since = exec && (!fork || *exec >= fork->time) ? *exec : fork ? fork->time : 0;
		search_maps(&search, maps->list, maps->n);
		if (search.found || !fork || (exec && *exec >= fork->time))
			return search.found;
		pid = fork->parent;
		time = fork->time;
	}
	return NULL;
}

struct profile_map *profile_tasks_map(const struct profile_tasks *tasks, uint32_t pid, uint64_t address, uint64_t time,
				      struct profile_range *range)
{
	struct profile_map *map = latest_map(tasks, pid, address, time, false, range), *memory;

	if (map && map->kind == PROFILE_MAP_FUNCTION)
		return map;
	memory = latest_map(tasks, pid, address, time, true, range);
	return map && (!memory || memory->time <= map->time) ? map : memory;
}

const struct profile_map *profile_tasks_map_named(const struct profile_tasks *tasks, uint32_t pid, const char *prefix)
{
	const struct profile_process *process = find_process(tasks, pid);

	for (size_t i = 0; process && i < process->maps.n; i++)
		if (!strncmp(profile_tasks_file(tasks, &process->maps.list[i]), prefix, strlen(prefix)))
			return &process->maps.list[i];
	return NULL;
}

const char *profile_tasks_file(const struct profile_tasks *tasks, const struct profile_map *map)
{
	return strings_text(&tasks->files, map->file);
}

void profile_tasks_release(struct profile_tasks *tasks)
{
	for (size_t i = 0; i < tasks->processes.n; i++) {
		vector_free(&tasks->processes.list[i].maps);
		vector_free(&tasks->processes.list[i].memory);
		vector_free(&tasks->processes.list[i].execs);
		vector_free(&tasks->processes.list[i].forks);
	}
	for (size_t i = 0; i < tasks->threads.n; i++)
		vector_free(&tasks->threads.list[i].names);
	vector_free(&tasks->processes);
	vector_free(&tasks->threads);
	vector_free(&tasks->build_ids);
	map_release(&tasks->pids);
	map_release(&tasks->tids);
	strings_release(&tasks->files);
	strings_release(&tasks->names);
}
