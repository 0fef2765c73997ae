// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "record/record_attach.h"

/* Returns whether the driver is mapped. The maps of a process of another user can be unreadable. */
static bool has_cuda(pid_t task)
{
	char *path = print_text("/proc/%d/maps", (int)task), *line = NULL;
	FILE *maps = fopen(path, "re");
	bool is_found = false;
	size_t size = 0;

	free(path);
	while (maps && !is_found && getline(&line, &size, maps) > 0)
		is_found = strstr(line, "/libcuda.so.") != NULL;
	free(line);
	if (maps)
		fclose(maps);
	return is_found;
}

void record_attach_warn(const char *option, pid_t task)
{
	if (has_cuda(task))
		warn("%s %d: its CUDA activity is not recorded, because CUPTI must be loaded when a program initialises CUDA: "
		     "start the program by gpmu record -- COMMAND, with --delay or --capture-range to record a part",
		     option, (int)task);
}
