// SPDX-License-Identifier: LGPL-2.1-or-later
/* A board's PMUs together: addresses, access log, control page, interrupts. */
#include "model/model-test.h"
#include "rig.h"

static const char board_text[] =
	"chip superchip\n"
	"sockets 2\n"
	"pmu kind=scf socket=0 line=1\n"
	"pmu kind=scf socket=1 line=1\n"
	"pmu kind=pcie socket=0 line=2 mode=edge pages=2\n"
	"pmu kind=pcie socket=1\n";

#define PMU(n)		((n) * 0x20000ull)
#define CONTROL		0x3f0000ull

struct bench {
	struct board board;
	struct model *model;
	struct rig rig;
	uint64_t now;
	char *log;
	size_t log_len, log_seen;
	FILE *log_file;
	bool level[BOARD_LINES + 1];
	unsigned int pulses[BOARD_LINES + 1];
};

static uint64_t bench_now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static void bench_interrupt(void *opaque, unsigned int device, bool level, bool pulse)
{
	struct bench *b = opaque;

	b->level[device] = level;
	b->pulses[device] += pulse;
}

static const struct rig_ops ops = {
	.now = bench_now,
	.interrupt = bench_interrupt,
};

static void bench_init(struct bench *b)
{
	static const char slow[] = "flow cpu:0 -> cmem:0 rd rate=64MB/s size=64\n";
	static const char shot[] = "flow cpu:0 -> cmem:0 rd bytes=640 over=1ms\n";
	struct text_error err;

	memset(b, 0, sizeof(*b));
	if (board_parse(&b->board, "b", board_text, strlen(board_text), &err)) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	b->model = model_new(b->board.chip, 2);
	b->log_file = open_memstream(&b->log, &b->log_len);
	if (!b->model || !b->log_file ||
	    model_add(b->model, scenario_parse("slow", slow, strlen(slow), &err), &err) < 0 ||
	    model_add(b->model, scenario_parse("shot", shot, strlen(shot), &err), &err) < 0) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	rig_init(&b->rig, &b->board, b->model, &ops, b, b->log_file);
}

static void bench_release(struct bench *b)
{
	fclose(b->log_file);
	free(b->log);
	model_free(b->model);
}

/* What the log says since the last call. */
static const char *log_text(struct bench *b)
{
	const char *text;

	fflush(b->log_file);
	text = b->log + b->log_seen;
	b->log_seen = b->log_len;
	return text;
}

static void wr(struct bench *b, unsigned int device, uint64_t offset, uint32_t v)
{
	rig_write(&b->rig, device, offset, 4, v);
	rig_service(&b->rig);
}

static uint64_t rd(struct bench *b, unsigned int device, uint64_t offset, unsigned int size)
{
	return rig_read(&b->rig, device, offset, size);
}

static void addresses(void)
{
	struct bench b;

	bench_init(&b);
	is_u64(rd(&b, 1, PMU(0) + PMIIDR, 4), 0x2cf0036b, "PMU 0 is at the begin of device 1");
	is_u64(rd(&b, 1, PMU(1) + PMIIDR, 4), 0x2cf0036b, "PMU 1 0x20000 behind it");
	is_u64(rd(&b, 2, PMU(2) + PMIIDR, 4), 0x1030036b, "PMU 2 in device 2, at its own index");
	is_u64(rd(&b, 1, PMU(3) + PMIIDR, 4), 0x1030036b, "PMU 3, without a line, in device 1");
	is_str(log_text(&b), "R 0 e08 4 2cf0036b\nR 1 e08 4 2cf0036b\nR 2 e08 4 1030036b\nR 3 e08 4 1030036b\n",
	       "the log has an access a line");
	wr(&b, 2, PMU(2) + BOARD_PAGE1 + PMOVSCLR, 5);
	is_str(log_text(&b), "W 2 10c80 4 5\n", "page 1 is logged as 1xxxx");
	rig_write(&b.rig, 1, PMU(0) + 8, 8, 0x123456789abcdefull);
	is_str(log_text(&b), "W 0 8 8 123456789abcdef\n", "64-bit accesses have size 8");
	is_u64(b.rig.illegal, 0, "none of that is illegal");

	is_u64(rd(&b, 2, PMU(0) + PMIIDR, 4), 0, "PMU 0 is not in device 2");
	is_str(log_text(&b), "! no PMU: read of device 2 at e08\n", "which is logged");
	rd(&b, 1, PMU(4) + PMIIDR, 4);
	is_str(log_text(&b), "! no PMU: read of device 1 at 80e08\n", "there is nothing behind the last PMU");
	wr(&b, 3, PMU(5), 1);
	is_str(log_text(&b), "! no PMU: write of device 3 at a0000\n", "as is a place without a PMU");
	wr(&b, 1, PMU(1) + PMCFGR, 1);
	is_str(log_text(&b), "W 1 e00 4 1\n! write of a read-only register: W 1 e00 4\n",
	       "an illegal access has its reason in the log");
	rd(&b, 1, PMU(1) + PMCR + 1, 4);
	is_str(log_text(&b), "R 1 e05 4 0\n! misaligned access: R 1 e05 4\n", "a read likewise");
	rd(&b, 1, UINT64_MAX, 8);
	is_u64(b.rig.illegal, 6, "illegal accesses are counted");
	bench_release(&b);
}

static void control(void)
{
	struct bench b;

	bench_init(&b);
	is_u64(rd(&b, 1, CONTROL, 4), 0x756d7067, "the control page begins with \"gpmu\"");
	is_u64(rd(&b, 1, CONTROL + 4, 4), 2, "it tells the number of scenarios");
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 0, "none of which runs");

	wr(&b, 1, PMU(0) + PMEVTYPER, 0x1a6);
	wr(&b, 1, PMU(0) + PMCNTENSET, 1);
	wr(&b, 1, PMU(0) + PMCR, PMCR_E);
	b.now = MS;
	wr(&b, 1, CONTROL + 8, 0);
	b.now = 2 * MS;
	wr(&b, 1, CONTROL + 8, 1);
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 3, "both run once started");
	b.now = 3 * MS;
	is_u64(rd(&b, 1, PMU(0), 8), 2010, "their flows began when they were");
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 1, "a finished one does not run");
	wr(&b, 1, CONTROL + 0xc, 0);
	b.now = 9 * MS;
	is_u64(rd(&b, 1, PMU(0), 8), 2010, "a stopped one does not count");

	log_text(&b);
	wr(&b, 1, CONTROL + 0x18, 42);
	is_str(log_text(&b), "M 42\n", "a mark goes into the log");
	b.now = 0x123456789ull;
	is_u64(rd(&b, 1, CONTROL + 0x20, 4), 0x23456789, "the time's low word");
	b.now = 0x200000000ull;
	is_u64(rd(&b, 1, CONTROL + 0x24, 4), 1, "latches the high word");

	wr(&b, 1, CONTROL + 0x2c, 0 << 8 | 0);
	wr(&b, 1, CONTROL + 0x30, 0xfffffff0);
	wr(&b, 1, CONTROL + 0x34, 0x12);
	is_u64(rd(&b, 1, PMU(0), 8), 0x12fffffff0ull, "a counter can be preset");
	wr(&b, 1, CONTROL + 0x14, 0 << 8 | 3);
	is_u64(rd(&b, 1, PMU(0), 8), UINT64_MAX, "a fault can be injected");
	wr(&b, 1, CONTROL + 0x14, 0 << 8 | 0);
	is_u64(rd(&b, 1, PMU(0), 8), 0x12fffffff0ull, "and ended");
	is_u64(rd(&b, 1, CONTROL + 0x1c, 4), 0, "nothing illegal so far");

	log_text(&b);
	wr(&b, 1, CONTROL + 8, 2);
	is_str(log_text(&b), "! control page: write of 2 to 8\n", "a scenario that is not there is an error");
	wr(&b, 1, CONTROL + 0x14, 9 << 8);
	wr(&b, 1, CONTROL + 0x14, REGS_FAULTS);
	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 7);
	wr(&b, 1, CONTROL + 0x28, 0xffffffff);
	wr(&b, 1, CONTROL + 0x2c, 4 << 8);
	wr(&b, 1, CONTROL + 0x34, 0);
	wr(&b, 1, CONTROL, 0);
	rd(&b, 1, CONTROL + 0x38, 4);
	rd(&b, 1, CONTROL, 8);
	rig_write(&b.rig, 1, CONTROL + 1, 4, 0);
	is_u64(rd(&b, 1, CONTROL + 0x1c, 4), 10, "as is each wrong use of the page");
	bench_release(&b);
}

static void interrupts(void)
{
	struct bench b;

	bench_init(&b);
	wr(&b, 1, PMU(0) + PMINTENSET, 1);
	wr(&b, 1, PMU(1) + PMINTENSET, 1);
	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 0);
	ok(b.level[1] && !b.level[2], "an overflow raises its device's interrupt");
	wr(&b, 1, CONTROL + 0x28, 1 << 8 | 0);
	wr(&b, 1, PMU(0) + PMOVSCLR, 1);
	ok(b.level[1], "a shared interrupt stays while one PMU wants it");
	wr(&b, 1, PMU(1) + PMOVSCLR, 1);
	ok(!b.level[1], "and ends with the last");

	wr(&b, 2, PMU(2) + PMINTENSET, 3);
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 0);
	ok(b.pulses[2] == 1 && !b.level[2], "an edge-triggered PMU gives a pulse");
	wr(&b, 2, PMU(2) + PMCR, 0);
	is_u64(b.pulses[2], 1, "and no second one for the same overflow");
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 1);
	is_u64(b.pulses[2], 2, "but one for another counter's");
	wr(&b, 2, PMU(2) + BOARD_PAGE1 + PMOVSCLR, 3);
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 0);
	is_u64(b.pulses[2], 3, "and one for the next overflow");

	wr(&b, 1, PMU(3) + PMINTENSET, 1);
	wr(&b, 1, CONTROL + 0x28, 3 << 8 | 0);
	ok(!b.level[1], "a PMU without a line raises nothing");

	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 0);
	ok(b.level[1], "an interrupt is wanted again");
	rig_reset(&b.rig, 1);
	rig_service(&b.rig);
	ok(!b.level[1], "a reset of the device ends it");
	is_u64(rd(&b, 1, PMU(1) + PMINTENSET, 4), 0, "for all its PMUs");
	is_u64(rd(&b, 2, PMU(2) + PMINTENSET, 4), 3, "and not for another device's");
	bench_release(&b);
}

static void deadlines(void)
{
	struct bench b;

	bench_init(&b);
	is_u64(rig_service(&b.rig), MODEL_HORIZON, "with nothing to come, the next look is in an hour");
	wr(&b, 1, CONTROL + 8, 0);
	wr(&b, 1, PMU(0) + PMEVTYPER, 0x1a6);
	wr(&b, 1, PMU(0) + PMINTENSET, 1);
	wr(&b, 1, PMU(0) + PMCNTENSET, 1);
	wr(&b, 1, CONTROL + 0x2c, 0);
	wr(&b, 1, CONTROL + 0x30, 0xffffff9c);
	wr(&b, 1, CONTROL + 0x34, 0xffffffff);
	wr(&b, 1, PMU(0) + PMCR, PMCR_E);
	is_u64(rig_service(&b.rig), 100000, "100 requests a us apart overflow in 100 us");
	b.now = 99999;
	rig_service(&b.rig);
	ok(!b.level[1], "no interrupt before that");
	b.now = 100000;
	is_u64(rig_service(&b.rig), 100000 + MODEL_HORIZON, "then the next is not in sight");
	ok(b.level[1], "and the interrupt is there, without an access");
	wr(&b, 1, CONTROL + 0xc, 0);
	wr(&b, 1, PMU(0) + PMOVSCLR, 1);
	wr(&b, 1, CONTROL + 0x30, 0xffffff9c);
	wr(&b, 1, CONTROL + 0x34, 0xffffffff);
	is_u64(rig_service(&b.rig), 100000 + MODEL_HORIZON, "stopped traffic does not overflow");
	wr(&b, 1, CONTROL + 8, 0);
	is_u64(rig_service(&b.rig), 200000, "restarted traffic does");
	bench_release(&b);
}

int main(void)
{
	addresses();
	control();
	interrupts();
	deadlines();
	return done_testing();
}
