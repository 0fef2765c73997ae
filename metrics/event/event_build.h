/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How an event is made of its text. Functions that return int return 0 or
 * -errno with @why set; those that look for something 1 or 0, or -errno.
 */
#ifndef GPMU_EVENT_BUILD_H
#define GPMU_EVENT_BUILD_H

#include "event/event.h"
#include "event/event_text.h"
#include "base/nearest.h"

struct event_builder {
	const struct gpmu_machine *machine;
	const struct gpmu_catalog *catalog;	/* or NULL */
	struct event_text text;
	struct gpmu_error why;
	struct gpmu_event *event;		/* gets the instances */
	size_t room;				/* for instances */
	struct event_instance form;		/* what modifiers set of each instance */
	const char *modifiers;
	const char *excludes; /* the first of them that is about who runs; or NULL */
};

/* @at: in the builder's text. Returns -@error. */
__attribute__((format(printf, 4, 5)))
int event_fail(struct event_builder *builder, const char *at, int error, const char *fmt, ...);
int event_no_memory(struct event_builder *builder);
/* Texts as one, new; or NULL */
#define event_join(...)	event_join_parts((const char *const[]){ __VA_ARGS__, NULL })
char *event_join_parts(const char *const *parts);

/* An instance more; takes @name, which may be NULL: no memory */
int event_add(struct event_builder *builder, const struct gpmu_pmu *pmu,
	      const struct perf_event_attr *attr, char *name);

/* --- event_pmus.c: which PMUs a name stands for */

/* Whether @wanted is a PMU's name, perhaps without its number, or "uncore_", or a pattern */
bool event_pmu_is(const struct gpmu_pmu *pmu, const char *wanted);
/* The PMUs of that name from @index on, which is then the next one's; NULL after the last */
const struct gpmu_pmu *event_next_pmu(const struct gpmu_machine *machine, const char *wanted,
				      size_t *index);
/* Likewise the core PMUs */
const struct gpmu_pmu *event_next_core(const struct gpmu_machine *machine, size_t *index);
size_t event_count_cores(const struct gpmu_machine *machine);
/* NULL: there is none */
const struct gpmu_pmu *event_pmu_of_type(const struct gpmu_machine *machine, uint32_t type);
/* No such PMU: -ENODEV if the catalog has events of one, else -ENOENT */
int event_fail_pmu(struct event_builder *builder, const char *name);

/* --- event_modifiers.c */

int event_set_modifiers(struct event_builder *builder, const char *letters);
/* Whether it is a text of nothing but letters that are modifiers */
bool event_are_modifiers(const char *text);

/* --- event_format.c: "config1:0-9", "config:0-7,32-35" */

struct event_format {
	unsigned int config;	/* config, config1, ... */
	uint64_t bits;
};

/* -EINVAL: not of that form; -ENOTSUP: of a configN that is not in struct perf_event_attr */
int event_format_parse(const char *text, struct event_format *format);
uint64_t event_format_max(const struct event_format *format);
/* @value: at most event_format_max() */
void event_format_set(const struct event_format *format, struct perf_event_attr *attr,
		      uint64_t value);
/* "0x1f", "31" */
bool event_parse_number(const char *text, uint64_t *number);

/* --- event_alias.c: events that have a name */

struct event_alias {
	const char *terms;	/* "event=0x1a5"; NULL: type and config are it */
	uint32_t type;
	uint64_t config;
	double scale;
	const char *unit;	/* or NULL */
	bool mean, absent;	/* of a source: struct gpmu_source_event_info */
};

/* Whether sysfs or the catalog has an event of that name for the PMU */
int event_find_alias(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		     struct event_alias *alias);
/* Tries the names of the PMU's events. */
void event_near_aliases(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			struct nearest *nearest);

/* --- event_terms.c */

/*
 * What the text's terms, and before them the event @name unless it is NULL, say to
 * the PMU. -ENOENT: it has no such event or format
 */
int event_apply(struct event_builder *builder, const struct gpmu_pmu *pmu, const char *name,
		struct perf_event_attr *attr);
/* Likewise terms that need no PMU: configN=, name= */
int event_apply_common(struct event_builder *builder, struct perf_event_attr *attr);

/* --- event_generic.c: perf's names for what every kernel has, and raw codes */

bool event_find_generic(const char *name, uint32_t *type, uint64_t *config);
/* In one spelling of several; NULL after the last */
const char *event_generic_name(size_t index);
/* The name of what perf_event_open() takes; NULL: it has none */
const char *event_generic_of(uint32_t type, uint64_t config);
/* What perf_event_open() takes in config for that PMU, which may be one of several of cores */
uint64_t event_generic_config(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			      uint64_t config);
/* On the PMUs that it is of; @name: what perf calls it */
int event_add_generic(struct event_builder *builder, const char *name, uint32_t type,
		      uint64_t config);
/* "r11". 1; 0: it is no such text */
int event_add_raw(struct event_builder *builder, const char *name);

/* --- event_native.c: the text is one of libpfm4's, "arm_v2::INST_RETIRED" */
int event_add_native(struct event_builder *builder);

/* --- event_bare.c: a name without a PMU. 1; 0: there is none */
int event_add_bare(struct event_builder *builder, const char *name);
/* Says what the name could be. */
int event_fail_bare(struct event_builder *builder, const char *name);

/* --- event_tracepoint.c: both may be patterns */
int event_add_tracepoints(struct event_builder *builder, const char *system, const char *name);

/* --- event.c */

/* The event as the text has it, behind "PMU/" if that is given; new, or NULL */
char *event_instance_name(const struct event_builder *builder, const struct gpmu_pmu *pmu,
			  const char *name);

#endif /* GPMU_EVENT_BUILD_H */
