// SPDX-License-Identifier: LGPL-2.1-or-later
/* Two passes over a recording, as AUX buffers and maps come in any order */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/sized.h"
#include "base/text/text.h"
#include "profile/gpmu_profile.h"
#include "profile/profile_count.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_object.h"
#include "profile/profile_traces.h"
#include "profile/profile_unwind.h"

#define ROUND	4096	/* records between two calls of progress() */
#define STOPPED	1

struct gpmu_profile {
	struct gpmu_profile_options options;
	enum gpmu_profile_key keys[GPMU_PROFILE_KEYS_MOST];
	size_t key_count;
	struct gpmu_perfdata *perfdata;
	struct profile_tasks tasks;
	struct profile_machine machine;
	struct strings texts;
	struct profile_code code;
	struct profile_counter counter;
	struct profile_traces traces;
	struct profile_jitdumps jitdumps;
	struct profile_unwind unwind;
	struct profile_deferred deferred;
	struct vector events;		/* struct gpmu_profile_event */
	struct vector counts;		/* uint64_t: last count of each id of leader sampling */
	struct map count_numbers;	/* by id */
	struct gpmu_profile_facts facts;
	uint64_t size;			/* of the file; 0: not known */
	bool knows_order;		/* @is_in_order is set */
	bool is_in_order;		/* maps, names and threads have no times: a record's time is its position in the file */
	char *skipped;
	uint64_t stopped;		/* record at which progress() ended reading; 0: none */
};

static const enum gpmu_profile_key default_keys[] = {
	GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT, GPMU_PROFILE_TIER, GPMU_PROFILE_HOME, GPMU_PROFILE_DATA,
};
#define CODE_KEYS	2	/* of the default ones, those of any recording */
#define SPE_KEYS	5

static int progress_call(const struct gpmu_profile *profile, uint64_t done, uint64_t total)
{
	if (profile->options.progress && profile->options.progress(profile->options.user, done, total))
		return STOPPED;
	return 0;
}

/*
 * Calls progress() after record @n. If progress() ends the first pass, the second pass ends at the same record. If waiting()
 * has ended a wait for debug information, the pass ends, too.
 */
static int progress_record(struct gpmu_profile *profile, uint64_t n, uint64_t offset)
{
	if (profile->code.wait.is_ended)
		return STOPPED;
	if (n % ROUND || (profile->stopped && n < profile->stopped))
		return 0;
	if (profile->stopped || progress_call(profile, offset, profile->size))
		profile->stopped = n;
	return profile->stopped ? STOPPED : 0;
}

/* --- order */

/*
 * Whether maps, names and threads have no times: perf record --per-thread, or the first event has /time=0/. The file of perf
 * record --overwrite is not in order: its last record comes first.
 */
static bool has_no_times(const struct gpmu_perfdata *perfdata)
{
	bool has_none = false;

	for (size_t i = 0; i < gpmu_perfdata_event_count(perfdata); i++) {
		const struct perf_event_attr *attr = gpmu_perfdata_event(perfdata, i)->attr;

		if (attr->write_backward)
			return false;
		has_none |= (attr->mmap || attr->mmap2 || attr->comm || attr->task) &&
			    !(attr->sample_id_all && attr->sample_type & PERF_SAMPLE_TIME);
	}
	return has_none;
}

/*
 * Returns record @n. If maps, names and threads have no times, returns a copy whose time is the record's position in the file, even if
 * the record has a time. The functions of a jitdump have times between the times of two records.
 */
static const struct gpmu_perfdata_record *in_order(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record,
						   uint64_t n, struct gpmu_perfdata_record *copy)
{
	switch (record->type) {
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_SAMPLE:
		break;
	default:
		return record;
	}
	if (!profile->knows_order)
		profile->is_in_order = has_no_times(profile->perfdata);
	profile->knows_order = true;
	if (!profile->is_in_order)
		return record;
	*copy = *record;
	copy->has |= PERF_SAMPLE_TIME;
	copy->time = n << 32;
	if (record->type == PERF_RECORD_FORK)
		copy->task.time = copy->time;
	return copy;
}

/* Reads all records. Returns 0, STOPPED, or -errno. */
static int pass(struct gpmu_profile *profile,
		int (*take)(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record),
		struct gpmu_error *error)
{
	const struct gpmu_perfdata_record *record;
	struct gpmu_perfdata_record copy;
	int ret;

	for (uint64_t n = 1; (ret = gpmu_perfdata_next(profile->perfdata, &record, error)) == 1; n++) {
		ret = take(profile, in_order(profile, record, n, &copy));
		if (!ret)
			ret = progress_record(profile, n, record->offset);
		if (ret)
			break;
	}
	return ret;
}

/* --- first pass */

/* Whether a key is among those that the caller has selected */
static bool is_selected(const struct gpmu_profile *profile, enum gpmu_profile_key key)
{
	for (size_t i = 0; i < profile->key_count; i++)
		if (profile->keys[i] == key)
			return true;
	return false;
}

static int take_other(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile_facts *facts = &profile->facts;

	switch (record->type) {
	case GPMU_PERFDATA_AUXTRACE_INFO:
		facts->foreign_aux = record->auxtrace_info.type != GPMU_PERFDATA_ARM_SPE;
		facts->has_spe = !facts->foreign_aux;
		return facts->has_spe ? profile_machine_add_spe(&profile->machine, profile->perfdata, record) : 0;
	case GPMU_PERFDATA_AUXTRACE:
	case PERF_RECORD_AUX:
		return facts->has_spe ? profile_traces_add(&profile->traces, record) : 0;
	case GPMU_PERFDATA_CALLCHAIN_DEFERRED:
		return is_selected(profile, GPMU_PROFILE_STACK) ? profile_deferred_add(&profile->deferred, record) : 0;
	default:
		return profile_traces_add(&profile->traces, record);
	}
}

static int take_tasks(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record)
{
	int ret = profile_tasks_add(&profile->tasks, record);

	if (!ret)
		ret = profile_counter_add(&profile->counter, record);
	if (!ret)
		ret = profile_code_add(&profile->code, record);
	if (!ret)
		ret = profile_jitdumps_add(&profile->jitdumps, record);
	return ret ? ret : take_other(profile, record);
}

/* A map of a function that was made by a just-in-time compiler */
static int take_jit(void *user, const struct gpmu_perfdata_record *record)
{
	struct gpmu_profile *profile = user;
	int ret = profile_tasks_add(&profile->tasks, record);

	return ret ? ret : profile_counter_add(&profile->counter, record);
}

/* Names the events. Equal names are numbered from the second one on, "cpu-clock#2". */
static int set_names(struct gpmu_profile *profile)
{
	struct gpmu_profile_event *events = profile->events.data;
	struct map counts = { 0 };	/* by number of the text */
	int ret = 0;

	for (size_t i = 0; i < profile->events.n && !ret; i++) {
		const char *name = events[i].event ? events[i].event->name : "SPE";
		uint32_t number, count = 0;
		char *numbered;

		ret = strings_number(&profile->texts, name, &number);
		if (ret)
			break;
		map_get(&counts, number, &count);
		ret = map_set(&counts, number, ++count);
		numbered = count > 1 ? text_print("%s#%u", name, count) : NULL;
		if (count > 1 && !ret)
			ret = numbered ? strings_number(&profile->texts, numbered, &number) : -ENOMEM;
		events[i].name = strings_text(&profile->texts, number);
		free(numbered);
	}
	map_release(&counts);
	return ret;
}

/* The event that SPE's records are counted by; one is added if the recording has none. */
static int add_events(struct gpmu_profile *profile)
{
	size_t count = gpmu_perfdata_event_count(profile->perfdata);
	struct gpmu_profile_event *event;
	bool found = !profile->facts.has_spe;

	for (size_t i = 0; i < count + 1; i++) {
		if (i == count && found)
			break;
		event = vector_add(&profile->events, sizeof(*event));
		if (!event)
			return -ENOMEM;
		event->event = gpmu_perfdata_event(profile->perfdata, i);
		/* With perf record -k, maps and threads are in the times of another clock. */
		if (event->event && event->event->attr->use_clockid)
			profile->traces.has_times = false;
		if (!found && (!event->event || event->event->attr->type == profile->machine.spe)) {
			found = event->is_spe = true;
			profile->traces.event = (uint32_t)i;
		}
	}
	return set_names(profile);
}

/* Ends the first pass. */
static int prepare(struct gpmu_profile *profile)
{
	const struct gpmu_perfdata_info *info = gpmu_perfdata_info(profile->perfdata);
	struct gpmu_profile_facts *facts = &profile->facts;
	struct profile_traces *traces = &profile->traces;

	facts->info = profile->code.info = info;
	if (!profile->key_count) {
		profile->key_count = facts->has_spe ? SPE_KEYS : CODE_KEYS;
		memcpy(profile->keys, default_keys, profile->key_count * sizeof(profile->keys[0]));
	}
	profile->counter.key_count = profile->key_count;
	if (profile_jitdumps_read(&profile->jitdumps, info, profile->is_in_order ? NULL : gpmu_perfdata_event(profile->perfdata, 0),
				  take_jit, profile))
		return -ENOMEM;
	profile_tasks_sort(&profile->tasks);
	if (profile_code_begin(&profile->code))
		return -ENOMEM;
	profile_counter_begin(&profile->counter);
	profile->code.inlines = profile->counter.wanted >> GPMU_PROFILE_STACK & 1 && !profile->options.no_inlines;
	profile->code.lines = profile->counter.wanted >> GPMU_PROFILE_LINE & 1;
	traces->conv = info->time_conv;
	traces->has_times = !profile->is_in_order && gpmu_perfdata_has_times(&info->time_conv);
	if (profile_machine_read(&profile->machine, info) || add_events(profile))
		return -ENOMEM;
	facts->has_times = traces->has_times;
	facts->is_in_order = profile->is_in_order;
	return 0;
}

/* --- second pass */

static bool is_guest(unsigned int mode)
{
	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

static int take_one(struct gpmu_profile *profile, const struct profile_sample *sample)
{
	struct gpmu_profile_event *event = (struct gpmu_profile_event *)profile->events.data + sample->event;

	event->samples++;
	event->period += sample->period;
	return profile_count(&profile->counter, sample);
}

/*
 * The last count of an event; NULL: out of memory. If threads inherit the event, they share its id, and each has
 * counts of its own: @tid is then their number, otherwise 0.
 */
static uint64_t *last_count(struct gpmu_profile *profile, uint64_t id, uint32_t tid)
{
	uint64_t *count, key = id << 32 ^ id >> 32 ^ tid;
	uint32_t index;

	if (map_get(&profile->count_numbers, key, &index))
		return (uint64_t *)profile->counts.data + index;
	count = vector_add(&profile->counts, sizeof(*count));
	return count && !map_set(&profile->count_numbers, key, (uint32_t)profile->counts.n - 1) ? count : NULL;
}

static bool is_counted_by_thread(const struct gpmu_perfdata_event *event)
{
	const uint64_t needed = PERF_SAMPLE_TID | PERF_SAMPLE_READ;

	return event->attr->inherit && (event->attr->sample_type & needed) == needed;
}

/*
 * Leader sampling, "{a,b}:S": a sample of the leader has the counts of all events. As in perf, it is a sample of each
 * event whose count has changed since the last one, and the difference is its period. "a:S" has the count of its event.
 */
static int take_counts(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record, struct profile_sample *sample)
{
	const bool is_group = record->event->attr->read_format & PERF_FORMAT_GROUP;
	const struct gpmu_perfdata_read *read = &record->sample.read;

	for (size_t i = 0; i < read->count; i++) {
		uint64_t value = read->values[i].value, id = is_group || read->values[i].id ? read->values[i].id : record->id;
		const struct gpmu_perfdata_event *event = is_group ? gpmu_perfdata_event_of(profile->perfdata, id) : record->event;
		uint64_t *last = event ? last_count(profile, id, is_counted_by_thread(event) ? sample->tid : 0) : NULL;

		if (!event)
			continue;
		if (!last)
			return -ENOMEM;
		sample->event = (uint32_t)event->index;
		/* A count that is below the last one is of a new thread with an old number. */
		sample->period = value < *last ? value : value - *last;
		*last = value;
		if (sample->period && take_one(profile, sample))
			return -ENOMEM;
	}
	return 0;
}

/* Sets the call chain of a sample. @unwound: room for the chain of a copy of the stack */
static int set_chain(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record, uint64_t unwound[PROFILE_UNWIND_CHAIN],
		     struct profile_sample *sample)
{
	if (!is_selected(profile, GPMU_PROFILE_STACK))
		return 0;
	if (!profile_unwind_has(record))
		return profile_deferred_join(&profile->deferred, record, &sample->chain, &sample->chain_count);
	sample->chain = unwound;
	return profile_unwind_chain(&profile->unwind, record, unwound, &sample->chain_count);
}

static int take_sample(struct gpmu_profile *profile, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_sample *from = &record->sample;
	unsigned int mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
	uint64_t chain[PROFILE_UNWIND_CHAIN];
	struct profile_sample sample;

	if (record->type != PERF_RECORD_SAMPLE || !record->event)
		return 0;
	sample = (struct profile_sample){
		.event = (uint32_t)record->event->index, .node = -1,
		.cpu = record->has & PERF_SAMPLE_CPU ? record->cpu : UINT32_MAX,
		.tid = record->has & PERF_SAMPLE_TID ? record->tid : PROFILE_NO_TID,
		.pid = record->has & PERF_SAMPLE_TID ? record->pid : UINT32_MAX,
		.time = record->has & PERF_SAMPLE_TIME ? record->time : UINT64_MAX,
		.ip = from->ip, .has_ip = record->has & PERF_SAMPLE_IP && !is_guest(mode),
		.is_kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_HYPERVISOR,
		.is_outside = profile_tasks_is_outside(record),
		.data = from->addr, .has_data = record->has & PERF_SAMPLE_ADDR && from->addr,
		.period = record->has & PERF_SAMPLE_PERIOD ? from->period : record->event->attr->freq ? 1 :
			  record->event->attr->sample_period,
	};
	if (set_chain(profile, record, chain, &sample))
		return -ENOMEM;
	if (sample.cpu != UINT32_MAX)
		sample.node = profile_machine_node(&profile->machine, sample.cpu);
	if (record->has & PERF_SAMPLE_READ)
		return take_counts(profile, record, &sample);
	return take_one(profile, &sample);
}

static int progress_traces(void *user, const struct profile_traces *traces)
{
	const struct gpmu_profile *profile = user;

	return profile->code.wait.is_ended ? STOPPED : progress_call(profile, traces->done, traces->bytes);
}

/* After a stop, all AUX buffers that had been read are decoded: a second stop does not end this. */
static int progress_rest(void *user, const struct profile_traces *traces)
{
	progress_call(user, traces->done, traces->bytes);
	return 0;
}

/* Returns 0, STOPPED or -errno. */
static int read_all(struct gpmu_profile *profile, struct gpmu_error *error)
{
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	struct gpmu_profile_event *event;
	int ret = pass(profile, take_tasks, error), damage = 0, end;
	bool stopped;

	if (ret == -EINVAL)
		damage = ret;
	else if (ret < 0)
		return ret;
	if (prepare(profile))
		return -ENOMEM;
	/* Samples before the damage, or before progress() stopped reading, are counted. */
	end = ret;
	ret = gpmu_perfdata_rewind(profile->perfdata, error);
	if (!ret)
		ret = pass(profile, take_sample, damage ? NULL : error);
	if (ret < 0 && ret != -EINVAL)
		return ret;
	if (ret == -EINVAL)
		damage = ret;
	gpmu_perfdata_get_stats(profile->perfdata, &stats);
	stopped = ret == STOPPED || end == STOPPED || stats.is_stopped;
	profile->facts.is_whole = stats.is_whole;
	if (profile->facts.has_spe) {
		ret = profile_traces_read(&profile->traces, profile->perfdata, stopped ? progress_rest : progress_traces,
					  profile, damage ? NULL : error);
		profile->facts.is_whole &= !ret;
		if (ret == -EINVAL)
			damage = ret;
		else if (ret < 0)
			return ret;
	}
	if (profile->facts.has_spe) {
		event = (struct gpmu_profile_event *)profile->events.data + profile->traces.event;
		event->samples += profile->traces.samples;
		event->period += profile->traces.samples;
	}
	profile->facts.is_damaged = damage && !stats.is_stopped;
	return stopped || ret == STOPPED ? STOPPED : 0;
}

static void set_facts(struct gpmu_profile *profile)
{
	const struct profile_file *files = profile->code.files.data;
	struct gpmu_perfdata_stats stats = { .size = sizeof(stats) };
	struct gpmu_profile_facts *facts = &profile->facts;

	for (size_t i = 0; i < profile->code.files.n; i++)
		facts->unchecked += files[i].object && !files[i].has_build_id &&
				    profile_object_state(files[i].object) == PROFILE_OBJECT_READ;
	gpmu_perfdata_get_stats(profile->perfdata, &stats);
	facts->skipped = profile->skipped = gpmu_perfdata_skipped(profile->perfdata);
	facts->bytes = stats.bytes;
	facts->lost = stats.lost > stats.lost_samples ? stats.lost : stats.lost_samples;
	facts->spe = profile->traces.stats;
	facts->kernel = profile->code.kernel_lack;
	facts->midr = profile->machine.midr;
	facts->unknown_version = profile->machine.unknown_version;
	facts->no_homes = profile->machine.no_homes;
	facts->memory = profile->traces.memory;
	facts->physical = profile->traces.physical;
	facts->outside = profile->traces.outside;
	facts->repeated = profile->traces.repeated;
	facts->untimed = profile->traces.untimed;
	facts->no_thread = profile->counter.no_thread;
	facts->outside_tasks = profile->counter.outside;
}

/* Connects the parts of a profile. */
static int init(struct gpmu_profile *profile)
{
	profile->code.tasks = &profile->tasks;
	profile->code.jitdumps = &profile->jitdumps;
	profile->unwind.code = &profile->code;
	profile->code.texts = &profile->texts;
	profile->code.wait.waiting = profile->options.waiting;
	profile->code.wait.user = profile->options.user;
	profile->counter.code = &profile->code;
	profile->counter.tasks = &profile->tasks;
	profile->counter.keys = profile->keys;
	profile->traces.counter = &profile->counter;
	profile->traces.machine = &profile->machine;
	profile->traces.code = &profile->code;
	return profile_counter_init(&profile->counter);
}

static int take_options(struct gpmu_profile *profile, const struct gpmu_profile_options *options,
			struct gpmu_error *error)
{
	int ret = sized_options(&profile->options, sizeof(profile->options), options, error);

	if (!ret && profile->options.key_count > GPMU_PROFILE_KEYS_MOST) {
		error_set(error, 0, "expected at most %d keys", GPMU_PROFILE_KEYS_MOST);
		ret = -EINVAL;
	}
	if (ret)
		return ret;
	profile->key_count = profile->options.key_count;
	if (profile->key_count)
		memcpy(profile->keys, profile->options.keys, profile->key_count * sizeof(profile->keys[0]));
	return 0;
}

struct gpmu_profile *gpmu_profile_new(const char *path, const struct gpmu_profile_options *options,
				      struct gpmu_error *error)
{
	struct gpmu_profile *profile = calloc(1, sizeof(*profile));
	struct stat status;
	int ret = profile ? take_options(profile, options, error) : -ENOMEM;

	if (!ret)
		ret = init(profile);
	if (!ret) {
		profile->perfdata = gpmu_perfdata_open(path, error);
		ret = profile->perfdata ? 0 : -errno;
	}
	if (!ret) {
		profile->size = stat(path, &status) || !S_ISREG(status.st_mode) ? 0 : (uint64_t)status.st_size;
		ret = read_all(profile, error);
		profile->facts.is_stopped = ret == STOPPED;
	}
	if (ret == -ENOMEM)
		error_no_memory(error);
	if (ret < 0) {
		gpmu_profile_free(profile);
		errno = -ret;
		return NULL;
	}
	set_facts(profile);
	return profile;
}

void gpmu_profile_free(struct gpmu_profile *profile)
{
	if (!profile)
		return;
	profile_traces_release(&profile->traces);
	profile_unwind_release(&profile->unwind);
	profile_deferred_release(&profile->deferred);
	profile_jitdumps_release(&profile->jitdumps);
	profile_counter_release(&profile->counter);
	profile_code_release(&profile->code);
	profile_tasks_release(&profile->tasks);
	profile_machine_release(&profile->machine);
	strings_release(&profile->texts);
	vector_release(&profile->events);
	vector_release(&profile->counts);
	map_release(&profile->count_numbers);
	gpmu_perfdata_free(profile->perfdata);
	free(profile->skipped);
	free(profile);
}

/* --- what was read */

size_t gpmu_profile_event_count(const struct gpmu_profile *profile)
{
	return profile->events.n;
}

void gpmu_profile_event(const struct gpmu_profile *profile, size_t index, struct gpmu_profile_event *event)
{
	*event = ((const struct gpmu_profile_event *)profile->events.data)[index];
}

const char *gpmu_profile_without_functions(const struct gpmu_profile *profile, size_t index, const char **why)
{
	static const char *const reasons[] = {
		[PROFILE_OBJECT_READ] = NULL, [PROFILE_OBJECT_MISSING] = "no such file here",
		[PROFILE_OBJECT_CHANGED] = "another build id than recorded", [PROFILE_OBJECT_STRIPPED] = "stripped",
	};
	const struct profile_jitdump *dumps = profile->jitdumps.list.data;
	const struct profile_symbols *jits = profile->code.jits.data;
	const struct profile_file *files = profile->code.files.data;

	for (size_t i = 0; i < profile->code.files.n; i++) {
		*why = files[i].object ? reasons[profile_object_state(files[i].object)] : NULL;
		if (*why && !index--)
			return files[i].name;
	}
	for (size_t i = 0; i < profile->jitdumps.list.n; i++) {
		*why = dumps[i].why;
		if (*why && !index--)
			return dumps[i].path;
	}
	for (size_t i = 0; i < profile->code.jits.n; i++) {
		*why = jits[i].why;
		if (*why && !index--)
			return jits[i].path;
	}
	return NULL;
}

int gpmu_profile_get_facts(const struct gpmu_profile *profile, struct gpmu_profile_facts *facts)
{
	size_t size = facts->size;

	if (size < sizeof(size))
		return -EINVAL;
	memcpy(facts, &profile->facts, size < sizeof(*facts) ? size : sizeof(*facts));
	facts->size = size;
	return 0;
}

/* --- tables */

/* Sets the place of each key in the profile's rows. */
static int find_keys(const struct gpmu_profile *profile, const enum gpmu_profile_key *keys, size_t key_count,
		     size_t *places)
{
	for (size_t i = 0; i < key_count; i++) {
		while (places[i] < profile->key_count && profile->keys[places[i]] != keys[i])
			places[i]++;
		if (places[i] == profile->key_count)
			return -EINVAL;
	}
	return 0;
}

/* Adds up the rows that are equal in the keys at @places. */
static int project(const struct gpmu_profile *profile, const size_t *places, size_t key_count, struct profile_rows *to)
{
	const struct profile_row *list = profile->counter.rows.list.data;

	for (size_t i = 0; i < profile->counter.rows.list.n; i++) {
		struct profile_row row = list[i];

		memset(row.keys, 0, sizeof(row.keys));
		for (size_t k = 0; k < key_count; k++)
			row.keys[k] = list[i].keys[places[k]];
		if (profile_rows_add(to, &row))
			return -ENOMEM;
	}
	return 0;
}

static int set_row(const struct gpmu_profile *profile, const struct profile_row *from, const enum gpmu_profile_key *keys,
		   size_t key_count, struct gpmu_profile_table *table)
{
	struct gpmu_profile_row *row = &table->rows[table->count++];

	*row = (struct gpmu_profile_row){
		.event = from->event, .samples = from->samples, .period = from->period, .latency = from->latency,
		.latency_samples = from->latency_samples, .latency_most = from->latency_most,
	};
	for (size_t k = 0; k < key_count; k++) {
		if (!from->keys[k])
			continue;
		row->keys[k] = table->texts[table->text_count] = profile_key_text(&profile->counter, keys[k], from->keys[k]);
		if (!row->keys[k])
			return -ENOMEM;
		table->text_count++;
	}
	return 0;
}

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
	const struct gpmu_profile_row *one = a, *two = b;
	int result = order(one->event, two->event);

	if (!result)
		result = order(two->period, one->period);
	if (!result)
		result = order(two->samples, one->samples);
	for (size_t k = 0; k < GPMU_PROFILE_KEYS_MOST && !result; k++)
		result = strcmp(one->keys[k] ? one->keys[k] : "", two->keys[k] ? two->keys[k] : "");
	return result;
}

int gpmu_profile_table(const struct gpmu_profile *profile, const enum gpmu_profile_key *keys, size_t key_count,
		       struct gpmu_profile_table *table)
{
	size_t places[GPMU_PROFILE_KEYS_MOST] = { 0 };
	struct profile_rows rows = { 0 };
	const struct profile_row *list;
	int ret;

	*table = (struct gpmu_profile_table){ 0 };
	ret = key_count > GPMU_PROFILE_KEYS_MOST ? -EINVAL : find_keys(profile, keys, key_count, places);
	if (!ret)
		ret = project(profile, places, key_count, &rows);
	if (!ret) {
		table->rows = calloc(rows.list.n + 1, sizeof(*table->rows));
		table->texts = calloc(rows.list.n * key_count + 1, sizeof(*table->texts));
		ret = table->rows && table->texts ? 0 : -ENOMEM;
	}
	list = rows.list.data;
	for (size_t i = 0; i < rows.list.n && !ret; i++)
		ret = set_row(profile, &list[i], keys, key_count, table);
	profile_rows_release(&rows);
	if (ret)
		gpmu_profile_table_release(table);
	else if (table->count)
		qsort(table->rows, table->count, sizeof(*table->rows), compare);
	return ret;
}

void gpmu_profile_table_release(struct gpmu_profile_table *table)
{
	for (size_t i = 0; i < table->text_count; i++)
		free(table->texts[i]);
	free(table->texts);
	free(table->rows);
	*table = (struct gpmu_profile_table){ 0 };
}
