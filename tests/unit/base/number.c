// SPDX-License-Identifier: LGPL-2.1-or-later
/* Numbers as text: as printf() prints them, with the fewest digits */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/number.h"
#include "tap.h"

static char text[NUMBER_SIZE + 1];

static const char *fixed(double value, unsigned int decimals, bool is_grouped)
{
	text[number_fixed(text, value, decimals, is_grouped)] = '\0';
	return text;
}

static const char *shortest(double value)
{
	text[number_shortest(text, value)] = '\0';
	return text;
}

/* The numbers are the same in each run. */
static uint64_t next_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

/* 53 random bits, from 2^-low to 2^high; every fourth number has few digits. */
static double random_double(int low, int high)
{
	double value = (double)(next_random() >> 11) + 1;

	if (next_random() % 4 == 0)
		return (double)(next_random() % 100000) / pow(10, (double)(next_random() % 9));
	value = ldexp(value, -52 - low + (int)(next_random() % (uint64_t)(low + high)));
	return next_random() % 2 ? value : -value;
}

static void integers(void)
{
	text[number_u64(text, 0)] = '\0';
	is_str(text, "0", "number: number_u64() prints 0");
	text[number_u64(text, UINT64_MAX)] = '\0';
	is_str(text, "18446744073709551615", "number: number_u64() prints all 64 bits");
	text[number_int(text, -1)] = '\0';
	is_str(text, "-1", "number: number_int() prints a negative number");
	text[number_int(text, INT_MIN)] = '\0';
	is_str(text, "-2147483648", "number: number_int() prints INT_MIN");
	text[number_seconds(text, 1000000005)] = '\0';
	is_str(text, "1.000000005", "number: number_seconds() prints all nanoseconds");
	text[number_seconds(text, UINT64_MAX)] = '\0';
	is_str(text, "18446744073.709551615", "number: number_seconds() prints the largest time");
}

static void decimals(void)
{
	static const struct {
		double value;
		unsigned int decimals;
		bool is_grouped;
		const char *want;
	} table[] = {
		{ 0, 0, true, "0" },
		{ 0, 2, false, "0.00" },
		{ 999, 0, true, "999" },
		{ 1000, 0, true, "1,000" },
		{ 1234567.891, 2, true, "1,234,567.89" },
		{ -123456, 1, true, "-123,456.0" },
		{ 80.125, 2, false, "80.12" },
		{ 80.375, 2, false, "80.38" },
		{ 0.5, 0, false, "0" },
		{ 1.5, 0, false, "2" },
		{ 2.5, 0, false, "2" },
		{ 0.999, 2, false, "1.00" },
		{ 9.9999999999, 9, false, "10.000000000" },
		{ 1e-30, 9, false, "0.000000000" },
		{ 1e22, 2, true, "10,000,000,000,000,000,000,000.00" },
		{ 18446744073709551615.0, 0, true, "18,446,744,073,709,551,616" },
		{ 0.002360559, 9, false, "0.002360559" },
		{ -0.001, 2, false, "-0.00" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		ok(!strcmp(fixed(table[i].value, table[i].decimals, table[i].is_grouped), table[i].want),
		   "number: %.17g with %u decimals%s is %s", table[i].value, table[i].decimals,
		   table[i].is_grouped ? " and commas" : "", table[i].want) || (diag("got %s", text), 0);
	fixed(DBL_MAX, 9, true);
	ok(strlen(text) < NUMBER_SIZE && !strncmp(text, "179,769,313,", 12),
	   "number: the largest number fits into the buffer");
}

static void as_printf(void)
{
	char want[NUMBER_SIZE];
	int wrong = 0;

	for (int i = 0; i < 200000; i++) {
		double value = random_double(140, 120);
		unsigned int n = (unsigned int)(next_random() % 10);

		snprintf(want, sizeof(want), "%.*f", (int)n, value);
		if (strcmp(fixed(value, n, false), want) && wrong++ < 5)
			diag("got %s, want %s", text, want);
	}
	ok(!wrong, "number: 200000 numbers are rounded as by printf()");
	wrong = 0;
	/* Ties */
	for (int i = 0; i < 20000; i++) {
		double value = (double)(next_random() % 100000) / 64;

		for (int n = 0; n < 6; n++) {
			snprintf(want, sizeof(want), "%.*f", n, value);
			wrong += strcmp(fixed(value, (unsigned int)n, false), want) != 0;
		}
	}
	ok(!wrong, "number: numbers half-way between two are rounded as by printf()");
}

static void exact(void)
{
	is_str(shortest(0), "0", "number: number_shortest() prints 0");
	is_str(shortest(60), "60", "number: number_shortest() prints an integer");
	is_str(shortest(9007199254740991), "9007199254740991",
	       "number: number_shortest() prints an integer of 53 bits");
	is_str(shortest(0.1), "0.1", "number: number_shortest() prints 0.1");
	is_str(shortest(-12.5), "-12.5", "number: number_shortest() prints a negative number");
	is_str(shortest(0.1 + 0.2), "0.30000000000000004",
	       "number: number_shortest() prints 17 digits where they are needed");
	is_str(shortest(2.0 / 3), "0.6666666666666666",
	       "number: number_shortest() prints 16 digits where they suffice");
	is_str(shortest(80.12), "80.12",
	       "number: number_shortest() prints few digits where they suffice");
	is_str(shortest(0.00123), "0.00123", "number: number_shortest() prints a small number");
	is_str(shortest(1e-7), "1e-07",
	       "number: number_shortest() prints a smaller number with an exponent");
	is_str(shortest(1.5e300), "1.5e+300",
	       "number: number_shortest() prints a large number with an exponent");
	is_str(shortest(DBL_MAX), "1.7976931348623157e+308",
	       "number: number_shortest() prints the largest number");
	is_str(shortest(5e-324), "4.94065645841247e-324",
	       "number: number_shortest() prints the smallest number");
	is_str(shortest(2251799813685249.5), "2251799813685249.5",
	       "number: number_shortest() prints the largest number with a fraction");
}

/* Digits that printf() needs so that the same value is read back */
static int digits_needed(double value)
{
	char buffer[64];
	int n = 15;

	for (; n < 17; n++) {
		snprintf(buffer, sizeof(buffer), "%.*g", n, value);
		if (strtod(buffer, NULL) == value)
			break;
	}
	return n;
}

static int digits_used(const char *number)
{
	int n = 0;

	for (; *number && *number != 'e'; number++)
		if (*number >= '0' && *number <= '9' && (n || *number != '0'))
			n++;
	return n;
}

static void round_trip(void)
{
	int wrong = 0, longer = 0;

	for (int i = 0; i < 200000; i++) {
		double value = i % 10 ? random_double(20, 55) : random_double(900, 900);

		if (i % 7 == 0)
			value = ldexp(1, (int)(next_random() % 75) - 20) *
				(i % 2 ? 1 : 1 - DBL_EPSILON / 2);
		shortest(value);
		if (strtod(text, NULL) != value && wrong++ < 5)
			diag("%s is not %.17g", text, value);
		/* An integer has all its digits. */
		if (digits_used(text) > digits_needed(value) && value != floor(value) &&
		    longer++ < 5)
			diag("%s is longer than it has to be", text);
	}
	ok(!wrong, "number: 200000 numbers are read back unchanged");
	ok(!longer, "number: 200000 numbers have no more digits than needed");
}

int main(void)
{
	integers();
	decimals();
	as_printf();
	exact();
	round_trip();
	return done_testing();
}
