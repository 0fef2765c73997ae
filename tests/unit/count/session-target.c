// SPDX-License-Identifier: LGPL-2.1-or-later
/* The tasks that a session counts */
#include <pthread.h>
#include <unistd.h>

#include "base/array.h"
#include "count/session.h"
#include "gpmu.h"
#include "tap.h"

static pthread_barrier_t barrier;

static void *wait_for_end(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	return NULL;
}

static size_t task_count(const struct gpmu_session_options *options)
{
	struct session_target target;
	size_t count;

	if (session_target_init(&target, options, NULL, NULL))
		return 0;
	count = target.selection.tid_count;
	ok(target.pid == getpid() && target.tids[0] == getpid(), "session target: the first task is the process");
	session_target_release(&target);
	return count;
}

int main(void)
{
	const pid_t pids[] = { getpid(), getpid() };
	struct gpmu_session_options options = { .size = sizeof(options), .pids = pids, .pid_count = 1 };
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, wait_for_end, NULL);
	is_u64(task_count(&options), 2, "session target: all tasks of a process are counted");
	options.single_task = 1;
	is_u64(task_count(&options), 1, "session target: with single_task the other tasks of a process are not looked for");
	options.pid_count = ARRAY_SIZE(pids);
	is_u64(task_count(&options), 1, "session target: with single_task a process that is given twice is counted once");
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	return done_testing();
}
