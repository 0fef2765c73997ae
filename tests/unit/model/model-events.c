// SPDX-License-Identifier: LGPL-2.1-or-later
/* The PMUs' events: each number and name of the guide's tables, and no other */
#include "model-test.h"

struct number {
	uint64_t id;
	const char *name;
};

/* Guide, "SCF PMU events" */
static const struct number scf[] = {
	{ 0x100000000, "cycles" },
	{ 0x1d, "bus_cycles" },
	{ 0xf0, "scf_cache_allocate" },
	{ 0xf1, "scf_cache_refill" },
	{ 0xf2, "scf_cache" },
	{ 0xf3, "scf_cache_wb" },
	{ 0x1a5, "cmem_rd_data" },
	{ 0x1a6, "cmem_rd_access" },
	{ 0x1a7, "cmem_rd_outstanding" },
	{ 0x1ab, "cmem_wb_data" },
	{ 0x1ac, "cmem_wb_access" },
	{ 0x1b1, "cmem_wr_data" },
	{ 0x1db, "cmem_wr_total_bytes" },
	{ 0x1ca, "cmem_wr_access" },
	{ 0x16d, "gmem_rd_data" },
	{ 0x16e, "gmem_rd_access" },
	{ 0x16f, "gmem_rd_outstanding" },
	{ 0x173, "gmem_wb_data" },
	{ 0x174, "gmem_wb_access" },
	{ 0x179, "gmem_wr_data" },
	{ 0x17b, "gmem_wr_access" },
	{ 0x1a0, "gmem_wr_total_bytes" },
	{ 0x101, "socket_0_rd_data" },
	{ 0x102, "socket_1_rd_data" },
	{ 0x103, "socket_2_rd_data" },
	{ 0x104, "socket_3_rd_data" },
	{ 0x109, "socket_0_wb_data" },
	{ 0x10a, "socket_1_wb_data" },
	{ 0x10b, "socket_2_wb_data" },
	{ 0x10c, "socket_3_wb_data" },
	{ 0x17c, "socket_0_wr_data" },
	{ 0x17d, "socket_1_wr_data" },
	{ 0x17e, "socket_2_wr_data" },
	{ 0x17f, "socket_3_wr_data" },
	{ 0x115, "socket_0_rd_outstanding" },
	{ 0x116, "socket_1_rd_outstanding" },
	{ 0x117, "socket_2_rd_outstanding" },
	{ 0x118, "socket_3_rd_outstanding" },
	{ 0x12d, "socket_0_rd_access" },
	{ 0x12e, "socket_1_rd_access" },
	{ 0x12f, "socket_2_rd_access" },
	{ 0x130, "socket_3_rd_access" },
	{ 0x135, "socket_0_wb_access" },
	{ 0x136, "socket_1_wb_access" },
	{ 0x137, "socket_2_wb_access" },
	{ 0x138, "socket_3_wb_access" },
	{ 0x139, "socket_0_wr_access" },
	{ 0x13a, "socket_1_wr_access" },
	{ 0x13b, "socket_2_wr_access" },
	{ 0x13c, "socket_3_wr_access" },
	{ 0x1a1, "remote_socket_wr_total_bytes" },
	{ 0x1a2, "remote_socket_rd_data" },
	{ 0x1a3, "remote_socket_rd_outstanding" },
	{ 0x1a4, "remote_socket_rd_access" },
};

/* Guide, "PCIe PMU events" and "NVLink C2C PMU events"; CNVLink has the same events. */
static const struct number link_events[] = {
	{ 0x100000000, "cycles" },
	{ 0x8, "wr_req_loc" },
	{ 0x6, "rd_req_loc" },
	{ 0xa, "total_req_loc" },
	{ 0x2, "wr_bytes_loc" },
	{ 0x0, "rd_bytes_loc" },
	{ 0x4, "total_bytes_loc" },
	{ 0xc, "rd_cum_outs_loc" },
	{ 0x9, "wr_req_rem" },
	{ 0x7, "rd_req_rem" },
	{ 0xb, "total_req_rem" },
	{ 0x3, "wr_bytes_rem" },
	{ 0x1, "rd_bytes_rem" },
	{ 0x5, "total_bytes_rem" },
	{ 0xd, "rd_cum_outs_rem" },
};

static void check_kind(enum pmu_kind kind, const struct number *numbers, size_t len)
{
	const struct chip_event *events, *event;
	size_t i, have;

	events = chip_events(kind, &have);
	ok(events && have == len,
	   "model: a PMU of kind %s has %zu events", chip_kind_name(kind), len);
	for (i = 0; i < len; i++) {
		event = chip_event(kind, numbers[i].id);
		ok(event && !strcmp(event->name, numbers[i].name),
		   "model: event 0x%" PRIx64 " of %s is %s",
		   numbers[i].id, chip_kind_name(kind), numbers[i].name);
	}
}

#define LEN(a)	(sizeof(a) / sizeof((a)[0]))

int main(void)
{
	size_t len;

	check_kind(PMU_SCF, scf, LEN(scf));
	check_kind(PMU_PCIE, link_events, LEN(link_events));
	check_kind(PMU_C2C0, link_events, LEN(link_events));
	check_kind(PMU_C2C1, link_events, LEN(link_events));
	check_kind(PMU_CNVLINK, link_events, LEN(link_events));
	chip_events(PMU_FOREIGN, &len);
	is_u64(len, 0, "model: another implementer's PMU has no events");
	ok(!chip_event(PMU_SCF, 0x1dc), "model: an unknown number is no event");
	ok(!chip_event(PMU_PCIE, 0x1a5), "model: an event of another PMU is not found");
	return done_testing();
}
