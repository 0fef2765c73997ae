/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tokens of protobuf's text format, one at a time. Comments begin with "#". */
#ifndef GPMU_SECTION_SCAN_H
#define GPMU_SECTION_SCAN_H

#include <stdbool.h>
#include <stddef.h>

enum section_token {
	SECTION_END,
	SECTION_BAD,		/* a byte that begins no token, or a string without an end */
	SECTION_SIGN,		/* { } < > [ ] : ; , - */
	SECTION_NAME,
	SECTION_NUMBER,		/* without its "-" */
	SECTION_STRING,		/* with its quotes */
};

struct section_scanner {
	const char *end;
	/* the current token */
	enum section_token token;
	const char *text;
	size_t length;
	unsigned int line;
};

/* Moves to the first token of a text, which the caller keeps. */
void section_scan_init(struct section_scanner *scanner, const char *text, size_t size);
/* Moves to the next token; after the last one the token stays SECTION_END. */
void section_scan_next(struct section_scanner *scanner);
bool section_scan_is_sign(const struct section_scanner *scanner, char sign);
/*
 * Writes the bytes of a SECTION_STRING, without quotes and escapes, and returns their number; @to has room for the
 * length of the token. Returns -EINVAL for an escape that does not exist, or one that means NUL.
 */
int section_scan_string(const struct section_scanner *scanner, char *to);

#endif /* GPMU_SECTION_SCAN_H */
