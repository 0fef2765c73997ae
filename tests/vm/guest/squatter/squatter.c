// SPDX-License-Identifier: GPL-2.0-only
/*
 * squatter - occupies a name below a platform device in sysfs as soon as the device
 * exists, so that no other device can use it.
 */
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/platform_device.h>

static char *device = "";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "the platform device");

static char *name = "";
module_param(name, charp, 0444);
MODULE_PARM_DESC(name, "name to take below it");

static struct kobject *squat;

static int squatter_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	struct device *dev = data;

	if (action == BUS_NOTIFY_ADD_DEVICE && !squat && !strcmp(dev_name(dev), device))
		squat = kobject_create_and_add(name, &dev->kobj);
	return NOTIFY_DONE;
}

static struct notifier_block squatter = {
	.notifier_call = squatter_notify,
};

static int __init squatter_init(void)
{
	return bus_register_notifier(&platform_bus_type, &squatter);
}

static void __exit squatter_exit(void)
{
	bus_unregister_notifier(&platform_bus_type, &squatter);
	kobject_put(squat);
}

module_init(squatter_init);
module_exit(squatter_exit);

MODULE_DESCRIPTION("Takes a name below a device in sysfs");
MODULE_LICENSE("GPL");
