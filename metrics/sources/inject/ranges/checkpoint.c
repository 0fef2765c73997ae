// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Measured with CUDA 13.0: CUPTI crashes if it restores memory that has been freed, and the save of a checkpoint
 * during the capture of a stream invalidates the capture. Kernels that CUPTI runs to restore are counted if the
 * profiler is started. A checkpoint that fits into no memory goes to a file in the folder for temporary files,
 * where it stays after a crash, hence the room is checked before.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/raw_clock.h"
#include "collect.h"
#include "library/cupti_files.h"
#include "sources/inject/inject.h"

#define MIB	20	/* bits */

static bool fail(struct collector *collector, const char *why)
{
	collector->numbers.checkpoints.failed++;
	collect_give_up(collector, why);
	return false;
}

static bool fail_call(struct collector *collector, const char *call, int code, const char *why)
{
	collector->profiler.failure = (struct ranges_failure){ call, code };
	return fail(collector, why);
}

/* --- the library */

/* Opens the library in the folder of CUPTI. */
static void *open_beside_cupti(char *why, size_t size)
{
	void *function = inject_cupti_symbol("cuptiGetVersion");
	char path[PATH_MAX];
	const char *slash;
	Dl_info cupti;

	if (!function || !dladdr(function, &cupti))
		return NULL;
	slash = strrchr(cupti.dli_fname, '/');
	if (!slash || snprintf(path, sizeof(path), "%.*s/%s", (int)(slash - cupti.dli_fname), cupti.dli_fname,
			       CHECKPOINT_LIBRARY) >= (int)sizeof(path))
		return NULL;
	return library_load(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, why, size);
}

static bool load(struct checkpoint *checkpoint)
{
	char why[256];
	void *library;

	if (checkpoint->is_loaded)
		return true;
	library = open_beside_cupti(why, sizeof(why));
	if (!library)
		library = library_load(CHECKPOINT_LIBRARY, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE, why, sizeof(why));
	if (!library)
		return false;
	checkpoint->is_loaded = true;
#define FILL(member, symbol, ...) \
	*(void **)&checkpoint->api.member = dlsym(library, #symbol); \
	if (!checkpoint->api.member) \
		checkpoint->is_loaded = false;
	CHECKPOINT_FUNCTIONS(FILL)
	return checkpoint->is_loaded;
}

/* --- room */

/* The bytes of the host's memory that are available; 0: not known */
static uint64_t host_available(void)
{
	static const char name[] = "MemAvailable:";
	FILE *file = fopen("/proc/meminfo", "re");
	uint64_t kib = 0;
	char line[128];

	while (file && !kib && fgets(line, sizeof(line), file))
		if (!strncmp(line, name, sizeof(name) - 1))
			kib = strtoull(line + sizeof(name) - 1, NULL, 10);
	if (file)
		fclose(file);
	return kib << 10;
}

/*
 * Returns whether a checkpoint fits into memory. All that is used of the GPU's memory may belong to the program,
 * and half of what the host has available is left to it.
 */
static bool has_room(const struct collector *collector, size_t available, size_t total)
{
	const uint64_t reserve = (uint64_t)collector->options->reserve << MIB;
	const uint64_t need = total - available + collector->checkpoint.memory.host;
	const uint64_t room = available > reserve ? available - reserve : 0;

	return need <= room || need - room <= host_available() / 2;
}

static size_t device_available(const struct collector *collector)
{
	size_t available = 0, total;

	return collector->api.driver.memory(&available, &total) ? 0 : available;
}

/* --- save and restore */

/* Makes a call that waits for all kernels that run. Returns its code and adds its time. */
static int call(struct checkpoint *checkpoint, int (*function)(CUpti_Checkpoint *handle), uint64_t *time)
{
	const uint64_t begin = raw_clock_now();
	int code;

	__atomic_store_n(&checkpoint->begin, begin, __ATOMIC_RELEASE);
	code = function(&checkpoint->handle);
	__atomic_store_n(&checkpoint->begin, 0, __ATOMIC_RELEASE);
	*time += raw_clock_now() - begin;
	return code;
}

static bool is_wanted(const struct collector *collector)
{
	return collector->options->checkpoint && collect_laps(collector) > 1;
}

static void count_save(struct collector *collector, size_t available)
{
	struct activity_checkpoints *numbers = &collector->numbers.checkpoints;
	const size_t left = device_available(collector);

	numbers->saved++;
	numbers->bytes += collector->checkpoint.memory.bytes;
	numbers->device_bytes += left < available ? available - left : 0;
}

bool checkpoint_save(struct collector *collector, void *context)
{
	struct checkpoint *checkpoint = &collector->checkpoint;
	size_t available, total;
	int code;

	if (!is_wanted(collector))
		return true;
	checkpoint_free(collector);
	if (!load(checkpoint))
		return fail(collector, "ranges are not counted: CUPTI's library for checkpoints, " CHECKPOINT_LIBRARY ", is neither beside CUPTI nor found by the dynamic linker; install CUDA's package of CUPTI, or leave out --checkpoint");
	code = collector->api.driver.memory(&available, &total);
	if (code)
		return fail_call(collector, "cuMemGetInfo", code, "ranges are not counted: the checkpoint cannot be saved");
	if (!has_room(collector, available, total))
		return fail(collector, "ranges are not counted: a checkpoint of the GPU's memory does not fit into its free part and half of the host's available memory; lower --checkpoint-reserve, or choose --replay=application");
	checkpoint->handle = (CUpti_Checkpoint){
		.structSize = sizeof(checkpoint->handle), .ctx = context, .reserveDeviceMB = collector->options->reserve,
	};
	code = call(checkpoint, checkpoint->api.save, &collector->numbers.checkpoints.save_time);
	if (code)
		return fail_call(collector, "cuptiCheckpointSave", code, "ranges are not counted: the checkpoint cannot be saved");
	checkpoint->is_saved = true;
	count_save(collector, available);
	memory_begin(&checkpoint->memory);
	return true;
}

bool checkpoint_restore(struct collector *collector)
{
	struct checkpoint *checkpoint = &collector->checkpoint;
	int code;

	if (!checkpoint->is_saved)
		return true;
	if (checkpoint->memory.has_freed)
		return fail(collector, "ranges are no longer counted: the program has freed memory that it had allocated before the first pass, so the checkpoint cannot be restored; allocate before the range and free after its last pass, or choose --replay=application");
	code = call(checkpoint, checkpoint->api.restore, &collector->numbers.checkpoints.restore_time);
	if (code)
		return fail_call(collector, "cuptiCheckpointRestore", code, "ranges are no longer counted, and further results of the program are undefined, because its memory may be restored in part");
	collector->numbers.checkpoints.restored++;
	return true;
}

void checkpoint_free(struct collector *collector)
{
	struct checkpoint *checkpoint = &collector->checkpoint;

	if (!checkpoint->is_saved)
		return;
	checkpoint->is_saved = false;
	checkpoint->api.release(&checkpoint->handle);
}
