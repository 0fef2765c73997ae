// SPDX-License-Identifier: LGPL-2.1-or-later
/* jitdump-make FILE FLAGS: makes the dump of a just-in-time compiler, with these flags in its header. */
#include <stdio.h>

#include "jitdump-test.h"

int main(int argc, char **argv)
{
	static struct made made;
	FILE *file = argc == 3 ? fopen(argv[1], "w") : NULL;

	if (!file)
		return 1;
	put_jit_all(&made, strtoull(argv[2], NULL, 10));
	fwrite(made.data, 1, made.length, file);
	return fclose(file) != 0;
}
