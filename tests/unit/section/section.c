// SPDX-License-Identifier: LGPL-2.1-or-later
/* The text format of section files, members of a section, and errors with their line */
#include <errno.h>

#include "section-test.h"
#include "section/section.h"

static void refuses(const char *text, const char *error_text, const char *what)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_section *section = gpmu_section_new("a.section", text, strlen(text), &error);

	is_str(section ? "no error" : error.text, error_text, what);
	gpmu_section_free(section);
}

static void warns(const char *text, const char *warning, const char *what)
{
	struct gpmu_section *section = parse(text);
	const char *got = section ? gpmu_section_warning(section, 0) : NULL;

	is_str(got ? got : "none", warning, what);
	gpmu_section_free(section);
}

/* Checks the text of the field Description. */
static void describes(const char *value, const char *want, const char *what)
{
	char text[256];
	struct gpmu_section *section;

	snprintf(text, sizeof(text), "Identifier: \"A\" Description: %s", value);
	section = parse(text);
	is_str(section ? gpmu_section_description(section) : "no section", want, what);
	gpmu_section_free(section);
}

/* Checks a number, in the field Order or Header/Metrics/Multiplier. */
static void reads(const char *value, double want, const char *what)
{
	char text[256];
	struct gpmu_section *section;
	struct gpmu_section_metrics *metrics;
	const struct gpmu_section_metric *metric;

	snprintf(text, sizeof(text), "Identifier: \"A\" Header { Metrics { Name: \"m\" Multiplier: %s } }", value);
	section = parse(text);
	metrics = section ? gpmu_section_select(section, TARGET()) : NULL;
	metric = metrics ? gpmu_section_metrics_at(metrics, 0) : NULL;
	ok(metric && metric->multiplier == want, "section: a multiplier is read: %s", what);
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
}

static void test_members(void)
{
	struct gpmu_section *section = parse(
		"# a comment\nIdentifier: \"Busy\"\nDisplayName: \"Busy Units\"\nOrder: 12\n"
		"Description: \"How busy\" ' units are'\nExtends: \"Other\"\nExtends: \"More\"\n"
		"Sets { Identifier: \"basic\" } Sets { Identifier: \"full\" }\n");

	if (!ok(section != NULL, "section: a section of members alone is parsed"))
		return;
	is_str(gpmu_section_file(section), "a.section", "section: a section has the name of its file");
	is_str(gpmu_section_identifier(section), "Busy", "section: a section has its Identifier");
	is_str(gpmu_section_name(section), "Busy Units", "section: a section has its DisplayName");
	is_str(gpmu_section_description(section), "How busy units are", "section: adjacent strings are joined");
	ok(gpmu_section_order(section) == 12, "section: a section has its Order");
	is_str(gpmu_section_extends(section, 1), "More", "section: Extends may be repeated");
	ok(!gpmu_section_extends(section, 2), "section: Extends ends after the last identifier");
	is_str(gpmu_section_set(section, 1), "full", "section: Sets has identifiers");
	ok(!gpmu_section_set(section, 2), "section: Sets ends after the last one");
	ok(!gpmu_section_warning(section, 0), "section: known fields cause no warning");
	gpmu_section_free(section);
	section = parse("Identifier: \"Busy\"");
	is_str(gpmu_section_name(section), "Busy", "section: a section without DisplayName is shown by its Identifier");
	ok(!gpmu_section_description(section) && !gpmu_section_order(section), "section: absent members are NULL and 0");
	gpmu_section_free(section);
}

static void test_format(void)
{
	describes("\"a\\tb\\\"\\'\\\\\\x41\\102\\u00e9\\U0001f600\"", "a\tb\"'\\AB\303\251\360\237\230\200", "section: escapes of strings are decoded");
	describes("'a \"b\" # c'", "a \"b\" # c", "section: a string in single quotes may have double ones and \"#\"");
	describes("\"a\" # one\n 'b'\n", "ab", "section: a comment may separate adjacent strings");
	reads("0.5", 0.5, "a decimal fraction is a number");
	reads(".5f", 0.5, "a number may begin with a point and end with f");
	reads("-2e-1", -0.2, "a number has a sign and an exponent");
	reads("0x1F", 31, "a number may be hexadecimal");
	reads("017", 15, "a number may be octal");
	reads("- 3", -3, "blanks may follow a sign");
	selects("Identifier: 'A'; Header: < Metrics: [ { Name: 'a' }, < Name: 'b' > ], Metrics { Name: 'c' }; >", TARGET(),
		"a b c", "section: lists, angle brackets, and \";\" and \",\" after fields are accepted");
}

static void test_errors(void)
{
	refuses("", "a.section: expected an Identifier", "section: an empty file is refused");
	refuses("Identifier: \"a b\"", "a.section:1: Identifier: expected a text without blanks and commas", "section: an Identifier with a blank is refused");
	refuses("Identifier: \"A\"\n\nHeader {\n", "a.section:4: expected the name of a field, found the end of the file", "section: a message without its end is refused with the last line");
	refuses("Identifier: \"A\"\nHeader }", "a.section:2: expected \":\" or \"{\", found \"}\"", "section: a name without a value is refused");
	refuses("Identifier: \"A\"\nOrder: \"1\"", "a.section:2: Order: expected an integer, found \"1\"", "section: a string in place of an integer is refused");
	refuses("Identifier: \"A\"\nOrder: 1.5 #", "a.section:2: Order: expected an integer, found \"1.5\"", "section: a fraction in place of an integer is refused");
	refuses("Identifier: A\n", "a.section:2: Identifier: expected a string, found \"A\"", "section: a word in place of a string is refused");
	refuses("Identifier: \"A\n\"", "a.section:1: a string does not end on its line", "section: a string without its end is refused");
	refuses("Header: 3", "a.section:1: Header: expected \"{\"", "section: a number in place of a message is refused");
	refuses("Identifier { }", "a.section:1: Identifier: expected a string", "section: a message in place of a string is refused");
	refuses("Identifier: \"\\q\"", "a.section:1: a string has an escape that does not exist", "section: an unknown escape is refused");
	refuses("Identifier: \"a\\0b\"", "a.section:1: a string has an escape that does not exist", "section: a NUL in a string is refused");
	refuses("\n\001", "a.section:2: expected the name of a field, found byte 0x01", "section: a control character is refused");
	refuses("Extends: [\"a\" \"b\" 3]", "a.section:1: expected \",\" or \"]\", found \"3\"", "section: a list without commas is refused");
	refuses("Extends: [\"a\",]", "a.section:1: expected a value, found \"]\"", "section: a list that ends with a comma is refused");
	refuses("Body { SetDefault: maybe }", "a.section:1: SetDefault: expected true or false, found \"maybe\"", "section: a word that is no bool is refused");
	refuses("a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{", "a.section:1: nested deeper than 32 messages", "section: deep nesting is refused");
}

static void test_warnings(void)
{
	warns("Identifier: \"A\"\nHeader {\n Metrics { Name: \"m\"\n Colour: blue } }", "a.section:4: unknown field Header/Metrics/Colour is ignored", "section: an unknown scalar is named with its messages and line");
	warns("Identifier: \"A\"\nNew { Inner { x: 1 y: [1, 2] } z: \"a\" 'b' }\nOrder: 3", "a.section:2: unknown field New is ignored", "section: an unknown message is skipped whole");
	warns("Identifier: \"A\"\n[a.b/c]: 3", "a.section:2: unknown field [a.b/c] is ignored", "section: an extension is ignored");
	warns("Identifier: \"A\"\nOrder: 1\nOrder: 2", "a.section:3: Order is given again; the last one applies", "section: a repeated field that may not be is named");
	warns("Identifier: \"A\"\nFilter { MinArch: SM_90 }", "a.section:2: MinArch: value SM_90 is not known and is ignored", "section: an architecture of another form is named");
	warns("Identifier: \"A\"\nFilter { CollectionFilter { CollectionScopes: CollectionScope_Galaxy } }", "a.section:2: CollectionScopes: value CollectionScope_Galaxy is not known and is ignored", "section: an unknown scope is named");
	warns("Identifier: \"A\"\nFilter { CollectionFilter { Importance: Vital } }", "a.section:2: Importance: value Vital is not known and is ignored", "section: an unknown importance is named");
	warns("Identifier: \"A\"\nHeader { Metrics { Name: \"regex:a.*\" } }", "a.section:2: regex:a.* is ignored: a regular expression is allowed in tables and charts only", "section: a regular expression in the header is named");
	warns("Identifier: \"A\"\nBody { Items { Table { Metrics { Name: \"regex:a[\" } } } }", "a.section:2: regex:a[ is ignored: malformed regular expression", "section: a malformed regular expression is named");
}

/* Fields that the documentation has, and no file of Nsight Compute 2025.3 */
static void test_documented(void)
{
	struct gpmu_section *section = parse(
		"Identifier: \"A\" Body { Items { Table { Rows: 2 Columns: 1 Order: ColumnMajor Metrics { Name: \"a\" } } } } "
		"Metrics { Order: 3 Metrics { Name: \"b\" Description: \"text\" } } SourceMetrics { Order: 2 Metrics { Name: \"c\" "
		"DisplayProperties { SourceView { DefaultVisible: false } } } } "
		"Filter { CollectionFilter { Importance: Optional CollectionScopes: CollectionScope_Graph } }");

	ok(section && !gpmu_section_warning(section, 0), "section: fields that only the documentation has are known");
	gpmu_section_free(section);
}

static void test_many_warnings(void)
{
	char text[2048] = "Identifier: \"A\"";
	const size_t length = strlen(text);
	struct gpmu_section *section;

	for (size_t i = 0; i < SECTION_MAX_WARNINGS + 2; i++)
		memcpy(text + length + 5 * i, " a: 1", 6);
	section = parse(text);
	is_str(section ? gpmu_section_warning(section, SECTION_MAX_WARNINGS) : NULL, "a.section: 2 more warnings", "section: warnings beyond the limit are counted");
	gpmu_section_free(section);
}

int main(void)
{
	test_members();
	test_format();
	test_errors();
	test_warnings();
	test_documented();
	test_many_warnings();
	return done_testing();
}
