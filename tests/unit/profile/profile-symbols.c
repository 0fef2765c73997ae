// SPDX-License-Identifier: LGPL-2.1-or-later
/* Symbols are found by address, with the addresses around it that have the same one. */
#include "tap.h"
#include "profile/profile_symbols.h"

/* The end of "open" is not known; "inner" lies in "outer", whose name ends where it begins. */
static const struct profile_symbol some[] = {
	{ 60, 90, "outer" }, { 10, 20, "first" }, { 70, 75, "inner" }, { 30, 30, "open" },
};

static const struct {
	uint64_t begin, end;
	const char *name;
} want[] = {
	{ 0, 10, NULL }, { 10, 20, "first" }, { 20, 30, NULL }, { 30, 60, "open" }, { 60, 70, "outer" },
	{ 70, 75, "inner" }, { 75, UINT64_MAX, NULL },
};

static void test_find(const struct profile_symbols *symbols)
{
	uint64_t wrong = 0, other = 0;

	for (uint64_t i = 0, address = 0; address < 200; address++) {
		struct profile_range range = PROFILE_RANGE_ALL;
		const struct profile_symbol *symbol = profile_symbols_find(symbols, address, &range);

		i += address >= want[i].end;
		wrong += want[i].name ? !symbol || strcmp(symbol->name, want[i].name) != 0 : symbol != NULL;
		other += range.begin != want[i].begin || range.end != want[i].end;
	}
	is_u64(wrong, 0, "profile: a symbol is found at its addresses and at no others");
	is_u64(other, 0, "profile: the range of addresses with the same symbol ends at the next begin or end of a symbol");
}

static void test_limit(void)
{
	const struct profile_range file = { 0x400, 0x500 }, all = PROFILE_RANGE_ALL;
	struct profile_range range = { 0x10000, 0x20000 };

	profile_range_limit_to(&range, 0x12480, &all, 0x480);
	ok(range.begin == 0x12000 && range.end == 0x20000, "profile: a range of all of a file does not exceed that of the map");
	profile_range_limit_to(&range, 0x12480, &file, 0x480);
	ok(range.begin == 0x12400 && range.end == 0x12500, "profile: a range of a file is translated to the addresses of the map");
}

int main(void)
{
	struct profile_symbols symbols = { 0 };
	struct profile_range range = PROFILE_RANGE_ALL;

	ok(!profile_symbols_find(&symbols, 5, &range) && range.begin == 0 && range.end == UINT64_MAX,
	   "profile: without symbols there is none at any address");
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		*(struct profile_symbol *)vector_add(&symbols.list, sizeof(some[0])) = some[i];
	profile_symbols_sort(&symbols);
	test_find(&symbols);
	test_limit();
	profile_symbols_release(&symbols);
	return done_testing();
}
