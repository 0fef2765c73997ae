// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * threads [N]: each thread counts itself. Threads share the machine, the catalog and the plan, and
 * each thread has its own session.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gpmu.h>

#define WORKERS_MAX	64
#define PAGE	4096

struct worker {
	pthread_t thread;
	const struct gpmu_plan *plan;
	size_t pages;
	uint64_t faults;
	struct gpmu_error error;
	int failed;
};

static void touch(size_t pages)
{
	volatile char *memory = malloc(pages * PAGE);

	for (size_t i = 0; memory && i < pages; i++)
		memory[i * PAGE] = 1;
	free((void *)memory);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct gpmu_session *session = gpmu_session_new(worker->plan, NULL, &worker->error);
	const struct gpmu_row *row = NULL;
	const struct gpmu_rows *rows;

	if (session && !gpmu_session_enable(session)) {
		touch(worker->pages);
		gpmu_session_disable(session);
		if (!gpmu_session_total(session, &rows))
			row = gpmu_rows_at(rows, 0);
	}
	worker->failed = !row || row->state != GPMU_STATE_OK;
	if (!worker->failed)
		worker->faults = row->raw;
	gpmu_session_free(session);
	return NULL;
}

static int run(const struct gpmu_plan *plan, size_t n)
{
	static struct worker workers[WORKERS_MAX];
	size_t begun = 0;
	int ret = 0;

	for (; begun < n; begun++) {
		struct worker *worker = &workers[begun];

		worker->plan = plan;
		worker->error.size = sizeof(worker->error);
		/* Larger than the memory that malloc() keeps for reuse */
		worker->pages = 1000 * (begun + 1);
		if (pthread_create(&worker->thread, NULL, work, worker))
			break;
	}
	for (size_t i = 0; i < begun; i++) {
		struct worker *worker = &workers[i];

		pthread_join(worker->thread, NULL);
		if (worker->failed) {
			fprintf(stderr, "threads: %s\n", worker->error.text);
			ret = 1;
		} else {
			printf("thread %zu: %zu pages, %llu page faults\n", i, worker->pages,
			       (unsigned long long)worker->faults);
		}
	}
	return ret;
}

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_plan *plan = NULL;
	int ret = 1;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
	if (plan && !gpmu_plan_add_events(plan, "page-faults:u", &error) &&
	    !gpmu_plan_make(plan, &error))
		ret = run(plan, n < WORKERS_MAX ? n : WORKERS_MAX);
	else
		fprintf(stderr, "threads: %s\n", error.text);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
