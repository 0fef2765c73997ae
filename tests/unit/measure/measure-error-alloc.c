// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of gpmu_open() and gpmu_recorder_new() fails in turn. */
#include "alloc.h"
#include "gpmu.h"

static char spec[] = MODEL "=metrics/sources/model/scenarios/steady.scenario";
static const char *const sources[] = { spec };
static const struct gpmu_options options = {
	.size = sizeof(options), .sources = sources, .source_count = 1, .format = GPMU_SINK_CSV,
	.separator = ";",
};

/* Returns -ENOMEM if the error has a text, 1 if it has none, and -err for another failure. */
static int reported(int err, const struct gpmu_error *error)
{
	return err == ENOMEM && !*error->text ? 1 : -err;
}

static int open_and_close(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g;

	errno = 0;
	g = gpmu_open("GraceMemBW,page-faults:u", &options, &error);
	if (!g)
		return reported(errno, &error);
	gpmu_close(g);
	return 0;
}

static int new_recorder(void)
{
	const struct gpmu_recorder_options recording = {
		.size = sizeof(recording), .path = "/nonexistent/a.pftrace", .command = "app",
	};
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_recorder *recorder;

	errno = 0;
	recorder = gpmu_recorder_new(&recording, &error);
	if (!recorder)
		return reported(errno, &error);
	gpmu_recorder_free(recorder);
	return 0;
}

int main(void)
{
	alloc_fail_each(open_and_close, 300, "measure: opening and closing counters");
	alloc_fail_each(new_recorder, 2, "recorder: creating a recorder");
	return done_testing();
}
