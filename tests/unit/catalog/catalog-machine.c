// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Which entries of a catalog a machine supports, on the fake machines of tests/sysroot and
 * variants of them
 */
#include "catalog-test.h"
#include "sysroot.h"

#define METRIC(name, members) "[{\"MetricName\": \"" name "\", \"MetricExpr\": \"1\"" members "}]"
#define A31	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define MIDR	"sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

static struct gpmu_machine *look(const struct sysroot *root)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(root->path, &error);

	if (!machine) {
		printf("Bail out! %s\n", error.text);
		exit(1);
	}
	return machine;
}

static void count(const struct gpmu_catalog *catalog, const struct gpmu_machine *machine,
		  int *system, int *core, int *events)
{
	const struct gpmu_event_def *event;
	const struct gpmu_metric *metric;
	size_t i;

	*system = *core = *events = 0;
	for (i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		*(gpmu_metric_pmu(metric) ? system : core) +=
			gpmu_metric_supported(metric, machine);
	for (i = 0; (event = gpmu_catalog_event(catalog, i)); i++)
		*events += gpmu_event_def_supported(event, machine);
}

static void check_machines(void)
{
	static const struct {
		const char *name;
		bool is_grace;
	} machines[] = {
		{ "superchip", true }, { "superchip-ours", true }, { "gh200", true },
		{ "gh4", true }, { "laptop", false }, { "vm", false },
	};
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	int system, core, events, all_core = 0;
	const struct gpmu_metric *metric;
	size_t i;

	for (i = 0; (metric = gpmu_catalog_metric(catalog, i)); i++)
		all_core += !gpmu_metric_pmu(metric);
	for (i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		const char *name = machines[i].name;
		struct gpmu_machine *machine;
		struct sysroot root;

		sysroot_make(&root, name);
		machine = look(&root);
		count(catalog, machine, &system, &core, &events);
		ok(core == (machines[i].is_grace ? all_core : 0), "catalog: %s supports %s core metrics", name,
		   machines[i].is_grace ? "all" : "no");
		ok((system > 15) == machines[i].is_grace && (events > 50) == machines[i].is_grace,
		   "catalog: %s supports %d metrics and %d events of system "
		   "PMUs", name, system, events);
		metric = gpmu_catalog_find_metric(catalog, "GraceMemReadBW", machine);
		ok(metric && gpmu_metric_supported(metric, machine) == machines[i].is_grace,
		   "catalog: a metric is found whether or not the machine supports it");
		gpmu_machine_free(machine);
		sysroot_release(&root);
	}
	gpmu_catalog_free(catalog);
}

/*
 * Returns whether a machine whose only PMU is @pmu with this identifier supports a metric of @unit and
 * @compat
 */
static int has(const char *pmu, const char *identifier, const char *unit, const char *compat)
{
	struct gpmu_catalog *catalog = empty();
	struct gpmu_machine *machine;
	struct sysroot root;
	char text[1024];
	int ret;

	sysroot_init(&root);
	snprintf(text, sizeof(text), "sys/bus/event_source/devices/%s/type", pmu);
	sysroot_put(&root, text, "20\n");
	snprintf(text, sizeof(text), "sys/bus/event_source/devices/%s/identifier", pmu);
	if (identifier)
		sysroot_put(&root, text, identifier);
	machine = look(&root);
	snprintf(text, sizeof(text), METRIC("m", ", \"Unit\": \"%s\"%s%s%s"), unit,
		 compat ? ", \"Compat\": \"" : "", compat ? compat : "", compat ? "\"" : "");
	add(catalog, "x.json", text);
	ret = gpmu_metric_supported(gpmu_catalog_metric(catalog, 0), machine);
	gpmu_machine_free(machine);
	gpmu_catalog_free(catalog);
	sysroot_release(&root);
	return ret;
}

static void check_pmus(void)
{
	static const struct {
		const char *pmu, *identifier, *unit, *compat;
		int has;
	} pmus[] = {
		{ "nvidia_scf_pmu_0", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 1 },
		{ "nvidia_scf_pmu_12", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 1 },
		{ "nvidia_scf_pmu", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 1 },
		{ "nvidia_scf_pmu_0_inst_1", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_x", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pm", "2cf0036b", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_0", "2cf0036b", "nvidia_pcie_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_0", "2cf0036c", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_0", "2cf0036bb", "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_0", NULL, "nvidia_scf_pmu", "2cf0036b", 0 },
		{ "nvidia_scf_pmu_0", NULL, "nvidia_scf_pmu", NULL, 1 },
		{ "imx8_ddr0", "i.MX8MP", "imx8_ddr", "i.MX8MP", 1 },
		/* perf's matching of PMU names */
		{ "imc_3", NULL, "iMC", NULL, 1 },
		{ "uncore_imc_3", NULL, "iMC", NULL, 1 },
		{ "uncore_imc_free_running_0", NULL, "iMC", NULL, 0 },
		{ "smmuv3_pmcg_2b442", NULL, "smmuv3_pmcg", NULL, 1 },
		{ "cpum_cf", NULL, "cpum", NULL, 0 },
		{ "hisi_sccl1_l3c10", NULL, "hisi_sccl,l3c", NULL, 1 },
		{ "hisi_sccl12_l3c", NULL, "hisi_sccl,l3c", NULL, 1 },
		{ "hisi_sccl1_hha0", NULL, "hisi_sccl,l3c", NULL, 0 },
		{ "hisi_sccl1", NULL, "hisi_sccl,l3c", NULL, 0 },
		{ "hisi_sccl1_l3c0_x", NULL, "hisi_sccl,l3c", NULL, 0 },
		/* perf's matching of identifiers */
		{ "arm_cmn_0", "43601", "arm_cmn", "(434|436|43c|43a).*", 1 },
		{ "arm_cmn_0", "436", "arm_cmn", "(434|436|43c|43a).*", 1 },
		{ "arm_cmn_0", "43501", "arm_cmn", "(434|436|43c|43a).*", 0 },
		{ "arm_cmn_0", "143601", "arm_cmn", "(434|436|43c|43a).*", 0 },
		{ "arm_cmn_0", "43601", "arm_cmn", "436", 0 },
		{ "arm_cmn_0", "43601", "arm_cmn", "436..", 1 },
		{ "arm_cmn_0", "43601", "arm_cmn", "436[01]?1", 1 },
		{ "arm_cmn_0", "4(3", "arm_cmn", "4(3", 1 },
		{ "arm_cmn_0", "4(3", "arm_cmn", "(3", 0 },
		{ "arm_cmn_0", "x", "arm_cmn", A31 "|" A31 "|x", 0 },
		{ "arm_cmn_0", "x", "arm_cmn", A31 "|x", 1 },
		/* Patterns that regexec() would expand are compared literally. */
		{ "arm_cmn_0", "aaaa", "arm_cmn", "a+", 0 },
		{ "arm_cmn_0", "a+", "arm_cmn", "a+", 1 },
		{ "arm_cmn_0", "aaaa", "arm_cmn",
		  "((((((a{1,99}){1,99}){1,99}){1,99}){1,99}).*", 0 },
		{ "arm_cmn_0", "aaaa", "arm_cmn",
		  "((((((((((((((((((((a+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)+)", 0 },
		{ "arm_cmn_0", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "arm_cmn",
		  "((((((((((a*)*)*)*)*)*)*)*)*)*)(a|a)*(a|a)*(a|a)*(.*)*(.*)*c", 0 },
	};
	size_t i;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++)
		ok(has(pmus[i].pmu, pmus[i].identifier, pmus[i].unit, pmus[i].compat) ==
		   pmus[i].has, "catalog: PMU %s (%s) %s Unit %s (%s)", pmus[i].pmu,
		   pmus[i].identifier ? pmus[i].identifier : "no identifier",
		   pmus[i].has ? "matches" : "does not match", pmus[i].unit,
		   pmus[i].compat ? pmus[i].compat : "any identifier");
}

static void check_cpus(void)
{
	static const char *const n2_v2 = "/l/arch/arm64/arm/neoverse-n2-v2/x.json";
	static const struct {
		const char *midr;
		int has;
	} midrs[] = {
		{ "0x00000000410fd4f0\n", 1 }, { "0x00000000410fd490\n", 0 },
		{ "0x00000000411fd4f3\n", 1 }, { "0x00000000410fd830\n", 0 },
		{ "0x00000000420fd4f0\n", 0 }, { "0x00000000410fd4e0\n", 0 },
	};
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric, *everybodys;
	struct gpmu_machine *machine;
	struct sysroot root;
	size_t i;

	sysroot_make(&root, "superchip");
	metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	add(catalog, "mine.json", METRIC("mine", ""));
	everybodys = gpmu_catalog_find_metric(catalog, "mine", NULL);
	for (i = 0; i < sizeof(midrs) / sizeof(midrs[0]); i++) {
		sysroot_put(&root, MIDR, midrs[i].midr);
		machine = look(&root);
		ok(gpmu_metric_supported(metric, machine) == midrs[i].has,
		   "catalog: a CPU with MIDR %.18s %s ipc", midrs[i].midr,
		   midrs[i].has ? "supports" : "does not support");
		ok(gpmu_metric_supported(everybodys, machine) == 1,
		   "catalog: a metric for all CPUs is supported on each CPU");
		gpmu_machine_free(machine);
	}
	sysroot_put(&root, MIDR, midrs[0].midr);
	machine = look(&root);
	add(catalog, "/l/arch/arm64/arm/neoverse-v3/x.json", METRIC("ipc", ""));
	add(catalog, "/l/arch/arm64/arm/neoverse-a/x.json", METRIC("ipc", ""));
	ok(gpmu_catalog_find_metric(catalog, "ipc", machine) == metric,
	   "catalog: the metric for this machine's CPU is found among several");
	ok(gpmu_catalog_find_metric(catalog, "ipc", NULL) != metric,
	   "catalog: the last metric added is found without a machine");
	add(catalog, n2_v2, METRIC("ipc", ""));
	ok(gpmu_catalog_find_metric(catalog, "ipc", machine) != metric,
	   "catalog: a later metric replaces the one for the same CPU");
	metric = gpmu_catalog_find_metric(catalog, "ipc", machine);
	add(catalog, "mine.json", METRIC("IPC", ""));
	ok(gpmu_catalog_find_metric(catalog, "ipc", machine) != metric,
	   "catalog: a later metric for all CPUs takes precedence");
	gpmu_machine_free(machine);
	sysroot_remove(&root, "sys/bus/event_source/devices/armv8_pmuv3_0");
	machine = look(&root);
	ok(!gpmu_metric_supported(metric, machine),
	   "catalog: core metrics are not supported without a core PMU");
	ok(gpmu_metric_supported(everybodys, machine) == 1,
	   "catalog: metrics for all CPUs are supported without a core PMU");
	gpmu_machine_free(machine);
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

int main(void)
{
	check_machines();
	check_pmus();
	check_cpus();
	return done_testing();
}
