/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the fakes of NVIDIA's libraries share, libgpmu-fake.so: the machine that they
 * show, the metrics that it counts, and the faults that a test wants.
 *
 * GPMU_FAKE has settings, KEY=VALUE with blanks between them; a test in the same
 * process changes them by fake_set().
 *
 *	machine=NAME		of tests/data/gpu/machines.tsv; default: h200
 *	driver=N cupti=N	versions, 13000 and 130001
 *	cuinit=CODE		of cuInit()
 *	fail=FUNCTION:CODE	each call fails; FUNCTION@N: the Nth from now; FUNCTION@N+:
 *				from this one on
 *	enable=GPU:CODE		cuptiPmSamplingEnable() of this GPU fails: 26, busy
 *	support=GPU:WHAT	profiling is not supported because of vgpu, cc, sli, cmp, wsl or
 *				architecture; "GPU:" ends that
 *	vanish=GPU:CODE		every call for it fails; 0: it is there
 *	freeze=GPU:1		it takes no more samples; 0: it does
 *	hardware=SAMPLES	that the hardware buffer has room for, until it has overflowed
 *	image=SAMPLES		that a counter-data image has room for at most
 *	forget=1		a full image costs the samples behind it their times, not them
 *	jump=N			the time of the Nth sample is a second too late
 *	reversed=1		samples lie in an image from its end
 *	latency=US		until a sample can be decoded
 *	stall=MS		that the next DecodeData takes
 *	gap=FROM:LENGTH		ms after Start, and how long, in which no samples are kept
 *	replay=FILE		the machine and samples of a recording
 *	lock=FILE		sampling of a GPU is exclusive among all processes with this file
 *	inject=1		cuInit() loads $CUDA_INJECTION64_PATH, NVTX's first call $NVTX_INJECTION64_PATH
 *	second=N		another tool has subscribed to CUPTI: 1, named; 2, without a name; 3, which leaves
 *	zero=N			every Nth kernel has no times
 *	corrupt=N		the Nth buffer of activities has a record that makes no sense
 *	drop=N			CUPTI says once that it has dropped so many
 *	unordered=1		records come in the order 2, 1, 4, 3
 *	late=N			the first N flushes that are not forced give nothing
 *	slow=MS			that it takes to enable or disable a kind of activities
 *	exclusive=1		to enable, disable and flush waits for callbacks to return
 *	reset			all as at first, also what fake_get() counts
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
	int enable_code;	/* of cuptiPmSamplingEnable() */
	char support[16];	/* why profiling is not supported; "": it is */
	int vanished;		/* what calls for it return; 0: nothing */
	bool frozen;
};

struct fake_options {
	int driver, cupti, cuinit, image, forget, reversed;
	uint64_t hardware, latency, stall;	/* samples, ns, ns */
	uint64_t gap_from, gap_length;		/* ns */
	uint64_t jump;				/* a sample's number and 1 */
	int inject, second, zero, corrupt, drop, unordered, late, slow, exclusive;
	char lock[PATH_MAX];
};

enum { FAKE_SECOND_NAMED = 1, FAKE_SECOND_NAMELESS, FAKE_SECOND_LEAVES };

enum fake_type { FAKE_COUNTER, FAKE_RATIO, FAKE_THROUGHPUT };

struct fake_metric {
	char base[96], unit[16], dim[16], pass[16], description[96];
	enum fake_type type;
	uint64_t rate, period;	/* period 0: always */
	uint64_t units, peak;
};

/* A metric's name with what follows its base, as "sum.per_second" */
struct fake_name {
	const struct fake_metric *metric;
	size_t index;		/* of metric */
	char suffix[64];
};

/* One call of the plugin's: 0, or the code that it is to return */
int fake_enter(const char *function);
/* What the real library would crash at, or nobody should do */
void fake_violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Opens a table of tests/data/gpu, which make copies beside libgpmu-fake.so; aborts if it is missing */
FILE *fake_open_data(const char *name);
/* Objects that there are, of any kind: "host", "sampling" */
void fake_count(const char *kind, long by);
uint64_t fake_now(void);

const struct fake_options *fake_options(void);
/* The time that the next call is to take, once */
uint64_t fake_stall(void);
size_t fake_gpus(void);
struct fake_gpu *fake_gpu(size_t index);

size_t fake_metrics(void);
const struct fake_metric *fake_metric(size_t index);
bool fake_find(const char *name, struct fake_name *result);
/* Suffixes of a type by number, without the dot; NULL after the last */
const char *fake_suffix(enum fake_type type, size_t index);
/* What a sample of this GPU says; NaN where it has no such unit */
double fake_value(const struct fake_name *name, size_t gpu, uint64_t start, uint64_t end);
bool fake_absent(const struct fake_metric *metric, size_t gpu);

/* CUDA's devices: what cuInit() has found. -1: no such device */
int fake_device(long ordinal);
void fake_devices(const int *gpus, size_t length);

/* A recording's sample, as those of struct fake_sample; false: no such sample, or no recording */
struct fake_sample {
	uint64_t start, end;	/* ns since Start; start of the first is before */
};
bool fake_replays(void);
bool fake_replayed(size_t index, struct fake_sample *result);
/* A value of a recorded sample; NaN if this metric was not recorded */
double fake_replayed_value(size_t index, const char *name);
/* Reads a recording, adds its GPUs */
void fake_replay(const char *path);
void fake_replay_end(void);
void fake_clear_gpus(void);
void fake_add_gpu(const struct fake_gpu *gpu);

/*
 * What a program does, for CUPTI's activities: activity.c has the words. The hook is CUPTI's, if it is there.
 * fake_do() does nothing where it is not.
 */
void fake_hook(void (*hook)(const char *word, const char *of));
void fake_do(const char *word, const char *of);

/* For tests: settings as in GPMU_FAKE, and what was counted: "violations", "host",
 * "sampling", "calls", "calls:FUNCTION", "injection", "devices", "start": when sampling was started
 * last */
void fake_set(const char *settings);
long fake_get(const char *what);

#endif /* GPMU_TESTS_GPU_FAKE_H */
