// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens the counters of a struct gpmu and closes them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/sized.h"
#include "measure/measure.h"

/* Returns whether the options name what is counted, in place of the threads that begin regions. */
static bool has_target(const struct gpmu_options *options)
{
	return options->system || options->cpus || options->pid_count || options->tid_count ||
	       options->inherit;
}

static int add_source(struct gpmu *gpmu, const char *spec, struct gpmu_error *error)
{
	struct gpmu_source *source = gpmu_source_new(spec, error);
	int ret;

	if (!source)
		return errno ? -errno : -EINVAL;
	ret = gpmu_machine_add_source(gpmu->machine, source, error);
	gpmu_source_put(source);
	return ret;
}

static bool is_for_gpu(const char *spec)
{
	return !strncmp(spec, "cupti", strlen("cupti")) || !strncmp(spec, "nvml", strlen("nvml"));
}

/* Without a plugin the rows of its metrics are not supported. */
static void add_gpu_source(struct gpmu *gpmu, const char *name)
{
	struct gpmu_error error = { .size = sizeof(error) };

	if (add_source(gpmu, name, &error))
		log_line(GPMU_LOG_WARNING, "%s", error.text);
}

/*
 * NVML comes first: if several sources have the same PMU, the one added last counts it, and CUPTI
 * counts more.
 */
static int add_sources(struct gpmu *gpmu, const char *list, struct gpmu_error *error)
{
	const struct gpmu_options *options = &gpmu->options;
	bool is_given = false;
	int ret = 0;

	for (size_t i = 0; i < options->source_count && !ret; i++) {
		is_given |= is_for_gpu(options->sources[i]);
		ret = add_source(gpmu, options->sources[i], error);
	}
	if (ret || is_given)
		return ret;
	ret = measure_needs_gpu(gpmu, list);
	if (ret < 0)
		return error_no_memory(error);
	if (ret) {
		add_gpu_source(gpmu, "nvml");
		add_gpu_source(gpmu, "cupti");
	}
	return 0;
}

static int read_machine(struct gpmu *gpmu, const char *list, struct gpmu_error *error)
{
	const struct gpmu_options *options = &gpmu->options;
	int ret = 0;

	gpmu->machine = gpmu_machine_new(NULL, error);
	if (gpmu->machine)
		gpmu->catalog = gpmu_catalog_new(NULL, error);
	if (!gpmu->catalog)
		return -errno;
	for (size_t i = 0; i < options->catalog_count && !ret; i++)
		ret = gpmu_catalog_add(gpmu->catalog, options->catalogs[i], error);
	return ret ? ret : add_sources(gpmu, list, error);
}

static int make_plans(struct gpmu *gpmu, const char *list, struct gpmu_error *error)
{
	const bool has_target_tasks = has_target(&gpmu->options);
	const bool is_system_wide = gpmu->options.system || gpmu->options.cpus;
	struct gpmu_plan_options own = {
		.size = sizeof(own), .fits = gpmu_probe_fits, .user_only = -1,
	};
	struct gpmu_plan_options common = own;

	common.system_wide = is_system_wide || !has_target_tasks;
	common.user_only = common.system_wide ? 0 : -1;
	gpmu->own = gpmu_plan_new(gpmu->machine, gpmu->catalog, &own, error);
	if (gpmu->own)
		gpmu->common = gpmu_plan_new(gpmu->machine, gpmu->catalog, &common, error);
	if (!gpmu->common)
		return -errno;
	return measure_list(gpmu, list, !has_target_tasks, error) ?: gpmu_plan_make(gpmu->own, error) ?:
	       gpmu_plan_make(gpmu->common, error);
}

/* The session that all threads share */
static int open_shared(struct gpmu *gpmu, struct gpmu_error *error)
{
	const struct gpmu_options *from = &gpmu->options;
	struct gpmu_session_options options = {
		.size = sizeof(options),
		.system = from->system,
		.cpus = from->cpus,
		.pids = from->pids,
		.pid_count = from->pid_count,
		.tids = from->tids,
		.tid_count = from->tid_count,
		.inherit = from->inherit,
		.aggregation = from->aggregation,
	};

	if (!has_target(from) && gpmu_plan_group_count(gpmu->common))
		options.system = 1;
	gpmu->shared = gpmu_session_new(gpmu->common, &options, error);
	return gpmu->shared ? 0 : -errno;
}

static int enable(struct gpmu *gpmu, struct gpmu_error *error)
{
	int ret = gpmu_session_enable(gpmu->shared) ?: gpmu_session_enable(gpmu->blank) ?:
		  gpmu_session_disable(gpmu->blank);

	if (ret)
		error_set(error, 0, "it could not be enabled: %s", error_text(-ret));
	return ret;
}

static int open_all(struct gpmu *gpmu, const char *list, struct gpmu_error *error)
{
	int ret = pthread_key_create(&gpmu->key, measure_thread_end);

	if (ret) {
		error_set(error, 0, "no thread-specific data is left: %s", error_text(ret));
		return -ret;
	}
	gpmu->has_key = true;
	if (gpmu->options.separator) {
		gpmu->separator = strdup(gpmu->options.separator);
		if (!gpmu->separator)
			return error_no_memory(error);
	}
	ret = read_machine(gpmu, list, error) ?: make_plans(gpmu, list, error) ?: open_shared(gpmu, error);
	if (ret)
		return ret;
	/* Also tests now whether threads will be able to count. */
	gpmu->blank = gpmu_session_new(gpmu->own, NULL, error);
	return gpmu->blank ? enable(gpmu, error) : -errno;
}

/* A wrong format is found now, not after the program has run. */
static int check_format(const struct gpmu_options *options, struct gpmu_error *error)
{
	const struct gpmu_sink_options sink = {
		.size = sizeof(sink), .separator = options->separator,
	};
	struct gpmu_sink *made = gpmu_sink_new(options->format, stderr, &sink, error);
	int ret = made ? 0 : -errno;

	gpmu_sink_free(made);
	return ret;
}

struct gpmu *gpmu_open(const char *list, const struct gpmu_options *options,
		       struct gpmu_error *error)
{
	struct gpmu_error why = { .size = sizeof(why) };
	struct gpmu *gpmu;
	int ret;

	gpmu = calloc(1, sizeof(*gpmu));
	if (!gpmu) {
		errno = -error_no_memory(error);
		return NULL;
	}
	gpmu->pid = getpid();
	pthread_mutex_init(&gpmu->lock, NULL);
	ret = sized_options(&gpmu->options, sizeof(gpmu->options), options, &why) ?:
	      check_format(&gpmu->options, &why) ?: open_all(gpmu, list, &why);
	if (!ret)
		return gpmu;
	error_set(error, why.offset, "%s", *why.text ? why.text : error_text(-ret));
	gpmu_close(gpmu);
	errno = -ret;
	return NULL;
}

void gpmu_close(struct gpmu *gpmu)
{
	if (!gpmu)
		return;
	if (gpmu->has_key)
		pthread_key_delete(gpmu->key);
	measure_threads_free(gpmu);
	gpmu_session_free(gpmu->shared);
	gpmu_session_free(gpmu->blank);
	gpmu_plan_free(gpmu->own);
	gpmu_plan_free(gpmu->common);
	gpmu_catalog_free(gpmu->catalog);
	gpmu_machine_free(gpmu->machine);
	region_sum_release(&gpmu->sum);
	pthread_mutex_destroy(&gpmu->lock);
	free(gpmu->separator);
	free(gpmu->rows.list);
	free(gpmu);
}
