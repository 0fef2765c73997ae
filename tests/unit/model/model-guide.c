// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tuning guide's worked examples: each count printed there, and further counts that follow
 * from the flows (the comments of the scenario files derive them).
 */
#include "model-test.h"

struct expect {
	const char *scenario;
	enum pmu_kind kind;
	unsigned int socket;
	const char *event;
	uint32_t filter;
	uint64_t count;
};

struct example {
	const char *name;
	const char *chip;
	unsigned int sockets;
	uint64_t duration;	/* ns, the guide's elapsed time */
};

static const struct example examples[] = {
	{ "guide-cpu-local-write", "superchip", 2, 127496157 },
	{ "guide-cpu-local-read", "superchip", 2, 88826372 },
	{ "guide-cpu-remote-write", "superchip", 2, 172847464 },
	{ "guide-cpu-remote-read", "superchip", 2, 134526031 },
	{ "guide-pcie-local-read", "superchip", 2, 1966391711 },
	{ "guide-pcie-remote-read", "superchip", 2, 735201612 },
	{ "guide-gpu-write", "gracehopper", 1, 777059774 },
	{ "guide-gpu-read", "gracehopper", 1, 771266524 },
};

static const struct expect expected[] = {
	/* Printed in the guide */
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_wr_total_bytes", ALL, 1009299148 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_rd_data", ALL, 1213938 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "remote_socket_wr_total_bytes", ALL, 1355223 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "remote_socket_rd_data", ALL, 7960 },
	{ "guide-cpu-local-read", PMU_SCF, 0, "cmem_wr_total_bytes", ALL, 36057808 },
	{ "guide-cpu-local-read", PMU_SCF, 0, "cmem_rd_data", ALL, 35572420 },
	{ "guide-cpu-local-read", PMU_SCF, 1, "remote_socket_wr_total_bytes", ALL, 24173 },
	{ "guide-cpu-local-read", PMU_SCF, 1, "remote_socket_rd_data", ALL, 4728 },
	{ "guide-cpu-remote-write", PMU_SCF, 0, "cmem_wr_total_bytes", ALL, 993278696 },
	{ "guide-cpu-remote-write", PMU_SCF, 0, "cmem_rd_data", ALL, 1040902 },
	{ "guide-cpu-remote-write", PMU_SCF, 1, "remote_socket_wr_total_bytes", ALL, 961728219 },
	{ "guide-cpu-remote-write", PMU_SCF, 1, "remote_socket_rd_data", ALL, 1065136 },
	{ "guide-cpu-remote-read", PMU_SCF, 0, "cmem_wr_total_bytes", ALL, 19588224 },
	{ "guide-cpu-remote-read", PMU_SCF, 0, "cmem_rd_data", ALL, 33542984 },
	{ "guide-cpu-remote-read", PMU_SCF, 1, "remote_socket_wr_total_bytes", ALL, 18771438 },
	{ "guide-cpu-remote-read", PMU_SCF, 1, "remote_socket_rd_data", ALL, 36189087 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "rd_bytes_loc", 0x100, 1168472064 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "wr_bytes_loc", 0x100, 31250176 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "rd_bytes_rem", 0x100, 49152 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "wr_bytes_rem", 0x100, 0 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "rd_bytes_loc", 0x100, 6398720 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "wr_bytes_loc", 0x100, 164096 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "rd_bytes_rem", 0x100, 1073762304 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "wr_bytes_rem", 0x100, 0 },
	{ "guide-pcie-remote-read", PMU_C2C0, 0, "rd_bytes_loc", 3, 1074057216 },
	{ "guide-pcie-remote-read", PMU_C2C0, 0, "wr_bytes_loc", 3, 32768 },
	{ "guide-gpu-write", PMU_C2C0, 0, "total_bytes_loc", 3, 4234950656 },
	{ "guide-gpu-write", PMU_C2C0, 0, "rd_bytes_loc", 3, 208418816 },
	{ "guide-gpu-write", PMU_C2C0, 0, "wr_bytes_loc", 3, 4026531840 },
	{ "guide-gpu-write", PMU_C2C1, 0, "total_bytes_loc", 3, 26981632 },
	{ "guide-gpu-write", PMU_C2C1, 0, "rd_bytes_loc", 3, 6337792 },
	{ "guide-gpu-write", PMU_C2C1, 0, "wr_bytes_loc", 3, 20643840 },
	{ "guide-gpu-read", PMU_C2C0, 0, "total_bytes_loc", 3, 4436253696 },
	{ "guide-gpu-read", PMU_C2C0, 0, "rd_bytes_loc", 3, 4234927104 },
	{ "guide-gpu-read", PMU_C2C0, 0, "wr_bytes_loc", 3, 201326592 },
	{ "guide-gpu-read", PMU_C2C1, 0, "total_bytes_loc", 3, 26949888 },
	{ "guide-gpu-read", PMU_C2C1, 0, "rd_bytes_loc", 3, 6356480 },
	{ "guide-gpu-read", PMU_C2C1, 0, "wr_bytes_loc", 3, 20593408 },

	/* Further counts of the flows, in lines of 64 bytes and single bytes */
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_rd_access", ALL, 606969 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_wb_access", ALL, 15770298 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_wb_data", ALL, 31540596 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_wr_data", ALL, 76 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "cmem_wr_access", ALL, 76 },
	{ "guide-cpu-local-write", PMU_SCF, 0, "remote_socket_rd_data", ALL, 0 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "cmem_wr_total_bytes", ALL, 0 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "socket_0_rd_data", ALL, 7960 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "socket_0_rd_access", ALL, 3980 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "socket_0_wb_access", ALL, 21175 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "socket_0_wr_data", ALL, 23 },
	{ "guide-cpu-local-write", PMU_SCF, 1, "socket_1_rd_data", ALL, 0 },
	{ "guide-cpu-local-read", PMU_SCF, 0, "cmem_rd_access", ALL, 17786210 },
	{ "guide-cpu-remote-write", PMU_SCF, 0, "cmem_rd_access", ALL, 520451 },
	{ "guide-cpu-remote-write", PMU_SCF, 1, "remote_socket_rd_access", ALL, 532568 },
	{ "guide-cpu-remote-read", PMU_SCF, 0, "cmem_rd_access", ALL, 16771492 },
	{ "guide-cpu-remote-read", PMU_SCF, 1, "remote_socket_rd_access", ALL, 18094544 },

	/* Filters for root ports and C2C ports */
	{ "guide-pcie-local-read", PMU_PCIE, 0, "rd_bytes_loc", 0x2ff, 0 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "rd_bytes_loc", 0, 0 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "total_bytes_loc", 0x3ff, 1199722240 },
	{ "guide-pcie-local-read", PMU_PCIE, 0, "rd_req_loc", 0x3ff, 18257376 },
	{ "guide-pcie-local-read", PMU_C2C0, 1, "rd_bytes_loc", 3, 49152 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "rd_bytes_rem", 0x3ff, 1074057216 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "rd_bytes_rem", 0x004, 294912 },
	{ "guide-pcie-remote-read", PMU_PCIE, 1, "wr_bytes_rem", 0x004, 32768 },
	{ "guide-pcie-remote-read", PMU_C2C0, 0, "rd_bytes_loc", 1, 537028608 },
	{ "guide-pcie-remote-read", PMU_C2C0, 0, "rd_bytes_loc", 0, 0 },
};

static void check_example(const struct example *ex)
{
	struct model *m = model_file(ex->chip, ex->sockets, ex->name);
	char what[160];
	size_t i;

	for (i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const struct expect *e = &expected[i];

		if (strcmp(e->scenario, ex->name))
			continue;
		snprintf(what, sizeof(what),
			 "model: %s: %s of %s socket %u with filter 0x%x has the derived count",
			 ex->name, e->event, chip_kind_name(e->kind), e->socket,
			 e->filter);
		is_u64(count_filtered(m, e->kind, e->socket, e->event, e->filter,
				      ex->duration), e->count, what);
	}
	snprintf(what, sizeof(what), "model: %s runs until the guide's elapsed time", ex->name);
	ok(model_running(m, ex->duration - 1) == 1 && !model_running(m, ex->duration),
	   "%s", what);
	model_free(m);
}

int main(void)
{
	size_t i;

	for (i = 0; i < sizeof(examples) / sizeof(examples[0]); i++)
		check_example(&examples[i]);
	return done_testing();
}
