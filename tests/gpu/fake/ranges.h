/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fake of CUPTI's range profiler */
#ifndef GPMU_TESTS_GPU_FAKE_RANGES_H
#define GPMU_TESTS_GPU_FAKE_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RANGE_MAGIC		UINT64_C(0x65676e6172656b66)
#define RANGE_METRICS		300

struct range_data {
	char name[256];
	double sums[RANGE_METRICS];
};

struct range_image {
	uint64_t magic;
	uint32_t max, count, decoded, length;
	bool is_spoilt;		/* configured twice */
	uint16_t metrics[RANGE_METRICS];
	struct range_data ranges[];
};

/* A kernel runs. */
void ranges_launch(const char *kernel);
/* Gets a value; false: this is no image of ranges, or has no such range. */
bool ranges_evaluate(const uint8_t *bytes, size_t index, uint16_t metric, double *value);

#endif /* GPMU_TESTS_GPU_FAKE_RANGES_H */
