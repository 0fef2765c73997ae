// SPDX-License-Identifier: LGPL-2.1-or-later
/* Processes that may hold a GPU's profiler, below a folder as /proc */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "library/cupti_holders.h"
#include "tap.h"

static char proc[] = "/tmp/gpmu-holders-XXXXXX";
static int added[16];
static size_t added_count;

static void put(int pid, const char *name, const char *content)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%d", proc, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%d/%s", proc, pid, name);
	file = fopen(path, "w");
	if (!file)
		exit(1);
	fputs(content, file);
	fclose(file);
}

static void add(int pid, int parent, const char *comm, const char *library)
{
	char line[160];

	added[added_count++] = pid;
	snprintf(line, sizeof(line), "%s\n", comm);
	put(pid, "comm", line);
	snprintf(line, sizeof(line), "%d (%s) S %d 1 1\n", pid, comm, parent);
	put(pid, "stat", line);
	snprintf(line, sizeof(line), "7f00-7f01 r-xp 0 0:0 1 /usr/lib/libc.so.6\n7f02-7f03 r-xp 0 0:0 2 /usr/lib/%s\n", library);
	put(pid, "maps", line);
}

static const char *describe(void)
{
	static char text[256];

	holders_describe(proc, text, sizeof(text));
	return text;
}

static void test_found(void)
{
	is_str(describe(), "another program", "holders: without processes the holder is another program");
	add(5000, 1, "python3", "libm.so.6");
	is_str(describe(), "another program", "holders: a process without a profiler's library is not named");
	add(5001, 1, "torch app", "libcupti.so.13");
	is_str(describe(), "another program, probably torch app (process 5001)", "holders: a process that has loaded CUPTI is named");
	add(5002, 1, "gpmu", "libnvperf_host.so");
	is_str(describe(), "another program, perhaps gpmu (process 5002) or torch app (process 5001)",
	       "holders: the library that programs counters comes before CUPTI");
	add(5003, 1, "nv-hostengine", "libm.so.6");
	is_str(describe(), "another program, perhaps nv-hostengine (process 5003), gpmu (process 5002) or 1 other",
	       "holders: DCGM is named by its name");
	add(5004, 1, "x", "libcupti.so.12");
	add(5005, 1, "ncu", "libm.so.6");
	is_str(describe(), "another program, perhaps nv-hostengine (process 5003), ncu (process 5005) "
	       "or 3 others", "holders: two processes are named, the others are counted");
}

/* gpmu, which has started this program, evaluates counters and counts none. */
static void test_ancestors(void)
{
	add((int)getpid(), 6001, "this", "libnvperf_host.so");
	add(6001, 6002, "a) b (", "libnvperf_host.so");
	add(6002, 1, "gpmu", "libnvperf_host.so");
	is_str(describe(), "another program", "holders: this process and its ancestors are left out");
	add(6003, 6002, "app", "libnvperf_host.so");
	is_str(describe(), "another program, probably app (process 6003)", "holders: another child of an ancestor is named");
}

static void test_short(void)
{
	char text[20];

	holders_describe(proc, text, sizeof(text));
	is_str(text, "another program, pr", "holders: a text without room is cut");
}

static void clean(void)
{
	static const char *const names[] = { "/comm", "/stat", "/maps", "" };
	char path[128];

	for (size_t i = 0; i < added_count; i++)
		for (size_t j = 0; j < sizeof(names) / sizeof(names[0]); j++) {
			snprintf(path, sizeof(path), "%s/%d%s", proc, added[i], names[j]);
			remove(path);
		}
	added_count = 0;
}

int main(void)
{
	if (!mkdtemp(proc))
		return 1;
	test_found();
	clean();
	test_ancestors();
	test_short();
	clean();
	rmdir(proc);
	holders_describe("/nonexistent", (char[64]){ 0 }, 64);
	return done_testing();
}
