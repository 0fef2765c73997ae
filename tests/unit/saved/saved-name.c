// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names that perf prints of one event, and those of others */
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
	bool fine;

	if (saved_name_init(&name, text, strlen(text)))
		abort();
	fine = (pmu ? name.pmu && !strcmp(name.pmu, pmu) : !name.pmu) &&
	       !strcmp(name.terms, terms) && !strcmp(name.modifiers, modifiers);
	if (!ok(fine, "\"%s\" is PMU %s, \"%s\", \"%s\"", text, pmu ? pmu : "none", terms, modifiers))
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
	   fits("cycles:u", "cycles", NULL), "the name itself fits better than one with modifiers");
	ok(fits("p_0/a,b=1/", "p_0/a,b=0x1/", &uncore), "numbers of another base");
	ok(fits("p_0/cycles/", "p_0/event=cycles/", &uncore), "an event's name as a term");
	ok(fits("a [p_0]", "p_0/a/", &uncore), "the PMU in brackets, as 6.1 prints it");
	ok(fits("mine", "p_0/a,name=mine/", &uncore), "the label that was given to it");
	ok(!fits("p_1/a/", "p_0/a/", &uncore), "not the same event of another PMU");
	ok(!fits("p_0/a/", "p_0/b/", &uncore) && !fits("p_0/a,c=1/", "p_0/a,c=2/", &uncore),
	   "not another event, nor with another filter");
	ok(!fits("cycles", "p_0/cycles/", &uncore),
	   "the cores' cycles are not those of a PMU outside of them");
	ok(!fits("p_0/cycles/", "cycles", &core), "nor the other way around");
	ok(fits("cpu/cycles/", "cycles", &core) && fits("cycles [software]", "cycles", NULL) &&
	   fits("cycles", "armv8_pmuv3_0/cycles/", &core),
	   "a PMU that perf adds or leaves out, of cores and software");
	ok(fits("cycles", "cycles", &core) > fits("cpu/cycles/", "cycles", &core),
	   "but one that has none fits better");
	ok(fits("tool/duration_time/", "duration_time", NULL), "tool/duration_time/, as 7.3 has it");
	return done_testing();
}
