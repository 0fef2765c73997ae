// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the first column of each table of a trace. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <gpmu.h>

static void print(const struct gpmu_report_table *table)
{
	printf("%s\n", table->title);
	for (size_t row = 0; row < table->row_count; row++)
		printf("  %s\n",
		       table->cells[row * table->column_count].text);
	if (!table->row_count && table->note)
		printf("  (%s)\n", table->note);
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "trace.pftrace";
	struct gpmu_error error = { 0 };
	struct gpmu_report *report = gpmu_report_new(NULL, &error);
	const struct gpmu_report_table *table;
	int fd = open(path, O_RDONLY), ret = -1;
	size_t n = 0;

	if (report)
		ret = gpmu_report_add(report, fd, path, &error);
	if (!ret)
		ret = gpmu_report_make(report, &error);
	while (!ret && (table = gpmu_report_table(report, n++)))
		print(table);
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	gpmu_report_free(report);
	if (fd >= 0)
		close(fd);
	return ret != 0;
}
