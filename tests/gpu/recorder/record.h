/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A recorder of what is called in NVIDIA's libraries: libraries of the same names that
 * forward to the real ones and write what was asked and answered.
 *
 * GPMU_CUDA names the folder of the recorder's libraries, GPMU_RECORD the file, to which is
 * added; GPMU_RECORD_FROM the folders of the real libraries, with ":" between them (then
 * the loader's, then the usual ones of a toolkit).
 *
 * The file has a line a call, tabs between: "call", CLOCK_MONOTONIC_RAW in ns, the thread,
 * the function, its result, and KEY=VALUE of what else matters. A call "metrics" has
 * names; "sample" is CUDA's number of the GPU, the sample's start since the end of the sample
 * before (of the first: since the call of Start), its length in ns, and values of these metrics.
 */
#ifndef GPMU_TESTS_GPU_RECORD_H
#define GPMU_TESTS_GPU_RECORD_H

#include <stdint.h>

#define PUBLIC	__attribute__((visibility("default")))

uint64_t record_now(void);
/* A function of the real library, or NULL */
void *record_real(const char *library, const char *function);
/* A line: the call, and more by format, which begins with a tab, or is "" */
void record_call(uint64_t time, const char *function, int result, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
/* A line of any kind */
void record_line(const char *text);

#endif /* GPMU_TESTS_GPU_RECORD_H */
