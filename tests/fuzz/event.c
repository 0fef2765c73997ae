// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any text is accepted as a list of events, or refused with a position and a reason.
 * The same applies to each event of the list on a Superchip and on a laptop.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../sysroot/sysroot.h"
#include "event/event.h"
#include "event/event_list.h"
#include "gpmu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A violation of the documentation in the header */
static void must(int promise)
{
	if (!promise)
		abort();
}

static void refused(const struct gpmu_error *error, const char *text)
{
	must(error->offset <= strlen(text) && error->text[0]);
	for (const char *c = error->text; *c; c++)
		must(*c >= ' ' && *c <= '~');
}

static void check(const struct gpmu_event *event, const char *text)
{
	must(event->length > 0 && !strcmp(event->text, text));
	for (size_t i = 0; i < event->length; i++) {
		must(*gpmu_event_instance_name(event, i));
		must(gpmu_event_instance_attr(event, i) || event->instances[i].tool);
		must(event->instances[i].attr.size == sizeof(event->instances[i].attr));
	}
	must(!gpmu_event_instance_name(event, event->length));
}

/* The text for perf selects the same PMU: the name of an instance is that instance. */
static void again(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		  const struct event_instance *instance)
{
	struct gpmu_event *event = gpmu_event_new(machine, catalog, instance->name, NULL);

	must(event && event->length == 1 && event->instances[0].pmu == instance->pmu);
	must(!strcmp(event->instances[0].name, instance->name));
	must(!memcmp(&event->instances[0].attr, &instance->attr, sizeof(instance->attr)));
	gpmu_event_free(event);
}

static void make(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		 const char *text)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = SIZE_MAX };
	struct gpmu_event *event = gpmu_event_new(machine, catalog, text, &error);
	int why = errno;

	if (!event) {
		must(why == EINVAL || why == ENOENT || why == ENODEV);
		refused(&error, text);
		return;
	}
	must(error.offset == SIZE_MAX);
	check(event, text);
	for (size_t i = 0; i < event->length; i++)
		again(machine, catalog, &event->instances[i]);
	gpmu_event_free(event);
}

static void edit(const struct gpmu_machine *machine, const char *text)
{
	char *edited = event_with_terms(text, "root_port=0x3,name='a,b'");
	int ret = event_has_format(machine, text, "event");

	must(ret == 1 || ret == 0 || ret == -ENODEV || ret == -EINVAL);
	must(edited || errno == EINVAL);
	free(edited);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct gpmu_machine *machines[2];
	static struct gpmu_catalog *catalog;
	struct gpmu_error error = { .size = sizeof(error), .offset = SIZE_MAX };
	char *text = malloc(size + 1);
	struct event_list list;

	must(text != NULL);
	for (int i = 0; i < 2 && !machines[i]; i++) {
		struct sysroot root;

		sysroot_make(&root, i ? "laptop" : "superchip");
		machines[i] = gpmu_machine_new(root.path, NULL);
		if (!i)
			catalog = gpmu_catalog_new(NULL, NULL);
		must(machines[i] && catalog);
		sysroot_release(&root);
	}
	if (size)
		memcpy(text, data, size);
	text[size] = 0;
	if (event_list_init(&list, text, &error)) {
		refused(&error, text);
	} else {
		must(list.length > 0);
		for (size_t i = 0; i < list.length; i++) {
			must(list.items[i].offset < strlen(text));
			must(list.items[i].group < list.groups);
			make(machines[0], catalog, list.items[i].text);
			make(machines[1], NULL, list.items[i].text);
			edit(machines[0], list.items[i].text);
		}
		event_list_release(&list);
	}
	make(machines[0], catalog, text);
	free(text);
	return 0;
}
