// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The cost of reading a group of four events on each CPU: from the CPU on which this
 * program runs, and like perf, which moves to each CPU first. Requires permission to
 * count on all CPUs.
 */
#include <sched.h>
#include <sys/resource.h>

#include "../unit/count/counter-test.h"
#include "bench.h"

#define ROUNDS	20000

static const struct event_instance events[] = {
	CPU_CLOCK, CONTEXT_SWITCHES, PAGE_FAULTS, TASK_CLOCK,
};

static double cpu_time(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void move_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* CPU time per read in us of a group on each of @n CPUs; @wants_move: after moving to the CPU */
static double measure(struct counter_test *tests, const int *cpus, size_t n, bool wants_move)
{
	double begin = cpu_time();
	double reads = (double)ROUNDS * (double)n;

	for (int i = 0; i < ROUNDS; i++) {
		for (size_t j = 0; j < n; j++) {
			if (wants_move)
				move_to(cpus[j]);
			test_read(&tests[j]);
		}
	}
	return (cpu_time() - begin) / reads;
}

static void show(const char *what, double us, double other)
{
	char ours[24], theirs[24];

	snprintf(ours, sizeof(ours), "%.2f us", us);
	snprintf(theirs, sizeof(theirs), "%.2f us", other);
	bench_row(what, ours, theirs, us / other, 0);
}

int main(void)
{
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);
	const struct gpmu_pmu *pmu = machine ? gpmu_machine_find_pmu(machine, "software") : NULL;
	struct counter_test *tests;
	const int *cpus;
	double here;
	size_t n;

	if (!pmu)
		return 1;
	n = gpmu_machine_online_cpus(machine, &cpus);
	tests = calloc(n, sizeof(*tests));
	for (size_t i = 0; tests && i < n; i++) {
		test_init(&tests[i], machine, pmu, events, 4);
		tests[i].selection = (struct source_selection){
			.is_system_wide = true, .cpus = &cpus[i], .cpu_count = 1,
		};
		if (test_open(&tests[i])) {
			fprintf(stderr, "%s\n", tests[i].error.text);
			return 1;
		}
		test_enable(&tests[i]);
	}
	if (!tests)
		return 1;
	here = measure(tests, cpus, n, false);
	show("reading a group on each CPU, beside moving there first: CPU", here,
	     measure(tests, cpus, n, true));
	move_to(cpus[0]);
	here = measure(tests, cpus, 1, false);
	if (n > 1)
		show("reading a group of this CPU, beside one of another: CPU", here,
		     measure(&tests[1], &cpus[1], 1, false));
	for (size_t i = 0; i < n; i++)
		test_release(&tests[i]);
	free(tests);
	gpmu_machine_free(machine);
	return 0;
}
