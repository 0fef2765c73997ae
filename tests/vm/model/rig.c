// SPDX-License-Identifier: LGPL-2.1-or-later
#include <inttypes.h>
#include <stdarg.h>

#include "rig.h"

#define CONTROL_SIZE	0x1000u

void rig_init(struct rig *rig, const struct board *board, struct model *model,
	      const struct rig_ops *ops, void *opaque, FILE *log)
{
	unsigned int i;

	*rig = (struct rig){
		.board = board,
		.model = model,
		.ops = ops,
		.opaque = opaque,
		.log = log,
	};
	for (i = 0; i < board->pmus_len; i++)
		regs_init(&rig->regs[i], &board->pmus[i], model);
}

void rig_illegal(struct rig *rig, const char *fmt, ...)
{
	va_list ap;

	rig->illegal++;
	if (!rig->log)
		return;
	fputs("! ", rig->log);
	va_start(ap, fmt);
	vfprintf(rig->log, fmt, ap);
	va_end(ap);
	fputc('\n', rig->log);
}

/* Updates the interrupt of each device. */
static void update_interrupts(struct rig *rig, uint64_t now)
{
	bool is_high[BOARD_LINES + 1] = { false }, is_pulse[BOARD_LINES + 1] = { false };
	unsigned int i, word;

	for (i = 0; i < rig->board->pmus_len; i++) {
		const struct board_pmu *pmu = &rig->board->pmus[i];

		regs_sync(&rig->regs[i], now);
		for (word = 0; word < REGS_WORDS; word++) {
			uint32_t flags = regs_irq(&rig->regs[i], word);

			if (pmu->is_edge)
				is_pulse[pmu->line] |= flags & ~rig->pending[i][word];
			else
				is_high[pmu->line] |= flags;
			rig->pending[i][word] = flags;
		}
	}
	for (i = 1; i <= BOARD_LINES; i++)
		rig->ops->interrupt(rig->opaque, i, is_high[i], is_pulse[i]);
}

/* An overflow beyond the model's horizon is computed again at the horizon. */
static uint64_t next_interrupt(const struct rig *rig, uint64_t now)
{
	uint64_t next = now + MODEL_HORIZON, when;
	unsigned int i;

	for (i = 0; i < rig->board->pmus_len; i++) {
		if (!rig->board->pmus[i].line)
			continue;
		when = regs_next_overflow(&rig->regs[i]);
		if (when < next)
			next = when;
	}
	return next;
}

uint64_t rig_service(struct rig *rig)
{
	uint64_t now = rig->ops->now(rig->opaque);

	if (rig->is_changed || now >= rig->deadline) {
		update_interrupts(rig, now);
		rig->deadline = next_interrupt(rig, now);
		rig->is_changed = false;
	}
	return rig->deadline;
}

void rig_reset(struct rig *rig, unsigned int device)
{
	uint64_t now = rig->ops->now(rig->opaque);
	unsigned int i;

	for (i = 0; i < rig->board->pmus_len; i++) {
		if (board_device(&rig->board->pmus[i]) != device)
			continue;
		regs_reset(&rig->regs[i], now);
	}
	rig->is_changed = true;
}

/* The PMU at @offset of a BAR, or -1; @offset becomes the offset in the PMU. */
static int find_pmu(const struct rig *rig, unsigned int device, uint64_t *offset)
{
	const unsigned int space = rig->board->is_packed ? BOARD_PACKED_SPACE : BOARD_PMU_SPACE;
	uint64_t index = *offset / space;

	if (index >= rig->board->pmus_len ||
	    board_device(&rig->board->pmus[index]) != device)
		return -1;
	*offset %= space;
	return index;
}

static bool is_control(unsigned int device, uint64_t offset)
{
	return device == 1 && offset >= BOARD_CONTROL &&
	       offset - BOARD_CONTROL < CONTROL_SIZE;
}

static void log_access(struct rig *rig, char direction, int pmu, uint64_t offset,
		       unsigned int size, uint64_t value, const char *reason)
{
	if (rig->log)
		fprintf(rig->log, "%c %d %" PRIx64 " %u %" PRIx64 "\n", direction,
			pmu, offset, size, value);
	if (reason)
		rig_illegal(rig, "%s: %c %d %" PRIx64 " %u", reason, direction,
			    pmu, offset, size);
}

uint64_t rig_read(struct rig *rig, unsigned int device, uint64_t offset,
		  unsigned int size)
{
	uint64_t now = rig->ops->now(rig->opaque), value = 0;
	const char *reason;
	int pmu;

	if (is_control(device, offset)) {
		if (size == 4 && !(offset & 3))
			return control_read(rig, offset - BOARD_CONTROL, now);
		rig_illegal(rig, "control page: read of %u bytes at %" PRIx64,
			    size, offset - BOARD_CONTROL);
		return 0;
	}
	pmu = find_pmu(rig, device, &offset);
	if (pmu < 0) {
		rig_illegal(rig, "no PMU: read of device %u at %" PRIx64, device,
			    offset);
		return 0;
	}
	reason = regs_read(&rig->regs[pmu], offset, size, now, &value);
	log_access(rig, 'R', pmu, offset, size, value, reason);
	return value;
}

void rig_write(struct rig *rig, unsigned int device, uint64_t offset,
	       unsigned int size, uint64_t value)
{
	uint64_t now = rig->ops->now(rig->opaque);
	const char *reason;
	int pmu;

	rig->is_changed = true;
	if (is_control(device, offset)) {
		if (size == 4 && !(offset & 3))
			control_write(rig, offset - BOARD_CONTROL, now, value);
		else
			rig_illegal(rig, "control page: write of %u bytes at %" PRIx64,
				    size, offset - BOARD_CONTROL);
		return;
	}
	pmu = find_pmu(rig, device, &offset);
	if (pmu < 0) {
		rig_illegal(rig, "no PMU: write of device %u at %" PRIx64, device,
			    offset);
		return;
	}
	reason = regs_write(&rig->regs[pmu], offset, size, now, value);
	log_access(rig, 'W', pmu, offset, size, value, reason);
}
