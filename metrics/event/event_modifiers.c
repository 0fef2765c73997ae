// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "event/event_build.h"

/* perf's modifiers. @why is the reason why libgpmu refuses the modifier, or NULL. */
static const struct {
	char letter;
	const char *why;
} letters[] = {
	{ 'u', NULL },	/* user */
	{ 'k', NULL },	/* kernel */
	{ 'h', NULL },	/* hypervisor */
	{ 'G', NULL },	/* guests */
	{ 'H', NULL },	/* host */
	{ 'I', NULL },	/* not while idle */
	{ 'p', NULL },	/* precise */
	{ 'D', NULL },	/* pinned */
	{ 'e', NULL },	/* exclusive */
	{ 'W', NULL },	/* weak group */
	{ 'X', NULL },	/* not regrouped; libgpmu never regroups */
	{ 'P', "modifier P is for perf record only: sample as precisely as possible" },
	{ 'S', "modifier S is for perf record only: sample a group by its leader" },
	{ 'b', "modifier b is for perf only: count in a BPF program" },
	{ 'R', "modifier R is for perf only: sample latencies by a concurrent perf record" },
};

static int find_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i].letter == letter)
			return (int)i;
	return -1;
}

bool event_are_modifiers(const char *text)
{
	if (!*text)
		return false;
	for (; *text; text++)
		if (find_letter(*text) < 0)
			return false;
	return true;
}

static bool has(const char *text, char letter)
{
	return strchr(text, letter) != NULL;
}

/* A modifier that selects levels or machines excludes those that are not named. */
static void exclude(struct perf_event_attr *attr, const char *text)
{
	bool has_levels = strpbrk(text, "ukh"), has_machines = strpbrk(text, "GH");

	attr->exclude_user = has_levels && !has(text, 'u');
	attr->exclude_kernel = has_levels && !has(text, 'k');
	attr->exclude_hv = has_levels && !has(text, 'h');
	attr->exclude_host = has_machines && !has(text, 'H');
	attr->exclude_guest = has_machines && !has(text, 'G');
	attr->exclude_idle = has(text, 'I');
}

int event_set_modifiers(struct event_builder *builder, const char *text)
{
	struct perf_event_attr *attr = &builder->form.attr;
	unsigned int precise = 0;

	builder->modifiers = text;
	for (const char *c = text; *c; c++) {
		int i = find_letter(*c);

		if (i < 0)
			return event_fail(builder, c, EINVAL, "%c is not a modifier: expected "
					  "u, k, h, G, H, I, p, D, e, W", *c);
		if (letters[i].why)
			return event_fail(builder, c, EINVAL, "%s", letters[i].why);
		precise += *c == 'p';
		if (precise > 3 || (*c != 'p' && memchr(text, *c, (size_t)(c - text))))
			return event_fail(builder, c, EINVAL, "modifier %c occurs %s", *c,
					  *c == 'p' ? "more than three times" : "twice");
	}
	exclude(attr, text);
	attr->precise_ip = precise;
	attr->pinned = has(text, 'D');
	attr->exclusive = has(text, 'e');
	builder->form.is_weak = has(text, 'W');
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv || attr->exclude_host ||
	    attr->exclude_guest || attr->exclude_idle)
		builder->excludes = strpbrk(text, "ukhGHI");
	return 0;
}
