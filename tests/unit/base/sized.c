// SPDX-License-Identifier: LGPL-2.1-or-later
/* Options of programs that were built with another release's header */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/sized.h"
#include "gpmu.h"
#include "tap.h"

struct options {
	size_t size;
	int a, b;
};

struct newer {
	struct options options;
	size_t c;
};

int main(void)
{
	struct newer newer = { { sizeof(newer), 1, 2 }, 0 };
	struct options got = { 0, 8, 9 }, older = { offsetof(struct options, b), 1, 2 };
	struct gpmu_error error = { .size = sizeof(error) };

	ok(!sized_options(&got, sizeof(got), NULL, &error) && got.a == 8 && got.b == 9,
	   "sized: no options leave all defaults");
	ok(!sized_options(&got, sizeof(got), &older, &error) && got.a == 1 && got.b == 9,
	   "sized: a member that a program's older options lack keeps its default");
	ok(!sized_options(&got, sizeof(got), &newer, &error) && got.b == 2 && !*error.text,
	   "sized: newer options are accepted if their further members are 0");
	newer.c = (size_t)1 << 40;
	newer.options.b = 3;
	ok(sized_options(&got, sizeof(got), &newer, &error) == -E2BIG && got.b == 2 &&
	   strstr(error.text, "needs a newer"),
	   "sized: newer options are refused if a further member is not 0");
	older.size = sizeof(older.size) - 1;
	ok(sized_options(&got, sizeof(got), &older, &error) == -EINVAL &&
	   strstr(error.text, "no size"), "sized: options without a size are refused");
	ok(sized_options(&got, sizeof(got), &older, NULL) == -EINVAL,
	   "sized: the error of refused options may be NULL");
	return done_testing();
}
