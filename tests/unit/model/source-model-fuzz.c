// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random options, and groups that are opened, enabled and read in any order.
 * tests/fuzz/source-model.c makes the checks and ends the program if one fails. The random
 * numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	4000

static const char *const tokens[] = {
	",sockets=", ",counters=", ",chip=", ",scenario=", "superchip", "gracehopper", "1", "2", "4",
	"-", "99999999999999999999", "=", ",", "", "x",
};

/* Every second round has valid options, so that groups can be opened. */
static size_t options(char *text, size_t size)
{
	size_t len = 0;

	if (random_below(2))
		return (size_t)snprintf(text, size, ",counters=%u", 1 + random_below(8));
	for (uint32_t n = random_below(6); n; n--)
		len += (size_t)snprintf(text + len, size - len, "%s",
					tokens[random_below(DAMAGE_LENGTH(tokens))]);
	return len;
}

int main(void)
{
	uint8_t data[512];

	for (int i = 0; i < ROUNDS; i++) {
		size_t len = options((char *)data, 256), more = random_below(200);

		data[len++] = '\n';
		for (; more; more--)
			data[len++] = (uint8_t)random_below(256);
		LLVMFuzzerTestOneInput(data, len);
	}
	ok(true,
	   "source model: %d times options are accepted or refused, and counts are consistent", ROUNDS);
	return done_testing();
}
