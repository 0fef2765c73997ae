// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tracepoints with a tracefs and without one */
#include <sys/wait.h>

#include "event-test.h"

#define TRACEFS	"sys/kernel/tracing/events/"
#define DEBUGFS	"sys/kernel/debug/tracing/events/"

static const char format[] =
	"name: made_up\nID: 77\nformat:\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\nprint fmt: \"x\"\n";

static void named(const struct fixture *superchip)
{
	is_event(superchip, "sched:sched_switch", "sched:sched_switch = tracepoint 2 0x174",
		 "a tracepoint's config is its id, 372");
	is_event(superchip, "irq:irq_handler_entry:k",
		 "irq:irq_handler_entry:k = tracepoint 2 0x5a -u -h", "a tracepoint can have modifiers");
	is_event(superchip, "sched:sched_w*", "sched:sched_wakeup = tracepoint 2 0x176; "
		 "sched:sched_wakeup_new = tracepoint 2 0x175",
		 "a pattern matches tracepoints, sorted by name");
	is_event(superchip, "*:*_[es]*", "irq:irq_handler_entry = tracepoint 2 0x5a; "
		 "sched:sched_switch = tracepoint 2 0x174", "a pattern can match systems");
	is_event(superchip, "sched:*:u", "sched:sched_switch:u = tracepoint 2 0x174 -k -h; "
		 "sched:sched_wakeup:u = tracepoint 2 0x176 -k -h; "
		 "sched:sched_wakeup_new:u = tracepoint 2 0x175 -k -h",
		 "a pattern of tracepoints can have modifiers");
	is_refused(superchip, "sched:sched_swatch", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:sched_swatch; did you mean "
		   "sched:sched_switch?");
	is_refused(superchip, "scedh:sched_switch", ENOENT, 0,
		   "there is no event scedh, and no tracepoint scedh:sched_switch");
	is_refused(superchip, "sched:x*", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:x*");
	is_refused(superchip, "sched:enable", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:enable");
	is_refused(superchip, "sched:..", EINVAL, 6, "expected names of a tracepoint, SYSTEM:NAME");
	is_refused(superchip, "sched:a:c", EINVAL, 0,
		   "expected EVENT:MODIFIERS, or SYSTEM:TRACEPOINT");
	is_refused(superchip, ":x", EINVAL, 0, "expected EVENT:MODIFIERS, or SYSTEM:TRACEPOINT");
}

static void damaged(const struct fixture *superchip)
{
	static const struct {
		const char *text, *what;
	} formats[] = {
		{ "", "empty" },
		{ "name: made_up\n", "cut off" },
		{ "name: made_up\nID: many\nformat:\n", "an ID that is no number" },
		{ "name: made_up\nID: 0\nformat:\n", "ID 0" },
		{ "ID: 5\n", "no name" },
		{ "\001\002\377", "binary" },
	};
	struct gpmu_event *event;

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		sysroot_put(&superchip->root, TRACEFS "sched/made_up/format", formats[i].text);
		errno = 0;
		event = gpmu_event_new(superchip->machine, NULL, "sched:made_up", NULL);
		ok(!event && errno == EINVAL, "event: a malformed tracepoint format is refused: %s",
		   formats[i].what);
		gpmu_event_free(event);
	}
	is_refused(superchip, "sched:made_up", EINVAL, 6,
		   "sched:made_up: its format in tracefs cannot be read");
	sysroot_put(&superchip->root, TRACEFS "sched/made_up/format",
		    "name: made_up\nID: 78\nformat:\n\tfield:int "
		 "common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
		    "\nprint fmt: \"%d\", what_is_this(REC->x->y)(\n");
	is_event(superchip, "sched:made_up", "sched:made_up = tracepoint 2 0x4e",
		 "a tracepoint that cannot be printed can be counted");
	sysroot_remove(&superchip->root, TRACEFS "sched/made_up");
}

static const char unmounted[] = "tracefs is not mounted: run once as root \"mount -t tracefs tracefs "
				"/sys/kernel/tracing\"";

static void debugfs(const struct fixture *superchip)
{
	sysroot_put(&superchip->root, DEBUGFS "old/made_up/format", format);
	is_event(superchip, "old:made_up", "old:made_up = tracepoint 2 0x4d",
		 "tracefs below debugfs is searched");
	is_event(superchip, "old:*", "old:made_up = tracepoint 2 0x4d",
		 "patterns are searched in tracefs below debugfs");
	is_event(superchip, "sched:sched_switch", "sched:sched_switch = tracepoint 2 0x174",
		 "tracefs takes precedence over debugfs");
	sysroot_remove(&superchip->root, "sys/kernel/tracing");
	is_refused(superchip, "sched:sched_switch", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:sched_switch");
	is_refused(superchip, "sched:*", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:*");
	ok(!gpmu_tracepoints_why(superchip->machine), "event: tracefs below debugfs is accessible");
	sysroot_remove(&superchip->root, "sys/kernel/debug");
	is_str(gpmu_tracepoints_why(superchip->machine), "this kernel has no tracefs",
	       "event: the reason for a kernel without tracefs is given");
	sysroot_put(&superchip->root, "sys/kernel/tracing/not/mounted", "");
	is_str(gpmu_tracepoints_why(superchip->machine), unmounted,
	       "event: the reason names the mount command for tracefs");
	is_refused(superchip, "sched:sched_switch", ENOENT, 0,
		   "there is no event sched, and no tracepoint sched:sched_switch; tracefs is not "
		   "mounted: run once as root \"mount -t tracefs tracefs /sys/kernel/tracing\"");
}

/* root may read everything, so another user tries. */
static void denied(const struct fixture *superchip)
{
	static const char why[] = "no permission to read tracefs: run as root, or run once \"mount -o "
				  "remount,mode=755 /sys/kernel/tracing\"";
	char message[192];
	int status = -1;
	pid_t pid;

	sysroot_mode(&superchip->root, "sys/kernel/tracing/events", getuid() ? 0 : 0700);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		struct gpmu_error error = { .size = sizeof(error) };
		bool is_right;

		if (getuid() == 0 && setuid(65534))
			_exit(2);
		snprintf(message, sizeof(message), "sched:sched_switch: %s", why);
		is_right = !gpmu_event_new(superchip->machine, NULL, "sched:sched_switch", &error) &&
			   errno == EACCES && !strcmp(error.text, message) && error.offset == 6;
		snprintf(message, sizeof(message), "sched:*: %s", why);
		is_right = is_right && !gpmu_event_new(superchip->machine, NULL, "sched:*", &error) &&
			   errno == EACCES && !strcmp(error.text, message);
		is_right = is_right && !gpmu_event_new(superchip->machine, NULL, "*:x", &error) &&
			   errno == EACCES;
		is_right = is_right && !strcmp(gpmu_tracepoints_why(superchip->machine), why);
		_exit(!is_right);
	}
	waitpid(pid, &status, 0);
	sysroot_mode(&superchip->root, "sys/kernel/tracing/events", 0755);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
		ok(true,
		   "event: unreadable tracefs is EACCES with a remedy # SKIP root may not become "
		   "another user");
	else
		ok(WIFEXITED(status) && !WEXITSTATUS(status),
		   "event: unreadable tracefs is EACCES with a remedy");
}

int main(void)
{
	struct fixture fixture;

	fixture_init(&fixture, "superchip");
	named(&fixture);
	damaged(&fixture);
	denied(&fixture);
	debugfs(&fixture);
	fixture_release(&fixture);
	return done_testing();
}
