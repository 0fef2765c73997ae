// SPDX-License-Identifier: LGPL-2.1-or-later
/* Counts page faults and CPU time of two calls of a function. */
#include <stdio.h>
#include <stdlib.h>

#include <gpmu.h>

static void work(void)
{
	volatile char *memory = malloc(1 << 20);

	for (int i = 0; memory && i < 1 << 20; i += 4096)
		memory[i] = 1;
	free((void *)memory);
}

static int count(struct gpmu_session *session)
{
	const struct gpmu_sink_options options = {
		.size = sizeof(options),
		.title = "work()",
	};
	struct gpmu_sink *sink = NULL;
	const struct gpmu_rows *rows = NULL;
	int ret;

	ret = gpmu_session_enable(session);
	work();
	/* The pause is not counted. */
	gpmu_session_pause(session);
	puts("Half of the work is done.");
	gpmu_session_resume(session);
	work();
	gpmu_session_disable(session);
	if (!ret)
		ret = gpmu_session_total(session, &rows);
	if (!ret)
		sink = gpmu_sink_new(GPMU_SINK_SUMMARY, stdout, &options,
				     NULL);
	ret = sink ? gpmu_sink_rows(sink, rows) : -1;
	gpmu_sink_free(sink);
	return ret;
}

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, &error);
	struct gpmu_session *session = NULL;
	struct gpmu_plan *plan = NULL;
	int ret = 1;

	if (machine && catalog)
		plan = gpmu_plan_new(machine, catalog, NULL, &error);
	if (plan &&
	    !gpmu_plan_add_events(plan, "page-faults:u,task-clock:u",
				  &error) &&
	    !gpmu_plan_make(plan, &error))
		session = gpmu_session_new(plan, NULL, &error);
	if (session)
		ret = count(session) != 0;
	else
		fprintf(stderr, "%s\n", error.text);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return ret;
}
