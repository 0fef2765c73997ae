// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stat/stat_sections.h"

#define SHOWN_NAMES	100	/* characters of names in a warning; -v prints all */

/* Ten times the compute capability of the first GPU; 0: not known. Dies if there is no GPU that can be sampled. */
static int gpu_arch(const struct gpmu_machine *machine)
{
	const struct gpmu_gpu *gpu = gpmu_machine_gpu(machine, 0);

	if (!gpu)
		die("--section: no GPU can be sampled; \"gpmu doctor\" reports why");
	return gpmu_section_arch(gpmu_gpu_chip(gpu));
}

/* Returns the number of metrics of the set, and of reasons why others are not counted. */
static size_t count_set(const struct gpmu_section_set *set)
{
	const struct gpmu_section *section;
	const char *names;
	size_t n = 0, k = 0;

	while (gpmu_section_set_metric(set, n, &section))
		n++;
	while (gpmu_section_set_reason(set, k, &section, &names))
		k++;
	return n + k;
}

/* Adds a section by its identifier. */
static void add_section(struct stat_options *options, const struct gpmu_section_target *target, const char *identifier)
{
	struct sections *sections = &options->sections;
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_section *section = gpmu_sections_find(sections->list, identifier, &error);
	const size_t before = count_set(sections->set);

	if (!section)
		die("--section: %s; \"gpmu list --sections\" lists them", error.text);
	if (gpmu_section_set_add(sections->set, section, target, &error))
		die("--section: %s", error.text);
	if (count_set(sections->set) == before)
		warn("section %s: it has no metric, apart from those of other sections, for this GPU and for PM sampling", identifier);
}

static void add_sections(struct stat_options *options)
{
	const struct gpmu_section_target target = {
		.size = sizeof(target),
		.arch = gpu_arch(options->common.machine),
		.scope = GPMU_SECTION_RANGE,
	};

	for (size_t i = 0; i < options->sections.requests.length; i++) {
		char *list = need_memory(strdup(options->sections.requests.list[i])), *rest = list, *identifier;

		while ((identifier = strsep(&rest, ",")))
			if (*identifier)
				add_section(options, &target, identifier);
		free(list);
	}
}

/* Prints a line for each reason; without -v only the first names. */
static void say_reasons(const struct stat_options *options)
{
	const struct gpmu_section *section;
	const char *names, *why;

	for (size_t i = 0; (why = gpmu_section_set_reason(options->sections.set, i, &section, &names)); i++) {
		size_t length = strlen(names);
		bool is_cut = length > SHOWN_NAMES && !options->common.is_verbose;

		while (is_cut && length > 0 && (length > SHOWN_NAMES || names[length] != ','))
			length--;
		if (!length) {
			is_cut = false;
			length = strlen(names);
		}
		warn("section %s: not counted: %.*s%s: %s", gpmu_section_identifier(section), (int)length, names,
		     is_cut ? " and others (-v prints all)" : "", why);
	}
}

/* Joins the names of all metrics; the caller keeps the text as long as the requests. */
static char *join_metrics(const struct gpmu_section_set *set)
{
	const struct gpmu_section *section;
	const char *name;
	char *list = NULL;
	size_t size;
	FILE *file = need_memory(open_memstream(&list, &size));

	for (size_t i = 0; (name = gpmu_section_set_metric(set, i, &section)); i++)
		fprintf(file, "%s%s", i ? "," : "", name);
	if (fclose(file))
		die_no_memory();
	return list;
}

void stat_sections_request(struct stat_options *options)
{
	struct sections *sections = &options->sections;
	struct gpmu_error error = { .size = sizeof(error) };

	if (!sections->requests.length)
		return;
	sections_open(sections);
	sections->set = need_memory(gpmu_section_set_new(options->common.machine));
	add_sections(options);
	say_reasons(options);
	sections->metrics = join_metrics(sections->set);
	if (!*sections->metrics)
		die("--section: PM sampling has no metric of these sections");
	if (gpmu_section_set_load(sections->set, options->common.catalog, &error))
		die("--section: %s", error.text);
	common_request(&options->common, true, sections->metrics);
}

const char *stat_sections_heading(const char *name, void *user)
{
	const struct stat_options *options = user;
	const struct gpmu_section *section;
	const char *metric;

	for (size_t i = 0; (metric = gpmu_section_set_metric(options->sections.set, i, &section)); i++)
		if (!strcmp(metric, name))
			return gpmu_section_name(section);
	return NULL;
}
