// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The terms made of an event's codes and the PMU of its Unit, as perf's jevents.py makes them
 * (tests/unit/catalog/catalog-upstream.t compares all of upstream)
 */
#include <errno.h>

#include "catalog-test.h"

static const struct {
	const char *members, *terms;
} taken[] = {
	{ "", "event=0" },
	{ "'EventCode': '0x1a5'", "event=0x1a5" },
	{ "'EventCode': '0X1A5'", "event=0x1a5" },
	{ "'EventCode': '26'", "event=0x1a" },
	{ "'EventCode': '0x9'", "event=9" },
	{ "'EventCode': '0x100000000'", "event=0x100000000" },
	{ "'EventCode': '0xffffffffffffffff'", "event=0xffffffffffffffff" },
	{ "'EventCode': '0xB7, 0xBB'", "event=0xb7" },
	{ "'EventCode': ' 0xB7 '", "event=0xb7" },
	{ "'EventCode': '0x11', 'ExtSel': '1'", "event=0x111" },
	{ "'ConfigCode': '0x80'", "config=0x80" },
	{ "'EventidCode': '17'", "eventid=0x11" },
	{ "'LegacyConfigCode': '3'", "legacy-hardware-config=3" },
	{ "'LegacyCacheCode': '0x10203'", "legacy-cache-config=0x10203" },
	{ "'EventCode': '0x1', 'UMask': '0x02', 'SampleAfterValue': '100003', 'Invert': '1',"
	  "'EdgeDetect': '0', 'CounterMask': '0x10'",
	  "event=1,cmask=0x10,inv=1,period=100003,umask=2" },
	{ "'EventCode': '1', 'AnyThread': '1', 'PortMask': '0x1', 'FCMask': '0x07'",
	  "event=1,any=1,ch_mask=1,fc_mask=7" },
	{ "'NodeType': '1', 'RdWrMask': '2', 'EnAllCores': '3', 'EnAllSlices': '4',"
	  "'SliceId': '5', 'ThreadMask': '6', 'EdgeDetect': '7'", "event=0,edge=7,type=1,"
	  "rdwrmask=2,enallcores=3,enallslices=4,sliceid=5,threadmask=6" },
	{ "'EventCode': '1', 'Filter': 'filter_opc=0x182', 'UMask': '1'",
	  "event=1,umask=1,filter_opc=0x182" },
	{ "'EventCode': '0xcd', 'MSRIndex': '0x3F6', 'MSRValue': '0x4'", "event=0xcd,ldlat=0x4" },
	{ "'EventCode': '0xb7', 'MSRIndex': '0x1a6,0x1a7', 'MSRValue': '0x10001'",
	  "event=0xb7,offcore_rsp=0x10001" },
	{ "'EventCode': '0xc6', 'MSRIndex': '1015', 'MSRValue': '0x11'",
	  "event=0xc6,frontend=0x11" },
	/* A register without a value needs no term. */
	{ "'EventCode': '0x0b', 'MSRIndex': '0x3F6'", "event=0xb" },
};

static const struct {
	const char *members, *error;
} refused[] = {
	{ "'EventCode': 'x'", "EventCode: expected a number such as 0x11, found x" },
	{ "'EventCode': '0x'", "EventCode: expected a number such as 0x11, found 0x" },
	{ "'EventCode': ','", "EventCode: expected a number such as 0x11, found ," },
	{ "'EventCode': ' '", "EventCode: expected a number such as 0x11, found  " },
	{ "'EventCode': '-1'", "EventCode: expected a number such as 0x11, found -1" },
	{ "'EventCode': '+1'", "EventCode: expected a number such as 0x11, found +1" },
	{ "'EventCode': '0x-1'", "EventCode: expected a number such as 0x11, found 0x-1" },
	{ "'EventCode': '1a'", "EventCode: expected a number such as 0x11, found 1a" },
	{ "'EventCode': '0x10000000000000000'",
	  "EventCode: expected a number such as 0x11, found 0x10000000000000000" },
	{ "'EventCode': '00000000000000000000000000000001'",
	  "EventCode: expected a number such as 0x11, found 00000000000000000000000000000001" },
	{ "'ConfigCode': '1,2'", "ConfigCode: expected a number such as 0x11, found 1,2" },
	{ "'EventCode': '1', 'UMask': '1,config=2'",
	  "UMask: expected a number such as 0x11, found 1,config=2" },
	{ "'EventCode': '1', 'ExtSel': 'y'", "ExtSel: expected a number such as 0x11, found y" },
	{ "'ExtSel': '0x100000000000000'", "ExtSel: expected a number of at most 56 bits" },
	{ "'MSRIndex': '0x1a5'",
	  "MSRIndex: expected a register of perf's such as 0x1a6, found 0x1a5" },
	{ "'MSRIndex': '0x'", "MSRIndex: expected a number such as 0x11, found 0x" },
};

/* Adds an event with these members, whose quotes are apostrophes. */
static int add_event(struct gpmu_catalog *catalog, const char *name, const char *members,
		     struct gpmu_error *error)
{
	char text[1024];
	char *c;

	snprintf(text, sizeof(text), "[{'EventName': '%s'%s%s}]", name, *members ? ", " : "",
		 members);
	for (c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	return add_text(catalog, "x.json", text, error);
}

static const char *terms_of(const char *name, const char *members)
{
	static char terms[1024];
	struct gpmu_catalog *catalog = empty();
	struct gpmu_error error = { .size = sizeof(error) };

	if (add_event(catalog, name, members, &error))
		snprintf(terms, sizeof(terms), "%s", error.text);
	else
		snprintf(terms, sizeof(terms), "%s",
			 gpmu_event_def_terms(gpmu_catalog_event(catalog, 0)));
	gpmu_catalog_free(catalog);
	return terms;
}

static void is_terms(const char *members, const char *want, const char *fmt)
{
	char what[384];

	snprintf(what, sizeof(what), fmt, members);
	is_str(terms_of("e", members), want, what);
}

static void check_terms(void)
{
	char want[256];
	size_t i;

	for (i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		is_terms(taken[i].members, taken[i].terms,
			 "catalog: an event with {%s} has perf's terms");
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		snprintf(want, sizeof(want), "x.json:1: %s", refused[i].error);
		is_terms(refused[i].members, want, "catalog: an event with {%s} is refused");
	}
	is_str(terms_of("INST_RETIRED.ANY", "'EventCode': '0x0', 'UMask': '0x1'"),
	       "event=0xc0,period=2000003", "catalog: a fixed counter of Intel's has perf's terms");
	is_str(terms_of("inst_retired.anyway", "'EventCode': '0x7'"), "event=7",
	       "catalog: an event without a fixed counter has its own terms");
}

/* The longest values that one object can have */
static void check_longest(void)
{
	static const char *const keys[] = { "Filter", "MSRValue" };
	char members[1024] = "'MSRIndex': '0x1a6'", value[256];
	size_t i;

	memset(value, 'v', 255);
	value[255] = 0;
	for (i = 0; i < 2; i++)
		snprintf(members + strlen(members), sizeof(members) - strlen(members),
			 ", '%s': '%s'", keys[i], value);
	is_u64(strlen(terms_of("e", members)), strlen("event=0,") + 255 + strlen(",offcore_rsp=") +
	       255, "catalog: long values are kept whole");
}

static void check_units(void)
{
	static const struct {
		const char *unit, *pmu;
	} units[] = {
		{ "", NULL }, { "nvidia_scf_pmu", "nvidia_scf_pmu" },
		{ "nvidia_nvlink_c2c0_pmu", "nvidia_nvlink_c2c0_pmu" },
		{ "CBO", "uncore_cbox" }, { "iMC", "uncore_imc" }, { "UPI LL", "uncore_upi" },
		{ "cpu_atom", "cpu_atom" }, { "arm_cmn", "arm_cmn" }, { "tool", "tool" },
		{ "hisi_sccl,l3c", "hisi_sccl,l3c" }, { "L3PMC", "amd_l3" },
		{ "l3pmc", "uncore_l3pmc" },
		{ "nvidia", "uncore_nvidia" }, { "CB", "uncore_cb" }, { "CBOX", "uncore_cbox" },
	};
	struct gpmu_error error = { .size = sizeof(error) };
	char members[64], what[128];
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		struct gpmu_catalog *catalog = empty();

		snprintf(members, sizeof(members), "'Unit': '%s'", units[i].unit);
		snprintf(what, sizeof(what), "catalog: the PMU of Unit \"%s\" is perf's",
			 units[i].unit);
		if (add_event(catalog, "e", members, &error))
			ok(false, "%s: %s", what, error.text);
		else
			is_text(gpmu_event_def_pmu(gpmu_catalog_event(catalog, 0)), units[i].pmu,
				what);
		gpmu_catalog_free(catalog);
	}
}

int main(void)
{
	check_terms();
	check_longest();
	check_units();
	return done_testing();
}
