/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads /proc/TID/status of a thread, and determines the PID namespace of thread ids. */
#ifndef GPMU_TASK_STATUS_H
#define GPMU_TASK_STATUS_H

#include <stdbool.h>
#include <sys/types.h>

struct task_status {
	pid_t pid;		/* of its process */
	char state;		/* 'R', 'S', ...: proc(5) */
	char comm[16];		/* name, in which proc(5) escapes control characters and backslashes */
};

/* Returns 0, or -errno if there is no such thread. */
int task_status_read(pid_t tid, struct task_status *status);

/* Returns whether this process is in the initial PID namespace. In another one, such as that of a container, threads have other ids. */
bool task_status_is_initial(void);

#endif /* GPMU_TASK_STATUS_H */
