// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts a process once a second, until it has ended. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <gpmu.h>

int watch(const struct gpmu_plan *plan, pid_t pid,
	  struct gpmu_sink *sink)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options),
		.pids = &pid,
		.pid_count = 1,
		.inherit = 1,
	};
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_session *session;
	const struct gpmu_row *rows;
	size_t n;
	int ret;

	session = gpmu_session_new(plan, &options, &error);
	if (!session) {
		ret = -errno;
		fprintf(stderr, "%s\n", error.text);
		return ret;
	}
	ret = gpmu_session_enable(session);
	while (!ret && !kill(pid, 0)) {
		sleep(1);
		ret = gpmu_session_next(session, &rows, &n);
		if (ret == 1)
			ret = gpmu_sink_rows(sink, rows, n);
	}
	gpmu_session_free(session);
	return ret;
}
