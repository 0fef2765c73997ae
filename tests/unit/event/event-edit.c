// SPDX-License-Identifier: LGPL-2.1-or-later
/* Filters added to an event, and suggestions for a misspelt name */
#include "event-test.h"
#include "base/text/gpmu_nearest.h"

static void is_edited(const char *text, const char *terms, const char *want, const char *what)
{
	char *got = event_with_terms(text, terms);

	is_str(got, want, what);
	free(got);
}

static void edit(void)
{
	is_edited("nvidia_pcie_pmu/rd_bytes_loc/", "root_port=0x3",
		  "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/",
		  "event: a term is appended to an event");
	is_edited("nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3ff/", "root_port=0x3",
		  "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/",
		  "event: a term that the event has is replaced");
	is_edited("p/root_port=0x3ff,a/u", "root_port=0x3,port=1",
		  "p/root_port=0x3,a,port=1/u",
		  "event: a replaced term keeps its position, before other terms and modifiers");
	is_edited("p/a/", "b=1,b=2,c", "p/a,b=2,c/", "event: the last of two equal terms is used");
	is_edited("p//", "a", "p/a/", "event: a term is added to empty terms");
	is_edited("p/a/", "", "p/a/", "event: an empty list of terms changes nothing");
	is_edited("p/event\\=a/:k", "b=1", "p/event=a,b=1/k",
		  "event: a backslash before = is removed");
	is_edited("p/name='x,y'/", "b=1", "p/name='x,y',b=1/", "event: quotes in terms are kept");
	errno = 0;
	ok(!event_with_terms("cycles", "a=1") && errno == EINVAL,
	   "event: an event without \"/\" is refused");
	errno = 0;
	ok(!event_with_terms("p/a/", "b,,c") && errno == EINVAL,
	   "event: a term without a name is refused");
	errno = 0;
	ok(!event_with_terms("p/a", "b") && errno == EINVAL,
	   "event: an event with one \"/\" is refused");
}

static void formats(const struct fixture *superchip)
{
	const struct gpmu_machine *machine = superchip->machine;

	ok(event_has_format(machine, "nvidia_pcie_pmu/rd_bytes_loc/", "root_port") == 1,
	   "event: PCIe PMUs have the format root_port");
	ok(event_has_format(machine, "nvidia_pcie_pmu_1//", "root_port") == 1,
	   "event: one PCIe PMU has the format root_port");
	ok(event_has_format(machine, "nvidia_scf_pmu/cycles/", "root_port") == 0,
	   "event: SCF PMUs lack the format root_port");
	ok(event_has_format(machine, "nvidia_*_pmu_0/cycles/", "root_port") == 0,
	   "event: a pattern lacks a format that one of its PMUs lacks");
	ok(event_has_format(machine, "nvidia_nvlink_c2c?_pmu_0/cycles/", "port") == 1,
	   "event: both C2C PMUs have the format port");
	ok(event_has_format(machine, "nvidia_other_pmu/cycles/", "port") == -ENODEV,
	   "event: the format of an absent PMU is -ENODEV");
	ok(event_has_format(machine, "cycles", "event") == -EINVAL,
	   "event: the format of an event without a PMU is -EINVAL");
	ok(event_has_format(machine, "p/a", "event") == -EINVAL,
	   "event: the format of an event with one \"/\" is -EINVAL");
}

static const char *near(const char *wanted, const char *a, const char *b, const char *c)
{
	struct nearest nearest;

	gpmu_nearest_init(&nearest, wanted);
	gpmu_nearest_try(&nearest, a);
	gpmu_nearest_try(&nearest, b);
	gpmu_nearest_try(&nearest, c);
	return nearest.name ? nearest.name : "none";
}

static void nearest(void)
{
	char longest[100];

	is_str(near("GraceMemBw", "GraceMemBW", "GraceC2c0BW", "Grace"), "GraceMemBW",
		 "event: a suggestion matches in any case");
	is_str(near("abcdef", "abxdef", "abcdxx", "abcde"), "abxdef",
	       "event: the first of two equally near names is suggested");
	is_str(near("abcdef", "abcxxx", "abcdexx", "abcde"), "abcde",
	       "event: the nearest of several names is suggested");
	is_str(near("abcdef", "xyz", "uvwxyz", NULL), "none",
	       "event: a name that is too different is not suggested");
	is_str(near("ab", "cd", "xb", "yb"), "none",
	       "event: a short name that differs in half its letters is not suggested");
	is_str(near("", "a", "b", ""), "", "event: the empty name has an empty suggestion");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	is_str(near(longest, longest, "a", NULL), "none",
	       "event: very long names are not compared");
}

int main(void)
{
	struct fixture fixture;

	edit();
	fixture_init(&fixture, "superchip");
	formats(&fixture);
	fixture_release(&fixture);
	nearest();
	return done_testing();
}
