/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writes a report of Nsight Compute from a text, by encoding of its own: no code of libgpmu or
 * protobuf-c is used. A line of the text is one of:
 *
 *	# COMMENT
 *	version NUMBER			version of the format, at the begin; default 7
 *	block				begins another block
 *	source REFERENCE CODE...	code in this block
 *	kernel NAME DEMANGLED...	begins a result, as do range, graph and cmdlist NAME
 *	stream CONTEXT STREAM		of the result
 *	grid X Y Z			of the kernel, and likewise: threads X Y Z
 *	code REFERENCE			the kernel's code
 *	u64 METRIC VALUE		adds a metric, as do u32, double, float, and text METRIC VALUE...
 *	list METRIC			adds a metric without a value
 *	at ID VALUE			adds an instance of type double to the metric
 *	part VALUE			likewise, without an identifier
 *	push THREAD NAME...		adds an open NVTX range, as does start THREAD NAME...
 *	unknown				adds a field that no version has to the result
 */
#ifndef GPMU_TESTS_NCUREP_WRITE_H
#define GPMU_TESTS_NCUREP_WRITE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIRE_MAX	(128U << 10)
#define DEFAULT_DOMAIN	3

struct wire {
	size_t n;
	uint8_t data[WIRE_MAX];
};

enum { SOURCES, KERNELS, RANGES, CMDLISTS, GRAPHS, RESULT_KINDS };

/* Numbers of fields: of a block's counts, and of members of each kind of result */
static const unsigned int count_field[RESULT_KINDS] = { 1, 2, 7, 8, 9 };
static const unsigned int metric_field[RESULT_KINDS] = { 0, 13, 4, 4, 4 };
static const unsigned int time_field[RESULT_KINDS] = { 0, 14, 5, 5, 5 };
static const unsigned int nvtx_field[RESULT_KINDS] = { 0, 21, 10, 10, 10 };
static const unsigned int context_field[RESULT_KINDS] = { 0, 22, 11, 11, 11 };

struct report_writer {
	struct wire file, names, payload[RESULT_KINDS], result, metric, stack, started;
	uint64_t counts[RESULT_KINDS], name_count, blocks, version;
	int kind;	/* of the open result; SOURCES: none */
	uint64_t thread, results;
};

static void put(struct wire *wire, const void *bytes, size_t n)
{
	if (n > sizeof(wire->data) - wire->n)
		abort();
	if (n)
		memcpy(wire->data + wire->n, bytes, n);
	wire->n += n;
}

static void put_varint(struct wire *wire, uint64_t value)
{
	for (; value > 0x7f; value >>= 7)
		put(wire, &(uint8_t){ (uint8_t)(value | 0x80) }, 1);
	put(wire, &(uint8_t){ (uint8_t)value }, 1);
}

static void put_number(struct wire *wire, unsigned int field, uint64_t value)
{
	put_varint(wire, field << 3);
	put_varint(wire, value);
}

static void put_bytes(struct wire *wire, unsigned int field, const void *bytes, size_t n)
{
	put_varint(wire, field << 3 | 2);
	put_varint(wire, n);
	put(wire, bytes, n);
}

static void put_text(struct wire *wire, unsigned int field, const char *text)
{
	put_bytes(wire, field, text, strlen(text));
}

static void put_double(struct wire *wire, unsigned int field, double value)
{
	put_varint(wire, field << 3 | 1);
	put(wire, &value, sizeof(value));
}

static void put_float(struct wire *wire, unsigned int field, float value)
{
	put_varint(wire, field << 3 | 5);
	put(wire, &value, sizeof(value));
}

/* A length and a message, as in the file */
static void put_entry(struct wire *to, const struct wire *message)
{
	const uint32_t length = (uint32_t)message->n;

	put(to, &length, sizeof(length));
	put(to, message->data, message->n);
}

static struct wire *new_wire(void)
{
	struct wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		abort();
	return wire;
}

static void end_metric(struct report_writer *writer)
{
	if (writer->metric.n)
		put_bytes(&writer->result, metric_field[writer->kind], writer->metric.data, writer->metric.n);
	writer->metric.n = 0;
}

/* The NVTX state: a default domain, the stack of a thread, and started ranges */
static void end_nvtx(struct report_writer *writer)
{
	struct wire *state = new_wire(), *domain = new_wire(), *thread = new_wire();

	if (writer->stack.n || writer->started.n) {
		put_number(domain, 1, DEFAULT_DOMAIN);
		put_text(domain, 2, "default");
		put_bytes(state, 1, domain->data, domain->n);
		domain->n = 0;
		put_number(domain, 1, 4);
		put_text(domain, 2, "library");
		put_bytes(state, 1, domain->data, domain->n);
		domain->n = 0;
		put_number(domain, 1, DEFAULT_DOMAIN);
		put(domain, writer->stack.data, writer->stack.n);
		put_number(thread, 1, writer->thread);
		put_bytes(thread, 2, domain->data, domain->n);
		put_bytes(state, 2, thread->data, thread->n);
		domain->n = 0;
		put_number(domain, 1, 4);
		put(domain, writer->started.data, writer->started.n);
		put_bytes(state, 3, domain->data, domain->n);
		put_number(state, 4, DEFAULT_DOMAIN);
		put_bytes(&writer->result, nvtx_field[writer->kind], state->data, state->n);
	}
	writer->stack.n = writer->started.n = 0;
	free(state);
	free(domain);
	free(thread);
}

static void end_result(struct report_writer *writer)
{
	if (!writer->kind)
		return;
	end_metric(writer);
	end_nvtx(writer);
	put_entry(&writer->payload[writer->kind], &writer->result);
	writer->counts[writer->kind]++;
	writer->result.n = 0;
	writer->kind = SOURCES;
}

static void begin_result(struct report_writer *writer, int kind)
{
	end_result(writer);
	writer->kind = kind;
	put_number(&writer->result, 1, 77);
	put_number(&writer->result, 2, ++writer->results);
	put_number(&writer->result, time_field[kind], 1700000000);
}

static void end_block(struct report_writer *writer)
{
	struct wire *header = new_wire(), *part = new_wire();
	uint64_t size = 0;

	end_result(writer);
	for (int kind = 0; kind < RESULT_KINDS; kind++)
		size += writer->payload[kind].n;
	if (!writer->blocks++) {
		put_number(part, 1, 100);
		put_text(part, 11, "ncu -o app ./app");
		put_bytes(header, 3, part->data, part->n);
		part->n = 0;
	}
	put_number(header, count_field[SOURCES], writer->counts[SOURCES]);
	put_number(header, count_field[KERNELS], writer->counts[KERNELS]);
	if (writer->names.n)
		put_bytes(header, 4, writer->names.data, writer->names.n);
	put_number(header, 5, size);
	put_number(part, 1, 100);
	put_text(part, 2, "node1");
	put_text(part, 3, "app");
	put_bytes(header, 6, part->data, part->n);
	for (int kind = RANGES; kind < RESULT_KINDS; kind++)
		put_number(header, count_field[kind], writer->counts[kind]);
	put_entry(&writer->file, header);
	for (int kind = 0; kind < RESULT_KINDS; kind++) {
		put(&writer->file, writer->payload[kind].data, writer->payload[kind].n);
		writer->payload[kind].n = 0;
		writer->counts[kind] = 0;
	}
	writer->names.n = 0;
	free(header);
	free(part);
}

static void begin_metric(struct report_writer *writer, const char *name)
{
	end_metric(writer);
	put_text(&writer->names, 1, name);
	put_number(&writer->metric, 1, writer->name_count++);
}

static void put_value(struct wire *to, unsigned int field, const char *type, const char *text)
{
	struct wire *value = new_wire();

	if (!strcmp(type, "text"))
		put_text(value, 1, text);
	else if (!strcmp(type, "float"))
		put_float(value, 2, strtof(text, NULL));
	else if (!strcmp(type, "double"))
		put_double(value, 3, strtod(text, NULL));
	else
		put_number(value, !strcmp(type, "u32") ? 4 : 5, strtoull(text, NULL, 0));
	put_bytes(to, field, value->data, value->n);
	free(value);
}

static void put_instance(struct report_writer *writer, const char *id, const char *text)
{
	struct wire *instance = new_wire();

	if (id)
		put_value(instance, 1, "u64", id);
	put_value(instance, 2, "double", text);
	put_bytes(&writer->metric, 3, instance->data, instance->n);
	free(instance);
}

static void put_size(struct report_writer *writer, unsigned int field, const char *x, const char *rest)
{
	struct wire *size = new_wire();
	unsigned int y = 1, z = 1;

	sscanf(rest, "%u %u", &y, &z);
	put_number(size, 1, strtoull(x, NULL, 0));
	put_number(size, 2, y);
	put_number(size, 3, z);
	put_bytes(&writer->result, field, size->data, size->n);
	free(size);
}

/* A source with its code, a file and a binary; without @code only its reference */
static void put_source(struct wire *to, const char *reference, const char *code)
{
	struct wire *file = new_wire(), *files = new_wire();

	put_number(to, 1, strtoull(reference, NULL, 0));
	if (code) {
		put_text(file, 1, "app.cu");
		put_text(file, 2, code);
		put_bytes(files, 1, file->data, file->n);
		put_bytes(to, 4, "\177ELF", 4);
		put_number(to, 6, 90);
		put_bytes(to, 8, files->data, files->n);
	}
	free(file);
	free(files);
}

static void put_range(struct report_writer *writer, bool is_pushed, const char *thread, const char *name)
{
	struct wire *range = new_wire(), *attributes = new_wire(), *color = new_wire();

	put_number(color, 1, 1);
	put_number(color, 2, 0xff00ff00);
	put_number(attributes, 2, 5);
	put_bytes(attributes, 3, color->data, color->n);
	if (is_pushed)
		writer->thread = strtoull(thread, NULL, 0);
	else
		put_number(range, 1, 1);
	put_text(range, is_pushed ? 1 : 2, name);
	put_bytes(range, is_pushed ? 2 : 3, attributes->data, attributes->n);
	if (!is_pushed)
		put_number(range, 5, strtoull(thread, NULL, 0));
	put_bytes(is_pushed ? &writer->stack : &writer->started, 3, range->data, range->n);
	free(range);
	free(attributes);
	free(color);
}

static bool write_result(struct report_writer *writer, const char *word, const char *first, const char *rest)
{
	struct wire *source;

	if (!strcmp(word, "kernel")) {
		begin_result(writer, KERNELS);
		put_text(&writer->result, 5, first);
		put_text(&writer->result, 6, first);
		put_text(&writer->result, 7, *rest ? rest : first);
	} else if (!strcmp(word, "range")) {
		begin_result(writer, RANGES);
	} else if (!strcmp(word, "graph")) {
		begin_result(writer, GRAPHS);
	} else if (!strcmp(word, "cmdlist")) {
		begin_result(writer, CMDLISTS);
		put_text(&writer->result, 18, first);
	} else if (!strcmp(word, "source")) {
		source = new_wire();
		put_source(source, first, rest);
		put_entry(&writer->payload[SOURCES], source);
		writer->counts[SOURCES]++;
		free(source);
	} else {
		return false;
	}
	return true;
}

static void write_member(struct report_writer *writer, const char *word, const char *first, const char *rest)
{
	struct wire *source;

	if (!strcmp(word, "stream")) {
		put_number(&writer->result, context_field[writer->kind], strtoull(first, NULL, 0));
		if (writer->kind != RANGES)
			put_number(&writer->result, context_field[writer->kind] + 1, strtoull(rest, NULL, 0));
	} else if (!strcmp(word, "grid") || !strcmp(word, "threads")) {
		put_size(writer, !strcmp(word, "grid") ? 10 : 11, first, rest);
	} else if (!strcmp(word, "code")) {
		source = new_wire();
		put_source(source, first, NULL);
		put_bytes(&writer->result, 15, source->data, source->n);
		free(source);
	} else if (!strcmp(word, "unknown")) {
		put_text(&writer->result, 900, "from a later release");
	} else if (!strcmp(word, "push") || !strcmp(word, "start")) {
		put_range(writer, !strcmp(word, "push"), first, rest);
	} else if (!strcmp(word, "at")) {
		put_instance(writer, first, rest);
	} else if (!strcmp(word, "part")) {
		put_instance(writer, NULL, first);
	} else if (!strcmp(word, "list")) {
		begin_metric(writer, first);
	} else {
		begin_metric(writer, first);
		put_value(&writer->metric, 2, word, rest);
	}
}

static void write_line(struct report_writer *writer, char *line)
{
	char *word = line, *first = line + strcspn(line, " "), *rest;

	if (*first)
		*first++ = '\0';
	rest = first + strcspn(first, " ");
	if (*rest)
		*rest++ = '\0';
	if (!*word || *word == '#' || write_result(writer, word, first, rest))
		return;
	if (!strcmp(word, "block"))
		end_block(writer);
	else if (!strcmp(word, "version"))
		writer->version = strtoull(first, NULL, 0);
	else
		write_member(writer, word, first, rest);
}

/* Returns the bytes of the report, which the caller frees */
__attribute__((unused))
static uint8_t *ncurep_write(const char *text, size_t *length)
{
	struct report_writer *writer = calloc(1, sizeof(*writer));
	char *copy = strdup(text), *line, *next = copy;
	struct wire *header = new_wire();
	uint32_t header_length;
	uint8_t *data;

	if (!writer || !copy)
		abort();
	writer->version = 7;
	while ((line = strsep(&next, "\n")))
		write_line(writer, line + strspn(line, "\t "));
	end_block(writer);
	put_number(header, 1, writer->version);
	data = malloc(sizeof("NVR") + 4 + header->n + writer->file.n);
	if (!data)
		abort();
	memcpy(data, "NVR", sizeof("NVR"));
	*length = sizeof("NVR");
	header_length = (uint32_t)header->n;
	memcpy(data + *length, &header_length, 4);
	memcpy(data + *length + 4, header->data, header->n);
	*length += 4 + header->n;
	memcpy(data + *length, writer->file.data, writer->file.n);
	*length += writer->file.n;
	free(header);
	free(writer);
	free(copy);
	return data;
}

#endif /* GPMU_TESTS_NCUREP_WRITE_H */
