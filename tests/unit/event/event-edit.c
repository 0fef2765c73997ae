// SPDX-License-Identifier: LGPL-2.1-or-later
/* Filters that are added to an event, and the names that a misspelt one is likely to be. */
#include "event-test.h"
#include "base/nearest.h"

static void is_edited(const char *text, const char *terms, const char *want, const char *what)
{
	char *got = event_with_terms(text, terms);

	is_str(got, want, what);
	free(got);
}

static void edit(void)
{
	is_edited("nvidia_pcie_pmu/rd_bytes_loc/", "root_port=0x3",
		  "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/", "a term more");
	is_edited("nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3ff/", "root_port=0x3",
		  "nvidia_pcie_pmu/rd_bytes_loc,root_port=0x3/", "one that is there is set");
	is_edited("p/root_port=0x3ff,a/u", "root_port=0x3,port=1",
		  "p/root_port=0x3,a,port=1/u", "in its place, before others and modifiers");
	is_edited("p/a/", "b=1,b=2,c", "p/a,b=2,c/", "the last of two counts");
	is_edited("p//", "a", "p/a/", "where there was none");
	is_edited("p/a/", "", "p/a/", "no term");
	is_edited("p/event\\=a/:k", "b=1", "p/event=a,b=1/k", "backslashes are gone");
	is_edited("p/name='x,y'/", "b=1", "p/name='x,y',b=1/", "quotes are kept");
	errno = 0;
	ok(!event_with_terms("cycles", "a=1") && errno == EINVAL,
	   "an event without \"/\" has no terms");
	errno = 0;
	ok(!event_with_terms("p/a/", "b,,c") && errno == EINVAL, "terms have names");
	errno = 0;
	ok(!event_with_terms("p/a", "b") && errno == EINVAL, "both \"/\" are needed");
}

static void formats(const struct fixture *superchip)
{
	const struct gpmu_machine *machine = superchip->machine;

	ok(event_has_format(machine, "nvidia_pcie_pmu/rd_bytes_loc/", "root_port") == 1,
	   "PCIe PMUs have root_port");
	ok(event_has_format(machine, "nvidia_pcie_pmu_1//", "root_port") == 1, "one of them has");
	ok(event_has_format(machine, "nvidia_scf_pmu/cycles/", "root_port") == 0, "SCF has none");
	ok(event_has_format(machine, "nvidia_*_pmu_0/cycles/", "root_port") == 0, "not all have");
	ok(event_has_format(machine, "nvidia_nvlink_c2c?_pmu_0/cycles/", "port") == 1,
	   "both C2C have port");
	ok(event_has_format(machine, "nvidia_other_pmu/cycles/", "port") == -ENODEV,
	   "there is no such PMU");
	ok(event_has_format(machine, "cycles", "event") == -EINVAL, "no PMU is named");
	ok(event_has_format(machine, "p/a", "event") == -EINVAL, "no PMU/terms/");
}

static const char *near(const char *wanted, const char *a, const char *b, const char *c)
{
	struct nearest nearest;

	nearest_init(&nearest, wanted);
	nearest_try(&nearest, a);
	nearest_try(&nearest, b);
	nearest_try(&nearest, c);
	return nearest.name ? nearest.name : "none";
}

static void nearest(void)
{
	char longest[100];

	is_str(near("GraceMemBw", "GraceMemBW", "GraceC2c0BW", "Grace"), "GraceMemBW",
		 "case is no matter");
	is_str(near("abcdef", "abxdef", "abcdxx", "abcde"), "abxdef", "of two as near the first");
	is_str(near("abcdef", "abcxxx", "abcdexx", "abcde"), "abcde", "the nearest");
	is_str(near("abcdef", "xyz", "uvwxyz", NULL), "none", "one that is far is not named");
	is_str(near("ab", "cd", "xb", "yb"), "none", "half of a short name is too much");
	is_str(near("", "a", "b", ""), "", "of nothing");
	memset(longest, 'a', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	is_str(near(longest, longest, "a", NULL), "none", "very long names are not compared");
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
