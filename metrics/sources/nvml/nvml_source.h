/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NVML as a source of libgpmu (gpmu-source.h): "nvml=period=100".
 *
 * Each GPU has a PMU nvidia_nvml_N and, where it has NVML's GPU performance monitoring
 * (GPM), nvidia_gpu_N; N is NVML's index. What is opened of an event is a stream: what
 * has come of it since then, as points in time, between which reads interpolate. A
 * thread observes all of them in each period while the source is enabled, since what
 * NVML tells is mostly what is at the moment.
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

#define NVML_USAGE	"[period=MS][,check]"
#define PERIOD_MS	100
#define PERIOD_LEAST	10
#define PERIOD_MOST	10000

/* nvml_load.c */
/* Why there is no GPU, beside the text of an error */
struct nv_trouble {
	const char *kind;	/* a word for programs: "library", that there is none; NULL: no trouble */
	const char *remedy;	/* or NULL */
};

/* Loads and initialises NVML. 0 or -errno with the error and the trouble set */
int nv_load(struct nv_api *api, struct nv_trouble *trouble, struct gpmu_error *error);
void nv_unload(struct nv_api *api);
/* "Not Supported" */
const char *nv_text(const struct nv_api *api, int result);
/* Sets the error; returns @ret */
__attribute__((format(printf, 3, 4)))
int nv_fail(struct gpmu_error *error, int ret, const char *fmt, ...);

struct gpu;

enum { PMU_NVML, PMU_GPM, PMUS };

enum need {
	NEED_NOTHING,
	NEED_NVLINK,
	NEED_C2C,
};

struct nv_event {
	const char *name;
	const char *unit;
	const char *description;
	double scale;		/* of struct gpmu_source_event_info; 0: 1 */
	bool mean;
	/* The value now, or with @counter since whenever; NULL: by GPM. NVML's result */
	int (*read)(const struct gpu *gpu, unsigned int argument, double *value);
	unsigned int argument;	/* of read(); or the number of the metric of GPM */
	double factor;		/* 0: 1; makes of it what the unit says; of rates each second */
	bool counter;
	bool slow;		/* reading takes 20 ms: by a thread alone */
	enum need need;		/* that NVML tells 0 of if it is not there */
};

/* nvml_events.c: of a PMU; their number is config - 1 */
const struct nv_event *nv_events(int kind, size_t *length);

#define MAX_POINTS	128

/* What has come of an event up to a time since it was opened */
struct point {
	uint64_t time;
	long double total;	/* over the scale */
	uint64_t running;	/* ns */
};

struct stream {
	struct stream *next;
	struct gpu *gpu;
	const struct nv_event *event;
	unsigned int users;
	struct point points[MAX_POINTS];	/* the newest is points[(first + length - 1) % MAX] */
	size_t first, length;
	double last;		/* the counter; the value of a slow one */
	int result;		/* of the last observation */
	bool stale;		/* what the counter had at the newest point is not known */
	uint64_t missed;	/* ns that could not be read, and were not said yet */
	int why;		/* NVML's result for these */
};

struct group_event {
	struct stream *stream;	/* NULL: it cannot be counted */
	const char *why;	/* not; the PMU's */
	long double total;	/* of the times before the last enable */
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
	struct gpmu_source_event_info *infos;	/* of all events of the kind */
	char (*terms)[32];
	int *results;		/* of asking for each; -1: not asked yet */
	char **whys;		/* that it cannot be counted, where that was asked for */
	struct foreign *foreign;
};

/* A metric of CUPTI's that GPM does not have; its config is 0 */
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
	size_t n_pmus;
	unsigned long long links;	/* NVLinks that are active, a bit each */
	bool c2c;
	int lost;		/* NVML's result since it is gone */
	bool lost_said;
	struct stream *streams;
	nv_gpm_sample samples[2];	/* [0] is the last */
	bool sampled;
	uint64_t time;		/* when the last observation began; 0: there was none */
	unsigned long long seen_processes, seen_vgpus, seen_vgpu_processes;	/* us, of queries */
};

struct source {
	struct nv_api api;
	unsigned int period;	/* ms */
	struct gpu *gpus;
	size_t n_gpus;
	struct gpu_pmu **pmus;	/* of all GPUs */
	size_t n_pmus;
	struct group *groups;
	pthread_mutex_t lock;	/* of streams and messages: the threads and the caller have them */
	pthread_cond_t wake;
	pthread_t threads[2];
	unsigned int n_threads;
	bool stop;
	bool enabled;
	bool check;		/* what is missing is no failure: it is asked for */
	struct nv_trouble trouble;	/* where it was opened with check */
	struct gpmu_error why;	/* its text */
	uint64_t begin;		/* of the last enable */
	char **messages;
	size_t n_messages;
	char *said;		/* the last that was asked for */
};

/* nvml_gpu.c: the GPUs and what they show. 0 or -errno with the error set */
int nv_find_gpus(struct source *source, struct gpmu_error *error);
void nv_release_gpus(struct source *source);
/* NVML's result of reading the event once, NV_SUCCESS: it is there */
int nv_has_event(struct gpu_pmu *pmu, size_t number);
/* Why it is not; the PMU's */
const char *nv_why_not(struct gpu_pmu *pmu, size_t number);
/* Of a name of CUPTI's form that GPM does not have; NULL: it has another, or there is no memory */
const struct gpmu_source_event_info *nv_foreign(struct gpu_pmu *pmu, const char *name);

/* nvml_stream.c: with the lock held */
struct stream *nv_stream_get(struct gpu *gpu, const struct nv_event *event);
void nv_stream_put(struct stream *stream);
/* Counting begins: what had come before it and could not be read is not counted. */
void nv_stream_begin(struct stream *stream, uint64_t time);
/* It ends: what a counter has not told until now is missed. */
void nv_stream_end(struct stream *stream, uint64_t time);
/* What had come up to @time */
struct point nv_stream_at(const struct stream *stream, uint64_t time);
/* Observes all streams of the GPU, if that was not done at @time or later */
void nv_observe(struct gpu *gpu, uint64_t time);
void nv_observe_all(struct source *source, uint64_t time);
uint64_t nv_now(void);

/* nvml_thread.c */
int nv_start(struct source *source);
void nv_stop(struct source *source);

/* nvml_gpm.c */
bool nv_gpm_supported(const struct gpu *gpu);
void nv_gpm_release(struct gpu *gpu);
/*
 * Takes a sample. Where there was one before, @metrics with their ids set get what was between.
 * NVML's result
 */
int nv_gpm_take(struct gpu *gpu, struct nv_gpm_metrics *metrics);

/* nvml_message.c: with the lock held */
__attribute__((format(printf, 2, 3)))
void nv_say(struct source *source, const char *fmt, ...);
/* What was not counted since it was said last */
void nv_say_missed(struct source *source);

/* nvml_query.c */
int nv_query(void *data, const char *question, char **answer, struct gpmu_error *error);
/*
 * Sets @key of @object to @value, which it takes, or where @result is an error to null, and
 * the reason in the object "unavailable" of @top, by @path and the key
 */
void nv_set(const struct gpu *gpu, json_t *top, json_t *object, const char *path, const char *key,
	    int result, json_t *value);
json_t *nv_gpu_object(const struct gpu *gpu);
/* One part of the answer each: an object of the GPU; nvml_query_gpu.c, ... */
json_t *nv_query_gpu(struct gpu *gpu);
json_t *nv_query_check(struct gpu *gpu);
json_t *nv_query_accounting(struct gpu *gpu);
json_t *nv_query_vgpu(struct gpu *gpu);
/*
 * NVML's time stamps are CLOCK_REALTIME's, in us. Of @seen, the last one that was told: from which
 * on NVML is to be asked for more, and whether one of @time is more. No count has to do with
 * them. What that clock is set back by would be the time in which there is nothing new: then all
 * is asked for, and what is not ahead of the clock is new.
 */
unsigned long long nv_since(unsigned long long seen);
bool nv_is_new(unsigned long long seen, unsigned long long time);
/* The text of a process's name, or null */
json_t *nv_process_name(const struct gpu *gpu, unsigned int pid);
/* A list of processes with their accounting; @forgotten: that were gone until they were asked for */
json_t *nv_accounting_list(const struct gpu *gpu, bool vgpu, unsigned int instance, int *result,
			   unsigned int *forgotten);

/*
 * A list whose length is known only by asking: get() as NVML does with *length the room for
 * @list, or NULL; what is returned is the caller's to free(). NVML's result; where there is
 * nothing the list is empty.
 */
typedef int nv_get_list(const void *context, unsigned int *length, void *list);
int nv_list(nv_get_list *get, const void *context, size_t size, void **list, unsigned int *length);

#endif /* GPMU_NVML_SOURCE_H */
