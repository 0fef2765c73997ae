// SPDX-License-Identifier: LGPL-2.1-or-later
/* A board's PMUs together: addresses, access log, control page, interrupts */
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
	bool is_high[BOARD_LINES + 1];
	unsigned int pulses[BOARD_LINES + 1];
};

static uint64_t bench_now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static void bench_interrupt(void *opaque, unsigned int device, bool is_high, bool is_pulse)
{
	struct bench *b = opaque;

	b->is_high[device] = is_high;
	b->pulses[device] += is_pulse;
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

/* Returns the log's lines since the last call. */
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
	is_u64(rd(&b, 1, PMU(0) + PMIIDR, 4), 0x2cf0036b,
	       "rig: PMU 0 is at the beginning of device 1");
	is_u64(rd(&b, 1, PMU(1) + PMIIDR, 4), 0x2cf0036b, "rig: PMU 1 is 0x20000 after PMU 0");
	is_u64(rd(&b, 2, PMU(2) + PMIIDR, 4), 0x1030036b,
	       "rig: PMU 2 is in device 2, at the address of its own index");
	is_u64(rd(&b, 1, PMU(3) + PMIIDR, 4), 0x1030036b,
	       "rig: PMU 3, which has no interrupt line, is in device 1");
	is_str(log_text(&b), "R 0 e08 4 2cf0036b\nR 1 e08 4 2cf0036b\nR 2 e08 4 1030036b\nR 3 e08 4 1030036b\n",
	       "rig: the log has one line per access");
	b.board.is_packed = true;
	is_u64(rd(&b, 1, 3 * BOARD_PACKED_SPACE + PMIIDR, 4), 0x1030036b,
	       "rig: PMU 3 of a packed board is 0x3000 after PMU 0");
	is_str(log_text(&b), "R 3 e08 4 1030036b\n", "rig: the log has offsets in the PMU");
	b.board.is_packed = false;
	wr(&b, 2, PMU(2) + BOARD_PAGE1 + PMOVSCLR, 5);
	is_str(log_text(&b), "W 2 10c80 4 5\n", "rig: page 1 is logged as offset 1xxxx");
	rig_write(&b.rig, 1, PMU(0) + 8, 8, 0x123456789abcdefull);
	is_str(log_text(&b), "W 0 8 8 123456789abcdef\n",
	       "rig: 64-bit accesses are logged with size 8");
	is_u64(b.rig.illegal, 0, "rig: accesses to existing registers are not illegal");

	is_u64(rd(&b, 2, PMU(0) + PMIIDR, 4), 0,
	       "rig: PMU 0 is not in device 2 and reads zero there");
	is_str(log_text(&b), "! no PMU: read of device 2 at e08\n",
	       "rig: a read of a PMU in the wrong device is logged");
	rd(&b, 1, PMU(4) + PMIIDR, 4);
	is_str(log_text(&b), "! no PMU: read of device 1 at 80e08\n",
	       "rig: a read after the last PMU is logged");
	wr(&b, 3, PMU(5), 1);
	is_str(log_text(&b), "! no PMU: write of device 3 at a0000\n",
	       "rig: a write where there is no PMU is logged");
	wr(&b, 1, PMU(1) + PMCFGR, 1);
	is_str(log_text(&b), "W 1 e00 4 1\n! write of a read-only register: W 1 e00 4\n",
	       "rig: the log has the reason for an illegal write");
	rd(&b, 1, PMU(1) + PMCR + 1, 4);
	is_str(log_text(&b), "R 1 e05 4 0\n! misaligned access: R 1 e05 4\n",
	       "rig: the log has the reason for an illegal read");
	rd(&b, 1, UINT64_MAX, 8);
	is_u64(b.rig.illegal, 6, "rig: illegal accesses are counted");
	bench_release(&b);
}

static void control(void)
{
	struct bench b;

	bench_init(&b);
	is_u64(rd(&b, 1, CONTROL, 4), 0x756d7067, "control page: it begins with \"gpmu\"");
	is_u64(rd(&b, 1, CONTROL + 4, 4), 2, "control page: it has the number of scenarios");
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 0, "control page: no scenario runs at first");

	wr(&b, 1, PMU(0) + PMEVTYPER, 0x1a6);
	wr(&b, 1, PMU(0) + PMCNTENSET, 1);
	wr(&b, 1, PMU(0) + PMCR, PMCR_E);
	b.now = MS;
	wr(&b, 1, CONTROL + 8, 0);
	b.now = 2 * MS;
	wr(&b, 1, CONTROL + 8, 1);
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 3, "control page: both scenarios run once started");
	b.now = 3 * MS;
	is_u64(rd(&b, 1, PMU(0), 8), 2010,
	       "control page: a scenario's flows begin when it is started");
	is_u64(rd(&b, 1, CONTROL + 0x10, 4), 1,
	       "control page: a finished scenario is not shown as running");
	wr(&b, 1, CONTROL + 0xc, 0);
	b.now = 9 * MS;
	is_u64(rd(&b, 1, PMU(0), 8), 2010, "control page: a stopped scenario does not count");

	log_text(&b);
	wr(&b, 1, CONTROL + 0x18, 42);
	is_str(log_text(&b), "M 42\n", "control page: a mark is written to the log");
	b.now = 0x123456789ull;
	is_u64(rd(&b, 1, CONTROL + 0x20, 4), 0x23456789,
	       "control page: the low word of the time reads as it is");
	b.now = 0x200000000ull;
	is_u64(rd(&b, 1, CONTROL + 0x24, 4), 1,
	       "control page: a read of the time's low word latches the high word");

	wr(&b, 1, CONTROL + 0x2c, 0 << 8 | 0);
	wr(&b, 1, CONTROL + 0x30, 0xfffffff0);
	wr(&b, 1, CONTROL + 0x34, 0x12);
	is_u64(rd(&b, 1, CONTROL + 0x38, 4), 0, "control page: a preset counter has no read");
	is_u64(rd(&b, 1, PMU(0), 8), 0x12fffffff0ull, "control page: it presets a counter");
	is_u64(rd(&b, 1, CONTROL + 0x38, 4), 1, "control page: a read of the selected counter is counted");
	is_u64(rd(&b, 1, CONTROL + 0x3c, 4), 0, "control page: a read of the counter is no write");
	wr(&b, 1, CONTROL + 0x14, 0 << 8 | REGS_UNSTABLE);
	ok(rd(&b, 1, PMU(0) + 4, 4) != rd(&b, 1, PMU(0) + 4, 4), "control page: it injects a fault");
	wr(&b, 1, CONTROL + 0x14, 0 << 8 | 0);
	is_u64(rd(&b, 1, PMU(0), 8), 0x12fffffff0ull, "control page: it ends a fault");
	is_u64(rd(&b, 1, CONTROL + 0x1c, 4), 0, "control page: its correct use is not illegal");

	log_text(&b);
	wr(&b, 1, CONTROL + 8, 2);
	is_str(log_text(&b), "! control page: write of 2 to 8\n",
	       "control page: starting an unknown scenario is illegal");
	wr(&b, 1, CONTROL + 0x14, 9 << 8);
	wr(&b, 1, CONTROL + 0x14, REGS_FAULTS);
	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 7);
	wr(&b, 1, CONTROL + 0x28, 0xffffffff);
	wr(&b, 1, CONTROL + 0x2c, 4 << 8);
	wr(&b, 1, CONTROL + 0x34, 0);
	wr(&b, 1, CONTROL, 0);
	rd(&b, 1, CONTROL + 0x40, 4);
	rd(&b, 1, CONTROL, 8);
	rig_write(&b.rig, 1, CONTROL + 1, 4, 0);
	is_u64(rd(&b, 1, CONTROL + 0x1c, 4), 10,
	       "control page: each wrong use of the page is counted as illegal");
	bench_release(&b);
}

static void interrupts(void)
{
	struct bench b;

	bench_init(&b);
	wr(&b, 1, PMU(0) + PMINTENSET, 1);
	wr(&b, 1, PMU(1) + PMINTENSET, 1);
	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 0);
	ok(b.is_high[1] && !b.is_high[2], "rig: an overflow raises its device's interrupt only");
	wr(&b, 1, CONTROL + 0x28, 1 << 8 | 0);
	wr(&b, 1, PMU(0) + PMOVSCLR, 1);
	ok(b.is_high[1], "rig: a shared interrupt stays up while one PMU needs it");
	wr(&b, 1, PMU(1) + PMOVSCLR, 1);
	ok(!b.is_high[1], "rig: a shared interrupt ends when no PMU needs it");

	wr(&b, 2, PMU(2) + PMINTENSET, 3);
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 0);
	ok(b.pulses[2] == 1 && !b.is_high[2], "rig: an edge-triggered PMU sends a pulse");
	wr(&b, 2, PMU(2) + PMCR, 0);
	is_u64(b.pulses[2], 1, "rig: an edge-triggered PMU sends one pulse per overflow");
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 1);
	is_u64(b.pulses[2], 2, "rig: another counter's overflow sends another pulse");
	wr(&b, 2, PMU(2) + BOARD_PAGE1 + PMOVSCLR, 3);
	wr(&b, 1, CONTROL + 0x28, 2 << 8 | 0);
	is_u64(b.pulses[2], 3, "rig: the next overflow of the same counter sends another pulse");

	wr(&b, 1, PMU(3) + PMINTENSET, 1);
	wr(&b, 1, CONTROL + 0x28, 3 << 8 | 0);
	ok(!b.is_high[1], "rig: a PMU without an interrupt line raises no interrupt");

	wr(&b, 1, CONTROL + 0x28, 0 << 8 | 0);
	ok(b.is_high[1], "rig: an overflow raises the interrupt again");
	rig_reset(&b.rig, 1);
	rig_service(&b.rig);
	ok(!b.is_high[1], "rig: a reset of the device ends its interrupt");
	is_u64(rd(&b, 1, PMU(1) + PMINTENSET, 4), 0,
	       "rig: a reset of the device resets all its PMUs");
	is_u64(rd(&b, 2, PMU(2) + PMINTENSET, 4), 3,
	       "rig: a reset of a device leaves another device's PMUs alone");
	bench_release(&b);
}

static void deadlines(void)
{
	struct bench b;

	bench_init(&b);
	is_u64(rig_service(&b.rig), MODEL_HORIZON,
	       "rig: without an expected overflow the next service is due in an hour");
	wr(&b, 1, CONTROL + 8, 0);
	wr(&b, 1, PMU(0) + PMEVTYPER, 0x1a6);
	wr(&b, 1, PMU(0) + PMINTENSET, 1);
	wr(&b, 1, PMU(0) + PMCNTENSET, 1);
	wr(&b, 1, CONTROL + 0x2c, 0);
	wr(&b, 1, CONTROL + 0x30, 0xffffff9c);
	wr(&b, 1, CONTROL + 0x34, 0xffffffff);
	wr(&b, 1, PMU(0) + PMCR, PMCR_E);
	is_u64(rig_service(&b.rig), 100000, "rig: 100 requests 1 us apart overflow in 100 us");
	b.now = 99999;
	rig_service(&b.rig);
	ok(!b.is_high[1], "rig: there is no interrupt before the overflow");
	b.now = 100000;
	is_u64(rig_service(&b.rig), 100000 + MODEL_HORIZON,
	       "rig: after the overflow the next service is due in an hour");
	ok(b.is_high[1], "rig: the interrupt is raised without an access");
	wr(&b, 1, CONTROL + 0xc, 0);
	wr(&b, 1, PMU(0) + PMOVSCLR, 1);
	wr(&b, 1, CONTROL + 0x30, 0xffffff9c);
	wr(&b, 1, CONTROL + 0x34, 0xffffffff);
	is_u64(rig_service(&b.rig), 100000 + MODEL_HORIZON,
	       "rig: stopped traffic does not overflow");
	wr(&b, 1, CONTROL + 8, 0);
	is_u64(rig_service(&b.rig), 200000, "rig: restarted traffic overflows 100 us later");
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
