// SPDX-License-Identifier: LGPL-2.1-or-later
/* What perf makes of an event's codes: the terms of PMU/terms/, and of its Unit, the PMU. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog.h"

/* Each value has a line at most; its term is far shorter */
#define MAX_TERMS	(CATALOG_KEYS * 300)

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

/* As perf writes numbers: hexadecimal from 10 on if it was, or must be */
static void add_number(struct terms *terms, const char *name, uint64_t number, bool hex)
{
	add(terms, hex && number > 9 ? "%s%s=0x%" PRIx64 : "%s%s=%" PRIu64,
	    terms->length ? "," : "", name, number);
}

/* The number that a text begins with, up to one of @ends; false: none, or above 2^64 - 1 */
static bool parse_number(struct catalog_text text, const char *ends, uint64_t *number, bool *hex)
{
	char digits[32], *end;
	size_t length = 0;

	while (text.length && *text.at == ' ') {
		text.at++;
		text.length--;
	}
	while (length < text.length && !strchr(ends, text.at[length]))
		length++;
	while (length && text.at[length - 1] == ' ')
		length--;
	if (!length || length >= sizeof(digits))
		return false;
	memcpy(digits, text.at, length);
	digits[length] = 0;
	*hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	if (!strchr(*hex ? "0123456789abcdefABCDEF" : "0123456789", digits[*hex ? 2 : 0]) ||
	    !digits[*hex ? 2 : 0])
		return false;
	errno = 0;
	*number = strtoull(digits, &end, *hex ? 16 : 10);
	return !*end && !errno;
}

static int get_number(struct terms *terms, enum catalog_key key, const char *ends,
		      uint64_t *number, bool *hex)
{
	struct catalog_text value = terms->object->values[key];

	if (parse_number(value, ends, number, hex))
		return 0;
	return catalog_fail_key(terms->source, terms->object, key,
				"expected a number such as 0x11, found %.*s", (int)value.length,
				value.at);
}

/* perf has other terms than the codes for the fixed counters of an Intel CPU. */
static const char *fixed_terms(const struct catalog_object *object)
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
	struct catalog_text name = object->values[KEY_EVENT_NAME];
	char key[CATALOG_MAX_LINE + 1];
	size_t i;

	catalog_fold(key, name.at, name.length);
	for (i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		if (!strcmp(key, fixed[i].event))
			return fixed[i].terms;
	return NULL;
}

/* The code; an event without one has code 0. */
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
	const struct catalog_text *values = terms->object->values;
	uint64_t code = 0, select = 0;
	int ret = 0;
	bool hex;
	size_t i;

	for (i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!values[others[i].key].length)
			continue;
		ret = get_number(terms, others[i].key, "", &code, &hex);
		if (!ret)
			add_number(terms, others[i].term, code, true);
		return ret;
	}
	/* "0xb7,0xbb": either */
	if (values[KEY_EVENT_CODE].length)
		ret = get_number(terms, KEY_EVENT_CODE, ",", &code, &hex);
	if (!ret && values[KEY_EXT_SEL].length)
		ret = get_number(terms, KEY_EXT_SEL, "", &select, &hex);
	if (!ret && select > UINT64_MAX >> 8)
		ret = catalog_fail_key(terms->source, terms->object, KEY_EXT_SEL,
				       "expected a number of at most 56 bits");
	if (!ret)
		add_number(terms, "event", code | select << 8, true);
	return ret;
}

/* The register that an Intel event needs set, by its number */
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
	struct catalog_text value = terms->object->values[KEY_MSR_VALUE];
	uint64_t index;
	bool hex;
	size_t i;
	int ret;

	if (!terms->object->values[KEY_MSR_INDEX].length)
		return 0;
	ret = get_number(terms, KEY_MSR_INDEX, ",", &index, &hex);
	if (ret)
		return ret;
	for (i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
		if (registers[i].index == index) {
			if (value.length)
				add(terms, ",%s=%.*s", registers[i].term, (int)value.length,
				    value.at);
			return 0;
		}
	}
	return catalog_fail_key(terms->source, terms->object, KEY_MSR_INDEX,
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
	struct catalog_text filter = terms->object->values[KEY_FILTER];
	uint64_t number = 0;
	bool hex = false;
	size_t i;
	int ret;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!terms->object->values[fields[i].key].length)
			continue;
		ret = get_number(terms, fields[i].key, "", &number, &hex);
		if (ret)
			return ret;
		if (number)
			add_number(terms, fields[i].term, number, hex);
	}
	if (filter.length)
		add(terms, ",%.*s", (int)filter.length, filter.at);
	return 0;
}

int catalog_terms(const struct catalog_source *source, const struct catalog_object *object,
		  const char **text)
{
	struct terms terms;
	int ret;

	*text = fixed_terms(object);
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

const char *catalog_pmu_of_unit(struct catalog_pool *pool, struct catalog_text unit)
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
	char name[sizeof(others) + 255];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strlen(names[i].unit) == unit.length &&
		    !memcmp(names[i].unit, unit.at, unit.length))
			return names[i].pmu;
	if (unit.length >= sizeof(grace) - 1 && !memcmp(unit.at, grace, sizeof(grace) - 1))
		return catalog_pool_copy(pool, unit.at, unit.length);
	snprintf(name, sizeof(name), "%s%.*s", others, (int)unit.length, unit.at);
	return catalog_key_of(pool, name, strlen(name));
}
