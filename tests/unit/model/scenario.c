// SPDX-License-Identifier: LGPL-2.1-or-later
/* The scenario parser: accepted scenarios, and the errors for others */
#include <errno.h>
#include <stdlib.h>

#include "scenario.h"
#include "tap.h"

#define FLOW	"flow cpu:0 -> cmem:0 rd rate=1GB/s"

static struct scenario *parse(const char *text, struct text_error *err)
{
	return scenario_parse("dir/name.scenario", text, strlen(text), err);
}

struct bad {
	const char *text;
	const char *message;	/* without the prefix \"dir/name.scenario:\" */
};

static const struct bad bad[] = {
	{ "flaw", "1: expected flow or clock, found \"flaw\"" },
	{ "\n\n# comment\n  flaw", "4: expected flow or clock, found \"flaw\"" },
	{ "a\001b", "1: expected text, found byte 0x01" },
	{ "flow", "1: expected \"flow INITIATOR -> MEMORY OP OPTION=VALUE...\"" },
	{ "flow cpu:0 to cmem:0 rd rate=1GB/s", "1: expected \"flow INITIATOR -> MEMORY OP OPTION=VALUE...\"" },
	{ "flow dma:0 -> cmem:0 rd rate=1GB/s",
	  "1: expected an initiator: cpu:SOCKET, pcie:SOCKET:PORT, gpu:SOCKET or gpu:SOCKET:MODE; found \"dma\"" },
	{ "flow pcie:0 -> cmem:0 rd rate=1GB/s",
	  "1: expected an initiator: cpu:SOCKET, pcie:SOCKET:PORT, gpu:SOCKET or gpu:SOCKET:MODE; found \"pcie\"" },
	{ "flow cpu:0:1 -> cmem:0 rd rate=1GB/s",
	  "1: expected an initiator: cpu:SOCKET, pcie:SOCKET:PORT, gpu:SOCKET or gpu:SOCKET:MODE; found \"cpu\"" },
	{ "flow gpu:0:ats:x -> cmem:0 rd rate=1GB/s",
	  "1: expected an initiator: cpu:SOCKET, pcie:SOCKET:PORT, gpu:SOCKET or gpu:SOCKET:MODE; found \"gpu\"" },
	{ "flow cpu:4 -> cmem:0 rd rate=1GB/s", "1: expected a socket from 0 to 3, found \"4\"" },
	{ "flow cpu:-1 -> cmem:0 rd rate=1GB/s", "1: expected a socket from 0 to 3, found \"-1\"" },
	{ "flow cpu: -> cmem:0 rd rate=1GB/s", "1: expected a socket from 0 to 3, found \"\"" },
	{ "flow pcie:0:10 -> cmem:0 rd rate=1GB/s", "1: expected a root port from 0 to 9, found \"10\"" },
	{ "flow gpu:0:atx -> cmem:0 rd rate=1GB/s", "1: expected ats, egm or nats, found \"atx\"" },
	{ "flow cpu:0 -> lmem:0 rd rate=1GB/s", "1: expected a memory: cmem:SOCKET or gmem:SOCKET; found \"lmem\"" },
	{ "flow cpu:0 -> cmem rd rate=1GB/s", "1: expected a memory: cmem:SOCKET or gmem:SOCKET; found \"cmem\"" },
	{ "flow cpu:0 -> cmem:0:0 rd rate=1GB/s", "1: expected a memory: cmem:SOCKET or gmem:SOCKET; found \"cmem\"" },
	{ "flow cpu:0 -> cmem:9 rd rate=1GB/s", "1: expected a socket from 0 to 3, found \"9\"" },
	{ "flow cpu:0 -> cmem:0 read rate=1GB/s", "1: expected rd, wb or wr, found \"read\"" },
	{ "flow gpu:0 -> cmem:0 wb rate=1GB/s", "1: expected rd or wr: only a CPU writes back" },
	{ FLOW " fast", "1: expected OPTION=VALUE, found \"fast\"" },
	{ FLOW " size=", "1: expected OPTION=VALUE, found \"size=\"" },
	{ FLOW " speed=1", "1: expected an option (bytes, rate, over, after, size, latency, home_latency, order, served, alloc, port), found \"speed\"" },
	{ FLOW " rate=2GB/s", "1: expected each option once, found a second \"rate\"" },
	{ "flow cpu:0 -> cmem:0 rd", "1: expected either bytes= or rate=" },
	{ FLOW " bytes=64 over=1ms", "1: expected either bytes= or rate=" },
	{ "flow cpu:0 -> cmem:0 rd bytes=64", "1: expected over= beside bytes=" },
	{ "flow cpu:0 -> cmem:0 rd rate=1GB", "1: rate: expected a whole number with a unit such as kB/s, found \"1GB\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=x", "1: rate: expected a whole number with a unit such as kB/s, found \"x\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=0.0000000001GB/s", "1: rate: expected a whole number with a unit such as kB/s, found \"0.0000000001GB/s\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=1.GB/s", "1: rate: expected a whole number with a unit such as kB/s, found \"1.GB/s\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=0GB/s", "1: rate: expected a value from 1 to 10000000000000 (in B/s), found \"0GB/s\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=11TB/s", "1: rate: expected a value from 1 to 10000000000000 (in B/s), found \"11TB/s\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=99999999999999999999B/s",
	  "1: rate: expected a value from 1 to 10000000000000 (in B/s), found \"99999999999999999999B/s\"" },
	{ "flow cpu:0 -> cmem:0 rd rate=1.00000000000000000000000GB/s",
	  "1: rate: expected a value from 1 to 10000000000000 (in B/s), found \"1.00000000000000000000000GB/s\"" },
	{ "flow cpu:0 -> cmem:0 rd bytes=0 over=1s", "1: bytes: expected a value from 1 to 1152921504606846976 (in B), found \"0\"" },
	{ "flow cpu:0 -> cmem:0 rd bytes=2000000TiB over=1s",
	  "1: bytes: expected a value from 1 to 1152921504606846976 (in B), found \"2000000TiB\"" },
	{ "flow cpu:0 -> cmem:0 rd bytes=64 over=0s", "1: over: expected a value from 1 to 31536000000000000 (in ns), found \"0s\"" },
	{ "flow cpu:0 -> cmem:0 rd bytes=64 over=1", "1: over: expected a whole number with a unit such as us, found \"1\"" },
	{ FLOW " after=1h", "1: after: expected a whole number with a unit such as us, found \"1h\"" },
	{ FLOW " size=0", "1: size: expected a value from 1 to 4096 (in B), found \"0\"" },
	{ FLOW " size=65", "1: expected size= of at most 64: a CPU's request is at most a cache line" },
	{ "flow pcie:0:0 -> cmem:0 rd rate=1GB/s size=4097", "1: size: expected a value from 1 to 4096 (in B), found \"4097\"" },
	{ FLOW " latency=101us", "1: latency: expected a value from 0 to 100000000 (in ps), found \"101us\"" },
	{ FLOW " latency=1s", "1: latency: expected a whole number with a unit such as ns, found \"1s\"" },
	{ "flow cpu:0 -> cmem:0 wb rate=1GB/s latency=1ns", "1: expected no latency: no PMU measures the latency of a write" },
	{ "flow cpu:0 -> cmem:1 wr rate=1GB/s home_latency=1ns", "1: expected no latency: no PMU measures the latency of a write" },
	{ FLOW " home_latency=1ns", "1: expected no home_latency: the flow is local" },
	{ FLOW " order=strong", "1: expected no order=: it applies to PCIe writes only" },
	{ "flow pcie:0:0 -> cmem:1 rd rate=1GB/s order=strong", "1: expected no order=: it applies to PCIe writes only" },
	{ "flow pcie:0:0 -> cmem:1 wr rate=1GB/s order=weak", "1: order: expected relaxed or strong, found \"weak\"" },
	{ "flow pcie:0:0 -> cmem:1 wr rate=1GB/s",
	  "1: expected order=relaxed or order=strong: the PMUs that count a remote PCIe write depend on it" },
	{ FLOW " served=dram", "1: served: expected memory or cache, found \"dram\"" },
	{ "flow pcie:0:0 -> cmem:0 rd rate=1GB/s served=cache", "1: expected no served= or alloc=: they apply to CPU flows only" },
	{ "flow gpu:0 -> cmem:0 rd rate=1GB/s alloc=no", "1: expected no served= or alloc=: they apply to CPU flows only" },
	{ FLOW " alloc=maybe", "1: alloc: expected no or yes, found \"maybe\"" },
	{ FLOW " port=0", "1: expected no port=: the flow does not use the C2C link's PMU" },
	{ "flow pcie:0:0 -> cmem:0 rd rate=1GB/s port=0", "1: expected no port=: the flow does not use the C2C link's PMU" },
	{ "flow gpu:0 -> cmem:0 rd rate=1GB/s port=2", "1: port: expected a C2C port, 0 or 1, found \"2\"" },
	{ "flow cpu:0 -> cmem:0 wb rate=1GB/s size=64", "1: expected no size=: a write-back is 64 bytes" },
	{ "flow cpu:0 -> cmem:0 wb bytes=65 over=1s", "1: expected a multiple of 64 bytes: write-backs are whole lines" },
	{ "clock scf", "1: expected \"clock KIND FREQUENCY\" or \"clock KIND:SOCKET FREQUENCY\"" },
	{ "clock core 3GHz", "1: expected scf, pcie, c2c0, c2c1 or cnvlink, found \"core\"" },
	{ "clock foreign 3GHz", "1: expected scf, pcie, c2c0, c2c1 or cnvlink, found \"foreign\"" },
	{ "clock scf:0:0 3GHz", "1: expected scf, pcie, c2c0, c2c1 or cnvlink, found \"scf\"" },
	{ "clock scf:4 3GHz", "1: expected a socket from 0 to 3, found \"4\"" },
	{ "clock scf 0Hz", "1: clock: expected a value from 1 to 10000000000 (in Hz), found \"0Hz\"" },
	{ "clock scf 11GHz", "1: clock: expected a value from 1 to 10000000000 (in Hz), found \"11GHz\"" },
	{ "clock scf 3", "1: clock: expected a whole number with a unit such as kHz, found \"3\"" },
	{ "a a a a a a a a a a a a a a a a a a a a a a a a a", "1: expected at most 24 words" },
};

static void errors(void)
{
	struct text_error err;
	struct scenario *s;
	char want[512];
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		errno = 0;
		s = parse(bad[i].text, &err);
		snprintf(want, sizeof(want), "dir/name.scenario:%s", bad[i].message);
		ok(!s && errno == EINVAL && !strcmp(err.message, want),
		   "scenario: the error is \"%s\"",
		   bad[i].message);
		if (s || strcmp(err.message, want))
			diag("got: %s", s ? "a scenario" : err.message);
		scenario_free(s);
	}
}

static void a_flow(void)
{
	struct text_error err;
	struct scenario *s = parse(
		"# a comment\n"
		"\tflow pcie:1:8 -> cmem:0 rd bytes=1.5KiB over=2.5ms after=1us size=128 latency=0.5us home_latency=250ns port=1 # end\n"
		"flow cpu:2->cmem:0", &err);

	ok(!s, "scenario: words need blanks between them");
	scenario_free(s);
	s = parse("# a comment\n\n"
		  "\tflow pcie:1:8 -> cmem:0 rd bytes=1.5KiB over=2.5ms after=1us size=128 latency=0.5us home_latency=250ns port=1# end", &err);
	ok(s && s->flows_len == 1, "scenario: a flow with every option is accepted");
	if (!s)
		return;
	is_str(s->name, "name", "scenario: a scenario has the name of its file");
	is_u64(s->flows[0].line, 3, "scenario: a flow has its line number");
	ok(s->flows[0].initiator == INIT_PCIE && s->flows[0].source == 1 &&
	   s->flows[0].root_port == 8, "scenario: a flow has its initiator");
	ok(s->flows[0].memory == MEM_CMEM && s->flows[0].home == 0,
	   "scenario: a flow has its memory");
	is_u64(s->flows[0].op, OP_RD, "scenario: a flow has its operation");
	is_u64(s->flows[0].bytes, 1536, "scenario: bytes may be a fraction of KiB");
	is_u64(s->flows[0].duration, 2500000, "scenario: over= is converted to ns");
	is_u64(s->flows[0].delay, 1000, "scenario: after= is converted to ns");
	is_u64(s->flows[0].size, 128, "scenario: a flow has its request size");
	is_u64(s->flows[0].latency, 500000, "scenario: latency= is converted to ps");
	is_u64(s->flows[0].home_latency, 250000, "scenario: home_latency= is converted to ps");
	is_u64(s->flows[0].c2c_ports, 2, "scenario: a flow has its C2C port");
	scenario_free(s);
}

static void defaults(void)
{
	struct text_error err;
	struct scenario *s = parse(
		"flow cpu:0 -> cmem:1 rd rate=1GB/s latency=10ns\n"
		"flow cpu:0 -> cmem:0 wb rate=1GB/s\n"
		"flow cpu:0 -> cmem:0 wr rate=1GB/s\n"
		"flow pcie:0:0 -> cmem:0 rd rate=1GB/s\n"
		"flow pcie:0:0 -> cmem:0 wr rate=1GB/s\n"
		"flow pcie:0:0 -> cmem:1 wr rate=1GB/s order=strong\n"
		"flow cpu:0 -> cmem:0 rd rate=7B/s served=cache\n", &err);

	ok(s && s->flows_len == 7, "scenario: flows without optional parts are accepted");
	if (!s)
		return;
	ok(s->flows[0].rate == 1000000000 && s->flows[6].rate == 7,
	   "scenario: a rate is in bytes per second");
	is_u64(s->flows[0].size, 64, "scenario: a CPU's read defaults to 64 bytes");
	is_u64(s->flows[1].size, 64, "scenario: a write-back has 64 bytes");
	is_u64(s->flows[2].size, 64, "scenario: a CPU's write defaults to 64 bytes");
	is_u64(s->flows[3].size, 64, "scenario: a PCIe read defaults to 64 bytes");
	is_u64(s->flows[4].size, 32, "scenario: a PCIe write defaults to 32 bytes");
	is_u64(s->flows[0].home_latency, 10000,
	       "scenario: home_latency defaults to the source's latency");
	is_u64(s->flows[5].op, OP_WR_STRONG, "scenario: order=strong is an operation of its own");
	is_u64(s->flows[4].op, OP_WR, "scenario: a local PCIe write needs no order");
	ok(s->flows[0].is_allocating && s->flows[1].is_allocating,
	   "scenario: a CPU's reads and write-backs allocate");
	ok(!s->flows[2].is_allocating, "scenario: a CPU's writes do not allocate");
	ok(!s->flows[6].is_allocating && s->flows[6].is_from_cache,
	   "scenario: reads served by the cache do not allocate");
	ok(!s->flows[3].is_allocating, "scenario: PCIe reads do not allocate");
	is_u64(s->flows[3].c2c_ports, 3, "scenario: a flow uses both C2C ports by default");
	scenario_free(s);
}

static void names(void)
{
	struct text_error err;
	struct scenario *s;
	char longest[80];

	s = scenario_parse("x", "", 0, &err);
	ok(s && !strcmp(s->name, "x"),
	   "scenario name: without directory and suffix it is the file's name");
	scenario_free(s);
	s = scenario_parse("a/b/.scenario", "", 0, &err);
	ok(s && !strcmp(s->name, ".scenario"), "scenario name: a suffix alone is a name");
	scenario_free(s);
	s = scenario_parse("a/", "", 0, &err);
	ok(!s && errno == EINVAL, "scenario name: a directory is refused");
	memset(longest, 'n', sizeof(longest));
	longest[63] = '\0';
	s = scenario_parse(longest, "", 0, &err);
	ok(s, "scenario name: 63 characters are accepted");
	scenario_free(s);
	longest[63] = 'n';
	longest[64] = '\0';
	s = scenario_parse(longest, "", 0, &err);
	ok(!s && strstr(err.message, "expected a name of 1 to 63 characters"),
	   "scenario name: 64 characters are refused");
}

static void limits(void)
{
	static char text[80 * 1024];
	struct text_error err;
	struct scenario *s;
	size_t len = 0;
	int i;

	for (i = 0; i < SCENARIO_MAX_FLOWS; i++)
		len += sprintf(text + len, "%s\n", FLOW);
	s = scenario_parse("many", text, len, &err);
	ok(s && s->flows_len == 64, "scenario: 64 flows are accepted");
	scenario_free(s);
	len += sprintf(text + len, "%s\n", FLOW);
	s = scenario_parse("many", text, len, &err);
	ok(!s, "scenario: a 65th flow is refused");
	is_str(err.message, "many:65: expected at most 64 flows",
	       "scenario: the error for a 65th flow states the limit");

	memset(text, ' ', sizeof(text));
	s = scenario_parse("long", text, 255, &err);
	ok(s, "scenario: a line of 255 characters is accepted");
	scenario_free(s);
	s = scenario_parse("long", text, 256, &err);
	ok(!s, "scenario: a line of 256 characters is refused");
	is_str(err.message, "long:1: expected at most 255 characters in a line",
	       "scenario: the error for a long line states the limit");

	s = scenario_parse("nul", "flow\0", 5, &err);
	ok(!s && !strcmp(err.message, "nul:1: expected text, found byte 0x00"),
	   "scenario: a NUL byte is refused");
	s = scenario_parse("utf8", "# \xc3\xa4\n", 5, &err);
	ok(s, "scenario: a comment may have characters beyond ASCII");
	scenario_free(s);
}

static void files(void)
{
	char path[] = "/tmp/gpmu-scenario.XXXXXX";
	struct text_error err;
	struct scenario *s;
	int fd, i;
	FILE *f;

	s = scenario_load("metrics/sources/model/scenarios/none.scenario", &err);
	ok(!s && errno == ENOENT, "scenario file: an absent file is ENOENT");
	is_str(err.message, "metrics/sources/model/scenarios/none.scenario: No such file or directory",
	       "scenario file: the error has the path");
	s = scenario_load("metrics/sources/model", &err);
	ok(!s && errno == EISDIR, "scenario file: a directory is EISDIR");
	fd = mkstemp(path);
	f = fd < 0 ? NULL : fdopen(fd, "w");
	for (i = 0; f && i <= TEXT_MAX_FILE; i++)
		fputc('\n', f);
	if (!f || fclose(f)) {
		printf("Bail out! %s\n", path);
		exit(1);
	}
	s = scenario_load(path, &err);
	ok(!s && errno == EFBIG, "scenario file: a file above 64 KiB is EFBIG");
	remove(path);
}

static void check(const char *text, const char *chip, unsigned int sockets,
		  const char *message)
{
	struct text_error err = { "" };
	struct scenario *s = scenario_parse("s", text, strlen(text), &err);
	int ret = s ? scenario_check(s, chip_find(chip), sockets, &err) : -1;

	if (message)
		ok(ret == -EINVAL && !strcmp(err.message, message),
		   "scenario on a chip: the error is \"%s\"", message);
	else
		ok(!ret, "scenario on a chip: %s of %u sockets accepts %s", chip, sockets, text);
	scenario_free(s);
}

int main(void)
{
	errors();
	a_flow();
	defaults();
	names();
	limits();
	files();
	check("flow cpu:1 -> cmem:0 rd rate=1GB/s", "superchip", 2, NULL);
	check("flow cpu:1 -> cmem:0 rd rate=1GB/s", "superchip", 1,
	      "s:1: expected a socket below 1, the number of sockets");
	check("\nflow cpu:0 -> cmem:2 rd rate=1GB/s", "superchip", 2,
	      "s:2: expected a socket below 2, the number of sockets");
	check("flow cpu:0 -> gmem:0 rd rate=1GB/s", "superchip", 2,
	      "s:1: expected no gpu and no gmem: superchip has none");
	check("flow gpu:0 -> cmem:0 rd rate=1GB/s", "superchip", 2,
	      "s:1: expected no gpu and no gmem: superchip has none");
	check("flow gpu:3 -> gmem:0 rd rate=1GB/s", "gracehopper", 4, NULL);
	scenario_free(NULL);
	return done_testing();
}
