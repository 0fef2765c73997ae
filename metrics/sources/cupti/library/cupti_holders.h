/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes that may hold the profiler of a GPU, for the plugin and for libgpmu-inject.so: no interface reports the holder. */
#ifndef GPMU_CUPTI_HOLDERS_H
#define GPMU_CUPTI_HOLDERS_H

#include <stddef.h>

/*
 * Writes "another program", with the processes below @proc ("/proc") that may be it: those with the name of a profiler, then
 * those that have loaded its libraries. This process and its ancestors are left out. Processes of other users and outside of
 * a container are not found.
 */
void holders_describe(const char *proc, char *text, size_t size);

#endif /* GPMU_CUPTI_HOLDERS_H */
