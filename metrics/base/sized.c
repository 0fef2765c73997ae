// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>

#include "base/error.h"
#include "base/sized.h"

int sized_options(void *to, size_t size, const void *from, struct gpmu_error *error)
{
	const unsigned char *bytes = from;
	size_t given;

	if (!from)
		return 0;
	memcpy(&given, from, sizeof(given));
	if (given < sizeof(given)) {
		error_set(error, 0, "the options have no size");
		return -EINVAL;
	}
	for (size_t i = size; i < given; i++) {
		if (!bytes[i])
			continue;
		error_set(error, 0, "the program sets an option that this libgpmu lacks: it needs a newer one");
		return -E2BIG;
	}
	sized_copy(to, size, from);
	return 0;
}
