/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Steps of making an event from its text. Functions that return int return 0, or -errno
 * with the error set in @why; functions that look for something return 1 if found, 0 if
 * not, or -errno.
 */
#ifndef GPMU_EVENT_BUILD_H
#define GPMU_EVENT_BUILD_H

#include "event/event.h"
#include "event/event_text.h"
#include "base/error.h"
#include "base/text/gpmu_nearest.h"
#include "base/text/text.h"

struct event_builder {
	const struct gpmu_machine *machine;
	const struct gpmu_catalog *catalog;	/* NULL: none */
	struct event_text text;
	struct gpmu_error why;
	struct gpmu_event *event;		/* receives the instances */
	/* template of each instance, with the modifiers applied */
	struct event_instance form;
	const char *modifiers;
	const char *excludes; /* first modifier that selects user, kernel, ...; NULL: none */
};

/* Returns an event of the catalog; NULL after the last. */
static inline const struct gpmu_event_def *event_def(const struct event_builder *builder, size_t index)
{
	return builder->catalog ? gpmu_catalog_event(builder->catalog, index) : NULL;
}

/* --- event_build.c */

/* Sets the error at @pos, which is in the builder's text. Returns -@error. */
__attribute__((format(printf, 4, 5)))
int event_fail(struct event_builder *builder, const char *pos, int error, const char *fmt, ...);

/* Text of an instance: the user's text, after "PMU/" if @pmu is given; new, or NULL */
char *event_instance_name(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			  const char *name);
/* Appends an instance and takes ownership of @name; NULL in @name means out of memory. */
int event_add(struct event_builder *builder, const struct gpmu_pmu *pmu,
	      const struct perf_event_attr *attr, char *name);

/* --- event_pmus.c: the PMUs of a name */


/*
 * Returns whether @wanted is the PMU's name, with or without its number or "uncore_", or a pattern
 * for it
 */
bool event_pmu_is(const struct gpmu_pmu *pmu, const char *wanted);
/* Next PMU of that name from @index on, which is advanced; NULL after the last */
const struct gpmu_pmu *event_next_pmu(const struct gpmu_machine *machine, const char *wanted,
				      size_t *index);
/* Next core PMU, likewise */
const struct gpmu_pmu *event_next_core(const struct gpmu_machine *machine, size_t *index);
size_t event_count_cores(const struct gpmu_machine *machine);
/* NULL: none */
const struct gpmu_pmu *event_pmu_of_type(const struct gpmu_machine *machine, uint32_t type);
/* Fails for an unknown PMU: -ENODEV if the catalog has events of it, else -ENOENT */
int event_fail_pmu(struct event_builder *builder, const char *name);

/* --- event_modifiers.c */

int event_set_modifiers(struct event_builder *builder, const char *letters);
/* Returns whether the text consists of modifier letters only. */
bool event_are_modifiers(const char *text);

/* --- event_format.c: "config1:0-9", "config:0-7,32-35" */

struct event_format {
	unsigned int config;	/* number of the field: 0 for config, 1 for config1, ... */
	uint64_t bits;
};

/*
 * Returns -EINVAL for an invalid format, -ENOTSUP for a configN that struct
 * perf_event_attr lacks.
 */
int event_format_parse(const char *text, struct event_format *format);
uint64_t event_format_max(const struct event_format *format);
/* @value: at most event_format_max() */
void event_format_set(const struct event_format *format, struct perf_event_attr *attr,
		      uint64_t value);
/* Parses "0x1f" or "31". */
bool event_parse_number(const char *text, uint64_t *number);

/* --- event_alias.c: named events */

struct event_alias {
	const char *terms;	/* "event=0x1a5"; NULL: type and config define the event */
	uint32_t type;
	uint64_t config;
	double scale;
	const char *unit;	/* NULL: none */
	bool is_mean, is_absent;	/* from a source: struct gpmu_source_event_info */
};

/* Returns whether sysfs or the catalog has an event of that name for the PMU; 1 fills @alias. */
int event_find_alias(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		     struct event_alias *alias);
/* Compares @nearest with the names of the PMU's events. */
void event_near_aliases(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			struct nearest *nearest);

/* --- event_terms.c */

/*
 * Sets @attr by the text's terms, preceded by the event @name unless it is NULL. Returns
 * -ENOENT if the PMU has no such event or format.
 */
int event_apply(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		struct perf_event_attr *attr);
/* Likewise, for terms that need no PMU: configN=, name= */
int event_apply_common(struct event_builder *builder, struct perf_event_attr *attr);

/* --- event_generic.c: perf's generic event names */

bool event_find_generic(const char *name, uint32_t *type, uint64_t *config);
/* Each event in one of its spellings; NULL after the last */
const char *event_generic_name(size_t index);
/* Generic name of a type and config; NULL if there is none */
const char *event_generic_of(uint32_t type, uint64_t config);
/*
 * config for perf_event_open() on that PMU, including the PMU's type if there are several
 * core PMUs
 */
uint64_t event_generic_config(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			      uint64_t config);

/* --- event_generic_add.c */

/* Adds a generic event on its PMUs. @name: perf's name for it */
int event_add_generic(struct event_builder *builder, const char *name, uint32_t type,
		      uint64_t config);
/* Adds a raw event "r11". Returns 1, or 0 if the text is none. */
int event_add_raw(struct event_builder *builder, const char *name);

/* --- event_native.c: an event of libpfm4, "arm_v2::INST_RETIRED" */
int event_add_native(struct event_builder *builder);

/* --- event_bare.c: a name without a PMU; 1 if found, 0 if not */
int event_add_bare(struct event_builder *builder, const char *name);
/* Fails and suggests names. */
int event_fail_bare(struct event_builder *builder, const char *name);

/* --- event_tracepoint.c: system and name may be patterns */
int event_add_tracepoints(struct event_builder *builder, const char *system, const char *name);

#endif /* GPMU_EVENT_BUILD_H */
