// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region: what gpmu_region_begin() and gpmu_region_end() cost beside the system calls
 * that they make, which are made alone by turns with them: four events of this thread in
 * one group, and in four. Exits with 1 above 10 %.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpmu.h"

#define ROUNDS		201
#define VISITS		2000
#define MOST		1.10
#define MOST_FILES	64

static int files[MOST_FILES];
static int n_files;

/* Those of events that lead a group: others have nothing to be read alone */
static void find_files(int leaders)
{
	char path[48], link[64];

	n_files = 0;
	for (int fd = 3; fd < 1000 && n_files < leaders; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, link, sizeof(link) - 1);
		if (n < 0)
			continue;
		link[n] = '\0';
		if (strstr(link, "perf_event"))
			files[n_files++] = fd;
	}
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ns of a visit's reads alone */
static double reads(size_t size)
{
	uint64_t buffer[16];
	double begin = now_ns();

	for (int i = 0; i < 2 * VISITS; i++)
		for (int k = 0; k < n_files; k++)
			if (read(files[k], buffer, size) < 0)
				exit(2);
	return (now_ns() - begin) / VISITS;
}

static double visits(struct gpmu_session *session)
{
	double begin = now_ns();

	for (int i = 0; i < VISITS; i++)
		if (gpmu_region_begin(session, "the inner loop of it") ||
		    gpmu_region_end(session, "the inner loop of it"))
			exit(2);
	return (now_ns() - begin) / VISITS;
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of the ratios of rounds, in which each goes first by turns */
static double measure(struct gpmu_session *session, size_t size, double *ns)
{
	static double ratios[ROUNDS], all[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double a, b;

		if (i % 2) {
			b = visits(session);
			a = reads(size);
		} else {
			a = reads(size);
			b = visits(session);
		}
		ratios[i] = b / a;
		all[i] = b;
	}
	qsort(ratios, ROUNDS, sizeof(ratios[0]), ascending);
	qsort(all, ROUNDS, sizeof(all[0]), ascending);
	*ns = all[ROUNDS / 2];
	return ratios[ROUNDS / 2];
}

static double bench(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		    const char *events, int groups, size_t size)
{
	struct gpmu_plan *plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	struct gpmu_error error = { .text = "" };
	struct gpmu_session *session = NULL;
	double ratio = 0, ns = 0;

	if (plan && !gpmu_plan_add_events(plan, events, &error) && !gpmu_plan_make(plan, &error))
		session = gpmu_session_new(plan, NULL, &error);
	if (!session || gpmu_session_enable(session)) {
		fprintf(stderr, "region: %s\n", error.text);
		exit(2);
	}
	find_files(groups);
	if (groups == 1)
		n_files = 1;
	visits(session);
	ratio = measure(session, size, &ns);
	printf("%d group%s: begin and end take %.0f ns, %.3f of the %d reads\n", groups,
	       groups > 1 ? "s" : "", ns, ratio, 2 * groups);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	return ratio;
}

int main(void)
{
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	double one, four;

	if (!machine || !catalog)
		return 2;
	one = bench(machine, catalog, "{page-faults:u,task-clock:u,context-switches:u,dummy:u}", 1,
		    7 * sizeof(uint64_t));
	four = bench(machine, catalog, "page-faults:u,task-clock:u,context-switches:u,dummy:u", 4,
		     4 * sizeof(uint64_t));
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return one > MOST || four > MOST;
}
