// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "text.h"

void text_init(struct text *text, const char *path, const char *data,
	       size_t len, struct text_error *err)
{
	*text = (struct text){
		.path = path,
		.pos = data,
		.end = data + len,
		.err = err,
	};
	err->message[0] = '\0';
}

__attribute__((format(printf, 4, 0)))
static int text_vfail_at(struct text_error *err, const char *path,
			 unsigned int line, const char *fmt, va_list ap)
{
	size_t size = sizeof(err->message);
	int len = snprintf(err->message, size, "%s:%u: ", path, line);

	if (len > 0 && (size_t)len < size)
		vsnprintf(err->message + len, size - len, fmt, ap);
	return -EINVAL;
}

int text_fail_at(struct text_error *err, const char *path, unsigned int line,
		 const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = text_vfail_at(err, path, line, fmt, ap);
	va_end(ap);
	return ret;
}

int text_fail(struct text *text, const char *fmt, ...)
{
	va_list ap;
	int ret;

	va_start(ap, fmt);
	ret = text_vfail_at(text->err, text->path, text->line, fmt, ap);
	va_end(ap);
	return ret;
}

/* Splits text->buf in place. */
static int text_split(struct text *text)
{
	char *save, *word = strtok_r(text->buf, " \t", &save);
	int n = 0;

	while (word) {
		if (n == TEXT_MAX_WORDS)
			return text_fail(text, "expected at most %d words",
					 TEXT_MAX_WORDS);
		text->words[n++] = word;
		word = strtok_r(NULL, " \t", &save);
	}
	return n;
}

int text_next(struct text *text)
{
	while (text->pos < text->end) {
		size_t len = 0;
		int n;

		text->line++;
		while (text->pos < text->end && *text->pos != '\n') {
			unsigned char c = *text->pos++;

			if ((c < ' ' && c != '\t') || c == 0x7f)
				return text_fail(text, "expected text, found byte 0x%02x", c);
			if (len == TEXT_MAX_LINE)
				return text_fail(text, "expected at most %d characters in a line",
						 TEXT_MAX_LINE);
			text->buf[len++] = c;
		}
		if (text->pos < text->end)
			text->pos++;
		text->buf[len] = '\0';
		text->buf[strcspn(text->buf, "#")] = '\0';

		n = text_split(text);
		if (n)
			return n;
	}
	return 0;
}

/* Adds a decimal digit; false if that overflows. */
static int add_digit(uint64_t *value, char digit)
{
	return !__builtin_mul_overflow(*value, 10, value) &&
	       !__builtin_add_overflow(*value, digit - '0', value);
}

int text_scaled(const char *word, const struct text_unit *units, uint64_t max,
		uint64_t *value)
{
	uint64_t mantissa = 0, scale = 1;
	unsigned __int128 result;
	const char *p = word;

	if (*p < '0' || *p > '9')
		return -EINVAL;
	for (; *p >= '0' && *p <= '9'; p++)
		if (!add_digit(&mantissa, *p))
			return -ERANGE;
	if (*p == '.') {
		if (p[1] < '0' || p[1] > '9')
			return -EINVAL;
		for (p++; *p >= '0' && *p <= '9'; p++)
			if (!add_digit(&mantissa, *p) ||
			    __builtin_mul_overflow(scale, 10, &scale))
				return -ERANGE;
	}

	for (; units->suffix; units++)
		if (!strcmp(units->suffix, p))
			break;
	if (!units->suffix)
		return -EINVAL;

	result = (unsigned __int128)mantissa * units->factor;
	if (result % scale)
		return -EINVAL;
	result /= scale;
	if (result > max)
		return -ERANGE;
	*value = result;
	return 0;
}

int text_number(const char *word, int base, uint64_t max, uint64_t *value)
{
	unsigned long long v;
	const char *digits = base == 16 ? "0123456789abcdefABCDEF" : "0123456789";
	char *end;

	if (base == 16 && word[0] == '0' && (word[1] == 'x' || word[1] == 'X'))
		word += 2;
	if (!*word || word[strspn(word, digits)])
		return -EINVAL;
	errno = 0;
	v = strtoull(word, &end, base);
	if (errno || v > max)
		return -ERANGE;
	*value = v;
	return 0;
}

/*
 * Opens a file, or a pipe that has a writer, as that of the shell's <() does; without O_NONBLOCK,
 * open() would wait for one.
 */
static FILE *open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file = fd < 0 || fcntl(fd, F_SETFL, 0) ? NULL : fdopen(fd, "r");
	int kept = errno;

	if (!file && fd >= 0)
		close(fd);
	errno = kept;
	return file;
}

char *text_read_file(const char *path, size_t *len, struct text_error *err)
{
	struct stat status;
	char *data;
	FILE *f;
	int error = 0;

	f = open_file(path);
	if (!f) {
		error = errno;
		goto fail;
	}
	data = malloc(TEXT_MAX_FILE + 1);
	if (!data) {
		error = ENOMEM;
		goto close;
	}
	*len = fread(data, 1, TEXT_MAX_FILE + 1, f);
	if (ferror(f))
		error = errno ? errno : EIO;
	else if (*len > TEXT_MAX_FILE)
		error = EFBIG;
	else if (!*len && !fstat(fileno(f), &status) && S_ISFIFO(status.st_mode))
		error = ENODATA;
	if (error)
		free(data);
close:
	fclose(f);
	if (!error)
		return data;
fail:
	snprintf(err->message, sizeof(err->message), "%s: %s", path, strerror(error));
	errno = error;
	return NULL;
}
