// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints what each source reads from each memory in one second. */
#include <stdio.h>
#include <unistd.h>

#include <gpmu.h>

static void show(const struct gpmu_flow *flow)
{
	const struct gpmu_flow_line *line;

	for (size_t s = 0; gpmu_flow_source(flow, s); s++)
		for (size_t m = 0; (line = gpmu_flow_cell(flow, s, m)); m++)
			if (line->read.state == GPMU_FLOW_OK)
				printf("%s: %.1f GB/s\n", line->name,
				       line->read.rate / 1e9);
}

/* plan is an empty, system-wide plan of machine. */
int traffic(const struct gpmu_machine *machine,
	    struct gpmu_plan *plan)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options), .system = 1,
	};
	struct gpmu_error error = { .text = "out of memory" };
	struct gpmu_session *session = NULL;
	const struct gpmu_row *rows;
	struct gpmu_flow *flow;
	int ret = -1;
	size_t n;

	flow = gpmu_flow_new(machine, GPMU_FLOW_ANY, &error);
	if (flow && !gpmu_flow_plan(flow, plan, &error) &&
	    !gpmu_plan_make(plan, &error))
		session = gpmu_session_new(plan, &options, &error);
	if (!session) {
		fprintf(stderr, "%s\n", error.text);
	} else if (!gpmu_session_enable(session)) {
		sleep(1);
		ret = gpmu_session_next(session, &rows, &n);
	}
	if (ret == 1) {
		gpmu_flow_update(flow, rows, n);
		show(flow);
	}
	gpmu_session_free(session);
	gpmu_flow_free(flow);
	return ret == 1 ? 0 : -1;
}
