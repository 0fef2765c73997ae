// SPDX-License-Identifier: LGPL-2.1-or-later
/* The states of CUPTI's range profiler: which calls are made, and that none follows a failure */
#include <stdlib.h>
#include <string.h>

#include "sources/inject/ranges/profiler.c"	/* NOLINT(bugprone-suspicious-include) */
#include "tap.h"

#define BYTES_OF_RANGE	100
#define REFUSED		26

static char called[256];	/* members of the table, each followed by a blank */
static const char *failing;	/* the member that fails; NULL: none */
static size_t passes_left;
static int object;		/* of CUPTI */

static int call(const char *member)
{
	snprintf(called + strlen(called), sizeof(called) - strlen(called), "%s ", member);
	return failing && !strcmp(failing, member) ? REFUSED : 0;
}

static int enable_call(CUpti_RangeProfiler_Enable_Params *params)
{
	params->pRangeProfilerObject = (void *)&object;
	return call("enable");
}

static int stop_call(CUpti_RangeProfiler_Stop_Params *params)
{
	passes_left -= passes_left > 0;
	params->isAllPassSubmitted = !passes_left;
	params->passIndex = 1;
	params->targetNestingLevel = 2;
	return call("stop");
}

static int data_size_call(CUpti_RangeProfiler_GetCounterDataSize_Params *params)
{
	params->counterDataSize = params->maxNumOfRanges * BYTES_OF_RANGE;
	return call("data_size");
}

static int range_info_call(CUpti_RangeProfiler_CounterData_GetRangeInfo_Params *params)
{
	params->rangeName = params->rangeIndex ? "r0/r1" : "r0";
	return call("range_info");
}

static int data_info_call(CUpti_RangeProfiler_GetCounterDataInfo_Params *params)
{
	params->numTotalRanges = 2;
	return call("data_info");
}

#define CALL(member, type) \
	static int member##_call(type *params) \
	{ \
		(void)params; \
		return call(#member); \
	}
CALL(disable, CUpti_RangeProfiler_Disable_Params)
CALL(set_config, CUpti_RangeProfiler_SetConfig_Params)
CALL(start, CUpti_RangeProfiler_Start_Params)
CALL(push, CUpti_RangeProfiler_PushRange_Params)
CALL(pop, CUpti_RangeProfiler_PopRange_Params)
CALL(decode, CUpti_RangeProfiler_DecodeData_Params)
CALL(data_initialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params)

#define MEMBER(member, ...)	.member = member##_call,
static const struct ranges_profiler_api api = { CUPTI_RANGE_FUNCTIONS(MEMBER) };
static const struct metrics metrics;
static const struct profiler_setup setup = {
	.metrics = &metrics, .replay = CHANNEL_REPLAY_USER, .ranges = 4, .per_pass = 4, .levels = 1, .level = 1,
};

static struct profiler begin(const char *failing_member, size_t passes)
{
	called[0] = '\0';
	failing = failing_member;
	passes_left = passes;
	return (struct profiler){ .api = &api };
}

static void check_order(void)
{
	struct profiler profiler = begin(NULL, 2);

	ok(profiler_enable(&profiler, &object) && profiler_configure(&profiler, &setup) && profiler_start(&profiler) &&
	   profiler_push(&profiler, "r0") && profiler_pop(&profiler) && profiler_stop(&profiler, false),
	   "inject profiler: a pass succeeds");
	is_u64(profiler.state, PROFILER_READY, "inject profiler: it is ready for the next pass");
	is_u64(profiler.image_size, 4 * BYTES_OF_RANGE, "inject profiler: the image has the size that CUPTI requests");
	ok(!profiler_decode(&profiler) && !profiler_count(&profiler) && !profiler_name(&profiler, 0),
	   "inject profiler: an image without all passes is not read");
	ok(profiler_start(&profiler) && profiler_push(&profiler, "r0") && profiler_push(&profiler, "r1") &&
	   profiler_stop(&profiler, false), "inject profiler: the last pass succeeds");
	is_str(called, "enable data_size data_initialize set_config start push pop stop start push push pop pop stop ",
	       "inject profiler: calls are in CUPTI's order, and open ranges end before the stop");
	ok(profiler.is_complete && profiler.state == PROFILER_STOPPED && profiler.pass == 1 && profiler.level == 2,
	   "inject profiler: after the last pass it is stopped, with CUPTI's pass and level");
	ok(profiler_decode(&profiler) && profiler_count(&profiler) == 2, "inject profiler: an image with all passes is read");
	is_str(profiler_name(&profiler, 1), "r1", "inject profiler: the name of a nested range is its innermost part");
	ok(profiler_disable(&profiler) && profiler.state == PROFILER_OFF, "inject profiler: it can be disabled");
	called[0] = '\0';
	ok(!profiler_disable(&profiler), "inject profiler: it is not disabled twice");
	is_str(called, "", "inject profiler: a second disabling calls nothing");
	free(profiler.image);
}

static void check_early_end(void)
{
	struct profiler profiler = begin(NULL, 2);

	profiler_enable(&profiler, &object);
	profiler_configure(&profiler, &setup);
	profiler_start(&profiler);
	ok(profiler_stop(&profiler, true) && profiler.state == PROFILER_STOPPED && !profiler.is_complete,
	   "inject profiler: it can be stopped although passes are left");
	free(profiler.image);
}

static void check_wrong_states(void)
{
	struct profiler profiler = begin(NULL, 1);

	ok(!profiler_image_size(&profiler, &metrics, 4) && !profiler_configure(&profiler, &setup) && !profiler_start(&profiler) &&
	   !profiler_push(&profiler, "r0") && !profiler_pop(&profiler) && !profiler_stop(&profiler, true) &&
	   !profiler_decode(&profiler) && !profiler_disable(&profiler) && !profiler_enable(&profiler, NULL),
	   "inject profiler: without an object and a context each function fails");
	is_str(called, "", "inject profiler: in a wrong state nothing is called");
	profiler_enable(&profiler, &object);
	ok(!profiler_start(&profiler) && !profiler_stop(&profiler, true) && !profiler_enable(&profiler, &object),
	   "inject profiler: without a configuration it does not start");
	profiler_configure(&profiler, &setup);
	profiler_start(&profiler);
	ok(!profiler_pop(&profiler) && !profiler_disable(&profiler) && !profiler_configure(&profiler, &setup),
	   "inject profiler: a started one without open ranges is neither popped, disabled nor configured");
	is_str(called, "enable data_size data_initialize set_config start ", "inject profiler: refused functions call nothing");
	free(profiler.image);
}

static void use_all(struct profiler *profiler)
{
	profiler_enable(profiler, &object);
	profiler_configure(profiler, &setup);
	profiler_start(profiler);
	profiler_push(profiler, "r0");
	profiler_pop(profiler);
	profiler_stop(profiler, true);
	profiler_decode(profiler);
	profiler_disable(profiler);
}

static void check_failures(void)
{
	static const struct {
		const char *member, *symbol;
	} members[] = {
		{ "enable", "cuptiRangeProfilerEnable" }, { "data_size", "cuptiRangeProfilerGetCounterDataSize" },
		{ "data_initialize", "cuptiRangeProfilerCounterDataImageInitialize" },
		{ "set_config", "cuptiRangeProfilerSetConfig" }, { "start", "cuptiRangeProfilerStart" },
		{ "push", "cuptiRangeProfilerPushRange" }, { "pop", "cuptiRangeProfilerPopRange" },
		{ "stop", "cuptiRangeProfilerStop" }, { "decode", "cuptiRangeProfilerDecodeData" },
		{ "disable", "cuptiRangeProfilerDisable" },
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(*members); i++) {
		struct profiler profiler = begin(members[i].member, 1);
		char last[32];

		use_all(&profiler);
		snprintf(last, sizeof(last), "%s ", members[i].member);
		ok(profiler.state == PROFILER_DEAD && profiler.failure.code == REFUSED && profiler.failure.call &&
		   !strcmp(profiler.failure.call, members[i].symbol), "inject profiler: a failed %s is recorded", members[i].symbol);
		is_str(called + strlen(called) - strlen(last), last, "inject profiler: no call follows a failed one");
		free(profiler.image);
	}
}

int main(void)
{
	check_order();
	check_early_end();
	check_wrong_states();
	check_failures();
	return done_testing();
}
