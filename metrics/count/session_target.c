// SPDX-License-Identifier: LGPL-2.1-or-later
/* The target of a session: CPUs of a list, or the tasks of processes. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "base/proc.h"
#include "base/task_status.h"
#include "base/vector.h"
#include "count/session.h"
#include "machine/machine.h"

static int by_number(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Ascending, each once: a process may be given twice, or one of its tasks beside it. */
static void sort_tids(struct session_target *target)
{
	size_t n = 0;

	if (!target->tid_count)
		return;
	qsort(target->tids, target->tid_count, sizeof(*target->tids), by_number);
	for (size_t i = 1; i < target->tid_count; i++)
		if (target->tids[i] != target->tids[n])
			target->tids[++n] = target->tids[i];
	target->tid_count = n + 1;
}

static int add_task(struct session_target *target, pid_t tid, struct gpmu_error *error)
{
	return vector_append_value(target->tids, target->tid_count, (int)tid) ? error_no_memory(error) : 0;
}

/* Adds the present tasks of a process; 0 also if there is no such process */
static int add_process(struct session_target *target, pid_t pid, struct gpmu_error *error)
{
	DIR *dir = proc_folder(pid, "task");
	struct dirent *entry;
	int ret = 0;

	if (!dir && errno != ENOENT && errno != ESRCH) {
		ret = -errno;
		error_set(error, 0, "/proc/%d/task: %s", (int)pid, error_text(errno));
		return ret;
	}
	while (dir && !ret && (entry = readdir(dir)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			ret = vector_append_value(target->tids, target->tid_count, (int)strtol(entry->d_name, NULL, 10));
	if (dir)
		closedir(dir);
	return ret ? error_no_memory(error) : 0;
}

/* Skip a missing process if there are several; a single missing process has no tasks, which is an error. */
static void warn_missing(const struct gpmu_session_options *options)
{
	char path[PROC_PATH_SIZE];

	for (size_t i = 0; i < options->pid_count && options->pid_count + options->tid_count > 1; i++) {
		if (access(proc_path(path, options->pids[i], ""), F_OK))
			log_line(GPMU_LOG_WARNING, "no process %d", (int)options->pids[i]);
	}
}

void session_target_gone(const struct gpmu_session_options *options, struct gpmu_error *error)
{
	if (options->pid_count == 1)
		error_set(error, 0, "no process %d", (int)options->pids[0]);
	else
		error_set(error, 0, "none of these %zu processes exists: %d, ...",
			  options->pid_count, (int)options->pids[0]);
}

int session_process_of(int tid)
{
	struct task_status status;

	return task_status_read(tid, &status) ? -1 : (int)status.pid;
}

/* The process of all tasks, or -1 */
static int common_process(const struct gpmu_session_options *options)
{
	int pid = options->pid_count ? (int)options->pids[0] : -1;

	for (size_t i = 1; i < options->pid_count; i++)
		if (options->pids[i] != pid)
			return -1;
	for (size_t i = 0; i < options->tid_count; i++) {
		int process = session_process_of(options->tids[i]);

		if (process < 0 || (pid >= 0 && process != pid))
			return -1;
		pid = process;
	}
	return pid;
}

static int check_ids(const pid_t *ids, size_t n, const char *what, struct gpmu_error *error)
{
	for (size_t i = 0; i < n; i++)
		if (ids[i] <= 0) {
			error_set(error, 0, "%d is not the number of a %s", (int)ids[i], what);
			return -EINVAL;
		}
	return 0;
}

static int gather_tids(struct session_target *target, const struct gpmu_session_options *options,
		       struct gpmu_error *error)
{
	int ret = check_ids(options->pids, options->pid_count, "process", error);

	if (!ret)
		ret = check_ids(options->tids, options->tid_count, "task", error);
	for (size_t i = 0; i < options->pid_count && !ret; i++)
		ret = options->single_task ? add_task(target, options->pids[i], error) :
		      add_process(target, options->pids[i], error);
	for (size_t i = 0; i < options->tid_count && !ret; i++)
		ret = add_task(target, options->tids[i], error);
	if (!ret && !target->tid_count) {
		session_target_gone(options, error);
		return -ESRCH;
	}
	if (!ret)
		warn_missing(options);
	return ret;
}

static int init_tasks(struct session_target *target, const struct gpmu_session_options *options,
		      struct gpmu_error *error)
{
	int ret;

	target->is_own = !options->pid_count && !options->tid_count;
	if (target->is_own) {
		target->pid = (int)getpid();
		ret = vector_append_value(target->tids, target->tid_count, (int)gettid()) ? error_no_memory(error) : 0;
	} else {
		ret = gather_tids(target, options, error);
		target->pid = ret ? -1 : common_process(options);
	}
	sort_tids(target);
	target->selection.tids = target->tids;
	target->selection.tid_count = target->tid_count;
	return ret;
}

static int init_cpus(struct session_target *target, const char *text,
		     const struct gpmu_machine *machine, struct gpmu_error *error)
{
	struct cpus online;
	size_t n;
	const int *ids;
	int ret = cpus_parse(&target->cpus, text);

	if (ret == -ENOMEM)
		return error_no_memory(error);
	if (ret || !target->cpus.len) {
		error_set(error, 0, "expected CPUs such as 0-3,8, found \"%.64s\"", text);
		return -EINVAL;
	}
	n = gpmu_machine_online_cpus(machine, &ids);
	online = (struct cpus){ (int *)ids, n };
	for (size_t i = 0; i < target->cpus.len; i++) {
		int cpu = target->cpus.ids[i];

		if (cpus_contain(&online, cpu))
			continue;
		error_set(error, 0, "CPU %d is not online", cpu);
		return -ENODEV;
	}
	target->selection.cpus = target->cpus.ids;
	target->selection.cpu_count = target->cpus.len;
	return 0;
}

int session_target_init(struct session_target *target, const struct gpmu_session_options *options,
			const struct gpmu_machine *machine, struct gpmu_error *error)
{
	bool is_system_wide = options->system || options->cpus;
	int ret = 0;

	*target = (struct session_target){
		.selection = { .is_system_wide = is_system_wide, .wants_inherit = options->inherit,
			    .is_on_exec = options->on_exec },
		.pid = -1,
	};
	if (is_system_wide && (options->pid_count || options->tid_count)) {
		error_set(error, 0, "CPUs cannot be counted together with processes or tasks");
		return -EINVAL;
	}
	if (!is_system_wide)
		ret = init_tasks(target, options, error);
	else
		ret = machine_need_counters(machine, error);
	if (!ret && options->cpus)
		ret = init_cpus(target, options->cpus, machine, error);
	if (ret)
		session_target_release(target);
	return ret;
}

void session_target_release(struct session_target *target)
{
	cpus_release(&target->cpus);
	free(target->tids);
}
