// SPDX-License-Identifier: LGPL-2.1-or-later
/* Formats of tracepoints in a file and in a pipe: names of events, fields of samples, damage */
#include <errno.h>
#include <glob.h>
#include <traceevent/event-parse.h>

#include "perfdata-test.h"

static const char *const formats[] = {
	TEST_FORMAT("other", "300", TEST_FIELD("int pid", "8", "4", "1")), TEST_POINT,
};

static struct made records, file, tracing, desc;

static struct perf_event_attr attr_of(uint64_t id)
{
	struct perf_event_attr attr = test_attr();

	attr.type = PERF_TYPE_TRACEPOINT;
	attr.config = id;
	attr.sample_type |= PERF_SAMPLE_RAW;
	return attr;
}

static void put_point(struct made *made)
{
	begin(made, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	put64(made, 1);
	put64(made, 0x1000);
	put64(made, 7);
	put64(made, 100);
	put32(made, sizeof(test_point) + 4);
	put(made, &test_point, sizeof(test_point));
	put32(made, 0);
	end(made);
}

/* Makes a file of the tracepoint 301, and, by EVENT_DESC, a name; NULL: none */
static void make(const char *name)
{
	const struct perf_event_attr attr = attr_of(301);
	const struct feature features[] = { { 1, &tracing }, { 12, &desc } };

	records.length = file.length = desc.length = 0;
	put_point(&records);
	if (name) {
		put32(&desc, 1);
		put32(&desc, MADE_ATTR);
		put(&desc, &attr, MADE_ATTR);
		put32(&desc, 1);
		put_string(&desc, name);
		put64(&desc, 1);
	}
	make_file(&file, &attr, 1, &records, features, name ? 2 : 1);
}

static void test_names(void)
{
	struct gpmu_perfdata *perfdata;
	struct gpmu_perfdata_event unknown = { .attr = &(struct perf_event_attr){ .type = PERF_TYPE_TRACEPOINT, .config = 5 } };

	make(NULL);
	perfdata = open_made(&file, file.length, NULL);
	is_str(gpmu_perfdata_event(perfdata, 0)->name, "test:point", "perfdata: a tracepoint without a name is named by its system and event");
	ok(!gpmu_perfdata_tracepoint(perfdata, &unknown), "perfdata: a tracepoint whose format is not recorded is none");
	unknown.attr = &(struct perf_event_attr){ .type = PERF_TYPE_HARDWARE, .config = 301 };
	ok(!gpmu_perfdata_tracepoint(perfdata, &unknown), "perfdata: an event of the number of a tracepoint is none");
	gpmu_perfdata_free(perfdata);
	make("my name");
	perfdata = open_made(&file, file.length, NULL);
	is_str(gpmu_perfdata_event(perfdata, 0)->name, "my name", "perfdata: a tracepoint keeps the name in the recording");
	gpmu_perfdata_free(perfdata);
}

static const struct {
	const char *name;
	enum gpmu_perfdata_field_kind kind;
	uint64_t number;
	const char *bytes;
	size_t size;
} wanted[] = {
	{ "cpu", GPMU_PERFDATA_SIGNED, (uint64_t)-3, NULL, 0 },
	{ "array", GPMU_PERFDATA_BYTES, 0, "\x01\x02\x03\x04\x05\xab", 6 },
	{ "address", GPMU_PERFDATA_POINTER, 0xffff800012340000, NULL, 0 },
	{ "comm", GPMU_PERFDATA_TEXT, 0, "app", 3 },
	{ "big", GPMU_PERFDATA_UNSIGNED, UINT64_MAX, NULL, 0 },
	{ "name", GPMU_PERFDATA_TEXT, 0, "one", 3 },
	{ "relative", GPMU_PERFDATA_TEXT, 0, "two", 3 },
};

#define FIELDS	(sizeof(wanted) / sizeof(wanted[0]))

static void check_fields(const struct gpmu_perfdata_tracepoint *point, const struct gpmu_perfdata_sample *sample, const char *recording)
{
	struct gpmu_perfdata_content content;

	if (!ok(point && point->field_count == FIELDS, "perfdata: a tracepoint of a %s has its own fields", recording))
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		const struct gpmu_perfdata_field *field = &point->fields[i];

		ok(!strcmp(field->name, wanted[i].name) && field->kind == wanted[i].kind &&
		   gpmu_perfdata_content(field, sample->raw, sample->raw_size, &content) && content.number == wanted[i].number &&
		   content.size == wanted[i].size && (!wanted[i].size || !memcmp(content.bytes, wanted[i].bytes, wanted[i].size)),
		   "perfdata: the field %s of a tracepoint's sample has its value", wanted[i].name);
	}
}

static void test_fields(bool is_pipe)
{
	const struct gpmu_perfdata_record *record;
	const struct perf_event_attr attr = attr_of(301);
	struct gpmu_perfdata *perfdata;

	make(NULL);
	if (is_pipe) {
		file.length = 0;
		put_pipe_header(&file);
		put_pipe_attr(&file, &attr, 1);
		begin(&file, GPMU_PERFDATA_HEADER_TRACING_DATA, 0);
		put32(&file, (uint32_t)tracing.length);
		put32(&file, 0);
		end(&file);
		put(&file, tracing.data, tracing.length);
		put(&file, "\0\0\0\0\0\0\0", -tracing.length & 7);
		put_point(&file);
	}
	perfdata = open_made(&file, file.length, NULL);
	while (gpmu_perfdata_next(perfdata, &record, NULL) == 1)
		if (record->type == PERF_RECORD_SAMPLE) {
			is_str(record->event->name, "test:point", "perfdata: a sample of a tracepoint has its name");
			check_fields(gpmu_perfdata_tracepoint(perfdata, record->event), &record->sample,
				     is_pipe ? "pipe" : "file");
		}
	gpmu_perfdata_free(perfdata);
}

static void test_bounds(void)
{
	struct test_point raw = test_point;
	struct gpmu_perfdata_field field = { .offset = 40, .size = 4, .kind = GPMU_PERFDATA_TEXT, .is_dynamic = true };
	struct gpmu_perfdata_content content;

	raw.name = 56 | 1 << 16;
	ok(!gpmu_perfdata_content(&field, &raw, sizeof(raw), &content), "perfdata: a text whose place is beyond the sample is refused");
	raw.name = 48 | 9 << 16;
	ok(!gpmu_perfdata_content(&field, &raw, sizeof(raw), &content), "perfdata: a text that ends beyond the sample is refused");
	ok(!gpmu_perfdata_content(&field, &raw, 43, &content), "perfdata: a field beyond the sample is refused");
	field.size = 8;
	ok(!gpmu_perfdata_content(&field, &raw, sizeof(raw), &content), "perfdata: a place of another size than 4 bytes is refused");
}

/* Reads all records. Returns the error's offset in the tracing data, or SIZE_MAX. */
static size_t damage_at(size_t *samples, char *text, size_t size)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_perfdata *perfdata = open_made(&file, file.length, &error);
	const struct gpmu_perfdata_record *record;
	const uint8_t *place = memmem(file.data, file.length, "\x17\x08\x44", 3);
	int ret = 0;

	for (*samples = 0; perfdata && (ret = gpmu_perfdata_next(perfdata, &record, &error)) == 1;)
		*samples += record->type == PERF_RECORD_SAMPLE;
	gpmu_perfdata_free(perfdata);
	snprintf(text, size, "%s", error.text);
	return ret == -EINVAL && place ? error.offset - (size_t)(place - file.data) : SIZE_MAX;
}

static void test_damage(void)
{
	/* In front of the first format: 84 bytes of the head, of the system's name, and of numbers */
	static const struct made none;
	const char *bad[] = { formats[0], "name: bad\nformat:\n" };
	size_t samples, offset, whole = tracing.length, wrong = 0;
	char text[256];

	make(NULL);
	ok(damage_at(&samples, text, sizeof(text)) == SIZE_MAX && samples == 1, "perfdata: whole formats of tracepoints are read without an error");
	for (size_t length = 4; length < 90 + strlen(formats[0]); length++) {
		tracing.length = length;
		make(NULL);
		offset = damage_at(&samples, text, sizeof(text));
		wrong += offset > length || samples != 1 || !strstr(text, "expected formats of tracepoints");
	}
	ok(!wrong, "perfdata: formats that are cut off are an error with an offset, after the records (%zu are not)", wrong);
	tracing = none;
	put_tracing(&tracing, bad, 2);
	make(NULL);
	offset = damage_at(&samples, text, sizeof(text));
	ok(offset < whole && !memcmp(memmem(file.data, file.length, "\x17\x08\x44", 3) + offset, "name: bad", 9) &&
		   samples == 1,
	   "perfdata: the error of a malformed format has its offset");
}

/* Reads a format of tracefs. Returns its length. */
static size_t read_format(const char *path, char *text, size_t size)
{
	FILE *file = fopen(path, "r");
	size_t length = file ? fread(text, 1, size - 1, file) : 0;

	if (file)
		fclose(file);
	text[length] = '\0';
	return length;
}

/* Returns whether a tracepoint has the fields that libtraceevent finds in its format. */
static bool is_as_library(const struct gpmu_perfdata_tracepoint *point, const struct tep_event *event)
{
	const struct tep_format_field *field = event->format.fields;
	size_t i = 0;

	for (; field && i < point->field_count; field = field->next, i++) {
		const struct gpmu_perfdata_field *own = &point->fields[i];

		/* It takes arrays of u8 and s8 as texts. */
		if (strcmp(own->name, field->name) != 0 || own->offset != (uint32_t)field->offset || own->size != (uint32_t)field->size ||
		    own->is_dynamic != !!(field->flags & TEP_FIELD_IS_DYNAMIC) || (own->kind == GPMU_PERFDATA_TEXT &&
		     !(field->flags & TEP_FIELD_IS_STRING)) || (own->kind == GPMU_PERFDATA_POINTER && !(field->flags & TEP_FIELD_IS_POINTER)) ||
		    (own->kind == GPMU_PERFDATA_SIGNED && !(field->flags & TEP_FIELD_IS_SIGNED)))
			return false;
	}
	return !field && i == point->field_count && point->id == (uint64_t)event->id;
}

static void test_kernel(void)
{
	static char text[65536], cut[sizeof(text) + 16];
	const char *const texts[] = { text };
	struct perf_event_attr attr;
	size_t count = 0, wrong = 0;
	glob_t found;

	tep_set_loglevel(TEP_LOG_NONE);
	if (glob("/sys/kernel/tracing/events/*/*/format", 0, NULL, &found))
		found.gl_pathc = 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		struct tep_handle *tep = tep_alloc();
		struct tep_event *event = NULL;
		struct gpmu_perfdata *perfdata;
		size_t length = read_format(found.gl_pathv[i], text, sizeof(text));
		const struct gpmu_perfdata_tracepoint *point;

		/* It leaks memory when it parses how some events are printed. */
		snprintf(cut, sizeof(cut), "%.*s\nprint fmt: \"\"\n", (int)(strstr(text, "\nprint fmt:") ? strstr(text, "\nprint fmt:") - text :
			 (ptrdiff_t)length), text);
		tep_parse_format(tep, &event, cut, strlen(cut), "test");
		if (event && length) {
			tracing.length = records.length = file.length = 0;
			put_tracing(&tracing, texts, 1);
			put_point(&records);
			attr = attr_of((uint64_t)event->id);
			make_file(&file, &attr, 1, &records, &(struct feature){ 1, &tracing }, 1);
			perfdata = open_made(&file, file.length, NULL);
			point = gpmu_perfdata_tracepoint(perfdata, gpmu_perfdata_event(perfdata, 0));
			count++;
			if (!point || !is_as_library(point, event)) {
				diag("%s", found.gl_pathv[i]);
				wrong++;
			}
			gpmu_perfdata_free(perfdata);
		}
		tep_free(tep);
	}
	ok(!wrong, "perfdata: the fields of each of %zu tracepoints of this kernel are those that libtraceevent finds", count);
	if (found.gl_pathc)
		globfree(&found);
}

int main(void)
{
	put_tracing(&tracing, formats, 2);
	test_names();
	test_fields(false);
	test_fields(true);
	test_bounds();
	test_damage();
	test_kernel();
	return done_testing();
}
