/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Records the calls of NVIDIA's libraries: the recorder's libraries have the same names, forward each call to the real
 * library and write its arguments and result to a file.
 *
 * GPMU_CUDA names the folder of the recorder's libraries, GPMU_RECORD the file, to which lines are appended.
 * GPMU_RECORD_FROM names the folders of the real libraries, separated by ":"; afterwards the loader's folders and the
 * toolkit's usual ones are searched.
 *
 * Each call is a line of fields separated by tabs: "call", CLOCK_MONOTONIC_RAW in ns, the thread, the function, its
 * result, and KEY=VALUE for other arguments and results. A call "metrics" has the names of metrics. A line "sample" has
 * CUDA's number of the GPU, the sample's start in ns since the end of the previous sample (the first: since the call of
 * Start), its length in ns, and the values of these metrics.
 */
#ifndef GPMU_TESTS_GPU_RECORD_H
#define GPMU_TESTS_GPU_RECORD_H

#include <stdint.h>

#define PUBLIC	__attribute__((visibility("default")))

uint64_t record_now(void);
/* A function of the real library, or NULL */
void *record_real(const char *library, const char *function);
/* Writes a line for a call; @format adds further fields, and begins with a tab or is "" */
void record_call(uint64_t time, const char *function, int result, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* Writes a whole line */
void record_line(const char *text);

#endif /* GPMU_TESTS_GPU_RECORD_H */
