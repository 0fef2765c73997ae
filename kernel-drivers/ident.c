// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who made a PMU, which counters it has, where it is and what it is called.
 * Nothing here writes a register: the device may turn out to be another's.
 */
#include <linux/acpi.h>
#include <linux/bitfield.h>
#include <linux/ioport.h>
#include <linux/sizes.h>
#include <linux/topology.h>

#include <acpi/processor.h>

#include <asm/cpufeature.h>
#include <asm/cputype.h>
#include <asm/pgtable.h>

#include "cspmu.h"

/* Counter sizes of the architecture: bit n - 1 stands for n bits */
#define WIDTHS	(BIT_ULL(7) | BIT_ULL(9) | BIT_ULL(11) | BIT_ULL(15) | BIT_ULL(19) |	\
		 BIT_ULL(23) | BIT_ULL(31) | BIT_ULL(35) | BIT_ULL(39) | BIT_ULL(43) |	\
		 BIT_ULL(47) | BIT_ULL(51) | BIT_ULL(55) | BIT_ULL(63))

/**
 * grace_phys_bits() - how long a physical address can be
 *
 * Return: bits
 */
unsigned int grace_phys_bits(void)
{
	unsigned int parange = read_cpuid(ID_AA64MMFR0_EL1) & 0xf;

	return min_t(unsigned int, PHYS_MASK_SHIFT, id_aa64mmfr0_parange_to_phys_shift(parange));
}

/* What is wrong with a page's address, NULL if nothing is known to be */
static const char *page_fault(const struct resource *res)
{
	resource_size_t start;

	if (!res->start)
		return "no address";
	if (!IS_ALIGNED(res->start, SZ_4K))
		return "not aligned to 4 KiB";
	if (res->end >> grace_phys_bits())
		return "beyond the physical addresses of this CPU";
	/* ioremap() of RAM is a WARN, also of RAM in the rest of a larger page */
	start = res->start & PAGE_MASK;
	if (region_intersects(start, PAGE_ALIGN(res->end + 1) - start, IORESOURCE_SYSTEM_RAM,
			      IORES_DESC_NONE) != REGION_DISJOINT)
		return "in system RAM";
	return NULL;
}

/**
 * grace_check_page() - can a page of a device be mapped?
 * @pdev: the platform device
 * @page: 0 or 1
 *
 * Return: 0, -ENXIO after a line in the log
 */
int grace_check_page(struct platform_device *pdev, unsigned int page)
{
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, page);
	const char *fault = res ? page_fault(res) : "no address";

	if (!fault && page) {
		struct resource *first = platform_get_resource(pdev, IORESOURCE_MEM, 0);

		if (first && first->start == res->start)
			fault = "the same as page 0";
	}
	if (!fault)
		return 0;

	dev_err(&pdev->dev, "page %u at %pa: %s\n", page, res ? &res->start : NULL, fault);
	return -ENXIO;
}

/* Without PMIIDR the CoreSight peripheral identification has the same fields */
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
		dev_err(gp->dev, "PMCFGR %08x makes no sense: %u-bit counters\n",
			pmcfgr, gp->cfg.width);
		return -ENXIO;
	}
	if (total > GRACE_MAX_COUNTERS) {
		dev_err(gp->dev,
			"PMCFGR %08x makes no sense: %u counters of %u bits do not fit into the page\n",
			pmcfgr, total, gp->cfg.width);
		return -ENXIO;
	}
	if (!gp->cfg.counters) {
		dev_err(gp->dev,
			"PMCFGR %08x makes no sense: a cycle counter and no event counter\n",
			pmcfgr);
		return -ENXIO;
	}

	/* The cycle counter's number is fixed: it may lie among the others */
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
 * grace_identify() - is it a PMU of Grace, and one that this driver can drive?
 * @gp: the PMU, its pages mapped; gets kind, iidr, cfg, implemented
 *
 * Return: 0, -ENODEV if it is another's, -ENXIO if it is broken; both after a
 * line in the log
 */
int grace_identify(struct grace_pmu *gp)
{
	u32 pmcfgr = readl(gp->page0 + PMCFGR);
	u32 iidr = read_iidr(gp->page0);
	u32 devarch, part;

	if (pmcfgr == U32_MAX && iidr == U32_MAX) {
		dev_err(gp->dev, "registers read all ones: no PMU there\n");
		return -ENXIO;
	}
	if (!pmcfgr && !iidr) {
		dev_err(gp->dev, "registers read all zeros: no PMU there\n");
		return -ENXIO;
	}

	/* Firmware's word goes before the register's */
	gp->iidr = grace_apmt_node(gp->dev)->impl_id ?: iidr;
	gp->kind = grace_kind_of(gp->iidr);
	if (!gp->kind) {
		dev_info(gp->dev, "PMIIDR %08x is not a Grace PMU's: left alone\n", gp->iidr);
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

static bool cpu_matches(int cpu, const struct acpi_apmt_node *node)
{
	bool container = node->flags & ACPI_APMT_FLAGS_AFFINITY;
	struct device *dev = get_cpu_device(cpu);
	struct acpi_device *adev = dev ? ACPI_COMPANION(dev) : NULL;

	if (!container)
		return adev && has_uid(adev, node->proc_affinity);

	for (; adev; adev = acpi_dev_parent(adev)) {
		if (!strcmp(acpi_device_hid(adev), ACPI_PROCESSOR_CONTAINER_HID) &&
		    has_uid(adev, node->proc_affinity))
			return true;
	}
	return false;
}

/**
 * grace_find_cpus() - the CPUs that firmware associates with a PMU
 * @node: the PMU in the APMT
 * @cpus: the result
 *
 * The affinity is the ACPI UID of one processor, or of a container whose
 * processors are meant.
 *
 * Return: 0, or -ENXIO if there are none
 */
int grace_find_cpus(const struct acpi_apmt_node *node, cpumask_t *cpus)
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

/* Kind of a PMU that another driver may hold: only identification is read */
static const struct grace_kind *kind_at(struct platform_device *pdev)
{
	struct acpi_apmt_node *node = grace_apmt_node(&pdev->dev);
	struct resource *res = platform_get_resource(pdev, IORESOURCE_MEM, 0);
	void __iomem *page0;
	u32 iidr;

	if (node->impl_id)
		return grace_kind_of(node->impl_id);
	if (!res || page_fault(res))
		return NULL;
	page0 = ioremap(res->start, GRACE_PAGE_SIZE);
	if (!page0)
		return NULL;
	iidr = read_iidr(page0);
	iounmap(page0);
	return grace_kind_of(iidr);
}

struct twins {
	const struct grace_pmu *gp;
	cpumask_t cpus;
	unsigned int before;
};

static int count_twin(struct device *dev, void *data)
{
	struct platform_device *pdev = to_platform_device(dev);
	struct twins *twins = data;
	struct acpi_apmt_node *node = grace_apmt_node(dev);

	if (strcmp(pdev->name, GRACE_DEVICE) || !node || node->length < sizeof(*node))
		return 0;
	/* Nodes point into the one table: a lower address is an earlier node */
	if (node >= grace_apmt_node(twins->gp->dev))
		return 0;
	if (grace_find_cpus(node, &twins->cpus) ||
	    socket_of(&twins->cpus) != socket_of(&twins->gp->cpus))
		return 0;
	if (kind_at(pdev) == twins->gp->kind)
		twins->before++;
	return 0;
}

/**
 * grace_make_name() - the name of a PMU in perf
 * @gp: the PMU, identified, its CPUs known
 *
 * A second PMU of a kind on a socket is told apart by its place in the APMT,
 * not by the order of binding nor by who drives the first: names stay.
 *
 * Return: a name that is released with the device, or NULL
 */
const char *grace_make_name(struct grace_pmu *gp)
{
	struct twins *twins = kzalloc(sizeof(*twins), GFP_KERNEL);
	const char *name;

	if (!twins)
		return NULL;
	twins->gp = gp;
	bus_for_each_dev(&platform_bus_type, NULL, twins, count_twin);

	if (twins->before)
		name = devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%u_inst_%u", gp->kind->name,
				      socket_of(&gp->cpus), twins->before);
	else
		name = devm_kasprintf(gp->dev, GFP_KERNEL, "%s_%u", gp->kind->name,
				      socket_of(&gp->cpus));
	kfree(twins);
	return name;
}
