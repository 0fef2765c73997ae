// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the difference between a Grace's and its GPU's counts, from the rows of one interval. */
#include <stdio.h>

#include <gpmu.h>

int show_remainders(const struct gpmu_row *rows, size_t n)
{
	struct gpmu_balance *balance = gpmu_balance_new();
	const struct gpmu_balance_line *line;
	int ret = -1;

	if (balance)
		ret = gpmu_balance_update(balance, rows, n);
	for (size_t i = 0; !ret; i++) {
		line = gpmu_balance_line(balance, i);
		if (!line)
			break;
		if (line->state == GPMU_STATE_OK)
			printf("%s: %+.2f GB/s (%.1f %%)\n", line->name,
			       line->remainder / 1e9, line->part * 100);
		else
			printf("%s: %s\n", line->name, line->why);
	}
	gpmu_balance_free(balance);
	return ret;
}
