// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identification of a PMU, its counter configuration and its CPUs. No register is
 * written before the PMU is identified: the device may be another one.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>

#include <acpi/processor.h>

#include "cspmu.h"

/* If PMIIDR is 0, the CoreSight peripheral identification has the same fields */
static u32 read_iidr(void __iomem *page0)
{
	u32 iidr = readl(page0 + PMIIDR), id;

	if (iidr)
		return iidr;

	id = readl(page0 + PMPIDR0);
	iidr |= FIELD_PREP(PMIIDR_PRODUCT_0, FIELD_GET(PMPIDR0_PART_0, id));
	id = readl(page0 + PMPIDR1);
	iidr |= FIELD_PREP(PMIIDR_PRODUCT_1, FIELD_GET(PMPIDR1_PART_1, id));
	iidr |= FIELD_PREP(PMIIDR_DES_0, FIELD_GET(PMPIDR1_DES_0, id));
	id = readl(page0 + PMPIDR2);
	iidr |= FIELD_PREP(PMIIDR_VARIANT, FIELD_GET(PMPIDR2_REVISION, id));
	iidr |= FIELD_PREP(PMIIDR_DES_1, FIELD_GET(PMPIDR2_DES_1, id));
	id = readl(page0 + PMPIDR3);
	iidr |= FIELD_PREP(PMIIDR_REVISION, FIELD_GET(PMPIDR3_REVAND, id));
	id = readl(page0 + PMPIDR4);
	iidr |= FIELD_PREP(PMIIDR_DES_2, FIELD_GET(PMPIDR4_DES_2, id));
	return iidr;
}

/*
 * PMDEVARCH is optional. In the 64-bit layout, PMCNTEN enables counters; in the 32-bit
 * layout its bits stand for counters that do not exist.
 */
static bool has_64bit_layout(struct grace_pmu *gp)
{
	u32 devarch = readl(gp->page0 + PMDEVARCH);
	u32 part = FIELD_GET(PMDEVARCH_ARCHPART, devarch), enabled;

	if (devarch & PMDEVARCH_PRESENT)
		return part == PMDEVARCH_EXT64_A || part == PMDEVARCH_EXT64_B;

	writel(U32_MAX, gp->page0 + PMCNTENCLR);
	writel(U32_MAX, gp->page0 + PMCNTEN);
	enabled = readl(gp->page0 + PMCNTENCLR);
	writel(U32_MAX, gp->page0 + PMCNTENCLR);
	return enabled;
}

/**
 * grace_identify() - identify a PMU and read its counter configuration
 * @gp: the PMU, with its pages mapped; variant, iidr, counters and has_cycles are set
 *
 * Return: 0, or -ENODEV after logging why this driver does not support the PMU
 */
int grace_identify(struct grace_pmu *gp)
{
	u32 pmcfgr = readl(gp->page0 + PMCFGR);
	unsigned int width = FIELD_GET(PMCFGR_SIZE, pmcfgr) + 1;

	/* The implementation id in the APMT overrides the register */
	gp->iidr = gp->node->impl_id ?: read_iidr(gp->page0);
	gp->variant = grace_find_variant(gp->iidr);
	if (!gp->variant) {
		dev_info(gp->dev, "PMIIDR %08x is not a PMU of Grace: skipped\n", gp->iidr);
		return -ENODEV;
	}

	gp->has_cycles = pmcfgr & PMCFGR_CC;
	gp->counters = FIELD_GET(PMCFGR_N, pmcfgr) + 1 - gp->has_cycles;
	if (width != 64 || !gp->counters || gp->counters > GRACE_CYCLE_IDX)
		return dev_err_probe(gp->dev, -ENODEV,
				     "PMCFGR %08x: %u event counters of %u bits are not supported\n",
				     pmcfgr, gp->counters, width);
	if (has_64bit_layout(gp))
		return dev_err_probe(gp->dev, -ENODEV,
				     "the 64-bit register layout is not supported\n");
	return 0;
}

static bool has_uid(struct acpi_device *adev, u32 want)
{
	const char *uid = acpi_device_uid(adev);
	u32 val;

	return uid && !kstrtou32(uid, 0, &val) && val == want;
}

static bool cpu_matches(int cpu, const struct acpi_apmt_node *node)
{
	struct device *dev = get_cpu_device(cpu);
	struct acpi_device *adev = dev ? ACPI_COMPANION(dev) : NULL;

	if (!(node->flags & ACPI_APMT_FLAGS_AFFINITY))
		return adev && has_uid(adev, node->proc_affinity);

	for (; adev; adev = acpi_dev_parent(adev)) {
		if (!strcmp(acpi_device_hid(adev), ACPI_PROCESSOR_CONTAINER_HID) &&
		    has_uid(adev, node->proc_affinity))
			return true;
	}
	return false;
}

/**
 * grace_find_cpus() - find the CPUs that firmware associates with a PMU
 * @gp: the PMU; cpus is set
 *
 * The affinity is the ACPI UID of one processor, or of a processor container,
 * which stands for all its processors.
 *
 * Return: 0, or -ENODEV after logging that there are none
 */
int grace_find_cpus(struct grace_pmu *gp)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (cpu_matches(cpu, gp->node))
			cpumask_set_cpu(cpu, &gp->cpus);
	}
	if (cpumask_empty(&gp->cpus))
		return dev_err_probe(gp->dev, -ENODEV, "no CPU has affinity %u\n",
				     gp->node->proc_affinity);
	return 0;
}
