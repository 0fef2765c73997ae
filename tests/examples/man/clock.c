// SPDX-License-Identifier: LGPL-2.1-or-later
/* Converts the time of a write to a file from CLOCK_REALTIME to the clock of rows. */
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#include <gpmu.h>

int main(void)
{
	/* Files get the time of the last tick, at most 10 ms ago. */
	const struct gpmu_clock_options options = {
		.size = sizeof(options), .error = 10000000,
	};
	struct gpmu_clock *clock = gpmu_clock_new(&options);
	struct gpmu_clock_pair pair;
	uint64_t time, bound;
	struct stat file;
	FILE *out = tmpfile();
	int ret = !clock || !out || fputs("x", out) < 0 || fflush(out) ||
		  fstat(fileno(out), &file);

	for (int i = 0; !ret && i < 4; i++) {
		ret = gpmu_clock_read(CLOCK_REALTIME, &pair);
		if (!ret)
			ret = gpmu_clock_add(clock, &pair);
	}
	if (!ret)
		ret = gpmu_clock_time(clock,
				      (uint64_t)file.st_mtim.tv_sec * 1000000000 +
					      (uint64_t)file.st_mtim.tv_nsec,
				      &time, &bound);
	if (!ret)
		printf("written %llu ns (+- %llu ns) ago\n",
		       (unsigned long long)(pair.after - time),
		       (unsigned long long)bound);
	if (out)
		fclose(out);
	gpmu_clock_free(clock);
	return ret != 0;
}
