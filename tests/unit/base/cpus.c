// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lists of CPUs: parsing, contents, printing */
#include <errno.h>
#include <time.h>

#include "base/cpus.h"
#include "tap.h"

static const struct {
	const char *text;
	size_t len;
	const char *printed;
} lists[] = {
	{ "", 0, "" },
	{ "0", 1, "0" },
	{ "007", 1, "7" },
	{ "0-3,8", 5, "0-3,8" },
	{ "0,1,2,3", 4, "0-3" },
	{ "5-5", 1, "5" },
	{ "8,0-3", 5, "0-3,8" },
	{ "0-5,3-8,4", 9, "0-8" },
	{ "63,64", 2, "63-64" },
	{ "0-63", 64, "0-63" },
	{ "64-127", 64, "64-127" },
	{ "1-62,65-126", 124, "1-62,65-126" },
	{ "60-200", 141, "60-200" },
	{ "65535", 1, "65535" },
	{ "0-65535", 65536, "0-65535" },
};

static const struct {
	const char *text;
	int error;
} refused[] = {
	{ ",", EINVAL }, { "0,", EINVAL }, { ",0", EINVAL }, { "0,,1", EINVAL },
	{ "-", EINVAL }, { "-1", EINVAL }, { "1-", EINVAL }, { "1-2-3", EINVAL },
	{ "3-1", EINVAL }, { " 0", EINVAL }, { "0 ", EINVAL }, { "0\n", EINVAL },
	{ "0x1", EINVAL }, { "0-7:2/4", EINVAL }, { "+1", EINVAL }, { "\xff", EINVAL },
	{ "65536", ERANGE }, { "0-65536", ERANGE }, { "4294967296", ERANGE },
	{ "18446744073709551617", ERANGE }, { "0-99999999999999999999", ERANGE },
};

static void parsing(void)
{
	struct cpus cpus;
	char printed[64];
	size_t i, len;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		int ret = cpus_parse(&cpus, lists[i].text);

		len = ret ? 0 : cpus_format(&cpus, printed, sizeof(printed));
		ok(!ret && cpus.len == lists[i].len && len == strlen(lists[i].printed) &&
		   !strcmp(printed, lists[i].printed), "cpus: \"%s\" has %zu CPUs: \"%s\"",
		   lists[i].text, lists[i].len, lists[i].printed);
		cpus_release(&cpus);
	}
	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		ok(cpus_parse(&cpus, refused[i].text) == -refused[i].error && !cpus.len && !cpus.ids,
		   "cpus: \"%.*s\" is refused: %s", (int)strcspn(refused[i].text, "\n\xff"),
		   refused[i].text, strerror(refused[i].error));
}

static void printing(void)
{
	struct cpus cpus = { 0 };
	char text[16];
	size_t size;
	bool is_good = true;

	ok(!cpus_parse(&cpus, "1-3,10,12-14") && cpus_format(&cpus, NULL, 0) == 12,
	   "cpus: cpus_format() returns the length without a buffer");
	for (size = 1; size < sizeof(text); size++) {
		memset(text, '#', sizeof(text));
		is_good = is_good && cpus_format(&cpus, text, size) == 12 &&
			  strlen(text) == (size < 13 ? size - 1 : 12) &&
			  !strncmp(text, "1-3,10,12-14", size - 1) && text[size] == '#';
		if (size == sizeof(text) - 2)
			break;
	}
	ok(is_good, "cpus: a small buffer gets the beginning, and nothing is written past it");
	cpus_release(&cpus);
}

static void sets(void)
{
	struct cpus few = { 0 }, many = { 0 }, none = { 0 }, copy = { 0 };

	if (!ok(!cpus_parse(&few, "2,4,6") && !cpus_parse(&many, "2-6,9"),
		"cpus: two lists are parsed"))
		return;
	ok(cpus_first(&few) == 2 && cpus_first(&none) == -1,
	   "cpus: cpus_first() returns the lowest CPU, or -1 for an empty list");
	ok(cpus_contain(&few, 2) && cpus_contain(&few, 4) && cpus_contain(&few, 6),
	   "cpus: a list contains its first, middle and last CPU");
	ok(!cpus_contain(&few, 1) && !cpus_contain(&few, 3) && !cpus_contain(&few, 7) &&
	   !cpus_contain(&few, -1) && !cpus_contain(&none, 0),
	   "cpus: a list contains no other CPU");
	ok(cpus_are_within(&few, &many) && !cpus_are_within(&many, &few),
	   "cpus: the list 2,4,6 is within 2-6,9");
	ok(cpus_are_within(&none, &few) && cpus_are_within(&none, &none) && !cpus_are_within(&few, &none),
	   "cpus: an empty list is within all, and only an empty list within it");
	ok(!cpus_copy(&copy, &many) && copy.len == many.len && copy.ids != many.ids &&
	   cpus_are_within(&copy, &many), "cpus: a copy equals its original and has its own memory");
	cpus_keep(&copy, &few);
	ok(copy.len == 3 && cpus_are_within(&copy, &few) && cpus_are_within(&few, &copy),
	   "cpus: cpus_keep() leaves the common CPUs");
	cpus_keep(&copy, &none);
	ok(!copy.len, "cpus: cpus_keep() of an empty list leaves none");
	cpus_release(&copy);
	ok(!cpus_copy(&copy, &none) && !copy.len && !copy.ids,
	   "cpus: a copy of an empty list is empty");
	cpus_release(&few);
	ok(!few.len && !few.ids, "cpus: a released list is empty");
	cpus_release(&few);
	cpus_release(&many);
}

/*
 * 64 KiB of the widest range, which takes half a thousand million steps if CPUs are added one by
 * one
 */
static void overlaps(void)
{
	static char text[65536];
	struct timespec begin, end;
	struct cpus cpus;
	size_t len = 0;
	double seconds;
	int ret;

	while (len + 9 < sizeof(text))
		len += (size_t)sprintf(text + len, "%s0-65535", len ? "," : "");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	ret = cpus_parse(&cpus, text);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
	ok(!ret && cpus.len == CPUS_MAX && seconds < 0.2,
	   "cpus: 8000 overlapping ranges are parsed in less than 0.2 s");
	diag("%.1f ms", seconds * 1e3);
	cpus_release(&cpus);
}

int main(void)
{
	parsing();
	printing();
	sets();
	overlaps();
	return done_testing();
}
