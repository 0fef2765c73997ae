// SPDX-License-Identifier: LGPL-2.1-or-later
/* The terms of PMU/terms/ from the codes of an event, and the PMU from its Unit, as in perf */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "catalog/catalog.h"

/* Each value is a KIND_LINE; the names of terms are short. */
#define MAX_TERMS	(CATALOG_KEYS * (CATALOG_MAX_LINE + 45))

struct terms {
	const struct catalog_source *source;
	const struct catalog_object *object;
	size_t length;
	char text[MAX_TERMS];
};

__attribute__((format(printf, 2, 3)))
static void add(struct terms *terms, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	terms->length += (size_t)vsnprintf(terms->text + terms->length,
					   sizeof(terms->text) - terms->length, fmt, args);
	va_end(args);
}

/* As in perf: numbers below 10 are decimal, others hexadecimal if @is_hex. */
static void add_number(struct terms *terms, const char *name, uint64_t number, bool is_hex)
{
	add(terms, is_hex && number > 9 ? "%s%s=0x%" PRIx64 : "%s%s=%" PRIu64,
	    terms->length ? "," : "", name, number);
}

/* Parses @text up to the first of @ends; false: not a number, or above 2^64 - 1 */
static bool parse_number(const char *text, const char *ends, uint64_t *number, bool *is_hex)
{
	char digits[32], *end;
	size_t length;

	text += strspn(text, " ");
	length = strcspn(text, ends);
	while (length && text[length - 1] == ' ')
		length--;
	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text, length);
	digits[length] = 0;
	*is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	if (!strchr(*is_hex ? "0123456789abcdefABCDEF" : "0123456789", digits[*is_hex ? 2 : 0]) ||
	    !digits[*is_hex ? 2 : 0])
		return false;
	errno = 0;
	*number = strtoull(digits, &end, *is_hex ? 16 : 10);
	return !*end && !errno;
}

static int get_number(struct terms *terms, enum catalog_key key, const char *ends,
		      uint64_t *number, bool *is_hex)
{
	const char *value = terms->object->values[key];

	if (parse_number(value, ends, number, is_hex))
		return 0;
	return catalog_fail_key(terms->source, key, "expected a number such as 0x11, found %s",
				value);
}

/* perf replaces the codes of an Intel CPU's fixed counters. */
static const char *fixed_terms(const char *key)
{
	static const struct {
		const char *event, *terms;
	} fixed[] = {
		{ "cpu_clk_unhalted.core", "event=0x3c,period=2000003" },
		{ "cpu_clk_unhalted.ref", "event=0x0,umask=0x03,period=2000003" },
		{ "cpu_clk_unhalted.thread", "event=0x3c,period=2000003" },
		{ "cpu_clk_unhalted.thread_any", "event=0x3c,any=1,period=2000003" },
		{ "inst_retired.any", "event=0xc0,period=2000003" },
		{ "inst_retired.any_p", "event=0xc0,period=2000003" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (!strcmp(key, fixed[i].event))
			return fixed[i].terms;
	return NULL;
}

/* An event without a code has code 0. */
static int add_code(struct terms *terms)
{
	static const struct {
		enum catalog_key key;
		const char *term;
	} others[] = {
		{ KEY_CONFIG_CODE, "config" },
		{ KEY_EVENTID_CODE, "eventid" },
		{ KEY_LEGACY_CONFIG_CODE, "legacy-hardware-config" },
		{ KEY_LEGACY_CACHE_CODE, "legacy-cache-config" },
	};
	const char *const *values = terms->object->values;
	uint64_t code = 0, select = 0;
	int ret = 0;
	bool is_hex;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		if (!values[others[i].key])
			continue;
		ret = get_number(terms, others[i].key, "", &code, &is_hex);
		if (!ret)
			add_number(terms, others[i].term, code, true);
		return ret;
	}
	/* perf takes the first number of "0xb7,0xbb". */
	if (values[KEY_EVENT_CODE])
		ret = get_number(terms, KEY_EVENT_CODE, ",", &code, &is_hex);
	if (!ret && values[KEY_EXT_SEL])
		ret = get_number(terms, KEY_EXT_SEL, "", &select, &is_hex);
	if (!ret && select > UINT64_MAX >> 8)
		ret = catalog_fail_key(terms->source, KEY_EXT_SEL,
				       "expected a number of at most 56 bits");
	if (!ret)
		add_number(terms, "event", code | select << 8, true);
	return ret;
}

/* A register of an Intel CPU that the event needs */
static int add_msr(struct terms *terms)
{
	static const struct {
		uint64_t index;
		const char *term;
	} registers[] = {
		{ 0x1a6, "offcore_rsp" }, { 0x1a7, "offcore_rsp" }, { 0x3e0, "offcore_rsp" },
		{ 0x3e1, "offcore_rsp" }, { 0x3e2, "offcore_rsp" }, { 0x3e3, "offcore_rsp" },
		{ 0x3f6, "ldlat" }, { 0x3f7, "frontend" },
	};
	const char *value = terms->object->values[KEY_MSR_VALUE];
	uint64_t index;
	bool is_hex;
	int ret;

	if (!terms->object->values[KEY_MSR_INDEX])
		return 0;
	ret = get_number(terms, KEY_MSR_INDEX, ",", &index, &is_hex);
	if (ret)
		return ret;
	for (size_t i = 0; i < ARRAY_SIZE(registers); i++) {
		if (registers[i].index == index) {
			if (value)
				add(terms, ",%s=%s", registers[i].term, value);
			return 0;
		}
	}
	return catalog_fail_key(terms->source, KEY_MSR_INDEX,
				"expected a register of perf's such as 0x1a6, found 0x%" PRIx64,
				index);
}

static int add_fields(struct terms *terms)
{
	static const struct {
		enum catalog_key key;
		const char *term;
	} fields[] = {
		{ KEY_ANY_THREAD, "any" },
		{ KEY_PORT_MASK, "ch_mask" },
		{ KEY_COUNTER_MASK, "cmask" },
		{ KEY_EDGE_DETECT, "edge" },
		{ KEY_FC_MASK, "fc_mask" },
		{ KEY_INVERT, "inv" },
		{ KEY_SAMPLE_AFTER_VALUE, "period" },
		{ KEY_UMASK, "umask" },
		{ KEY_NODE_TYPE, "type" },
		{ KEY_RD_WR_MASK, "rdwrmask" },
		{ KEY_EN_ALL_CORES, "enallcores" },
		{ KEY_EN_ALL_SLICES, "enallslices" },
		{ KEY_SLICE_ID, "sliceid" },
		{ KEY_THREAD_MASK, "threadmask" },
	};
	const char *filter = terms->object->values[KEY_FILTER];
	uint64_t number = 0;
	bool is_hex = false;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		if (!terms->object->values[fields[i].key])
			continue;
		ret = get_number(terms, fields[i].key, "", &number, &is_hex);
		if (ret)
			return ret;
		if (number)
			add_number(terms, fields[i].term, number, is_hex);
	}
	if (filter)
		add(terms, ",%s", filter);
	return 0;
}

int catalog_terms(const struct catalog_source *source, const struct catalog_object *object,
		  const char *key, const char **text)
{
	struct terms terms;
	int ret;

	*text = fixed_terms(key);
	if (*text)
		return 0;
	terms.source = source;
	terms.object = object;
	terms.length = 0;
	ret = add_code(&terms);
	if (!ret)
		ret = add_fields(&terms);
	if (!ret)
		ret = add_msr(&terms);
	if (ret)
		return ret;
	*text = catalog_pool_copy(&source->load->pool, terms.text, terms.length);
	return *text ? 0 : -ENOMEM;
}

const char *catalog_pmu_of_unit(struct catalog_pool *pool, const char *unit)
{
	static const struct {
		const char *unit, *pmu;
	} names[] = {
		{ "CBO", "uncore_cbox" }, { "QPI LL", "uncore_qpi" }, { "SBO", "uncore_sbox" },
		{ "UPI LL", "uncore_upi" }, { "iMPH-U", "uncore_arb" },
		{ "CPU-M-CF", "cpum_cf" }, { "CPU-M-SF", "cpum_sf" },
		{ "PAI-CRYPTO", "pai_crypto" }, { "PAI-EXT", "pai_ext" },
		{ "L3PMC", "amd_l3" }, { "DFPMC", "amd_df" }, { "UMCPMC", "amd_umc" },
		{ "hisi_sicl,cpa", "hisi_sicl,cpa" }, { "hisi_sccl,ddrc", "hisi_sccl,ddrc" },
		{ "hisi_sccl,hha", "hisi_sccl,hha" }, { "hisi_sccl,l3c", "hisi_sccl,l3c" },
		{ "imx8_ddr", "imx8_ddr" }, { "imx9_ddr", "imx9_ddr" }, { "ali_drw", "ali_drw" },
		{ "arm_cmn", "arm_cmn" }, { "cpu_core", "cpu_core" }, { "cpu_atom", "cpu_atom" },
		{ "software", "software" }, { "tool", "tool" },
	};
	static const char grace[] = "nvidia_", others[] = CATALOG_UNCORE;
	char name[sizeof(others) + CATALOG_MAX_LINE];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i].unit, unit))
			return names[i].pmu;
	if (!strncmp(unit, grace, sizeof(grace) - 1))
		return catalog_pool_copy(pool, unit, strlen(unit));
	snprintf(name, sizeof(name), "%s%s", others, unit);
	return catalog_key_of(pool, name);
}
