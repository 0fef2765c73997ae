// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <string.h>

#include "regs.h"

#define PIDR2_JEDEC		(1u << 3)

#define SET_CLR_SIZE		0x20u	/* bytes of PMCNTENSET<n> and its like */

static const char absent_register[] = "write of an absent register";
static const char read_only[] = "write of a read-only register";
static const char wrong_page[] = "register of the other page";
static const char wrong_size[] = "access size";
static const char misaligned[] = "misaligned access";
static const char not_atomic[] = "64-bit access without single-copy atomicity";
static const char foreign[] = "write to a foreign PMU";
static const char dead[] = "write to a dead page";

static uint64_t counter_mask(const struct regs *r)
{
	return r->pmu->width == 64 ? UINT64_MAX : (1ull << r->pmu->width) - 1;
}

static bool is_cycle_counter(const struct regs *r, unsigned int i)
{
	return i == REGS_CYCLES && r->pmu->has_cycle_counter;
}

/* The cycle counter has index 31 also where there are more than 31 others. */
static bool has_counter(const struct regs *r, unsigned int i)
{
	if (is_cycle_counter(r, i))
		return true;
	if (r->pmu->has_cycle_counter && i > REGS_CYCLES)
		i--;
	return i < r->pmu->counters;
}

static bool has_event_counter(const struct regs *r, unsigned int i)
{
	return has_counter(r, i) && !is_cycle_counter(r, i);
}

static bool test_bit(const uint32_t *bits, unsigned int i)
{
	return bits[i / 32] >> i % 32 & 1;
}

static void set_bit(uint32_t *bits, unsigned int i)
{
	bits[i / 32] |= 1u << i % 32;
}

/* A bit for each existing counter from 32 * @word on. */
static uint32_t counters(const struct regs *r, unsigned int word)
{
	uint32_t mask = 0;
	unsigned int i;

	for (i = 0; i < 32; i++)
		mask |= (uint32_t)has_counter(r, 32 * word + i) << i;
	return mask;
}

static struct model_event event_of(const struct regs *r, unsigned int i)
{
	return (struct model_event){
		.kind = r->pmu->kind,
		.socket = r->pmu->socket,
		.event = is_cycle_counter(r, i) ? CHIP_EVENT_CYCLES : r->typer[i],
		.filter = r->filter[i],
	};
}

static bool runs(const struct regs *r, unsigned int i)
{
	return r->is_counting && test_bit(r->enabled, i);
}

/* The counters continue from the model's current counts. */
static void latch(struct regs *r)
{
	unsigned int i;

	for (i = 0; i < REGS_COUNTERS; i++) {
		struct model_event event;

		if (!runs(r, i))
			continue;
		event = event_of(r, i);
		r->last[i] = model_count(r->model, &event, r->time);
	}
}

void regs_sync(struct regs *r, uint64_t time)
{
	unsigned int i;

	r->time = time;
	for (i = 0; i < REGS_COUNTERS; i++) {
		struct model_event event;
		unsigned __int128 sum;
		uint64_t now;

		if (!runs(r, i))
			continue;
		event = event_of(r, i);
		now = model_count(r->model, &event, time);
		sum = (unsigned __int128)r->value[i] + (now - r->last[i]);
		r->last[i] = now;
		r->value[i] = sum & counter_mask(r);
		if (sum >> r->pmu->width)
			set_bit(r->overflow, i);
	}
}

void regs_init(struct regs *r, const struct board_pmu *pmu,
	       const struct model *model)
{
	*r = (struct regs){ .pmu = pmu, .model = model };
}

void regs_reset(struct regs *r, uint64_t time)
{
	regs_init(r, r->pmu, r->model);
	r->time = time;
}

uint32_t regs_irq(const struct regs *r, unsigned int word)
{
	return r->overflow[word] & r->interrupts[word];
}

uint64_t regs_next_overflow(const struct regs *r)
{
	uint64_t next = MODEL_NEVER;
	unsigned int i;

	for (i = 0; i < REGS_COUNTERS; i++) {
		struct model_event event;
		uint64_t left, when;

		if (!runs(r, i) || !test_bit(r->interrupts, i) ||
		    test_bit(r->overflow, i))
			continue;
		event = event_of(r, i);
		left = counter_mask(r) - r->value[i];
		if (left == UINT64_MAX)
			continue;
		when = model_when(r->model, &event, r->time, left + 1);
		if (when < next)
			next = when;
	}
	return next;
}

/* The result of decoding an offset. */
struct reg {
	uint32_t offset;	/* in its page */
	bool is_page1;
};

static bool is_counter(const struct regs *r, uint32_t offset)
{
	return offset < REGS_COUNTERS * (r->pmu->width > 32 ? 8u : 4u);
}

static bool is_within(uint32_t offset, uint32_t base, uint32_t size)
{
	return offset - base < size;
}

static bool is_page1_register(const struct regs *r, uint32_t offset)
{
	return is_counter(r, offset) ||
	       is_within(offset, PMOVSCLR, SET_CLR_SIZE) ||
	       is_within(offset, PMOVSSET, SET_CLR_SIZE);
}

/* Checks size, alignment and page of an access; NULL if they are legal. */
static const char *locate(const struct regs *r, uint32_t offset,
			  unsigned int size, struct reg *reg)
{
	bool is_wide;

	reg->is_page1 = offset >= BOARD_PAGE1;
	reg->offset = offset - (reg->is_page1 ? BOARD_PAGE1 : 0);
	if (reg->offset >= 0x1000 || (reg->is_page1 && !r->pmu->has_dual_page))
		return "no register page";
	if (size != 4 && size != 8)
		return wrong_size;
	if (reg->offset % size)
		return misaligned;
	if (r->pmu->has_dual_page && reg->is_page1 != is_page1_register(r, reg->offset))
		return wrong_page;
	is_wide = is_counter(r, reg->offset) && r->pmu->width > 32;
	if (size == 8 && !is_wide)
		return wrong_size;
	if (size == 8 && !r->pmu->is_atomic)
		return not_atomic;
	return NULL;
}

/* The high word of a counter, falsified if a fault is injected. */
static uint32_t high_word(struct regs *r, uint64_t value)
{
	uint32_t high = value >> 32;

	if (r->fault == REGS_TEARING || r->fault == REGS_STORM) {
		if (++r->torn <= (r->fault == REGS_TEARING ? 3 : 12))
			high ^= r->torn;
		else
			r->fault = REGS_NO_FAULT;
	} else if (r->fault == REGS_UNSTABLE) {
		high ^= ++r->torn;
	}
	return high & counter_mask(r) >> 32;
}

static uint64_t read_counter(struct regs *r, uint32_t offset, unsigned int size)
{
	unsigned int i = offset / (r->pmu->width > 32 ? 8 : 4);

	if (!has_counter(r, i))
		return 0;
	r->reads[i]++;
	if (size == 8 || r->pmu->width <= 32)
		return r->value[i];
	return offset & 4 ? high_word(r, r->value[i]) : (uint32_t)r->value[i];
}

static uint32_t read_cfgr(const struct regs *r)
{
	uint32_t n = r->pmu->counters + r->pmu->has_cycle_counter - 1;

	if (r->pmu->dead == BOARD_DEAD_PMCFGR)
		return r->pmu->pmcfgr;
	return n | (r->pmu->width - 1) << 8 |
	       (r->pmu->has_cycle_counter ? PMCFGR_CC : 0);
}

/* PMPIDR and PMCIDR; IHI 0091 places PMIIDR's fields in the former. */
static uint32_t read_id(const struct regs *r, uint32_t offset)
{
	uint32_t id = r->pmu->identity;

	switch (offset) {
	case PMPIDR0:
		return id >> 20 & 0xff;
	case PMPIDR0 + 4:
		return (id & 0xf) << 4 | id >> 28;
	case PMPIDR0 + 8:
		return (id >> 16 & 0xf) << 4 | PIDR2_JEDEC | (id >> 4 & 0x7);
	case PMPIDR0 + 12:
		return (id >> 12 & 0xf) << 4;
	case PMPIDR4:
		return id >> 8 & 0xf;
	case PMCIDR0:
		return 0x0d;
	case PMCIDR0 + 4:
		return 0x90;
	case PMCIDR0 + 8:
		return 0x05;
	case PMCIDR0 + 12:
		return 0xb1;
	}
	return 0;
}

/*
 * The per-counter register at @offset: PMEVTYPER, the filters, and PMCCFILTR, which is
 * at the offset of PMEVTYPER31. NULL for another offset or an absent counter.
 */
static uint32_t *counter_register(struct regs *r, uint32_t offset)
{
	const struct {
		uint32_t base;
		uint32_t *values;
	} table[] = {
		{ PMEVTYPER, r->typer },
		{ PMEVFILTR, r->filter },
		{ PMEVFILT2R, r->filter2 },
	};
	unsigned int i, n;

	if (offset == PMCCFILTR && r->pmu->has_cycle_counter)
		return &r->filter[REGS_CYCLES];
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		n = (offset - table[i].base) / 4;
		if (offset >= table[i].base && n < REGS_COUNTERS)
			return has_event_counter(r, n) ? &table[i].values[n] : NULL;
	}
	return NULL;
}

/*
 * The set or clear register at @offset: the bits it shows, the counters that they stand
 * for (from 32 * @word on), and whether it sets them. NULL for another offset.
 */
static uint32_t *set_clear_register(struct regs *r, uint32_t offset,
				    unsigned int *word, bool *is_set)
{
	const struct {
		uint32_t base;
		uint32_t *bits;
		bool is_set;
	} table[] = {
		{ PMCNTENSET, r->enabled, true },
		{ PMCNTENCLR, r->enabled, false },
		{ PMINTENSET, r->interrupts, true },
		{ PMINTENCLR, r->interrupts, false },
		{ PMOVSSET, r->overflow, true },
		{ PMOVSCLR, r->overflow, false },
	};
	unsigned int i;

	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		if (!is_within(offset, table[i].base, 4 * REGS_WORDS))
			continue;
		*word = (offset - table[i].base) / 4;
		*is_set = table[i].is_set;
		return &table[i].bits[*word];
	}
	return NULL;
}

/* The registers of counters up to 255 exist in the map and ignore writes. */
static bool is_set_clear(uint32_t offset)
{
	return is_within(offset, PMCNTENSET, 4 * SET_CLR_SIZE) ||
	       is_within(offset, PMOVSCLR, SET_CLR_SIZE) ||
	       is_within(offset, PMOVSSET, SET_CLR_SIZE);
}

static uint32_t read_register(struct regs *r, uint32_t offset)
{
	uint32_t *value = counter_register(r, offset);
	unsigned int word;
	bool is_set;

	if (!value)
		value = set_clear_register(r, offset, &word, &is_set);
	if (value)
		return *value;

	switch (offset) {
	case PMCFGR:
		return read_cfgr(r);
	case PMCR:
		return r->is_counting ? PMCR_E : 0;
	case PMIIDR:
		return r->pmu->iidr;
	case PMDEVARCH:
		return r->pmu->devarch;
	}
	return read_id(r, offset);
}

static uint64_t all_ones(unsigned int size)
{
	return size == 8 ? UINT64_MAX : UINT32_MAX;
}

const char *regs_read(struct regs *r, uint32_t offset, unsigned int size,
		      uint64_t time, uint64_t *value)
{
	struct reg reg;
	const char *reason;

	regs_sync(r, time);
	*value = 0;
	reason = locate(r, offset, size, &reg);
	if (r->pmu->dead == BOARD_DEAD_ONES) {
		*value = all_ones(size);
		return NULL;
	}
	if (r->pmu->dead == BOARD_DEAD_ZEROS)
		return NULL;
	if (reason) {
		if (reason == not_atomic)
			*value = all_ones(size);
		return reason;
	}
	if (is_counter(r, reg.offset))
		*value = read_counter(r, reg.offset, size);
	else
		*value = read_register(r, reg.offset);
	return NULL;
}

static const char *write_counter(struct regs *r, uint32_t offset,
				 unsigned int size, uint64_t value)
{
	unsigned int i = offset / (r->pmu->width > 32 ? 8 : 4);
	uint64_t old;

	if (!has_counter(r, i))
		return absent_register;
	r->writes[i]++;
	old = r->value[i];
	if (size == 4 && r->pmu->width > 32)
		value = offset & 4 ? value << 32 | (uint32_t)old :
			(old & ~(uint64_t)UINT32_MAX) | (uint32_t)value;
	r->value[i] = value & counter_mask(r);
	return NULL;
}

static void write_control(struct regs *r, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < REGS_COUNTERS; i++)
		if (value & (is_cycle_counter(r, i) ? PMCR_C : PMCR_P))
			r->value[i] = 0;
	r->is_counting = value & PMCR_E;
}

static const char *write_register(struct regs *r, uint32_t offset, uint32_t value)
{
	uint32_t *reg = counter_register(r, offset);
	unsigned int word = 0;
	bool is_set;

	if (reg) {
		*reg = value;
		return NULL;
	}
	reg = set_clear_register(r, offset, &word, &is_set);
	if (reg) {
		*reg = is_set ? *reg | (value & counters(r, word)) : *reg & ~value;
		return NULL;
	}
	if (offset == PMCNTEN && r->pmu->has_ext64)
		r->enabled[0] = value & counters(r, 0);
	if (is_set_clear(offset))
		return NULL;
	if (offset == PMCR) {
		write_control(r, value);
		return NULL;
	}
	if (offset == PMCFGR || offset == PMIIDR || offset == PMDEVARCH ||
	    offset == PMPIDR4 || offset >= PMPIDR0)
		return read_only;
	return absent_register;
}

const char *regs_write(struct regs *r, uint32_t offset, unsigned int size,
		       uint64_t time, uint64_t value)
{
	struct reg reg;
	const char *reason;

	regs_sync(r, time);
	/* A driver must identify the PMU before it writes. */
	if (r->pmu->dead == BOARD_DEAD_ONES || r->pmu->dead == BOARD_DEAD_ZEROS)
		return dead;
	if (r->pmu->kind == PMU_FOREIGN)
		return foreign;
	reason = locate(r, offset, size, &reg);
	if (reason)
		return reason;
	if (is_counter(r, reg.offset))
		reason = write_counter(r, reg.offset, size, value);
	else
		reason = write_register(r, reg.offset, value);
	latch(r);
	return reason;
}

int regs_raise(struct regs *r, unsigned int counter, uint64_t time)
{
	if (counter >= REGS_COUNTERS || !has_counter(r, counter))
		return -EINVAL;
	regs_sync(r, time);
	set_bit(r->overflow, counter);
	return 0;
}

int regs_preset(struct regs *r, unsigned int counter, uint64_t value,
		uint64_t time)
{
	if (counter >= REGS_COUNTERS || !has_counter(r, counter))
		return -EINVAL;
	regs_sync(r, time);
	r->value[counter] = value & counter_mask(r);
	r->reads[counter] = 0;
	r->writes[counter] = 0;
	return 0;
}

int regs_set_fault(struct regs *r, unsigned int fault)
{
	if (fault >= REGS_FAULTS)
		return -EINVAL;
	r->fault = fault;
	r->torn = 0;
	return 0;
}
