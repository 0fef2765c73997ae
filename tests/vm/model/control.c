// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The control page, by which a test in the guest controls the model. 32-bit registers
 * in device 1's BAR at BOARD_CONTROL; tests/vm/model/README.rst lists them.
 */
#include "rig.h"

#define MAGIC	0x756d7067u	/* "gpmu" in memory */

enum {
	CONTROL_MAGIC = 0x00,
	CONTROL_SCENARIOS = 0x04,
	CONTROL_START = 0x08,
	CONTROL_STOP = 0x0c,
	CONTROL_RUNNING = 0x10,
	CONTROL_FAULT = 0x14,
	CONTROL_MARK = 0x18,
	CONTROL_ILLEGAL = 0x1c,
	CONTROL_TIME_LOW = 0x20,
	CONTROL_TIME_HIGH = 0x24,
	CONTROL_RAISE = 0x28,
	CONTROL_PRESET = 0x2c,
	CONTROL_PRESET_LOW = 0x30,
	CONTROL_PRESET_HIGH = 0x34,
	CONTROL_READS = 0x38,
	CONTROL_WRITES = 0x3c,
};

/* @value is a PMU's index << 8 | an operand; NULL if there is no such PMU. */
static struct regs *find_regs(struct rig *rig, uint32_t value)
{
	return value >> 8 < rig->board->pmus_len ? &rig->regs[value >> 8] : NULL;
}

/* Accesses to the selected counter since it was preset */
static uint32_t accesses(struct rig *rig, bool is_write)
{
	const struct regs *regs = find_regs(rig, rig->preset);
	unsigned int counter = rig->preset & 0xff;

	if (!regs || counter >= REGS_COUNTERS)
		return 0;
	return is_write ? regs->writes[counter] : regs->reads[counter];
}

uint32_t control_read(struct rig *rig, uint32_t offset, uint64_t time)
{
	switch (offset) {
	case CONTROL_MAGIC:
		return MAGIC;
	case CONTROL_SCENARIOS:
		return model_scenarios(rig->model);
	case CONTROL_RUNNING:
		return model_running(rig->model, time);
	case CONTROL_ILLEGAL:
		return rig->illegal;
	case CONTROL_TIME_LOW:
		rig->latched_time = time;
		return time;
	case CONTROL_TIME_HIGH:
		return rig->latched_time >> 32;
	case CONTROL_READS:
	case CONTROL_WRITES:
		return accesses(rig, offset == CONTROL_WRITES);
	}
	rig_illegal(rig, "control page: read of %x", offset);
	return 0;
}

static int preset(struct rig *rig, uint64_t time, uint32_t high)
{
	struct regs *regs = find_regs(rig, rig->preset);

	if (!regs)
		return -1;
	return regs_preset(regs, rig->preset & 0xff,
			   (uint64_t)high << 32 | rig->preset_low, time);
}

void control_write(struct rig *rig, uint32_t offset, uint64_t time, uint32_t value)
{
	struct regs *regs = find_regs(rig, value);
	int ret = -1;

	switch (offset) {
	case CONTROL_START:
		ret = model_start(rig->model, value, time);
		break;
	case CONTROL_STOP:
		ret = model_stop(rig->model, value, time);
		break;
	case CONTROL_FAULT:
		ret = regs ? regs_set_fault(regs, value & 0xff) : -1;
		break;
	case CONTROL_MARK:
		if (rig->log)
			fprintf(rig->log, "M %u\n", value);
		return;
	case CONTROL_RAISE:
		ret = regs ? regs_raise(regs, value & 0xff, time) : -1;
		break;
	case CONTROL_PRESET:
		rig->preset = value;
		return;
	case CONTROL_PRESET_LOW:
		rig->preset_low = value;
		return;
	case CONTROL_PRESET_HIGH:
		ret = preset(rig, time, value);
		break;
	}
	if (ret)
		rig_illegal(rig, "control page: write of %x to %x", value, offset);
}
