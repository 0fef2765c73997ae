/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu-fake.so, shared by the fakes of NVIDIA's libraries: the fake machine, its metrics, and the faults that a test
 * injects.
 *
 * GPMU_FAKE has settings, KEY=VALUE separated by blanks; a test in the same process changes them by fake_set().
 *
 *	machine=NAME		of tests/data/gpu/machines.tsv; default: h200
 *	driver=N cupti=N	versions; default: 13000 and 130001
 *	cuinit=CODE		result of cuInit()
 *	until=FILE		cuInit() waits until this file exists
 *	fail=FUNCTION:CODE	each call fails; FUNCTION@N: the Nth from now; FUNCTION@N+:
 *				from this one on
 *	enable=GPU:CODE		cuptiPmSamplingEnable() of this GPU fails, with 26 as busy
 *	support=GPU:WHAT	profiling is not supported because of vgpu, cc, sli, cmp, wsl or
 *				architecture; "GPU:" ends that
 *	vanish=GPU:CODE		every call for this GPU fails; 0 ends that
 *	freeze=GPU:1		this GPU takes no more samples; 0 ends that
 *	hardware=SAMPLES	room of the hardware buffer, until its first overflow
 *	image=SAMPLES		room of a counter-data image at most
 *	forget=1		samples that do not fit into an image lose their times, and are kept
 *	jump=N			the Nth sample is a second too late
 *	reversed=1		an image has its samples in reverse order, from its end
 *	latency=US		time until a sample can be decoded
 *	stall=MS		duration of the next DecodeData
 *	gap=FROM:LENGTH		from FROM ms after Start no samples are kept for LENGTH ms
 *	replay=FILE		the machine and samples of a recording
 *	lock=FILE		sampling of a GPU is exclusive among all processes with this file
 *	thread=1		cuInit() starts a thread that blocks no signal, as the real driver does
 *	inject=1		cuInit() loads $CUDA_INJECTION64_PATH, NVTX's first call $NVTX_INJECTION64_PATH
 *	second=N		another tool has subscribed to CUPTI: 1 with a name; 2 without; 3 unsubscribes
 *	zero=N			every Nth kernel has no times
 *	corrupt=N		the Nth buffer of activities has a malformed record
 *	drop=N			CUPTI reports once that it has dropped N records
 *	unordered=1		records come in the order 2, 1, 4, 3
 *	late=N			the first N flushes that are not forced hand over no buffer
 *	slow=MS			time to enable or disable records of kernels
 *	exclusive=1		enabling, disabling and flushing wait until callbacks have returned
 *	stuck=1			a flush that is forced never returns
 *	pcs_full=N		PC sampling: the hardware buffer is full after N runs
 *	pcs_drop=N		each run drops N samples
 *	pcs_lose=N		the first N instructions are counted and not delivered
 *	pcs_busy=1		another process has the profiler
 *	sass_drop=N		SASS metrics: each context loses N records
 *	launch_ex=1		kernels are launched by cuLaunchKernelEx()
 *	sass_more=N		each record has N warps more than were launched; negative: fewer
 *	sass_first=1		only the first function of a context has records
 *	device=MIB		memory of each GPU; default: 143771
 *	reset			restores all defaults, and fake_get()'s numbers
 *
 * Machines' GPUs are numbered in the order of their PCI addresses.
 */
#ifndef GPMU_TESTS_GPU_FAKE_H
#define GPMU_TESTS_GPU_FAKE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define FAKE_GPUS	8
#define FAKE_METRICS	128

struct fake_gpu {
	char uuid[48], name[64], chip[16], pci[20], absent[64];
	int enable_code;	/* result of cuptiPmSamplingEnable() */
	char support[16];	/* reason why profiling is not supported; "": none */
	int vanished;		/* result of calls for the GPU; 0: it is present */
	bool is_frozen;
};

struct fake_options {
	int driver, cupti, cuinit, image, forget, reversed;
	uint64_t hardware, latency, stall;	/* samples, ns, ns */
	uint64_t gap_from, gap_length;		/* ns */
	uint64_t jump;				/* number of the sample, from 1 */
	int inject, thread, second, zero, corrupt, drop, unordered, late, slow, exclusive, stuck;
	int device;	/* MiB */
	int pcs_full, pcs_drop, pcs_lose, pcs_busy, sass_drop, sass_first, sass_more, launch_ex;
	char lock[PATH_MAX], until[PATH_MAX];
};

enum { FAKE_SECOND_NAMED = 1, FAKE_SECOND_NAMELESS, FAKE_SECOND_LEAVES };

enum fake_type { FAKE_COUNTER, FAKE_RATIO, FAKE_THROUGHPUT };

struct fake_metric {
	char base[96], unit[16], dim[16], pass[16], description[96];
	enum fake_type type;
	uint64_t rate, period;	/* period 0: always */
	uint64_t units, peak;
};

/* A metric's name with its suffix, "sum.per_second" */
struct fake_name {
	const struct fake_metric *metric;
	size_t index;		/* of metric */
	char suffix[64];
};

/* Counts a call to the fake; returns 0, or the code that the call has to return */
int fake_enter(const char *function);
/* Reports a call that the real library would crash at, or that breaks its rules */
void fake_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Opens a table of tests/data/gpu, which make copies beside libgpmu-fake.so; aborts if it is missing */
FILE *fake_open_data(const char *name);
/* Counts existing objects of a kind: "host", "sampling" */
void fake_count(const char *kind, long by);
uint64_t fake_now(void);

const struct fake_options *fake_options(void);
/* The duration of the next call, once */
uint64_t fake_stall(void);
size_t fake_gpus(void);
struct fake_gpu *fake_gpu(size_t index);

size_t fake_metrics(void);
const struct fake_metric *fake_metric(size_t index);
bool fake_find(const char *name, struct fake_name *result);
/* A type's suffix by number, without the dot; NULL after the last */
const char *fake_suffix(enum fake_type type, size_t index);
/* The value of a sample of this GPU; NaN if it lacks the unit */
double fake_value(const struct fake_name *name, size_t gpu, uint64_t start, uint64_t end);
bool fake_is_absent(const struct fake_metric *metric, size_t gpu);

/* CUDA's devices by cuInit(): the GPU of an ordinal; -1: no such device */
int fake_device(long ordinal);
void fake_devices(const int *gpus, size_t length);

/* A sample of the recording; false without such a sample or without a recording */
struct fake_sample {
	uint64_t start, end;	/* ns since Start; the first one starts before it */
};
bool fake_replays(void);
bool fake_replayed(size_t index, struct fake_sample *result);
/* The value of a recorded sample; NaN if this metric was not recorded */
double fake_replayed_value(size_t index, const char *name);
/* Reads a recording and adds its GPUs */
void fake_replay(const char *path);
void fake_replay_end(void);
void fake_clear_gpus(void);
void fake_add_gpu(const struct fake_gpu *gpu);

/*
 * fake_do() executes a word of the program for CUPTI's activities (activity_do.c). It calls the hook that the fake of
 * CUPTI has set, or does nothing without it.
 */
void fake_hook(void (*hook)(const char *word, const char *value));
void fake_do(const char *word, const char *value);

/* For tests: settings as in GPMU_FAKE, and what was counted: "violations", "host",
 * "sampling", "calls", "calls:FUNCTION", "injection", "devices", "start": when sampling was started
 * last */
void fake_set(const char *settings);
long fake_get(const char *what);

#endif /* GPMU_TESTS_GPU_FAKE_H */
