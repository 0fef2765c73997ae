// SPDX-License-Identifier: LGPL-2.1-or-later
/* The argument of -e: events, groups, and modifiers of groups */
#include <errno.h>

#include "event/event_list.h"
#include "tap.h"

/* The list as text: "OFFSET TEXT GROUP" of each event, separated by "| " */
static void is_list(const char *text, const char *want, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct event_list list;
	char got[512] = "";

	if (event_list_init(&list, text, &error)) {
		ok(false, "event list: \"%s\": %s", text, what);
		diag("at %zu: %s", error.offset, error.text);
		return;
	}
	for (size_t i = 0; i < list.length; i++) {
		size_t length = strlen(got);

		snprintf(got + length, sizeof(got) - length, "%s%zu %s %d", i ? " | " : "",
			 list.items[i].offset, list.items[i].text, list.items[i].group);
	}
	if (!ok(!strcmp(got, want), "event list: \"%s\": %s", text, what))
		diag("got \"%s\", want \"%s\"", got, want);
	event_list_release(&list);
}

static void is_refused(const char *text, size_t offset, const char *message)
{
	struct gpmu_error error = { .size = sizeof(error), .offset = 999, .text = "" };
	struct event_list list;
	int ret = event_list_init(&list, text, &error);
	bool is_same = ret == -EINVAL && error.offset == offset && !strcmp(error.text, message);

	if (!ok(is_same, "event list: \"%s\" is refused: %s", text, message))
		diag("got %d at %zu: %s", ret, error.offset, error.text);
	if (!ret)
		event_list_release(&list);
}

static void events(void)
{
	struct event_list list;

	is_list("cycles", "0 cycles -1", "one event is a list");
	is_list("a,b:u,c/d,e=1/k,f", "0 a -1 | 2 b:u -1 | 6 c/d,e=1/k -1 | 16 f -1",
		"commas between two \"/\" belong to the event");
	is_list(" a ,\tb ", "1 a -1 | 5 b -1", "blanks around events are ignored");
	is_list("a/name='x,/y'/,b", "0 a/name='x,/y'/ -1 | 15 b -1",
		"commas and slashes in quotes belong to the event");
	is_list("a/b\\=c\\,d/,e\\,f", "0 a/b\\=c\\,d/ -1 | 11 e\\,f -1",
		"a backslash protects commas and equals signs");
	is_list("mem:0x1000/8:rw,cycles", "0 mem:0x1000/8:rw -1 | 16 cycles -1",
		"a breakpoint with one \"/\" is one event");
	is_list("snb::L1D:REPLACEMENT:u,sched:sched_switch",
		"0 snb::L1D:REPLACEMENT:u -1 | 23 sched:sched_switch -1", "names can have colons");
	ok(!event_list_init(&list, "a", NULL) && !list.groups && list.length == 1,
	   "event list: a list without groups has none");
	event_list_release(&list);
}

static void groups(void)
{
	struct event_list list;

	is_list("{a,b}", "1 a 0 | 3 b 0", "two events are a group");
	is_list("x,{a,b},y,{c}", "0 x -1 | 3 a 0 | 5 b 0 | 8 y -1 | 11 c 1",
		"two groups stand among other events");
	is_list("{a,b}:u", "1 a:u 0 | 3 b:u 0", "a group's modifiers apply to each event");
	is_list("{a:k,b/c/,b/c/:p,d/e/h}:kp",
		"1 a:kp 0 | 5 b/c/kp 0 | 10 b/c/:pkp 0 | 17 d/e/hkp 0",
		"a group's modifiers are added to an event's own, p also twice");
	is_list("{a,b}:DeW", "1 a:DeW 0 | 3 b:W 0", "only the leader gets modifiers D and e");
	is_list("{sched:sched_switch,a::b:u,c::d}:u",
		"1 sched:sched_switch:u 0 | 20 a::b:u 0 | 27 c::d:u 0",
		"a colon in a name does not start modifiers");
	is_list("g{a,b},h-2{ c }:u", "2 a 0 | 4 b 0 | 12 c:u 1", "a group's name is ignored");
	ok(!event_list_init(&list, "{a},{b},c", NULL) && list.groups == 2,
	   "event list: a list has the number of its groups");
	event_list_release(&list);
}

static void refused(void)
{
	is_refused("", 0, "expected an event");
	is_refused(" ", 1, "expected an event");
	is_refused("a,", 2, "expected an event");
	is_refused(",a", 0, "expected an event");
	is_refused("a,,b", 2, "expected an event");
	is_refused("{}", 1, "expected an event");
	is_refused("{a,}", 3, "expected an event");
	is_refused("x,{a,b", 2, "\"{\" without \"}\"");
	is_refused("a}", 1, "\"}\" without \"{\"");
	is_refused("{a}}", 3, "\"}\" without \"{\"");
	is_refused("{a,{b}}", 3, "expected an event");
	is_refused("{a{b}}", 2, "groups cannot be nested");
	is_refused("{a}b", 3, "expected \",\" or the end");
	is_refused("{a}:", 4, "expected modifiers of the group, such as \"u\"");
	is_refused("{a}:u:k", 4, "expected modifiers of the group, such as \"u\"");
	is_refused("a,b/c", 3, "\"/\" without a closing \"/\"");
	is_refused("a/name='x/", 1, "\"'\" without a closing \"'\"");
}

int main(void)
{
	events();
	groups();
	refused();
	return done_testing();
}
