// SPDX-License-Identifier: LGPL-2.1-or-later
/* What two ends have counted: sides of known rows, their remainders, what is missing. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gpmu.h"
#include "tap.h"

#define MAX	24
#define CTC	"CTC.TriageCompute.ctc__"
#define A	"GPU-a"
#define B	"GPU-b"

static struct gpmu_row rows[MAX];
static size_t n_rows;

static struct gpmu_row *add(const char *name, double value)
{
	struct gpmu_row *row = &rows[n_rows++];

	*row = (struct gpmu_row){
		.size = sizeof(*row), .end = 2, .metric = 1, .name = name,
		.node = -1, .package = -1, .cpu = -1, .pid = -1, .value = value, .unit = "GB/s",
		.share = 1, .enabled = 2000000000, .running = 2000000000, .counters = 1,
		.alert = -1, .runs = 1, .gpu_number = -1,
	};
	return row;
}

static struct gpmu_row *add_gpu(const char *name, double value, const char *gpu, int number,
				int node)
{
	struct gpmu_row *row = add(name, value);

	row->scope = GPMU_SCOPE_GPU;
	row->gpu = gpu;
	row->gpu_number = number;
	row->node = node;
	return row;
}

static struct gpmu_row *add_event(const char *name, const char *pmu, double count)
{
	struct gpmu_row *row = add(name, count);

	row->metric = 0;
	row->unit = NULL;
	row->pmu = pmu;
	row->raw = (uint64_t)count;
	return row;
}

static void lose(struct gpmu_row *row, enum gpmu_state state, const char *why)
{
	row->state = state;
	row->value = NAN;
	row->why = why;
}

static struct gpmu_balance *balance;
static const struct gpmu_balance_line *line;

/* Compares the rows; @line is the first of its name, or NULL */
static size_t compare(const char *name)
{
	size_t n = 0, i = n_rows;

	n_rows = 0;
	line = NULL;
	if (gpmu_balance_update(balance, rows, i))
		diag("gpmu_balance_update() failed");
	for (i = 0; gpmu_balance_line(balance, i); i++, n++)
		if (!line && !strcmp(gpmu_balance_line(balance, i)->name, name))
			line = gpmu_balance_line(balance, i);
	return n;
}

static bool is_near(double got, double want)
{
	if (fabs(got - want) <= 1e-12 * fmax(fabs(got), fabs(want)))
		return true;
	diag("got %.17g, want %.17g", got, want);
	return false;
}

static bool has(double left, double right, double remainder, double part)
{
	return line && line->state == GPMU_OK && is_near(line->left, left) &&
	       is_near(line->right, right) && is_near(line->remainder, remainder) &&
	       is_near(line->part, part);
}

static bool is_of(const char *left, const char *right)
{
	if (line && !strcmp(line->left_of, left) && !strcmp(line->right_of, right))
		return true;
	diag("of \"%s\", \"%s\"", line ? line->left_of : "", line ? line->right_of : "");
	return false;
}

static bool is_lost(enum gpmu_state state, const char *why)
{
	return line && line->state == state && line->why && !strcmp(line->why, why) &&
	       isnan(line->left) && isnan(line->right) && isnan(line->remainder) &&
	       isnan(line->part);
}

static void metrics(void)
{
	add("GraceC2c0ReadBW", 28);
	add("GraceC2c1ReadBW", 6);
	add_gpu("GpuC2cRxBW", 40, A, 0, 0);
	ok(compare("C2C into GPU0") == 1 && has(34e9, 40e9, 6e9, 0.15),
	   "C2C0 and C2C1 are compared with what the GPU receives: 40 - (28 + 6)");
	ok(is_of("C2C0 + C2C1", "GPU's C2C") && !line->at_least && line->note && !line->why,
	   "it says of what the sides are");
	ok(line->gpu && !strcmp(line->gpu, A) && line->gpu_number == 0 && line->node == 0,
	   "and of which GPU");
	add("GraceC2c0ReadBW", 28);
	add("GraceC2c1ReadBW", 6);
	add("GraceGpuMemWriteBW", 2);
	add_gpu("GpuC2cRxBW", 36, A, 0, -1);
	compare("C2C into GPU0");
	ok(has(36e9, 36e9, 0, 0) && is_of("C2C0 + C2C1 + GMEM", "GPU's C2C"),
	   "what CPUs write to its memory is the GPU's too: nothing is left over");
	add("GraceC2c0WriteBW", 10);
	add("GraceC2c1WriteBW", 2);
	add("GraceGpuMemReadBW", 8);
	add_gpu("GpuC2cTxBW", 16, A, 0, 0);
	compare("C2C out of GPU0");
	ok(has(20e9, 16e9, -4e9, -0.2), "the other way; a remainder can be below 0");
	add("GraceC2c0BW", 3);
	add("GraceC2c1BW", 1);
	add("GraceGpuMemBW", 0);
	add_gpu("GpuC2cBW", 5, A, 0, 0);
	compare("C2C of GPU0");
	ok(has(4e9, 5e9, 1e9, 0.2), "both ways together");
	add("GraceC2c0ReadBW", 0);
	lose(add("GraceC2c1ReadBW", 0), GPMU_IDLE, NULL);
	add_gpu("GpuC2cRxBW", 0, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(0, 0, 0, 0), "nothing at both ends, an idle one too, is no remainder");
	add("GraceC2c0ReadBW", 1)->share = 0.5;
	add("GraceC2c1ReadBW", 1);
	add_gpu("GpuC2cRxBW", 2, A, 0, 0);
	compare("C2C into GPU0");
	ok(line && is_near(line->share, 0.5), "the share is that of the row that ran least");
}

static void events(void)
{
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c0_pmu_0", 8e9);
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_rem/", "nvidia_nvlink_c2c0_pmu_0", 2e9);
	add_event("nvidia_nvlink_c2c1_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c1_pmu_0", 4e9);
	add_event("nvidia_nvlink_c2c1_pmu_0/rd_bytes_rem/", "nvidia_nvlink_c2c1_pmu_0", 0);
	add_event("nvidia_scf_pmu_0/gmem_wr_total_bytes/", "nvidia_scf_pmu_0", 6e9);
	add_event("nvidia_gpu_0/" CTC "rx_bytes_data_user.sum/", "nvidia_gpu_0", 24e9)->unit = "B";
	rows[5].gpu = A;
	rows[5].gpu_number = 0;
	rows[5].node = 0;
	compare("C2C into GPU0");
	ok(has(10e9, 12e9, 2e9, 1.0 / 6) && is_of("C2C0 + C2C1 + GMEM", "GPU's C2C"),
	   "events of 2 s, also those of other sockets' memory: 24 - (8 + 2 + 4 + 6) GB");
	add_event("nvidia_nvlink_c2c0_pmu/wr_bytes_loc/", "nvidia_nvlink_c2c0_pmu", 8e9);
	add_event("nvidia_nvlink_c2c1_pmu/wr_bytes_loc/", "nvidia_nvlink_c2c1_pmu", 0);
	add_event("nvidia_scf_pmu/gmem_rd_data/", "nvidia_scf_pmu", 1e9);
	add_gpu("GpuC2cTxBW", 20, A, 0, 0);
	compare("C2C out of GPU0");
	ok(has(20e9, 20e9, 0, 0), "a beat of GMEM is 32 bytes");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c0_pmu_0", 8e9);
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(4e9, 4e9, 0, 0), "what is there twice is counted once");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,x=1/", "nvidia_nvlink_c2c0_pmu_0", 8e9);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "an event with a filter is not all of it");
}

static void add_two(int node, int second)
{
	for (int i = 0; i < 2; i++) {
		add("GraceC2c0ReadBW", 10 + i)->node = node < 0 ? -1 : i;
		add("GraceC2c1ReadBW", 2)->node = node < 0 ? -1 : i;
	}
	add_gpu("GpuC2cRxBW", 13, A, 0, 0);
	add_gpu("GpuC2cRxBW", 15, B, 1, second);
}

static void places(void)
{
	add_two(0, 1);
	ok(compare("C2C into GPU1") == 2 && has(13e9, 15e9, 2e9, 2.0 / 15) && line->node == 1,
	   "a GPU is compared with the Grace of its node: 15 - (11 + 2)");
	line = gpmu_balance_line(balance, 0);
	ok(has(12e9, 13e9, 1e9, 1.0 / 13) && !strcmp(line->gpu, A), "each with its own");
	add_two(0, -1);
	ok(compare("C2C into all GPUs") == 1 && has(25e9, 28e9, 3e9, 3.0 / 28) && !line->gpu &&
		   line->gpu_number == -1 && line->node == -1,
	   "all with all where a GPU's node is not known");
	add_two(0, 0);
	ok(compare("C2C into GPUs of node 0") == 1 && has(12e9, 28e9, 16e9, 16.0 / 28),
	   "two of a node together");
	add("GraceC2c0ReadBW", 4)->pmu = "nvidia_nvlink_c2c0_pmu_1";
	add("GraceC2c1ReadBW", 0)->pmu = "nvidia_nvlink_c2c1_pmu_1";
	add_gpu("GpuC2cRxBW", 4, A, 0, 1);
	ok(compare("C2C into GPU0") == 1 && has(4e9, 4e9, 0, 0),
	   "a row of the machine that is of one PMU is of that one's node");
	add("GraceC2c0ReadBW", 4)->pmu = "nvidia_nvlink_c2c0_pmu_1_inst_0";
	add("GraceC2c1ReadBW", 0)->pmu = "nvidia_nvlink_c2c1_pmu_1_inst_0";
	add_gpu("GpuC2cRxBW", 5, A, 0, 1);
	ok(compare("C2C into GPU0") == 1 && has(4e9, 5e9, 1e9, 0.2),
	   "the number of an instance is no node");
	add("GraceC2c0ReadBW", 4)->node = 0;
	add("GraceC2c1ReadBW", 0)->node = 0;
	add_gpu("GpuC2cRxBW", 4, A, 0, 1);
	ok(!compare(""), "a GPU of another node than Grace has no line");
}

static void missing(void)
{
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	ok(!compare(""), "without a GPU there is no line");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "nor without a Grace");
	add("GraceC2c0ReadBW", 4);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "nor with a part of one");
	ok(!compare(""), "nor without rows");
	add("GraceC2c0ReadBW", 4)->unit = "MB/s";
	add("GraceC2c1ReadBW", 4);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "a metric of another unit is another one");
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	lose(add_gpu("GpuC2cRxBW", 0, A, 0, 0), GPMU_NOT_SUPPORTED, "no such unit");
	compare("C2C into GPU0");
	ok(is_lost(GPMU_NOT_SUPPORTED, "no such unit"), "an absent unit is not supported");
	lose(add("GraceC2c0ReadBW", 4), GPMU_NOT_SUPPORTED, "no PMU");
	lose(add("GraceC2c1ReadBW", 0), GPMU_NOT_COUNTED, "it did not run");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(is_lost(GPMU_NOT_COUNTED, "it did not run"), "a counter that did not run is not counted");
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	lose(add("GraceGpuMemWriteBW", 0), GPMU_NOT_SUPPORTED, "no PMU");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(4e9, 4e9, 0, 0) && is_of("C2C0 + C2C1", "GPU's C2C"), "without GMEM it says so");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c0_pmu_0", 1)->enabled = 0;
	add("GraceC2c1ReadBW", 0)->node = 0;
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(is_lost(GPMU_NOT_COUNTED, "a counter did not run"), "nor is one without a time");
	add_two(0, -1);
	lose(&rows[5], GPMU_NOT_SUPPORTED, "busy");
	compare("C2C into all GPUs");
	ok(is_lost(GPMU_NOT_SUPPORTED, "busy"), "a sum is never that of some of its parts");
}

static void copies(void)
{
	add_gpu("GpuPcieReadBW", 20, A, 0, -1);
	add_gpu("GpuPcieReadBW", 40, B, 1, -1);
	lose(add_gpu("GpuNvlinkRxBW", 0, A, 0, -1), GPMU_NOT_SUPPORTED, "no such unit");
	add_gpu("GpuNvlinkRxBW", 10, B, 1, -1);
	add_gpu("GpuDramWriteBW", 25, A, 0, -1);
	add_gpu("GpuDramWriteBW", 40, B, 1, -1);
	ok(compare("copies into GPU1") == 2 && has(50e9, 40e9, -10e9, -0.2) && line->at_least &&
		   is_of("PCIe + NVLink", "memory"),
	   "what a GPU receives is compared with what is written to its memory: 40 - (40 + 10)");
	line = gpmu_balance_line(balance, 0);
	ok(!strcmp(line->name, "copies into GPU0") && has(20e9, 25e9, 5e9, 0.2) &&
		   is_of("PCIe", "memory") && line->gpu_number == 0,
	   "each GPU by itself, of the links that it has");
	add_gpu("GpuPcieWriteBW", 10, A, 0, -1);
	add_gpu("GpuC2cTxBW", 10, A, 0, -1);
	add_gpu("GpuDramReadBW", 50, A, 0, -1);
	compare("copies out of GPU0");
	ok(has(20e9, 50e9, 30e9, 0.6) && is_of("PCIe + C2C", "memory"),
	   "what it sends with what is read");
	add_gpu("GpuDramReadBW", 50, A, 0, -1);
	add_gpu("GpuDramWriteBW", 50, A, 0, -1);
	ok(!compare(""), "the memory alone is compared with nothing");
}

static void larger(void)
{
	struct {
		struct gpmu_row row;
		char more[16];
	} list[3];

	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 1);
	add_gpu("GpuC2cRxBW", 5, A, 0, 0);
	for (size_t i = 0; i < n_rows; i++) {
		list[i].row = rows[i];
		list[i].row.size = sizeof(list[0]);
	}
	n_rows = 0;
	gpmu_balance_update(balance, &list[0].row, 3);
	line = gpmu_balance_line(balance, 0);
	ok(has(5e9, 5e9, 0, 0), "rows of a later library may be larger");
}

int main(void)
{
	balance = gpmu_balance_new();
	ok(balance && !gpmu_balance_line(balance, 0), "a new balance has no lines");
	gpmu_balance_free(NULL);
	metrics();
	events();
	places();
	missing();
	copies();
	larger();
	gpmu_balance_free(balance);
	return done_testing();
}
