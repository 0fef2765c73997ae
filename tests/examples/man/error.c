// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows the position of a mistake in a list of events. */
#include <stdio.h>

#include <gpmu.h>

int main(void)
{
	const char *list = "page-faults,task-clocks:u";
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *g = gpmu_open(list, NULL, &error);

	if (!g)
		printf("%s\n%*s^ %s\n", list, (int)error.offset, "",
		       error.text);
	gpmu_close(g);
	return g ? 1 : 0;
}
