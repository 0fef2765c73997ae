/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* perfdata tracing: the formats of tracepoints in a perf.data */
#ifndef GPMU_PERFDATA_TRACING_API_H
#define GPMU_PERFDATA_TRACING_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gpmu_perfdata_field_kind {
	GPMU_PERFDATA_SIGNED,
	GPMU_PERFDATA_UNSIGNED,
	GPMU_PERFDATA_POINTER,
	GPMU_PERFDATA_TEXT,
	GPMU_PERFDATA_BYTES,	/* an array, or a type of another size than 1, 2, 4 or 8 bytes */
};

/**
 * struct gpmu_perfdata_field - a field of a tracepoint's samples
 * @name: name
 * @kind: kind of its value
 * @offset: byte offset in the raw bytes of a sample
 * @size: bytes
 * @is_dynamic: the field has the offset and size of the value (__data_loc)
 * @is_relative: this offset is relative to the end of the field (__rel_loc)
 */
struct gpmu_perfdata_field {
	char *name;
	enum gpmu_perfdata_field_kind kind;
	uint32_t offset, size;
	bool is_dynamic, is_relative;
};

/**
 * struct gpmu_perfdata_tracepoint - a tracepoint
 * @id: config of its event
 * @name: "sched:sched_switch"
 * @fields: array of @field_count fields, without those that all tracepoints have
 * @field_count: number of fields
 */
struct gpmu_perfdata_tracepoint {
	uint64_t id;
	char *name;
	struct gpmu_perfdata_field *fields;
	size_t field_count;
};

/* A field's value: @number, or the bytes of a text or array, which are borrowed from the sample */
struct gpmu_perfdata_content {
	uint64_t number;
	const void *bytes;
	size_t size;		/* of a text without its NUL */
};

/* Gets the value of a field from a sample's raw bytes. Returns whether the sample contains the value. */
bool gpmu_perfdata_content(const struct gpmu_perfdata_field *field, const void *raw, size_t size,
			   struct gpmu_perfdata_content *content);

#endif /* GPMU_PERFDATA_TRACING_API_H */
