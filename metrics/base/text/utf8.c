// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/text/utf8.h"

size_t utf8_length(const char *text)
{
	const unsigned char *bytes = (const unsigned char *)text;
	size_t n = bytes[0] < 0x80 ? 1 :
		   bytes[0] < 0xc2 ? 0 :
		   bytes[0] < 0xe0 ? 2 :
		   bytes[0] < 0xf0 ? 3 :
		   bytes[0] < 0xf5 ? 4 :
				     0;

	for (size_t i = 1; i < n; i++)
		if ((bytes[i] & 0xc0) != 0x80)
			return 0;
	/* An overlong encoding, a surrogate, or a number above U+10FFFF */
	if ((bytes[0] == 0xe0 && bytes[1] < 0xa0) || (bytes[0] == 0xed && bytes[1] > 0x9f) ||
	    (bytes[0] == 0xf0 && bytes[1] < 0x90) || (bytes[0] == 0xf4 && bytes[1] > 0x8f))
		return 0;
	return n;
}
