// SPDX-License-Identifier: GPL-2.0-only
/*
 * Attributes of a PMU: those of the in-tree driver, generated from the tables, and
 * caps/. See grace-cspmu.rst.
 */
#include <linux/device.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "cspmu.h"

struct text_attr {
	struct device_attribute attr;
	const char *text;
};

struct event_attr {
	struct device_attribute attr;
	u64 id;
};

static ssize_t text_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", container_of(attr, struct text_attr, attr)->text);
}

static ssize_t event_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "event=0x%llx\n", container_of(attr, struct event_attr, attr)->id);
}

static struct grace_pmu *dev_to_grace_pmu(struct device *dev)
{
	return to_grace_pmu((struct pmu *)dev_get_drvdata(dev));
}

static ssize_t identifier_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%x\n", dev_to_grace_pmu(dev)->iidr);
}
static DEVICE_ATTR_RO(identifier);

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&dev_to_grace_pmu(dev)->active));
}
static DEVICE_ATTR_RO(cpumask);

static ssize_t associated_cpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(&dev_to_grace_pmu(dev)->cpus));
}
static DEVICE_ATTR_RO(associated_cpus);

static struct attribute *base_attrs[] = {
	&dev_attr_identifier.attr,
	&dev_attr_cpumask.attr,
	&dev_attr_associated_cpus.attr,
	NULL
};

static const struct attribute_group base_group = {
	.attrs = base_attrs,
};

static ssize_t counters_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", dev_to_grace_pmu(dev)->counters);
}
static DEVICE_ATTR_RO(counters);

static ssize_t counter_width_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "64\n");
}
static DEVICE_ATTR_RO(counter_width);

static ssize_t cycle_counter_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", dev_to_grace_pmu(dev)->has_cycles);
}
static DEVICE_ATTR_RO(cycle_counter);

static struct attribute *caps_attrs[] = {
	&dev_attr_counters.attr,
	&dev_attr_counter_width.attr,
	&dev_attr_cycle_counter.attr,
	NULL
};

static const struct attribute_group caps_group = {
	.name = "caps",
	.attrs = caps_attrs,
};

static struct attribute_group *make_events(struct grace_pmu *gp)
{
	const struct grace_event *event;
	struct attribute_group *group;
	struct event_attr *attrs;
	size_t n = 0;

	for (event = gp->variant->events; event->name; event++)
		n++;

	group = devm_kzalloc(gp->dev, sizeof(*group), GFP_KERNEL);
	attrs = devm_kcalloc(gp->dev, n, sizeof(*attrs), GFP_KERNEL);
	if (!group || !attrs)
		return NULL;
	group->name = "events";
	group->attrs = devm_kcalloc(gp->dev, n + 1, sizeof(*group->attrs), GFP_KERNEL);
	if (!group->attrs)
		return NULL;

	n = 0;
	for (event = gp->variant->events; event->name; event++) {
		if (event->id == GRACE_CYCLES && !gp->has_cycles)
			continue;
		sysfs_attr_init(&attrs[n].attr.attr);
		attrs[n].attr.attr.name = event->name;
		attrs[n].attr.attr.mode = 0444;
		attrs[n].attr.show = event_show;
		attrs[n].id = event->id;
		group->attrs[n] = &attrs[n].attr.attr;
		n++;
	}
	return group;
}

static struct attribute_group *make_formats(struct grace_pmu *gp)
{
	const char *const names[] = { "event", gp->variant->filter_name };
	const char *const texts[] = { "config:0-32", gp->variant->filter_format };
	struct attribute_group *group;
	struct text_attr *attrs;

	group = devm_kzalloc(gp->dev, sizeof(*group), GFP_KERNEL);
	attrs = devm_kcalloc(gp->dev, ARRAY_SIZE(names), sizeof(*attrs), GFP_KERNEL);
	if (!group || !attrs)
		return NULL;
	group->name = "format";
	group->attrs = devm_kcalloc(gp->dev, ARRAY_SIZE(names) + 1, sizeof(*group->attrs),
				    GFP_KERNEL);
	if (!group->attrs)
		return NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names) && names[i]; i++) {
		sysfs_attr_init(&attrs[i].attr.attr);
		attrs[i].attr.attr.name = names[i];
		attrs[i].attr.attr.mode = 0444;
		attrs[i].attr.show = text_show;
		attrs[i].text = texts[i];
		group->attrs[i] = &attrs[i].attr.attr;
	}
	return group;
}

/**
 * grace_make_groups() - make the attributes of a PMU
 * @gp: the PMU, identified
 *
 * Return: attr_groups for struct pmu, released with the device, or NULL
 */
const struct attribute_group **grace_make_groups(struct grace_pmu *gp)
{
	const struct attribute_group **groups;

	groups = devm_kcalloc(gp->dev, 5, sizeof(*groups), GFP_KERNEL);
	if (!groups)
		return NULL;

	groups[0] = make_events(gp);
	groups[1] = make_formats(gp);
	if (!groups[0] || !groups[1])
		return NULL;
	groups[2] = &base_group;
	groups[3] = &caps_group;
	return groups;
}
