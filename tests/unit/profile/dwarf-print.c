// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * dwarf-print FILE: prints the functions of an ELF file by address, "ADDRESS FUNCTION;INLINED;...", with the outermost first. An
 * address is printed if its functions are not those of the address before.
 */
#include <inttypes.h>
#include <stdio.h>

#include "profile/profile_object.h"

static void print_inlined(const struct profile_inlined *inlined)
{
	if (!inlined)
		return;
	print_inlined(inlined->caller);
	printf(";%s", inlined->name);
}

int main(int argc, char **argv)
{
	Dwfl *dwfl = profile_object_begin(NULL);
	struct profile_object *object = argc == 2 && dwfl ? profile_object_new(dwfl, argv[1], NULL, 0) : NULL;
	struct profile_range all = { 0, 0 }, range;

	if (!object || !profile_object_elf(object, &all))
		return 1;
	for (uint64_t address = all.begin; address < all.end; address = range.end) {
		const struct profile_function *function;
		struct profile_inlined *inlined;

		range = PROFILE_RANGE_ALL;
		function = profile_object_function(object, address, &range);
		if (profile_object_inlined(object, address, &range, &inlined))
			return 1;
		if (!function)
			continue;
		printf("%" PRIx64 " %s", address, function->name);
		print_inlined(inlined);
		putchar('\n');
	}
	profile_object_free(object);
	dwfl_end(dwfl);
	return 0;
}
