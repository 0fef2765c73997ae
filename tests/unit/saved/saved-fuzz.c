// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to perf's output. tests/fuzz/saved.c makes the checks and ends the program if
 * one fails. The random numbers are the same in each run.
 */
#include <stdlib.h>

#include "tap.h"

#define ROUNDS	8000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const seeds[] = {
	"# started on\n\n2000,ns,duration_time,2000,100.00,,\n"
	"25,,nvidia_scf_pmu_0/cmem_rd_data/,2000,100.00,,\n"
	"40,,nvidia_scf_pmu_0/cmem_wr_total_bytes/,2000,66.00,,\n"
	"<not counted>,,nvidia_pcie_pmu_1/rd_bytes_loc,root_port=0x3/,0,0.00,,\n",
	"     0.050317810,S0,2,40,,page-faults,65,100.00,610.367,/sec\n"
	"     0.050317810,S1,2,1.5,msec,task-clock,65,33.00,610.367,CPUs utilized\n"
	"     0.150317810,S0,2,40,,page-faults [software],65,100.00,610.367,/sec\n"
	"     0.150317810,S0,2,,,,,,7.1,a, b\nsummary,3,,cs,5,100.00\n",
	"{\"interval\" : 1.000000000, \"socket\" : \"S36\", \"counters\" : 1, \"counter-value\" : "
	"\"20.000000\", \"unit\" : \"\", \"event\" : \"nvidia_scf_pmu_1/cmem_rd_data,name=x/\", "
	"\"event-runtime\" : 1000, \"pcnt-running\" : 50.00, \"metric-value\" : 0.5, "
	"\"metric-unit\" : \"K/sec\"}\n"
	"{\"interval\" : 2.000000000, \"cpu\" : \"3\", \"counter-value\" : \"<not supported>\", "
	"\"event\" : \"cycles:u\", \"variance\" : 1.5, }\n",
	"# gpmu-csv 1\ntime_begin,time_end,scope,node,cpu,pmu,kind,name,value,unit,state,share,"
	"running_ns,counters,runs,deviation,why\n"
	"0.000000000,2.000000000,node,1,,software,event,page-faults,10,,ok,0.5,100,2,3,1.5,\n"
	"0.000000000,2.000000000,cpu,1,2,software,event,\"cycles\",,,not_counted,,,,1,,\"a, \"\"b\"\"\"\n",
	"{\"gpmu\":1,\"time_end\":1.000000000,\"scope\":\"cpu\",\"cpu\":3,\"kind\":\"event\",\"name\":\"x\","
	"\"value\":47,\"unit\":null,\"state\":\"ok\",\"share\":1,\"running_ns\":5,\"counters\":1}\n",
	"S0-D0-C0,1,7,,page-faults,12,5.00%,5,100.00,1.000,K/sec,2,0.000000000,0.125990429,vm,x\n"
	",4,8,,page-faults,12,5.00%,5,100.00,1.000,K/sec,2,0.000000000,0.125990429,vm,x\n"
	",4,,,,,,16.5,GB/s  a, b,2,0.000000000,0.125990429,vm,machine\n",
	"comm-12;3;;page-faults:u;2.00%;100;100.00;;\ncomm-13;4;;tool/duration_time/;100;1,00;;\n",
};

static const char *const tokens[] = {
	",", ";", "\n", "\"", " : ", "{", "}", "/", "//", "=", "=0x", "%", "-", ":", " [", "]",
	"S0,", "N1,1,", "CPU2,", "summary,", "<not counted>", "<not supported>", "nan", "0.000000001,",
	"18446744073709551615", "99999999999999999999999", "0", "100.00", "-1", "1e9", "nvidia_scf_pmu",
	"nvidia_scf_pmu_99999999999", "_0", "name=", "event=", "\t", "\r", "\303\251", "%s%n",
};

static uint64_t state = 88172645463325252ull;

/* xorshift64 */
static uint32_t random_below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)((state >> 11) % n);
}

static size_t damage(char *text, size_t len, size_t max)
{
	for (uint32_t n = 1 + random_below(4); n && len; n--) {
		const char *token = tokens[random_below(sizeof(tokens) / sizeof(tokens[0]))];
		size_t pos = random_below(len), add = strlen(token), cut = 1 + random_below(20);

		switch (random_below(8)) {
		case 0:
			text[pos] = (char)random_below(256);
			break;
		case 1:
			len = pos;
			break;
		case 2:
		case 3:
			if (cut > len - pos)
				cut = len - pos;
			memmove(text + pos, text + pos + cut, len - pos - cut);
			len -= cut;
			break;
		default:
			if (len + add > max)
				break;
			memmove(text + pos + add, text + pos, len - pos);
			memcpy(text + pos, token, add);
			len += add;
		}
	}
	return len;
}

int main(void)
{
	static char text[4096];

	for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
		size_t length = strlen(seeds[i]);

		LLVMFuzzerTestOneInput((const uint8_t *)seeds[i], length);
		for (int round = 0; round < ROUNDS / 4; round++) {
			size_t len;

			memcpy(text, seeds[i], length);
			len = damage(text, length, sizeof(text));
			LLVMFuzzerTestOneInput((const uint8_t *)text, len);
		}
		ok(true, "perf output: sample %zu survives random damage", i + 1);
	}
	return done_testing();
}
