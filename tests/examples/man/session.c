// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts a command and prints its page faults and CPU time every 100 ms. */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <gpmu.h>

#define EVENTS "page-faults:u,task-clock:u"

static pid_t start(char **command)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	gpmu_session_restore_limits();
	execvp(command[0], command);
	_exit(127);
}

/* Prints all intervals that have ended, by one write. */
static int show(struct gpmu_session *session, struct gpmu_sink *sink)
{
	const struct gpmu_rows *rows;
	int ret = 0;

	while (!ret && (ret = gpmu_session_next(session, &rows)) == 1)
		ret = gpmu_sink_rows(sink, rows);
	return ret ? ret : gpmu_sink_rows(sink, NULL);
}

static int count(struct gpmu_session *session,
		 struct gpmu_sink *sink, char **command)
{
	struct timespec wait = { 0 };
	pid_t pid, ended = 0;
	int ret = gpmu_session_enable(session);

	pid = ret ? -1 : start(command);
	while (pid > 0 && !ended && !ret) {
		wait.tv_nsec = (long)gpmu_session_wait_time(session);
		nanosleep(&wait, NULL);
		ended = waitpid(pid, NULL, WNOHANG);
		if (ended)
			gpmu_session_disable(session);
		ret = show(session, sink);
	}
	return ret;
}

int main(int argc, char **argv)
{
	char *by_default[] = { "sleep", "0.3", NULL };
	/* The calling thread, and what it starts */
	const struct gpmu_session_options options = {
		.size = sizeof(options),
		.inherit = 1,
		.interval = 100000000,
	};
	const struct gpmu_sink_options sink_options = {
		.size = sizeof(sink_options),
		.held = 1,
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_session *session = NULL;
	struct gpmu_sink *sink = NULL;
	struct gpmu_plan *plan = NULL;
	int ret = 1;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
	if (plan && !gpmu_plan_add_events(plan, EVENTS, &error) &&
	    !gpmu_plan_make(plan, &error))
		session = gpmu_session_new(plan, &options, &error);
	if (session)
		sink = gpmu_sink_new(GPMU_SINK_CSV, stdout,
				     &sink_options, &error);
	if (sink)
		ret = count(session, sink, argc > 1 ? argv + 1 :
						      by_default);
	else
		fprintf(stderr, "%s\n", error.text);
	gpmu_sink_free(sink);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret != 0;
}
