// SPDX-License-Identifier: LGPL-2.1-or-later
/* Board files: what the parser accepts, and the errors for everything else */
#include <errno.h>
#include <stdlib.h>

#include "board.h"
#include "tap.h"

#define HEAD	"chip superchip\nsockets 2\n"

static const struct {
	const char *text;
	const char *message;	/* after "x.board:" */
} bad[] = {
	{ "", "0: expected chip and sockets" },
	{ "chip superchip", "1: expected chip and sockets" },
	{ "chip grace", "1: expected superchip or gracehopper, found \"grace\"" },
	{ "sockets 2", "1: expected chip before sockets" },
	{ "chip superchip\nsockets 4", "2: expected a number of sockets that superchip is built with, found \"4\"" },
	{ "chip superchip\nsockets x", "2: expected a number of sockets that superchip is built with, found \"x\"" },
	{ "chip gracehopper\nsockets 3", "2: expected a number of sockets that gracehopper is built with, found \"3\"" },
	{ HEAD "chip superchip", "3: expected \"chip NAME\" and \"sockets N\" once each, and \"pmu KEY=VALUE...\"; found \"chip\"" },
	{ HEAD "pmus", "3: expected \"chip NAME\" and \"sockets N\" once each, and \"pmu KEY=VALUE...\"; found \"pmus\"" },
	{ "pmu kind=scf socket=0", "1: expected chip and sockets before the first pmu" },
	{ "chip superchip\npmu kind=scf socket=0", "2: expected chip and sockets before the first pmu" },
	{ HEAD "pmu kind=scf", "3: expected kind= and socket=" },
	{ HEAD "pmu socket=0", "3: expected kind= and socket=" },
	{ HEAD "pmu kind=smmu socket=0", "3: kind: expected scf, pcie, c2c0, c2c1, cnvlink or foreign, found \"smmu\"" },
	{ HEAD "pmu kind=scf socket=2", "3: expected a socket below 2, found 2" },
	{ HEAD "pmu kind=scf socket=4", "3: socket: expected a number from 0 to 3, found \"4\"" },
	{ HEAD "pmu kind=scf socket=0 counters=0", "3: counters: expected a number from 1 to 127, found \"0\"" },
	{ HEAD "pmu kind=scf socket=0 counters=128", "3: counters: expected a number from 1 to 127, found \"128\"" },
	{ HEAD "pmu kind=scf socket=0 width=65", "3: width: expected a number from 8 to 64, found \"65\"" },
	{ HEAD "pmu kind=scf socket=0 cc=2", "3: cc: expected a number from 0 to 1, found \"2\"" },
	{ HEAD "pmu kind=scf socket=0 pages=3", "3: pages: expected a number from 1 to 2, found \"3\"" },
	{ HEAD "pmu kind=scf socket=0 atomic=no", "3: atomic: expected a number from 0 to 1, found \"no\"" },
	{ HEAD "pmu kind=scf socket=0 line=5", "3: line: expected a number from 0 to 4, found \"5\"" },
	{ HEAD "pmu kind=scf socket=0 mode=msi", "3: mode: expected level or edge, found \"msi\"" },
	{ HEAD "pmu kind=scf socket=0 iidr=xyz", "3: iidr: expected a hexadecimal number of 32 bits, found \"xyz\"" },
	{ HEAD "pmu kind=scf socket=0 iidr=123456789", "3: iidr: expected a hexadecimal number of 32 bits, found \"123456789\"" },
	{ HEAD "pmu kind=scf socket=0 dead=yes", "3: dead: expected ones, zeros or a hexadecimal PMCFGR, found \"yes\"" },
	{ HEAD "pmu kind=scf socket=0 colour=red", "3: expected a key of a pmu, found \"colour\"" },
	{ HEAD "pmu kind=scf socket=0 socket=1", "3: expected each key once, found a second \"socket\"" },
	{ HEAD "pmu kind=scf socket=0 line", "3: expected KEY=VALUE, found \"line\"" },
	{ HEAD "packed\npmu kind=scf socket=0 pages=2", "4: expected one page for each pmu of a packed board" },
	{ HEAD "pmu kind=scf socket=0\npacked", "4: expected \"chip NAME\" and \"sockets N\" once each, and \"pmu KEY=VALUE...\"; found \"packed\"" },
	{ HEAD "pmu kind=scf socket=0 line=", "3: expected KEY=VALUE, found \"line=\"" },
};

static int parse(struct board *board, const char *text, struct text_error *err)
{
	return board_parse(board, "x.board", text, strlen(text), err);
}

static void errors(void)
{
	struct text_error err;
	struct board board;
	char want[256];
	size_t i;
	int ret;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ret = parse(&board, bad[i].text, &err);
		snprintf(want, sizeof(want), "x.board:%s", bad[i].message);
		ok(ret == -EINVAL && !strcmp(err.message, want),
		   "board: a malformed file is refused with %s", bad[i].message);
		if (ret != -EINVAL || strcmp(err.message, want))
			diag("got: %d %s", ret, err.message);
	}
}

static void defaults(void)
{
	static const struct {
		const char *kind;
		uint32_t iidr;
	} ids[] = {
		{ "scf", 0x2cf0036b }, { "pcie", 0x1030036b }, { "c2c0", 0x1050036b },
		{ "c2c1", 0x1040036b }, { "cnvlink", 0x1060036b }, { "foreign", 0x0a160a16 },
	};
	struct text_error err;
	struct board b;
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		snprintf(text, sizeof(text), HEAD "pmu kind=%s socket=1", ids[i].kind);
		ok(!parse(&b, text, &err) && b.pmus[0].iidr == ids[i].iidr,
		   "board: a PMU of kind %s has PMIIDR %x", ids[i].kind, ids[i].iidr);
	}
	is_u64(b.pmus[0].counters, 6, "board: a PMU has 6 counters by default");
	is_u64(b.pmus[0].width, 64, "board: a PMU's counters have 64 bits by default");
	ok(b.pmus[0].has_cycle_counter && b.pmus[0].is_atomic && !b.pmus[0].has_dual_page &&
	   !b.pmus[0].is_edge && b.pmus[0].line == 0 && b.pmus[0].dead == BOARD_ALIVE,
	   "board: a PMU has by default a cycle counter, one page, 64-bit access and no interrupt, "
	   "and responds");
}

static void values(void)
{
	static const char text[] =
		"# a board\n"
		"chip gracehopper # with a GPU\n"
		"sockets 4\n"
		"apmt table_len=12\n"
		"pmu kind=c2c1 socket=3 counters=2 width=32 cc=0 pages=2 atomic=0 line=4 mode=edge iidr=0x1040136b\n"
		"pmu kind=scf socket=0 iidr=0 dead=ones impl=2cf0036b affinity=cpu uid=7\n"
		"pmu kind=scf socket=0 dead=deadbeef line=2 apmt_len=3 apmt_type=9 base0=0 base1=0\n"
		"pmu kind=scf socket=0 dead=zeros mode=level devarch=47700af4 ext64=1 proc=9 wired=0 gsi=0\n";
	struct text_error err;
	struct board b;

	if (!ok(!parse(&b, text, &err), "board: a board with every key is accepted")) {
		diag("%s", err.message);
		return;
	}
	is_str(b.chip->name, "gracehopper", "board: a board has its chip");
	is_u64(b.sockets, 4, "board: a board has its sockets");
	is_u64(b.pmus_len, 4, "board: a board has its PMUs");
	ok(b.pmus[0].kind == PMU_C2C1 && b.pmus[0].socket == 3,
	   "board: the keys kind and socket are stored");
	ok(b.pmus[0].counters == 2 && b.pmus[0].width == 32 && !b.pmus[0].has_cycle_counter,
	   "board: the keys counters, width and cc are stored");
	ok(b.pmus[0].has_dual_page && !b.pmus[0].is_atomic, "board: the keys pages and atomic are stored");
	ok(b.pmus[0].line == 4 && b.pmus[0].is_edge, "board: the keys line and mode are stored");
	is_u64(b.pmus[0].iidr, 0x1040136b, "board: the key iidr is stored");
	is_u64(b.pmus[0].identity, 0x1040136b, "board: PMPIDR repeats the key iidr");
	ok(!b.pmus[1].iidr && b.pmus[1].identity == 0x2cf0036b,
	   "board: iidr=0 leaves the identity to PMPIDR");
	is_u64(b.pmus[1].dead, BOARD_DEAD_ONES, "board: the key dead=ones is stored");
	is_u64(b.pmus[3].dead, BOARD_DEAD_ZEROS, "board: the key dead=zeros is stored");
	ok(b.pmus[2].dead == BOARD_DEAD_PMCFGR && b.pmus[2].pmcfgr == 0xdeadbeef,
	   "board: the key dead=HEX is stored");
	ok(b.pmus[3].devarch == 0x47700af4 && b.pmus[0].devarch == 0x47700af0,
	   "board: devarch is stored, by default that of the 32-bit layout");
	ok(b.pmus[3].has_ext64 && !b.pmus[0].has_ext64, "board: ext64 is stored, by default 0");
	is_u64(board_device(&b.pmus[0]), 4, "board: a PMU is in the device of its line");
	is_u64(board_device(&b.pmus[1]), 1, "board: a PMU without a line is in device 1");
	is_u64(board_devices(&b), 4, "board: the highest line is the number of devices");
}

static void limits(void)
{
	static const char pmu[] = "pmu kind=scf socket=0\n";
	char text[2048] = HEAD;
	size_t len = strlen(text);
	struct text_error err;
	struct board b;
	int i;

	ok(!parse(&b, text, &err) && board_devices(&b) == 1,
	   "board: a board without a PMU has the device of the control page");
	for (i = 0; i < BOARD_MAX_PMUS; i++, len += strlen(pmu))
		memcpy(text + len, pmu, sizeof(pmu));
	ok(!parse(&b, text, &err) && b.pmus_len == 31, "board: a board with 31 PMUs is accepted");
	memcpy(text + len, pmu, sizeof(pmu));
	ok(parse(&b, text, &err) == -EINVAL,
	   "board: a board with 32 PMUs is refused, as the control page has that place");
	is_str(err.message, "x.board:34: expected at most 31 pmus",
	       "board: the error for 32 PMUs has the limit");
	ok(board_load(&b, "none.board", &err) == -ENOENT, "board: an absent file is ENOENT");
	is_str(err.message, "none.board: No such file or directory",
	       "board: the error for an absent file has its name");
}

int main(void)
{
	errors();
	defaults();
	values();
	limits();
	return done_testing();
}
