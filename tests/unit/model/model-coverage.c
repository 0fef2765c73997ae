// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each row of the coverage tables: a flow of 640 bytes counts in the events named by the
 * documents, and in no other event of any PMU.
 */
#include "model-test.h"
#include "pmu-events/cnvlink.h"

/* An event that counts the flow */
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

/* 10 reads of 64 bytes, 20 beats; 100 ns are 320, 200, 160, 150 or 125 cycles */
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
/* @n flows: 1, or 0 if the events do not count the memory */
#define LINKS_RD(n, k, s, x, cycles)				\
			S(k, s, "rd_bytes_" x, (n) * 640), S(k, s, "total_bytes_" x, (n) * 640), \
			S(k, s, "rd_req_" x, (n) * 10), S(k, s, "total_req_" x, (n) * 10), \
			S(k, s, "rd_cum_outs_" x, (n) * 10 * (cycles))
#define LINKS_WR(n, k, s, x)	S(k, s, "wr_bytes_" x, (n) * 640), \
			S(k, s, "total_bytes_" x, (n) * 640), \
			S(k, s, "wr_req_" x, (n) * 20), S(k, s, "total_req_" x, (n) * 20)
#define LINK_RD(k, s, x, cycles)	LINKS_RD(1, k, s, x, cycles)
#define LINK_WR(k, s, x)	LINKS_WR(1, k, s, x)
/* Memories of pmu-events/cnvlink.h */
#define CMEM		1
#define GMEM		2
#define CNVLINK_RD(s, m)	LINKS_RD(!!(CNVLINK_LOC & (m)), CNVLINK, s, "loc", 125), \
			LINKS_RD(!!(CNVLINK_REM & (m)), CNVLINK, s, "rem", 125)
#define CNVLINK_WR(s, m)	LINKS_WR(!!(CNVLINK_LOC & (m)), CNVLINK, s, "loc"), \
			LINKS_WR(!!(CNVLINK_REM & (m)), CNVLINK, s, "rem")

static const struct row rows[] = {
	/* Superchip */
	{ "a local CPU read on a Superchip", "superchip", 2, "cpu:0 -> cmem:0" RD,
	  { MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{ "a local CPU write-back on a Superchip", "superchip", 2, "cpu:1 -> cmem:1" WB,
	  { MEM_WB(1, "cmem"), CACHE_WB(1) } },
	{ "a local CPU write on a Superchip", "superchip", 2, "cpu:0 -> cmem:0" WR,
	  { MEM_WR(0, "cmem"), CACHE_WR(0) } },
	{ "a remote CPU read on a Superchip", "superchip", 2, "cpu:0 -> cmem:1" RD,
	  { SOCKET_RD(0, "1"), MEM_RD(1, "cmem"), CACHE_RD(1) } },
	{ "a remote CPU write-back on a Superchip", "superchip", 2, "cpu:1 -> cmem:0" WB,
	  { SOCKET_WB(1, "0"), MEM_WB(0, "cmem"), CACHE_WB(0) } },
	{ "a remote CPU write on a Superchip", "superchip", 2, "cpu:0 -> cmem:1" WR,
	  { SOCKET_WR(0, "1"), MEM_WR(1, "cmem"), CACHE_WR(1) } },
	{ "a local PCIe read on a Superchip", "superchip", 2, "pcie:1:4 -> cmem:1" RD,
	  { LINK_RD(PCIE, 1, "loc", 200) } },
	{ "a local PCIe write on a Superchip", "superchip", 2, "pcie:0:9 -> cmem:0" WR,
	  { LINK_WR(PCIE, 0, "loc") } },
	{
	 "a local strongly-ordered PCIe write on a Superchip, which stays in the PCIe "
	 "PMU,", "superchip", 2,
	  "pcie:0:9 -> cmem:0" WR " order=strong", { LINK_WR(PCIE, 0, "loc") } },
	{ "a remote PCIe read on a Superchip", "superchip", 2, "pcie:1:0 -> cmem:0" RD,
	  { LINK_RD(PCIE, 1, "rem", 200), LINK_RD(C2C0, 0, "loc", 160) } },
	{ "a remote relaxed-ordered PCIe write on a Superchip", "superchip", 2,
	  "pcie:0:0 -> cmem:1" WR " order=relaxed",
	  { LINK_WR(PCIE, 0, "rem"), LINK_WR(C2C0, 1, "loc") } },
	{
	 "a remote strongly-ordered PCIe write on a Superchip, which is in the home's "
	 "SCF,", "superchip", 2,
	  "pcie:0:0 -> cmem:1" WR " order=strong",
	  { LINK_WR(PCIE, 0, "rem"), MEM_WR(1, "cmem"), CACHE_WR(1) } },
	/* Grace Hopper, one socket */
	{ "a local CPU read on a Grace Hopper", "gracehopper", 1, "cpu:0 -> cmem:0" RD,
	  { MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{ "a CPU read of GPU memory on a Grace Hopper", "gracehopper", 1, "cpu:0 -> gmem:0" RD,
	  { MEM_RD(0, "gmem"), CACHE_RD(0) } },
	{
	 "a CPU write-back to GPU memory on a Grace Hopper", "gracehopper", 1, "cpu:0 -> gmem:0" WB,
	  { MEM_WB(0, "gmem"), CACHE_WB(0) } },
	{ "a CPU write to GPU memory on a Grace Hopper", "gracehopper", 1, "cpu:0 -> gmem:0" WR,
	  { MEM_WR(0, "gmem"), CACHE_WR(0) } },
	{ "a PCIe read of CPU memory on a Grace Hopper", "gracehopper", 1, "pcie:0:1 -> cmem:0" RD,
	  { LINK_RD(PCIE, 0, "loc", 200) } },
	{ "a PCIe write to GPU memory on a Grace Hopper", "gracehopper", 1, "pcie:0:1 -> gmem:0" WR,
	  { LINK_WR(PCIE, 0, "loc") } },
	{ "a GPU ATS read on a Grace Hopper", "gracehopper", 1, "gpu:0:ats -> cmem:0" RD,
	  { LINK_RD(C2C0, 0, "loc", 160) } },
	{ "a GPU EGM write on a Grace Hopper", "gracehopper", 1, "gpu:0:egm -> cmem:0" WR,
	  { LINK_WR(C2C0, 0, "loc") } },
	{ "a read by a GPU without a mode, which is ATS,", "gracehopper", 1, "gpu:0 -> cmem:0" RD,
	  { LINK_RD(C2C0, 0, "loc", 160) } },
	{ "a GPU ATS read of its own memory, which no PMU sees,", "gracehopper", 1,
	  "gpu:0:ats -> gmem:0" RD, { { 0 } } },
	{ "a GPU non-ATS read on a Grace Hopper", "gracehopper", 1, "gpu:0:nats -> cmem:0" RD,
	  { LINK_RD(C2C1, 0, "loc", 150) } },
	{ "a GPU non-ATS write to GPU memory", "gracehopper", 1, "gpu:0:nats -> gmem:0" WR,
	  { LINK_WR(C2C1, 0, "loc") } },
	/* Grace Hopper, two and four sockets */
	{ "a remote CPU read on two Grace Hoppers", "gracehopper", 2, "cpu:1 -> cmem:0" RD,
	  { SOCKET_RD(1, "0"), MEM_RD(0, "cmem"), CACHE_RD(0) } },
	{
	 "a remote CPU read of GPU memory on four Grace "
	 "Hoppers", "gracehopper", 4, "cpu:1 -> gmem:3" RD,
	  { SOCKET_RD(1, "3"), MEM_RD(3, "gmem"), CACHE_RD(3) } },
	{ "a remote CPU write-back on four Grace Hoppers", "gracehopper", 4, "cpu:3 -> cmem:2" WB,
	  { SOCKET_WB(3, "2"), MEM_WB(2, "cmem"), CACHE_WB(2) } },
	{
	 "a remote CPU write to GPU memory on four Grace "
	 "Hoppers", "gracehopper", 4, "cpu:2 -> gmem:1" WR,
	  { SOCKET_WR(2, "1"), MEM_WR(1, "gmem"), CACHE_WR(1) } },
	{ "a remote PCIe read on two Grace Hoppers", "gracehopper", 2, "pcie:1:2 -> cmem:0" RD,
	  { LINK_RD(PCIE, 1, "rem", 200), CNVLINK_RD(0, CMEM) } },
	{ "a remote relaxed-ordered PCIe write on two Grace Hoppers", "gracehopper", 2,
	  "pcie:1:2 -> gmem:0" WR " order=relaxed",
	  { LINK_WR(PCIE, 1, "rem"), CNVLINK_WR(0, GMEM) } },
	{ "a remote strongly-ordered PCIe write on two Grace Hoppers", "gracehopper", 2,
	  "pcie:1:2 -> cmem:0" WR " order=strong",
	  { LINK_WR(PCIE, 1, "rem"), MEM_WR(0, "cmem"), CACHE_WR(0) } },
	{
	 "a remote strongly-ordered PCIe write to GPU memory on two Grace "
	 "Hoppers", "gracehopper", 2,
	  "pcie:0:2 -> gmem:1" WR " order=strong",
	  { LINK_WR(PCIE, 0, "rem"), MEM_WR(1, "gmem"), CACHE_WR(1) } },
	{ "a remote GPU ATS read on two Grace Hoppers", "gracehopper", 2, "gpu:0:ats -> cmem:1" RD,
	  { LINK_RD(C2C0, 0, "rem", 160), CNVLINK_RD(1, CMEM) } },
	{ "a remote GPU ATS read of GPU memory on two Grace Hoppers", "gracehopper", 2,
	  "gpu:0:ats -> gmem:1" RD, { LINK_RD(C2C0, 0, "rem", 160), CNVLINK_RD(1, GMEM) } },
	{ "a remote GPU ATS write to GPU memory on four Grace Hoppers", "gracehopper", 4,
	  "gpu:3:ats -> gmem:0" WR,
	  { LINK_WR(C2C0, 3, "rem"), CNVLINK_WR(0, GMEM) } },
	{
	 "a remote GPU non-ATS read on four Grace "
	 "Hoppers", "gracehopper", 4, "gpu:2:nats -> cmem:1" RD,
	  { LINK_RD(C2C1, 2, "rem", 150), CNVLINK_RD(1, CMEM) } },
	{ "a remote GPU non-ATS write to GPU memory on two Grace Hoppers", "gracehopper", 2,
	  "gpu:1:nats -> gmem:0" WR,
	  { LINK_WR(C2C1, 1, "rem"), CNVLINK_WR(0, GMEM) } },
	/* The cache of the home socket */
	{ "a read served by the cache, which reaches no memory,", "superchip", 2,
	  "cpu:0 -> cmem:0" RD " served=cache", { S(SCF, 0, "scf_cache", 10) } },
	{ "a remote read served by the home's cache", "superchip", 2,
	  "cpu:0 -> cmem:1" RD " served=cache",
	  { SOCKET_RD(0, "1"), S(SCF, 1, "scf_cache", 10) } },
	{ "a write-back that stays in the cache", "superchip", 2,
	  "cpu:0 -> cmem:0" WB " served=cache",
	  { S(SCF, 0, "scf_cache", 10), S(SCF, 0, "scf_cache_allocate", 10) } },
	{ "a write that allocates by alloc=yes", "superchip", 2, "cpu:0 -> cmem:0" WR " alloc=yes",
	  { MEM_WR(0, "cmem"), CACHE_WR(0), S(SCF, 0, "scf_cache_allocate", 20) } },
	{
	 "a read that does not allocate by "
	 "alloc=no", "superchip", 2, "cpu:0 -> cmem:0" RD " alloc=no",
	  { MEM_RD(0, "cmem"), S(SCF, 0, "scf_cache", 10), S(SCF, 0, "scf_cache_refill", 10) } },
	/* The two ends can have different latencies. */
	{ "a remote read with home_latency, which the home's PMU sees,", "superchip", 2,
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
	ok(!wrong, "model: %s counts in the documented events only", row->what);
	model_free(m);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
	return done_testing();
}
