// SPDX-License-Identifier: LGPL-2.1-or-later
/* JSON (RFC 8259), one object per line. Each byte that is not valid UTF-8 becomes U+FFFD. */
#include <math.h>

#include "values/sink.h"

/* The length of the first UTF-8 character of a text, 0 if it is invalid */
static size_t utf8_length(const unsigned char *text)
{
	size_t n = text[0] < 0x80 ? 1 : text[0] < 0xc2 ? 0 : text[0] < 0xe0 ? 2 :
		   text[0] < 0xf0 ? 3 : text[0] < 0xf5 ? 4 : 0;

	for (size_t i = 1; i < n; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	/* An overlong encoding, a surrogate, or a number above U+10FFFF */
	if ((text[0] == 0xe0 && text[1] < 0xa0) || (text[0] == 0xed && text[1] > 0x9f) ||
	    (text[0] == 0xf0 && text[1] < 0x90) || (text[0] == 0xf4 && text[1] > 0x8f))
		return 0;
	return n;
}

static void put_escaped(struct sink_buffer *buffer, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";
	const char text[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };

	if (c == '"' || c == '\\') {
		buffer_char(buffer, '\\');
		buffer_char(buffer, (char)c);
	} else {
		buffer_bytes(buffer, text, sizeof(text));
	}
}

static bool is_plain(unsigned char c)
{
	return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
}

static void put_text(struct sink_buffer *buffer, const char *text)
{
	const unsigned char *p = (const unsigned char *)text, *plain = p;

	if (!text) {
		buffer_text(buffer, "null");
		return;
	}
	buffer_char(buffer, '"');
	while (*p) {
		size_t n;

		if (is_plain(*p)) {
			p++;
			continue;
		}
		buffer_bytes(buffer, (const char *)plain, (size_t)(p - plain));
		n = utf8_length(p);
		if (n > 1)
			buffer_bytes(buffer, (const char *)p, n);
		else if (n == 1)
			put_escaped(buffer, *p);
		else
			buffer_text(buffer, "\xef\xbf\xbd");
		p += n ? n : 1;
		plain = p;
	}
	buffer_bytes(buffer, (const char *)plain, (size_t)(p - plain));
	buffer_char(buffer, '"');
}

static void begin(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	(void)sink;
	(void)rows;
	(void)n;
}

static void put_number(struct sink_buffer *buffer, const char *key, int number)
{
	buffer_text(buffer, key);
	if (number >= 0)
		buffer_int(buffer, number);
	else
		buffer_text(buffer, "null");
}

static void put_double(struct sink_buffer *buffer, const char *key, double value)
{
	buffer_text(buffer, key);
	if (isfinite(value))
		buffer_shortest(buffer, value);
	else
		buffer_text(buffer, "null");
}

static void put_u64(struct sink_buffer *buffer, const char *key, bool known, uint64_t value)
{
	buffer_text(buffer, key);
	if (known)
		buffer_u64(buffer, value);
	else
		buffer_text(buffer, "null");
}

static void put_string(struct sink_buffer *buffer, const char *key, const char *text)
{
	buffer_text(buffer, key);
	put_text(buffer, text);
}

static void put_seconds(struct sink_buffer *buffer, const char *key, uint64_t ns)
{
	buffer_text(buffer, key);
	buffer_seconds(buffer, ns);
}

static void put_place(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;

	buffer_text(buffer, "{\"gpmu\":" SINK_SCHEMA);
	put_seconds(buffer, ",\"time_begin\":", row->time_begin);
	put_seconds(buffer, ",\"time_end\":", row->time_end);
	put_string(buffer, ",\"host\":", *sink->host ? sink->host : NULL);
	put_string(buffer, ",\"scope\":", sink_scope_name(row->scope));
	put_number(buffer, ",\"node\":", row->node);
	put_number(buffer, ",\"package\":", row->package);
	put_number(buffer, ",\"cpu\":", row->cpu);
	put_number(buffer, ",\"pid\":", row->pid);
	put_string(buffer, ",\"pmu\":", row->pmu);
	buffer_text(buffer, row->metric ? ",\"kind\":\"metric\"" : ",\"kind\":\"event\"");
	put_string(buffer, ",\"name\":", row->name);
}

static void put_row(struct gpmu_sink *sink, const struct gpmu_row *row)
{
	struct sink_buffer *buffer = &sink->buffer;
	bool counted = sink_knows_times(row);

	put_place(sink, row);
	put_double(buffer, ",\"value\":", row->state == GPMU_STATE_OK ? row->value : NAN);
	put_string(buffer, ",\"unit\":", row->unit);
	put_string(buffer, ",\"state\":", sink_state_name(row->state));
	put_double(buffer, ",\"share\":", row->share);
	put_u64(buffer, ",\"raw\":", sink_knows_raw(row), row->raw);
	put_u64(buffer, ",\"enabled_ns\":", counted, row->enabled);
	put_u64(buffer, ",\"running_ns\":", counted, row->running);
	put_u64(buffer, ",\"counters\":", true, row->counters);
	put_u64(buffer, ",\"runs\":", true, row->runs);
	put_double(buffer, ",\"deviation\":", row->state == GPMU_STATE_OK ? row->deviation : NAN);
	put_number(buffer, ",\"alert\":", row->alert);
	put_string(buffer, ",\"why\":", row->why);
	put_string(buffer, ",\"gpu\":", row->gpu);
	put_number(buffer, ",\"gpu_number\":", row->gpu ? row->gpu_number : -1);
	put_string(buffer, ",\"source\":", row->source);
	buffer_text(buffer, "}\n");
}

static void put_rows(struct gpmu_sink *sink, const struct gpmu_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_row(sink, &rows[i]);
}

static void end(struct gpmu_sink *sink, const struct gpmu_sink_end *end)
{
	(void)sink;
	(void)end;
}

const struct sink_ops sink_json = { .begin = begin, .rows = put_rows, .end = end };
