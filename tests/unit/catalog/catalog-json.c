// SPDX-License-Identifier: LGPL-2.1-or-later
/* Malformed files: each is refused with its line number, or has a warning. */
#include <errno.h>
#include <locale.h>

#include "catalog-test.h"

#define METRIC	"\"MetricName\": \"m\", \"MetricExpr\": \"1\""
#define EVENT	"\"EventName\": \"e\", \"EventCode\": \"1\""
#define X64	"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"

/* "x.json:LINE: ..." */
static const struct {
	const char *text, *want;
} refused[] = {
	/* Outside of objects */
	{ "", "1: expected [ and objects in it" },
	{ " \n\n ", "3: expected [ and objects in it" },
	{ "{}", "1: expected [ and objects in it" },
	{ "nonsense", "1: expected [ and objects in it" },
	{ "\xef\xbb\xbf[]", "1: expected [ and objects in it" },
	{ "[", "1: expected an object" },
	{ "[\n", "2: expected an object" },
	{ "[\n\"a\"]", "2: expected an object" },
	{ "[[]]", "1: expected an object" },
	{ "[{" EVENT "}\n", "2: expected a comma or ] after an object" },
	{ "[{" EVENT "} {}]", "1: expected a comma or ] after an object" },
	{ "[{" EVENT "},\n]", "2: expected an object" },
	{ "[{" EVENT "},", "1: expected an object" },
	{ "[,]", "1: expected an object" },
	{ "[{" EVENT "}]\n]", "2: expected nothing after ]" },
	{ "[{" EVENT "}] // done", "1: expected nothing after ]" },
	{ "[]]", "1: expected nothing after ]" },
	/* Malformed objects */
	{ "[\n{", "2: string or '}' expected near end of file" },
	{ "[{" EVENT, "1: '}' expected near end of file" },
	{ "[{" EVENT ",}]", "1: string or '}' expected near '}'" },
	{ "[{\"EventName\"}]", "1: ':' expected near '}'" },
	{ "[{\"EventName\": \"e\n\"}]", "1: unexpected newline near '\"e'" },
	{ "[{\"EventName\": \"e", "1: premature end of input near '\"e'" },
	{ "[{\"EventName\": \"\\q\"}]", "1: invalid escape near '\"\\q'" },
	{ "[{\"EventName\": \"\\ud800\"}]", "1: invalid Unicode '\\uD800' near '\"\\ud800\"'" },
	{ "[{\"EventName\": \"\xff\"}]", "1: unable to decode byte 0xff near '\"'" },
	{ "[{\"EventName\": \"\xc3", "1: unable to decode byte 0xc3 near '\"'" },
	{ "[{\"EventName\": \"a\tb\"}]", "1: control character 0x9 near '\"a'" },
	{ "[{\"EventName\": 'e'}]", "1: invalid token near '''" },
	{ "[{EventName: \"e\"}]", "1: string or '}' expected near 'EventName'" },
	{ "[{\"EventName\": \"a\\u0000b\"}]",
	  "1: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'" },
	{ "[\n{\n\"Counter\": 99999999999999999999}]",
	  "3: too big integer near '99999999999999999999'" },
	/* Keys */
	{ "[{" EVENT ",\n\"EventCode\": \"2\"}]",
	  "2: duplicate object key near '\"EventCode\"'" },
	{ "[{" EVENT ", \"Counter\": \"1\",\n\"Counter\": \"1\"}]",
	  "2: duplicate object key near '\"Counter\"'" },
	{ "[{" EVENT ", \"odd\": 1,\n\"odd\": 2}]", "2: duplicate object key near '\"odd\"'" },
	{ "[{" EVENT ", \"Even\\u0074Name\": \"f\"}]",
	  "1: duplicate object key near '\"Even\\u0074Name\"'" },
	/* Types */
	{ "[{\n\"EventName\":\n1}]", "1: EventName: expected a string, found a number" },
	{ "[{\"EventName\": {}}]", "1: EventName: expected a string, found an object" },
	{ "[{\"EventName\": [\"e\"]}]", "1: EventName: expected a string, found an array" },
	{ "[{\"EventName\": true}]", "1: EventName: expected a string, found true" },
	{ "[{\"EventName\": false}]", "1: EventName: expected a string, found false" },
	{ "[{\"EventName\": null}]", "1: EventName: expected a string, found null" },
	{ "[{\"EventName\": 1.5}]", "1: EventName: expected a string, found a number" },
	{ "[{" METRIC ",\n\"x\": {\"MetricGroup\": 1},\n\"MetricGroup\": 1}]",
	  "1: MetricGroup: expected a string, found a number" },
	/* Values */
	{ "[{\"EventName\": \"a\\nb\"}]", "1: EventName: expected one line of at most 255 bytes" },
	{ "[{\"EventName\": \"a\x7fz\"}]", "1: EventName: expected one line of at most 255 bytes" },
	{ "[{\"EventName\": \"a\\u007fb\"}]",
	  "1: EventName: expected one line of at most 255 bytes" },
	{ "[{\"EventName\": \"" X64 X64 X64 X64 "\"}]",
	  "1: EventName: expected one line of at most 255 bytes" },
	{ "[{" METRIC ", \"MetricGroup\": \"a\\tb\"}]", "1: MetricGroup: expected one line" },
	{ "[{" METRIC ",\n\"ScaleUnit\": \"GB/s\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found GB/s" },
	{ "[{" METRIC ", \"ScaleUnit\": \"0%\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found 0%" },
	{ "[{" METRIC ", \"ScaleUnit\": \"-1%\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found -1%" },
	{ "[{" METRIC ", \"ScaleUnit\": \"1e999%\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found 1e999%" },
	{ "[{" METRIC ", \"ScaleUnit\": \".GB\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found .GB" },
	{ "[{" METRIC ", \"ScaleUnit\": \"+1%\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found +1%" },
	{ "[{" METRIC ", \"ScaleUnit\": \"nan\"}]",
	  "1: ScaleUnit: expected a number above 0 and a unit such as 1GB/s, found nan" },
	{ "[{" METRIC ", \"MetricConstraint\": \"NO\"}]",
	  "1: MetricConstraint: expected a constraint of perf's such as NO_GROUP_EVENTS, "
	  "found NO" },
	/* Combinations of keys */
	{ "[{},\n{\"MetricName\": \"m\"}]", "2: MetricName: expected a MetricExpr beside it" },
	{ "[{\"MetricName\": \"m\", \"MetricExpr\": \"\"}]",
	  "1: MetricName: expected a MetricExpr beside it" },
	{ "[{\"MetricExpr\": \"1\"}]", "1: MetricExpr: expected a MetricName beside it" },
	{ "[{\"EventCode\": \"1\", \"EventName\": \"\"}]",
	  "1: EventCode: expected an EventName beside it" },
};

static void check_refused(void)
{
	char want[256], text[64], what[128];
	struct gpmu_error error = { .size = sizeof(error) };
	size_t i, j;
	int ret;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct gpmu_catalog *catalog = empty();

		error.text[0] = 0;
		ret = add_text(catalog, "x.json", refused[i].text, &error);
		snprintf(want, sizeof(want), "x.json:%s", refused[i].want);
		snprintf(text, sizeof(text), "%s", refused[i].text);
		for (j = 0; text[j]; j++)
			if (text[j] < ' ' || text[j] > '~' || text[j] == '#' || text[j] == '\\')
				text[j] = '?';
		snprintf(what, sizeof(what), "catalog: a malformed file is refused with its line: %s", text);
		is_str(ret == -EINVAL ? error.text : "taken", want, what);
		gpmu_catalog_free(catalog);
	}
}

/* The offset of a syntax error is its own, that of another error its object's. */
static void check_offset(void)
{
	static const struct {
		const char *text;
		size_t offset;
	} errors[] = {
		{ "[\n {}, 1]", 7 },			/* not an object */
		{ "[\n {\"EventName\": 'e'}]", 17 },	/* not JSON */
		{ "[\n {\"a\": 1, \"EventName\": 1}]", 3 },	/* a value of a wrong type */
		{ "[\n {\"UMask\": \"x\", \"EventName\": \"e\"}]", 3 },	/* a value that is no number */
	};
	struct gpmu_error error = { .size = sizeof(error) };
	size_t i;

	for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		struct gpmu_catalog *catalog = empty();

		error.offset = 0;
		add_text(catalog, "x.json", errors[i].text, &error);
		is_u64(error.offset, errors[i].offset,
		       "catalog: an error's offset is in bytes of the file");
		gpmu_catalog_free(catalog);
	}
}

/* A file that is cut off at any byte is refused, unless only white space is missing. */
static void check_cut_off(void)
{
	static const char text[] =
		"[{\"MetricName\": \"m\\u0061\", \"MetricExpr\": \"1\", \"MetricGroup\": \"a\"},\n"
		"{\"EventName\": \"e\", \"Counter\": 1, \"EventCode\": \"0x1\"}]\n";
	struct gpmu_error error = { .size = sizeof(error) };
	size_t length, wrong = 0;
	const char *end = strrchr(text, ']');

	for (length = 0; length < sizeof(text); length++) {
		struct gpmu_catalog *catalog = empty();
		/* A sanitizer reports reads past the end. */
		char *part = malloc(length ? length : 1);
		int ret;

		if (!part)
			exit(1);
		memcpy(part, text, length);
		ret = add_bytes(catalog, "x.json", part, length, &error);
		wrong += (length > (size_t)(end - text)) != !ret && length != sizeof(text);
		wrong += ret && strncmp(error.text, "x.json:", 7);
		free(part);
		gpmu_catalog_free(catalog);
	}
	is_u64(wrong, 0, "catalog: a file that is cut off at any byte is refused with its line");
}

static void check_deep(void)
{
	struct gpmu_catalog *catalog = empty();
	struct gpmu_error error = { .size = sizeof(error) };
	size_t size = 1 << 20, length;
	char *text = malloc(size);

	if (!text)
		exit(1);
	length = (size_t)snprintf(text, size, "[{" EVENT ",\n\"Counter\": ");
	memset(text + length, '[', size - length - 1);
	text[size - 1] = 0;
	ok(add_text(catalog, "x.json", text, &error) == -EINVAL,
	   "catalog: a million nested arrays are refused");
	ok(strstr(error.text, "x.json:2: maximum parsing depth reached"),
	   "catalog: the error for nested arrays has their line") || (diag("%s", error.text), 0);
	free(text);
	gpmu_catalog_free(catalog);
}

static void check_groups(void)
{
	char text[1024] = "[{" METRIC ", \"MetricGroup\": \"";
	struct gpmu_catalog *catalog = empty();
	struct gpmu_error error = { .size = sizeof(error) };
	size_t length = strlen(text);
	int i;

	for (i = 0; i < 65; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "g%d;", i);
	memcpy(text + length, "\"}]", 4);
	ok(add_text(catalog, "x.json", text, &error) == -EINVAL,
	   "catalog: a metric with 65 groups is refused");
	is_str(error.text, "x.json:1: MetricGroup: expected at most 64 groups",
	       "catalog: the error for 65 groups has the metric's line");
	memcpy(strstr(text, ";g64"), "\"}]", 4);
	add(catalog, "x.json", text);
	ok(gpmu_catalog_group(catalog, 63), "catalog: a metric with 64 groups is accepted");
	gpmu_catalog_free(catalog);
}

static void check_taken(void)
{
	struct gpmu_catalog *catalog = empty();
	const struct gpmu_metric *metric;
	const struct gpmu_event_def *event;

	add(catalog, "x.json", "[]");
	add(catalog, "x.json", "\r\n[ ]\t");
	add(catalog, "x.json", "[{}, {\"Unit\": \"CHA\", \"CountersNumFixed\": 1}]");
	is_u64(count_metrics(catalog) + count_events(catalog), 0,
	       "catalog: objects without names add nothing");
	is_text(gpmu_catalog_warning(catalog, 0), NULL,
		"catalog: objects without names have no warning");
	add(catalog, "x.json", "[{" EVENT ", \"Counter\": [1, {\"a\": {}}], " METRIC "}]");
	ok(gpmu_catalog_find_metric(catalog, "m", NULL) &&
	   catalog_find_event(catalog, NULL, "e", NULL),
	   "catalog: one object can have an event and a metric");
	add(catalog, "x.json", "[{\"MetricName\": \"tw\\u00f6\", \"MetricExpr\": \"a\\n/ b\\\\,c\","
	    "\"PublicDescription\": \"long\\nold\", \"MetricThreshold\": \"m > 1\","
	    "\"MetricConstraint\": \"NO_GROUP_EVENTS\"}]");
	metric = gpmu_catalog_find_metric(catalog, "tw\xc3\xb6", NULL);
	is_text(metric ? gpmu_metric_expr(metric) : NULL, "a\n/ b\\,c",
		"catalog: escapes in an expression are decoded");
	is_text(gpmu_metric_description(metric), "long\nold",
		"catalog: a metric without a short description has the long one");
	is_text(gpmu_metric_details(metric), NULL,
		"catalog: a long description used as the short one is not repeated as details");
	add(catalog, "x.json", "[{\"MetricName\": \"same\", \"MetricExpr\": \"1\","
	    "\"BriefDescription\": \"said\", \"PublicDescription\": \"said\"}]");
	is_text(gpmu_metric_details(gpmu_catalog_find_metric(catalog, "same", NULL)), NULL,
		"catalog: details equal to the short description are dropped");
	is_text(gpmu_metric_threshold(metric), "m > 1", "catalog: a metric has its threshold");
	is_text(metric->constraint, "NO_GROUP_EVENTS",
		"catalog: a metric has its constraint");
	add(catalog, "x.json", "[{" EVENT ", \"BriefDescription\": \"\", \"Unit\": \"\","
	    "\"Compat\": \"\", \"ScaleUnit\": \"\"}]");
	event = catalog_find_event(catalog, NULL, "e", NULL);
	ok(!gpmu_event_def_description(event) && !gpmu_event_def_details(event) &&
	   !gpmu_event_def_unit(event) && !gpmu_event_def_compat(event),
	   "catalog: an empty string is treated as an absent member");
	add(catalog, "x-metricgroups.json", "{\"a\": \"of a\", \"b\": \"of b\"}\n");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "catalog: valid files have no warning");
	ok(add_text(catalog, "metricgroups.json", "\n[]", NULL) == -EINVAL &&
	   add_text(catalog, "metricgroups.json", "{\"a\": \"b\"}{", NULL) == -EINVAL &&
	   add_text(catalog, "metricgroups.json", "{\"a\": \"b\", \"a\": \"b\"}", NULL) == -EINVAL,
	   "catalog: metricgroups.json must be a single object without duplicate keys");
	gpmu_catalog_free(catalog);
}

static void check_scales(void)
{
	static const struct {
		const char *text;
		double scale;
		const char *unit;
	} scales[] = {
		{ "1GB/s", 1, "GB/s" }, { "100%", 100, "%" }, { "1e2%", 100, "%" },
		{ "9.765625e-4KB", 9.765625e-4, "KB" }, { "4", 4, NULL },
		{ ".5 per cycle", .5, "per cycle" }, { "1e", 1, "e" }, { "1exa", 1, "exa" },
		{ "2E-3E", 2e-3, "E" },
	};
	/* In this locale strtod() expects a comma. */
	const char *locale = setlocale(LC_ALL, "de_DE.UTF-8");
	char text[128];
	size_t i;

	for (i = 0; i < sizeof(scales) / sizeof(scales[0]); i++) {
		struct gpmu_catalog *catalog = empty();
		const struct gpmu_event_def *event;

		snprintf(text, sizeof(text), "[{" EVENT ", \"ScaleUnit\": \"%s\"}]",
			 scales[i].text);
		add(catalog, "x.json", text);
		event = gpmu_catalog_event(catalog, 0);
		ok(event_def_scale(event) == scales[i].scale,
		   "catalog: the scale of %s is parsed%s",
		   scales[i].text, locale ? ", in de_DE" : "");
		is_text(gpmu_event_def_unit(event), scales[i].unit,
			"catalog: the unit after a scale is kept");
		gpmu_catalog_free(catalog);
	}
	setlocale(LC_ALL, "C");
}

static void check_warnings(void)
{
	struct gpmu_catalog *catalog = empty();
	char text[4096], wide[256];
	size_t length = 0, i;

	add(catalog, "x.json", "[{" METRIC "},\n{" EVENT ", \"Odd\\n\": 1, \"Odder\": 2}]");
	is_text(gpmu_catalog_warning(catalog, 0), "x.json:2: Odd? is not a key of perf's: ignored",
		"catalog: unknown keys cause a warning of one line");
	is_text(gpmu_catalog_warning(catalog, 1), NULL,
		"catalog: an object with two unknown keys has one warning");
	for (i = 0; i < 120; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%c{\"odd\": %zu}", i ? ',' : '[', i);
	memcpy(text + length, "]", 2);
	add(catalog, "x.json", text);
	ok(gpmu_catalog_warning(catalog, 99), "catalog: 100 warnings are kept");
	is_text(gpmu_catalog_warning(catalog, 100), "21 more warnings",
		"catalog: warnings after the first 100 are counted");
	is_text(gpmu_catalog_warning(catalog, 101), NULL,
		"catalog: the number of further warnings is the last warning");
	add(catalog, "x.json", text);
	is_text(gpmu_catalog_warning(catalog, 100), "141 more warnings",
		"catalog: warnings of later files are added to that number");
	gpmu_catalog_free(catalog);
	catalog = empty();
	memset(wide, 'w', sizeof(wide));
	memcpy(wide + 250, ".json", 6);
	add(catalog, wide, "[{\"odd\": 1}]");
	ok(strlen(gpmu_catalog_warning(catalog, 0)) < 150 &&
	   !strncmp(gpmu_catalog_warning(catalog, 0), "...w", 4) &&
	   strstr(gpmu_catalog_warning(catalog, 0), "www.json:1: odd is"),
	   "catalog: a warning shows the end of a long path");
	gpmu_catalog_free(catalog);
}

/*
 * The metrics a metric refers to are resolved for a machine later, so a cycle is no error of the
 * file.
 */
static void check_cycle(void)
{
	struct gpmu_catalog *catalog = empty();

	add(catalog, "x.json", "[{\"MetricName\": \"a\", \"MetricExpr\": \"b + 1\"},"
	    "{\"MetricName\": \"b\", \"MetricExpr\": \"a + 1\"}]");
	is_u64(count_metrics(catalog), 2, "catalog: metrics that refer to each other are loaded");
	gpmu_catalog_free(catalog);
}

int main(void)
{
	check_refused();
	check_offset();
	check_cut_off();
	check_deep();
	check_groups();
	check_taken();
	check_scales();
	check_warnings();
	check_cycle();
	return done_testing();
}
