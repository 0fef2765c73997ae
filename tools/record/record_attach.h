/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA activity of processes that run already, which cannot be recorded */
#ifndef GPMU_TOOLS_RECORD_ATTACH_H
#define GPMU_TOOLS_RECORD_ATTACH_H

#include <sys/types.h>

/* Warns if the process of a task uses CUDA. @option: -p or -t, which names the task */
void record_attach_warn(const char *option, pid_t task);

#endif /* GPMU_TOOLS_RECORD_ATTACH_H */
