// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Ranges whose counters are in one image. CUPTI loses ranges that do not fit without a notice, so the image has room for
 * all ranges that are pushed, and the ranges that were counted are compared with those in the image. Names given to CUPTI
 * are our own, since it cuts long ones: "r0", "r1", ... by position in the image, as its own ones for kernels are "0", "1".
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/demangle.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "collect.h"
#include "library/cupti_holders.h"
#include "sources/inject/inject.h"

#define IMAGE_BYTES	(64u << 20)	/* of an image, about */
#define ROOM_MIN	8
#define ROOM_USER	64		/* CUPTI takes 1.1 MiB of the GPU's memory for each range of the program in a pass */
#define ROOM_KERNEL	512
#define ROOM_AGAIN	1024		/* all ranges of a run */
#define PER_PASS	4		/* kernel replay needs no room for all kernels */
#define WAIT_MS		2000		/* for room in the channel */

/* Adds a name, whose key is free. Returns its id; 0: no memory */
static uint32_t add_name(struct collector *collector, uint64_t key, uint32_t parent, const char *text)
{
	struct range_name *added = vector_append(collector->names, collector->name_count);

	if (!added)
		return 0;
	*added = (struct range_name){ .text = strdup(text), .parent = parent };
	if (added->text && !map_set(&collector->ids, key, (uint32_t)collector->name_count))
		return (uint32_t)collector->name_count;
	free(added->text);
	collector->name_count--;
	return 0;
}

uint32_t collect_name(struct collector *collector, uint32_t parent, const char *text)
{
	uint64_t key = text_hash(text, strlen(text)) ^ (uint64_t)parent << 32;
	uint32_t id;

	/* If another name has this key, try the next one. */
	for (; map_get(&collector->ids, key, &id); key++)
		if (collector->names[id - 1].parent == parent && !strcmp(collector->names[id - 1].text, text))
			return id;
	return add_name(collector, key, parent, text);
}

/* Applies the filter to the name as the results show it. */
static bool passes_filter(const struct collector *collector, const char *text)
{
	char *shown;
	bool is_match;

	if (!collector->has_filter)
		return true;
	shown = demangle(text);
	is_match = shown && !regexec(&collector->filter, shown, 0, NULL, 0);
	free(shown);
	return is_match;
}

bool collect_wants(struct collector *collector, const char *text)
{
	const struct channel_ranges *options = collector->options;
	bool is_wanted = passes_filter(collector, text);

	if (is_wanted) {
		uint64_t number = collector->matched++;

		is_wanted = number >= options->skip && (!options->count || number - options->skip < options->count);
	}
	if (!is_wanted)
		collector->numbers.lost[ACTIVITY_RANGES_SKIPPED]++;
	return is_wanted;
}

/* Writes the remedy of a failed call, or "". */
static void find_remedy(int code, char *text, size_t size)
{
	char holder[192];

	*text = '\0';
	if (code == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) {
		snprintf(text, size, ": run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0");
	} else if (code == CUPTI_ERROR_HARDWARE_BUSY) {
		holders_describe("/proc", holder, sizeof(holder));
		snprintf(text, size, ": the GPU's profiler is in use by %s; end it, or run this program alone", holder);
	}
}

void collect_give_up(struct collector *collector, const char *why)
{
	const struct ranges_failure *failure = collector->profiler.failure.call ? &collector->profiler.failure : NULL;
	const char *text = NULL;
	char remedy[288];

	collector->has_ended = true;
	profiler_abandon(&collector->profiler);
	checkpoint_free(collector);
	if (!why)
		return;
	if (failure && (collector->api.host.text(failure->code, &text) || !text))
		text = "an unknown error";
	find_remedy(failure ? failure->code : 0, remedy, sizeof(remedy));
	if (failure)
		output_note(collector->self, ACTIVITY_WARNING, "%s: %s returned %d, %s%s", why, failure->call, failure->code, text, remedy);
	else
		output_note(collector->self, ACTIVITY_WARNING, "%s", why);
}

size_t collect_laps(const struct collector *collector)
{
	return collector->metrics.passes * (collector->options->mode == CHANNEL_RANGES_USER ? collector->options->levels : 1);
}

/* --- begin */

void collect_write(struct collector *collector, const struct activity_head *record)
{
	const struct activity_lost lost = { .count = 1, .why = ACTIVITY_LOST_CHANNEL, .kind = record->kind };
	unsigned int waits = WAIT_MS;
	int ret;

	while ((ret = channel_write(collector->self->writer, record)) == -EAGAIN && waits-- &&
	       channel_has_reader(collector->self->control))
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	if (ret)
		channel_lose(collector->self->writer, &lost);
}

static bool configure_metrics(struct collector *collector)
{
	CUPTI_PARAMS(init, CUpti_Profiler_Initialize_Params, pPriv);
	CUPTI_PARAMS(chip, CUpti_Device_GetChipName_Params, pChipName);
	struct ranges_failure *failure = &collector->profiler.failure;
	int device = 0, code;

	if (collector->metrics.config)
		return true;
	code = collector->api.driver.device(&device);
	if (code) {
		*failure = (struct ranges_failure){ "cuCtxGetDevice", code };
		return false;
	}
	code = collector->api.setup.profiler(&init);
	if (code) {
		*failure = (struct ranges_failure){ "cuptiProfilerInitialize", code };
		return false;
	}
	chip.deviceIndex = (size_t)device;
	code = collector->api.setup.chip(&chip);
	if (code) {
		*failure = (struct ranges_failure){ "cuptiDeviceGetChipName", code };
		return false;
	}
	if (!metrics_configure(&collector->metrics, chip.pChipName, failure))
		return false;
	collector->numbers.passes = (uint32_t)collector->metrics.passes;
	return true;
}

/* The ranges for which an image has room: as many as fit into IMAGE_BYTES, within bounds */
static size_t choose_room(struct collector *collector)
{
	const bool is_user = collector->options->mode == CHANNEL_RANGES_USER;
	size_t max = collector->options->replay == CHANNEL_REPLAY_APPLICATION ? ROOM_AGAIN : is_user ? ROOM_USER : ROOM_KERNEL;
	size_t small = profiler_image_size(&collector->profiler, &collector->metrics, ROOM_MIN);
	size_t large = profiler_image_size(&collector->profiler, &collector->metrics, 2 * ROOM_MIN);
	size_t each = large > small ? (large - small) / ROOM_MIN : 1, room = IMAGE_BYTES / (each ? each : 1);

	if (collector->options->count && collector->options->replay == CHANNEL_REPLAY_KERNEL && collector->options->count < max)
		max = (size_t)collector->options->count;
	return room < ROOM_MIN ? ROOM_MIN : room > max ? max : room;
}

static bool make_room(struct collector *collector)
{
	if (collector->room)
		return true;
	collector->room = choose_room(collector);
	collector->entries = calloc(collector->room, sizeof(*collector->entries));
	return collector->entries;
}

static bool configure(struct collector *collector)
{
	const struct channel_ranges *options = collector->options;
	struct again again = { 0 };
	struct profiler_setup setup = {
		.metrics = &collector->metrics, .is_auto = options->mode == CHANNEL_RANGES_KERNEL,
		.replay = options->replay, .ranges = collector->room,
		.per_pass = options->replay == CHANNEL_REPLAY_KERNEL ? PER_PASS : collector->room,
		.levels = options->mode == CHANNEL_RANGES_KERNEL ? 1 : (uint16_t)options->levels, .level = 1,
	};
	bool is_done;

	if (options->replay == CHANNEL_REPLAY_APPLICATION) {
		if (!again_read(options->state, &again)) {
			collect_give_up(collector, "application replay counts one process, and another one, or an earlier run, has damaged or locked its file");
			return false;
		}
		setup.image = again.image;
		setup.image_size = again.image_size;
		setup.pass = again.pass;
		setup.level = again.image ? again.level : 1;
	}
	is_done = profiler_configure(&collector->profiler, &setup);
	free(again.image);
	return is_done;
}

bool collect_start(struct collector *collector, void *context)
{
	if (collector->has_ended || collector->captures || (collector->context && collector->context != context))
		return false;
	collector->entry_count = 0;
	if (configure_metrics(collector) && checkpoint_save(collector, context) &&
	    profiler_enable(&collector->profiler, context) && make_room(collector) && configure(collector) &&
	    profiler_start(&collector->profiler)) {
		collector->context = context;
		return true;
	}
	if (!collector->has_ended)
		collect_give_up(collector, "ranges are not counted");
	return false;
}

bool collect_resume(struct collector *collector)
{
	collector->entry_count = 0;
	if (checkpoint_restore(collector) && profiler_start(&collector->profiler))
		return true;
	if (!collector->has_ended)
		collect_give_up(collector, "ranges are no longer counted");
	return false;
}

ptrdiff_t collect_add(struct collector *collector, uint32_t name, uint64_t number, bool is_wanted)
{
	if (collector->entry_count == collector->room)
		return -1;
	collector->entries[collector->entry_count] = (struct range_entry){ number, name, is_wanted };
	return (ptrdiff_t)collector->entry_count++;
}

/* --- end */

static void write_name(struct collector *collector, uint32_t id)
{
	struct range_name *name = &collector->names[id - 1];
	const size_t length = strlen(name->text), size = (sizeof(struct activity_range_name) + length + 1 + 7) / 8 * 8;
	struct activity_range_name *record;

	if (name->is_written)
		return;
	if (name->parent)
		write_name(collector, name->parent);
	record = calloc(1, size);
	if (!record)
		return;
	record->head = (struct activity_head){ (uint32_t)size, ACTIVITY_RANGE_NAME, 0 };
	record->id = id;
	record->parent = name->parent;
	memcpy(record->text, name->text, length);
	collect_write(collector, &record->head);
	free(record);
	name->is_written = true;
}

/* Writes the values of a range of the image. Returns whether CUPTI had them. */
static bool write_values(struct collector *collector, const struct range_entry *entry, size_t index,
			 struct activity_range *record)
{
	const struct profiler *profiler = &collector->profiler;

	if (!metrics_evaluate(&collector->metrics, profiler->image, profiler->image_size, index, record->values))
		return false;
	write_name(collector, entry->name);
	record->number = entry->number;
	record->name = entry->name;
	collect_write(collector, &record->head);
	return true;
}

/* The entry that a range of the image belongs to; NULL: none */
static const struct range_entry *find_entry(struct collector *collector, size_t index)
{
	const char *name = profiler_name(&collector->profiler, index);
	unsigned long position;
	char *end;

	if (!name)
		return NULL;
	name += *name == 'r';
	position = strtoul(name, &end, 10);
	return end != name && !*end && position < collector->entry_count ? &collector->entries[position] : NULL;
}

static void write_image(struct collector *collector)
{
	const size_t size = sizeof(struct activity_range) + collector->metrics.length * sizeof(double);
	struct activity_range *record = calloc(1, size);
	uint64_t wanted = 0, counted = 0;
	size_t count = record ? profiler_count(&collector->profiler) : 0;

	for (size_t i = 0; i < collector->entry_count; i++)
		wanted += collector->entries[i].is_wanted;
	for (size_t i = 0; i < count; i++) {
		const struct range_entry *entry = find_entry(collector, i);

		if (!entry || !entry->is_wanted)
			continue;
		record->head = (struct activity_head){ (uint32_t)size, ACTIVITY_RANGE, 0 };
		record->count = 1;
		record->value_count = (uint32_t)collector->metrics.length;
		counted += write_values(collector, entry, i, record);
	}
	free(record);
	collector->numbers.counted += counted;
	collector->numbers.lost[ACTIVITY_RANGES_DROPPED] += wanted > counted ? wanted - counted : 0;
}

static void save_again(struct collector *collector)
{
	collector->numbers.is_complete = collector->profiler.is_complete;
	if (!again_write(collector->options->state, &collector->profiler))
		collect_give_up(collector, "application replay: its file cannot be written");
}

void collect_finish(struct collector *collector)
{
	struct profiler *profiler = &collector->profiler;
	const bool is_again = collector->options->replay == CHANNEL_REPLAY_APPLICATION;

	if (profiler->state == PROFILER_STARTED)
		profiler_stop(profiler, collector->options->replay != CHANNEL_REPLAY_USER || collect_laps(collector) == 1);
	if (profiler->state == PROFILER_STOPPED && profiler_decode(profiler)) {
		if (is_again)
			save_again(collector);
		if (!is_again || profiler->is_complete)
			write_image(collector);
	} else {
		for (size_t i = 0; i < collector->entry_count; i++)
			collector->numbers.lost[ACTIVITY_RANGES_PARTIAL] += collector->entries[i].is_wanted;
	}
	collector->entry_count = 0;
	if (profiler->state != PROFILER_DEAD)
		profiler_disable(profiler);
	checkpoint_free(collector);
	if (profiler->state == PROFILER_DEAD && !collector->has_ended)
		collect_give_up(collector, "ranges are no longer counted");
}
