// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Makes a machine from perf's output, so that a Grace's counts can be evaluated on a
 * laptop. Its PMUs are those in the events' names; they belong to a source that counts
 * nothing.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "machine/machine.h"
#include "saved/saved.h"
#include "plugin/source_object.h"

#define NAME		"perf's output"
#define CORE_PMU	"armv8_pmuv3_0"
#define MAX_TERMS	256	/* for each PMU */
#define NO_EVENT	((size_t)1 << 40)

/* Formats of a Grace's PMUs: kernel-drivers/grace-cspmu.rst */
static const struct {
	enum gpmu_pmu_kind kind;
	const char *name;	/* without the node's number */
	const char *identifier;
	const char *filter, *format;	/* NULL: none */
} grace[] = {
	{ .kind = GPMU_PMU_SCF, .name = "nvidia_scf_pmu", .identifier = "2cf0036b" },
	{ .kind = GPMU_PMU_PCIE, .name = "nvidia_pcie_pmu", .identifier = "1030036b",
	  .filter = "root_port", .format = "config1:0-9" },
	{ .kind = GPMU_PMU_C2C1, .name = "nvidia_nvlink_c2c1_pmu", .identifier = "1040036b",
	  .filter = "port", .format = "config1:0-1" },
	{ .kind = GPMU_PMU_C2C0, .name = "nvidia_nvlink_c2c0_pmu", .identifier = "1050036b",
	  .filter = "port", .format = "config1:0-1" },
	{ .kind = GPMU_PMU_CNVLINK, .name = "nvidia_cnvlink_pmu", .identifier = "1060036b",
	  .filter = "rem_socket", .format = "config1:0-3" },
};

struct shown_pmu {
	struct gpmu_source_pmu shown;
	char *name;
	char *terms[MAX_TERMS];		/* keys with a value: formats */
	const char *formats[2 * (MAX_TERMS + 4) + 1];
	char *words[MAX_TERMS];		/* terms without a value: events */
	char numbers[MAX_TERMS][32];	/* the events' terms, such as "event=0x1" */
	const char *events[2 * MAX_TERMS + 1];
	size_t term_count, word_count;
};

struct shown {
	struct shown_pmu *pmus;
	size_t length;
	struct gpmu_source_node *nodes;
	size_t node_count;
	bool is_grace;
	bool has_cores;		/* has PMUs of Arm cores */
};

static void shown_free(void *data)
{
	struct shown *shown = data;

	for (size_t i = 0; i < shown->length; i++) {
		struct shown_pmu *pmu = &shown->pmus[i];

		free(pmu->name);
		for (size_t k = 0; k < pmu->term_count; k++)
			free(pmu->terms[k]);
		for (size_t k = 0; k < pmu->word_count; k++)
			free(pmu->words[k]);
	}
	free(shown->pmus);
	free(shown->nodes);
	free(shown);
}

/* --- PMUs from events' names --- */

static int add_word(char **words, size_t *n, const char *word, size_t length)
{
	for (size_t i = 0; i < *n; i++)
		if (!strncmp(words[i], word, length) && !words[i][length])
			return 0;
	/* An event beyond the limit cannot be resolved and is reported as unknown. */
	if (!length || *n == MAX_TERMS)
		return 0;
	words[*n] = strndup(word, length);
	if (!words[*n])
		return -ENOMEM;
	++*n;
	return 0;
}

/* Parses "rd_bytes_loc,root_port=0x3,event=cycles": an event, a format, an event. */
static int add_terms(struct shown_pmu *pmu, const char *terms, size_t length)
{
	const char *end = terms + length;
	int ret = 0;

	while (terms < end && !ret) {
		const char *comma = memchr(terms, ',', (size_t)(end - terms));
		size_t term = (size_t)((comma ? comma : end) - terms);
		const char *equal = memchr(terms, '=', term);
		size_t key = equal ? (size_t)(equal - terms) : term;

		if (!equal)
			ret = add_word(pmu->words, &pmu->word_count, terms, term);
		else if (key == 5 && !memcmp(terms, "event", 5) &&
			 (equal[1] < '0' || equal[1] > '9'))
			ret = add_word(pmu->words, &pmu->word_count, equal + 1, term - key - 1);
		else
			ret = add_word(pmu->terms, &pmu->term_count, terms, key);
		terms += term + 1;
	}
	return ret;
}

static struct shown_pmu *find_pmu(struct shown *shown, const char *name)
{
	for (size_t i = 0; i < shown->length; i++)
		if (!strcmp(shown->pmus[i].name, name))
			return &shown->pmus[i];
	return NULL;
}

static int add_pmu(struct shown *shown, const char *name, struct shown_pmu **pmu)
{
	*pmu = find_pmu(shown, name);
	if (*pmu)
		return 0;
	*pmu = vector_append(shown->pmus, shown->length);
	if (!*pmu)
		return -ENOMEM;
	(*pmu)->name = strdup(name);
	return (*pmu)->name ? 0 : -ENOMEM;
}

/* Without a number, "nvidia_scf_pmu" is perf's sum over all PMUs of the kind. */
static enum gpmu_pmu_kind kind_of(const char *name, int *number)
{
	char numbered[64];
	int length;

	*number = -1;
	length = snprintf(numbered, sizeof(numbered), "%s_0", name);
	if (length < (int)sizeof(numbered) &&
	    pmu_name_parse(numbered, number) != GPMU_PMU_OTHER && *number == 0) {
		enum gpmu_pmu_kind kind = pmu_name_parse(numbered, number);

		*number = -1;
		return kind;
	}
	return pmu_name_parse(name, number);
}

/*
 * Adds a node. Its package comes from a line with a package label and a count, because
 * some versions of perf print an event for every package.
 */
static int add_node(struct shown *shown, int number, const struct saved_record *record)
{
	int package = record->count.label == SAVED_PACKAGE && record->count.state == COUNT_OK &&
		      record->count.value > 0 ? record->count.number : -1;
	struct gpmu_source_node *added;

	for (size_t i = 0; i < shown->node_count; i++)
		if (shown->nodes[i].number == number) {
			if (shown->nodes[i].package < 0)
				shown->nodes[i].package = package;
			return 0;
		}
	added = vector_append(shown->nodes, shown->node_count);
	if (!added)
		return -ENOMEM;
	*added = (struct gpmu_source_node){
		.size = sizeof(*added), .number = number, .package = package };
	return 0;
}

/* PMUs of every machine, or of cores that are not Arm's */
static bool is_elsewhere(const char *pmu)
{
	return !strncmp(pmu, "cpu", 3) || !strcmp(pmu, "software") || !strcmp(pmu, "tool");
}

static bool is_core(const char *pmu)
{
	return !strncmp(pmu, "armv8_", 6);
}

static int add_event(struct shown *shown, const struct saved_name *name,
		     const struct saved_record *record)
{
	const char *begin, *end;
	struct shown_pmu *pmu;
	int number, ret;

	if (!name->pmu || !pmu_is_name(name->pmu) || is_elsewhere(name->pmu))
		return 0;
	if (is_core(name->pmu))
		shown->has_cores = true;
	if (kind_of(name->pmu, &number) != GPMU_PMU_OTHER) {
		shown->is_grace = true;
		ret = number < 0 ? 0 : add_node(shown, number, record);
		if (ret)
			return ret;
	} else {
		number = -1;
	}
	ret = add_pmu(shown, name->pmu, &pmu);
	if (ret)
		return ret;
	pmu->shown.node = number;
	begin = strchr(name->text, '/');
	end = strrchr(name->text, '/');
	/* The form "cycles [nvidia_scf_pmu_0]" */
	if (!begin || begin == end)
		return add_terms(pmu, name->terms, strlen(name->terms));
	return add_terms(pmu, begin + 1, (size_t)(end - begin - 1));
}

/* --- the source --- */

static void show_format(struct shown_pmu *pmu, size_t *n, const char *name, const char *format)
{
	for (size_t i = 0; i < *n; i += 2)
		if (!strcmp(pmu->formats[i], name))
			return;
	pmu->formats[(*n)++] = name;
	pmu->formats[(*n)++] = format;
}

static void show_pmu(struct shown_pmu *pmu)
{
	const char *identifier = NULL;
	bool is_known = false;
	size_t n = 0;
	int number;

	show_format(pmu, &n, "event", "config:0-63");
	for (size_t i = 0; i < ARRAY_SIZE(grace); i++) {
		if (grace[i].kind != kind_of(pmu->name, &number))
			continue;
		is_known = true;
		identifier = grace[i].identifier;
		if (grace[i].filter)
			show_format(pmu, &n, grace[i].filter, grace[i].format);
	}
	for (size_t i = 0; i < pmu->term_count; i++)
		if (strncmp(pmu->terms[i], "config", 6) && strcmp(pmu->terms[i], "name"))
			show_format(pmu, &n, pmu->terms[i], "config1:0-63");
	/* The codes only have to be unique and differ from those of real events. */
	for (size_t i = 0; i < pmu->word_count; i++) {
		snprintf(pmu->numbers[i], sizeof(pmu->numbers[i]), "event=0x%zx", NO_EVENT + i);
		pmu->events[2 * i] = pmu->words[i];
		pmu->events[2 * i + 1] = pmu->numbers[i];
	}
	pmu->shown = (struct gpmu_source_pmu){
		.size = sizeof(pmu->shown),
		.name = pmu->name,
		.identifier = identifier,
		.node = pmu->shown.node,
		.counters = is_known ? 6 : -1,
		.counter_width = is_known ? 64 : -1,
		.cycle_counter = is_known ? 1 : -1,
		.formats = pmu->formats,
		.events = pmu->events,
	};
}

static const struct gpmu_source_pmu *source_pmu(void *data, size_t index)
{
	struct shown *shown = data;

	return index < shown->length ? &shown->pmus[index].shown : NULL;
}

static const struct gpmu_source_node *source_node(void *data, size_t index)
{
	struct shown *shown = data;

	return index < shown->node_count ? &shown->nodes[index] : NULL;
}

static int group_open(void *data, size_t pmu, const struct gpmu_source_event *events,
		      size_t length, void **group, struct gpmu_error *error)
{
	(void)data;
	(void)pmu;
	(void)events;
	(void)length;
	(void)group;
	(void)error;
	return -ENODEV;
}

/* Makes the source, with one reference. It owns @shown; on failure the caller keeps it. */
static struct gpmu_source *make_source(struct shown *shown)
{
	struct gpmu_source *source = calloc(1, sizeof(*source));

	if (!source)
		return NULL;
	source->plugin = (struct gpmu_source_plugin){
		.size = sizeof(source->plugin), .abi = GPMU_SOURCE_ABI, .name = "perf",
		.close = shown_free, .pmu = source_pmu, .node = source_node,
		.group_open = group_open,
		.event_size = sizeof(struct gpmu_source_event),
		.count_size = sizeof(struct gpmu_source_count),
	};
	source->data = shown;
	/* source_put() closes a library; this handle is for the program itself. */
	source->library = dlopen(NULL, RTLD_LAZY);
	if (!source->library) {
		free(source);
		return NULL;
	}
	atomic_init(&source->references, 1);
	pthread_mutex_init(&source->lock, NULL);
	return source;
}

static int add_source(struct gpmu_machine *machine, struct shown *shown, struct gpmu_error *error)
{
	struct gpmu_source *source;
	int ret;

	for (size_t i = 0; i < shown->length; i++)
		show_pmu(&shown->pmus[i]);
	source = make_source(shown);
	if (!source) {
		shown_free(shown);
		error_set(error, 0, "%s: out of memory", NAME);
		return -ENOMEM;
	}
	ret = gpmu_machine_add_source(machine, source, error);
	source_put(source);
	return ret;
}

/* --- the machine --- */

/* Adds all PMUs of a chip. A single Grace Hopper has no CNVLink. */
static int add_chip(struct shown *shown, enum gpmu_saved_chip chip)
{
	const struct saved_record none = { .count.label = SAVED_ALL };
	int ret = shown->node_count ? 0 : add_node(shown, 0, &none);

	for (size_t i = 0; i < shown->node_count; i++)
		for (size_t k = 0; k < ARRAY_SIZE(grace) && !ret; k++) {
			struct shown_pmu *pmu;
			char name[64];

			if (grace[k].kind == GPMU_PMU_CNVLINK && chip == GPMU_SAVED_HOPPER &&
			    shown->node_count == 1)
				continue;
			snprintf(name, sizeof(name), "%s_%d", grace[k].name,
				 shown->nodes[i].number);
			ret = add_pmu(shown, name, &pmu);
			if (!ret)
				pmu->shown.node = shown->nodes[i].number;
		}
	shown->is_grace = true;
	return ret;
}

static int gather(const struct gpmu_saved *saved, struct shown *shown)
{
	const struct saved_table *table = saved->complete;
	int ret = 0;

	for (size_t i = 0; i < table->length && !ret; i++) {
		const struct saved_record *record = &table->list[i];

		if (saved->options.chip && record->count.label == SAVED_NODE)
			ret = add_node(shown, record->count.number, record);
		if (record->event != SAVED_NONE && !ret)
			ret = add_event(shown, &saved->texts.list[record->event], record);
	}
	if (saved->options.chip && !ret)
		ret = add_chip(shown, saved->options.chip);
	return ret;
}

static bool has_all(const struct gpmu_machine *machine, const struct shown *shown)
{
	for (size_t i = 0; i < shown->length; i++)
		if (!gpmu_machine_find_pmu(machine, shown->pmus[i].name))
			return false;
	return true;
}

/* Makes an empty machine. */
static struct gpmu_machine *make_machine(void)
{
	struct gpmu_machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return NULL;
	machine->self = machine;
	pthread_mutex_init(&machine->reading, NULL);
	/* It has nothing that could be read. */
	atomic_init(&machine->has_counters, true);
	atomic_init(&machine->has_pcis, true);
	machine->fd = -1;
	machine->root = strdup(NAME);
	if (machine->root)
		return machine;
	gpmu_machine_free(machine);
	return NULL;
}

/* Returns whether a core of the machine has the event, whose name is in lower case. */
static bool has_core_event(const struct gpmu_machine *machine, const char *event)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE && gpmu_pmu_event(pmu, event))
			return true;
	return false;
}

/*
 * Returns whether the output has an event, without a PMU, of a Grace's cores and of no other machine.
 * The built-in events of cores are those of Neoverse V2.
 */
static bool has_foreign_event(const struct gpmu_saved *saved, const struct gpmu_machine *machine)
{
	const struct saved_table *table = saved->complete;

	for (size_t i = 0; i < table->length; i++) {
		const struct saved_name *name;
		const struct gpmu_event_def *event;

		if (table->list[i].event == SAVED_NONE)
			continue;
		name = &saved->texts.list[table->list[i].event];
		event = name->pmu ? NULL :
			catalog_find_event(&catalog_builtin, NULL, name->terms, NULL);
		if (event && event->entry.file->cpu && !gpmu_event_def_supported(event, machine) &&
		    !has_core_event(machine, name->terms))
			return true;
	}
	return false;
}

/* Makes the PMUs of cores, which a source cannot show: its PMUs are uncore. */
static void make_cores(struct gpmu_machine *machine)
{
	for (size_t i = 0; i < machine->pmus_len; i++) {
		struct gpmu_pmu *pmu = machine->pmus[i];

		if (!is_core(pmu->name))
			continue;
		pmu->kind = GPMU_PMU_CORE;
		pmu->has_cpumask = false;
		pmu->number = -1;
	}
	machine->midr = NEOVERSE_V2;
}

static struct gpmu_machine *no_memory(struct shown *shown, struct gpmu_error *error)
{
	if (shown)
		shown_free(shown);
	error_set(error, 0, "%s: out of memory", NAME);
	errno = ENOMEM;
	return NULL;
}

struct gpmu_machine *gpmu_saved_machine(const struct gpmu_saved *saved, const char *root,
					struct gpmu_error *error)
{
	struct shown *shown = calloc(1, sizeof(*shown));
	struct gpmu_machine *machine;
	struct shown_pmu *core;
	int ret;

	if (!shown || (saved->complete && gather(saved, shown)))
		return no_memory(shown, error);
	machine = gpmu_machine_new(root, error);
	if (!machine || (!saved->options.chip && has_all(machine, shown) &&
			 !(saved->complete && has_foreign_event(saved, machine)))) {
		shown_free(shown);
		return machine;
	}
	if (shown->is_grace || shown->has_cores || has_all(machine, shown)) {
		gpmu_machine_free(machine);
		machine = make_machine();
		if (!machine || (!shown->has_cores && add_pmu(shown, CORE_PMU, &core))) {
			gpmu_machine_free(machine);
			return no_memory(shown, error);
		}
		if (!shown->has_cores)
			core->shown.node = -1;
	}
	ret = add_source(machine, shown, error);
	if (ret) {
		gpmu_machine_free(machine);
		errno = -ret;
		return NULL;
	}
	if (machine->fd < 0)
		make_cores(machine);
	return machine;
}
