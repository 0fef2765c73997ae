// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ten seconds of the endless scenarios: each count is ten times the rate derived in the scenario
 * file's comments.
 */
#include "model-test.h"
#include "pmu-events/cnvlink.h"

#define TIME	(10 * SEC)

struct rate {
	enum pmu_kind kind;
	const char *event;
	uint64_t count[2];	/* of ten seconds, in socket 0 and 1 */
};

/* In units of 10^6 per ten seconds, so 10^5 per second. */
#define R(k, e, s0, s1)	{ PMU_##k, e, { (s0) * 1000000ull, (s1) * 1000000ull } }

/* Traffic to CMEM and to GMEM of socket 0 and 1 in the events of pmu-events/cnvlink.h */
#define CMEM	1
#define GMEM	2
#define SUM(memories, cmem, gmem)	\
		(!!((memories) & CMEM) * (cmem) + !!((memories) & GMEM) * (gmem))
#define CNVLINK(e, c0, c1, g0, g1)	\
	R(CNVLINK, e "loc", SUM(CNVLINK_LOC, c0, g0), SUM(CNVLINK_LOC, c1, g1)),	\
	R(CNVLINK, e "rem", SUM(CNVLINK_REM, c0, g0), SUM(CNVLINK_REM, c1, g1))

static const struct rate steady[] = {
	R(SCF, "cycles", 32000, 28000),
	R(SCF, "bus_cycles", 32000, 28000),
	R(SCF, "cmem_rd_data", 25000, 11000),
	R(SCF, "cmem_rd_access", 12500, 5500),
	R(SCF, "cmem_rd_outstanding", 4000000, 2310000),
	R(SCF, "cmem_wb_access", 7000, 3500),
	R(SCF, "cmem_wb_data", 14000, 7000),
	R(SCF, "cmem_wr_access", 2100, 500),
	R(SCF, "cmem_wr_data", 67200, 16000),
	R(SCF, "cmem_wr_total_bytes", 515200, 240000),
	R(SCF, "gmem_rd_data", 0, 0),
	R(SCF, "gmem_wr_total_bytes", 0, 0),
	R(SCF, "remote_socket_rd_data", 1000, 5000),
	R(SCF, "remote_socket_rd_access", 500, 2500),
	R(SCF, "remote_socket_rd_outstanding", 400000, 1400000),
	R(SCF, "remote_socket_wr_total_bytes", 80000, 128000),
	R(SCF, "socket_0_rd_data", 0, 5000),
	R(SCF, "socket_0_rd_access", 0, 2500),
	R(SCF, "socket_0_rd_outstanding", 0, 1400000),
	R(SCF, "socket_0_wb_access", 0, 2000),
	R(SCF, "socket_0_wr_access", 0, 0),
	R(SCF, "socket_1_rd_data", 1000, 0),
	R(SCF, "socket_1_rd_access", 500, 0),
	R(SCF, "socket_1_rd_outstanding", 400000, 0),
	R(SCF, "socket_1_wb_access", 1000, 0),
	R(SCF, "socket_1_wb_data", 2000, 0),
	R(SCF, "socket_1_wr_access", 500, 0),
	R(SCF, "socket_1_wr_data", 16000, 0),
	R(SCF, "scf_cache", 23600, 9500),
	R(SCF, "scf_cache_refill", 12500, 5500),
	R(SCF, "scf_cache_allocate", 19500, 9000),
	R(SCF, "scf_cache_wb", 7000, 3500),
	R(PCIE, "cycles", 20000, 20000),
	R(PCIE, "rd_bytes_loc", 64000, 128000),
	R(PCIE, "rd_bytes_rem", 32000, 16000),
	R(PCIE, "wr_bytes_loc", 32000, 0),
	R(PCIE, "wr_bytes_rem", 16000, 9600),
	R(PCIE, "total_bytes_loc", 96000, 128000),
	R(PCIE, "total_bytes_rem", 48000, 25600),
	R(PCIE, "rd_req_loc", 1000, 2000),
	R(PCIE, "rd_req_rem", 500, 250),
	R(PCIE, "wr_req_loc", 1000, 0),
	R(PCIE, "wr_req_rem", 250, 300),
	R(PCIE, "rd_cum_outs_loc", 1000000, 1600000),
	R(PCIE, "rd_cum_outs_rem", 700000, 400000),
	R(C2C0, "cycles", 16000, 16000),
	R(C2C0, "rd_bytes_loc", 16000, 32000),
	R(C2C0, "wr_bytes_loc", 6400, 16000),
	R(C2C0, "rd_req_loc", 250, 500),
	R(C2C0, "wr_req_loc", 200, 250),
	R(C2C0, "rd_cum_outs_loc", 120000, 280000),
	R(C2C0, "rd_bytes_rem", 0, 0),
	R(C2C1, "cycles", 15000, 15000),
	R(C2C1, "total_bytes_loc", 0, 0),
	R(CNVLINK, "cycles", 12500, 12500),
	R(CNVLINK, "total_bytes_loc", 0, 0),
};

static const struct rate steady_changed[] = {
	R(SCF, "cmem_rd_data", 20000, 11000),
	R(SCF, "cmem_rd_access", 10000, 5500),
	R(SCF, "cmem_rd_outstanding", 3200000, 2310000),
	R(SCF, "cmem_wr_total_bytes", 515200, 240000),
	R(SCF, "scf_cache", 21100, 9500),
	R(PCIE, "rd_bytes_loc", 64000, 128000),
};

static const struct rate steady_gracehopper[] = {
	R(SCF, "gmem_rd_data", 9000, 2000),
	R(SCF, "gmem_rd_access", 4500, 1000),
	R(SCF, "gmem_rd_outstanding", 2880000, 960000),
	R(SCF, "gmem_wb_access", 2000, 0),
	R(SCF, "gmem_wr_access", 0, 1200),
	R(SCF, "gmem_wr_total_bytes", 128000, 38400),
	R(SCF, "cmem_rd_data", 0, 0),
	R(SCF, "remote_socket_rd_data", 0, 1000),
	R(SCF, "remote_socket_rd_outstanding", 0, 800000),
	R(C2C0, "rd_bytes_loc", 640000, 160000),
	R(C2C0, "wr_bytes_loc", 320000, 0),
	R(C2C0, "rd_req_loc", 10000, 2500),
	R(C2C0, "wr_req_loc", 10000, 0),
	R(C2C0, "rd_cum_outs_loc", 6400000, 2000000),
	R(C2C0, "rd_bytes_rem", 0, 80000),
	R(C2C0, "wr_bytes_rem", 40000, 0),
	R(C2C0, "rd_cum_outs_rem", 0, 1800000),
	R(C2C1, "rd_bytes_loc", 64000, 0),
	R(C2C1, "wr_bytes_loc", 16000, 32000),
	R(C2C1, "rd_req_loc", 1000, 0),
	R(C2C1, "wr_req_loc", 500, 1000),
	R(C2C1, "rd_cum_outs_loc", 900000, 0),
	CNVLINK("rd_bytes_", 112000, 0, 0, 0),
	CNVLINK("wr_bytes_", 16000, 0, 0, 40000),
	CNVLINK("rd_cum_outs_", 875000, 0, 0, 0),
	R(PCIE, "rd_bytes_rem", 0, 32000),
	R(PCIE, "wr_bytes_rem", 6400, 16000),
};

static void check(const char *chip, const char *name, const struct rate *rates,
		  size_t len)
{
	struct model *m = model_file(chip, 2, name);
	char what[128];
	size_t i;
	int s;

	for (i = 0; i < len; i++) {
		for (s = 0; s < 2; s++) {
			snprintf(what, sizeof(what),
				 "model: %s: %s of %s socket %d has the derived rate", name,
				 rates[i].event, chip_kind_name(rates[i].kind), s);
			is_u64(count(m, rates[i].kind, s, rates[i].event, TIME),
			       rates[i].count[s], what);
		}
	}
	ok(model_running(m, TIME) == 1, "model: %s does not end by itself", name);
	model_free(m);
}

static void idle(void)
{
	struct model *m = model_file("superchip", 2, "idle");
	const struct chip_event *events;
	enum pmu_kind kind;
	uint64_t sum = 0;
	size_t i, len;

	for (kind = PMU_SCF; kind < PMU_FOREIGN; kind++) {
		events = chip_events(kind, &len);
		for (i = 0; i < len; i++)
			if (events[i].measure != MEASURE_CYCLES)
				sum += count(m, kind, 0, events[i].name, TIME) +
				       count(m, kind, 1, events[i].name, TIME);
	}
	is_u64(sum, 0, "model: idle: only clock events count");
	is_u64(count(m, PMU_SCF, 0, "cycles", TIME), 32000000000ull,
	       "model: idle: the clock advances at 3.2 GHz");
	ok(!model_running(m, 0), "model: idle: no flow is running");
	model_free(m);
}

#define LEN(a)	(sizeof(a) / sizeof((a)[0]))

int main(void)
{
	check("superchip", "steady", steady, LEN(steady));
	check("superchip", "steady-changed", steady_changed, LEN(steady_changed));
	check("gracehopper", "steady-gracehopper", steady_gracehopper,
	      LEN(steady_gracehopper));
	idle();
	return done_testing();
}
