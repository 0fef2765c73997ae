// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each row of the coverage tables: a flow of 640 bytes counts in the events
 * that the documents name, and in no other event of any PMU.
 */
#include "model-test.h"

/* An event that the flow drives. */
struct seen {
	enum pmu_kind kind;
	unsigned int socket;
	const char *event;
	uint64_t count;
};

struct row {
	const char *what;
	const char *chip;
	unsigned int sockets;
	const char *flow;
	struct seen seen[24];	/* ends with a NULL event */
};

/* 10 reads of 64 bytes, 20 beats; latency 100 ns: 320, 200, 160, 150 or 125 cycles */
#define RD	" rd bytes=640 over=1us latency=100ns"
#define WB	" wb bytes=640 over=1us"
/* 20 writes of 32 bytes */
#define WR	" wr bytes=640 size=32 over=1us"

#define S(k, s, e, n)	{ PMU_##k, s, e, n }
#define CACHE_RD(s)	S(SCF, s, "scf_cache", 10), S(SCF, s, "scf_cache_refill", 10), \
			S(SCF, s, "scf_cache_allocate", 10)
#define CACHE_WB(s)	S(SCF, s, "scf_cache", 10), S(SCF, s, "scf_cache_wb", 10), \
			S(SCF, s, "scf_cache_allocate", 10)
#define CACHE_WR(s)	S(SCF, s, "scf_cache", 20)
#define MEM_RD(s, m)	S(SCF, s, m "_rd_data", 20), S(SCF, s, m "_rd_access", 10), \
			S(SCF, s, m "_rd_outstanding", 3200)
#define MEM_WB(s, m)	S(SCF, s, m "_wb_data", 20), S(SCF, s, m "_wb_access", 10), \
			S(SCF, s, m "_wr_total_bytes", 640)
#define MEM_WR(s, m)	S(SCF, s, m "_wr_data", 640), S(SCF, s, m "_wr_access", 20), \
			S(SCF, s, m "_wr_total_bytes", 640)
#define SOCKET_RD(s, h)	S(SCF, s, "socket_" h "_rd_data", 20), \
			S(SCF, s, "socket_" h "_rd_access", 10), \
			S(SCF, s, "socket_" h "_rd_outstanding", 3200), \
			S(SCF, s, "remote_socket_rd_data", 20), \
			S(SCF, s, "remote_socket_rd_access", 10), \
			S(SCF, s, "remote_socket_rd_outstanding", 3200)
#define SOCKET_WB(s, h)	S(SCF, s, "socket_" h "_wb_data", 20), \
			S(SCF, s, "socket_" h "_wb_access", 10), \
			S(SCF, s, "remote_socket_wr_total_bytes", 640)
#define SOCKET_WR(s, h)	S(SCF, s, "socket_" h "_wr_data", 640), \
			S(SCF, s, "socket_" h "_wr_access", 20), \
			S(SCF, s, "remote_socket_wr_total_bytes", 640)
#define LINK_RD(k, s, x, cycles)				\
			S(k, s, "rd_bytes_" x, 640), S(k, s, "total_bytes_" x, 640), \
			S(k, s, "rd_req_" x, 10), S(k, s, "total_req_" x, 10), \
			S(k, s, "rd_cum_outs_" x, 10 * (cycles))
#define LINK_WR(k, s, x)	S(k, s, "wr_bytes_" x, 640), \
			S(k, s, "total_bytes_" x, 640), \
			S(k, s, "wr_req_" x, 20), S(k, s, "total_req_" x, 20)

static const struct row rows[] = {
	/* Superchip */
	{ "Superchip: local CPU read", "superchip", 2, "cpu:0 -> cmem:0" RD,
	  { MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{ "Superchip: local CPU write-back", "superchip", 2, "cpu:1 -> cmem:1" WB,
	  { MEM_WB(1, "cmem"), CACHE_WB(1) } },
	{ "Superchip: local CPU write", "superchip", 2, "cpu:0 -> cmem:0" WR,
	  { MEM_WR(0, "cmem"), CACHE_WR(0) } },
	{ "Superchip: remote CPU read", "superchip", 2, "cpu:0 -> cmem:1" RD,
	  { SOCKET_RD(0, "1"), MEM_RD(1, "cmem"), CACHE_RD(1) } },
	{ "Superchip: remote CPU write-back", "superchip", 2, "cpu:1 -> cmem:0" WB,
	  { SOCKET_WB(1, "0"), MEM_WB(0, "cmem"), CACHE_WB(0) } },
	{ "Superchip: remote CPU write", "superchip", 2, "cpu:0 -> cmem:1" WR,
	  { SOCKET_WR(0, "1"), MEM_WR(1, "cmem"), CACHE_WR(1) } },
	{ "Superchip: local PCIe read", "superchip", 2, "pcie:1:4 -> cmem:1" RD,
	  { LINK_RD(PCIE, 1, "loc", 200) } },
	{ "Superchip: local PCIe write", "superchip", 2, "pcie:0:9 -> cmem:0" WR,
	  { LINK_WR(PCIE, 0, "loc") } },
	{ "Superchip: local strongly-ordered PCIe write stays in the PCIe PMU", "superchip", 2,
	  "pcie:0:9 -> cmem:0" WR " order=strong", { LINK_WR(PCIE, 0, "loc") } },
	{ "Superchip: remote PCIe read", "superchip", 2, "pcie:1:0 -> cmem:0" RD,
	  { LINK_RD(PCIE, 1, "rem", 200), LINK_RD(C2C0, 0, "loc", 160) } },
	{ "Superchip: remote relaxed-ordered PCIe write", "superchip", 2,
	  "pcie:0:0 -> cmem:1" WR " order=relaxed",
	  { LINK_WR(PCIE, 0, "rem"), LINK_WR(C2C0, 1, "loc") } },
	{ "Superchip: remote strongly-ordered PCIe write is in the home's SCF", "superchip", 2,
	  "pcie:0:0 -> cmem:1" WR " order=strong",
	  { LINK_WR(PCIE, 0, "rem"), MEM_WR(1, "cmem"), CACHE_WR(1) } },
	/* Grace Hopper, one socket */
	{ "Grace Hopper: local CPU read", "gracehopper", 1, "cpu:0 -> cmem:0" RD,
	  { MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{ "Grace Hopper: CPU read of GPU memory", "gracehopper", 1, "cpu:0 -> gmem:0" RD,
	  { MEM_RD(0, "gmem"), CACHE_RD(0) } },
	{ "Grace Hopper: CPU write-back to GPU memory", "gracehopper", 1, "cpu:0 -> gmem:0" WB,
	  { MEM_WB(0, "gmem"), CACHE_WB(0) } },
	{ "Grace Hopper: CPU write to GPU memory", "gracehopper", 1, "cpu:0 -> gmem:0" WR,
	  { MEM_WR(0, "gmem"), CACHE_WR(0) } },
	{ "Grace Hopper: PCIe read of CPU memory", "gracehopper", 1, "pcie:0:1 -> cmem:0" RD,
	  { LINK_RD(PCIE, 0, "loc", 200) } },
	{ "Grace Hopper: PCIe write to GPU memory", "gracehopper", 1, "pcie:0:1 -> gmem:0" WR,
	  { LINK_WR(PCIE, 0, "loc") } },
	{ "Grace Hopper: GPU ATS read", "gracehopper", 1, "gpu:0:ats -> cmem:0" RD,
	  { LINK_RD(C2C0, 0, "loc", 160) } },
	{ "Grace Hopper: GPU EGM write", "gracehopper", 1, "gpu:0:egm -> cmem:0" WR,
	  { LINK_WR(C2C0, 0, "loc") } },
	{ "Grace Hopper: a GPU without a mode is ATS", "gracehopper", 1, "gpu:0 -> cmem:0" RD,
	  { LINK_RD(C2C0, 0, "loc", 160) } },
	{ "Grace Hopper: GPU ATS to its own memory is seen by no PMU", "gracehopper", 1,
	  "gpu:0:ats -> gmem:0" RD, { { 0 } } },
	{ "Grace Hopper: GPU non-ATS read", "gracehopper", 1, "gpu:0:nats -> cmem:0" RD,
	  { LINK_RD(C2C1, 0, "loc", 150) } },
	{ "Grace Hopper: GPU non-ATS write to GPU memory", "gracehopper", 1, "gpu:0:nats -> gmem:0" WR,
	  { LINK_WR(C2C1, 0, "loc") } },
	/* Grace Hopper, two and four sockets */
	{ "Grace Hopper x2: remote CPU read", "gracehopper", 2, "cpu:1 -> cmem:0" RD,
	  { SOCKET_RD(1, "0"), MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{ "Grace Hopper x4: remote CPU read of GPU memory", "gracehopper", 4, "cpu:1 -> gmem:3" RD,
	  { SOCKET_RD(1, "3"), MEM_RD(3, "gmem"), CACHE_RD(3) } },
	{ "Grace Hopper x4: remote CPU write-back", "gracehopper", 4, "cpu:3 -> cmem:2" WB,
	  { SOCKET_WB(3, "2"), MEM_WB(2, "cmem"), CACHE_WB(2) } },
	{ "Grace Hopper x4: remote CPU write to GPU memory", "gracehopper", 4, "cpu:2 -> gmem:1" WR,
	  { SOCKET_WR(2, "1"), MEM_WR(1, "gmem"), CACHE_WR(1) } },
	{ "Grace Hopper x2: remote PCIe read", "gracehopper", 2, "pcie:1:2 -> cmem:0" RD,
	  { LINK_RD(PCIE, 1, "rem", 200), LINK_RD(CNVLINK, 0, "loc", 125) } },
	{ "Grace Hopper x2: remote relaxed-ordered PCIe write", "gracehopper", 2,
	  "pcie:1:2 -> gmem:0" WR " order=relaxed",
	  { LINK_WR(PCIE, 1, "rem"), LINK_WR(CNVLINK, 0, "loc") } },
	{ "Grace Hopper x2: remote strongly-ordered PCIe write", "gracehopper", 2,
	  "pcie:1:2 -> cmem:0" WR " order=strong",
	  { LINK_WR(PCIE, 1, "rem"), MEM_WR(0, "cmem"), CACHE_WR(0) } },
	{ "Grace Hopper x2: the same to GPU memory", "gracehopper", 2,
	  "pcie:0:2 -> gmem:1" WR " order=strong",
	  { LINK_WR(PCIE, 0, "rem"), MEM_WR(1, "gmem"), CACHE_WR(1) } },
	{ "Grace Hopper x2: remote GPU ATS read", "gracehopper", 2, "gpu:0:ats -> cmem:1" RD,
	  { LINK_RD(C2C0, 0, "rem", 160), LINK_RD(CNVLINK, 1, "loc", 125) } },
	{ "Grace Hopper x4: remote GPU ATS write to GPU memory", "gracehopper", 4,
	  "gpu:3:ats -> gmem:0" WR,
	  { LINK_WR(C2C0, 3, "rem"), LINK_WR(CNVLINK, 0, "loc") } },
	{ "Grace Hopper x4: remote GPU non-ATS read", "gracehopper", 4, "gpu:2:nats -> cmem:1" RD,
	  { LINK_RD(C2C1, 2, "rem", 150), LINK_RD(CNVLINK, 1, "loc", 125) } },
	{ "Grace Hopper x2: remote GPU non-ATS write to GPU memory", "gracehopper", 2,
	  "gpu:1:nats -> gmem:0" WR,
	  { LINK_WR(C2C1, 1, "rem"), LINK_WR(CNVLINK, 0, "loc") } },
	/* The cache of the home socket */
	{ "a read that the cache serves reaches no memory", "superchip", 2,
	  "cpu:0 -> cmem:0" RD " served=cache", { S(SCF, 0, "scf_cache", 10) } },
	{ "a remote read that the home's cache serves counts at the source only", "superchip", 2,
	  "cpu:0 -> cmem:1" RD " served=cache",
	  { SOCKET_RD(0, "1"), S(SCF, 1, "scf_cache", 10) } },
	{ "a write-back that stays in the cache evicts nothing", "superchip", 2,
	  "cpu:0 -> cmem:0" WB " served=cache",
	  { S(SCF, 0, "scf_cache", 10), S(SCF, 0, "scf_cache_allocate", 10) } },
	{ "alloc=yes makes a write allocate", "superchip", 2, "cpu:0 -> cmem:0" WR " alloc=yes",
	  { MEM_WR(0, "cmem"), CACHE_WR(0), S(SCF, 0, "scf_cache_allocate", 20) } },
	{ "alloc=no makes a read not allocate", "superchip", 2, "cpu:0 -> cmem:0" RD " alloc=no",
	  { MEM_RD(0, "cmem"), S(SCF, 0, "scf_cache", 10), S(SCF, 0, "scf_cache_refill", 10) } },
	/* The two ends may wait for different times. */
	{ "home_latency is what the home's PMU sees", "superchip", 2,
	  "pcie:1:0 -> cmem:0" RD " home_latency=50ns",
	  { LINK_RD(PCIE, 1, "rem", 200), LINK_RD(C2C0, 0, "loc", 80) } },
};

static const char *const kind_names[] = { "scf", "pcie", "c2c0", "c2c1", "cnvlink" };

static uint64_t expected(const struct row *row, enum pmu_kind kind,
			 unsigned int socket, const char *event)
{
	const struct seen *s;

	for (s = row->seen; s->event; s++)
		if (s->kind == kind && s->socket == socket && !strcmp(s->event, event))
			return s->count;
	return 0;
}

static void check_row(const struct row *row)
{
	const struct chip_event *events;
	enum pmu_kind kind;
	unsigned int socket, wrong = 0;
	char text[256];
	struct model *m;
	size_t i, len;

	snprintf(text, sizeof(text), "flow %s\n", row->flow);
	m = model_text(row->chip, row->sockets, text);
	for (kind = PMU_SCF; kind < PMU_FOREIGN; kind++) {
		events = chip_events(kind, &len);
		for (socket = 0; socket < row->sockets; socket++) {
			for (i = 0; i < len; i++) {
				uint64_t want = expected(row, kind, socket, events[i].name);
				uint64_t got = count(m, kind, socket, events[i].name, MS);

				if (events[i].measure == MEASURE_CYCLES || got == want)
					continue;
				wrong++;
				diag("%s_%u %s: got %" PRIu64 ", want %" PRIu64,
				     kind_names[kind], socket, events[i].name, got, want);
			}
		}
	}
	ok(!wrong, "%s", row->what);
	model_free(m);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	return done_testing();
}
