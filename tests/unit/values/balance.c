// SPDX-License-Identifier: LGPL-2.1-or-later
/* Balance lines: the known rows on each side of a link, their remainder, and missing rows */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "gpmu.h"
#include "tap.h"
#include "values/balance.h"
#include "values/rows.h"

#define MAX	24
#define CTC	"CTC.TriageCompute.ctc__"
#define A	"GPU-a"
#define B	"GPU-b"

static struct gpmu_row rows[MAX];
static size_t row_count;

static struct gpmu_row *add(const char *name, double value)
{
	struct gpmu_row *row = &rows[row_count++];

	*row = (struct gpmu_row){
		.size = sizeof(*row), .time_end = 2000000000, .metric = 1, .name = name,
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

/* Compares the rows. @line is the first line with this name, or NULL. */
static size_t compare(const char *name)
{
	size_t n = 0, i = row_count;

	row_count = 0;
	line = NULL;
	if (gpmu_balance_update(balance, &(struct gpmu_rows){ rows, i }))
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
	return line && line->state == GPMU_STATE_OK && is_near(line->left, left) &&
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

static size_t searches;

bool __real_balance_is_of(const struct balance_term *terms, const struct gpmu_row *row);
bool __wrap_balance_is_of(const struct balance_term *terms, const struct gpmu_row *row);

bool __wrap_balance_is_of(const struct balance_term *terms, const struct gpmu_row *row)
{
	searches++;
	return __real_balance_is_of(terms, row);
}

/* Rows without a line take one search in each identity, as perf's output can have a million of them. */
static void others(void)
{
	for (size_t i = 0; i < MAX; i++)
		add("ipc", 1);
	searches = 0;
	ok(!compare("") && searches == balance_n_identities * MAX,
	   "balance: rows are searched once for the second side of each identity");
}

static void metrics(void)
{
	add("GraceC2c0ReadBW", 28);
	add("GraceC2c1ReadBW", 6);
	add_gpu("GpuC2cRxBW", 40, A, 0, 0);
	ok(compare("C2C into GPU0") == 1 && has(34e9, 40e9, 6e9, 0.15),
	   "balance: C2C0 and C2C1 are compared with the bytes received by the GPU: 40 - (28 + 6)");
	ok(is_of("C2C0 + C2C1", "GPU's C2C") && !line->is_lower_bound && line->note && !line->why,
	   "balance: a line names the counters of both sides");
	ok(line->gpu && !strcmp(line->gpu, A) && line->gpu_number == 0 && line->node == 0,
	   "balance: a line has its GPU's UUID, number and node");
	add("GraceC2c0ReadBW", 28);
	add("GraceC2c1ReadBW", 6);
	add("GraceGpuMemWriteBW", 2);
	add_gpu("GpuC2cRxBW", 36, A, 0, -1);
	compare("C2C into GPU0");
	ok(has(36e9, 36e9, 0, 0) && is_of("C2C0 + C2C1 + GMEM", "GPU's C2C"),
	   "balance: CPU writes to GPU memory (GMEM) are added to C2C0 and C2C1");
	add("GraceC2c0WriteBW", 10);
	add("GraceC2c1WriteBW", 2);
	add("GraceGpuMemReadBW", 8);
	add_gpu("GpuC2cTxBW", 16, A, 0, 0);
	compare("C2C out of GPU0");
	ok(has(20e9, 16e9, -4e9, -0.2),
	   "balance: bytes out of the GPU are compared, and a remainder can be negative");
	add("GraceC2c0BW", 3);
	add("GraceC2c1BW", 1);
	add("GraceGpuMemBW", 0);
	add_gpu("GpuC2cBW", 5, A, 0, 0);
	compare("C2C of GPU0");
	ok(has(4e9, 5e9, 1e9, 0.2), "balance: metrics of both directions are compared");
	add("GraceC2c0ReadBW", 0);
	lose(add("GraceC2c1ReadBW", 0), GPMU_STATE_IDLE, NULL);
	add_gpu("GpuC2cRxBW", 0, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(0, 0, 0, 0), "balance: a line of zeros, one of them idle, has remainder 0");
	add("GraceC2c0ReadBW", 1)->share = 0.5;
	add("GraceC2c1ReadBW", 1);
	add_gpu("GpuC2cRxBW", 2, A, 0, 0);
	compare("C2C into GPU0");
	ok(line && is_near(line->share, 0.5),
	   "balance: a line's share is the smallest share of its rows");
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
	   "balance: events over 2 s are compared, with other sockets' memory: 24 - (8 + 2 + 4 + "
	   "6) GB");
	add_event("nvidia_nvlink_c2c0_pmu/wr_bytes_loc/", "nvidia_nvlink_c2c0_pmu", 8e9);
	add_event("nvidia_nvlink_c2c1_pmu/wr_bytes_loc/", "nvidia_nvlink_c2c1_pmu", 0);
	add_event("nvidia_scf_pmu/gmem_rd_data/", "nvidia_scf_pmu", 1e9);
	add_gpu("GpuC2cTxBW", 20, A, 0, 0);
	compare("C2C out of GPU0");
	ok(has(20e9, 20e9, 0, 0), "balance: a data beat of gmem_rd_data is 32 bytes");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c0_pmu_0", 8e9);
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(4e9, 4e9, 0, 0), "balance: two rows of the same counter are counted once");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc,x=1/", "nvidia_nvlink_c2c0_pmu_0", 8e9);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "balance: an event with a filter is not used");
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
	   "balance: a GPU is compared with the Grace of its node: 15 - (11 + 2)");
	line = gpmu_balance_line(balance, 0);
	ok(has(12e9, 13e9, 1e9, 1.0 / 13) && !strcmp(line->gpu, A),
	   "balance: each of two GPUs is compared with its own Grace");
	add_two(0, -1);
	ok(compare("C2C into all GPUs") == 1 && has(25e9, 28e9, 3e9, 3.0 / 28) && !line->gpu &&
		   line->gpu_number == -1 && line->node == -1,
	   "balance: all GPUs are compared with all sockets if the node of one is unknown");
	add_two(0, 0);
	ok(compare("C2C into GPUs of node 0") == 1 && has(12e9, 28e9, 16e9, 16.0 / 28),
	   "balance: two GPUs of one node are compared together");
	add("GraceC2c0ReadBW", 4)->pmu = "nvidia_nvlink_c2c0_pmu_1";
	add("GraceC2c1ReadBW", 0)->pmu = "nvidia_nvlink_c2c1_pmu_1";
	add_gpu("GpuC2cRxBW", 4, A, 0, 1);
	ok(compare("C2C into GPU0") == 1 && has(4e9, 4e9, 0, 0),
	   "balance: a machine-wide row of one PMU belongs to that PMU's node");
	add("GraceC2c0ReadBW", 4)->pmu = "nvidia_nvlink_c2c0_pmu_1_inst_0";
	add("GraceC2c1ReadBW", 0)->pmu = "nvidia_nvlink_c2c1_pmu_1_inst_0";
	add_gpu("GpuC2cRxBW", 5, A, 0, 1);
	ok(compare("C2C into GPU0") == 1 && has(4e9, 5e9, 1e9, 0.2),
	   "balance: the instance number in a PMU's name is not a node");
	add("GraceC2c0ReadBW", 4)->node = 0;
	add("GraceC2c1ReadBW", 0)->node = 0;
	add_gpu("GpuC2cRxBW", 4, A, 0, 1);
	ok(!compare(""), "balance: a GPU on another node than the Grace rows has no line");
}

static void missing(void)
{
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	ok(!compare(""), "balance: Grace rows without a GPU have no line");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "balance: a GPU row without Grace rows has no line");
	add("GraceC2c0ReadBW", 4);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "balance: a GPU row with only C2C0 has no line");
	ok(!compare(""), "balance: an update without rows has no line");
	add("GraceC2c0ReadBW", 4)->unit = "MB/s";
	add("GraceC2c1ReadBW", 4);
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	ok(!compare(""), "balance: a metric with another unit is not used");
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	lose(add_gpu("GpuC2cRxBW", 0, A, 0, 0), GPMU_STATE_NOT_SUPPORTED, "no such unit");
	compare("C2C into GPU0");
	ok(is_lost(GPMU_STATE_NOT_SUPPORTED, "no such unit"),
	   "balance: an absent GPU unit makes the line not supported");
	lose(add("GraceC2c0ReadBW", 4), GPMU_STATE_NOT_SUPPORTED, "no PMU");
	lose(add("GraceC2c1ReadBW", 0), GPMU_STATE_NOT_COUNTED, "it did not run");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(is_lost(GPMU_STATE_NOT_COUNTED, "it did not run"),
	   "balance: a counter that did not run makes the line not counted");
	add("GraceC2c0ReadBW", 4);
	add("GraceC2c1ReadBW", 0);
	lose(add("GraceGpuMemWriteBW", 0), GPMU_STATE_NOT_SUPPORTED, "no PMU");
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(4e9, 4e9, 0, 0) && is_of("C2C0 + C2C1", "GPU's C2C"),
	   "balance: a line without GMEM names only C2C0 and C2C1");
	add_event("nvidia_nvlink_c2c0_pmu_0/rd_bytes_loc/", "nvidia_nvlink_c2c0_pmu_0", 1)->enabled = 0;
	add("GraceC2c1ReadBW", 0)->node = 0;
	add_gpu("GpuC2cRxBW", 4, A, 0, 0);
	compare("C2C into GPU0");
	ok(is_lost(GPMU_STATE_NOT_COUNTED, "a counter did not run"),
	   "balance: an event whose enabled time is 0 makes the line not counted");
	add_two(0, -1);
	lose(&rows[5], GPMU_STATE_NOT_SUPPORTED, "busy");
	compare("C2C into all GPUs");
	ok(is_lost(GPMU_STATE_NOT_SUPPORTED, "busy"),
	   "balance: a sum with a missing part has no value");
}

static void copies(void)
{
	add_gpu("GpuPcieReadBW", 20, A, 0, -1);
	add_gpu("GpuPcieReadBW", 40, B, 1, -1);
	lose(add_gpu("GpuNvlinkRxBW", 0, A, 0, -1), GPMU_STATE_NOT_SUPPORTED, "no such unit");
	add_gpu("GpuNvlinkRxBW", 10, B, 1, -1);
	add_gpu("GpuDramWriteBW", 25, A, 0, -1);
	add_gpu("GpuDramWriteBW", 40, B, 1, -1);
	ok(compare("copies into GPU1") == 2 && has(50e9, 40e9, -10e9, -0.2) && line->is_lower_bound &&
		   is_of("PCIe + NVLink", "memory"),
	   "balance: bytes received by a GPU are compared with writes to its memory: 40 - (40 + "
	   "10)");
	line = gpmu_balance_line(balance, 0);
	ok(!strcmp(line->name, "copies into GPU0") && has(20e9, 25e9, 5e9, 0.2) &&
		   is_of("PCIe", "memory") && line->gpu_number == 0,
	   "balance: each GPU is compared separately, by the links that it has");
	add_gpu("GpuPcieWriteBW", 10, A, 0, -1);
	add_gpu("GpuC2cTxBW", 10, A, 0, -1);
	add_gpu("GpuDramReadBW", 50, A, 0, -1);
	compare("copies out of GPU0");
	ok(has(20e9, 50e9, 30e9, 0.6) && is_of("PCIe + C2C", "memory"),
	   "balance: bytes sent by a GPU are compared with reads of its memory");
	add_gpu("GpuDramReadBW", 50, A, 0, -1);
	add_gpu("GpuDramWriteBW", 50, A, 0, -1);
	ok(!compare(""), "balance: memory rows without link rows have no line");
}

/* Returns whether the sides have numbers, but no remainder */
static bool is_idle(double left, double right)
{
	return line && line->state == GPMU_STATE_OK && is_near(line->left, left) && is_near(line->right, right) &&
	       isnan(line->remainder) && isnan(line->part);
}

static void idle(void)
{
	add_gpu("GpuPcieReadBW", 0.063, A, 0, -1);
	add_gpu("GpuDramWriteBW", 25, A, 0, -1);
	compare("copies into GPU0");
	ok(is_idle(0.063e9, 25e9), "balance: a memory has no remainder while its links carry less than 64 MB/s");
	add_gpu("GpuPcieReadBW", 0.064, A, 0, -1);
	add_gpu("GpuDramWriteBW", 0.128, A, 0, -1);
	compare("copies into GPU0");
	ok(has(0.064e9, 0.128e9, 0.064e9, 0.5), "balance: a memory has a remainder if its links carry 64 MB/s");
	add("GraceC2c0ReadBW", 0);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 0.063, A, 0, 0);
	compare("C2C into GPU0");
	ok(is_idle(0, 0.063e9), "balance: a link has no remainder if both ends count less than 64 MB/s");
	add("GraceC2c0ReadBW", 0);
	add("GraceC2c1ReadBW", 0);
	add_gpu("GpuC2cRxBW", 1, A, 0, 0);
	compare("C2C into GPU0");
	ok(has(0, 1e9, 1e9, 1), "balance: a link has a remainder if one end counts 64 MB/s or more");
}

int main(void)
{
	balance = gpmu_balance_new();
	ok(balance && !gpmu_balance_line(balance, 0), "balance: a new balance has no lines");
	gpmu_balance_free(NULL);
	metrics();
	events();
	places();
	missing();
	copies();
	idle();
	others();
	gpmu_balance_free(balance);
	return done_testing();
}
