// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random options, and groups that are opened, enabled, read in any order: what
 * tests/fuzz/source-model.c checks holds. It ends the program where it does not. The
 * random numbers are the same in each run.
 */
#include "damage.h"

#define ROUNDS	4000

static const char *const tokens[] = {
	",sockets=", ",counters=", ",chip=", ",scenario=", "superchip", "gracehopper", "1", "2", "4",
	"-", "99999999999999999999", "=", ",", "", "x",
};

/* Good options in every second round, so that there is something to do */
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
	ok(true, "%d times: options are taken or refused, counts hold", ROUNDS);
	return done_testing();
}
