// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON lines: each is an object for any parser. */
#include <jansson.h>

#include "sink-test.h"

static void columns(void)
{
	struct gpmu_row row = event_row("cycles", 18446744073709551615u);
	struct test_sink t;

	row = on_node(row, 1, 36);
	row.time_begin = 250000000;
	row.pmu = "nvidia_scf_pmu_1";
	row.unit = "%";
	row.share = 0.5;
	row.running = 1000000000;
	row.alert = 1;
	row.gpu = "GPU-1";
	row.source = "nvml";
	row.runs = 4;
	row.deviation = 0.1;
	test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 });
	ok(!gpmu_sink_rows(t.sink, rows_of(&row, 1)), "JSON: one row is written");
	is_text(t.text,
		"{\"counter-value\" : \"18446744073709551616.000000\", \"unit\" : \"%\", "
		"\"event\" : \"cycles\", \"event-runtime\" : 1000000000, "
		"\"pcnt-running\" : 50.00, \"metric-value\" : \"0.000000\", "
		"\"metric-unit\" : \"\","
		"\"gpmu\":2,\"time_begin\":0.250000000,\"time_end\":2.000000000,"
		"\"host\":\"grace1\","
		"\"scope\":\"node\",\"numa_node\":1,\"package\":36,\"cpu_number\":null,\"pid\":null,"
		"\"pmu\":\"nvidia_scf_pmu_1\",\"kind\":\"event\",\"name\":\"cycles\","
		"\"value\":1.8446744073709552e+19,\"state\":\"ok\",\"share\":0.5,"
		"\"raw\":18446744073709551615,\"enabled_ns\":2000000000,\"running_ns\":1000000000,"
		"\"counters\":1,\"runs\":4,\"deviation\":0.1,\"alert\":1,\"why\":null,"
		"\"gpu\":\"GPU-1\",\"gpu_number\":0,\"source\":\"nvml\"}\n",
		"JSON: a line has all keys in this order");
	test_sink_release(&t);
}

static json_t *parse(const struct test_sink *t)
{
	json_error_t error;
	json_t *object = json_loads(t->text, JSON_REJECT_DUPLICATES, &error);

	if (!object)
		diag("%s: %s", error.text, t->text);
	return object;
}

static const char *string(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static bool is_null(const json_t *object, const char *key)
{
	return json_is_null(json_object_get(object, key));
}

/* Text that JSON must escape, and bytes that are not UTF-8 */
static void texts(void)
{
	static const struct {
		const char *name, *want;
	} table[] = {
		{ "say \"a\\b\"", "say \"a\\b\"" },
		{ "\001\n\t\177", "\001\n\t\177" },
		{ "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80",
		  "\xc2\xb5s \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ "a\xff"
		  "b",
		  "a\xef\xbf\xbd"
		  "b" },
		{ "\xc3", "\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xe0\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x9f\x98", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct gpmu_row row = event_row(table[i].name, 1);
		struct test_sink t;
		json_t *object;

		test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 });
		gpmu_sink_rows(t.sink, rows_of(&row, 1));
		object = parse(&t);
		is_str(string(object, "name"), table[i].want,
		       "JSON: a string of any bytes is valid UTF-8");
		ok(strchr(t.text, '\n') == t.text + t.length - 1,
		   "JSON: a string of any bytes stays on one line");
		json_decref(object);
		test_sink_release(&t);
	}
}

static void states(void)
{
	static const enum gpmu_state states[] = {
		GPMU_STATE_IDLE, GPMU_STATE_NOT_COUNTED, GPMU_STATE_NOT_SUPPORTED,
	};
	static const char *const names[] = { "idle", "not_counted", "not_supported" };

	for (size_t i = 0; i < 3; i++) {
		struct gpmu_row row = lost_row("a", states[i], "why");
		struct test_sink t;
		json_t *object;

		/* Values that the row may have in spite of its state */
		row.value = i ? INFINITY : 5;
		row.raw = 9;
		test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ .host = "" });
		gpmu_sink_rows(t.sink, rows_of(&row, 1));
		object = parse(&t);
		is_str(string(object, "state"), names[i], "JSON: a state has its name");
		ok(is_null(object, "value") && is_null(object, "raw") &&
			   is_null(object, "deviation"),
		   "JSON: a row that is %s has no numbers", names[i]);
		ok(is_null(object, "share") == isnan(row.share) && is_null(object, "host"),
		   "JSON: a row that is %s has null for NaN and for an empty host", names[i]);
		ok(is_null(object, "enabled_ns") == (states[i] == GPMU_STATE_NOT_SUPPORTED),
		   "JSON: a row that is %s has its enabled time if it was opened", names[i]);
		json_decref(object);
		test_sink_release(&t);
	}
}

/* perf's own values, of which some fields are unknown */
static void not_known(void)
{
	struct gpmu_row rows[] = { event_row("joules", 0), metric_row("theirs", 5, "%") };
	struct test_sink t;
	json_t *object;

	rows[0].value = 7.5;
	test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 1));
	object = parse(&t);
	ok(is_null(object, "raw") && !is_null(object, "enabled_ns"),
	   "JSON: an unknown raw count is null");
	json_decref(object);
	test_sink_release(&t);
	rows[1].counters = 0;
	test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows + 1, 1));
	object = parse(&t);
	ok(is_null(object, "enabled_ns") && is_null(object, "running_ns") &&
	   !is_null(object, "value"), "JSON: times of a metric without counters are null");
	json_decref(object);
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(rows, 2));
	ok(strstr(t.text, "joules,7.5,,ok,1,,") && strstr(t.text, "theirs,5,%,ok,1,,,,0,"),
	   "CSV: an unknown raw count and unknown times are empty");
	test_sink_release(&t);
}

/* NaN and infinite values of a caller */
static void not_finite(void)
{
	struct gpmu_row row = metric_row("a", INFINITY, NULL);
	struct test_sink t;
	json_t *object;

	row.deviation = NAN;
	row.share = NAN;
	test_sink_init(&t, GPMU_SINK_JSON, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(&row, 1));
	object = parse(&t);
	ok(object && is_null(object, "value") && is_null(object, "share") &&
		   is_null(object, "deviation"),
	   "JSON: values that are not finite are null");
	json_decref(object);
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_CSV, (struct gpmu_sink_options){ 0 });
	gpmu_sink_rows(t.sink, rows_of(&row, 1));
	ok(strstr(t.text,
		  ",grace1,machine,,,,,,metric,a,,,ok,,,2000000000,2000000000,1,1,,,,,,\n") != NULL,
	   "CSV: values that are not finite are empty");
	test_sink_release(&t);
	test_sink_init(&t, GPMU_SINK_SUMMARY,
		       (struct gpmu_sink_options){ .interval = 1, .runs = 2 });
	row.runs = 2;
	gpmu_sink_rows(t.sink, rows_of(&row, 1));
	ok(!strstr(t.text, "nan") && !strstr(t.text, "inf"),
	   "summary: values that are not finite are blank");
	test_sink_release(&t);
}

int main(void)
{
	columns();
	texts();
	states();
	not_known();
	not_finite();
	return done_testing();
}
