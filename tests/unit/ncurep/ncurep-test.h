/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports in memory */
#ifndef GPMU_TESTS_NCUREP_TEST_H
#define GPMU_TESTS_NCUREP_TEST_H

#include <errno.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gpmu.h"
#include "ncurep-write.h"
#include "tap.h"

/*
 * Two kernels with their code in the first block with results; names of the second one's metrics are in its own table.
 */
static const char sample[] =
	"block\n"
	"source 9 __global__ void saxpy()\n"
	"kernel saxpy saxpy(int, float*)\n"
	"stream 1 7\n"
	"grid 64 2 1\n"
	"threads 256 1 1\n"
	"code 9\n"
	"unknown\n"
	"u64 gpu__time_duration.sum 2000\n"
	"double dram__bytes_read.sum 6000\n"
	"double dram__bytes_write.sum 2000\n"
	"float sm__throughput.avg.pct_of_peak_sustained_elapsed 12.5\n"
	"u32 launch__registers_per_thread 40\n"
	"text device__attribute_display_name NVIDIA H200\n"
	"list inst_executed\n"
	"at 4096 32\n"
	"at 4112 64\n"
	"u64 sm__cycles_active.sum 3\n"
	"part 1\n"
	"part 2\n"
	"push 77 step\n"
	"push 77 forward\n"
	"start 78 request\n"
	"block\n"
	"kernel reduce reduce<float>(float*)\n"
	"stream 1 13\n"
	"double dram__bytes_read.sum 1000\n"
	"kernel saxpy saxpy(int, float*)\n"
	"stream 1 7\n"
	"u64 gpu__time_duration.sum 4000\n"
	"range\n"
	"stream 1 0\n"
	"u64 gpu__time_duration.sum 100\n"
	"cmdlist list0\n"
	"stream 1 2\n"
	"graph\n"
	"stream 1 3\n"
	"double smsp__inst_executed.sum 5\n";

static inline struct gpmu_ncu_report *read_bytes(const uint8_t *data, size_t length, struct gpmu_error *error)
{
	int fd = memfd_create("report", MFD_CLOEXEC);
	struct gpmu_ncu_report *report;

	if (fd < 0 || write(fd, data, length) != (ssize_t)length || lseek(fd, 0, SEEK_SET))
		abort();
	report = gpmu_ncu_report_new(fd, "r", error);
	close(fd);
	return report;
}

static inline struct gpmu_ncu_report *read_text(const char *text)
{
	size_t length;
	uint8_t *data = ncurep_write(text, &length);
	struct gpmu_ncu_report *report = read_bytes(data, length, NULL);

	free(data);
	return report;
}

static inline struct gpmu_ncu_info info_of(const struct gpmu_ncu_report *report)
{
	struct gpmu_ncu_info info = { .size = sizeof(info) };

	gpmu_ncu_report_get_info(report, &info);
	return info;
}

#endif /* GPMU_TESTS_NCUREP_TEST_H */
