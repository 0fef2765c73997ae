/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The keys of perf's schema for objects of pmu-events */
#ifndef GPMU_CATALOG_KEY_H
#define GPMU_CATALOG_KEY_H

#define CATALOG_MAX_LINE	255	/* bytes of a KIND_LINE value */

/* Keys whose values libgpmu uses */
enum catalog_key {
	KEY_ANY_THREAD,
	KEY_ARCH_STD_EVENT,
	KEY_BRIEF_DESCRIPTION,
	KEY_COMPAT,
	KEY_CONFIG_CODE,
	KEY_COUNTER_MASK,
	KEY_EDGE_DETECT,
	KEY_EN_ALL_CORES,
	KEY_EN_ALL_SLICES,
	KEY_EVENT_CODE,
	KEY_EVENT_NAME,
	KEY_EVENTID_CODE,
	KEY_EXT_SEL,
	KEY_FC_MASK,
	KEY_FILTER,
	KEY_INVERT,
	KEY_LEGACY_CACHE_CODE,
	KEY_LEGACY_CONFIG_CODE,
	KEY_METRIC_CONSTRAINT,
	KEY_METRIC_EXPR,
	KEY_METRIC_GROUP,
	KEY_METRIC_NAME,
	KEY_METRIC_THRESHOLD,
	KEY_MSR_INDEX,
	KEY_MSR_VALUE,
	KEY_NODE_TYPE,
	KEY_PORT_MASK,
	KEY_PUBLIC_DESCRIPTION,
	KEY_RD_WR_MASK,
	KEY_SAMPLE_AFTER_VALUE,
	KEY_SCALE_UNIT,
	KEY_SLICE_ID,
	KEY_THREAD_MASK,
	KEY_UMASK,
	KEY_UNIT,
	CATALOG_KEYS,
};

enum catalog_kind {
	KIND_IGNORED,
	KIND_LINE,	/* a string without control characters, at most CATALOG_MAX_LINE bytes */
	KIND_TEXT,	/* a string */
};

struct catalog_key_info {
	const char *name;
	enum catalog_kind kind;
	enum catalog_key key;	/* not of KIND_IGNORED */
};

/* Returns NULL if perf's schema does not have the key. */
const struct catalog_key_info *catalog_key_find(const char *name);
const char *catalog_key_name(enum catalog_key key);

#endif /* GPMU_CATALOG_KEY_H */
