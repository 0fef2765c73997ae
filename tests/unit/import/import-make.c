// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * import-make FILE [OPTION...]: makes a recording of perf, whose truth tests/tools/import.t has. "no-cpu": without
 * CPUs; "perf-clock": without -k; "no-time": without times; "tracepoint": also a sample of a tracepoint, "stack": with a
 * call stack; "user": also a sample of user space with a longer period; "command": events of a command; "exits": also threads
 * that run after their EXIT records; "malformed": also two malformed records; "calls": samples have a branch stack of calls;
 * "namespace": also tasks outside the PID namespace. "DUMP": also the dump of a just-in-time compiler, which the process maps.
 */
#include "import-test.h"

int main(int argc, char **argv)
{
	static struct made made, jit;
	struct import_how how = { .is_without_cpus = false };
	bool is_sched = false, is_busy = false;
	FILE *dump, *file = argc > 1 ? fopen(argv[1], "w") : NULL;

	for (int i = 2; i < argc; i++) {
		how.is_without_cpus |= !strcmp(argv[i], "no-cpu");
		how.has_perf_clock |= !strcmp(argv[i], "perf-clock");
		how.has_tracepoint |= !strcmp(argv[i], "tracepoint");
		how.is_without_times |= !strcmp(argv[i], "no-time");
		how.has_stack |= !strcmp(argv[i], "stack");
		how.has_user |= !strcmp(argv[i], "user");
		how.is_command |= !strcmp(argv[i], "command");
		how.has_exits |= !strcmp(argv[i], "exits");
		how.has_malformed |= !strcmp(argv[i], "malformed");
		how.has_calls |= !strcmp(argv[i], "calls");
		how.has_namespace |= !strcmp(argv[i], "namespace");
		is_sched |= !strcmp(argv[i], "sched");
		is_busy |= !strcmp(argv[i], "busy");
		if (strchr(argv[i], '/'))
			how.jitdump = argv[i];
	}
	import_jit(&jit);
	dump = how.jitdump ? fopen(how.jitdump, "w") : NULL;
	if (how.jitdump && (!dump || fwrite(jit.data, 1, jit.length, dump) != jit.length || fclose(dump)))
		return 1;
	if (is_sched)
		import_make_sched(&made, &how, is_busy);
	else
		import_make(&made, &how);
	return !file || fwrite(made.data, 1, made.length, file) != made.length || fclose(file);
}
