/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVML as a source of libgpmu (gpmu-source.h): "nvml=period=100".
 *
 * Each GPU has a PMU nvidia_nvml_N and, if it supports NVML's GPU performance monitoring (GPM), nvidia_gpu_N; N is
 * NVML's index. An open event is a stream: its totals at points in time, between which reads interpolate. As most values
 * of NVML are momentary, a thread observes all streams in each period while the source is enabled.
 */
#ifndef GPMU_NVML_SOURCE_H
#define GPMU_NVML_SOURCE_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpmu-source.h"
#include "gpmu.h"
#include "nvml_api.h"
#include "nvml_links.h"
#include "nvml_messages.h"

#define NVML_USAGE	"[period=MS][,check]"
#define PERIOD_MS	100
#define PERIOD_MIN	10
#define PERIOD_MAX	10000

/* nvml_load.c */
/* Loads and initialises NVML. 0 or -errno with the trouble set */
int nv_load(struct nv_api *api, struct trouble *trouble);
void nv_unload(struct nv_api *api);
/* NVML's text for a result: "Not Supported" */
const char *nv_text(const struct nv_api *api, int result);
struct gpu;

enum { PMU_NVML, PMU_GPM, PMUS };

struct nv_event {
	const char *name;
	const char *unit;
	const char *description;
	double scale;		/* of struct gpmu_source_event_info; 0: 1 */
	bool is_mean;
	/* Reads the value, with @is_counter a total; returns NVML's result. NULL: read by GPM */
	int (*read)(const struct gpu *gpu, unsigned int argument, double *value);
	unsigned int argument;	/* of read(), or the number of GPM's metric */
	double factor;		/* converts to the unit, rates to one second; 0 means 1 */
	bool is_counter;
	bool is_slow;		/* reading takes 20 ms: done by a thread of its own */
	enum nv_need need;		/* a unit for which NVML returns 0 if it is missing */
};

/* nvml_events.c: the events of a kind of PMU; their number is config - 1 */
const struct nv_event *nv_events(int kind, size_t *length);

#define MAX_POINTS	128

/* The total of an event from its opening to a time */
struct point {
	uint64_t time;
	long double total;	/* in units of the scale */
	uint64_t running;	/* ns */
};

struct stream {
	struct stream *next;
	struct gpu *gpu;
	const struct nv_event *event;
	unsigned int users;
	struct point points[MAX_POINTS];	/* the newest is points[(first + length - 1) % MAX] */
	size_t first, length;
	double last;		/* last value of a counter or a slow event */
	int result;		/* of the last observation */
	bool is_stale;		/* the counter's value at the newest point is unknown */
	uint64_t missed;	/* ns without a successful read that are not reported yet */
	int why;		/* NVML's result of the failed reads */
};

struct group_event {
	struct stream *stream;	/* NULL: the event cannot be counted */
	const char *why;	/* the reason, owned by the PMU */
	long double total;	/* total before the last enable */
	uint64_t running;
	struct point base;	/* at the last enable */
};

struct group {
	struct group *next;
	struct gpu *gpu;
	struct group_event *events;
	size_t length;
	uint64_t enabled;	/* ns before the last enable */
};

struct gpu_pmu {
	char name[24];
	struct gpmu_source_pmu shown;
	struct gpu *gpu;
	int kind;
	struct gpmu_source_event_info *infos;	/* all events of the kind */
	char (*terms)[32];
	int *results;		/* NVML's result of reading each event once; -1: not read yet */
	size_t *listed;		/* numbers of the events that can be counted, found on demand */
	size_t listed_len, looked_at;
	char **whys;		/* reasons why events cannot be counted; made on demand */
	struct foreign *foreign;
};

#define NV_FOREIGN_WHY	"NVML's GPM has no such metric; CUPTI has it if it can sample the GPU"

/* A metric of CUPTI that GPM lacks; its config is 0 */
struct foreign {
	struct foreign *next;
	struct gpmu_source_event_info info;
	char name[];
};

struct gpu {
	struct source *source;
	const struct nv_api *api;
	nv_device device;
	unsigned int index;
	char uuid[96], name[96], pci[32];
	struct gpmu_source_gpu shown;
	struct gpu_pmu pmus[PMUS];
	size_t pmu_count;
	struct nv_links links;
	int lost;		/* NVML's result once the GPU is lost */
	bool is_loss_reported;
	struct stream *streams;
	nv_gpm_sample samples[2];	/* [0] is the last */
	bool is_sampled;
	uint64_t time;		/* begin of the last observation; 0: none yet */
	unsigned long long seen_processes, seen_vgpus, seen_vgpu_processes;	/* us, newest samples that queries returned */
};

struct source {
	struct nv_api api;
	unsigned int period;	/* ms */
	struct gpu *gpus;
	size_t gpu_count;
	struct gpu_pmu **pmus;	/* PMUs of all GPUs */
	size_t pmu_count;
	struct group *groups;
	pthread_mutex_t lock;	/* protects streams, used by the threads and the caller */
	pthread_cond_t wake;
	pthread_t threads[2];
	unsigned int thread_count;
	bool wants_stop;
	bool is_enabled;
	bool wants_check;	/* a missing driver or GPU is reported by the query "check" and is no failure */
	struct trouble trouble;	/* of a failure with the option check */
	uint64_t begin;		/* of the last enable */
	struct messages messages;
};

/* nvml_gpu.c: finds the GPUs and their PMUs. 0 or -errno with the error set */
int nv_find_gpus(struct source *source, struct gpmu_error *error);
void nv_release_gpus(struct source *source);
/* NVML's result of reading the event once; NV_SUCCESS if it can be counted */
int nv_has_event(struct gpu_pmu *pmu, size_t number);
/* The event, marked absent with the reason if NVML does not support it on this GPU */
const struct gpmu_source_event_info *nv_info(struct gpu_pmu *pmu, size_t number);
/* The reason why the event cannot be counted, owned by the PMU */
const char *nv_why_not(struct gpu_pmu *pmu, size_t number);
/* An event for a name of CUPTI's form that GPM lacks; NULL for other names or without memory */
const struct gpmu_source_event_info *nv_foreign(struct gpu_pmu *pmu, const char *name);

/* nvml_stream.c: with the lock held */
struct stream *nv_stream_get(struct gpu *gpu, const struct nv_event *event);
void nv_stream_put(struct stream *stream);
/* Begins counting; totals from before that could not be read are not counted. */
void nv_stream_begin(struct stream *stream, uint64_t time);
/* Ends counting; increments of a counter that were not read by now are lost. */
void nv_stream_end(struct stream *stream, uint64_t time);
/* The stream's total at @time */
struct point nv_stream_at(const struct stream *stream, uint64_t time);
/* Observes all streams of the GPU unless it was done at @time or later */
void nv_observe(struct gpu *gpu, uint64_t time);
void nv_observe_all(struct source *source, uint64_t time);
/* Adds messages about the time that was not counted since the last ones */
void nv_say_missed(struct source *source);

/* nvml_group.c: the plugin's functions for groups; gpmu-source.h describes them. */
int nv_group_open(void *data, size_t pmu, const struct gpmu_source_event *events, size_t length,
		  void **result, struct gpmu_error *error);
void nv_group_close(void *data, void *handle);
int nv_prepare(void *data, struct gpmu_error *error);
int nv_enable(void *data, uint64_t time);
int nv_disable(void *data, uint64_t time);
int nv_group_read(void *data, void *handle, uint64_t time, struct gpmu_source_count *counts);

/* nvml_thread.c */
int nv_start(struct source *source);
void nv_stop(struct source *source);

/* nvml_gpm.c */
bool nv_supports_gpm(const struct gpu *gpu);
void nv_gpm_release(struct gpu *gpu);
/*
 * Takes a sample. After a previous sample it sets the values of @metrics, whose ids are set, for the time between the two.
 * Returns NVML's result.
 */
int nv_gpm_take(struct gpu *gpu, struct nv_gpm_metrics *metrics);

/* nvml_clocks.c. 0 or -errno with the error set */
/*
 * Locks all GPUs' SM clock to @mhz, or to each GPU's default if it is 0, and appends a GPU's object with mhz and kind to
 * @gpus. On failure no GPU stays locked.
 */
int nv_lock_clocks(struct source *source, unsigned int mhz, json_t *gpus, struct gpmu_error *error);
int nv_reset_clocks(struct source *source, struct gpmu_error *error);

/* nvml_query.c */
int nv_query(void *data, const char *question, char **answer, struct gpmu_error *error);
/*
 * Sets @key of @object to @value, which it takes. If @result is an error it sets null, and the reason in @top's object
 * "unavailable" under @path and the key.
 */
void nv_set(const struct gpu *gpu, json_t *top, json_t *object, const char *path, const char *key,
	    int result, json_t *value);
json_t *nv_gpu_object(const struct gpu *gpu);
/* The word of a number, or the number if it has none */
json_t *nv_word(const char *const *words, size_t length, int number);
/* Each makes the GPU's object of one answer; nvml_query_gpu.c, nvml_attributes.c, ... */
json_t *nv_query_gpu(struct gpu *gpu);
json_t *nv_query_attributes(struct gpu *gpu);
json_t *nv_query_check(struct gpu *gpu);
json_t *nv_query_accounting(struct gpu *gpu);
json_t *nv_query_vgpu(struct gpu *gpu);
/*
 * NVML's time stamps are CLOCK_REALTIME in us; counts do not use them. @seen is the newest time stamp returned so far.
 * nv_since() returns the time from which to ask NVML for new samples, and nv_is_new() whether a sample of @time is
 * new. If the clock was set back to before @seen, all samples are requested, and those that are not in the future are new.
 */
unsigned long long nv_since(unsigned long long seen);
bool nv_is_new(unsigned long long seen, unsigned long long time);
/* The name of a process as text, or null */
json_t *nv_process_name(const struct gpu *gpu, unsigned int pid);
/* A list of processes with accounting; @forgotten is the number of those whose record was replaced */
json_t *nv_accounting_list(const struct gpu *gpu, bool is_vgpu, unsigned int instance, int *result,
			   unsigned int *forgotten);

/*
 * Gets a list of unknown length. get() is a function of NVML's form: *@length is the room of @list, which may be NULL.
 * The caller frees the list, which is empty if there is nothing. Returns NVML's result.
 */
typedef int nv_get_list(const void *context, unsigned int *length, void *list);
int nv_list(nv_get_list *get, const void *context, size_t size, void **list, unsigned int *length);

#endif /* GPMU_NVML_SOURCE_H */
