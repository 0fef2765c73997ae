// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of perf stat -x and -j in the forms of several versions, and refused lines */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "saved/saved.h"
#include "tap.h"

static struct saved_format format;
static struct saved_line line;
static struct saved_expected expected;

static int parse(const char *text)
{
	return saved_line_parse(&format, text, strlen(text), &line, &expected);
}

/* Parses the first line of an output. */
static int first(const char *text)
{
	format = (struct saved_format){ 0 };
	return parse(text);
}

static bool is_text(struct saved_text text, const char *want)
{
	return text.begin ? saved_is(text, want) : !*want;
}

/* Parses a line with a count and compares its fields. */
static void count(const char *text, double value, const char *unit, const char *event,
		  uint64_t running, double share, const char *what)
{
	bool is_fine = !first(text) && line.count.state == COUNT_OK && line.count.value == value &&
		       is_text(line.unit, unit) && is_text(line.event, event) &&
		       line.count.running == running && line.count.share == share;

	if (!ok(is_fine, "%s", what))
		diag("value %g, unit %.*s, event %.*s, running %llu, share %g", line.count.value,
		     (int)line.unit.length, line.unit.begin ? line.unit.begin : "",
		     (int)line.event.length, line.event.begin ? line.event.begin : "",
		     (unsigned long long)line.count.running, line.count.share);
}

static void test_csv(void)
{
	count("1.03,msec,task-clock,1032970,100.00,0.017,CPUs utilized", 1.03, "msec", "task-clock",
	      1032970, 100, "CSV: a value may have a unit");
	ok(is_text(line.metric, "CPUs utilized") && line.count.metric_value == 0.017,
	   "CSV: a metric stands beside the count");
	count("12;;nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/;5;66.00;;", 12, "",
	      "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/", 5, 66,
	      "CSV: a semicolon may separate the fields");
	ok(!strcmp(format.separator, ";"), "CSV: the separator found is the semicolon");
	count("12,,nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/,5,66.00,,", 12, "",
	      "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/", 5, 66,
	      "CSV: terms of an event may contain the separator");
	count("7,,a/b,c=1,d=2/u,5,100.00", 7, "", "a/b,c=1,d=2/u", 5, 100,
	      "CSV: terms of an event may contain the separator several times");
	count("3\t\tcycles\t5\t100.00", 3, "", "cycles", 5, 100,
	      "CSV: a tab may separate the fields");
	count("3|  |cycles|5|100.00||", 3, "  ", "cycles", 5, 100,
	      "CSV: a bar may separate the fields");
	count("0,64;msec;task-clock;642137;100,00;0,596;CPUs utilized", 0.64, "msec", "task-clock",
	      642137, 100, "CSV: a locale's decimal commas are accepted");
	count("18446744073709551615,,x,1,100.00,,", 18446744073709551615.0, "", "x", 1, 100,
	      "CSV: the largest 64-bit count is accepted");
	count("3,,cycles,5,100.00\r", 3, "", "cycles", 5, 100, "CSV: a line may end in CR LF");
	count("1,,a,0.50%,5,100.00,,", 1, "", "a", 5, 100,
	      "CSV: the deviation of several runs is accepted");
	ok(line.count.deviation == 0.5, "CSV: the deviation is in percent");
	ok(!first("<not counted>,,cycles,0,100.00,,") && line.count.state == COUNT_NOT_COUNTED,
	   "CSV: <not counted> is a state");
	ok(!first("<not supported>,,cycles,0,100.00,,") && line.count.state == COUNT_NOT_SUPPORTED,
	   "CSV: <not supported> is a state");
}

static void test_csv_labels(void)
{
	count("     0.050317810,S0,2,40,,cs,65,100.00,610.367,/sec", 40, "", "cs", 65, 100,
	      "CSV labels: an interval and a socket are accepted");
	ok(line.is_timed && line.time == 50317810 && line.count.label == SAVED_PACKAGE && !line.count.number &&
	   line.count.counters == 2, "CSV labels: time in ns, socket and number of counters are right");
	count("12.000000001,N7,72,40,,cs,65,100.00", 40, "", "cs", 65, 100,
	      "CSV labels: a node is accepted");
	ok(line.time == 12000000001 && line.count.label == SAVED_NODE && line.count.number == 7 &&
	   line.count.counters == 72, "CSV labels: time, node and number of counters are right");
	count("CPU143,40,,cs,65,100.00", 40, "", "cs", 65, 100, "CSV labels: a CPU is accepted");
	ok(line.count.label == SAVED_CPU && line.count.number == 143 && !line.count.counters,
	   "CSV labels: a CPU has its number and no number of counters");
	count("S1-D0-C17,1,40,,cs,65,100.00", 40, "", "cs", 65, 100,
	      "CSV labels: a core is accepted");
	ok(line.count.label == SAVED_PACKAGE && line.count.number == 1,
	   "CSV labels: a core belongs to its package");
	count("S1-D0-L3-ID12,1,40,,cs,65,100.00", 40, "", "cs", 65, 100,
	      "CSV labels: a cache in the form of perf 6.12 is accepted");
	count("S1-D0-CLS2,1,40,,cs,65,100.00", 40, "", "cs", 65, 100,
	      "CSV labels: a cluster is accepted");
	count("my-app x-4711,40,,cs,65,100.00", 40, "", "cs", 65, 100,
	      "CSV labels: a thread whose name has blanks and dashes is accepted");
	ok(line.count.label == SAVED_THREAD && line.count.number == 4711, "CSV labels: a thread has its tid");
	count("S0,2,3,,12,65,100.00", 3, "", "12", 65, 100,
	      "CSV labels: an event whose name is a number is accepted");
	ok(!first("1.000000000,summary,3,,cs,5,100.00") && line.is_empty,
	   "CSV: a summary of the first line is not taken for a count");
	first("3,,cs,5,100.00");
	ok(!parse("summary,3,,cs,5,100.00") && line.is_empty, "CSV: a summary line has no count");
	ok(!parse("           summary,3,,cs,5,100.00") && line.is_empty,
	   "CSV: a summary line with blanks, as of perf 6.1, has no count");
	ok(!parse("# started on Sat Nov 21") && line.is_empty && !parse("") && line.is_empty &&
	   !parse("  ") && line.is_empty, "CSV: comments and blank lines have no count");
	ok(!parse("Events disabled") && line.is_empty && !parse("Events enabled") && line.is_empty,
	   "CSV: the lines of perf stat -D have no count");
	ok(!parse("Warning:") && line.is_empty && !parse("this, that") && line.is_empty &&
	   parse("this, that") == -EINVAL,
	   "CSV: a warning of one line is skipped, and further unknown lines are refused");
	ok(!parse(",,,,,0.5,CPUs utilized") && !line.event.begin &&
	   is_text(line.metric, "CPUs utilized") && line.count.metric_value == 0.5,
	   "CSV: a metric may have a line of its own");
	ok(!parse("0.100000000,S0,2,,,,,,7.1,a, b") && is_text(line.metric, "a, b"),
	   "CSV: a metric of a socket may have the separator in its unit");
}

/* Replaces each "|" of a line by the separator. */
static const char *separate(char *to, const char *text, const char *separator)
{
	char *cursor = to;

	for (; *text; text++)
		cursor += sprintf(cursor, "%.*s", *text == '|' ? (int)strlen(separator) : 1,
				  *text == '|' ? separator : text);
	return to;
}

static bool is_count_line(const char *text, double value, const char *unit, const char *event, double share)
{
	bool is_fine = !parse(text) && line.count.value == value && is_text(line.unit, unit) &&
		       is_text(line.event, event) && line.count.running == 12500000 && line.count.share == share;

	if (!is_fine)
		diag("%s: value %g, unit %.*s, event %.*s, running %llu, share %g", text, line.count.value,
		     (int)line.unit.length, line.unit.begin ? line.unit.begin : "", (int)line.event.length,
		     line.event.begin ? line.event.begin : "", (unsigned long long)line.count.running,
		     line.count.share);
	return is_fine;
}

/* Returns whether lines of all forms are parsed with a separator, each as the first line */
static bool is_separated_by(const char *separator)
{
	static const char *const firsts[] = {
		"12.50|msec|task-clock|12500000|100.00|0.000|CPUs utilized",
		"     1.000000001|CPU3|7||page-faults|12500000|100.00||",
		"<not counted>||cycles|0|0.00||",
		"7||nvidia_scf_pmu_0/event=0x1,a_b=2/|1.50%|12500000|66.00||",
	};
	bool is_fine = true;
	char text[256];

	for (size_t i = 0; i < 4; i++) {
		is_fine &= !first(separate(text, firsts[i], separator)) && !strcmp(format.separator, separator);
		is_fine &= is_count_line(separate(text, firsts[0], separator), 12.5, "msec", "task-clock", 100);
		is_fine &= is_text(line.metric, "CPUs utilized") && line.count.metric_value == 0;
		is_fine &= is_count_line(separate(text, firsts[1], separator), 7, "", "page-faults", 100);
		is_fine &= line.time == 1000000001 && line.count.label == SAVED_CPU && line.count.number == 3;
		is_fine &= !parse(separate(text, firsts[2], separator)) && line.count.state == COUNT_NOT_COUNTED &&
			   is_text(line.event, "cycles");
		is_fine &= is_count_line(separate(text, firsts[3], separator), 7, "",
					 "nvidia_scf_pmu_0/event=0x1,a_b=2/", 66) && line.count.deviation == 1.5;
		is_fine &= !parse("# started on Sat Nov 21") && line.is_empty;
	}
	return is_fine;
}

static void test_separators(void)
{
	static const char *const separators[] = {
		"/", "#", "%", "_", "=", "+", ",", ";", "\t", "|", ":", "!", "@", "$", "&", "*", "?", "~", "^", "'", "\"",
		"`", "(", ")", "[", "]", "{", "}", "<", ">", "\\", "-", ".", "||", ", ", "::", " ; ", "%%", "<->", "__",
	};

	for (size_t i = 0; i < sizeof(separators) / sizeof(separators[0]); i++)
		ok(is_separated_by(separators[i]), "CSV: \"%s\" may separate the fields", separators[i]);
	for (char control[2] = "\001"; *control > 0; *control = *control == 31 ? 127 : (char)(*control + 1))
		if (*control != '\n' && *control != '\r')
			ok(is_separated_by(control), "CSV: the control character %d may separate the fields", *control);
	ok(!first("12,50/msec/task-clock/12500000/100,00/0/CPUs utilized") && line.count.value == 12.5 &&
	   line.count.metric_value == 0,
	   "CSV: a slash may separate fields with decimal commas");
	ok(!first("12,50,msec,task-clock,12500000,100,00,0,000,CPUs utilized") && line.count.value == 12.5 &&
	   line.count.share == 100,
	   "CSV: a comma may separate fields with decimal commas");
	ok(!first("1||cycles|5|100.00") && !parse("1||a|docker/1|5|100.00") && is_text(line.event, "a") &&
	   is_text(line.cgroup, "docker/1"), "CSV: a cgroup follows an event that has no separator in its name");
	ok(!first("1#2#cycles#5#100.00##") && !parse("######0.5#CPUs utilized") && line.count.metric_value == 0.5,
	   "CSV: a line that begins with the separator # is no comment");
}

/* gpmu stat prints perf's columns, then its own. */
static void test_gpmu(void)
{
	static const char own[] = "2,0.000000000,0.125990429,vm,machine,,,,,p,event,x,1,,ok,1,1,1,1,1,1,0,,,,,";
	char text[256];

	snprintf(text, sizeof(text), "S0,2,7,,cs,5,100.00,1.000,CPUs utilized,%s", own);
	count(text, 7, "", "cs", 5, 100, "gpmu's CSV: columns after perf's are skipped");
	ok(is_text(line.metric, "CPUs utilized"), "gpmu's CSV: a metric ends before gpmu's columns");
	snprintf(text, sizeof(text), ",4,7,,cs,5,100.00,,,%s", own);
	count(text, 7, "", "cs", 5, 100, "gpmu's CSV: the machine may have an empty label");
	ok(line.count.label == SAVED_ALL && line.count.counters == 4,
	   "gpmu's CSV: an empty label may have a number of counters");
	snprintf(text, sizeof(text), ",7,ns,cs,5,100.00,,,%s", own);
	count(text, 7, "ns", "cs", 5, 100, "gpmu's CSV: an empty label may have no number of counters");
	snprintf(text, sizeof(text), ",7,,cs,5,100.00,,,%s", own);
	count(text, 7, "", "cs", 5, 100, "gpmu's CSV: a count with an empty label may have no unit");
	snprintf(text, sizeof(text), ",4,,,,,,16.5,GB/s  a, b,%s", own);
	ok(!first(text) && !line.event.begin && line.count.metric_value == 16.5 &&
	   is_text(line.metric, "GB/s  a, b"),
	   "gpmu's CSV: a metric with an empty label may be the first line");
	snprintf(text, sizeof(text), ",,,0.50%%,,,16.5,GB/s  a,%s", own);
	ok(!first(text) && line.count.metric_value == 16.5 && is_text(line.metric, "GB/s  a"),
	   "gpmu's CSV: a metric may have a deviation");
	ok(first("     1.07 msec task-clock") == -EINVAL,
	   "CSV: an indented line of perf's summary is refused");
}

static void test_json(void)
{
	count("{\"counter-value\" : \"0.885330\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
	      "\"event-runtime\" : 885330, \"pcnt-running\" : 100.00, \"metric-value\" : 0.014473, "
	      "\"metric-unit\" : \"CPUs utilized\"}", 0.88533, "msec", "task-clock", 885330, 100,
	      "JSON: a line of perf 6.1 is accepted");
	ok(is_text(line.metric, "CPUs utilized") && line.count.metric_value == 0.014473,
	   "JSON: a metric may be a number");
	count("{\"interval\" : 0.102265980, \"counter-value\" : \"3.000000\", \"unit\" : \"\", "
	      "\"event\" : \"a/b,c=1/\", \"event-runtime\" : 5, \"pcnt-running\" : 66.00, "
	      "\"metric-value\" : \"14.5\", \"metric-unit\" : \"x\"}", 3, "", "a/b,c=1/", 5, 66,
	      "JSON: a line of perf 6.12 is accepted");
	ok(line.time == 102265980 && line.count.metric_value == 14.5, "JSON: a metric may be a string");
	first("{\"socket\" : \"S36\", \"counters\" : 4, \"counter-value\" : \"<not counted>\", "
	      "\"unit\" : \"\", \"event\" : \"x\", \"event-runtime\" : 0, \"pcnt-running\" : 100.00}");
	ok(line.count.label == SAVED_PACKAGE && line.count.number == 36 && line.count.counters == 4 &&
	   line.count.state == COUNT_NOT_COUNTED, "JSON: a socket in the form of perf 7.3 is accepted");
	ok(!parse("{\"node\" : \"N1\", \"aggregate-number\" : 3, \"metric-value\" : 1}") &&
	   line.count.label == SAVED_NODE && line.count.counters == 3,
	   "JSON: a metric of a node may stand alone");
	ok(!parse("{\"cpu\" : \"2\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.count.label == SAVED_CPU && line.count.number == 2, "JSON: a CPU is accepted");
	ok(!parse("{\"thread\" : \"a-b-12\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.count.label == SAVED_THREAD && line.count.number == 12,
	   "JSON: a thread whose name has dashes has its tid");
	ok(!parse("{\"core\" : \"S0-D0-C1\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.count.label == SAVED_PACKAGE && !line.count.number, "JSON: a core belongs to its package");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"variance\" : 1.50, }") &&
	   line.count.deviation == 1.5, "JSON: a comma may stand before the closing brace");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"metric-value\" : nan, "
		  "\"metric-unit\" : \"y\"}") && isnan(line.count.metric_value), "JSON: nan is no value");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"pcnt-running\" : 99,50}") &&
	   line.count.share == 99.5, "JSON: a decimal comma is accepted");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"later\" : 1\t, \"k\" : 2}") &&
	   is_text(line.event, "x"), "JSON: unknown keys are ignored");
	ok(!parse("{\"counter-value\" : \"1\", \"a\" : {}, \"b\" : [1, {\"c\" : \"]}\"}, []], "
		  "\"event\" : \"x\"}") && is_text(line.event, "x"),
	   "JSON: unknown keys with arrays and objects are ignored");
	ok(parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"a\" : [[{}]}") == -EINVAL,
	   "JSON: an array without its end is refused");
	ok(!parse("{\"metricgroup\" : \"TopdownL1\"}") && !line.event.begin,
	   "JSON: a metric group's name has no count");
}

static void refused(const char *text, size_t offset, const char *what, const char *description)
{
	expected = (struct saved_expected){ 0 };
	if (!ok(parse(text) == -EINVAL && expected.offset == offset &&
		!strcmp(expected.what, what), "%s", description))
		diag("%s: offset %zu, %s", text, expected.offset,
		     expected.what ? expected.what : "none");
}

static void test_refused(void)
{
	format = (struct saved_format){ 0 };
	refused("hello", 0, "a line that \"perf stat -j\" or \"perf stat -x,\" prints",
		"CSV refused: a line that is neither CSV nor JSON");
	refused("1234", 0, "a line that \"perf stat -j\" or \"perf stat -x,\" prints",
		"CSV refused: a line with a number alone");
	first("1,,a,5,100.00,,");
	refused("x,,a,5,100.00", 0, "a number, <not counted> or <not supported>",
		"CSV refused: a line without a value");
	refused("1", 1, "a unit", "CSV refused: a line without a unit");
	refused("1,,", 3, "the name of an event", "CSV refused: a line without an event");
	refused("1,,a/b,5,100.00", 3, "the \"/\" that ends an event's terms",
	   "CSV refused: terms of an event without their end");
	refused("1,,a,x,100.00", 5, "ns that the counter ran",
		"CSV refused: a run time that is no number");
	refused("1,,a,5", 6, "percent that the counter ran", "CSV refused: a line without a share");
	refused("1,,a,5,1x", 7, "percent that the counter ran",
		"CSV refused: a share that is no number");
	refused("1,,a,5,100.01", 7, "percent that the counter ran",
		"CSV refused: a share above 100 %");
	refused("1,,a,5,-1.00", 7, "percent that the counter ran", "CSV refused: a share below 0");
	refused("1,,a,18446744073709551616,100.00", 5, "ns that the counter ran",
		"CSV refused: a run time above 64 bits");
	first("{\"counter-value\" : \"1\", \"event\" : \"x\"}");
	refused("1,,a,5,100.00", 0, "\"{\", as in the lines before, which are JSON",
		"JSON refused: CSV after JSON");
	refused("{\"event\" : \"x\"}", 0, "\"counter-value\" beside \"event\"",
	   "JSON refused: an event without a value");
	refused("{\"GraceMemBW\" : \"1.0\"}", 0,
		"\"event\" or \"metric-value\", as perf stat -j prints without --metric-only",
		"JSON refused: the output of --metric-only");
	refused("{\"event\" : \"x", 13, "a quote that ends the text",
		"JSON refused: a string without its end");
	refused("{\"event\" \"x\"}", 9, "\":\" after the key",
		"JSON refused: a key without a colon");
	refused("{\"event\" : \"x\" \"y\"}", 15, "\",\" or \"}\"",
		"JSON refused: two members without a comma");
	refused("{\"interval\" : 1.5}", 13, "seconds with 9 decimals",
		"JSON refused: a time of another form");
	refused("{\"cpu\" : \"-1\"}", 8, "the number of a CPU",
		"JSON refused: a negative CPU number");
	refused("{\"socket\" : \"S\"}", 11, "a socket, as S0",
		"JSON refused: a socket without a number");
	refused("{\"counter-value\" : \"1\", \"event\" : \"x\"} y", 39, "the end of the line",
		"JSON refused: text after the closing brace");
}

int main(void)
{
	test_csv();
	test_separators();
	test_csv_labels();
	test_gpmu();
	test_json();
	test_refused();
	return done_testing();
}
