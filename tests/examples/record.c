// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * record TRACE COMMAND...: records when and where the threads of a command run, and its page
 * faults and user time every 10 ms, on a timeline for https://ui.perfetto.dev.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gpmu.h>

#define INTERVAL	10000000	/* ns */

/* Starts a process that executes the command as soon as a byte is written to *@go. */
static pid_t start(char **command, int *go)
{
	int ends[2];
	pid_t pid;
	char byte;

	if (pipe(ends))
		return -1;
	pid = fork();
	if (!pid) {
		close(ends[1]);
		if (read(ends[0], &byte, 1) == 1)
			execvp(command[0], command);
		_exit(127);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static uint64_t ns(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000000 + (uint64_t)time->tv_usec * 1000;
}

static int record(struct gpmu_recorder *recorder, struct gpmu_session *session, pid_t pid, int go)
{
	const struct timespec interval = { .tv_nsec = INTERVAL };
	const struct gpmu_rows *rows;
	int ret = gpmu_session_enable(session);
	struct rusage used;
	pid_t ended = 0;

	gpmu_recorder_enable(recorder);
	if (write(go, "", 1) != 1)
		ret = -1;
	while (!ret && !ended) {
		nanosleep(&interval, NULL);
		ended = wait4(pid, NULL, WNOHANG, &used);
		if (ended) {
			gpmu_session_set_times(session, ns(&used.ru_utime), ns(&used.ru_stime));
			gpmu_session_disable(session);
		}
		if (gpmu_session_next(session, &rows) == 1)
			ret = gpmu_recorder_rows(recorder, rows);
	}
	gpmu_recorder_disable(recorder);
	return ret;
}

static struct gpmu_session *open_session(const struct gpmu_plan *plan, pid_t pid,
					 struct gpmu_error *error)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options), .pids = &pid, .pid_count = 1, .inherit = 1, .on_exec = 1,
		.zero_asleep = 1,
	};

	return gpmu_session_new(plan, &options, error);
}

int main(int argc, char **argv)
{
	const struct gpmu_recorder_options options = {
		.size = sizeof(options), .path = argc > 1 ? argv[1] : NULL, .sched = 1,
	};
	struct gpmu_error error = {
		.size = sizeof(error), .text = "expected a trace and a command",
	};
	struct gpmu_recorder *recorder = NULL;
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_session *session = NULL;
	struct gpmu_plan *plan = NULL;
	pid_t pid = -1;
	int ret = -1, go;

	if (machine && catalog && argc > 2) {
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
		recorder = gpmu_recorder_new(&options, &error);
	}
	if (recorder && plan && !gpmu_plan_add_events(plan, "page-faults:u,user_time", &error) &&
	    !gpmu_plan_make(plan, &error))
		pid = start(argv + 2, &go);
	if (pid > 0)
		session = open_session(plan, pid, &error);
	if (session && !gpmu_recorder_pid(recorder, pid))
		ret = gpmu_recorder_start(recorder, machine, session, &error);
	if (!ret)
		ret = record(recorder, session, pid, go);
	if (!ret)
		ret = gpmu_recorder_stop(recorder, &error);
	if (ret)
		fprintf(stderr, "record: %s\n", error.text);
	gpmu_recorder_free(recorder);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret != 0;
}
