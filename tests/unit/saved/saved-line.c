// SPDX-License-Identifier: LGPL-2.1-or-later
/* Lines of perf stat -x and -j, of the versions' forms, and what is refused */
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

/* As the first line of an output */
static int first(const char *text)
{
	format = (struct saved_format){ 0 };
	return parse(text);
}

static bool is_text(struct saved_text text, const char *want)
{
	return text.at ? saved_is(text, want) : !*want;
}

/* Takes a line of a count; says what of it is wrong */
static void count(const char *text, double value, const char *unit, const char *event,
		  uint64_t running, double share, const char *what)
{
	bool fine = !first(text) && line.state == COUNT_OK && line.value == value &&
		    is_text(line.unit, unit) && is_text(line.event, event) &&
		    line.running == running && line.share == share;

	if (!ok(fine, "%s", what))
		diag("value %g, unit %.*s, event %.*s, running %llu, share %g", line.value,
		     (int)line.unit.length, line.unit.at ? line.unit.at : "",
		     (int)line.event.length, line.event.at ? line.event.at : "",
		     (unsigned long long)line.running, line.share);
}

static void test_csv(void)
{
	count("1.03,msec,task-clock,1032970,100.00,0.017,CPUs utilized", 1.03, "msec", "task-clock",
	      1032970, 100, "CSV: a value with a unit");
	ok(is_text(line.metric, "CPUs utilized") && line.metric_value == 0.017,
	   "the metric beside it");
	count("12;;nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/;5;66.00;;", 12, "",
	      "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/", 5, 66, "another separator is found");
	is_u64((uint64_t)format.separator, ';', "which is the semicolon");
	count("12,,nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/,5,66.00,,", 12, "",
	      "nvidia_pcie_pmu_0/rd_bytes_loc,root_port=0x3/", 5, 66,
	      "terms of an event may have the separator in them");
	count("7,,a/b,c=1,d=2/u,5,100.00", 7, "", "a/b,c=1,d=2/u", 5, 100, "also several");
	count("3\t\tcycles\t5\t100.00", 3, "", "cycles", 5, 100, "a tabulator");
	count("3|  |cycles|5|100.00||", 3, "  ", "cycles", 5, 100, "a bar");
	count("0,64;msec;task-clock;642137;100,00;0,596;CPUs utilized", 0.64, "msec", "task-clock",
	      642137, 100, "decimal commas of a locale");
	count("18446744073709551615,,x,1,100.00,,", 18446744073709551615.0, "", "x", 1, 100,
	      "the largest count");
	count("3,,cycles,5,100.00\r", 3, "", "cycles", 5, 100, "a line end of Windows");
	count("1,,a,0.50%,5,100.00,,", 1, "", "a", 5, 100, "the deviation of several runs");
	ok(line.deviation == 0.5, "in percent");
	ok(!first("<not counted>,,cycles,0,100.00,,") && line.state == COUNT_NOT_COUNTED,
	   "not counted");
	ok(!first("<not supported>,,cycles,0,100.00,,") && line.state == COUNT_NOT_SUPPORTED,
	   "not supported");
}

static void test_csv_labels(void)
{
	count("     0.050317810,S0,2,40,,cs,65,100.00,610.367,/sec", 40, "", "cs", 65, 100,
	      "CSV: an interval and a socket");
	ok(line.timed && line.time == 50317810 && line.label == SAVED_PACKAGE && !line.number &&
	   line.counters == 2, "its time in ns, the socket, how many counters");
	count("12.000000001,N7,72,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a node");
	ok(line.time == 12000000001 && line.label == SAVED_NODE && line.number == 7 &&
	   line.counters == 72, "its number");
	count("CPU143,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a CPU");
	ok(line.label == SAVED_CPU && line.number == 143 && !line.counters, "its number");
	count("S1-D0-C17,1,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a core");
	ok(line.label == SAVED_PACKAGE && line.number == 1, "is of its package");
	count("S1-D0-L3-ID12,1,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a cache, as 6.12 has it");
	count("S1-D0-CLS2,1,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a cluster");
	count("my-app x-4711,40,,cs,65,100.00", 40, "", "cs", 65, 100, "a thread");
	ok(line.label == SAVED_THREAD && line.number == 4711, "its number");
	count("S0,2,3,,12,65,100.00", 3, "", "12", 65, 100, "an event that is called as a number");
	ok(!first("1.000000000,summary,3,,cs,5,100.00") || line.nothing, "a summary is none");
	first("3,,cs,5,100.00");
	ok(!parse("summary,3,,cs,5,100.00") && line.nothing, "it has no row");
	ok(!parse("           summary,3,,cs,5,100.00") && line.nothing,
	   "with blanks, as 6.1 has it");
	ok(!parse("# started on Sat Nov 21") && line.nothing && !parse("") && line.nothing &&
	   !parse("  ") && line.nothing, "neither have comments and blank lines");
	ok(!parse("Events disabled") && line.nothing && !parse("Events enabled") && line.nothing,
	   "what perf stat -D says");
	ok(!parse("Warning:") && line.nothing && !parse("this, that") && line.nothing &&
	   parse("this, that") == -EINVAL, "a warning of a line");
	ok(!parse(",,,,,0.5,CPUs utilized") && !line.event.at &&
	   is_text(line.metric, "CPUs utilized") && line.metric_value == 0.5,
	   "a metric on a line of its own");
	ok(!parse("0.100000000,S0,2,,,,,,7.1,a, b") && is_text(line.metric, "a, b"),
	   "of a socket, with a separator in its unit");
}

static void test_json(void)
{
	count("{\"counter-value\" : \"0.885330\", \"unit\" : \"msec\", \"event\" : \"task-clock\", "
	      "\"event-runtime\" : 885330, \"pcnt-running\" : 100.00, \"metric-value\" : 0.014473, "
	      "\"metric-unit\" : \"CPUs utilized\"}", 0.88533, "msec", "task-clock", 885330, 100,
	      "JSON: as 6.1 has it");
	ok(is_text(line.metric, "CPUs utilized") && line.metric_value == 0.014473,
	   "the metric is a number");
	count("{\"interval\" : 0.102265980, \"counter-value\" : \"3.000000\", \"unit\" : \"\", "
	      "\"event\" : \"a/b,c=1/\", \"event-runtime\" : 5, \"pcnt-running\" : 66.00, "
	      "\"metric-value\" : \"14.5\", \"metric-unit\" : \"x\"}", 3, "", "a/b,c=1/", 5, 66,
	      "as 6.12 has it");
	ok(line.time == 102265980 && line.metric_value == 14.5, "the metric is a text");
	first("{\"socket\" : \"S36\", \"counters\" : 4, \"counter-value\" : \"<not counted>\", "
	      "\"unit\" : \"\", \"event\" : \"x\", \"event-runtime\" : 0, \"pcnt-running\" : 100.00}");
	ok(line.label == SAVED_PACKAGE && line.number == 36 && line.counters == 4 &&
	   line.state == COUNT_NOT_COUNTED, "a socket, as 7.3 has it");
	ok(!parse("{\"node\" : \"N1\", \"aggregate-number\" : 3, \"metric-value\" : 1}") &&
	   line.label == SAVED_NODE && line.counters == 3, "a metric alone, of a node");
	ok(!parse("{\"cpu\" : \"2\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.label == SAVED_CPU && line.number == 2, "a CPU");
	ok(!parse("{\"thread\" : \"a-b-12\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.label == SAVED_THREAD && line.number == 12, "a thread");
	ok(!parse("{\"core\" : \"S0-D0-C1\", \"counter-value\" : \"1\", \"event\" : \"x\"}") &&
	   line.label == SAVED_PACKAGE && !line.number, "a core");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"variance\" : 1.50, }") &&
	   line.deviation == 1.5, "a comma at the end");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"metric-value\" : nan, "
		  "\"metric-unit\" : \"y\"}") && isnan(line.metric_value), "nan is no value");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"pcnt-running\" : 99,50}") &&
	   line.share == 99.5, "a decimal comma");
	ok(!parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"later\" : 1\t, \"k\" : 2}") &&
	   is_text(line.event, "x"), "keys of later versions are left alone");
	ok(!parse("{\"counter-value\" : \"1\", \"a\" : {}, \"b\" : [1, {\"c\" : \"]}\"}, []], "
		  "\"event\" : \"x\"}") && is_text(line.event, "x"),
	   "also those of lists and objects");
	ok(parse("{\"counter-value\" : \"1\", \"event\" : \"x\", \"a\" : [[{}]}") == -EINVAL,
	   "which end");
	ok(!parse("{\"metricgroup\" : \"TopdownL1\"}") && !line.event.at, "the name of a group");
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
		"refused: what is neither");
	refused("1234", 0, "a line that \"perf stat -j\" or \"perf stat -x,\" prints",
		"a number alone");
	first("1,,a,5,100.00,,");
	refused("x,,a,5,100.00", 0, "a number, <not counted> or <not supported>", "no value");
	refused("1", 1, "a unit", "no unit");
	refused("1,,", 3, "the name of an event", "no event");
	refused("1,,a/b,5,100.00", 3, "the \"/\" that ends an event's terms",
	   "terms without an end");
	refused("1,,a,x,100.00", 5, "ns that the counter ran", "a time that is no number");
	refused("1,,a,5", 6, "percent that the counter ran", "no share");
	refused("1,,a,5,1x", 7, "percent that the counter ran", "a share that is no number");
	refused("1,,a,5,100.01", 7, "percent that the counter ran", "a share above 100 %");
	refused("1,,a,5,-1.00", 7, "percent that the counter ran", "a share below 0");
	refused("1,,a,18446744073709551616,100.00", 5, "ns that the counter ran",
		"a time that no 64 bits hold");
	first("{\"counter-value\" : \"1\", \"event\" : \"x\"}");
	refused("1,,a,5,100.00", 0, "\"{\", as in the lines before, which are JSON",
		"CSV behind JSON");
	refused("{\"event\" : \"x\"}", 0, "\"counter-value\" beside \"event\"",
	   "an event without a value");
	refused("{\"GraceMemBW\" : \"1.0\"}", 0,
		"\"event\" or \"metric-value\", as perf stat -j prints without --metric-only",
		"--metric-only");
	refused("{\"event\" : \"x", 13, "a quote that ends the text", "a text without an end");
	refused("{\"event\" \"x\"}", 9, "\":\" behind the key", "no colon");
	refused("{\"event\" : \"x\" \"y\"}", 15, "\",\" or \"}\"", "no comma");
	refused("{\"interval\" : 1.5}", 13, "seconds with 9 decimals", "a time of another form");
	refused("{\"cpu\" : \"-1\"}", 8, "the number of a CPU", "a CPU that is none");
	refused("{\"socket\" : \"S\"}", 11, "a socket, as S0", "a socket without a number");
	refused("{\"counter-value\" : \"1\", \"event\" : \"x\"} y", 39, "the end of the line",
		"something behind it");
}

int main(void)
{
	test_csv();
	test_csv_labels();
	test_json();
	test_refused();
	return done_testing();
}
