// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/tracks/record_lanes.h"
#include "tap.h"

static struct record_lanes lanes;
static struct gpmu_trace *trace;

static void start(bool nests)
{
	trace = gpmu_trace_new(open("/dev/null", O_WRONLY | O_CLOEXEC), NULL, NULL);
	record_lanes_init(&lanes, trace, 0, 0, "lane", nests);
}

static void stop(void)
{
	record_lanes_release(&lanes);
	gpmu_trace_free(trace);
}

/* Which lane, from 1 on */
static size_t place(uint64_t begin, uint64_t end)
{
	bool crosses;
	int track = record_lanes_place(&lanes, begin, end, &crosses);

	for (size_t i = 0; i < lanes.length; i++)
		if (lanes.list[i].track == track)
			return crosses == (i > 0) ? i + 1 : 0;
	return 0;
}

int main(void)
{
	bool first = true;

	start(false);
	ok(place(10, 20) == 1 && place(20, 30) == 1, "slices one behind the other have one track");
	ok(place(25, 27) == 2 && place(26, 40) == 3, "those that overlap another one each");
	ok(place(30, 35) == 1 && place(30, 35) == 2, "the first that has room");
	ok(place(1, 10) == 1 && place(5, 12) == 2, "also before those that were there first");
	ok(place(35, 35) == 1 && place(37, 37) == 1, "a slice that takes no time overlaps nothing beside it");
	stop();
	start(false);
	for (uint64_t i = 0; i < 1000; i++)
		first = first && place(i * 10, i * 10 + 5) == 1;
	ok(first, "1,000 that do not overlap have one track");
	ok(place(105, 106) == 2, "late, where it is not known any more what was there, another one");
	stop();
	start(true);
	ok(place(10, 100) == 1 && place(20, 30) == 1 && place(22, 25) == 1,
	   "of a thread they may be inside of each other");
	ok(place(5, 200) == 1, "also if the outer one comes last");
	ok(place(190, 210) == 2, "but not end behind the one around them");
	stop();
	start(true);
	for (uint64_t i = 0; i < 1000; i++)
		first = first && place(1000 + i * 10, 1005 + i * 10) == 1;
	ok(first && place(900, 20000) == 1, "one around 1,000 that were there before it");
	stop();
	start(true);
	place(0, 1000000);
	for (uint64_t i = 0; i < 1000; i++)
		first = first && place(10 + i * 10, 15 + i * 10) == 1;
	ok(first, "1,000 inside of one");
	stop();
	return done_testing();
}
