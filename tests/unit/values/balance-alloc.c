// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of a balance fails in turn. */
#include "alloc.h"
#include "gpmu.h"
#include "values/gpmu_balance.h"
#include "values/rows.h"

static struct gpmu_row row_of(const char *name, int node, const char *gpu)
{
	return (struct gpmu_row){
		.size = sizeof(struct gpmu_row), .metric = 1, .name = name, .node = node,
		.value = 1, .unit = "GB/s", .share = 1, .gpu = gpu, .gpu_number = gpu ? node : -1,
	};
}

int main(void)
{
	struct gpmu_row list[] = {
		row_of("GraceC2c0ReadBW", 0, NULL), row_of("GraceC2c1ReadBW", 0, NULL),
		row_of("GraceC2c0ReadBW", 1, NULL), row_of("GraceC2c1ReadBW", 1, NULL),
		row_of("GpuC2cRxBW", 0, "GPU-a"), row_of("GpuC2cRxBW", 1, "GPU-b"),
	};
	const struct gpmu_rows rows = { list, sizeof(list) / sizeof(list[0]) };
	struct gpmu_balance *balance;
	bool is_right = true;
	int n, ret = 0;

	alloc_left = 0;
	errno = 0;
	ok(!gpmu_balance_new() && errno == ENOMEM,
	   "balance: gpmu_balance_new() fails with ENOMEM without memory");
	for (n = 0; n < ALLOC_MAX; n++) {
		alloc_left = -1;
		balance = gpmu_balance_new();
		alloc_left = n;
		ret = gpmu_balance_update(balance, &rows);
		if (alloc_left >= 0)
			break;
		is_right = is_right && ret == -ENOMEM && !gpmu_balance_line(balance, 0) &&
			   !gpmu_balance_update(balance, &rows) && gpmu_balance_line(balance, 1);
		gpmu_balance_free(balance);
	}
	ok(n >= 4 && is_right,
	   "balance: a failed allocation is ENOMEM and leaves no lines; the next update has them");
	alloc_left = 0;
	ok(!ret && !gpmu_balance_update(balance, &rows) && !alloc_left &&
		   gpmu_balance_line(balance, 1) && !gpmu_balance_line(balance, 2),
	   "balance: an update with the same number of lines allocates nothing");
	alloc_left = -1;
	gpmu_balance_free(balance);
	ok(!alloc_held, "balance: gpmu_balance_free() frees all memory");
	return done_testing();
}
