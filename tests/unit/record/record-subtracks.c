// SPDX-License-Identifier: LGPL-2.1-or-later
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "gpmu.h"
#include "record/tracks/record_subtracks.h"
#include "tap.h"

static struct record_subtracks *subtracks;
static struct gpmu_trace *trace;

static void start(bool can_nest)
{
	trace = gpmu_trace_new(open("/dev/null", O_WRONLY | O_CLOEXEC), NULL, NULL);
	subtracks = record_subtracks_new(trace, 0, 0, "track", can_nest);
}

static void stop(void)
{
	record_subtracks_free(subtracks);
	gpmu_trace_free(trace);
}

/* Returns the sub-track of a slice, from 1 on. */
static size_t place(uint64_t begin, uint64_t end)
{
	bool is_crossing;
	int track = record_subtracks_place(subtracks, begin, end, &is_crossing);

	for (size_t i = 0; i < subtracks->length; i++)
		if (subtracks->list[i].track == track)
			return is_crossing == (i > 0) ? i + 1 : 0;
	return 0;
}

int main(void)
{
	bool is_first = true;

	start(false);
	ok(place(10, 20) == 1 && place(20, 30) == 1,
	   "sub-tracks: consecutive slices share one sub-track");
	ok(place(25, 27) == 2 && place(26, 40) == 3,
	   "sub-tracks: each overlapping slice has a sub-track of its own");
	ok(place(30, 35) == 1 && place(30, 35) == 2,
	   "sub-tracks: a slice goes to the first sub-track with room");
	ok(place(1, 10) == 1 && place(5, 12) == 2,
	   "sub-tracks: slices that come late go before the earlier ones if there is room");
	ok(place(35, 35) == 1 && place(37, 37) == 1,
	   "sub-tracks: a slice of no duration overlaps no neighbour");
	stop();
	start(false);
	for (uint64_t i = 0; i < 1000; i++)
		is_first = is_first && place(i * 10, i * 10 + 5) == 1;
	ok(is_first, "sub-tracks: 1,000 disjoint slices share one sub-track");
	ok(place(105, 106) == 2,
	   "sub-tracks: a late slice among forgotten ones goes to another sub-track");
	stop();
	start(true);
	ok(place(10, 100) == 1 && place(20, 30) == 1 && place(22, 25) == 1,
	   "sub-tracks: slices of a thread nest in one sub-track");
	ok(place(5, 200) == 1, "sub-tracks: an outer slice may come after the slices inside it");
	ok(place(190, 210) == 2,
	   "sub-tracks: a slice that ends after the one around it goes to another sub-track");
	stop();
	start(true);
	for (uint64_t i = 0; i < 1000; i++)
		is_first = is_first && place(1000 + i * 10, 1005 + i * 10) == 1;
	ok(is_first && place(900, 20000) == 1, "sub-tracks: one slice fits around 1,000 earlier ones");
	stop();
	start(true);
	place(0, 1000000);
	for (uint64_t i = 0; i < 1000; i++)
		is_first = is_first && place(10 + i * 10, 15 + i * 10) == 1;
	ok(is_first, "sub-tracks: 1,000 slices fit inside one");
	stop();
	return done_testing();
}
