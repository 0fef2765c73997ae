/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a catalog consists of, and the steps in which one is loaded: folders are
 * searched for files, files read for entries, entries sorted into lists. All
 * steps gather in a struct catalog_load, so that a failure leaves the catalog as
 * it was.
 */
#ifndef GPMU_CATALOG_H
#define GPMU_CATALOG_H

#include <locale.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "catalog/catalog_object.h"
#include "catalog/catalog_pool.h"
#include "gpmu.h"

#define CATALOG_UNCORE		"uncore_"	/* before a PMU's name; perf ignores it */
#define CATALOG_MAX_FILE	(64u << 20)	/* bytes */
#define CATALOG_MAX_LOAD	(256u << 20)	/* ... of all files of one call */
#define CATALOG_MAX_DEPTH	16		/* folders in folders */
#define CATALOG_MAX_NAMESAKES	1000		/* metrics, or events, of one name */
#define CATALOG_MAX_GROUPS	64		/* of a metric */
#define CATALOG_MAX_WARNINGS	100

struct catalog_file {
	const char *name;	/* for people */
	/*
	 * Where it is in perf's pmu-events/arch, "arm64/arm/neoverse-n2-v2"; NULL
	 * elsewhere, and in a folder "sys", whose entries are not those of a CPU
	 */
	const char *cpu;
	const char *arch;	/* "arm64" of that; NULL elsewhere */
	bool descriptions;	/* x-metricgroups.json, an object: of no use here */
	const char *topic;
};

/* What metrics and events have in common */
struct catalog_entry {
	const char *name;
	const char *key;	/* the name in lower case */
	const char *pmu;	/* without its number; NULL: that of the CPUs */
	const char *compat;	/* its identifier, or NULL */
	const char *description, *details;	/* or NULL */
	const char *unit;	/* or NULL */
	double scale;
	const struct catalog_file *file;
	unsigned int line;
	size_t order;		/* in which it was added */
};

struct gpmu_metric {
	struct catalog_entry entry;
	const char *expr;
	const char *threshold, *constraint;	/* or NULL */
	const char **groups;	/* NULL after the last; or NULL */
};

struct gpmu_event_def {
	struct catalog_entry entry;
	const char *terms;
};

/* Entries in the order of key, pmu, cpu, compat, once they are sorted */
struct catalog_list {
	struct catalog_entry **entries;
	size_t length, room;
};

/* An entry that has what it does not say from one in arch/ARCH/NAME.json */
struct catalog_reference {
	struct catalog_reference *next;
	const char *standard;		/* the key of that one */
	struct gpmu_metric metric;	/* what it says; of an event, the entry */
};

/* Pairs in the order of group and metric */
struct catalog_groups {
	struct catalog_group {
		const char *name;
		const struct gpmu_metric *metric;
	} *members;
	size_t length;
	size_t *starts;		/* of each group in members, then the length */
	size_t n_groups;
};

struct catalog_warnings {
	const char *lines[CATALOG_MAX_WARNINGS];
	size_t length;
	size_t more;		/* for which there was no room */
	char last[64];		/* how many those are */
};

struct gpmu_catalog {
	struct catalog_pool pool;
	struct catalog_list metrics, events;
	struct catalog_groups groups;
	struct catalog_warnings warnings;
	size_t order;
	/* What is built in takes longer to load than much else does that needs nothing of it. */
	atomic_bool complete;
	pthread_mutex_t loading;
	struct gpmu_catalog *self;
};

/* What a call adds to a catalog */
struct catalog_load {
	struct catalog_pool pool;
	struct catalog_list metrics, events;
	struct catalog_reference *references;
	struct catalog_warnings warnings;
	size_t order;
	size_t files, bytes;	/* of all files */
	locale_t locale;	/* whose numbers have a point */
	struct gpmu_error *error;
};

/* --- catalog.c */

/* Loads what is built in, unless that was done. 0, or -errno, which is -ENOMEM, with errno set */
int catalog_need(const struct gpmu_catalog *catalog);

/* --- catalog_load.c: what all steps need */

/* 0, or -ENOMEM with the error set and nothing to end */
int catalog_load_init(struct catalog_load *load, const struct gpmu_catalog *catalog,
		      struct gpmu_error *error);
/* What @ret, 0 or -errno of the steps between, makes of the whole; 0: the catalog has it all */
int catalog_load_end(struct catalog_load *load, struct gpmu_catalog *catalog, int ret);
/* Returns -ENOMEM, and sets errno. */
int catalog_no_memory(struct gpmu_error *error);
/* "file:line: ..." becomes the error; line 0: none. Returns -EINVAL. */
__attribute__((format(printf, 5, 6)))
int catalog_fail(struct catalog_load *load, const char *file, unsigned int line, size_t offset,
		 const char *fmt, ...);
/* "file: ..." with what errno says; returns -errno */
int catalog_fail_errno(struct catalog_load *load, const char *file);
/* 0 or -ENOMEM */
__attribute__((format(printf, 4, 5)))
int catalog_warn(struct catalog_load *load, const char *file, unsigned int line, const char *fmt,
		 ...);

/* --- catalog_folder.c, catalog_file.c: 0, -ENOMEM, or -errno with the error set */

/* The files of pmu-events in the library itself: metrics/rules-catalog.mk makes this table */
struct catalog_builtin {
	const char *name;	/* "built in: arch/..."; NULL after the last */
	const char *place;	/* the path, which begins with "/" */
	const char *text, *end;
};

extern const struct catalog_builtin catalog_builtins[];

/* A file, or the *.json of a folder and of those in it */
int catalog_add_path(struct catalog_load *load, const char *path);
/* Those that are built in */
int catalog_add_builtin(struct catalog_load *load);
/* The file @place, a path from "/", which is @name for people */
int catalog_add_file(struct catalog_load *load, const char *name, const char *place);
/* The text of such a file */
int catalog_add_text(struct catalog_load *load, const char *name, const char *place,
		     const char *text, size_t size);

/* --- catalog_json.c: 0, -EINVAL with the error set, or -ENOMEM */

/* The text of a file, which is an array of objects */
int catalog_read(struct catalog_load *load, const struct catalog_file *file, const char *text,
		 size_t size);

/* --- catalog_entry.c: from an object to a metric, an event, or both */

struct catalog_source {
	struct catalog_load *load;
	const struct catalog_file *file;
	unsigned int line;	/* of the object */
	size_t offset;		/* in the file */
	const char *text;	/* of the object */
};

/* Says what is wrong with a member; returns -EINVAL. */
__attribute__((format(printf, 4, 5)))
int catalog_fail_key(const struct catalog_source *source, const struct catalog_object *object,
		     enum catalog_key key, const char *fmt, ...);
/* 0, -EINVAL with the error set, or -ENOMEM */
int catalog_add_object(const struct catalog_source *source, const struct catalog_object *object);
/* The event's terms; NULL: none; in @pool. 0, -EINVAL with the error set, or -ENOMEM */
int catalog_terms(const struct catalog_source *source, const struct catalog_object *object,
		  const char **terms);
/* "uncore_cbox" of the Unit "CBO"; NULL if there is no memory */
const char *catalog_pmu_of_unit(struct catalog_pool *pool, struct catalog_text unit);

/* --- catalog_standard.c */

/* Completes the references from what @metrics and @events have. 0 or -ENOMEM */
int catalog_resolve(struct catalog_load *load, const struct catalog_list *metrics,
		    const struct catalog_list *events);

/* --- catalog_list.c */

int catalog_list_add(struct catalog_list *list, struct catalog_entry *entry);
/* Sorts; of those for the same thing leaves the first of the last file. 0 or -ENOMEM */
int catalog_list_sort(struct catalog_load *load, struct catalog_list *list);
/* @merged has what is in @older and in @newer, both sorted, of the same thing the newer's. */
int catalog_list_merge(struct catalog_list *merged, const struct catalog_list *older,
		       const struct catalog_list *newer);
/* The first that is @entry or after it */
size_t catalog_list_find(const struct catalog_list *list, const struct catalog_entry *entry);
void catalog_list_release(struct catalog_list *list);
/* Order of the things that two entries are for */
int catalog_compare(const struct catalog_entry *a, const struct catalog_entry *b);
/* ASCII's letters become those of lower case, in any locale; with a NUL behind them. */
void catalog_fold(char *key, const char *name, size_t length);
/* A copy of that; NULL if there is no memory */
const char *catalog_key_of(struct catalog_pool *pool, const char *name, size_t length);

/* --- catalog_groups.c */

int catalog_groups_init(struct catalog_groups *groups, const struct catalog_list *metrics);
void catalog_groups_release(struct catalog_groups *groups);

/* --- catalog_machine.c */

/* Whether a machine has what an entry is for: 1, 0 or -ENOMEM */
int catalog_supported(const struct catalog_entry *entry, const struct gpmu_machine *machine);

#endif /* GPMU_CATALOG_H */
