// SPDX-License-Identifier: LGPL-2.1-or-later
/* Fields of records other than samples: perf_event_open(2), perf.data-file-format.txt */
#include <errno.h>

#include "base/array.h"
#include "perfdata/perfdata.h"

#define MISC_BUILD_ID	(1U << 14)	/* PERF_RECORD_MISC_MMAP_BUILD_ID */
#define BUILD_ID_MAX	20

/* Members of sample_id, in the order in which they follow a record */
#define SAMPLE_ID_MASK	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | \
			 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* --- the event of a record */

static uint64_t u64_at(const void *body, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)body + offset, sizeof(value));
	return value;
}

/* Offset of the id in a sample, which is the same for all events; SIZE_MAX: there is none */
static size_t id_in_sample(uint64_t type)
{
	uint64_t before = type & (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR);

	if (type & PERF_SAMPLE_IDENTIFIER)
		return 0;
	return type & PERF_SAMPLE_ID ? 8 * (size_t)__builtin_popcountll(before) : SIZE_MAX;
}

/* Bytes from the id of a trailer to the end of the record; SIZE_MAX: there is none */
static size_t id_before_end(uint64_t type)
{
	if (type & PERF_SAMPLE_IDENTIFIER)
		return 8;
	if (!(type & PERF_SAMPLE_ID))
		return SIZE_MAX;
	return 8 + 8 * (size_t)__builtin_popcountll(type & (PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU));
}

static const struct gpmu_perfdata_event *event_of(struct gpmu_perfdata *perfdata, uint64_t id)
{
	const struct gpmu_perfdata_event *event = gpmu_perfdata_event_of(perfdata, id);

	perfdata->stats.unknown_ids += !event;
	return event;
}

/* The event of a sample, NULL if it has an unknown id */
static const struct gpmu_perfdata_event *sample_event(struct gpmu_perfdata *perfdata,
						      const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_event *first = gpmu_perfdata_event(perfdata, 0);
	size_t offset;

	if (!first || !gpmu_perfdata_event(perfdata, 1))
		return first;
	offset = id_in_sample(first->attr->sample_type);
	if (offset == SIZE_MAX)
		return first;
	return record->size >= offset + 8 ? event_of(perfdata, u64_at(record->body, offset)) : NULL;
}

/* The event of another record. Records that perf wrote have an id of 0, and the layout of the first event. */
static const struct gpmu_perfdata_event *trailer_event(struct gpmu_perfdata *perfdata,
						       const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_event *first = gpmu_perfdata_event(perfdata, 0);
	size_t before_end;
	uint64_t id;

	if (!first || !gpmu_perfdata_event(perfdata, 1) || !first->attr->sample_id_all)
		return first;
	before_end = id_before_end(first->attr->sample_type);
	if (before_end == SIZE_MAX || record->size < before_end)
		return first;
	id = u64_at(record->body, record->size - before_end);
	return id ? event_of(perfdata, id) : first;
}

/* --- the trailer */

/* Takes the sample_id from the end of @cursor. */
static void take_trailer(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	uint64_t type = record->event->attr->sample_type & SAMPLE_ID_MASK;
	size_t size = 8 * (size_t)__builtin_popcountll(type);
	struct cursor trailer = { .data = cursor->data + cursor->left - size, .left = size };

	if (!record->event->attr->sample_id_all)
		return;
	if (size > cursor->left) {
		cursor->has_failed = true;
		return;
	}
	cursor->left -= size;
	record->has = type;
	if (type & PERF_SAMPLE_TID) {
		record->pid = cursor_u32(&trailer);
		record->tid = cursor_u32(&trailer);
	}
	if (type & PERF_SAMPLE_TIME)
		record->time = cursor_u64(&trailer);
	if (type & PERF_SAMPLE_ID)
		record->id = cursor_u64(&trailer);
	if (type & PERF_SAMPLE_STREAM_ID)
		record->stream_id = cursor_u64(&trailer);
	if (type & PERF_SAMPLE_CPU)
		record->cpu = (uint32_t)cursor_u64(&trailer);
	if (type & PERF_SAMPLE_IDENTIFIER)
		record->id = cursor_u64(&trailer);
}

/* --- bodies */

/* Process and thread at the begin of a body, which are those of the record */
static void take_ids(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	record->pid = cursor_u32(cursor);
	record->tid = cursor_u32(cursor);
	record->has |= PERF_SAMPLE_TID;
}

/* Returns whether bytes may be a build id of this size: no known one has fewer than 8 bytes, and zeros follow it. */
static bool is_build_id(const uint8_t *bytes, uint32_t size)
{
	static const uint8_t zeros[BUILD_ID_MAX];

	return bytes && size >= 8 && size <= BUILD_ID_MAX && !memcmp(bytes + size, zeros, BUILD_ID_MAX - size);
}

/*
 * The build id of a map, or its device and inode. Another event with build ids makes the kernel set the flag although
 * the record has the device, whose major number then takes the place of the size (perf_event_mmap_output()).
 */
static void take_file(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	struct gpmu_perfdata_mmap *mmap = &record->mmap;
	const uint32_t first = cursor_u32(cursor);
	struct cursor ahead = *cursor;
	const uint8_t *id = cursor_bytes(&ahead, BUILD_ID_MAX);

	if (record->misc & MISC_BUILD_ID && is_build_id(id, first)) {
		mmap->build_id_size = first;
		mmap->build_id = id;
		*cursor = ahead;
		return;
	}
	mmap->maj = first;
	mmap->min = cursor_u32(cursor);
	mmap->ino = cursor_u64(cursor);
	mmap->ino_generation = cursor_u64(cursor);
}

/*
 * Returns whether the rest of an MMAP2 record begins with the name of the file: before Linux 3.16 the record has no protection and
 * flags. A name is padded to 8 bytes. No name begins with the first byte of the protection, a combination of PROT_ bits.
 */
static bool is_name(const struct cursor *cursor)
{
	const char *text = (const char *)cursor->data;

	return !cursor->has_failed && cursor->left && *text >= ' ' &&
	       strnlen(text, cursor->left) / 8 * 8 + 8 == cursor->left;
}

static void take_mmap(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	struct gpmu_perfdata_mmap *mmap = &record->mmap;

	*mmap = (struct gpmu_perfdata_mmap){ 0 };
	take_ids(record, cursor);
	cursor_copy(cursor, mmap, offsetof(struct gpmu_perfdata_mmap, prot));
	if (record->type == PERF_RECORD_MMAP2)
		take_file(record, cursor);
	if (record->type == PERF_RECORD_MMAP2 && !is_name(cursor)) {
		mmap->prot = cursor_u32(cursor);
		mmap->flags = cursor_u32(cursor);
	}
	mmap->file = cursor_text(cursor, cursor->left);
}

static void take_comm(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	take_ids(record, cursor);
	record->comm = cursor_text(cursor, cursor->left);
}

/* The members of the structures that are copied as a whole are those of the body. */
static void take_task(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	cursor_copy(cursor, &record->task, sizeof(record->task));
}

static void take_lost(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	if (record->type == PERF_RECORD_LOST)
		cursor_u64(cursor);	/* the id, which the trailer has too */
	record->lost = cursor_u64(cursor);
}

static void take_aux(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	cursor_copy(cursor, &record->aux, sizeof(record->aux));
}

static void take_switch_cpu_wide(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	cursor_copy(cursor, &record->other, sizeof(record->other));
}

static void take_ksymbol(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	cursor_copy(cursor, &record->ksymbol, offsetof(struct gpmu_perfdata_ksymbol, name));
	record->ksymbol.name = cursor_text(cursor, cursor->left);
}

static void take_cgroup(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	record->cgroup.id = cursor_u64(cursor);
	record->cgroup.path = cursor_text(cursor, cursor->left);
}

static void take_deferred(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	struct gpmu_perfdata_deferred *deferred = &record->deferred;
	uint64_t count;

	deferred->cookie = cursor_u64(cursor);
	count = cursor_u64(cursor);
	deferred->callchain = cursor_array(cursor, count, sizeof(uint64_t));
	deferred->count = deferred->callchain ? (size_t)count : 0;
}

static void take_auxtrace(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	struct gpmu_perfdata_auxtrace *trace = &record->auxtrace;

	/* The size is needed even if the record ends after it. */
	*trace = (struct gpmu_perfdata_auxtrace){ .size = cursor_u64(cursor) };
	trace->offset = cursor_u64(cursor);
	trace->reference = cursor_u64(cursor);
	trace->idx = cursor_u32(cursor);
	trace->tid = cursor_u32(cursor);
	trace->cpu = cursor_u32(cursor);
}

static void take_auxtrace_info(struct gpmu_perfdata_record *record, struct cursor *cursor)
{
	struct gpmu_perfdata_auxtrace_info *info = &record->auxtrace_info;

	info->type = cursor_u32(cursor);
	cursor_u32(cursor);
	info->count = cursor->left / sizeof(uint64_t);
	info->priv = cursor_array(cursor, info->count, sizeof(uint64_t));
}

/* Records of the kernel have a trailer, those of perf have none. */
static void (*const kernel_bodies[])(struct gpmu_perfdata_record *record, struct cursor *cursor) = {
	[PERF_RECORD_MMAP] = take_mmap,
	[PERF_RECORD_LOST] = take_lost,
	[PERF_RECORD_COMM] = take_comm,
	[PERF_RECORD_EXIT] = take_task,
	[PERF_RECORD_FORK] = take_task,
	[PERF_RECORD_READ] = take_ids,
	[PERF_RECORD_MMAP2] = take_mmap,
	[PERF_RECORD_AUX] = take_aux,
	[PERF_RECORD_ITRACE_START] = take_ids,
	[PERF_RECORD_LOST_SAMPLES] = take_lost,
	[PERF_RECORD_SWITCH_CPU_WIDE] = take_switch_cpu_wide,
	[PERF_RECORD_KSYMBOL] = take_ksymbol,
	[PERF_RECORD_CGROUP] = take_cgroup,
	[GPMU_PERFDATA_CALLCHAIN_DEFERRED] = take_deferred,
};

static int parse_kernel(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record)
{
	struct cursor cursor = { .data = record->body, .left = record->size };

	record->event = trailer_event(perfdata, record);
	if (record->event)
		take_trailer(record, &cursor);
	if (record->type < ARRAY_SIZE(kernel_bodies) && kernel_bodies[record->type])
		kernel_bodies[record->type](record, &cursor);
	if (record->type == PERF_RECORD_READ && record->event) {
		record->read = (struct gpmu_perfdata_read){ 0 };
		perfdata_take_read(perfdata, record->event->attr, &cursor, &record->read);
	}
	return cursor.has_failed ? -EINVAL : 0;
}

static void take_time_conv(struct gpmu_perfdata *perfdata, struct cursor *cursor)
{
	struct gpmu_perfdata_time_conv *conv = &perfdata->info.time_conv;
	const uint8_t *caps;

	conv->shift = cursor_u64(cursor);
	conv->mult = cursor_u64(cursor);
	conv->zero = cursor_u64(cursor);
	if (cursor->left < 24)
		return;			/* as in old files */
	conv->cycles = cursor_u64(cursor);
	conv->mask = cursor_u64(cursor);
	caps = cursor_bytes(cursor, 2);	/* of user_time_zero and of user_time_short */
	conv->is_short = caps && caps[1];
}

/* pipe: the attr, then its ids */
static int take_attr(struct gpmu_perfdata *perfdata, struct cursor *cursor)
{
	uint32_t size;
	const void *attr;

	if (cursor->left < PERF_ATTR_SIZE_VER0)
		return -EINVAL;
	memcpy(&size, cursor->data + offsetof(struct perf_event_attr, size), sizeof(size));
	attr = cursor_bytes(cursor, size ? size : PERF_ATTR_SIZE_VER0);
	if (!attr)
		return -EINVAL;
	return perfdata_events_add(&perfdata->events, attr, size ? size : PERF_ATTR_SIZE_VER0) ?:
	       perfdata_events_add_ids(&perfdata->events, cursor->data, cursor->left / sizeof(uint64_t));
}

static int take_feature(struct gpmu_perfdata *perfdata, struct cursor *cursor)
{
	uint64_t feature = cursor_u64(cursor);
	int ret;

	/* One without content, whose number is that of the first feature this perf does not know, is the end of the features. */
	if (cursor->has_failed || feature >= FEATURE_COUNT || !cursor->left)
		return cursor->has_failed ? -EINVAL : 0;
	if (feature == FEATURE_EVENT_DESC)
		return perfdata_events_describe(&perfdata->events, cursor);
	ret = perfdata_info_add(&perfdata->info, (unsigned int)feature, cursor->data, cursor->left);
	return ret || feature != FEATURE_PMU_MAPPINGS ? ret : perfdata_events_set_pmus(&perfdata->events, &perfdata->info);
}

/* Records of perf. Facts about the recording are stored once, also if it is read again. */
static int parse_perf(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record)
{
	struct cursor cursor = { .data = record->body, .left = record->size };
	int ret = 0;

	if (record->type == GPMU_PERFDATA_AUXTRACE)
		take_auxtrace(record, &cursor);
	else if (record->type == GPMU_PERFDATA_AUXTRACE_INFO)
		take_auxtrace_info(record, &cursor);
	else if (perfdata->number < perfdata->seen)
		return 0;
	else if (record->type == GPMU_PERFDATA_HEADER_ATTR)
		ret = take_attr(perfdata, &cursor);
	else if (record->type == GPMU_PERFDATA_HEADER_FEATURE)
		ret = take_feature(perfdata, &cursor);
	else if (record->type == GPMU_PERFDATA_HEADER_BUILD_ID)
		ret = perfdata_info_add_build_id(&perfdata->info, record->misc, record->body, record->size);
	else if (record->type == GPMU_PERFDATA_EVENT_UPDATE)
		ret = perfdata_events_update(&perfdata->events, &cursor);
	else if (record->type == GPMU_PERFDATA_TIME_CONV)
		take_time_conv(perfdata, &cursor);
	return cursor.has_failed ? -EINVAL : ret;
}

int perfdata_parse(struct gpmu_perfdata *perfdata, struct gpmu_perfdata_record *record)
{
	if (record->type >= GPMU_PERFDATA_HEADER_ATTR)
		return parse_perf(perfdata, record);
	if (record->type != PERF_RECORD_SAMPLE)
		return parse_kernel(perfdata, record);
	record->event = sample_event(perfdata, record);
	return record->event ? perfdata_parse_sample(perfdata, record) : 0;
}
