// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation in reading perf's output fails in turn. */
#include "alloc.h"
#include "saved-test.h"
#include "sysroot.h"

static const char csv[] =
	"1.000000000,S0,1,5,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,100.00,0.5,K/sec\n"
	"1.000000000,S0,1,5,,nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3,name=x/,1000,50.00,,\n"
	"1.000000000,S36,1,5,,nvidia_scf_pmu_1/cmem_rd_data/u,1000000000,100.00,,\n"
	"1.000000000,S36,1,5,,cycles [armv8_pmuv3_0],1000000000,100.00,3,K/sec\n"
	"2.000000000,S0,1,5,,nvidia_scf_pmu_0/cmem_rd_data/,1000000000,100.00,,\n";

static struct sysroot laptop;
static struct gpmu_plan *plan;

static int read_all(struct gpmu_saved *saved)
{
	struct gpmu_error error = { .size = sizeof(error) };

	for (const char *line = csv; *line;) {
		size_t length = strcspn(line, "\n") + 1;
		int ret = gpmu_saved_line(saved, line, length, &error);

		if (ret < 0)
			return *error.text ? ret : 1;
		line += length;
	}
	return 0;
}

static int run_rows(void)
{
	struct gpmu_saved *saved = gpmu_saved_new(NULL);
	struct gpmu_rows others = { 0 };
	const struct gpmu_rows *rows;
	int ret;

	if (!saved)
		return -errno;
	ret = read_all(saved);
	if (!ret)
		ret = gpmu_saved_rows(saved, plan, &rows);
	if (!ret)
		ret = gpmu_saved_others(saved, NULL, &others);
	free(others.list);
	gpmu_saved_free(saved);
	return ret;
}

static int run_machine(void)
{
	struct gpmu_saved *saved = gpmu_saved_new(NULL);
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine;
	int ret;

	if (!saved)
		return -errno;
	ret = read_all(saved);
	if (!ret) {
		errno = 0;
		machine = gpmu_saved_machine(saved, laptop.path, &error);
		ret = machine ? 0 : *error.text ? -errno : 1;
		gpmu_machine_free(machine);
	}
	gpmu_saved_free(saved);
	return ret;
}

int main(void)
{
	struct saved_test t;

	sysroot_make(&laptop, "laptop");
	saved_test_init(&t, 1, 0);
	saved_test_lines(&t, csv);
	saved_test_plan(&t, laptop.path, "GraceMemReadBW", "nvidia_scf_pmu_0/cmem_rd_data/");
	plan = t.plan;
	alloc_fail_each(run_rows, 50, "perf output, rows");
	alloc_fail_each(run_machine, 80, "perf output, the machine");
	saved_test_release(&t);
	sysroot_release(&laptop);
	return done_testing();
}
