// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Parses protobuf's text format (protobuf.dev, "Text Format Language Specification"):
 *
 *	message = { field }
 *	field   = (name | "[" name { ("." | "/") name } "]") ( ":" value | [ ":" ] block ) [ ";" | "," ]
 *	value   = scalar | block | "[" [ (scalar | block) { "," (scalar | block) } ] "]"
 *	block   = "{" message "}" | "<" message ">"
 *	scalar  = string { string } | [ "-" ] (number | name)
 *
 * The value of a field that the table lacks is skipped with a warning, whatever its type.
 */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/gpmu_shown.h"
#include "base/text/text.h"
#include "section/gpmu_section.h"
#include "section/section_parse.h"
#include "section/section_scan.h"

#define MAX_DEPTH	32	/* Nsight Compute's own files have 9 */
#define MAX_SHOWN	40	/* bytes of a token in a message */
#define MAX_PATH	200	/* bytes of the names of the messages around a field */

struct parser {
	struct section_scanner scan;
	const char *name;
	struct section_warnings *warnings;
	struct gpmu_error *error;
	locale_t c;
	unsigned int depth;
	char path[MAX_PATH];	/* "Header/Metrics" */
};

/* A block of the text and the message that it is */
struct block {
	const struct section_message *message;	/* NULL: unknown; it is skipped */
	struct section_field *field;		/* has its fields; NULL likewise */
	uint64_t seen;				/* a bit for each row of the table whose field it has */
};

/* --- messages */

int section_warn(struct section_warnings *warnings, const char *name, unsigned int line, const char *fmt, ...)
{
	char *text, *whole;
	va_list args;

	if (warnings->lines.n == SECTION_MAX_WARNINGS) {
		warnings->more++;
		return 0;
	}
	va_start(args, fmt);
	text = text_vprint(fmt, args);
	va_end(args);
	whole = text ? line ? text_print("%s:%u: %s", name, line, text) : text_print("%s: %s", name, text) : NULL;
	free(text);
	if (!whole || vector_push(&warnings->lines, &whole)) {
		free(whole);
		return -ENOMEM;
	}
	gpmu_shown(whole);
	return 0;
}

void section_warnings_release(struct section_warnings *warnings)
{
	for (size_t i = 0; i < warnings->lines.n; i++)
		free(warnings->lines.list[i]);
	vector_free(&warnings->lines);
}

__attribute__((format(printf, 2, 3)))
static int fail(struct parser *p, const char *fmt, ...)
{
	char text[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	gpmu_shown(text);
	error_set_path(p->error, 0, p->name, ":%u: %s", p->scan.line, text);
	return -EINVAL;
}

static int expected(struct parser *p, const char *what)
{
	const struct section_scanner *scan = &p->scan;
	int shown = scan->length < MAX_SHOWN ? (int)scan->length : MAX_SHOWN;

	if (scan->token == SECTION_END)
		return fail(p, "expected %s, found the end of the file", what);
	if (scan->token == SECTION_BAD && (*scan->text == '"' || *scan->text == '\''))
		return fail(p, "a string does not end on its line");
	if (scan->token == SECTION_BAD)
		return fail(p, "expected %s, found byte 0x%02x", what, (unsigned char)*scan->text);
	return fail(p, "expected %s, found \"%.*s\"", what, shown, scan->text);
}

/* --- scalars */

/* Appends the bytes of the string at the scanner. */
static int add_string(struct parser *p, char **text, size_t *length)
{
	char *longer = realloc(*text, *length + p->scan.length + 1);
	int added;

	if (!longer)
		return -ENOMEM;
	*text = longer;
	added = section_scan_string(&p->scan, longer + *length);
	if (added < 0)
		return fail(p, "a string has an escape that does not exist");
	*length += (size_t)added;
	longer[*length] = '\0';
	return 0;
}

/* Adjacent strings are one. */
static int read_string(struct parser *p, char **text)
{
	size_t length = 0;
	int ret = 0;

	while (!ret && p->scan.token == SECTION_STRING) {
		ret = add_string(p, text, &length);
		section_scan_next(&p->scan);
	}
	return ret;
}

/* Reads "1", "-0x1f", "017", "1.5e3f", "-inf"; NaN: it is no number */
static double number_of(const struct parser *p, const char *text)
{
	static const char *const infinite[] = { "inf", "infinity" };
	const char *digits = text + (*text == '-');
	char *end;
	double value;

	for (size_t i = 0; i < ARRAY_SIZE(infinite); i++)
		if (!text_compare(digits, infinite[i]))
			return *text == '-' ? -INFINITY : INFINITY;
	if (digits[0] == '0' && strspn(digits, "01234567") == strlen(digits))
		value = (double)strtoull(digits, &end, 8);
	else
		value = strtod_l(digits, &end, p->c);
	if (end == digits || (*end && text_compare(end, "f")) ||
	    (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9')))
		return NAN;
	return *text == '-' ? -value : value;
}

/* Reads a scalar's text: the bytes of a string, or the token as it is. Sets whether it is a string. */
static int read_scalar(struct parser *p, char **text, bool *is_string)
{
	bool is_negative = section_scan_is_sign(&p->scan, '-');

	*is_string = p->scan.token == SECTION_STRING;
	if (*is_string)
		return read_string(p, text);
	if (is_negative)
		section_scan_next(&p->scan);
	if (p->scan.token != SECTION_NUMBER && p->scan.token != SECTION_NAME)
		return expected(p, "a value");
	*text = text_print("%s%.*s", is_negative ? "-" : "", (int)p->scan.length, p->scan.text);
	section_scan_next(&p->scan);
	return *text ? 0 : -ENOMEM;
}

static const struct word {
	enum section_type type;
	const char *text;
	double number;
} words[] = {
	{ SECTION_BOOL, "true", 1 }, { SECTION_BOOL, "True", 1 }, { SECTION_BOOL, "t", 1 }, { SECTION_BOOL, "1", 1 },
	{ SECTION_BOOL, "false", 0 }, { SECTION_BOOL, "False", 0 }, { SECTION_BOOL, "f", 0 }, { SECTION_BOOL, "0", 0 },
	{ SECTION_SCOPE, "CollectionScope_Launch", GPMU_SECTION_LAUNCH },
	{ SECTION_SCOPE, "CollectionScope_Range", GPMU_SECTION_RANGE },
	{ SECTION_SCOPE, "CollectionScope_Cmdlist", GPMU_SECTION_CMDLIST },
	{ SECTION_SCOPE, "CollectionScope_Graph", GPMU_SECTION_GRAPH },
	{ SECTION_IMPORTANCE, "Required", GPMU_SECTION_REQUIRED },
	{ SECTION_IMPORTANCE, "Optional", GPMU_SECTION_OPTIONAL },
};

/* The number that a word of a type means; NaN: there is no such word */
static double word_number(enum section_type type, const char *text)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i].type == type && !strcmp(words[i].text, text))
			return words[i].number;
	return NAN;
}

/* "CC_90", and "CC_121a" whose letter names a variant of the same capability */
static double arch_number(const char *text)
{
	size_t digits = !strncmp(text, "CC_", 3) ? strspn(text + 3, "0123456789") : 0;

	return digits >= 2 && digits <= 3 && strlen(text) <= 3 + digits + 1 ? strtod(text + 3, NULL) : NAN;
}

/* A word that libgpmu does not know is kept with a warning: later versions have more of them. */
static int set_word(struct parser *p, struct section_field *field)
{
	field->number = field->kind->type == SECTION_ARCH ? arch_number(field->text) : word_number(field->kind->type, field->text);
	return isnan(field->number) ? section_warn(p->warnings, p->name, field->line, "%s: value %s is not known and is ignored",
						   field->kind->name, field->text) : 0;
}

static const char *const type_names[] = {
	[SECTION_TEXT] = "a string", [SECTION_REAL] = "a number", [SECTION_INTEGER] = "an integer",
	[SECTION_BOOL] = "true or false", [SECTION_WORD] = "a word", [SECTION_SCALAR] = "a value",
	[SECTION_ARCH] = "an architecture such as CC_90", [SECTION_SCOPE] = "a collection scope",
	[SECTION_IMPORTANCE] = "Required or Optional", [SECTION_MESSAGE] = "\"{\"",
};

/* Checks the text against the field's type. */
static int set_scalar(struct parser *p, struct section_field *field, bool is_string)
{
	const enum section_type type = field->kind->type;
	bool is_valid;

	field->number = is_string ? NAN : number_of(p, field->text);
	switch (type) {
	case SECTION_TEXT:
		is_valid = is_string;
		break;
	case SECTION_REAL:
		is_valid = !isnan(field->number);
		break;
	case SECTION_INTEGER:
		is_valid = isfinite(field->number) && floor(field->number) == field->number;
		break;
	case SECTION_BOOL:
		field->number = is_string ? NAN : word_number(type, field->text);
		is_valid = !isnan(field->number);
		break;
	case SECTION_SCALAR:
		return 0;
	default:
		is_valid = !is_string;
	}
	if (!is_valid)
		return fail(p, "%s: expected %s, found \"%.*s\"", field->kind->name, type_names[type], MAX_SHOWN,
			    field->text);
	return type == SECTION_ARCH || type == SECTION_SCOPE || type == SECTION_IMPORTANCE ? set_word(p, field) : 0;
}

static int skip_scalar(struct parser *p)
{
	char *text = NULL;
	bool is_string;
	int ret = read_scalar(p, &text, &is_string);

	free(text);
	return ret;
}

/* --- fields */

static int read_fields(struct parser *p, struct block *block, char end);

static bool begins_block(const struct parser *p)
{
	return section_scan_is_sign(&p->scan, '{') || section_scan_is_sign(&p->scan, '<');
}

static int read_block(struct parser *p, struct block *block)
{
	const char end = section_scan_is_sign(&p->scan, '{') ? '}' : '>';
	int ret;

	if (p->depth == MAX_DEPTH)
		return fail(p, "nested deeper than %d messages", MAX_DEPTH);
	p->depth++;
	section_scan_next(&p->scan);
	ret = read_fields(p, block, end);
	p->depth--;
	return ret;
}

/* Reads a value of a field, or skips it if @kind is NULL. */
static int read_value(struct parser *p, struct section_field *parent, const struct section_kind *kind,
		      unsigned int line)
{
	struct section_field *field;
	bool is_string;
	int ret;

	if (!kind)
		return begins_block(p) ? read_block(p, &(struct block){ 0 }) : skip_scalar(p);
	field = vector_append(parent->list, parent->n);
	if (!field)
		return -ENOMEM;
	field->kind = kind;
	field->line = line;
	field->number = NAN;
	if ((kind->type == SECTION_MESSAGE) != begins_block(p))
		return fail(p, "%s: expected %s", kind->name, type_names[kind->type]);
	if (kind->type == SECTION_MESSAGE)
		return read_block(p, &(struct block){ .message = kind->message, .field = field });
	ret = read_scalar(p, &field->text, &is_string);
	return ret ? ret : set_scalar(p, field, is_string);
}

/* Reads "[a, b]" of a repeated field. */
static int read_list(struct parser *p, struct section_field *parent, const struct section_kind *kind, unsigned int line)
{
	int ret = 0;

	section_scan_next(&p->scan);
	while (!ret && !section_scan_is_sign(&p->scan, ']')) {
		ret = read_value(p, parent, kind, line);
		if (ret || section_scan_is_sign(&p->scan, ']'))
			break;
		if (!section_scan_is_sign(&p->scan, ','))
			return expected(p, "\",\" or \"]\"");
		section_scan_next(&p->scan);
		if (section_scan_is_sign(&p->scan, ']'))
			return expected(p, "a value");
	}
	if (!ret)
		section_scan_next(&p->scan);
	return ret;
}

/* Warns of a field that the table lacks. */
static int warn_unknown(struct parser *p, const struct block *block, const char *name, size_t length)
{
	/* An unknown message is named once, without the fields inside. */
	if (!block->message)
		return 0;
	return section_warn(p->warnings, p->name, p->scan.line, "unknown field %s%s%.*s is ignored", p->path,
			    *p->path ? "/" : "", (int)length, name);
}

static int warn_repeated(struct parser *p, struct block *block, const struct section_kind *kind)
{
	const uint64_t bit = 1ull << (kind - block->message->kinds), seen = block->seen;

	block->seen |= bit;
	if (kind->is_repeated || !(seen & bit))
		return 0;
	return section_warn(p->warnings, p->name, p->scan.line, "%s is given again; the last one applies", kind->name);
}

/* Reads the name of a field. Sets its row in the table; NULL: unknown */
static int read_name(struct parser *p, struct block *block, const struct section_kind **kind)
{
	const char *begin = p->scan.text;
	bool is_extension = section_scan_is_sign(&p->scan, '[');
	int ret;

	*kind = NULL;
	while (is_extension && !section_scan_is_sign(&p->scan, ']')) {
		if (p->scan.token == SECTION_END)
			return expected(p, "\"]\"");
		section_scan_next(&p->scan);
	}
	if (!is_extension && p->scan.token != SECTION_NAME)
		return expected(p, "the name of a field");
	if (block->message && !is_extension)
		*kind = section_kind_find(block->message, p->scan.text, p->scan.length);
	ret = *kind ? warn_repeated(p, block, *kind) :
		      warn_unknown(p, block, begin, (size_t)(p->scan.text + p->scan.length - begin));
	section_scan_next(&p->scan);
	return ret;
}

/* Reads the value or the values behind the name. */
static int read_values(struct parser *p, const struct block *block, const struct section_kind *kind, unsigned int line)
{
	if (section_scan_is_sign(&p->scan, ':'))
		section_scan_next(&p->scan);
	else if (!begins_block(p))
		return expected(p, "\":\" or \"{\"");
	if (section_scan_is_sign(&p->scan, '[') && (!kind || kind->is_repeated))
		return read_list(p, block->field, kind, line);
	return read_value(p, block->field, kind, line);
}

static int read_field(struct parser *p, struct block *block)
{
	const size_t length = strlen(p->path);
	const struct section_kind *kind;
	unsigned int line = p->scan.line;
	int ret = read_name(p, block, &kind);

	if (ret)
		return ret;
	if (kind)
		snprintf(p->path + length, sizeof(p->path) - length, "%s%s", length ? "/" : "", kind->name);
	ret = read_values(p, block, kind, line);
	p->path[length] = '\0';
	if (!ret && (section_scan_is_sign(&p->scan, ';') || section_scan_is_sign(&p->scan, ',')))
		section_scan_next(&p->scan);
	return ret;
}

/* @end: the sign after the fields; 0: the end of the file */
static int read_fields(struct parser *p, struct block *block, char end)
{
	int ret = 0;

	while (!ret && !(end ? section_scan_is_sign(&p->scan, end) : p->scan.token == SECTION_END))
		ret = read_field(p, block);
	if (!ret && end)
		section_scan_next(&p->scan);
	return ret;
}

int section_parse(const char *name, const char *text, size_t size, struct section_field *root,
		  struct section_warnings *warnings, struct gpmu_error *error)
{
	struct parser p = {
		.name = name, .warnings = warnings, .error = error,
		.c = newlocale(LC_ALL_MASK, "C", (locale_t)0),
	};
	int ret;

	if (!p.c)
		return -ENOMEM;
	section_scan_init(&p.scan, text, size);
	ret = read_fields(&p, &(struct block){ .message = &section_root, .field = root }, '\0');
	freelocale(p.c);
	return ret;
}
