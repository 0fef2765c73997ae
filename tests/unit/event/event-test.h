/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fake machines, and checks of the events made on them */
#ifndef GPMU_TESTS_EVENT_H
#define GPMU_TESTS_EVENT_H

#include <errno.h>
#include <stdlib.h>

#include "sysroot.h"
#include "event/event.h"
#include "gpmu.h"
#include "tap.h"

struct fixture {
	struct sysroot root;
	struct gpmu_machine *machine;
	struct gpmu_catalog *catalog;
};

__attribute__((unused))
static void fixture_init(struct fixture *fixture, const char *name)
{
	sysroot_make(&fixture->root, name);
	fixture->machine = gpmu_machine_new(fixture->root.path, NULL);
	fixture->catalog = gpmu_catalog_new(NULL, NULL);
	if (!fixture->machine || !fixture->catalog)
		sysroot_bail(name);
}

__attribute__((unused))
static void fixture_release(struct fixture *fixture)
{
	gpmu_catalog_free(fixture->catalog);
	gpmu_machine_free(fixture->machine);
	sysroot_release(&fixture->root);
}

#define MAX_TEXT	4096

__attribute__((format(printf, 2, 3)))
static void add_text(char *text, const char *fmt, ...)
{
	size_t length = strlen(text);
	va_list args;

	va_start(args, fmt);
	vsnprintf(text + length, MAX_TEXT - length, fmt, args);
	va_end(args);
}

static void add_words(char *text, const struct perf_event_attr *attr)
{
	if (attr->config1)
		add_text(text, " config1=%#llx", (unsigned long long)attr->config1);
	if (attr->config2)
		add_text(text, " config2=%#llx", (unsigned long long)attr->config2);
#ifdef PERF_ATTR_SIZE_VER8
	if (attr->config3)
		add_text(text, " config3=%#llx", (unsigned long long)attr->config3);
#endif
	add_text(text, "%s%s%s%s%s%s", attr->exclude_user ? " -u" : "",
		 attr->exclude_kernel ? " -k" : "", attr->exclude_hv ? " -h" : "",
		 attr->exclude_host ? " -H" : "", attr->exclude_guest ? " -G" : "",
		 attr->exclude_idle ? " -I" : "");
	if (attr->precise_ip)
		add_text(text, " precise=%d", attr->precise_ip);
	add_text(text, "%s%s", attr->pinned ? " pinned" : "", attr->exclusive ? " exclusive" : "");
}

/*
 * The event as text: "NAME = PMU TYPE CONFIG" and the other fields that are not 0, instances
 * separated by "; "
 */
__attribute__((unused))
static const char *event_to_text(const struct gpmu_event *event)
{
	static char text[MAX_TEXT];

	text[0] = '\0';
	for (size_t i = 0; i < event->length; i++) {
		const struct event_instance *instance = &event->instances[i];

		add_text(text, "%s%s = ", i ? "; " : "", instance->name);
		if (instance->tool) {
			add_text(text, "tool %d", instance->tool);
			continue;
		}
		add_text(text, "%s %u %#llx", instance->pmu ? gpmu_pmu_name(instance->pmu) : "-",
			 instance->attr.type, (unsigned long long)instance->attr.config);
		add_words(text, &instance->attr);
		add_text(text, "%s%s%s", instance->is_cycle_counter ? " cycle_counter" : "",
			 instance->is_weak ? " weak" : "",
			 instance->attr.size == sizeof(instance->attr) ? "" : " size");
	}
	return text;
}

__attribute__((unused))
static void is_event(const struct fixture *fixture, const char *text, const char *want,
		     const char *what)
{
	struct gpmu_error error = { .size = sizeof(error), .text = "#" };
	struct gpmu_event *event = gpmu_event_new(fixture->machine, fixture->catalog, text, &error);
	const char *got = event ? event_to_text(event) : error.text;
	bool is_same = event && !strcmp(got, want) && !strcmp(error.text, "#");

	ok(is_same, "event: %s: %s", text, what);
	if (!is_same)
		diag("got \"%s\", want \"%s\"", got, want);
	gpmu_event_free(event);
}

/* Checks that an event is refused with this errno, offset and message. */
__attribute__((unused))
static void is_refused(const struct fixture *fixture, const char *text, int why, size_t offset,
		       const char *message)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = 999, .text = "#" };
	struct gpmu_event *event;
	bool is_same;

	errno = 0;
	event = gpmu_event_new(fixture->machine, fixture->catalog, text, &error);
	is_same = !event && errno == why && error.offset == offset && !strcmp(error.text, message);
	ok(is_same, "event: \"%s\" is refused: %s", text, message);
	if (!is_same)
		diag("got %s, errno %d, at %zu: %s", event ? "an event" : "none", errno,
		     error.offset, error.text);
	gpmu_event_free(event);
}

#endif /* GPMU_TESTS_EVENT_H */
