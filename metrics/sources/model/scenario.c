// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

#define SUFFIX	".scenario"

static const struct text_unit byte_units[] = {
	{ "", 1 }, { "B", 1 },
	{ "kB", 1000 }, { "MB", 1000000 }, { "GB", 1000000000 },
	{ "TB", 1000000000000 },
	{ "KiB", 1ull << 10 }, { "MiB", 1ull << 20 }, { "GiB", 1ull << 30 },
	{ "TiB", 1ull << 40 },
	{ NULL, 0 }
};

static const struct text_unit rate_units[] = {
	{ "B/s", 1 },
	{ "kB/s", 1000 }, { "MB/s", 1000000 }, { "GB/s", 1000000000 },
	{ "TB/s", 1000000000000 },
	{ "KiB/s", 1ull << 10 }, { "MiB/s", 1ull << 20 },
	{ "GiB/s", 1ull << 30 }, { "TiB/s", 1ull << 40 },
	{ NULL, 0 }
};

static const struct text_unit time_units[] = {	/* ns */
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ NULL, 0 }
};

static const struct text_unit latency_units[] = {	/* ps */
	{ "ps", 1 }, { "ns", 1000 }, { "us", 1000000 },
	{ NULL, 0 }
};

static const struct text_unit clock_units[] = {	/* Hz */
	{ "Hz", 1 }, { "kHz", 1000 }, { "MHz", 1000000 }, { "GHz", 1000000000 },
	{ NULL, 0 }
};

/* The options of a flow line */
enum option {
	OPT_BYTES, OPT_RATE, OPT_OVER, OPT_AFTER, OPT_SIZE, OPT_LATENCY,
	OPT_HOME_LATENCY, OPT_ORDER, OPT_SERVED, OPT_ALLOC, OPT_PORT,
	OPT_LEN,
};

/* The content of a flow line, before it is checked. */
struct flow_line {
	struct flow flow;
	uint64_t size, port;
	bool is_strong;		/* order= */
	unsigned int seen;	/* 1 << OPT_* */
};

static bool is_seen(const struct flow_line *l, enum option option)
{
	return l->seen >> option & 1;
}

static int parse_quantity(struct text *text, const char *key, const char *value,
			  const struct text_unit *units, uint64_t min,
			  uint64_t max, uint64_t *result)
{
	int ret = text_scaled(value, units, max, result);

	if (ret == -ERANGE || (!ret && *result < min))
		return text_fail(text, "%s: expected a value from %llu to %llu (in %s), found \"%s\"",
				 key, (unsigned long long)min,
				 (unsigned long long)max,
				 *units->suffix ? units->suffix : "B", value);
	if (ret)
		return text_fail(text, "%s: expected a whole number with a unit such as %s, found \"%s\"",
				 key, units[1].suffix, value);
	return 0;
}

/* Parses one of two words: 0 or 1. */
static int parse_choice(struct text *text, const char *key, const char *value,
			const char *no, const char *yes, bool *is_yes)
{
	*is_yes = !strcmp(value, yes);
	if (!*is_yes && strcmp(value, no))
		return text_fail(text, "%s: expected %s or %s, found \"%s\"",
				 key, no, yes, value);
	return 0;
}

#define QUANTITY(_name, _units, _min, _max, _member)				\
	{ .name = (_name), .units = (_units), .min = (_min), .max = (_max),	\
	  .offset = offsetof(struct flow_line, _member) }
#define CHOICE(_name, _no, _yes, _member)				\
	{ .name = (_name), .no = (_no), .yes = (_yes),			\
	  .offset = offsetof(struct flow_line, _member) }

static const struct {
	const char *name;
	const struct text_unit *units;	/* of a quantity, whose member is a uint64_t */
	uint64_t min, max;
	const char *no, *yes;		/* words of a choice, whose member is a bool */
	size_t offset;			/* of the member */
} options[OPT_LEN] = {
	[OPT_BYTES] = QUANTITY("bytes", byte_units, 1, FLOW_MAX_BYTES, flow.bytes),
	[OPT_RATE] = QUANTITY("rate", rate_units, 1, FLOW_MAX_RATE, flow.rate),
	[OPT_OVER] = QUANTITY("over", time_units, 1, FLOW_MAX_TIME, flow.duration),
	[OPT_AFTER] = QUANTITY("after", time_units, 0, FLOW_MAX_TIME, flow.delay),
	[OPT_SIZE] = QUANTITY("size", byte_units, 1, FLOW_MAX_SIZE, size),
	[OPT_LATENCY] = QUANTITY("latency", latency_units, 0, FLOW_MAX_LATENCY, flow.latency),
	[OPT_HOME_LATENCY] = QUANTITY("home_latency", latency_units, 0, FLOW_MAX_LATENCY,
				      flow.home_latency),
	[OPT_ORDER] = CHOICE("order", "relaxed", "strong", is_strong),
	[OPT_SERVED] = CHOICE("served", "memory", "cache", flow.is_from_cache),
	[OPT_ALLOC] = CHOICE("alloc", "no", "yes", flow.is_allocating),
	[OPT_PORT] = { .name = "port" },
};

static int parse_option(struct text *text, struct flow_line *l,
			enum option option, const char *value)
{
	const char *name = options[option].name;
	void *member = (char *)l + options[option].offset;

	if (options[option].units)
		return parse_quantity(text, name, value, options[option].units,
				      options[option].min, options[option].max, member);
	if (options[option].yes)
		return parse_choice(text, name, value, options[option].no,
				    options[option].yes, member);
	if (text_number(value, 10, CHIP_C2C_PORTS - 1, &l->port))
		return text_fail(text, "port: expected a C2C port, 0 or 1, found \"%s\"",
				 value);
	return 0;
}

static int parse_options(struct text *text, struct flow_line *l, char **words,
			 int len)
{
	enum option option;
	char *value;
	int i, ret;

	for (i = 0; i < len; i++) {
		value = strchr(words[i], '=');
		if (!value || !value[1])
			return text_fail(text, "expected OPTION=VALUE, found \"%s\"",
					 words[i]);
		*value++ = '\0';
		for (option = 0; option < OPT_LEN; option++)
			if (!strcmp(options[option].name, words[i]))
				break;
		if (option == OPT_LEN)
			return text_fail(text, "expected an option (bytes, rate, over, after, size, latency, home_latency, order, served, alloc, port), found \"%s\"",
					 words[i]);
		if (is_seen(l, option))
			return text_fail(text, "expected each option once, found a second \"%s\"",
					 words[i]);
		l->seen |= 1u << option;
		ret = parse_option(text, l, option, value);
		if (ret)
			return ret;
	}
	return 0;
}

/* Splits "a:b:c" in place; the number of parts, or @max + 1 if there are more. */
static int split_colons(char *word, char **parts, int max)
{
	int n = 0;

	for (;;) {
		if (n == max)
			return max + 1;
		parts[n++] = word;
		word = strchr(word, ':');
		if (!word)
			return n;
		*word++ = '\0';
	}
}

static int parse_socket(struct text *text, const char *word, unsigned int *socket)
{
	uint64_t v;

	if (text_number(word, 10, CHIP_MAX_SOCKETS - 1, &v))
		return text_fail(text, "expected a socket from 0 to %d, found \"%s\"",
				 CHIP_MAX_SOCKETS - 1, word);
	*socket = v;
	return 0;
}

static int parse_initiator(struct text *text, char *word, struct flow *f)
{
	static const struct {
		const char *name;
		enum initiator initiator;
	} modes[] = {
		{ "ats", INIT_GPU_ATS }, { "egm", INIT_GPU_ATS },
		{ "nats", INIT_GPU_NATS },
	};
	char *parts[3];
	int n = split_colons(word, parts, 3);
	uint64_t port;
	size_t i;

	if (n == 2 && !strcmp(parts[0], "cpu")) {
		f->initiator = INIT_CPU;
		return parse_socket(text, parts[1], &f->source);
	}
	if (n == 3 && !strcmp(parts[0], "pcie")) {
		f->initiator = INIT_PCIE;
		if (text_number(parts[2], 10, CHIP_ROOT_PORTS - 1, &port))
			return text_fail(text, "expected a root port from 0 to %d, found \"%s\"",
					 CHIP_ROOT_PORTS - 1, parts[2]);
		f->root_port = port;
		return parse_socket(text, parts[1], &f->source);
	}
	if ((n == 2 || n == 3) && !strcmp(parts[0], "gpu")) {
		f->initiator = INIT_GPU_ATS;
		for (i = 0; n == 3; i++) {
			if (i == ARRAY_SIZE(modes))
				return text_fail(text, "expected ats, egm or nats, found \"%s\"",
						 parts[2]);
			if (!strcmp(modes[i].name, parts[2])) {
				f->initiator = modes[i].initiator;
				break;
			}
		}
		return parse_socket(text, parts[1], &f->source);
	}
	return text_fail(text, "expected an initiator: cpu:SOCKET, pcie:SOCKET:PORT, gpu:SOCKET or gpu:SOCKET:MODE; found \"%s\"",
			 parts[0]);
}

static int parse_target(struct text *text, char *word, struct flow *f)
{
	char *parts[2];
	int n = split_colons(word, parts, 2);

	if (n == 2 && !strcmp(parts[0], "cmem")) {
		f->memory = MEM_CMEM;
		return parse_socket(text, parts[1], &f->home);
	}
	if (n == 2 && !strcmp(parts[0], "gmem")) {
		f->memory = MEM_GMEM;
		return parse_socket(text, parts[1], &f->home);
	}
	return text_fail(text, "expected a memory: cmem:SOCKET or gmem:SOCKET; found \"%s\"",
			 parts[0]);
}

static int parse_op(struct text *text, const char *word, struct flow *f)
{
	if (!strcmp(word, "rd"))
		f->op = OP_RD;
	else if (!strcmp(word, "wb"))
		f->op = OP_WB;
	else if (!strcmp(word, "wr"))
		f->op = OP_WR;
	else
		return text_fail(text, "expected rd, wb or wr, found \"%s\"", word);
	if (f->op == OP_WB && f->initiator != INIT_CPU)
		return text_fail(text, "expected rd or wr: only a CPU writes back");
	return 0;
}

/* Checks for options that this kind of flow does not have, or must have. */
static int check_options(struct text *text, const struct flow_line *l)
{
	const struct flow *f = &l->flow;
	bool is_cpu = f->initiator == INIT_CPU, is_pcie = f->initiator == INIT_PCIE;
	bool is_write = f->op != OP_RD, is_remote = !flow_is_local(f);

	if (is_seen(l, OPT_BYTES) == is_seen(l, OPT_RATE))
		return text_fail(text, "expected either bytes= or rate=");
	if (is_seen(l, OPT_BYTES) && !is_seen(l, OPT_OVER))
		return text_fail(text, "expected over= beside bytes=");
	if (is_write && (is_seen(l, OPT_LATENCY) || is_seen(l, OPT_HOME_LATENCY)))
		return text_fail(text, "expected no latency: no PMU measures the latency of a write");
	if (!is_remote && is_seen(l, OPT_HOME_LATENCY))
		return text_fail(text, "expected no home_latency: the flow is local");
	if (!is_cpu && (is_seen(l, OPT_SERVED) || is_seen(l, OPT_ALLOC)))
		return text_fail(text, "expected no served= or alloc=: they apply to CPU flows only");
	if (is_seen(l, OPT_ORDER) && !(is_pcie && is_write))
		return text_fail(text, "expected no order=: it applies to PCIe writes only");
	if (is_pcie && is_write && is_remote && !is_seen(l, OPT_ORDER))
		return text_fail(text, "expected order=relaxed or order=strong: the PMUs that count a remote PCIe write depend on it");
	if (is_seen(l, OPT_PORT) && (is_cpu || (is_pcie && !is_remote)))
		return text_fail(text, "expected no port=: the flow does not use the C2C link's PMU");
	if (f->op == OP_WB && is_seen(l, OPT_SIZE))
		return text_fail(text, "expected no size=: a write-back is %u bytes",
				 FLOW_LINE);
	if (f->op == OP_WB && f->bytes % FLOW_LINE)
		return text_fail(text, "expected a multiple of %u bytes: write-backs are whole lines",
				 FLOW_LINE);
	if (is_cpu && l->size > FLOW_LINE)
		return text_fail(text, "expected size= of at most %u: a CPU's request is at most a cache line",
				 FLOW_LINE);
	return 0;
}

/* Sets the defaults of options that the line lacks. */
static void set_defaults(struct flow_line *l)
{
	struct flow *f = &l->flow;
	bool is_cpu = f->initiator == INIT_CPU;

	if (l->is_strong)
		f->op = OP_WR_STRONG;
	/* Guide: the links take writes in requests of 32 bytes. */
	f->size = l->size;
	if (!f->size)
		f->size = f->op == OP_RD || is_cpu ? FLOW_LINE : FLOW_BEAT;
	if (!is_seen(l, OPT_HOME_LATENCY))
		f->home_latency = f->latency;
	/* Hits take no new line, and streaming writes are not kept. */
	if (!is_seen(l, OPT_ALLOC))
		f->is_allocating = is_cpu && ((f->op == OP_RD && !f->is_from_cache) ||
					      f->op == OP_WB);
	f->c2c_ports = is_seen(l, OPT_PORT) ? 1u << l->port :
		       (1u << CHIP_C2C_PORTS) - 1;
}

/* "flow INITIATOR -> MEMORY OP OPTION=VALUE..." */
static int parse_flow(struct text *text, int len, struct flow *flow)
{
	struct flow_line l = { .flow.line = text->line };
	char **w = text->words;
	int ret;

	if (len < 5 || strcmp(w[2], "->"))
		return text_fail(text, "expected \"flow INITIATOR -> MEMORY OP OPTION=VALUE...\"");

	ret = parse_initiator(text, w[1], &l.flow);
	if (!ret)
		ret = parse_target(text, w[3], &l.flow);
	if (!ret)
		ret = parse_op(text, w[4], &l.flow);
	if (ret)
		return ret;

	ret = parse_options(text, &l, w + 5, len - 5);
	if (!ret)
		ret = check_options(text, &l);
	if (ret)
		return ret;

	set_defaults(&l);
	*flow = l.flow;
	return 0;
}

/* "clock KIND[:SOCKET] FREQUENCY" */
static int parse_clock(struct text *text, int len, struct scenario *s)
{
	char *parts[2];
	unsigned int first = 0, last = CHIP_MAX_SOCKETS - 1, i;
	enum pmu_kind kind;
	uint64_t hz;
	int n, ret;

	if (len != 3)
		return text_fail(text, "expected \"clock KIND FREQUENCY\" or \"clock KIND:SOCKET FREQUENCY\"");
	n = split_colons(text->words[1], parts, 2);
	kind = chip_kind_find(parts[0]);
	if (n > 2 || kind >= PMU_FOREIGN)
		return text_fail(text, "expected scf, pcie, c2c0, c2c1 or cnvlink, found \"%s\"",
				 parts[0]);
	if (n == 2) {
		ret = parse_socket(text, parts[1], &first);
		if (ret)
			return ret;
		last = first;
	}
	ret = parse_quantity(text, "clock", text->words[2], clock_units, 1,
			     FLOW_MAX_CLOCK, &hz);
	if (ret)
		return ret;
	for (i = first; i <= last; i++) {
		s->clock[kind][i] = hz;
		s->clock_line[kind][i] = text->line;
	}
	return 0;
}

static int add_flow(struct text *text, int len, struct scenario *s)
{
	int ret;

	if (s->flows_len == SCENARIO_MAX_FLOWS)
		return text_fail(text, "expected at most %d flows",
				 SCENARIO_MAX_FLOWS);
	ret = parse_flow(text, len, &s->flows[s->flows_len]);
	if (!ret)
		s->flows_len++;
	return ret;
}

static int parse_lines(struct text *text, struct scenario *s)
{
	int n, ret;

	while ((n = text_next(text)) > 0) {
		if (!strcmp(text->words[0], "flow"))
			ret = add_flow(text, n, s);
		else if (!strcmp(text->words[0], "clock"))
			ret = parse_clock(text, n, s);
		else
			ret = text_fail(text, "expected flow or clock, found \"%s\"",
					text->words[0]);
		if (ret)
			return ret;
	}
	return n;
}

/* The file's name without directory and suffix. */
static int set_name(struct scenario *s, const char *path, struct text_error *err)
{
	const char *name = strrchr(path, '/');
	size_t len;

	name = name ? name + 1 : path;
	len = strlen(name);
	if (len > strlen(SUFFIX) && !strcmp(name + len - strlen(SUFFIX), SUFFIX))
		len -= strlen(SUFFIX);
	if (!len || len >= sizeof(s->name)) {
		snprintf(err->message, sizeof(err->message),
			 "%s: expected a name of 1 to %zu characters", path,
			 sizeof(s->name) - 1);
		return -EINVAL;
	}
	memcpy(s->name, name, len);
	return 0;
}

struct scenario *scenario_parse(const char *path, const char *data, size_t len,
				struct text_error *err)
{
	struct text text;
	struct scenario *s;
	int ret = -ENOMEM;

	text_init(&text, path, data, len, err);
	s = calloc(1, sizeof(*s));
	if (!s)
		goto fail;
	s->path = strdup(path);
	s->flows = calloc(SCENARIO_MAX_FLOWS, sizeof(*s->flows));
	if (!s->path || !s->flows)
		goto fail;

	ret = set_name(s, path, err);
	if (!ret)
		ret = parse_lines(&text, s);
	if (ret)
		goto fail;
	return s;

fail:
	if (ret == -ENOMEM)
		snprintf(err->message, sizeof(err->message), "%s: %s", path,
			 strerror(ENOMEM));
	scenario_free(s);
	errno = -ret;
	return NULL;
}

struct scenario *scenario_load(const char *path, struct text_error *err)
{
	struct scenario *s;
	size_t len;
	char *data;

	data = text_read_file(path, &len, err);
	if (!data)
		return NULL;
	s = scenario_parse(path, data, len, err);
	free(data);
	return s;
}

void scenario_free(struct scenario *s)
{
	if (!s)
		return;
	free(s->path);
	free(s->flows);
	free(s);
}

int scenario_check(const struct scenario *s, const struct chip *chip,
		   unsigned int sockets, struct text_error *err)
{
	unsigned int i;

	for (i = 0; i < s->flows_len; i++) {
		const struct flow *f = &s->flows[i];

		if (f->source >= sockets || f->home >= sockets)
			return text_fail_at(err, s->path, f->line,
					    "expected a socket below %u, the number of sockets",
					    sockets);
		if (!chip->has_gpu && (f->initiator == INIT_GPU_ATS ||
				       f->initiator == INIT_GPU_NATS ||
				       f->memory == MEM_GMEM))
			return text_fail_at(err, s->path, f->line,
					    "expected no gpu and no gmem: %s has none",
					    chip->name);
	}
	return 0;
}
