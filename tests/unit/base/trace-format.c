// SPDX-License-Identifier: LGPL-2.1-or-later
/* Formats of tracepoints */
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "base/text/trace_format.h"
#include "tap.h"

#define HEAD	"name: made_up\nID: 77\nformat:\n"
#define COMMON	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"

/* Parses a format up to its end. Returns 0 or -EINVAL, and the last field. */
static int parse(const char *text, struct trace_format *format, struct trace_field *field)
{
	static char copy[1024];
	int ret;

	*field = (struct trace_field){ 0 };
	strcpy(copy, text);
	ret = trace_format_begin(format, copy);
	while (!ret && (ret = trace_format_next(format, field)) > 0)
		ret = 0;
	return ret;
}

static void test_fields(void)
{
	static const struct {
		const char *line, *type, *name;
		bool is_array, is_signed;
	} fields[] = {
		{ "long state;\toffset:8;\tsize:8;\tsigned:1;", "long ", "state", false, true },
		{ "void * addr;\toffset:8;\tsize:8;\tsigned:0;", "void * ", "addr", false, false },
		{ "char comm[16];\toffset:8;\tsize:8;\tsigned:0;", "char ", "comm", true, false },
		{ "__data_loc char[] name;\toffset:8;\tsize:8;", "__data_loc char[] ", "name", false, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		char text[256];
		struct trace_format format;
		struct trace_field field;

		snprintf(text, sizeof(text), HEAD COMMON "\tfield:%s\n\nprint fmt: \"\"\n", fields[i].line);
		ok(!parse(text, &format, &field) && field.offset == 8 && field.size == 8 && !field.is_common &&
		   !strcmp(field.name, fields[i].name) && field.type_length == strlen(fields[i].type) &&
		   !strncmp(field.type, fields[i].type, field.type_length) && field.is_array == fields[i].is_array &&
		   field.is_signed == fields[i].is_signed, "trace format: a field is parsed: %s", fields[i].line);
	}
}

static void test_malformed(void)
{
	static const char *const texts[] = {
		"", "ID: 77\n", "name: \nID: 77\nformat:\n", "name: made_up\nID: x\nformat:\n", "name: made_up\nID: 7x\nformat:\n",
		"name: made_up\nID: 77\n", HEAD "\tfield:int a\n", HEAD "field:int a;\toffset:0;\tsize:4;\n",
		HEAD "\tfield:int a;\toffset:x;\tsize:4;\n", HEAD "\tfield:int a;\toffset:65536;\tsize:4;\n",
		HEAD "\tfield:int a;\toffset:0;\tsize:4\n", HEAD "\tfield:int a;\toffset:0;\tsize:4;\tsigned:2;\n",
		HEAD "\tfield:a;\toffset:0;\tsize:4;\n", HEAD "\tfield:int a];\toffset:0;\tsize:4;\n", HEAD "\tfield:int ;\toffset:0;\tsize:4;\n",
	};
	struct trace_format format;
	struct trace_field field;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		ok(parse(texts[i], &format, &field) == -EINVAL, "trace format: malformed text %zu is refused", i);
}

int main(void)
{
	struct trace_format format;
	struct trace_field field;

	ok(!parse(HEAD, &format, &field) && format.id == 77 && !strcmp(format.name, "made_up") && !field.name,
	   "trace format: a format without fields has its name and ID");
	ok(!parse(HEAD COMMON, &format, &field) && field.is_common, "trace format: fields before the empty line are common");
	test_fields();
	test_malformed();
	return done_testing();
}
