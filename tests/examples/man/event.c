// SPDX-License-Identifier: LGPL-2.1-or-later
/* Prints the attributes for perf_event_open() of an event. */
#include <stdio.h>

#include <linux/perf_event.h>

#include <gpmu.h>

static void show(const struct gpmu_event *event)
{
	const struct perf_event_attr *attr;
	const char *name;
	size_t i = 0;

	while ((name = gpmu_event_instance_name(event, i))) {
		attr = gpmu_event_instance_attr(event, i++);
		if (attr)
			printf("%s: type %u, config %#llx\n", name,
			       attr->type, (unsigned long long)attr->config);
	}
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .text = "" };
	struct gpmu_machine *machine = gpmu_machine_new(NULL, &error);
	struct gpmu_event *event = NULL;

	if (machine)
		event = gpmu_event_new(machine, NULL,
				       argc > 1 ? argv[1] : "page-faults",
				       &error);
	if (event)
		show(event);
	else
		fprintf(stderr, "%s\n", error.text);
	gpmu_event_free(event);
	gpmu_machine_free(machine);
	return event ? 0 : 1;
}
