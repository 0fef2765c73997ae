// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * devices [SOURCE [ROOT]]: lists PCI devices with the PMUs that count their traffic, and GPUs with
 * their PMUs. SOURCE is a plugin that finds GPUs, "nvml"; ROOT a folder with the sysfs of another
 * machine.
 */
#include <stdio.h>

#include <gpmu.h>

static const char *or_unknown(const char *text)
{
	return text ? text : "unknown";
}

static void show_pci(const struct gpmu_pci *pci)
{
	const char *above = gpmu_pci_root_port_address(pci);
	const struct gpmu_pmu *pmu = gpmu_pci_pmu(pci);

	printf("%s: class %06x, driver %s, name %s, node %d\n", gpmu_pci_address(pci),
	       gpmu_pci_class(pci), or_unknown(gpmu_pci_driver(pci)),
	       or_unknown(gpmu_pci_name(pci)), gpmu_pci_node(pci));
	if (above)
		printf("  below %s\n", above);
	if (pmu && gpmu_pci_root_port(pci) >= 0)
		printf("  counted by %s/...,root_port=%#x/\n", gpmu_pmu_name(pmu),
		       1u << gpmu_pci_root_port(pci));
}

static void show_gpu(const struct gpmu_machine *machine, const struct gpmu_gpu *gpu)
{
	const struct gpmu_pmu *pmu;

	printf("GPU%zu: %s, chip %s, PCI %s, %s\n", gpmu_gpu_number(gpu),
	       or_unknown(gpmu_gpu_name(gpu)), or_unknown(gpmu_gpu_chip(gpu)),
	       or_unknown(gpmu_gpu_pci(gpu)), gpmu_gpu_uuid(gpu));
	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_gpu(pmu) == gpu)
			printf("  counted by %s of the plugin %s\n", gpmu_pmu_name(pmu),
			       gpmu_source_name(gpmu_pmu_source(pmu)));
}

static void show(const struct gpmu_machine *machine)
{
	const struct gpmu_pci *pci;
	const struct gpmu_gpu *gpu;

	for (size_t i = 0; (pci = gpmu_machine_pci(machine, i)); i++)
		show_pci(pci);
	for (size_t i = 0; (gpu = gpmu_machine_gpu(machine, i)); i++)
		show_gpu(machine, gpu);
}

int main(int argc, char **argv)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = gpmu_machine_new(argc > 2 ? argv[2] : NULL, &error);
	struct gpmu_source *source = NULL;
	int ret = !machine;

	if (machine && argc > 1) {
		source = gpmu_source_new(argv[1], &error);
		ret = !source || gpmu_machine_add_source(machine, source, &error);
	}
	if (ret)
		fprintf(stderr, "devices: %s\n", error.text);
	else
		show(machine);
	gpmu_source_put(source);
	gpmu_machine_free(machine);
	return ret;
}
