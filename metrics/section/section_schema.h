/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The fields of Nsight Compute's section files, as a table: each message has fields, and each field a type. A new field
 * of a later Nsight Compute is a row.
 */
#ifndef GPMU_SECTION_SCHEMA_H
#define GPMU_SECTION_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>

enum section_type {
	SECTION_TEXT,		/* a string */
	SECTION_REAL,
	SECTION_INTEGER,
	SECTION_BOOL,
	SECTION_WORD,		/* a name of an enumeration that libgpmu only keeps */
	SECTION_SCALAR,		/* any of the above */
	SECTION_ARCH,		/* CC_90; the number is 90 */
	SECTION_SCOPE,		/* CollectionScope_Launch; the number is an enum gpmu_section_scope */
	SECTION_IMPORTANCE,	/* the number is an enum gpmu_section_importance */
	SECTION_MESSAGE,
};

struct section_message;

struct section_kind {
	const char *name;
	enum section_type type;
	bool is_repeated;
	const struct section_message *message;	/* of SECTION_MESSAGE */
};

struct section_message {
	const struct section_kind *kinds;
	size_t count;
	bool has_patterns;	/* the names of its metrics may be regular expressions */
};

/* The messages with a meaning of their own */
extern const struct section_message section_root, section_metric, section_suffix_table, section_definition,
	section_item;

/* Returns NULL if the message has no such field. */
const struct section_kind *section_kind_find(const struct section_message *message, const char *name, size_t length);

#endif /* GPMU_SECTION_SCHEMA_H */
