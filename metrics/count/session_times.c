// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * user_time and system_time, from the same files as in perf of Linux 7.3:
 * /proc/PID/stat of processes and tasks, /proc/stat of CPUs (proc_pid_stat(5),
 * proc_stat(5)).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/proc.h"
#include "count/session.h"

struct ticks {
	unsigned long long user, system;
};

static uint64_t timeval_ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static uint64_t ticks_ns(unsigned long long ticks)
{
	return ticks * (1000000000 / (unsigned long long)sysconf(_SC_CLK_TCK));
}

static bool has_times(const struct gpmu_plan *plan)
{
	for (size_t i = 0; i < plan->slot_count; i++) {
		enum event_tool tool = plan->slots[i].instance->tool;

		if (tool == EVENT_TOOL_USER_TIME || tool == EVENT_TOOL_SYSTEM_TIME)
			return true;
	}
	return false;
}

static bool contains(const pid_t *ids, size_t n, pid_t id)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] == id)
			return true;
	return false;
}

/* A process that has already ended is not counted: it has no counters. */
static void add_file(struct session_times *times, pid_t pid, const char *name)
{
	int fd = proc_open(pid, name);

	if (fd >= 0)
		times->files[times->file_count++] = fd;
	else if (fd != -ENOENT && fd != -ESRCH)
		snprintf(times->why, sizeof(times->why), "/proc/%d/%s: %s", (int)pid, name, error_text(-fd));
}

static int open_files(struct session_times *times, const struct gpmu_session_options *options)
{
	char name[32];

	times->files = calloc(options->pid_count + options->tid_count + 1, sizeof(*times->files));
	if (!times->files)
		return -ENOMEM;
	for (size_t i = 0; i < options->pid_count; i++)
		if (!contains(options->pids, i, options->pids[i]))
			add_file(times, options->pids[i], "stat");
	times->process_count = times->file_count;
	for (size_t i = 0; i < options->tid_count; i++) {
		pid_t tid = options->tids[i];

		snprintf(name, sizeof(name), "task/%d/stat", (int)tid);
		if (!contains(options->tids, i, tid) &&
		    !contains(options->pids, options->pid_count, session_process_of(tid)))
			add_file(times, tid, name);
	}
	return 0;
}

int session_times_init(struct session_times *times, const struct gpmu_plan *plan,
		       const struct gpmu_session_options *options,
		       const struct session_target *target)
{
	if (!has_times(plan))
		return 0;
	times->wants_inherit = target->selection.wants_inherit;
	times->scope = target->is_own ? TIMES_OF_THREAD :
		    target->selection.is_system_wide ? TIMES_OF_CPUS : TIMES_OF_TASKS;
	if (times->scope == TIMES_OF_TASKS)
		return open_files(times, options);
	return options->cpus ? cpus_copy(&times->cpus, &target->cpus) : 0;
}

void session_times_release(struct session_times *times)
{
	for (size_t i = 0; i < times->file_count; i++)
		close(times->files[i]);
	free(times->files);
	cpus_release(&times->cpus);
}

/* Returns whether @text begins with @count numbers. The values of negative numbers are not used. */
static bool read_numbers(const char *text, unsigned long long *numbers, size_t count)
{
	char *end;

	for (size_t i = 0; i < count; i++, text = end) {
		numbers[i] = strtoull(text, &end, 10);
		if (end == text)
			return false;
	}
	return true;
}

/* Indices of the fields after the state in /proc/PID/stat (proc(5)); STAT_END: fields to read */
enum { STAT_UTIME = 10, STAT_STIME, STAT_CUTIME, STAT_CSTIME, STAT_END };

/* A command may have blanks and parentheses in its name; the state is a letter. */
static bool read_task(int file, bool wants_children, struct ticks *ticks)
{
	unsigned long long fields[STAT_END];
	char text[1024];
	const char *name_end;
	ssize_t n = pread(file, text, sizeof(text) - 1, 0);

	if (n <= 0)
		return false;
	text[n] = '\0';
	name_end = strrchr(text, ')');
	if (!name_end || strlen(name_end) < strlen(") S ") ||
	    !read_numbers(name_end + strlen(") S"), fields, STAT_END))
		return false;
	ticks->user += fields[STAT_UTIME] + (wants_children ? fields[STAT_CUTIME] : 0);
	ticks->system += fields[STAT_STIME] + (wants_children ? fields[STAT_CSTIME] : 0);
	return true;
}

static bool read_tasks(struct session_times *times, struct ticks *ticks)
{
	for (size_t i = 0; i < times->file_count; i++) {
		if (read_task(times->files[i], times->wants_inherit && i < times->process_count, ticks))
			continue;
		snprintf(times->why, sizeof(times->why),
			 "a process has ended, so its times are no longer known");
		return false;
	}
	return true;
}

/* The line "cpu" of all CPUs, or "cpu0", ...; time of niced tasks is user time, too */
static void add_cpu(const struct session_times *times, const char *line, struct ticks *ticks)
{
	const char *number = line + strlen("cpu");
	unsigned long long numbers[3];	/* user, nice, system */
	bool is_total = *number == ' ';
	char *end = (char *)number;

	if (is_total != !times->cpus.len ||
	    (!is_total && !cpus_contain(&times->cpus, (int)strtol(number, &end, 10))) ||
	    !read_numbers(end, numbers, 3))
		return;
	ticks->user += numbers[0] + numbers[1];
	ticks->system += numbers[2];
}

static bool read_cpus(struct session_times *times, struct ticks *ticks)
{
	FILE *file = fopen("/proc/stat", "re");
	char line[512];

	if (!file) {
		snprintf(times->why, sizeof(times->why), "/proc/stat: %s", error_text(errno));
		return false;
	}
	while (fgets(line, sizeof(line), file) && !strncmp(line, "cpu", 3))
		add_cpu(times, line, ticks);
	fclose(file);
	return true;
}

static bool read_thread(const struct session_times *times, struct gpmu_counts *counts)
{
	struct rusage usage;

	if (getrusage(times->wants_inherit ? RUSAGE_SELF : RUSAGE_THREAD, &usage))
		return false;
	session_times_set(times, timeval_ns(&usage.ru_utime), timeval_ns(&usage.ru_stime), counts);
	return true;
}

void session_times_set(const struct session_times *times, uint64_t user, uint64_t system,
		       struct gpmu_counts *counts)
{
	/* Clock ticks of the pauses may exceed the exact times of the command. */
	counts->user_time = user > times->skipped_user ? user - times->skipped_user : 0;
	counts->system_time = system > times->skipped_system ? system - times->skipped_system : 0;
}

void session_times_skip(struct session_times *times, struct gpmu_counts *counts)
{
	const uint64_t user = counts->user_time, system = counts->system_time;

	if (times->scope == TIMES_SET)
		return;
	session_times_read(times, counts);
	times->skipped_user += counts->user_time - user;
	times->skipped_system += counts->system_time - system;
	counts->user_time = user;
	counts->system_time = system;
}

void session_times_read(struct session_times *times, struct gpmu_counts *counts)
{
	struct ticks ticks = { 0 };

	if (times->scope == TIMES_OF_THREAD) {
		read_thread(times, counts);
		return;
	}
	/*
	 * After a failed read the times remain unknown: a later read cannot supply the lost part.
	 */
	if (!times->why[0] &&
	    (times->scope == TIMES_OF_TASKS ? read_tasks(times, &ticks) : read_cpus(times, &ticks))) {
		session_times_set(times, ticks_ns(ticks.user), ticks_ns(ticks.system), counts);
	}
	counts->times_why = times->why[0] ? times->why : NULL;
}
