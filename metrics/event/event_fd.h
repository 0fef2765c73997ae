/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opens perf events: the only caller of perf_event_open(2) in libgpmu and its tools. */
#ifndef GPMU_EVENT_FD_H
#define GPMU_EVENT_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct perf_event_attr;

/*
 * Opens an event of a task (@pid -1: of all tasks) on a CPU (@cpu -1: on all CPUs), in the
 * group of the event @group (-1: as the leader of a group of its own). The kernel sets the
 * close-on-exec flag, so that a program that another thread starts does not inherit the
 * descriptor. Returns the descriptor or -errno.
 */
int event_fd_open(const struct perf_event_attr *attr, pid_t pid, int cpu, int group);
/* Likewise, of the tasks of a cgroup; @cgroup is the descriptor of its folder. */
int event_fd_open_cgroup(const struct perf_event_attr *attr, int cgroup, int cpu, int group);
/* Returns whether the kernel lets this process count its own tasks in user space, but not beyond. */
bool event_fd_user_only(void);

/* The kernel's limit of samples per second, sysctl kernel.perf_event_max_sample_rate; 0: not known */
uint64_t event_max_rate(void);

#endif /* GPMU_EVENT_FD_H */
