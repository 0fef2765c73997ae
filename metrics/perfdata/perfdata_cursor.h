/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads numbers and texts from bytes that may end too early. */
#ifndef GPMU_PERFDATA_CURSOR_H
#define GPMU_PERFDATA_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cursor {
	const uint8_t *data;
	size_t left;
	bool has_failed;	/* the bytes ended too early; all that was read since is 0 */
};

/* Returns the next @size bytes, or NULL if there are fewer. */
static inline const void *cursor_bytes(struct cursor *cursor, uint64_t size)
{
	const uint8_t *bytes = cursor->data;

	if (cursor->has_failed || size > cursor->left) {
		cursor->has_failed = true;
		return NULL;
	}
	cursor->data += size;
	cursor->left -= (size_t)size;
	return bytes;
}

/* Returns @count elements of @size bytes, or NULL */
static inline const void *cursor_array(struct cursor *cursor, uint64_t count, size_t size)
{
	if (count > cursor->left / size) {
		cursor->has_failed = true;
		return NULL;
	}
	return cursor_bytes(cursor, count * size);
}

/* Copies the next @size bytes, or zeros if there are fewer. */
static inline void cursor_copy(struct cursor *cursor, void *to, size_t size)
{
	const void *bytes = cursor_bytes(cursor, size);

	if (bytes)
		memcpy(to, bytes, size);
	else
		memset(to, 0, size);
}

static inline uint64_t cursor_u64(struct cursor *cursor)
{
	uint64_t value;

	cursor_copy(cursor, &value, sizeof(value));
	return value;
}

static inline uint32_t cursor_u32(struct cursor *cursor)
{
	uint32_t value;

	cursor_copy(cursor, &value, sizeof(value));
	return value;
}

static inline uint16_t cursor_u16(struct cursor *cursor)
{
	uint16_t value;

	cursor_copy(cursor, &value, sizeof(value));
	return value;
}

/* Returns a text of at most @size bytes, which has its NUL among them; or NULL. */
static inline const char *cursor_text(struct cursor *cursor, uint64_t size)
{
	const char *text = cursor_bytes(cursor, size);

	if (text && !memchr(text, '\0', (size_t)size)) {
		cursor->has_failed = true;
		return NULL;
	}
	return text;
}

#endif /* GPMU_PERFDATA_CURSOR_H */
