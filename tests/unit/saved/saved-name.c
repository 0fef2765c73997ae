// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names that perf prints for an event, and names of other events */
#include <stdlib.h>

#include "machine/pmu.h"
#include "saved/saved.h"
#include "tap.h"

static const struct gpmu_pmu uncore = { .has_cpumask = true };
static const struct gpmu_pmu core = { .has_cpumask = false };

static int fits(const char *printed, const char *planned, const struct gpmu_pmu *pmu)
{
	struct saved_name a, b;
	int ret;

	if (saved_name_init(&a, printed, strlen(printed)) ||
	    saved_name_init(&b, planned, strlen(planned)))
		abort();
	ret = saved_name_fits(&a, &b, pmu);
	saved_name_release(&a);
	saved_name_release(&b);
	return ret;
}

static void is_name(const char *text, const char *pmu, const char *terms, const char *modifiers)
{
	struct saved_name name;
	bool is_fine;

	if (saved_name_init(&name, text, strlen(text)))
		abort();
	is_fine = (pmu ? name.pmu && !strcmp(name.pmu, pmu) : !name.pmu) &&
		  !strcmp(name.terms, terms) && !strcmp(name.modifiers, modifiers);
	if (!ok(is_fine,
		"name: \"%s\" has PMU %s, terms \"%s\", modifiers "
		"\"%s\"", text, pmu ? pmu : "none", terms, modifiers))
		diag("%s, %s, %s", name.pmu ? name.pmu : "none", name.terms, name.modifiers);
	saved_name_release(&name);
}

int main(void)
{
	is_name("cycles", NULL, "cycles", "");
	is_name("cycles:uk", NULL, "cycles", "ku");
	is_name("sched:sched_switch", NULL, "sched:sched_switch", "");
	is_name("sched:sched_switch:u", NULL, "sched:sched_switch", "u");
	is_name("nvidia_scf_pmu_0/cmem_rd_data/", "nvidia_scf_pmu_0", "cmem_rd_data", "");
	is_name("p/event=0x1A5,umask=0x01/u", "p", "event=421,umask", "u");
	is_name("p/event=cycles,ROOT_PORT=0x3/:k", "p", "cycles,root_port=3", "k");
	is_name("cmem_rd_data [nvidia_scf_pmu_1]", "nvidia_scf_pmu_1", "cmem_rd_data", "");
	is_name("p/a,name=x y,b=2/", "p", "a,b=2", "");
	is_name("p//", "p", "", "");
	is_name("/", NULL, "/", "");
	is_name("a/b", NULL, "a/b", "");
	is_name("[x]", NULL, "[x]", "");

	ok(fits("cycles", "cycles", NULL) > fits("cycles:u", "cycles", NULL) &&
	   fits("cycles:u", "cycles", NULL),
	   "name: an equal name matches better than one with modifiers");
	ok(fits("p_0/a,b=1/", "p_0/a,b=0x1/", &uncore), "name: numbers of another base match");
	ok(fits("p_0/cycles/", "p_0/event=cycles/", &uncore),
	   "name: an event's name matches event=NAME");
	ok(fits("a [p_0]", "p_0/a/", &uncore), "name: a PMU in brackets, as of perf 6.1, matches");
	ok(fits("mine", "p_0/a,name=mine/", &uncore), "name: the label given to an event matches");
	ok(!fits("p_1/a/", "p_0/a/", &uncore),
	   "name: the same event of another PMU does not match");
	ok(!fits("p_0/a/", "p_0/b/", &uncore) && !fits("p_0/a,c=1/", "p_0/a,c=2/", &uncore),
	   "name: another event or another filter does not match");
	ok(!fits("cycles", "p_0/cycles/", &uncore),
	   "name: cycles of cores do not match an uncore PMU's cycles");
	ok(!fits("p_0/cycles/", "cycles", &core),
	   "name: an uncore PMU's cycles do not match those of cores");
	ok(fits("cpu/cycles/", "cycles", &core) && fits("cycles [software]", "cycles", NULL) &&
	   fits("cycles", "armv8_pmuv3_0/cycles/", &core),
	   "name: PMUs of cores and software that perf adds or leaves out match");
	ok(fits("cycles", "cycles", &core) > fits("cpu/cycles/", "cycles", &core),
	   "name: without a PMU, a name without one matches better");
	ok(fits("tool/duration_time/", "duration_time", NULL),
	   "name: tool/duration_time/, as of perf 7.3, matches duration_time");

	ok(fits("cycles", "cpu_cycles", &core) && fits("instructions:u", "INST_RETIRED", &core) &&
	   fits("armv8_pmuv3_0/cycles/", "armv8_pmuv3_0/cpu_cycles/", &core) &&
	   fits("L1-dcache-load-misses", "l1d_cache_refill", &core) &&
	   fits("branches", "BR_RETIRED", &core),
	   "name: perf's generic names match the events of Arm cores to which Linux maps them");
	ok(!fits("p_0/cycles/", "cpu_cycles", &core) && !fits("cycles [p_0]", "cpu_cycles", &core) &&
	   !fits("cycles", "p_0/cpu_cycles/", &uncore) && !fits("cycles", "inst_retired", &core),
	   "name: a generic name of another PMU or of another event does not match");
	ok(fits("cpu_cycles:u", "cpu_cycles", &core) > fits("cycles", "cpu_cycles", &core) &&
	   fits("cycles", "cpu_cycles", &core) > fits("cycles:u", "cpu_cycles", &core),
	   "name: an event's own name matches better than a generic one");
	return done_testing();
}
