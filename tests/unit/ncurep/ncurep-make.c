// SPDX-License-Identifier: LGPL-2.1-or-later
/* ncurep-make: writes a report of Nsight Compute from the text on standard input. ncurep-write.h describes the text. */
#include "ncurep-write.h"

int main(void)
{
	static char text[WIRE_MAX];
	size_t length;
	uint8_t *data;
	int status;

	text[fread(text, 1, sizeof(text) - 1, stdin)] = '\0';
	data = ncurep_write(text, &length);
	status = fwrite(data, 1, length, stdout) != length || fflush(stdout);
	free(data);
	return status;
}
