// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/gpmu_legacy.h"
#include "list/list_items.h"

/* perf's events that are neither in a catalog nor in sysfs */
enum generic_class {
	GENERIC_CORE,		/* of the CPUs' PMU */
	GENERIC_KERNEL,		/* of every kernel */
	GENERIC_CLOCK,		/* of every kernel, in msec */
	GENERIC_OWN,		/* measured by libgpmu, in ns */
};

static const struct {
	const char *name;
	enum generic_class scope;
	const char *description;
} generics[] = {
	{ .name = "cycles", .scope = GENERIC_CORE, .description = "CPU cycles" },
	{ .name = "instructions", .scope = GENERIC_CORE, .description = "Instructions retired" },
	{ .name = "cache-references", .scope = GENERIC_CORE,
	  .description = "Cache accesses, usually of the last level" },
	{ .name = "cache-misses", .scope = GENERIC_CORE, .description = "Cache misses of cache-references" },
	{ .name = "branches", .scope = GENERIC_CORE, .description = "Branch instructions retired" },
	{ .name = "branch-misses", .scope = GENERIC_CORE, .description = "Mispredicted branches" },
	{ .name = "bus-cycles", .scope = GENERIC_CORE, .description = "Bus cycles" },
	{ .name = "stalled-cycles-frontend", .scope = GENERIC_CORE, .description = "Cycles stalled in the frontend" },
	{ .name = "stalled-cycles-backend", .scope = GENERIC_CORE, .description = "Cycles stalled in the backend" },
	{ .name = "ref-cycles", .scope = GENERIC_CORE, .description = "Cycles at a constant frequency" },
	{ .name = "L1-dcache-loads", .scope = GENERIC_CORE, .description = "L1 data cache reads" },
	{ .name = "L1-dcache-load-misses", .scope = GENERIC_CORE, .description = "L1 data cache read misses" },
	{ .name = "L1-dcache-stores", .scope = GENERIC_CORE, .description = "L1 data cache writes" },
	{ .name = "L1-icache-loads", .scope = GENERIC_CORE, .description = "L1 instruction cache reads" },
	{ .name = "L1-icache-load-misses", .scope = GENERIC_CORE, .description = "L1 instruction cache read misses" },
	{ .name = "LLC-loads", .scope = GENERIC_CORE, .description = "Last-level cache reads" },
	{ .name = "LLC-load-misses", .scope = GENERIC_CORE, .description = "Last-level cache read misses" },
	{ .name = "LLC-stores", .scope = GENERIC_CORE, .description = "Last-level cache writes" },
	{ .name = "dTLB-loads", .scope = GENERIC_CORE, .description = "Data TLB reads" },
	{ .name = "dTLB-load-misses", .scope = GENERIC_CORE, .description = "Data TLB read misses" },
	{ .name = "iTLB-loads", .scope = GENERIC_CORE, .description = "Instruction TLB reads" },
	{ .name = "iTLB-load-misses", .scope = GENERIC_CORE, .description = "Instruction TLB read misses" },
	{ .name = "branch-loads", .scope = GENERIC_CORE, .description = "Branch predictor reads" },
	{ .name = "branch-load-misses", .scope = GENERIC_CORE, .description = "Branch predictor read misses" },
	{ .name = "cpu-clock", .scope = GENERIC_CLOCK, .description = "CPU time, by a timer of each CPU" },
	{ .name = "task-clock", .scope = GENERIC_CLOCK, .description = "CPU time of tasks" },
	{ .name = "page-faults", .scope = GENERIC_KERNEL, .description = "Page faults" },
	{ .name = "minor-faults", .scope = GENERIC_KERNEL, .description = "Page faults without I/O" },
	{ .name = "major-faults", .scope = GENERIC_KERNEL, .description = "Page faults with I/O" },
	{ .name = "context-switches", .scope = GENERIC_KERNEL, .description = "Context switches" },
	{ .name = "cpu-migrations", .scope = GENERIC_KERNEL, .description = "Migrations of tasks to another CPU" },
	{ .name = "alignment-faults", .scope = GENERIC_KERNEL,
	  .description = "Unaligned accesses handled by the kernel" },
	{ .name = "emulation-faults", .scope = GENERIC_KERNEL, .description = "Instructions emulated by the kernel" },
	{ .name = "cgroup-switches", .scope = GENERIC_KERNEL, .description = "Context switches to another cgroup" },
	{ .name = "bpf-output", .scope = GENERIC_KERNEL, .description = "Output of BPF programs" },
	{ .name = "dummy", .scope = GENERIC_KERNEL, .description = "Counts nothing" },
	{ .name = "duration_time", .scope = GENERIC_OWN, .description = "Elapsed time" },
	{ .name = "user_time", .scope = GENERIC_OWN, .description = "User CPU time of the target" },
	{ .name = "system_time", .scope = GENERIC_OWN, .description = "System CPU time of the target" },
};

/* The kernel's list of tracepoints, and that of older kernels */
static const char *const tracepoint_files[] = {
	"sys/kernel/tracing/available_events", "sys/kernel/debug/tracing/available_events",
};

#define MAX_TRACEPOINTS	(16u << 20)	/* bytes of that file */

void items_init(struct items *items)
{
	*items = (struct items){ 0 };
}

void items_release(struct items *items)
{
	for (size_t i = 0; i < items->length; i++)
		free(items->list[i].name);
	free(items->list);
	free(items->tracepoints);
}

static struct item *add(struct items *items, enum item_kind kind, char *name, bool is_here)
{
	struct item *item;

	if (items->length == items->room) {
		items->room = items->room ? 2 * items->room : 256;
		items->list = need_memory(reallocarray(items->list, items->room,
						       sizeof(*items->list)));
	}
	item = &items->list[items->length++];
	*item = (struct item){ .kind = kind, .name = name, .is_here = is_here };
	return item;
}

static char *copy(const char *text)
{
	return need_memory(strdup(text));
}

static bool is_supported(int answer)
{
	if (answer < 0)
		die_no_memory();
	return answer;
}

bool items_is_gpu(const struct item *item)
{
	const char *pmu = item->metric ? gpmu_metric_pmu(item->metric) : NULL;

	return item->legacy || (pmu && (!strncmp(pmu, "nvidia_gpu", strlen("nvidia_gpu")) ||
					!strncmp(pmu, "nvidia_nvml", strlen("nvidia_nvml"))));
}

static void add_metrics(struct items *items, const struct common *common)
{
	const bool has_gpus = common_has_gpus(common);
	const struct gpmu_metric *metric;

	/* -M counts one of several metrics of a name. */
	for (size_t i = 0; (metric = gpmu_catalog_metric(common->catalog, i)); i++) {
		const char *name = gpmu_metric_name(metric);
		const struct gpmu_metric *counted;
		struct item *item;

		counted = gpmu_catalog_find_metric(common->catalog, name, common->machine);
		if (!counted)
			die_no_memory();
		if (counted != metric)
			continue;
		item = add(items, ITEM_METRIC, copy(name),
			   is_supported(gpmu_metric_supported(metric, common->machine)));
		item->description = gpmu_metric_description(metric);
		item->unit = gpmu_metric_unit(metric);
		item->metric = metric;
		item->needs_gpu = !item->is_here && !has_gpus && items_is_gpu(item);
	}
}

/* Adds the names of CUPTI's former APIs that no metric has. */
static void add_legacy(struct items *items, const struct common *common)
{
	const bool has_gpus = common_has_gpus(common);
	const struct gpmu_legacy *legacy;

	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++) {
		const struct gpmu_metric *metric = gpmu_catalog_find_metric(common->catalog, legacy->name, NULL);
		struct item *item;

		if (metric != legacy->metric)
			continue;
		item = add(items, ITEM_METRIC, copy(legacy->name),
			   metric && is_supported(gpmu_metric_supported(metric, common->machine)));
		item->description = legacy->description;
		item->unit = legacy->unit;
		item->metric = metric;
		item->legacy = legacy;
		item->needs_gpu = metric && !item->is_here && !has_gpus;
	}
}

static void add_groups(struct items *items, const struct common *common)
{
	const struct gpmu_metric *metric;
	const char *group;

	for (size_t i = 0; (group = gpmu_catalog_group(common->catalog, i)); i++) {
		bool is_here = false;

		for (size_t k = 0; !is_here; k++) {
			metric = gpmu_catalog_group_metric(common->catalog, group, k);
			if (!metric)
				break;
			is_here = is_supported(gpmu_metric_supported(metric, common->machine));
		}
		add(items, ITEM_GROUP, copy(group), is_here);
	}
}

static void add_catalog_events(struct items *items, const struct common *common)
{
	const struct gpmu_event_def *event;

	for (size_t i = 0; (event = gpmu_catalog_event(common->catalog, i)); i++) {
		const char *pmu = gpmu_event_def_pmu(event), *name = gpmu_event_def_name(event);
		struct item *item;

		item = add(items, ITEM_EVENT, pmu ? print_text("%s/%s/", pmu, name) : copy(name),
			   is_supported(gpmu_event_def_supported(event, common->machine)));
		item->description = gpmu_event_def_description(event);
		item->unit = gpmu_event_def_unit(event);
		item->event = event;
	}
}

/* The length of the name without the socket's number, which is the same for all sockets */
static int kind_length(const struct gpmu_pmu *pmu)
{
	const char *name = gpmu_pmu_name(pmu), *instance = strstr(name, "_inst_");
	size_t length = instance ? (size_t)(instance - name) : strlen(name);

	if (gpmu_pmu_number(pmu) < 0)
		return (int)strlen(name);
	while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
		length--;
	return length && name[length - 1] == '_' ? (int)length - 1 : (int)strlen(name);
}

static void add_sysfs_events(struct items *items, const struct common *common)
{
	const struct gpmu_pmu *pmu;
	const char *event;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(common->machine, i)); i++) {
		bool is_core = gpmu_pmu_kind(pmu) == GPMU_PMU_CORE;

		for (size_t k = 0; (event = gpmu_pmu_event_name(pmu, k)); k++) {
			struct item *item;

			item = add(items, ITEM_EVENT,
				   is_core ? copy(event) : print_text("%.*s/%s/", kind_length(pmu),
								      gpmu_pmu_name(pmu), event),
				   true);
			item->pmu = pmu;
			item->terms = gpmu_pmu_event(pmu, event);
			item->unit = gpmu_pmu_event_unit(pmu, event);
		}
	}
}

static void add_source_events(struct items *items, const struct common *common)
{
	const char *event, *unit, *description;
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(common->machine, i)); i++)
		for (size_t k = 0; (event = gpmu_pmu_source_event(pmu, k, &unit, &description)); k++) {
			struct item *item = add(items, ITEM_EVENT,
						print_text("%.*s/%s/", kind_length(pmu),
							   gpmu_pmu_name(pmu), event), true);

			item->pmu = pmu;
			item->unit = unit;
			item->description = description;
		}
}

static bool has_core_pmu(const struct gpmu_machine *machine)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++)
		if (gpmu_pmu_kind(pmu) == GPMU_PMU_CORE)
			return true;
	return false;
}

static void add_generics(struct items *items, const struct common *common)
{
	bool is_core = has_core_pmu(common->machine);

	for (size_t i = 0; i < ARRAY_SIZE(generics); i++) {
		struct item *item = add(items, ITEM_EVENT, copy(generics[i].name),
					is_core || generics[i].scope != GENERIC_CORE);

		item->description = generics[i].description;
		item->unit = generics[i].scope == GENERIC_CLOCK ? "msec" :
			     generics[i].scope == GENERIC_OWN ? "ns" : NULL;
	}
}

static void add_pmus(struct items *items, const struct common *common)
{
	const struct gpmu_pmu *pmu;

	for (size_t i = 0; (pmu = gpmu_machine_pmu(common->machine, i)); i++)
		add(items, ITEM_PMU, copy(gpmu_pmu_name(pmu)), true)->pmu = pmu;
}

/* The file's text, which the caller frees; NULL with errno */
static char *read_file(const struct gpmu_machine *machine, const char *path)
{
	for (size_t size = 256u << 10; size <= MAX_TRACEPOINTS; size *= 2) {
		char *text = need_memory(malloc(size));
		int ret = gpmu_machine_read(machine, path, text, size);

		if (ret >= 0)
			return text;
		free(text);
		errno = -ret;
		if (ret != -EFBIG)
			return NULL;
	}
	return NULL;
}

static void add_tracepoints(struct items *items, const struct common *common)
{
	const size_t n = ARRAY_SIZE(tracepoint_files);
	const char *why = gpmu_tracepoints_why(common->machine);
	char *line, *rest = NULL;
	int error = ENOENT;

	for (size_t i = 0; i < n && !items->tracepoints; i++) {
		items->tracepoints = read_file(common->machine, tracepoint_files[i]);
		if (!items->tracepoints && errno != ENOENT)
			error = errno;
	}
	if (!items->tracepoints) {
		say("/%s: %s", tracepoint_files[0], why ? why : strerror(error));
		return;
	}
	line = strtok_r(items->tracepoints, "\n", &rest);
	for (; line; line = strtok_r(NULL, "\n", &rest))
		add(items, ITEM_TRACEPOINT, copy(line), true);
}

void items_add(struct items *items, const struct common *common, enum item_kind kind)
{
	switch (kind) {
	case ITEM_METRIC:
		add_metrics(items, common);
		add_legacy(items, common);
		break;
	case ITEM_GROUP:
		add_groups(items, common);
		break;
	case ITEM_EVENT:
		add_catalog_events(items, common);
		add_sysfs_events(items, common);
		add_source_events(items, common);
		add_generics(items, common);
		break;
	case ITEM_PMU:
		add_pmus(items, common);
		break;
	case ITEM_TRACEPOINT:
		add_tracepoints(items, common);
		break;
	case ITEM_KINDS:
		break;
	}
}

static int compare(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int order = x->kind != y->kind ? (int)x->kind - (int)y->kind :
					 strverscmp(x->name, y->name);

	if (order)
		return order;
	if (x->is_here != y->is_here)
		return x->is_here ? -1 : 1;
	return (int)(y->event != NULL) - (int)(x->event != NULL);
}

/* Merges an event of the catalog and one of sysfs. */
static void merge(struct item *to, const struct item *from)
{
	if (!to->event)
		to->event = from->event;
	if (!to->pmu) {
		to->pmu = from->pmu;
		to->terms = from->terms;
	}
	if (!to->description)
		to->description = from->description;
}

void items_sort(struct items *items)
{
	size_t length = 0;

	if (!items->length)
		return;
	qsort(items->list, items->length, sizeof(*items->list), compare);
	for (size_t i = 0; i < items->length; i++) {
		struct item *last = length ? &items->list[length - 1] : NULL;

		if (last && last->kind == items->list[i].kind &&
		    !strcmp(last->name, items->list[i].name)) {
			merge(last, &items->list[i]);
			free(items->list[i].name);
		} else {
			items->list[length++] = items->list[i];
		}
	}
	items->length = length;
}
