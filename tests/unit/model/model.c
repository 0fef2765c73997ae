// SPDX-License-Identifier: LGPL-2.1-or-later
/* Time in the model: starts, stops, clocks, filters, and the time of a future count */
#include <errno.h>

#include "model-test.h"

/* One request each microsecond */
#define SLOW	"flow cpu:0 -> cmem:0 rd rate=64MB/s size=64\n"
/* 10 requests in 1 ms */
#define SHOT	"flow cpu:0 -> cmem:0 rd bytes=640 over=1ms\n"

static uint64_t reads(const struct model *m, uint64_t t)
{
	return count(m, PMU_SCF, 0, "cmem_rd_access", t);
}

static void start_stop(void)
{
	struct model *m = model_text("superchip", 2, SLOW);

	is_u64(reads(m, 5 * MS), 5000, "model: a started scenario counts from its start");
	ok(!model_stop(m, 0, 6 * MS), "model: a scenario can be stopped");
	is_u64(reads(m, 9 * MS), 6000,
	       "model: a stopped scenario keeps its count and adds nothing");
	is_u64(model_running(m, 9 * MS), 0, "model: a stopped scenario does not run");
	ok(!model_start(m, 0, 10 * MS), "model: a stopped scenario can be started again");
	is_u64(reads(m, 10 * MS), 6000, "model: a start adds nothing by itself");
	is_u64(reads(m, 12 * MS), 8000, "model: a restarted scenario continues from its count");
	ok(!model_start(m, 0, 12 * MS + 500), "model: a running scenario can be restarted");
	is_u64(reads(m, 12 * MS + 1499), 8000, "model: a restart drops the request under way");
	is_u64(reads(m, 12 * MS + 1500), 8001,
	       "model: the first request after a restart takes its whole time");
	ok(model_start(m, 1, 20 * MS) == -ENOENT, "model: starting an unknown scenario is -ENOENT");
	ok(model_stop(m, 1, 20 * MS) == -ENOENT, "model: stopping an unknown scenario is -ENOENT");
	ok(!model_scenario_name(m, 1), "model: an unknown scenario has no name");
	is_str(model_scenario_name(m, 0), "test", "model: a scenario has its file's name");
	model_free(m);
}

static void repeat(void)
{
	struct model *m = model_text("superchip", 2, SHOT);
	int i;

	for (i = 1; i < 1000; i++)
		model_start(m, 0, i * 2 * MS);
	is_u64(reads(m, 2000 * MS), 10000,
	       "model: a thousand runs of a one-shot flow count a thousand times");
	model_free(m);

	m = model_text("superchip", 2,
		       "flow cpu:1 -> cmem:1 wr bytes=100 size=64 over=1ms\n");
	model_start(m, 0, 5 * MS);
	is_u64(count(m, PMU_SCF, 1, "cmem_wr_data", 10 * MS), 200,
	       "model: short requests of earlier runs keep their length");
	model_free(m);
}

static void together(void)
{
	struct text_error err;
	struct model *m = model_text("superchip", 2, SLOW);

	ok(model_add(m, scenario_parse("b", SHOT, strlen(SHOT), &err), &err) == 1,
	   "model: a second scenario has index 1");
	is_u64(model_scenarios(m), 2, "model: two scenarios are counted");
	model_start(m, 1, 2 * MS);
	is_u64(model_running(m, 2 * MS), 3, "model: two scenarios run at the same time");
	is_u64(reads(m, 3 * MS), 3010, "model: the counts of two scenarios add up");
	is_u64(model_running(m, 3 * MS), 1, "model: a one-shot scenario ends before a steady one");
	model_free(m);
}

static void clocks(void)
{
	static const char conflict[] = "clock pcie:1 2GHz\n";
	static const char agree[] = "# nothing\n\nclock pcie:1 2.5GHz\n";
	struct text_error err;
	struct model *m;

	m = model_text("superchip", 2, "clock scf 3GHz\nclock scf:1 1.5GHz\nclock pcie:1 2.5GHz\n");
	is_u64(count(m, PMU_SCF, 0, "cycles", 2 * SEC), 6000000000ull,
	       "model: clock sets the clock of all sockets");
	is_u64(count(m, PMU_SCF, 1, "cycles", 2 * SEC), 3000000000ull,
	       "model: clock sets the clock of one socket");
	is_u64(count(m, PMU_SCF, 1, "bus_cycles", 2 * SEC), 3000000000ull,
	       "model: bus_cycles has the clock of cycles");
	is_u64(count(m, PMU_PCIE, 0, "cycles", 2 * SEC), 4000000000ull,
	       "model: other PMUs keep the default clock");
	is_u64(count(m, PMU_SCF, 1, "cycles", 1), 1, "model: cycles are whole numbers");
	is_u64(count(m, PMU_SCF, 0, "cycles", 31536000 * SEC), 94608000000000000ull,
	       "model: a year of cycles does not overflow");
	ok(model_add(m, scenario_parse("c", conflict, strlen(conflict), &err), &err) == -EINVAL,
	   "model: a scenario with another clock is refused");
	is_str(err.message, "c:1: expected the same pcie:1 clock as in test.scenario:3",
	       "model: the error for another clock has both lines");
	ok(model_add(m, scenario_parse("a", agree, strlen(agree), &err), &err) == 1,
	   "model: a scenario with the same clock is accepted");
	is_u64(model_clock(m, PMU_SCF, 1), 1500000000,
	       "model: model_clock() returns a PMU's clock");
	is_u64(model_clock(m, PMU_SCF, 2), 0,
	       "model: model_clock() returns 0 for an absent socket");
	model_free(m);
}

static void filters(void)
{
	struct model *m = model_text("gracehopper", 4,
		"flow pcie:0:9 -> cmem:0 rd bytes=64 over=1ms\n"
		"flow gpu:0:ats -> cmem:0 rd bytes=128 over=1ms port=1\n"
		"flow gpu:0:nats -> cmem:0 rd bytes=256 over=1ms port=0\n"
		"flow gpu:1:ats -> cmem:0 rd bytes=512 over=1ms\n"
		"flow pcie:3:0 -> cmem:0 rd bytes=1024 over=1ms\n");

	is_u64(count_filtered(m, PMU_PCIE, 0, "rd_bytes_loc", 0x200, MS), 64,
	       "model: the filter root_port selects a root port");
	is_u64(count_filtered(m, PMU_PCIE, 0, "rd_bytes_loc", 0x1ff, MS), 0,
	       "model: the filter root_port excludes other root ports");
	is_u64(count_filtered(m, PMU_C2C0, 0, "rd_bytes_loc", 2, MS), 128,
	       "model: the filter port selects a C2C port");
	is_u64(count_filtered(m, PMU_C2C0, 0, "rd_bytes_loc", 1, MS), 0,
	       "model: the filter port excludes the other C2C port");
	is_u64(count_filtered(m, PMU_C2C1, 0, "rd_bytes_loc", 1, MS), 256,
	       "model: the filter port selects a port of C2C1");
	is_u64(count_filtered(m, PMU_CNVLINK, 0, "rd_bytes_loc", 2, MS), 512,
	       "model: the filter rem_socket selects a socket");
	is_u64(count_filtered(m, PMU_CNVLINK, 0, "rd_bytes_loc", 8, MS), 1024,
	       "model: the filter rem_socket selects another socket");
	is_u64(count_filtered(m, PMU_CNVLINK, 0, "rd_bytes_loc", 0xf, MS), 1536,
	       "model: the filter rem_socket selects several sockets");
	is_u64(count_filtered(m, PMU_CNVLINK, 0, "rd_bytes_loc", 5, MS), 0,
	       "model: the filter rem_socket counts nothing of sockets without traffic");
	is_u64(count_filtered(m, PMU_PCIE, 0, "cycles", 0, SEC), 2000000000,
	       "model: a filter does not stop the clock");
	model_free(m);
}

static void nothing(void)
{
	struct model *m = model_file("superchip", 2, "steady");
	struct model_event none = { .kind = PMU_SCF, .event = 0x1234, .filter = ALL };

	is_u64(model_count(m, &none, SEC), 0, "model: an unknown event counts nothing");
	none = (struct model_event){ PMU_SCF, 3, 0x1a5, ALL };
	is_u64(model_count(m, &none, SEC), 0, "model: a PMU of an absent socket counts nothing");
	none = (struct model_event){ PMU_FOREIGN, 0, CHIP_EVENT_CYCLES, ALL };
	is_u64(model_count(m, &none, SEC), 0, "model: another implementer's PMU counts nothing");
	model_free(m);

	errno = 0;
	ok(!model_new(chip_find("superchip"), 4) && errno == EINVAL,
	   "model: a Superchip cannot have four sockets");
	ok(!model_new(chip_find("gracehopper"), 3) && errno == EINVAL,
	   "model: a Grace Hopper cannot have three sockets");
	ok(!model_new(chip_find("hopper"), 1) && errno == EINVAL,
	   "model: an unknown chip has no model");
	model_free(NULL);
	ok(true, "model: model_free() accepts a NULL pointer");
}

static void outstanding(void)
{
	/* 0.3 ns at 3.2 GHz are 0.96 cycles: only the sum is rounded. */
	struct model *m = model_text("superchip", 2,
		"flow cpu:0 -> cmem:0 rd bytes=6400 over=1ms latency=300ps\n");

	is_u64(count(m, PMU_SCF, 0, "cmem_rd_outstanding", MS), 96,
	       "model: fractions of a cycle add up over requests");
	model_free(m);

	m = model_text("superchip", 2,
		       "clock scf 10GHz\n"
		       "flow cpu:0 -> cmem:0 rd rate=1TB/s size=1 latency=100us\n");
	/* 10^12 requests a second, 10^6 cycles each, for 100 s: 10^20 - 5 * 2^64 */
	is_u64(count(m, PMU_SCF, 0, "cmem_rd_outstanding", 100 * SEC), 7766279631452241920ull,
	       "model: a count beyond 64 bits wraps exactly");
	model_free(m);
}

static void when(void)
{
	const struct model_event cycles = { PMU_SCF, 0, CHIP_EVENT_CYCLES, ALL };
	const struct model_event rd = { PMU_SCF, 0, 0x1a6, ALL };
	const struct model_event none = { PMU_SCF, 0, 0x1234, ALL };
	struct model *m = model_text("superchip", 2, SLOW SHOT);

	is_u64(model_when(m, &cycles, 0, 3200000000ull), SEC, "model: 3.2 G cycles take a second");
	is_u64(model_when(m, &cycles, 0, 3200000001ull), SEC + 1,
	       "model: one cycle more takes a ns more");
	is_u64(model_when(m, &cycles, 7, 0), 7, "model: a count of 0 is reached at once");
	is_u64(model_when(m, &rd, 10 * MS, 1), 10 * MS + 1000,
	       "model: the next request is done after its time");
	is_u64(model_when(m, &rd, 10 * MS + 999, 1), 10 * MS + 1000,
	       "model: the next request is done sooner if part of its time has passed");
	is_u64(model_when(m, &rd, 0, 1010), MS, "model: several flows reach a count together");
	ok(model_when(m, &none, 0, 1) == MODEL_NEVER,
	   "model: an unknown event never reaches a count");
	ok(model_when(m, &rd, 0, UINT64_MAX) == MODEL_NEVER,
	   "model: a count beyond the horizon is never reached");
	ok(model_when(m, &cycles, UINT64_MAX - 1, 1) == MODEL_NEVER,
	   "model: the time of a count does not wrap");
	model_free(m);
}

static void monotonic(void)
{
	struct model *m = model_file("superchip", 2, "steady");
	const struct chip_event *events;
	uint64_t last[64] = { 0 };
	bool is_growing = true;
	size_t i, len;
	uint64_t t;

	events = chip_events(PMU_SCF, &len);
	for (t = 0; t < 30000; t += 7) {
		if (t % 5000 < 7)
			model_start(m, 0, t);
		if (t % 7000 < 7)
			model_stop(m, 0, t);
		for (i = 0; i < len; i++) {
			uint64_t now = count(m, PMU_SCF, 0, events[i].name, t);

			is_growing = is_growing && now >= last[i];
			last[i] = now;
		}
	}
	ok(is_growing, "model: no count decreases through starts and stops");
	model_free(m);
}

int main(void)
{
	start_stop();
	repeat();
	together();
	clocks();
	filters();
	nothing();
	outstanding();
	when();
	monotonic();
	return done_testing();
}
