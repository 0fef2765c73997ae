/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reading of the model's line-based text formats: words, comments, numbers
 * with units, errors that name file and line.
 */
#ifndef GPMU_MODEL_TEXT_H
#define GPMU_MODEL_TEXT_H

#include <stddef.h>
#include <stdint.h>

#define TEXT_MAX_FILE	(64 * 1024)
#define TEXT_MAX_LINE	255	/* characters */
#define TEXT_MAX_WORDS	24

/* An error with its position, one line without a line end; empty if there is none */
struct text_error {
	char message[384];
};

struct text {
	const char *path;	/* for messages */
	const char *pos, *end;
	unsigned int line;	/* of the words last read, from 1 */
	char buf[TEXT_MAX_LINE + 1];
	char *words[TEXT_MAX_WORDS];
	struct text_error *err;
};

/* @path, @data and @err must outlive @text. */
void text_init(struct text *text, const char *path, const char *data,
	       size_t len, struct text_error *err);

/*
 * Reads the next line that has a word; "#" begins a comment. Returns the
 * number of its words (in text->words, valid until the next call), 0 at the
 * end, or -EINVAL with the error set.
 */
int text_next(struct text *text);

/* Sets the error to "path:line: message"; returns -EINVAL. */
__attribute__((format(printf, 2, 3)))
int text_fail(struct text *text, const char *fmt, ...);

/* Like text_fail() where only a path and a line number are at hand. */
__attribute__((format(printf, 4, 5)))
int text_fail_at(struct text_error *err, const char *path, unsigned int line,
		 const char *fmt, ...);

struct text_unit {
	const char *suffix;
	uint64_t factor;
};

/*
 * Parses "12", "1.5GB", ... with a suffix out of @units (ends with a NULL
 * suffix). The result must be whole and not above @max.
 * Returns 0, -EINVAL (not such a number) or -ERANGE (above @max).
 */
int text_scaled(const char *word, const struct text_unit *units, uint64_t max,
		uint64_t *value);

/* Parses an unsigned number of base 10 or 16 (then "0x" may precede it). */
int text_number(const char *word, int base, uint64_t max, uint64_t *value);

/*
 * Reads a whole file of at most TEXT_MAX_FILE bytes into a new buffer that the
 * caller frees. Returns NULL with errno and the error set if it cannot.
 */
char *text_read_file(const char *path, size_t *len, struct text_error *err);

#endif /* GPMU_MODEL_TEXT_H */
