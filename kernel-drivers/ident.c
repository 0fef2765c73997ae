// SPDX-License-Identifier: GPL-2.0-only
/*
 * Identification of a PMU, its counter configuration, its CPUs and its name.
 * Nothing here writes a register: the device may not be a Grace PMU.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/ioport.h>
#include <linux/topology.h>

#include <acpi/processor.h>

#include "apmt.h"
#include "cspmu.h"

/* Counter widths allowed by the architecture: bit n - 1 stands for n bits */
#define WIDTHS	(BIT_ULL(7) | BIT_ULL(9) | BIT_ULL(11) | BIT_ULL(15) | BIT_ULL(19) |	\
		 BIT_ULL(23) | BIT_ULL(31) | BIT_ULL(35) | BIT_ULL(39) | BIT_ULL(43) |	\
		 BIT_ULL(47) | BIT_ULL(51) | BIT_ULL(55) | BIT_ULL(63))

/* ioremap() warns about RAM, including RAM in the rest of a larger page */
static bool is_ram(u64 page)
{
	u64 start = page & PAGE_MASK;

	return region_intersects(start, PAGE_ALIGN(page + GRACE_PAGE_SIZE) - start,
				 IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) != REGION_DISJOINT;
}

/**
 * grace_check_pages() - check whether the pages of a PMU can be mapped
 * @gp: the PMU
 *
 * Return: 0, or -ENXIO after logging the reason
 */
int grace_check_pages(struct grace_pmu *gp)
{
	for (unsigned int i = 0; i < gp->node->pages; i++) {
		if (is_ram(gp->node->page[i])) {
			dev_err(gp->dev, "page %u at 0x%llx is in system RAM\n", i,
				gp->node->page[i]);
			return -ENXIO;
		}
	}
	return 0;
}

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

static int set_config(struct grace_pmu *gp, u32 pmcfgr)
{
	unsigned int total = FIELD_GET(PMCFGR_N, pmcfgr) + 1;

	gp->cfg.width = FIELD_GET(PMCFGR_SIZE, pmcfgr) + 1;
	gp->cfg.has_cycles = pmcfgr & PMCFGR_CC;
	gp->cfg.counters = total - gp->cfg.has_cycles;

	if (!(WIDTHS & BIT_ULL(gp->cfg.width - 1))) {
		dev_err(gp->dev, "invalid PMCFGR %08x: %u-bit counters\n",
			pmcfgr, gp->cfg.width);
		return -ENXIO;
	}
	if (total > GRACE_MAX_COUNTERS) {
		dev_err(gp->dev,
			"invalid PMCFGR %08x: %u counters of %u bits do not fit into the page\n",
			pmcfgr, total, gp->cfg.width);
		return -ENXIO;
	}
	if (!gp->cfg.counters) {
		dev_err(gp->dev,
			"invalid PMCFGR %08x: a cycle counter and no event counter\n",
			pmcfgr);
		return -ENXIO;
	}

	/* The index of the cycle counter is fixed and may lie among the event counters */
	bitmap_set(gp->implemented, 0, total);
	if (gp->cfg.has_cycles) {
		if (total > GRACE_CYCLE_IDX)
			__clear_bit(GRACE_CYCLE_IDX, gp->implemented);
		else
			__clear_bit(total - 1, gp->implemented);
	}
	return 0;
}

/**
 * grace_identify() - identify a PMU and read its counter configuration
 * @gp: the PMU, with its pages mapped; variant, iidr, cfg and implemented are set
 *
 * Return: 0, -ENODEV if it is not a PMU of NVIDIA, or -ENXIO if its registers are
 * invalid or its register layout is not supported; both after logging the reason
 */
int grace_identify(struct grace_pmu *gp)
{
	u32 pmcfgr = readl(gp->page0 + PMCFGR);
	u32 iidr = read_iidr(gp->page0);
	u32 devarch, part;

	if (pmcfgr == U32_MAX && iidr == U32_MAX) {
		dev_err(gp->dev, "registers read all ones: no PMU present\n");
		return -ENXIO;
	}
	if (!pmcfgr && !iidr) {
		dev_err(gp->dev, "registers read all zeros: no PMU present\n");
		return -ENXIO;
	}

	/* The implementation id in the APMT overrides the register */
	gp->iidr = gp->node->impl_id ?: iidr;
	gp->variant = grace_variant_of(gp->iidr);
	if (!gp->variant) {
		dev_info(gp->dev, "PMIIDR %08x is not a PMU of NVIDIA: skipped\n", gp->iidr);
		return -ENODEV;
	}

	devarch = readl(gp->page0 + PMDEVARCH);
	part = FIELD_GET(PMDEVARCH_ARCHPART, devarch);
	if (devarch & PMDEVARCH_PRESENT &&
	    (part == PMDEVARCH_EXT64_A || part == PMDEVARCH_EXT64_B)) {
		dev_err(gp->dev, "PMDEVARCH %08x: the 64-bit register layout is not supported\n",
			devarch);
		return -ENXIO;
	}
	return set_config(gp, pmcfgr);
}

static bool has_uid(struct acpi_device *adev, u32 want)
{
	const char *uid = acpi_device_uid(adev);
	u32 val;

	return uid && !kstrtou32(uid, 0, &val) && val == want;
}

static bool cpu_matches(int cpu, const struct grace_apmt_found *node)
{
	struct device *dev = get_cpu_device(cpu);
	struct acpi_device *adev = dev ? ACPI_COMPANION(dev) : NULL;

	if (!node->container)
		return adev && has_uid(adev, node->affinity);

	for (; adev; adev = acpi_dev_parent(adev)) {
		if (!strcmp(acpi_device_hid(adev), ACPI_PROCESSOR_CONTAINER_HID) &&
		    has_uid(adev, node->affinity))
			return true;
	}
	return false;
}

/**
 * grace_find_cpus() - find the CPUs that firmware associates with a PMU
 * @node: the PMU in the APMT
 * @cpus: the result
 *
 * The affinity is the ACPI UID of one processor, or of a processor container,
 * which stands for all its processors.
 *
 * Return: 0, or -ENXIO if there are none
 */
int grace_find_cpus(const struct grace_apmt_found *node, cpumask_t *cpus)
{
	unsigned int cpu;

	cpumask_clear(cpus);
	for_each_possible_cpu(cpu) {
		if (cpu_matches(cpu, node))
			cpumask_set_cpu(cpu, cpus);
	}
	return cpumask_empty(cpus) ? -ENXIO : 0;
}

static int socket_of(const cpumask_t *cpus)
{
	return cpu_to_node(cpumask_first(cpus));
}

/* Another driver may own this PMU: only its identification is read */
static const struct grace_variant *variant_at(const struct grace_apmt_found *node)
{
	void __iomem *page0;
	u32 iidr;

	if (node->impl_id)
		return grace_variant_of(node->impl_id);
	if (is_ram(node->page[0]))
		return NULL;
	page0 = ioremap(node->page[0], GRACE_PAGE_SIZE);
	if (!page0)
		return NULL;
	iidr = read_iidr(page0);
	iounmap(page0);
	return grace_variant_of(iidr);
}

static bool is_duplicate(const struct grace_pmu *gp, const struct grace_apmt_found *node,
			 cpumask_t *cpus)
{
	if (node->error || grace_find_cpus(node, cpus) || variant_at(node) != gp->variant)
		return false;
	return grace_is_unknown(gp->variant) || socket_of(cpus) == socket_of(&gp->cpus);
}

/**
 * grace_make_name() - make the name of a PMU
 * @gp: the PMU, identified and with its CPUs known
 *
 * The second PMU of a variant on a socket is numbered by its position in the
 * APMT, so that names do not depend on the order of binding or on the driver of
 * the first PMU. A malformed node is not counted. PMUs of an unknown variant are
 * numbered in the same way over all sockets.
 *
 * Return: a name that is released with the device, or NULL
 */
const char *grace_make_name(struct grace_pmu *gp)
{
	const struct grace_apmt_found *node = NULL;
	unsigned int before = 0;
	cpumask_var_t cpus;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return NULL;
	while ((node = grace_apmt_after(node)) != gp->node)
		before += is_duplicate(gp, node, cpus);
	free_cpumask_var(cpus);

	if (grace_is_unknown(gp->variant))
		return devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%u", gp->variant->name, before);
	if (before)
		return devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%u_inst_%u", gp->variant->name,
				      socket_of(&gp->cpus), before);
	return devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%u", gp->variant->name,
			      socket_of(&gp->cpus));
}
