// SPDX-License-Identifier: LGPL-2.1-or-later
/* The number of read system calls per interval */
#include <sys/wait.h>

#include "lib/reads.h"
#include "session-kernel.h"

#define EVENTS	"page-faults:u,task-clock:u,context-switches:u,dummy:u"

static void is_reads(const char *events, const struct gpmu_session_options *options,
		     uint64_t want, const char *what)
{
	struct test test;
	uint64_t before;
	bool is_same = true;

	test_plan(&test, NULL, NULL, NULL, events);
	test_start(&test, options);
	before = reads();
	ok(!test_interval(&test), "session reads: an interval of %s is taken", events);
	is_u64(reads() - before, want, what);
	for (size_t i = 0; i < test.rows->length; i++)
		is_same = is_same && row(&test, i)->state == GPMU_STATE_OK && row(&test, i)->share == 1;
	ok(is_same && test.rows->length > 2, "session reads: all events are counted and none is multiplexed");
	test_release(&test);
}

/* A task that ends while it is counted */
static void child(void)
{
	struct gpmu_session_options options = { .size = sizeof(options), .inherit = 1 };
	struct test test;

	test_plan(&test, NULL, NULL, NULL, "page-faults:u,task-clock:u");
	test_start(&test, &options);
	for (int i = 0; i < 20; i++) {
		pid_t pid = fork();

		if (!pid) {
			touch_pages(PAGES);
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	ok(!test_total(&test) && row(&test, 0)->raw >= 20 * PAGES && row(&test, 1)->raw,
	   "session reads: tasks that have ended are counted");
	test_release(&test);
}

int main(void)
{
	const struct gpmu_session_options inherit = { .size = sizeof(inherit), .inherit = 1 };

	if (!kernel_counts() || !reads()) {
		skip("session reads: reads of events are counted", "this kernel counts no events, or no system calls");
		return done_testing();
	}
	is_reads(EVENTS, NULL, 1, "session reads: events of one PMU are read by one call");
	is_reads("{" EVENTS "}", NULL, 1, "session reads: a group in braces is read by one call");
	is_reads("page-faults:u,task-clock:uD,dummy:u", NULL, 2,
		 "session reads: a pinned event is read by a call of its own");
	is_reads(EVENTS, &inherit, 4,
		 "session reads: each inherited event is read by a call of its own");
	child();
	return done_testing();
}
