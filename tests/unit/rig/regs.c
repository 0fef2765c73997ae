// SPDX-License-Identifier: LGPL-2.1-or-later
/* The registers of one PMU, as the model implements Arm IHI 0091 */
#include "model/model-test.h"
#include "regs.h"

/* One 64-byte read of cmem per microsecond; the clock is 3.2 GHz. */
#define SLOW	"flow cpu:0 -> cmem:0 rd rate=64MB/s size=64\n"

#define RD_ACCESS	0x1a6
#define RD_DATA		0x1a5

struct bench {
	struct model *model;
	struct board_pmu pmu;
	struct regs regs;
};

static const struct board_pmu usual = {
	.kind = PMU_SCF, .counters = 6, .width = 64, .has_cycle_counter = true,
	.is_atomic = true, .line = 1, .iidr = 0x2cf0036b, .identity = 0x2cf0036b,
	.devarch = BOARD_DEVARCH,
};

static struct bench *bench_new(const struct board_pmu *pmu, const char *scenario)
{
	struct bench *b = calloc(1, sizeof(*b));

	if (!b) {
		printf("Bail out! no memory\n");
		exit(1);
	}
	b->model = model_text("superchip", 2, scenario);
	b->pmu = *pmu;
	regs_init(&b->regs, &b->pmu, b->model);
	return b;
}

static void bench_free(struct bench *b)
{
	model_free(b->model);
	free(b);
}

static uint64_t rd(struct bench *b, uint32_t offset, unsigned int size, uint64_t t)
{
	uint64_t value;

	regs_read(&b->regs, offset, size, t, &value);
	return value;
}

static void wr(struct bench *b, uint32_t offset, uint64_t value, uint64_t t)
{
	const char *reason = regs_write(&b->regs, offset, 4, t, value);

	if (reason)
		diag("write of %x: %s", offset, reason);
}

/* Makes counter @i count @event from @t on, provided that PMCR.E is set. */
static void count_on(struct bench *b, unsigned int i, uint32_t event, uint64_t t)
{
	wr(b, PMEVTYPER + 4 * i, event, t);
	wr(b, PMEVFILTR + 4 * i, 0x3ff, t);
	wr(b, PMCNTENSET, 1u << i, t);
}

static void identification(void)
{
	struct board_pmu pmu = usual;
	struct bench *b = bench_new(&pmu, "");

	is_u64(rd(b, PMCFGR, 4, 0), 0x7f06,
	       "PMCFGR: there are 7 counters of 64 bits and a cycle counter");
	is_u64(rd(b, PMIIDR, 4, 0), 0x2cf0036b, "PMIIDR: it has the board's iidr");
	is_u64(rd(b, PMDEVARCH, 4, 0), 0x47700af0, "PMDEVARCH: it is present and names the 32-bit programmers' model");
	wr(b, PMCNTEN, ~0u, 0);
	is_u64(rd(b, PMCNTENCLR, 4, 0), 0, "PMCNTEN: it has no effect in the 32-bit layout");
	is_u64(rd(b, PMPIDR0, 4, 0), 0xcf, "PMPIDR0: it has PART_0 of the identity");
	is_u64(rd(b, PMPIDR0 + 4, 4, 0), 0xb2, "PMPIDR1: it has DES_0 and PART_1");
	is_u64(rd(b, PMPIDR0 + 8, 4, 0), 0x0e, "PMPIDR2: it has REVISION, JEDEC and DES_1");
	is_u64(rd(b, PMPIDR0 + 12, 4, 0), 0x00, "PMPIDR3: it has a REVAND of 0");
	is_u64(rd(b, PMPIDR4, 4, 0), 0x03, "PMPIDR4: it has DES_2 of the identity");
	is_u64(rd(b, PMCIDR0, 4, 0), 0x0d, "PMCIDR0: it has the architecture's preamble");
	is_u64(rd(b, PMCIDR0 + 12, 4, 0), 0xb1, "PMCIDR3: it has the architecture's preamble");
	bench_free(b);

	pmu.counters = 3;
	pmu.width = 32;
	pmu.has_cycle_counter = false;
	pmu.iidr = 0;
	pmu.identity = 0x10a5436b;
	pmu.devarch = 0x47700af4;
	pmu.has_ext64 = true;
	b = bench_new(&pmu, "");
	is_u64(rd(b, PMCFGR, 4, 0), 0x1f02,
	       "PMCFGR: there are 3 counters of 32 bits and no cycle counter");
	is_u64(rd(b, PMIIDR, 4, 0), 0, "PMIIDR: iidr=0 makes it read zero");
	is_u64(rd(b, PMDEVARCH, 4, 0), 0x47700af4, "PMDEVARCH: it has the board's value");
	wr(b, PMCNTEN, ~0u, 0);
	is_u64(rd(b, PMCNTENCLR, 4, 0), 7, "PMCNTEN: ext64=1 makes it enable the three counters");
	is_u64(rd(b, PMPIDR0, 4, 0), 0x0a,
	       "PMPIDR0: PART_0 is the board's identity if PMIIDR is zero");
	is_u64(rd(b, PMPIDR0 + 8, 4, 0), 0x5e, "PMPIDR2: it has the variant of PMIIDR");
	is_u64(rd(b, PMPIDR0 + 12, 4, 0), 0x40, "PMPIDR3: it has the revision of PMIIDR");
	bench_free(b);
}

static void counting(void)
{
	struct bench *b = bench_new(&usual, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	is_u64(rd(b, PMEVCNTR, 8, MS), 0, "regs: nothing counts before PMCR.E is set");
	wr(b, PMCR, PMCR_E, MS);
	is_u64(rd(b, PMCR, 4, MS), 1, "regs: PMCR.E reads back as 1");
	is_u64(rd(b, PMEVCNTR, 8, 2 * MS), 1000, "regs: an enabled counter counts its event");
	is_u64(rd(b, PMEVCNTR + 8, 8, 2 * MS), 0,
	       "regs: a counter that is not enabled does not count");
	count_on(b, 1, RD_DATA, 2 * MS);
	wr(b, PMCNTENSET, 1u << REGS_CYCLES, 2 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 3 * MS), 2000,
	       "regs: a counter that is enabled later counts from then on");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 3 * MS), 3200000,
	       "regs: the cycle counter is counter 31");
	is_u64(rd(b, PMCNTENSET, 4, 3 * MS), 0x80000003,
	       "regs: PMCNTENSET reads the enabled counters");
	is_u64(rd(b, PMCNTENCLR, 4, 3 * MS), 0x80000003,
	       "regs: PMCNTENCLR reads the enabled counters");
	wr(b, PMCR, 0, 3 * MS);
	is_u64(rd(b, PMEVCNTR, 8, 9 * MS), 2000, "regs: clearing PMCR.E stops the event counters");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 9 * MS), 3200000,
	       "regs: clearing PMCR.E stops the cycle counter");
	wr(b, PMCNTENCLR, 1, 9 * MS);
	wr(b, PMCR, PMCR_E, 9 * MS);
	is_u64(rd(b, PMEVCNTR, 8, 10 * MS), 2000, "regs: a disabled counter keeps its value");
	is_u64(rd(b, PMEVCNTR + 8, 8, 10 * MS), 4000,
	       "regs: a counter that stays enabled continues");
	wr(b, PMEVTYPER + 4, RD_ACCESS, 10 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 11 * MS), 5000,
	       "regs: a new event counts from the write of PMEVTYPER on");
	wr(b, PMEVCNTR + 12, 0, 11 * MS);
	is_u64(regs_write(&b->regs, PMEVCNTR + 8, 8, 11 * MS, 1ull << 40) != NULL, 0,
	       "regs: a counter accepts a 64-bit write");
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (1ull << 40) + 1000,
	       "regs: a counter continues from the written value");
	wr(b, PMEVCNTR + 8, 7, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (1ull << 40) + 7,
	       "regs: the low word of a counter can be written alone");
	wr(b, PMEVCNTR + 12, 3, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (3ull << 32) + 7,
	       "regs: the high word of a counter can be written alone");
	is_u64(rd(b, PMEVCNTR + 12, 4, 12 * MS), 3, "regs: the high word of a counter reads alone");
	wr(b, PMCR, PMCR_E | PMCR_P, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), 0, "regs: PMCR.P resets the event counters");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 12 * MS), 12800000,
	       "regs: PMCR.P does not reset the cycle counter");
	wr(b, PMCR, PMCR_E | PMCR_C, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 12 * MS), 0,
	       "regs: PMCR.C resets the cycle counter");
	is_u64(rd(b, PMCR, 4, 12 * MS), 1, "regs: PMCR.P and PMCR.C read as zero");
	regs_reset(&b->regs, 12 * MS);
	is_u64(rd(b, PMCNTENSET, 4, 13 * MS), 0, "regs: a reset disables all counters");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 13 * MS), 0,
	       "regs: no counter counts after a reset");
	bench_free(b);
}

static void filters(void)
{
	static const char text[] = "flow pcie:0:8 -> cmem:0 rd rate=64MB/s size=64\n";
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.kind = PMU_PCIE;
	b = bench_new(&pmu, text);
	count_on(b, 0, 0x6, 0);
	count_on(b, 1, 0x6, 0);
	wr(b, PMEVFILTR + 4, 0x0ff, 0);
	wr(b, PMEVFILT2R + 4, 0x100, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR, 8, MS), 1000, "regs: PMEVFILTR selects the root port");
	is_u64(rd(b, PMEVCNTR + 8, 8, MS), 0,
	       "regs: PMEVFILTR leaves out other root ports, and PMEVFILT2R has no effect");
	is_u64(rd(b, PMEVFILTR + 4, 4, MS), 0x0ff, "regs: PMEVFILTR reads back its value");
	is_u64(rd(b, PMEVFILT2R + 4, 4, MS), 0x100, "regs: PMEVFILT2R reads back its value");
	wr(b, PMCCFILTR, 0x3ff, MS);
	is_u64(rd(b, PMCCFILTR, 4, MS), 0x3ff, "regs: PMCCFILTR reads back its value");
	is_u64(rd(b, PMEVTYPER, 4, MS), 0x6, "regs: PMEVTYPER reads back its value");
	wr(b, PMEVFILTR + 4, 0x100, MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 2 * MS), 1000,
	       "regs: a new filter counts from the write of PMEVFILTR on");
	bench_free(b);
}

static void overflow(void)
{
	struct bench *b = bench_new(&usual, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	count_on(b, 1, RD_ACCESS, 0);
	wr(b, PMCR, PMCR_E, 0);
	ok(!regs_preset(&b->regs, 0, UINT64_MAX - 9, 0), "regs: a counter can be preset");
	is_u64(rd(b, PMEVCNTR, 8, 9999), UINT64_MAX,
	       "regs: a counter counts up to its largest value");
	is_u64(rd(b, PMOVSSET, 4, 9999), 0, "regs: the largest value is no overflow");
	is_u64(rd(b, PMEVCNTR, 8, 10000), 0, "regs: a counter wraps after its largest value");
	is_u64(rd(b, PMOVSSET, 4, 10000), 1,
	       "regs: a wrap sets the counter's overflow flag in PMOVSSET");
	is_u64(rd(b, PMOVSCLR, 4, 10000), 1, "regs: PMOVSCLR reads the overflow flags too");
	is_u64(regs_irq(&b->regs, 0), 0, "regs: an overflow raises no interrupt without PMINTEN");
	wr(b, PMINTENSET, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 1, "regs: an overflow with PMINTEN raises the interrupt");
	is_u64(rd(b, PMINTENCLR, 4, 10000), 1, "regs: PMINTENCLR reads the enabled interrupts");
	wr(b, PMOVSCLR, 2, 10000);
	is_u64(regs_irq(&b->regs, 0), 1,
	       "regs: clearing another counter's flag leaves the interrupt up");
	wr(b, PMOVSCLR, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 0, "regs: clearing the overflow flag ends the interrupt");
	wr(b, PMOVSSET, 0xff, 10000);
	is_u64(rd(b, PMOVSCLR, 4, 10000), 0x3f,
	       "regs: PMOVSSET sets the flags of existing counters only");
	wr(b, PMINTENCLR, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 0, "regs: PMINTENCLR ends the interrupt");
	wr(b, PMCR, PMCR_E | PMCR_P | PMCR_C, 10000);
	is_u64(rd(b, PMOVSSET, 4, 10000), 0x3f,
	       "regs: PMCR.P and PMCR.C leave the overflow flags set");
	bench_free(b);
}

static void next_overflow(void)
{
	struct board_pmu pmu = usual;
	struct bench *b = bench_new(&pmu, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	count_on(b, 1, RD_DATA, 0);
	wr(b, PMINTENSET, 3, 0);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER,
	   "regs: no overflow is expected while PMCR.E is clear");
	wr(b, PMCR, PMCR_E, 0);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER,
	   "regs: no overflow is expected from a 64-bit counter near 0");
	regs_preset(&b->regs, 0, UINT64_MAX - 99, 500);
	is_u64(regs_next_overflow(&b->regs), 100000,
	       "regs: the time of the next overflow is exact");
	regs_preset(&b->regs, 1, UINT64_MAX - 9, 500);
	is_u64(regs_next_overflow(&b->regs), 5000, "regs: the next overflow is the earlier of two");
	regs_sync(&b->regs, 4999);
	is_u64(regs_irq(&b->regs, 0), 0, "regs: no interrupt is up 1 ns before the overflow");
	regs_sync(&b->regs, 5000);
	is_u64(regs_irq(&b->regs, 0), 2, "regs: the interrupt is up at the time of the overflow");
	regs_raise(&b->regs, 5, 5000);
	is_u64(rd(b, PMOVSSET, 4, 5000), 0x22,
	       "regs: a second overflow leaves the first one's flag set");
	is_u64(regs_next_overflow(&b->regs), 100000,
	       "regs: a counter whose flag is set has no next overflow");
	wr(b, PMINTENCLR, 1, 5000);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER,
	   "regs: a counter without an interrupt has no next overflow");
	bench_free(b);

	pmu.width = 32;
	b = bench_new(&pmu, SLOW);
	wr(b, PMCNTENSET, 1u << REGS_CYCLES, 0);
	wr(b, PMINTENSET, 1u << REGS_CYCLES, 0);
	wr(b, PMCR, PMCR_E, 0);
	/* 2^32 cycles at 3.2 GHz take 1342177280 ns. */
	is_u64(regs_next_overflow(&b->regs), 1342177280,
	       "regs: a 32-bit cycle counter overflows after 2^32 cycles");
	bench_free(b);
}

static void narrow(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.width = 32;
	b = bench_new(&pmu, SLOW);
	count_on(b, 1, RD_ACCESS, 0);
	wr(b, PMEVCNTR + 4, 0xfffffffe, 0);
	wr(b, PMCNTENSET, 1u << REGS_CYCLES, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR + 4, 4, 1000), 0xffffffff, "regs: 32-bit counters are 4 bytes apart");
	is_u64(rd(b, PMEVCNTR + 4, 4, 5000), 3, "regs: a 32-bit counter wraps at 2^32");
	is_u64(rd(b, PMOVSSET, 4, 5000), 2,
	       "regs: a 32-bit counter that wraps sets its overflow flag");
	is_u64(rd(b, PMEVCNTR + 4 * REGS_CYCLES, 4, 5000), 16000,
	       "regs: the 32-bit cycle counter is at 0x7c");
	/* 4,295,000,005 requests from -2: 4,295,000,003 - 2^32 */
	is_u64(rd(b, PMEVCNTR + 4, 4, 4295 * SEC + 5000), 32707,
	       "regs: a counter that wraps between two reads keeps the remainder");
	ok(regs_read(&b->regs, PMEVCNTR, 8, 4295 * SEC + 5000, &(uint64_t){ 0 }) != NULL,
	   "regs: 32-bit counters refuse 64-bit accesses");
	bench_free(b);

	pmu.width = 40;
	b = bench_new(&pmu, SLOW);
	count_on(b, 0, RD_ACCESS, 0);
	wr(b, PMEVCNTR + 4, 0xffffffff, 0);
	is_u64(rd(b, PMEVCNTR, 8, 0), 0xff00000000ull,
	       "regs: a 40-bit counter has 8 bits in its high word");
	regs_preset(&b->regs, 0, (1ull << 40) - 1, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR, 8, 1000), 0, "regs: a 40-bit counter wraps at 2^40");
	is_u64(rd(b, PMOVSSET, 4, 1000), 1,
	       "regs: a 40-bit counter that wraps sets its overflow flag");
	bench_free(b);
}

static void many(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.counters = 40;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0x7f28, "PMCFGR: there are 41 counters, 40 of them for events");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0xffffffff,
	       "regs, 41 counters: the first enable register has 31 event counters and the cycle counter");
	wr(b, PMCNTENSET + 4, ~0u, 0);
	is_u64(rd(b, PMCNTENCLR + 4, 4, 0), 0x1ff,
	       "regs, 41 counters: the second enable register has the other 9 counters");
	wr(b, PMEVTYPER + 4 * 40, RD_ACCESS, 0);
	wr(b, PMINTENSET + 4, 0x100, 0);
	ok(regs_write(&b->regs, PMEVTYPER + 4 * 41, 4, 0, 0) != NULL,
	   "regs, 41 counters: counter 41 is absent");
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR + 8 * 40, 8, MS), 1000,
	       "regs, 41 counters: counter 40 counts its event");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, MS), 3200000,
	       "regs, 41 counters: counter 31 counts cycles");
	ok(!regs_preset(&b->regs, 40, UINT64_MAX, MS),
	   "regs, 41 counters: counter 40 can be preset");
	is_u64(regs_next_overflow(&b->regs), MS + 1000,
	       "regs, 41 counters: the next overflow of counter 40 is expected");
	regs_sync(&b->regs, MS + 1000);
	is_u64(regs_irq(&b->regs, 1), 0x100, "regs, 41 counters: counter 40 raises the interrupt");
	is_u64(rd(b, PMOVSCLR + 4, 4, MS + 1000), 0x100,
	       "regs, 41 counters: the flag of counter 40 is in the second register");
	wr(b, PMOVSCLR + 4, 0x100, MS + 1000);
	is_u64(regs_irq(&b->regs, 1), 0, "regs, 41 counters: the second register clears the flag");
	bench_free(b);

	pmu.has_cycle_counter = false;
	b = bench_new(&pmu, SLOW);
	wr(b, PMEVTYPER + 4 * 31, RD_ACCESS, 0);
	wr(b, PMCNTENSET, 1u << 31, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR + 8 * 31, 8, MS), 1000,
	       "regs: without a cycle counter, counter 31 counts an event");
	wr(b, PMCNTENSET + 4, ~0u, MS);
	is_u64(rd(b, PMCNTENSET + 4, 4, MS), 0xff,
	       "regs: without a cycle counter, counter 39 is the last of 40");
	bench_free(b);
}

static void pages(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;
	uint64_t v;

	pmu.has_dual_page = true;
	b = bench_new(&pmu, SLOW);
	count_on(b, 0, RD_ACCESS, 0);
	wr(b, PMCR, PMCR_E, 0);
	wr(b, BOARD_PAGE1 + PMEVCNTR, 5, 0);
	is_u64(rd(b, BOARD_PAGE1 + PMEVCNTR, 8, MS), 1005,
	       "regs, two pages: the counters are on page 1");
	wr(b, BOARD_PAGE1 + PMOVSSET, 1, MS);
	is_u64(rd(b, BOARD_PAGE1 + PMOVSCLR, 4, MS), 1,
	       "regs, two pages: the overflow flags are on page 1");
	is_str(regs_read(&b->regs, PMEVCNTR, 8, MS, &v), "register of the other page",
	       "regs, two pages: a read of a counter on page 0 is illegal");
	is_u64(v, 0, "regs, two pages: a counter on page 0 reads zero");
	is_str(regs_write(&b->regs, PMEVCNTR, 8, MS, 7), "register of the other page",
	       "regs, two pages: a write of a counter on page 0 is illegal");
	is_str(regs_write(&b->regs, PMOVSCLR, 4, MS, 1), "register of the other page",
	       "regs, two pages: a write of the overflow flags on page 0 is illegal");
	is_str(regs_write(&b->regs, BOARD_PAGE1 + PMCR, 4, MS, 0), "register of the other page",
	       "regs, two pages: a write of PMCR on page 1 is illegal");
	is_str(regs_read(&b->regs, BOARD_PAGE1 + PMCFGR, 4, MS, &v), "register of the other page",
	       "regs, two pages: a read of PMCFGR on page 1 is illegal");
	is_u64(rd(b, PMCFGR, 4, MS), 0x7f06, "regs, two pages: PMCFGR is on page 0");
	is_u64(rd(b, BOARD_PAGE1 + PMEVCNTR, 8, 2 * MS), 2005,
	       "regs, two pages: illegal accesses do not disturb the counter");
	bench_free(b);

	b = bench_new(&usual, SLOW);
	is_str(regs_read(&b->regs, BOARD_PAGE1, 4, 0, &v), "no register page",
	       "regs, one page: an access to page 1 is illegal");
	is_str(regs_read(&b->regs, 0x1000, 4, 0, &v), "no register page",
	       "regs, one page: an access beyond the page is illegal");
	bench_free(b);
}

static void refuse(struct bench *b, uint32_t offset, unsigned int size,
		   const char *reason, const char *what)
{
	is_str(regs_write(&b->regs, offset, size, 0, ~0ull), reason, what);
}

static void illegal(void)
{
	struct board_pmu pmu = usual;
	struct bench *b = bench_new(&usual, "");
	uint64_t v;

	refuse(b, PMCFGR, 4, "write of a read-only register",
	       "regs: PMCFGR is a read-only register");
	refuse(b, PMIIDR, 4, "write of a read-only register",
	       "regs: PMIIDR is a read-only register");
	refuse(b, PMDEVARCH, 4, "write of a read-only register",
	       "regs: PMDEVARCH is a read-only register");
	refuse(b, PMPIDR0, 4, "write of a read-only register",
	       "regs: PMPIDR0 is a read-only register");
	refuse(b, PMPIDR0 + 4, 4, "write of a read-only register",
	       "regs: PMPIDR1 is a read-only register");
	refuse(b, PMPIDR4, 4, "write of a read-only register",
	       "regs: PMPIDR4 is a read-only register");
	refuse(b, PMEVTYPER + 4 * 6, 4, "write of an absent register",
	       "regs: there is no seventh PMEVTYPER");
	refuse(b, PMEVFILTR + 4 * 6, 4, "write of an absent register",
	       "regs: there is no seventh PMEVFILTR");
	refuse(b, PMEVFILT2R + 4 * 6, 4, "write of an absent register",
	       "regs: there is no seventh PMEVFILT2R");
	refuse(b, PMEVCNTR + 8 * 6, 8, "write of an absent register",
	       "regs: there is no seventh PMEVCNTR");
	refuse(b, 0xe10, 4, "write of an absent register",
	       "regs: there is no PMCR of the 64-bit programmers' model");
	refuse(b, 0x600, 4, "write of an absent register", "regs: there is no register at 0x600");
	refuse(b, PMCNTENSET, 8, "access size",
	       "regs: 64-bit accesses to other registers than counters are illegal");
	refuse(b, PMCR, 2, "access size", "regs: 16-bit accesses are illegal");
	refuse(b, PMCR, 1, "access size", "regs: 8-bit accesses are illegal");
	refuse(b, PMCR + 2, 4, "misaligned access", "regs: a misaligned 32-bit access is illegal");
	refuse(b, PMEVCNTR + 4, 8, "misaligned access",
	       "regs: a 64-bit access across two counters is illegal");
	is_u64(rd(b, PMEVTYPER + 4 * 6, 4, 0), 0, "regs: an absent register reads zero");
	ok(!regs_read(&b->regs, 0x600, 4, 0, &v) && !v,
	   "regs: a read of an absent register is legal");
	ok(!regs_write(&b->regs, 0xc10, 4, 0, ~0ull),
	   "regs: a write of PMCNTENSET for counters above 127, at 0xc10, is ignored");
	is_u64(rd(b, PMCNTENCLR, 4, 0), 0,
	       "regs: PMCNTENCLR stays zero, which tells a driver that this is not the 64-bit model");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0x8000003f, "regs: PMCNTENSET ignores absent counters");
	wr(b, PMINTENSET, ~0u, 0);
	is_u64(rd(b, PMINTENSET, 4, 0), 0x8000003f, "regs: PMINTENSET ignores absent counters");
	ok(regs_preset(&b->regs, 6, 0, 0) < 0, "regs: an absent counter cannot be preset");
	ok(regs_preset(&b->regs, 32, 0, 0) < 0, "regs: a counter above all cannot be preset");
	ok(regs_raise(&b->regs, 30, 0) < 0, "regs: an absent counter's overflow cannot be raised");
	bench_free(b);

	pmu.has_cycle_counter = false;
	pmu.is_atomic = false;
	b = bench_new(&pmu, "");
	refuse(b, PMCCFILTR, 4, "write of an absent register",
	       "regs: without a cycle counter PMCCFILTR is absent");
	refuse(b, PMEVCNTR + 8 * REGS_CYCLES, 4, "write of an absent register",
	       "regs: without a cycle counter, counter 31 is absent");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0x3f,
	       "regs: without a cycle counter PMCNTENSET has no bit 31");
	is_str(regs_read(&b->regs, PMEVCNTR, 8, 0, &v), "64-bit access without single-copy atomicity",
	       "regs, atomic=0: a 64-bit read is illegal");
	is_u64(v, UINT64_MAX, "regs, atomic=0: a 64-bit read returns all ones");
	refuse(b, PMEVCNTR, 8, "64-bit access without single-copy atomicity",
	       "regs, atomic=0: a 64-bit write is illegal");
	is_u64(rd(b, PMEVCNTR, 4, 0), 0, "regs, atomic=0: a 64-bit write changes nothing");
	bench_free(b);
}

static void dead(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.dead = BOARD_DEAD_ONES;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0xffffffff, "regs, dead=ones: PMCFGR reads all ones");
	is_u64(rd(b, PMEVCNTR, 8, 0), UINT64_MAX, "regs, dead=ones: a counter reads all ones");
	is_str(regs_write(&b->regs, PMCNTENCLR, 4, 0, ~0ull), "write to a dead page",
	       "regs, dead=ones: a write is illegal, as the driver must read first");
	bench_free(b);

	pmu.dead = BOARD_DEAD_ZEROS;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMIIDR, 4, 0), 0, "regs, dead=zeros: PMIIDR reads zero");
	is_str(regs_write(&b->regs, PMCR, 4, 0, PMCR_E), "write to a dead page",
	       "regs, dead=zeros: a write is illegal");
	is_u64(rd(b, PMCR, 4, 0), 0, "regs, dead=zeros: a write is lost");
	bench_free(b);

	pmu = usual;
	pmu.kind = PMU_FOREIGN;
	pmu.iidr = 0x0a160a16;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMIIDR, 4, 0), 0x0a160a16, "regs: another implementer's PMU can be read");
	is_str(regs_write(&b->regs, PMCNTENCLR, 4, 0, ~0ull), "write to a foreign PMU",
	       "regs: a write to another implementer's PMU is illegal");
	bench_free(b);
	pmu = usual;

	pmu.dead = BOARD_DEAD_PMCFGR;
	pmu.pmcfgr = 0x12345678;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0x12345678, "regs, dead=HEX: PMCFGR reads that value");
	is_u64(rd(b, PMIIDR, 4, 0), 0x2cf0036b, "regs, dead=HEX: other registers read as usual");
	bench_free(b);
}

static void faults(void)
{
	struct bench *b = bench_new(&usual, SLOW);
	uint32_t h[6];
	int i;

	regs_preset(&b->regs, 0, 5ull << 32 | 9, 0);
	ok(!regs_set_fault(&b->regs, REGS_TEARING), "regs: a fault can be set");
	for (i = 0; i < 6; i++)
		h[i] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[1] != h[2] && h[0] != h[2] && h[0] != 5 && h[1] != 5 && h[2] != 5,
	   "regs, tearing: three high words differ from each other and from the true one");
	ok(h[3] == 5 && h[4] == 5 && h[5] == 5, "regs, tearing: the next high words are true");
	is_u64(rd(b, PMEVCNTR, 4, 0), 9, "regs, tearing: low words are always true");
	regs_set_fault(&b->regs, REGS_TEARING);
	is_u64(rd(b, PMEVCNTR, 8, 0), 5ull << 32 | 9, "regs, tearing: 64-bit reads do not tear");

	regs_set_fault(&b->regs, REGS_STORM);
	for (i = 0; i < 12; i++)
		h[i % 2] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[0] != 5 && h[1] != 5 && rd(b, PMEVCNTR + 4, 4, 0) == 5,
	   "regs, storm: twelve high words are wrong and the next one is true");

	regs_set_fault(&b->regs, REGS_UNSTABLE);
	for (i = 0; i < 6; i++)
		h[i] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[1] != h[2] && h[2] != h[3] && h[3] != h[4] && h[4] != h[5],
	   "regs, unstable: each high word differs from the one before");
	regs_set_fault(&b->regs, REGS_NO_FAULT);
	is_u64(rd(b, PMEVCNTR + 4, 4, 0), 5, "regs: high words are true again without the fault");

	wr(b, PMINTENSET, 1, 0);
	ok(!regs_raise(&b->regs, 0, 0), "regs: an overflow can be raised by the test");
	is_u64(regs_irq(&b->regs, 0), 1,
	       "regs: a raised overflow raises the interrupt as a counter's does");
	ok(regs_set_fault(&b->regs, REGS_FAULTS) < 0, "regs: an unknown fault is refused");
	bench_free(b);
}

int main(void)
{
	identification();
	counting();
	filters();
	overflow();
	next_overflow();
	narrow();
	many();
	pages();
	illegal();
	dead();
	faults();
	return done_testing();
}
