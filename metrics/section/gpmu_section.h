/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* section: section files of Nsight Compute, as sets of metrics */
#ifndef GPMU_SECTION_API_H
#define GPMU_SECTION_API_H

#include <stddef.h>

#include <gpmu/error.h>

/*
 * A section file, NAME.section, is a message in protobuf's text format: metrics, how a report shows them, and filters
 * that select them by the architecture of the GPU and by what is profiled. gpmu-sections(5) describes the files.
 *
 * All texts that these functions return are borrowed from the section, and NULL if the file does not have them.
 */
struct gpmu_section;
struct gpmu_sections;

/* The piece of work that a metric is collected for */
enum gpmu_section_scope {
	GPMU_SECTION_LAUNCH,	/* a kernel or a node of a graph */
	GPMU_SECTION_RANGE,	/* a range of a program, or the time of sampling */
	GPMU_SECTION_CMDLIST,
	GPMU_SECTION_GRAPH,	/* a graph as a whole */
};

/* The effect of a metric that cannot be collected */
enum gpmu_section_importance {
	GPMU_SECTION_OPTIONAL,	/* a warning; also without Importance */
	GPMU_SECTION_REQUIRED,	/* an error */
};

/**
 * gpmu_section_new() - parses the text of a section file
 * @name: path of the file, which begins warnings and errors
 * @text: the text; need not end with NUL
 * @size: length of @text in bytes
 * @error: set on failure, or NULL: "FILE:LINE: expected ..."
 *
 * A field that libgpmu does not know, or a field or word with an unknown value, is ignored with a warning.
 *
 * Return: a new section; NULL with errno EINVAL (the text is no section, or has no Identifier) or ENOMEM
 */
struct gpmu_section *gpmu_section_new(const char *name, const char *text, size_t size, struct gpmu_error *error);
/* Frees @section; NULL is allowed. */
void gpmu_section_free(struct gpmu_section *section);

const char *gpmu_section_file(const struct gpmu_section *section);
const char *gpmu_section_identifier(const struct gpmu_section *section);
/* Returns DisplayName, or the identifier if the file has none */
const char *gpmu_section_name(const struct gpmu_section *section);
const char *gpmu_section_description(const struct gpmu_section *section);
/* Returns Order, by which sections are sorted; 0 without it */
int gpmu_section_order(const struct gpmu_section *section);
/* Return an identifier of a section that this one extends, and of a set that it belongs to; NULL after the last */
const char *gpmu_section_extends(const struct gpmu_section *section, size_t index);
const char *gpmu_section_set(const struct gpmu_section *section, size_t index);
/* Returns a warning, "FILE:LINE: ..."; NULL after the last */
const char *gpmu_section_warning(const struct gpmu_section *section, size_t index);

/**
 * struct gpmu_section_target - what the metrics of a section are selected for
 * @size: size of this structure
 * @arch: ten times the compute capability: 90 for a GH100. 0: not known: filters by architecture
 *	accept it, and no option applies
 * @driver: version of the driver, "580.159.04"; NULL: not known, and filters by driver accept it
 * @vgpu: 1: the GPU is a vGPU, 0: it is not
 * @scope: what is profiled
 */
struct gpmu_section_target {
	size_t size;
	int arch;
	const char *driver;
	int vgpu;
	enum gpmu_section_scope scope;
};

/* Returns ten times the compute capability of a chip, 90 for "GH100"; 0: not known */
int gpmu_section_arch(const char *chip);

/**
 * struct gpmu_section_metric - a metric of a section
 * @name: name for the target, that of an option if one applies; of a suffix table base name and suffix
 * @label: label; or NULL. An empty label means that the metric is collected and not shown
 * @description: description; or NULL
 * @place: names of the messages that it is in, "Body/Items/BarChart/Metrics"
 * @expr: its formula, from UserMetricExpr or MetricDefinitions; NULL: a metric of the GPU
 * @groups: names of the groups, whose metrics are collected in one pass; separated by ","; or NULL
 * @domains: names of the counter domains that it is to be collected in; separated by ","; or NULL
 * @multiplier: factor for the values; 1 without Multiplier
 * @importance: effect if it cannot be collected
 * @is_pattern: 1: @name is an extended regular expression that matches whole names of metrics
 * @has_instances: 1: the report shows its instances
 * @line: line in the file
 */
struct gpmu_section_metric {
	const char *name, *label, *description;
	const char *place;
	const char *expr;
	const char *groups, *domains;
	double multiplier;
	enum gpmu_section_importance importance;
	int is_pattern, has_instances;
	unsigned int line;
};

/* The metrics of a section for a target, in the order of the file */
struct gpmu_section_metrics;

/*
 * Selects the metrics of a section. A metric comes once for each place of the section that has it. Returns a new
 * object, which must not outlive the section; NULL with errno ENOMEM
 */
struct gpmu_section_metrics *gpmu_section_select(const struct gpmu_section *section,
						 const struct gpmu_section_target *target);
void gpmu_section_metrics_free(struct gpmu_section_metrics *metrics);
/* Returns the metric at @index; NULL after the last */
const struct gpmu_section_metric *gpmu_section_metrics_at(const struct gpmu_section_metrics *metrics, size_t index);

/*
 * Returns 1 if the regular expression of a metric matches the whole of a name, 0 if not, -ENOMEM, or -EINVAL if it is
 * malformed, which a warning of the section reports.
 */
int gpmu_section_matches(const struct gpmu_section_metric *metric, const char *name);

/* Creates an empty list of sections. Returns NULL with errno ENOMEM. */
struct gpmu_sections *gpmu_sections_new(void);
void gpmu_sections_free(struct gpmu_sections *sections);
/**
 * gpmu_sections_add() - adds the *.section of a folder, or a file
 * @sections: the list, sorted by order and identifier afterwards
 * @path: folder or file
 * @is_recursive: 1: adds the folders inside, too, except those that links lead to
 * @error: set on failure, or NULL
 *
 * A malformed file is left out, and gpmu_sections_failure() returns why. Of several sections with one identifier the
 * one added first stays, with a warning.
 *
 * Return: 0; -ENOENT, also for a folder without such a file; -ENOMEM; or the error of a file operation
 */
int gpmu_sections_add(struct gpmu_sections *sections, const char *path, int is_recursive, struct gpmu_error *error);
/* Returns the section at @index; NULL after the last */
const struct gpmu_section *gpmu_sections_at(const struct gpmu_sections *sections, size_t index);
/* Finds a section by its identifier; in a malformed file it is missing. NULL with the error set */
const struct gpmu_section *gpmu_sections_find(const struct gpmu_sections *sections, const char *identifier,
					      struct gpmu_error *error);
/* Returns why a file was left out, "FILE:LINE: ..."; NULL after the last */
const char *gpmu_sections_failure(const struct gpmu_sections *sections, size_t index);
/* Returns a warning about the files or their list; NULL after the last */
const char *gpmu_sections_warning(const struct gpmu_sections *sections, size_t index);

#endif /* GPMU_SECTION_API_H */
