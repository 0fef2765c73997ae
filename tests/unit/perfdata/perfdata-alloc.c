// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of the reader fails in turn: the error is ENOMEM, and nothing leaks. */
#include <errno.h>

#include "alloc.h"
#include "perfdata-test.h"

static struct made records, file, cpuid, nodes, pmus;

static void make(void)
{
	struct perf_event_attr attrs[2] = { test_attr(), test_attr() };
	struct feature features[3] = {
		{ .bit = 9, .content = &cpuid }, { .bit = 14, .content = &nodes }, { .bit = 16, .content = &pmus },
	};

	attrs[1].type = 9;
	put32(&pmus, 1);
	put32(&pmus, 9);
	put_string(&pmus, "arm_spe_0");
	put_string(&cpuid, "0x00000000410fd4f0");
	put32(&nodes, 1);
	put32(&nodes, 0);
	put64(&nodes, 1);
	put64(&nodes, 1);
	put_string(&nodes, "0-71");
	begin(&records, GPMU_PERFDATA_EVENT_UPDATE, 0);
	put64(&records, 2);
	put64(&records, 1);
	put_text(&records, "task-clock");
	end(&records);
	put_sample(&records, 1, 0x1000, 7, 200);
	begin(&records, GPMU_PERFDATA_HEADER_BUILD_ID, 0);
	put32(&records, 0);
	for (int i = 0; i < 6; i++)
		put32(&records, 1);
	put_text(&records, "/usr/bin/app");
	end(&records);
	make_file(&file, attrs, 2, &records, features, 3);
}

/* Reads the whole file. Returns 0 or -errno. */
static int read_all(const char *path)
{
	struct gpmu_perfdata *perfdata = gpmu_perfdata_open(path, NULL);
	const struct gpmu_perfdata_record *record;
	int ret = perfdata ? 1 : -errno;

	while (ret == 1)
		ret = gpmu_perfdata_next(perfdata, &record, NULL);
	gpmu_perfdata_free(perfdata);
	return ret;
}

int main(void)
{
	int ret = -ENOMEM, n = 0;
	size_t wrong = 0;
	const char *path;
	long held;

	make();
	path = written(file.data, file.length);
	held = alloc_held;
	for (; ret && n < ALLOC_MAX; n++) {
		alloc_left = n;
		ret = read_all(path);
		alloc_left = -1;
		wrong += ret != 0 && ret != -ENOMEM;
		if (alloc_held != held)
			break;
	}
	unlink(path);
	ok(!ret && n > 10, "perfdata: a file is read after each of its allocations has failed");
	is_u64(wrong, 0, "perfdata: a failed allocation is ENOMEM");
	ok(alloc_held == held, "perfdata: nothing leaks after a failed allocation");
	return done_testing();
}
