// SPDX-License-Identifier: LGPL-2.1-or-later
/* The status of threads */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/task_status.h"
#include "tap.h"

static int got;
static pid_t tid;
static struct task_status status;

static void *read_own(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "a name of more than 15");
	tid = gettid();
	got = task_status_read(tid, &status);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, read_own, NULL);
	pthread_join(thread, NULL);
	ok(!got && status.pid == getpid() && tid != getpid(), "task_status: the status of a thread has its process");
	is_str(status.comm, "a name of more ", "task_status: the status of a thread has its name");
	ok(status.state == 'R', "task_status: a thread that reads its own status runs");
	prctl(PR_SET_NAME, "\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\");
	ok(!task_status_read(getpid(), &status) && strlen(status.comm) == 15 && status.pid == getpid(),
	   "task_status: a name with escapes is cut at 15 characters");
	ok(task_status_read(0x7fffffff, &status) == -ENOENT, "task_status: there is no status of a thread that does not exist");
	return done_testing();
}
