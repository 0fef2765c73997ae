// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * import-make FILE [OPTION...]: makes a recording of perf, whose truth tests/tools/import.t has. "no-cpu": without
 * CPUs; "perf-clock": without -k; "tracepoint": also a sample of a tracepoint.
 */
#include "import-test.h"

int main(int argc, char **argv)
{
	static struct made made;
	struct import_how how = { .no_cpu = false };
	FILE *file = argc > 1 ? fopen(argv[1], "w") : NULL;

	for (int i = 2; i < argc; i++) {
		how.no_cpu |= !strcmp(argv[i], "no-cpu");
		how.perf_clock |= !strcmp(argv[i], "perf-clock");
		how.tracepoint |= !strcmp(argv[i], "tracepoint");
	}
	import_make(&made, &how);
	return !file || fwrite(made.data, 1, made.length, file) != made.length || fclose(file);
}
