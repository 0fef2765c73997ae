// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the events of saved output of "perf stat -j". */
#include <stdio.h>
#include <string.h>

#include <gpmu.h>

static void show(struct gpmu_saved *saved)
{
	const struct gpmu_row *rows;
	size_t n;

	if (gpmu_saved_others(saved, &rows, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_row *row = gpmu_row_at(rows, i);

		printf("%s: %g\n", row->name, row->value);
	}
}

int main(void)
{
	struct gpmu_saved *saved = gpmu_saved_new(NULL);
	struct gpmu_error error = { .text = "out of memory" };
	char line[4096];
	int ret = saved ? 0 : -1;

	while (ret >= 0 && fgets(line, sizeof(line), stdin)) {
		ret = gpmu_saved_line(saved, line, strlen(line), &error);
		if (ret > 0)
			show(saved);
	}
	if (ret < 0)
		fprintf(stderr, "%s\n", error.text);
	else if (gpmu_saved_end(saved))
		show(saved);
	gpmu_saved_free(saved);
	return ret < 0;
}
