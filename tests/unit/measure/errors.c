// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each function that refuses its options sets the error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
#include "trace/gpmu_trace.h"
#include "report/gpmu_report.h"
#include "trace/gpmu_trace.h"
#include "tap.h"

static struct gpmu_machine *machine;
static struct gpmu_catalog *catalog;
static struct gpmu_plan *plan;

static void *new_plan(struct gpmu_error *error)
{
	return gpmu_plan_new(machine, catalog, &(struct gpmu_plan_options){ 0 }, error);
}

static void *new_session(struct gpmu_error *error)
{
	return gpmu_session_new(plan, &(struct gpmu_session_options){ 0 }, error);
}

static void *new_session_of_nothing(struct gpmu_error *error)
{
	const struct gpmu_session_options options = {
		.size = sizeof(options), .aggregation = (enum gpmu_aggregation)7,
	};

	return gpmu_session_new(plan, &options, error);
}

static void *new_session_of_cpus(struct gpmu_error *error)
{
	const struct gpmu_session_options options = { .size = sizeof(options), .cpus = "x" };

	return gpmu_session_new(plan, &options, error);
}

static void *new_session_of_two(struct gpmu_error *error)
{
	const pid_t pid = getpid();
	const struct gpmu_session_options options = {
		.size = sizeof(options), .system = 1, .pids = &pid, .pid_count = 1,
	};

	return gpmu_session_new(plan, &options, error);
}

static void *new_session_early(struct gpmu_error *error)
{
	struct gpmu_plan *early = gpmu_plan_new(machine, catalog, NULL, NULL);
	struct gpmu_session *session = gpmu_session_new(early, NULL, error);
	int err = errno;

	gpmu_plan_free(early);
	errno = err;
	return session;
}

static void *new_sink(struct gpmu_error *error)
{
	return gpmu_sink_new(GPMU_SINK_CSV, stdout, &(struct gpmu_sink_options){ 0 }, error);
}

static void *new_sink_of_no_kind(struct gpmu_error *error)
{
	return gpmu_sink_new((enum gpmu_sink_kind)7, stdout, NULL, error);
}

static void *new_recorder(struct gpmu_error *error)
{
	return gpmu_recorder_new(&(struct gpmu_recorder_options){ 0 }, error);
}

static void *new_recorder_without_path(struct gpmu_error *error)
{
	const struct gpmu_recorder_options options = { .size = sizeof(options) };

	return gpmu_recorder_new(&options, error);
}

static void *open_without_size(struct gpmu_error *error)
{
	return gpmu_open("task-clock", &(struct gpmu_options){ 0 }, error);
}

static void *open_as_nothing(struct gpmu_error *error)
{
	const struct gpmu_options options = {
		.size = sizeof(options), .format = (enum gpmu_sink_kind)7,
	};

	return gpmu_open("task-clock", &options, error);
}

static void *new_marks(struct gpmu_error *error)
{
	return gpmu_marks_new("task-clock", &(struct gpmu_options){ 0 }, error);
}

static void *new_marks_of_the_system(struct gpmu_error *error)
{
	const struct gpmu_options options = { .size = sizeof(options), .system = 1 };

	return gpmu_marks_new("task-clock", &options, error);
}

static void *new_trace(struct gpmu_error *error)
{
	return gpmu_trace_new(1, &(struct gpmu_trace_options){ 0 }, error);
}

static void *new_report(struct gpmu_error *error)
{
	return gpmu_report_new(&(struct gpmu_report_options){ 0 }, error);
}

static const struct {
	void *(*make)(struct gpmu_error *error);
	const char *what;
} refused[] = {
	{ new_plan, "a plan's options without a size" },
	{ new_session, "a session's options without a size" },
	{ new_session_of_nothing, "an unknown aggregation of a session" },
	{ new_session_of_cpus, "a malformed list of CPUs" },
	{ new_session_of_two, "a session of CPUs and of processes" },
	{ new_session_early, "a session of a plan that is not made" },
	{ new_sink, "a sink's options without a size" },
	{ new_sink_of_no_kind, "an unknown kind of sink" },
	{ new_recorder, "a recorder's options without a size" },
	{ new_recorder_without_path, "a recorder's options without a path" },
	{ open_without_size, "options of gpmu_open() without a size" },
	{ open_as_nothing, "an unknown format of gpmu_open()" },
	{ new_marks, "options of marks without a size" },
	{ new_marks_of_the_system, "marks of the whole system" },
	{ new_trace, "a trace's options without a size" },
	{ new_report, "a report's options without a size" },
};

int main(void)
{
	machine = gpmu_machine_new(NULL, NULL);
	catalog = gpmu_catalog_new(NULL, NULL);
	plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	if (!plan || gpmu_plan_add_events(plan, "task-clock:u", NULL) || gpmu_plan_make(plan, NULL)) {
		printf("Bail out! no plan\n");
		return 1;
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct gpmu_error error = { .size = sizeof(error) }, none = { .text = "" };
		void *made;

		errno = 0;
		made = refused[i].make(&error);
		ok(!made && errno == EINVAL && *error.text, "errors: EINVAL and a reason are returned for %s",
		   refused[i].what);
		ok(!refused[i].make(&none) && !*none.text && !refused[i].make(NULL),
		   "errors: an error without a size is left empty for %s", refused[i].what);
	}
	gpmu_plan_free(plan);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return done_testing();
}
