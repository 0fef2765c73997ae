// SPDX-License-Identifier: LGPL-2.1-or-later
/* Headers: Linux's tools/perf/Documentation/perf.data-file-format.txt */
#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "perfdata/perfdata.h"

#define MAGIC		0x32454c4946524550ULL	/* "PERFILE2", little-endian */
#define MAGIC_SWAPPED	0x50455246494c4532ULL
#define PIPE_SIZE	16			/* magic and size */
#define HEADER_SIZE	104
#define SECTION_MAX	(256ULL << 20)		/* bytes of attrs, or of one feature */
#define IDS_SIZE	16			/* bytes of the section of ids after an attr */

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, event_types;
	uint64_t features[4];
};

/* Reads a section, which the caller frees. Returns 0 or -errno. */
static int read_section(struct gpmu_perfdata *perfdata, const struct section *section, const char *what, uint8_t **data)
{
	struct perfdata_file *file = &perfdata->files[0];
	int ret;

	*data = NULL;
	if (section->size > SECTION_MAX || section->offset > file->size || section->size > file->size - section->offset)
		return perfdata_fail(perfdata, -EINVAL, section->offset < file->size ? section->offset : file->size,
				     "expected %llu bytes of %s, the file has %llu bytes",
				     (unsigned long long)section->size, what, (unsigned long long)file->size);
	*data = malloc(section->size ? (size_t)section->size : 1);
	ret = *data ? perfdata_file_read(file, section->offset, *data, (size_t)section->size) : -ENOMEM;
	if (!ret)
		return 0;
	free(*data);
	*data = NULL;
	return perfdata_expected(perfdata, ret, section->offset, what);
}

static int read_ids(struct gpmu_perfdata *perfdata, const struct section *section)
{
	uint8_t *ids;
	int ret = read_section(perfdata, section, "ids of an event", &ids);

	if (ret)
		return ret;
	ret = perfdata_events_add_ids(&perfdata->events, ids, (size_t)section->size / sizeof(uint64_t));
	free(ids);
	return ret ? perfdata_expected(perfdata, ret, section->offset, "ids of an event") : 0;
}

static int read_attrs(struct gpmu_perfdata *perfdata, const struct header *header)
{
	struct section ids;
	uint8_t *attrs;
	size_t entry = (size_t)header->attr_size;
	int ret;

	if (header->attr_size < PERF_ATTR_SIZE_VER0 + IDS_SIZE || header->attr_size > PERFDATA_RECORD_MAX)
		return perfdata_fail(perfdata, -EINVAL, 16, "expected the size of an attr, not %llu",
				     (unsigned long long)header->attr_size);
	ret = read_section(perfdata, &header->attrs, "attrs", &attrs);
	for (size_t offset = 0; !ret && entry <= header->attrs.size - offset; offset += entry) {
		ret = perfdata_events_add(&perfdata->events, attrs + offset, entry - IDS_SIZE);
		if (ret)
			perfdata_expected(perfdata, ret, header->attrs.offset + offset, "an attr");
		memcpy(&ids, attrs + offset + entry - IDS_SIZE, IDS_SIZE);
		if (!ret)
			ret = read_ids(perfdata, &ids);
	}
	free(attrs);
	return ret;
}

/* Build ids are records. */
static int add_build_ids(struct gpmu_perfdata *perfdata, const uint8_t *data, size_t size)
{
	struct perf_event_header record;

	for (size_t offset = 0; size - offset >= sizeof(record); offset += record.size) {
		int ret;

		memcpy(&record, data + offset, sizeof(record));
		if (record.size < sizeof(record) || record.size > size - offset)
			return -EINVAL;
		ret = perfdata_info_add_build_id(&perfdata->info, record.misc, data + offset + sizeof(record),
						 record.size - sizeof(record));
		if (ret)
			return ret;
	}
	return 0;
}

/* Names a feature of Linux's perf.data-file-format.txt that is read. */
static const char *name_of(unsigned int feature)
{
	static const char *const names[] = {
		[FEATURE_TRACING_DATA] = "the formats of tracepoints", [FEATURE_BUILD_ID] = "the build ids", [3] = "the host's name",
		[4] = "the kernel's release", [5] = "perf's version", [6] = "the architecture", [7] = "the number of CPUs",
		[8] = "the CPU's name", [9] = "the CPU's identification", [11] = "the command line",
		[FEATURE_EVENT_DESC] = "the names of events", [14] = "the NUMA topology", [FEATURE_PMU_MAPPINGS] = "the types of PMUs",
		[22] = "the memory blocks of nodes", [31] = "the capabilities of PMUs",
	};

	return feature < ARRAY_SIZE(names) && names[feature] ? names[feature] : "a feature";
}

/* Reads a feature, whose offset and size are at @offset. Returns 0 or -errno. */
static int read_feature(struct gpmu_perfdata *perfdata, unsigned int feature, uint64_t offset)
{
	struct section section;
	struct cursor cursor;
	uint8_t *data;
	int ret = perfdata_file_read(&perfdata->files[0], offset, &section, sizeof(section));

	if (ret)
		return perfdata_expected(perfdata, ret, offset, "the offset and size of a feature");
	/* perf leaves a section empty if the machine does not tell the fact. The section of STAT is always empty. */
	if (!section.size && feature != FEATURE_STAT)
		return 0;
	ret = read_section(perfdata, &section, name_of(feature), &data);
	if (ret)
		return ret;
	cursor = (struct cursor){ .data = data, .left = (size_t)section.size };
	if (feature == FEATURE_TRACING_DATA)
		ret = perfdata_take_tracing(perfdata, data, cursor.left, section.offset);
	else if (feature == FEATURE_BUILD_ID)
		ret = add_build_ids(perfdata, data, cursor.left);
	else if (feature == FEATURE_EVENT_DESC)
		ret = perfdata_events_describe(&perfdata->events, &cursor);
	else
		ret = perfdata_info_add(&perfdata->info, feature, data, cursor.left);
	if (!ret && feature == FEATURE_PMU_MAPPINGS)
		ret = perfdata_events_set_pmus(&perfdata->events, &perfdata->info);
	free(data);
	if (!ret)
		return 0;
	return perfdata_fail(perfdata, ret, section.offset, "expected %s (feature %u) in %llu bytes", name_of(feature),
			     feature, (unsigned long long)section.size);
}

static int read_features(struct gpmu_perfdata *perfdata, const struct header *header)
{
	uint64_t offset = header->data.offset + header->data.size;
	struct gpmu_error before;

	/* The size and the features are written last. */
	if (!header->data.size)
		return perfdata_fail(perfdata, -EINVAL, 48,
				     "expected the size of the records, not 0: perf was killed or is still "
				     "recording, so names of events, build ids and the machine are missing");
	if (offset > perfdata->files[0].size)
		return 0;		/* the file is cut off */
	for (unsigned int feature = 0; feature < FEATURE_COUNT; feature++) {
		int ret;

		if (!(header->features[feature / 64] >> feature % 64 & 1))
			continue;
		before = perfdata->error;
		ret = read_feature(perfdata, feature, offset);
		if (ret == -EINVAL)
			perfdata_note_damage(perfdata, &before);
		else if (ret)
			return ret;
		offset += sizeof(struct section);
	}
	return 0;
}

/* Reads the first header. Returns 0 or -errno. */
static int read_first(struct gpmu_perfdata *perfdata)
{
	struct perfdata_file *file = &perfdata->files[0];
	struct header header = { 0 };
	ssize_t n = perfdata_file_fill(file, HEADER_SIZE);
	int ret;

	if (n < 0 || file->is_stopped)
		return perfdata_expected(perfdata, n < 0 ? (int)n : -EINTR, 0, "a header");
	if (!n)
		return perfdata_fail(perfdata, -EINVAL, 0, "empty: perf wrote nothing, or is still recording");
	memcpy(&header, file->data, (size_t)n);
	if (n >= 8 && header.magic == MAGIC_SWAPPED)
		return perfdata_fail(perfdata, -EINVAL, 0, "recorded on a big-endian machine, which is not supported");
	if (n < PIPE_SIZE || header.magic != MAGIC)
		return perfdata_fail(perfdata, -EINVAL, 0,
				     "expected PERFILE2: not a recording of perf, or one of another version");
	perfdata->begins[0] = PIPE_SIZE;
	perfdata->ends[0] = UINT64_MAX;
	/* The attrs and features of a pipe are records. */
	if (header.size == PIPE_SIZE)
		return 0;
	if (n < HEADER_SIZE && header.size == HEADER_SIZE)
		return perfdata_expected(perfdata, -ENODATA, (uint64_t)n, "a header of 104 bytes");
	if (header.size != HEADER_SIZE)
		return perfdata_fail(perfdata, -EINVAL, 8, "expected a header of 104 or 16 bytes, not %llu",
				     (unsigned long long)header.size);
	if (file->pipe >= 0)
		return perfdata_fail(perfdata, -EINVAL, 8,
				     "a recording to a file cannot be read from a pipe: name the file");
	if (header.data.offset > file->size)
		return perfdata_fail(perfdata, -EINVAL, 40,
				     "expected the offset of records, not %llu, the file has %llu bytes",
				     (unsigned long long)header.data.offset, (unsigned long long)file->size);
	perfdata->begins[0] = header.data.offset;
	if (header.data.size && header.data.offset + header.data.size >= header.data.offset)
		perfdata->ends[0] = header.data.offset + header.data.size;
	ret = read_attrs(perfdata, &header);
	if (ret)
		return ret;
	/* Damage after the records is reported once they have been read. */
	ret = read_features(perfdata, &header);
	if (ret != -EINVAL)
		return ret;
	perfdata->failed_features = ret;
	perfdata->failed = 0;
	return 0;
}

/* Names the tracepoints' events that the file does not name. */
static int name_tracepoints(struct gpmu_perfdata *perfdata)
{
	for (size_t i = 0; i < perfdata->events.n; i++) {
		const struct gpmu_perfdata_tracepoint *tracepoint =
			gpmu_perfdata_tracepoint(perfdata, gpmu_perfdata_event(perfdata, i));
		int ret = tracepoint ? perfdata_events_name(&perfdata->events, i, tracepoint->name) : 0;

		if (ret)
			return ret;
	}
	return 0;
}

int perfdata_take_tracing(struct gpmu_perfdata *perfdata, const void *data, size_t size, uint64_t offset)
{
	const struct gpmu_error before = perfdata->error;
	size_t error_offset;
	int ret;

	perfdata_tracing_release(&perfdata->tracing);
	perfdata->tracing = (struct perfdata_tracing){ 0 };
	ret = perfdata_tracing_parse(&perfdata->tracing, data, size, &error_offset);
	if (ret == -EINVAL) {
		perfdata_fail(perfdata, ret, offset + error_offset, "expected formats of tracepoints");
		perfdata_note_damage(perfdata, &before);
	}
	return ret == -ENOMEM ? ret : name_tracepoints(perfdata);
}

int perfdata_read_header(struct gpmu_perfdata *perfdata)
{
	int ret = read_first(perfdata);

	/* Other files of a folder have records only. */
	for (size_t i = 1; i < perfdata->file_count; i++) {
		perfdata->begins[i] = 0;
		perfdata->ends[i] = UINT64_MAX;
	}
	return ret;
}
