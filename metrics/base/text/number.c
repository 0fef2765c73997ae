// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A double is m * 2^e, and in the range of most numbers here m times a power of 10
 * fits in 128 bits: its digits, and which of two is nearer, are then exact without
 * printf(). All other values use printf().
 *
 * snprintf() in the C locale, which spares uselocale(), costs five times as much a row of CSV
 * and three times as much a row of the summary (tests/bench/sink, x86-64):
 *
 * ns per row                                     summary   CSV   JSON
 * this file                                          149    87    242
 * snprintf(), "%.*f" and "%.17g"                     494   430    878
 * snprintf(), fewest digits by strtod()              503  1218   1738
 *
 * "%.17g" prints 0.1 as 0.10000000000000001.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/number.h"

typedef unsigned __int128 u128;

#define DIGITS	17	/* enough for any double */

static const uint64_t tens[] = {
	1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000,
	10000000000, 100000000000, 1000000000000, 10000000000000, 100000000000000,
	1000000000000000, 10000000000000000, 100000000000000000, 1000000000000000000,
};

static u128 power_of_10(unsigned int n)
{
	return n < 19 ? tens[n] : (u128)tens[18] * tens[n - 18];
}

static unsigned int count_digits(uint64_t value)
{
	unsigned int n = 1;

	while (n < 19 && value >= tens[n])
		n++;
	return n + (n == 19 && value / 10 >= tens[18]);
}

/* Writes exactly this many digits, with leading zeros, two at a time */
static void put_digits(char *text, uint64_t value, unsigned int digits)
{
	static const char pairs[] =
		"0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
		"4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
		"828384858687888990919293949596979899";

	for (; digits > 1; digits -= 2) {
		memcpy(text + digits - 2, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (digits)
		*text = (char)('0' + value % 10);
}

size_t number_u64(char *text, uint64_t value)
{
	unsigned int digits = count_digits(value);

	put_digits(text, value, digits);
	return digits;
}

size_t number_int(char *text, int value)
{
	if (value >= 0)
		return number_u64(text, (uint64_t)value);
	*text = '-';
	return 1 + number_u64(text + 1, (uint64_t)-(int64_t)value);
}

size_t number_seconds(char *text, uint64_t ns)
{
	size_t length = number_u64(text, ns / 1000000000);

	text[length++] = '.';
	put_digits(text + length, ns % 1000000000, 9);
	return length + 9;
}

static size_t group(char *text, size_t length)
{
	size_t commas = (length - 1) / 3;
	char *to = text + length + commas, *from = text + length;

	for (size_t i = 0; i < length; i++) {
		if (i && i % 3 == 0)
			*--to = ',';
		*--to = *--from;
	}
	return length + commas;
}

/* Splits a positive double into m of 53 bits and e */
static uint64_t split(double value, int *exponent)
{
	uint64_t bits, biased;

	memcpy(&bits, &value, sizeof(bits));
	biased = bits >> 52;
	*exponent = (int)(biased ? biased : 1) - 1075;
	return (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)(biased != 0) << 52;
}

/* Rounds @value * 10^decimals / 2^shift to the nearest integer, a tie to the even one */
static uint64_t round_rest(uint64_t value, unsigned int shift, unsigned int decimals, bool is_odd)
{
	u128 scaled = (u128)value * tens[decimals], half = (u128)1 << (shift - 1);
	u128 rest = scaled & ((half << 1) - 1);
	uint64_t whole = (uint64_t)(scaled >> shift);

	/* Without decimals the previous digit is that of the integer part. */
	if (decimals)
		is_odd = whole & 1;
	return whole + (rest > half || (rest == half && is_odd));
}

size_t number_fixed(char *text, double value, unsigned int decimals, bool is_grouped)
{
	uint64_t m, whole, rest = 0;
	size_t length = 0, sign = 0;
	int exponent;

	if (signbit(value))
		text[sign++] = '-';
	m = split(fabs(value), &exponent);
	if (exponent > 10) {
		/* An integer has no decimal point that a locale could change. */
		length = (size_t)snprintf(text + sign, NUMBER_SIZE - sign, "%.0f", fabs(value));
	} else if (exponent >= 0) {
		length = number_u64(text + sign, m << exponent);
	} else if (exponent > -127) {
		unsigned int shift = (unsigned int)-exponent;

		whole = shift < 64 ? m >> shift : 0;
		rest = round_rest(shift < 64 ? m - (whole << shift) : m, shift, decimals,
				  whole & 1);
		whole += rest / tens[decimals];
		rest %= tens[decimals];
		length = number_u64(text + sign, whole);
	} else {
		text[sign] = '0';
		length = 1;
	}
	if (is_grouped)
		length = group(text + sign, length);
	length += sign;
	if (!decimals)
		return length;
	text[length++] = '.';
	put_digits(text + length, rest, decimals);
	return length + decimals;
}

/* Writes digits with @decimals of them after the point: "12.5" or "0.00125" */
static size_t put_decimal(char *text, uint64_t digits, unsigned int decimals)
{
	size_t length;

	while (decimals && digits % 10 == 0) {
		digits /= 10;
		decimals--;
	}
	if (!decimals)
		return number_u64(text, digits);
	if (decimals < 19) {
		length = number_u64(text, digits / tens[decimals]);
		digits %= tens[decimals];
	} else {
		text[0] = '0';
		length = 1;
	}
	text[length++] = '.';
	put_digits(text + length, digits, decimals);
	return length + decimals;
}

/* 10^(i - 5) */
static const double powers[] = {
	1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
	1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
};

/* @value: at least 1e-5, and not an integer */
static size_t shortest_decimal(char *text, double value)
{
	uint64_t digits = 0, m;
	unsigned int decimals = 0, shift;
	int exponent, power = -5;

	while (power < 16 && value >= powers[power + 6])
		power++;
	m = split(value, &exponent);
	/* -exponent is 1 to 69; the mask lets the compiler assume less than 128 */
	shift = (unsigned int)-exponent & 127;
	for (int n = 15; n <= DIGITS; n++) {
		u128 exact, ten, near, off;

		if (n - 1 - power < 0)
			continue;
		decimals = (unsigned int)(n - 1 - power);
		ten = power_of_10(decimals);
		exact = m * ten;
		digits = (uint64_t)((exact + ((u128)1 << (shift - 1))) >> shift);
		near = (u128)digits << shift;
		off = near > exact ? near - exact : exact - near;
		/*
		 * Stop when the error is less than half of the distance to the next double. Below
		 * a power of 2 that distance is halved, but powers of 2 that are no integers have
		 * at most 12 digits here.
		 */
		if (off * 2 < ten)
			break;
	}
	return put_decimal(text, digits, decimals);
}

/* printf()'s text with a point in place of the locale's decimal separator */
static size_t shortest_printf(char *text, double value)
{
	char digits[64], *end;
	size_t length = 1, n = 0;

	for (int precision = 14; precision < DIGITS; precision++) {
		snprintf(digits, sizeof(digits), "%.*e", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	end = strchr(digits, 'e');
	text[0] = digits[0];
	for (char *p = digits + 1; p < end; p++) {
		if (*p < '0' || *p > '9')
			continue;
		if (!n++)
			text[length++] = '.';
		text[length++] = *p;
	}
	while (n && text[length - 1] == '0') {
		length--;
		n--;
	}
	if (text[length - 1] == '.')
		length--;
	n = strlen(end);
	memcpy(text + length, end, n);
	return length + n;
}

size_t number_shortest(char *text, double value)
{
	size_t sign = 0;

	if (signbit(value)) {
		text[sign++] = '-';
		value = -value;
	}
	if (value < 9e18 && value == (double)(uint64_t)value)
		return sign + number_u64(text + sign, (uint64_t)value);
	if (value >= 1e-5 && value < 1e17)
		return sign + shortest_decimal(text + sign, value);
	return sign + shortest_printf(text + sign, value);
}
