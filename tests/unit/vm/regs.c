// SPDX-License-Identifier: LGPL-2.1-or-later
/* The registers of one PMU: Arm IHI 0091 as the model has it. */
#include "model/model-test.h"
#include "regs.h"

/* One read of cmem a microsecond, 64 bytes; 3.2 GHz. */
#define SLOW	"flow cpu:0 -> cmem:0 rd rate=64MB/s size=64\n"

#define RD_ACCESS	0x1a6
#define RD_DATA		0x1a5

struct bench {
	struct model *model;
	struct board_pmu pmu;
	struct regs regs;
};

static const struct board_pmu usual = {
	.kind = PMU_SCF, .counters = 6, .width = 64, .cycle_counter = true,
	.atomic = true, .line = 1, .iidr = 0x2cf0036b, .identity = 0x2cf0036b,
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

/* Counter @i counts @event from @t on, if PMCR.E is set. */
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

	is_u64(rd(b, PMCFGR, 4, 0), 0x7f06, "PMCFGR: 7 counters, 64 bits, a cycle counter");
	is_u64(rd(b, PMIIDR, 4, 0), 0x2cf0036b, "PMIIDR");
	is_u64(rd(b, PMDEVARCH, 4, 0), 0x47700af0, "PMDEVARCH: present, 32-bit programmers' model");
	is_u64(rd(b, PMPIDR0, 4, 0), 0xcf, "PMPIDR0: PART_0");
	is_u64(rd(b, PMPIDR0 + 4, 4, 0), 0xb2, "PMPIDR1: DES_0, PART_1");
	is_u64(rd(b, PMPIDR0 + 8, 4, 0), 0x0e, "PMPIDR2: REVISION, JEDEC, DES_1");
	is_u64(rd(b, PMPIDR0 + 12, 4, 0), 0x00, "PMPIDR3: REVAND");
	is_u64(rd(b, PMPIDR4, 4, 0), 0x03, "PMPIDR4: DES_2");
	is_u64(rd(b, PMCIDR0, 4, 0), 0x0d, "PMCIDR0");
	is_u64(rd(b, PMCIDR0 + 12, 4, 0), 0xb1, "PMCIDR3");
	bench_free(b);

	pmu.counters = 3;
	pmu.width = 32;
	pmu.cycle_counter = false;
	pmu.iidr = 0;
	pmu.identity = 0x10a5436b;
	pmu.devarch = 0x47700af4;
	b = bench_new(&pmu, "");
	is_u64(rd(b, PMCFGR, 4, 0), 0x1f02, "PMCFGR: 3 counters, 32 bits, no cycle counter");
	is_u64(rd(b, PMIIDR, 4, 0), 0, "iidr=0 leaves PMIIDR zero");
	is_u64(rd(b, PMDEVARCH, 4, 0), 0x47700af4, "PMDEVARCH is the board's");
	is_u64(rd(b, PMPIDR0, 4, 0), 0x0a, "and PMPIDR says the rest: PART_0");
	is_u64(rd(b, PMPIDR0 + 8, 4, 0), 0x5e, "PMPIDR2 has PMIIDR's variant");
	is_u64(rd(b, PMPIDR0 + 12, 4, 0), 0x40, "PMPIDR3 has PMIIDR's revision");
	bench_free(b);
}

static void counting(void)
{
	struct bench *b = bench_new(&usual, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	is_u64(rd(b, PMEVCNTR, 8, MS), 0, "nothing counts before PMCR.E");
	wr(b, PMCR, PMCR_E, MS);
	is_u64(rd(b, PMCR, 4, MS), 1, "PMCR.E reads back");
	is_u64(rd(b, PMEVCNTR, 8, 2 * MS), 1000, "an enabled counter counts its event");
	is_u64(rd(b, PMEVCNTR + 8, 8, 2 * MS), 0, "one that is not enabled does not");
	count_on(b, 1, RD_DATA, 2 * MS);
	wr(b, PMCNTENSET, 1u << REGS_CYCLES, 2 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 3 * MS), 2000, "a counter that is enabled later counts from then");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 3 * MS), 3200000, "the cycle counter is counter 31");
	is_u64(rd(b, PMCNTENSET, 4, 3 * MS), 0x80000003, "PMCNTENSET reads what is enabled");
	is_u64(rd(b, PMCNTENCLR, 4, 3 * MS), 0x80000003, "so does PMCNTENCLR");
	wr(b, PMCR, 0, 3 * MS);
	is_u64(rd(b, PMEVCNTR, 8, 9 * MS), 2000, "PMCR.E stops all counters at once");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 9 * MS), 3200000, "the cycle counter too");
	wr(b, PMCNTENCLR, 1, 9 * MS);
	wr(b, PMCR, PMCR_E, 9 * MS);
	is_u64(rd(b, PMEVCNTR, 8, 10 * MS), 2000, "a disabled counter keeps its value");
	is_u64(rd(b, PMEVCNTR + 8, 8, 10 * MS), 4000, "the others go on");
	wr(b, PMEVTYPER + 4, RD_ACCESS, 10 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 11 * MS), 5000, "a new event counts from its write on");
	wr(b, PMEVCNTR + 12, 0, 11 * MS);
	is_u64(regs_write(&b->regs, PMEVCNTR + 8, 8, 11 * MS, 1ull << 40) != NULL, 0, "a counter can be written whole");
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (1ull << 40) + 1000, "and counts on from there");
	wr(b, PMEVCNTR + 8, 7, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (1ull << 40) + 7, "its low word can be written alone");
	wr(b, PMEVCNTR + 12, 3, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), (3ull << 32) + 7, "its high word too");
	is_u64(rd(b, PMEVCNTR + 12, 4, 12 * MS), 3, "and both read alone");
	wr(b, PMCR, PMCR_E | PMCR_P, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 12 * MS), 0, "PMCR.P zeroes the event counters");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 12 * MS), 12800000, "and not the cycle counter");
	wr(b, PMCR, PMCR_E | PMCR_C, 12 * MS);
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 12 * MS), 0, "PMCR.C zeroes that");
	is_u64(rd(b, PMCR, 4, 12 * MS), 1, "PMCR.P and C read as zero");
	regs_reset(&b->regs, 12 * MS);
	is_u64(rd(b, PMCNTENSET, 4, 13 * MS), 0, "a reset disables all");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, 13 * MS), 0, "and nothing counts after it");
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
	is_u64(rd(b, PMEVCNTR, 8, MS), 1000, "PMEVFILTR selects the root port");
	is_u64(rd(b, PMEVCNTR + 8, 8, MS), 0, "and leaves out others; PMEVFILT2R does nothing");
	is_u64(rd(b, PMEVFILTR + 4, 4, MS), 0x0ff, "PMEVFILTR reads back");
	is_u64(rd(b, PMEVFILT2R + 4, 4, MS), 0x100, "PMEVFILT2R too");
	wr(b, PMCCFILTR, 0x3ff, MS);
	is_u64(rd(b, PMCCFILTR, 4, MS), 0x3ff, "PMCCFILTR too");
	is_u64(rd(b, PMEVTYPER, 4, MS), 0x6, "and PMEVTYPER");
	wr(b, PMEVFILTR + 4, 0x100, MS);
	is_u64(rd(b, PMEVCNTR + 8, 8, 2 * MS), 1000, "a new filter counts from its write on");
	bench_free(b);
}

static void overflow(void)
{
	struct bench *b = bench_new(&usual, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	count_on(b, 1, RD_ACCESS, 0);
	wr(b, PMCR, PMCR_E, 0);
	ok(!regs_preset(&b->regs, 0, UINT64_MAX - 9, 0), "a counter can be preset");
	is_u64(rd(b, PMEVCNTR, 8, 9999), UINT64_MAX, "it counts up to its last value");
	is_u64(rd(b, PMOVSSET, 4, 9999), 0, "without an overflow");
	is_u64(rd(b, PMEVCNTR, 8, 10000), 0, "and wraps");
	is_u64(rd(b, PMOVSSET, 4, 10000), 1, "which sets its overflow flag");
	is_u64(rd(b, PMOVSCLR, 4, 10000), 1, "that both registers read");
	is_u64(regs_irq(&b->regs, 0), 0, "no interrupt without PMINTEN");
	wr(b, PMINTENSET, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 1, "but with it");
	is_u64(rd(b, PMINTENCLR, 4, 10000), 1, "PMINTENCLR reads what is enabled");
	wr(b, PMOVSCLR, 2, 10000);
	is_u64(regs_irq(&b->regs, 0), 1, "clearing another flag leaves it");
	wr(b, PMOVSCLR, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 0, "clearing the flag ends it");
	wr(b, PMOVSSET, 0xff, 10000);
	is_u64(rd(b, PMOVSCLR, 4, 10000), 0x3f, "PMOVSSET sets the flags of counters there are");
	wr(b, PMINTENCLR, 1, 10000);
	is_u64(regs_irq(&b->regs, 0), 0, "PMINTENCLR ends the interrupt");
	wr(b, PMCR, PMCR_E | PMCR_P | PMCR_C, 10000);
	is_u64(rd(b, PMOVSSET, 4, 10000), 0x3f, "PMCR.P and C leave the flags");
	bench_free(b);
}

static void next_overflow(void)
{
	struct board_pmu pmu = usual;
	struct bench *b = bench_new(&pmu, SLOW);

	count_on(b, 0, RD_ACCESS, 0);
	count_on(b, 1, RD_DATA, 0);
	wr(b, PMINTENSET, 3, 0);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER, "no overflow comes while PMCR.E is clear");
	wr(b, PMCR, PMCR_E, 0);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER, "nor from a 64-bit counter near 0");
	regs_preset(&b->regs, 0, UINT64_MAX - 99, 500);
	is_u64(regs_next_overflow(&b->regs), 100000, "the time of the next overflow is exact");
	regs_preset(&b->regs, 1, UINT64_MAX - 9, 500);
	is_u64(regs_next_overflow(&b->regs), 5000, "the first of two counts");
	regs_sync(&b->regs, 4999);
	is_u64(regs_irq(&b->regs, 0), 0, "a ns before it there is none");
	regs_sync(&b->regs, 5000);
	is_u64(regs_irq(&b->regs, 0), 2, "at that time there is");
	regs_raise(&b->regs, 5, 5000);
	is_u64(rd(b, PMOVSSET, 4, 5000), 0x22, "a second overflow leaves the first one's flag");
	is_u64(regs_next_overflow(&b->regs), 100000, "a flag that is set already does not count");
	wr(b, PMINTENCLR, 1, 5000);
	ok(regs_next_overflow(&b->regs) == MODEL_NEVER, "nor does one without an interrupt");
	bench_free(b);

	pmu.width = 32;
	b = bench_new(&pmu, SLOW);
	wr(b, PMCNTENSET, 1u << REGS_CYCLES, 0);
	wr(b, PMINTENSET, 1u << REGS_CYCLES, 0);
	wr(b, PMCR, PMCR_E, 0);
	/* 2^32 cycles at 3.2 GHz take 1342177280 ns. */
	is_u64(regs_next_overflow(&b->regs), 1342177280, "32-bit cycles overflow after 2^32");
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
	is_u64(rd(b, PMEVCNTR + 4, 4, 1000), 0xffffffff, "32-bit counters are 4 bytes apart");
	is_u64(rd(b, PMEVCNTR + 4, 4, 5000), 3, "and wrap at 2^32");
	is_u64(rd(b, PMOVSSET, 4, 5000), 2, "with the overflow flag");
	is_u64(rd(b, PMEVCNTR + 4 * REGS_CYCLES, 4, 5000), 16000, "the 32-bit cycle counter is at 0x7c");
	/* 4,295,000,005 requests from -2: 4,295,000,003 - 2^32 */
	is_u64(rd(b, PMEVCNTR + 4, 4, 4295 * SEC + 5000), 32707,
	       "a counter that wraps unseen keeps the rest");
	ok(regs_read(&b->regs, PMEVCNTR, 8, 4295 * SEC + 5000, &(uint64_t){ 0 }) != NULL,
	   "32-bit counters have no 64-bit access");
	bench_free(b);

	pmu.width = 40;
	b = bench_new(&pmu, SLOW);
	count_on(b, 0, RD_ACCESS, 0);
	wr(b, PMEVCNTR + 4, 0xffffffff, 0);
	is_u64(rd(b, PMEVCNTR, 8, 0), 0xff00000000ull, "a 40-bit counter has 8 bits in its high word");
	regs_preset(&b->regs, 0, (1ull << 40) - 1, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR, 8, 1000), 0, "and wraps at 2^40");
	is_u64(rd(b, PMOVSSET, 4, 1000), 1, "with the overflow flag");
	bench_free(b);
}

static void many(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.counters = 40;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0x7f28, "PMCFGR: 41 counters");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0xffffffff, "the first 32 are 31 events and the cycles");
	wr(b, PMCNTENSET + 4, ~0u, 0);
	is_u64(rd(b, PMCNTENCLR + 4, 4, 0), 0x1ff, "the other 9 have a second register");
	wr(b, PMEVTYPER + 4 * 40, RD_ACCESS, 0);
	wr(b, PMINTENSET + 4, 0x100, 0);
	ok(regs_write(&b->regs, PMEVTYPER + 4 * 41, 4, 0, 0) != NULL, "there is no counter 41");
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR + 8 * 40, 8, MS), 1000, "counter 40 counts");
	is_u64(rd(b, PMEVCNTR + 8 * REGS_CYCLES, 8, MS), 3200000, "counter 31 has the cycles");
	ok(!regs_preset(&b->regs, 40, UINT64_MAX, MS), "counter 40 can be preset");
	is_u64(regs_next_overflow(&b->regs), MS + 1000, "its overflow is foreseen");
	regs_sync(&b->regs, MS + 1000);
	is_u64(regs_irq(&b->regs, 1), 0x100, "and interrupts");
	is_u64(rd(b, PMOVSCLR + 4, 4, MS + 1000), 0x100, "with a flag in the second register");
	wr(b, PMOVSCLR + 4, 0x100, MS + 1000);
	is_u64(regs_irq(&b->regs, 1), 0, "that clears it");
	bench_free(b);

	pmu.cycle_counter = false;
	b = bench_new(&pmu, SLOW);
	wr(b, PMEVTYPER + 4 * 31, RD_ACCESS, 0);
	wr(b, PMCNTENSET, 1u << 31, 0);
	wr(b, PMCR, PMCR_E, 0);
	is_u64(rd(b, PMEVCNTR + 8 * 31, 8, MS), 1000, "without a cycle counter, 31 is like the others");
	wr(b, PMCNTENSET + 4, ~0u, MS);
	is_u64(rd(b, PMCNTENSET + 4, 4, MS), 0xff, "and 39 is the last");
	bench_free(b);
}

static void pages(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;
	uint64_t v;

	pmu.dual_page = true;
	b = bench_new(&pmu, SLOW);
	count_on(b, 0, RD_ACCESS, 0);
	wr(b, PMCR, PMCR_E, 0);
	wr(b, BOARD_PAGE1 + PMEVCNTR, 5, 0);
	is_u64(rd(b, BOARD_PAGE1 + PMEVCNTR, 8, MS), 1005, "with two pages the counters are on page 1");
	wr(b, BOARD_PAGE1 + PMOVSSET, 1, MS);
	is_u64(rd(b, BOARD_PAGE1 + PMOVSCLR, 4, MS), 1, "and the overflow flags");
	is_str(regs_read(&b->regs, PMEVCNTR, 8, MS, &v), "register of the other page", "page 0 has no counters");
	is_u64(v, 0, "and reads zeros there");
	is_str(regs_write(&b->regs, PMEVCNTR, 8, MS, 7), "register of the other page", "nor takes them");
	is_str(regs_write(&b->regs, PMOVSCLR, 4, MS, 1), "register of the other page", "page 0 has no overflow flags");
	is_str(regs_write(&b->regs, BOARD_PAGE1 + PMCR, 4, MS, 0), "register of the other page", "page 1 has no PMCR");
	is_str(regs_read(&b->regs, BOARD_PAGE1 + PMCFGR, 4, MS, &v), "register of the other page", "nor PMCFGR");
	is_u64(rd(b, PMCFGR, 4, MS), 0x7f06, "that is on page 0");
	is_u64(rd(b, BOARD_PAGE1 + PMEVCNTR, 8, 2 * MS), 2005, "none of that disturbed the counter");
	bench_free(b);

	b = bench_new(&usual, SLOW);
	is_str(regs_read(&b->regs, BOARD_PAGE1, 4, 0, &v), "no register page", "without page 1 there is nothing");
	is_str(regs_read(&b->regs, 0x1000, 4, 0, &v), "no register page", "nor behind a page");
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

	refuse(b, PMCFGR, 4, "write of a read-only register", "PMCFGR is read-only");
	refuse(b, PMIIDR, 4, "write of a read-only register", "PMIIDR is read-only");
	refuse(b, PMDEVARCH, 4, "write of a read-only register", "PMDEVARCH is read-only");
	refuse(b, PMPIDR0, 4, "write of a read-only register", "PMPIDR0 is read-only");
	refuse(b, PMPIDR0 + 4, 4, "write of a read-only register", "PMPIDR1 is read-only");
	refuse(b, PMPIDR4, 4, "write of a read-only register", "PMPIDR4 is read-only");
	refuse(b, PMEVTYPER + 4 * 6, 4, "write of an absent register", "there is no seventh PMEVTYPER");
	refuse(b, PMEVFILTR + 4 * 6, 4, "write of an absent register", "no seventh PMEVFILTR");
	refuse(b, PMEVFILT2R + 4 * 6, 4, "write of an absent register", "no seventh PMEVFILT2R");
	refuse(b, PMEVCNTR + 8 * 6, 8, "write of an absent register", "no seventh PMEVCNTR");
	refuse(b, 0xe10, 4, "write of an absent register", "no PMCR of the 64-bit model");
	refuse(b, 0x600, 4, "write of an absent register", "nothing at 0x600");
	refuse(b, PMCNTENSET, 8, "access size", "no 64-bit access but to counters");
	refuse(b, PMCR, 2, "access size", "no 16-bit access");
	refuse(b, PMCR, 1, "access size", "no byte access");
	refuse(b, PMCR + 2, 4, "misaligned access", "no misaligned access");
	refuse(b, PMEVCNTR + 4, 8, "misaligned access", "nor to half of two counters");
	is_u64(rd(b, PMEVTYPER + 4 * 6, 4, 0), 0, "registers that are not there read zero");
	ok(!regs_read(&b->regs, 0x600, 4, 0, &v) && !v, "which is no offence");
	ok(!regs_write(&b->regs, 0xc10, 4, 0, ~0ull), "0xc10 is PMCNTENSET of counters above 127: a write is ignored");
	is_u64(rd(b, PMCNTENCLR, 4, 0), 0, "as a driver expects that looks for the 64-bit model");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0x8000003f, "PMCNTENSET ignores counters that are not there");
	wr(b, PMINTENSET, ~0u, 0);
	is_u64(rd(b, PMINTENSET, 4, 0), 0x8000003f, "so does PMINTENSET");
	ok(regs_preset(&b->regs, 6, 0, 0) < 0, "a counter that is not there cannot be preset");
	ok(regs_preset(&b->regs, 32, 0, 0) < 0, "nor one beyond all");
	ok(regs_raise(&b->regs, 30, 0) < 0, "nor raised");
	bench_free(b);

	pmu.cycle_counter = false;
	pmu.atomic = false;
	b = bench_new(&pmu, "");
	refuse(b, PMCCFILTR, 4, "write of an absent register", "without a cycle counter there is no PMCCFILTR");
	refuse(b, PMEVCNTR + 8 * REGS_CYCLES, 4, "write of an absent register", "nor counter 31");
	wr(b, PMCNTENSET, ~0u, 0);
	is_u64(rd(b, PMCNTENSET, 4, 0), 0x3f, "nor bit 31");
	is_str(regs_read(&b->regs, PMEVCNTR, 8, 0, &v), "64-bit access without single-copy atomicity",
	       "atomic=0: no 64-bit read");
	is_u64(v, UINT64_MAX, "it gives all ones");
	refuse(b, PMEVCNTR, 8, "64-bit access without single-copy atomicity", "nor a 64-bit write");
	is_u64(rd(b, PMEVCNTR, 4, 0), 0, "which changes nothing");
	bench_free(b);
}

static void dead(void)
{
	struct board_pmu pmu = usual;
	struct bench *b;

	pmu.dead = BOARD_DEAD_ONES;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0xffffffff, "dead=ones: PMCFGR reads ones");
	is_u64(rd(b, PMEVCNTR, 8, 0), UINT64_MAX, "so does a counter");
	is_str(regs_write(&b->regs, PMCNTENCLR, 4, 0, ~0ull), "write to a dead page",
	       "a write is illegal: the driver had to look first");
	bench_free(b);

	pmu.dead = BOARD_DEAD_ZEROS;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMIIDR, 4, 0), 0, "dead=zeros: PMIIDR reads zero");
	is_str(regs_write(&b->regs, PMCR, 4, 0, PMCR_E), "write to a dead page", "a write is illegal");
	is_u64(rd(b, PMCR, 4, 0), 0, "and lost");
	bench_free(b);

	pmu = usual;
	pmu.kind = PMU_FOREIGN;
	pmu.iidr = 0x0a160a16;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMIIDR, 4, 0), 0x0a160a16, "another implementer's PMU can be read");
	is_str(regs_write(&b->regs, PMCNTENCLR, 4, 0, ~0ull), "write to a foreign PMU", "and not written");
	bench_free(b);
	pmu = usual;

	pmu.dead = BOARD_DEAD_PMCFGR;
	pmu.pmcfgr = 0x12345678;
	b = bench_new(&pmu, SLOW);
	is_u64(rd(b, PMCFGR, 4, 0), 0x12345678, "dead=HEX: PMCFGR reads that");
	is_u64(rd(b, PMIIDR, 4, 0), 0x2cf0036b, "and the rest lives");
	bench_free(b);
}

static void faults(void)
{
	struct bench *b = bench_new(&usual, SLOW);
	uint32_t h[6];
	int i;

	regs_preset(&b->regs, 0, 5ull << 32 | 9, 0);
	ok(!regs_set_fault(&b->regs, REGS_TEARING), "a fault can be set");
	for (i = 0; i < 6; i++)
		h[i] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[1] != h[2] && h[0] != h[2] && h[0] != 5 && h[1] != 5 && h[2] != 5,
	   "tearing: three high words differ from each other and the true one");
	ok(h[3] == 5 && h[4] == 5 && h[5] == 5, "the next are true");
	is_u64(rd(b, PMEVCNTR, 4, 0), 9, "low words always are");
	regs_set_fault(&b->regs, REGS_TEARING);
	is_u64(rd(b, PMEVCNTR, 8, 0), 5ull << 32 | 9, "64-bit reads do not tear");

	regs_set_fault(&b->regs, REGS_STORM);
	for (i = 0; i < 12; i++)
		h[i % 2] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[0] != 5 && h[1] != 5 && rd(b, PMEVCNTR + 4, 4, 0) == 5,
	   "storm: twelve high words are not true, the next is");

	regs_set_fault(&b->regs, REGS_UNSTABLE);
	for (i = 0; i < 6; i++)
		h[i] = rd(b, PMEVCNTR + 4, 4, 0);
	ok(h[0] != h[1] && h[1] != h[2] && h[2] != h[3] && h[3] != h[4] && h[4] != h[5],
	   "unstable: each high word differs from the one before");
	regs_set_fault(&b->regs, REGS_NO_FAULT);
	is_u64(rd(b, PMEVCNTR + 4, 4, 0), 5, "without the fault it is true again");

	wr(b, PMINTENSET, 1, 0);
	ok(!regs_raise(&b->regs, 0, 0), "an overflow can be raised");
	is_u64(regs_irq(&b->regs, 0), 1, "as if the counter had");
	regs_set_fault(&b->regs, REGS_GONE);
	is_u64(rd(b, PMIIDR, 4, 0), 0xffffffff, "gone: all registers read ones");
	is_u64(rd(b, PMEVCNTR, 8, 0), UINT64_MAX, "counters too");
	is_u64(regs_irq(&b->regs, 0), 0, "there is no interrupt");
	ok(!regs_write(&b->regs, PMOVSCLR, 4, 0, 1), "writes are lost");
	regs_set_fault(&b->regs, REGS_NO_FAULT);
	is_u64(regs_irq(&b->regs, 0), 1, "when it is back nothing has changed");
	ok(regs_set_fault(&b->regs, REGS_FAULTS) < 0, "an unknown fault is refused");
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
