// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the slices of a trace with their tracks, in the order of their ends. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <gpmu.h>

static void print(struct gpmu_trace_reader *reader,
		  const struct gpmu_trace_item *item)
{
	const struct gpmu_trace_track_info *track =
		gpmu_trace_reader_track(reader, item->track);

	if (item->kind == GPMU_TRACE_SLICE)
		printf("%s: %s, %llu ns\n",
		       track->name ? track->name : "",
		       item->name ? item->name : "",
		       (unsigned long long)(item->end - item->begin));
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "trace.pftrace";
	int fd = open(path, O_RDONLY), ret = -1;
	const struct gpmu_trace_item *item;
	struct gpmu_error error = { 0 };
	struct gpmu_trace_reader *reader =
		gpmu_trace_reader_new(fd, path, &error);

	while (reader && (ret = gpmu_trace_reader_next(reader, &item,
						       &error)) == 1)
		print(reader, item);
	if (ret)
		fprintf(stderr, "%s\n", error.text);
	gpmu_trace_reader_free(reader);
	if (fd >= 0)
		close(fd);
	return ret != 0;
}
