// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The modelled Grace's PMUs as a device inside QEMU 10.0, at the addresses and
 * on the interrupts that they have behind the vfio-user server, on the guest's
 * virtual clock:
 *
 *	-device gpmu-pmus,board=FILE[,log=FILE][,scenarios=FILE:FILE...][,spiN=SPI]
 *
 * build-qemu puts this file and the register core into QEMU's source tree.
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/module.h"
#include "qemu/timer.h"
#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "hw/irq.h"
#include "hw/qdev-core.h"
#include "hw/qdev-properties.h"

#include "rig.h"

#define TYPE_GPMU_PMUS "gpmu-pmus"
OBJECT_DECLARE_SIMPLE_TYPE(GpmuState, GPMU_PMUS)

/* A window that is the BAR of a PCI device with the vfio-user server. */
struct gpmu_window {
	GpmuState *state;
	unsigned int device;
	MemoryRegion region;
	qemu_irq irq;
	uint32_t spi;
};

struct GpmuState {
	DeviceState parent_obj;
	char *board_path, *log_path, *scenarios;
	struct gpmu_window windows[BOARD_LINES];
	QEMUTimer *timer;
	FILE *log;
	struct board board;
	struct model *model;
	struct rig rig;
};

static uint64_t gpmu_now(void *opaque)
{
	return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void gpmu_interrupt(void *opaque, unsigned int device, bool is_high,
			   bool is_pulse)
{
	GpmuState *s = opaque;
	qemu_irq irq = s->windows[device - 1].irq;

	if (is_pulse && !is_high)
		qemu_irq_pulse(irq);
	else
		qemu_set_irq(irq, is_high);
}

static const struct rig_ops gpmu_rig_ops = {
	.now = gpmu_now,
	.interrupt = gpmu_interrupt,
};

/* Also the timer's function: the next overflow may be due. */
static void gpmu_service(void *opaque)
{
	GpmuState *s = opaque;

	timer_mod_ns(s->timer, rig_service(&s->rig));
}

static uint64_t gpmu_read(void *opaque, hwaddr addr, unsigned int size)
{
	struct gpmu_window *w = opaque;

	return rig_read(&w->state->rig, w->device, addr, size);
}

static void gpmu_write(void *opaque, hwaddr addr, uint64_t value, unsigned int size)
{
	struct gpmu_window *w = opaque;

	rig_write(&w->state->rig, w->device, addr, size, value);
	gpmu_service(w->state);
}

/* Every access reaches the model, so that it can detect illegal ones. */
static const MemoryRegionOps gpmu_ops = {
	.read = gpmu_read,
	.write = gpmu_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
	.impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static bool gpmu_load(GpmuState *s, Error **errp)
{
	g_auto(GStrv) paths = NULL;
	struct scenario *scenario;
	struct text_error err;
	int i;

	if (!s->board_path) {
		error_setg(errp, "board= is missing");
		return false;
	}
	if (board_load(&s->board, s->board_path, &err)) {
		error_setg(errp, "%s", err.message);
		return false;
	}
	s->model = model_new(s->board.chip, s->board.sockets);
	if (!s->model) {
		error_setg_errno(errp, errno, "no model");
		return false;
	}
	paths = g_strsplit(s->scenarios ? s->scenarios : "", ":", 0);
	for (i = 0; paths[i]; i++) {
		scenario = scenario_load(paths[i], &err);
		if (!scenario || model_add(s->model, scenario, &err) < 0) {
			error_setg(errp, "%s", err.message);
			return false;
		}
	}
	if (s->log_path) {
		s->log = fopen(s->log_path, "we");
		if (!s->log) {
			error_setg_file_open(errp, errno, s->log_path);
			return false;
		}
		setvbuf(s->log, NULL, _IOLBF, 0);
	}
	return true;
}

static void gpmu_realize(DeviceState *dev, Error **errp)
{
	GpmuState *s = GPMU_PMUS(dev);
	Object *gic = object_resolve_path_type("", "arm-gicv3-common", NULL);
	unsigned int i;

	if (!gic) {
		error_setg(errp, "the machine has no GICv3");
		return;
	}
	if (!gpmu_load(s, errp))
		return;
	s->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, gpmu_service, s);
	rig_init(&s->rig, &s->board, s->model, &gpmu_rig_ops, s, s->log);
	for (i = 0; i < BOARD_LINES; i++) {
		struct gpmu_window *w = &s->windows[i];

		w->state = s;
		w->device = i + 1;
		w->irq = qdev_get_gpio_in(DEVICE(gic), w->spi);
		memory_region_init_io(&w->region, OBJECT(s), &gpmu_ops, w,
				      TYPE_GPMU_PMUS, BOARD_BAR_SIZE);
		/* With priority over the PCI window, which includes these addresses. */
		memory_region_add_subregion_overlap(get_system_memory(),
						    BOARD_BASE + (uint64_t)i * BOARD_BAR_SIZE,
						    &w->region, 1);
	}
	gpmu_service(s);
}

static void gpmu_reset(DeviceState *dev)
{
	GpmuState *s = GPMU_PMUS(dev);
	unsigned int i;

	for (i = 1; i <= BOARD_LINES; i++)
		rig_reset(&s->rig, i);
	gpmu_service(s);
}

/* GSI 35 + N % 4, as PCI slot N's INTA; an SPI is its GSI less 32. */
static const Property gpmu_properties[] = {
	DEFINE_PROP_STRING("board", GpmuState, board_path),
	DEFINE_PROP_STRING("log", GpmuState, log_path),
	DEFINE_PROP_STRING("scenarios", GpmuState, scenarios),
	DEFINE_PROP_UINT32("spi1", GpmuState, windows[0].spi, 4),
	DEFINE_PROP_UINT32("spi2", GpmuState, windows[1].spi, 5),
	DEFINE_PROP_UINT32("spi3", GpmuState, windows[2].spi, 6),
	DEFINE_PROP_UINT32("spi4", GpmuState, windows[3].spi, 3),
};

static void gpmu_class_init(ObjectClass *klass, void *data)
{
	DeviceClass *dc = DEVICE_CLASS(klass);

	dc->desc = "CoreSight PMUs of a modelled NVIDIA Grace";
	dc->realize = gpmu_realize;
	dc->user_creatable = true;
	dc->hotpluggable = false;
	device_class_set_legacy_reset(dc, gpmu_reset);
	device_class_set_props(dc, gpmu_properties);
}

static const TypeInfo gpmu_type = {
	.name = TYPE_GPMU_PMUS,
	.parent = TYPE_DEVICE,
	.instance_size = sizeof(GpmuState),
	.class_init = gpmu_class_init,
};

static void gpmu_register(void)
{
	type_register_static(&gpmu_type);
}

type_init(gpmu_register)
