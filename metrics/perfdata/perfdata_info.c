// SPDX-License-Identifier: LGPL-2.1-or-later
/* Layouts: Linux's tools/perf/Documentation/perf.data-file-format.txt */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/vector.h"
#include "perfdata/perfdata.h"

#define MISC_BUILD_ID_SIZE	(1U << 15)	/* the build id has its size */
#define ALL_BUILD_ID		20
#define MEMORY_VERSION		1

/* Copies a text that follows its length; the length includes the NUL and padding. */
static int take_text(struct cursor *cursor, char **text)
{
	uint32_t size = cursor_u32(cursor);
	const char *from = cursor_bytes(cursor, size);

	if (!from)
		return -EINVAL;
	if (*text)
		return 0;
	*text = strndup(from, size);
	return *text ? 0 : -ENOMEM;
}

static int take_cpus(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	cursor_u32(cursor);		/* CPUs that are available */
	info->cpus_online = cursor_u32(cursor);
	return 0;
}

static int take_args(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	int ret = 0;

	if (info->args)
		return 0;
	for (uint32_t i = 0; i < count && !ret; i++) {
		char **arg = vector_append(info->args, info->arg_count);

		ret = arg ? take_text(cursor, arg) : -ENOMEM;
		info->arg_count -= arg && ret;
	}
	return ret;
}

static int take_nodes(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	int ret = 0;

	if (info->nodes)
		return 0;
	for (uint32_t i = 0; i < count && !ret; i++) {
		struct gpmu_perfdata_node *node = vector_append(info->nodes, info->node_count);

		if (!node)
			return -ENOMEM;
		node->node = cursor_u32(cursor);
		cursor_u64(cursor);	/* KiB in total, and free ones */
		cursor_u64(cursor);
		ret = take_text(cursor, &node->cpus);
	}
	return ret;
}

static int take_memory(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint64_t version = cursor_u64(cursor), block = cursor_u64(cursor), count = cursor_u64(cursor);

	info->memory_version = version;
	if (info->memory || version != MEMORY_VERSION)
		return 0;
	info->block_bytes = block;
	for (uint64_t i = 0; i < count; i++) {
		struct gpmu_perfdata_memory *memory = vector_append(info->memory, info->memory_count);
		uint64_t bits, words;
		const void *from;

		if (!memory)
			return -ENOMEM;
		memory->node = cursor_u64(cursor);
		cursor_u64(cursor);		/* the number of bits, which follows again */
		bits = cursor_u64(cursor);
		words = bits / 64 + (bits % 64 != 0);
		from = cursor_array(cursor, words, sizeof(uint64_t));
		if (!from)
			return -EINVAL;
		memory->words = malloc(words ? (size_t)words * sizeof(uint64_t) : 1);
		if (!memory->words)
			return -ENOMEM;
		memory->bits = bits;
		memcpy(memory->words, from, (size_t)words * sizeof(uint64_t));
	}
	return 0;
}

static int take_pmus(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	int ret = 0;

	if (info->pmus)
		return 0;
	for (uint32_t i = 0; i < count && !ret; i++) {
		struct gpmu_perfdata_pmu *pmu = vector_append(info->pmus, info->pmu_count);

		if (!pmu)
			return -ENOMEM;
		pmu->type = cursor_u32(cursor);
		ret = take_text(cursor, &pmu->name);
		info->pmu_count -= ret != 0;
	}
	return ret;
}

/* Adds the capabilities of one PMU. The PMU's name follows them. */
static int take_caps_of(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++) {
		struct gpmu_perfdata_cap *cap = vector_append(info->caps, info->cap_count);

		if (!cap)
			return -ENOMEM;
		ret = take_text(cursor, &cap->name);
		if (!ret)
			ret = take_text(cursor, &cap->value);
	}
	cursor_bytes(cursor, cursor_u32(cursor));
	return ret;
}

static int take_caps(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	uint32_t count = cursor_u32(cursor);
	int ret = 0;

	for (uint32_t i = 0; i < count && !ret; i++)
		ret = take_caps_of(info, cursor);
	return ret;
}

static void drop_nodes(struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; i < info->node_count; i++)
		free(info->nodes[i].cpus);
	free(info->nodes);
	info->nodes = NULL;
	info->node_count = 0;
}

static void drop_memory(struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; i < info->memory_count; i++)
		free(info->memory[i].words);
	free(info->memory);
	info->memory = NULL;
	info->memory_count = 0;
}

static int take_stat(struct gpmu_perfdata_info *info, struct cursor *cursor)
{
	(void)cursor;
	info->is_stat = true;
	return 0;
}

#define TEXT(member)	.text = offsetof(struct gpmu_perfdata_info, member), .is_text = true

/* Other features are skipped. */
static const struct {
	unsigned int feature;
	bool is_text;
	size_t text;
	int (*take)(struct gpmu_perfdata_info *info, struct cursor *cursor);
	void (*drop)(struct gpmu_perfdata_info *info);	/* after an error, if a part of the feature would be misleading */
} features[] = {
	{ .feature = 3, TEXT(hostname) },
	{ .feature = 4, TEXT(osrelease) },
	{ .feature = 5, TEXT(version) },
	{ .feature = 6, TEXT(arch) },
	{ .feature = 7, .take = take_cpus },
	{ .feature = 8, TEXT(cpudesc) },
	{ .feature = 9, TEXT(cpuid) },
	{ .feature = 11, .take = take_args },
	{ .feature = 14, .take = take_nodes, .drop = drop_nodes },
	{ .feature = FEATURE_PMU_MAPPINGS, .take = take_pmus },
	{ .feature = FEATURE_STAT, .take = take_stat },
	{ .feature = 22, .take = take_memory, .drop = drop_memory },
	{ .feature = 31, .take = take_caps },
};

int perfdata_info_add(struct gpmu_perfdata_info *info, unsigned int feature, const void *data, size_t size)
{
	struct cursor cursor = { .data = data, .left = size };
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(features); i++) {
		if (features[i].feature != feature)
			continue;
		ret = features[i].is_text ? take_text(&cursor, (char **)((char *)info + features[i].text)) :
					    features[i].take(info, &cursor);
		if (!ret && cursor.has_failed)
			ret = -EINVAL;
		if (ret && features[i].drop)
			features[i].drop(info);
		return ret;
	}
	return 0;
}

int perfdata_info_add_build_id(struct gpmu_perfdata_info *info, uint16_t misc, const void *data, size_t size)
{
	struct cursor cursor = { .data = data, .left = size };
	struct gpmu_perfdata_build_id *added, build_id = { 0 };
	const uint8_t *id;
	const char *file;

	cursor_u32(&cursor);		/* pid of the guest's kernel, or -1 */
	id = cursor_bytes(&cursor, ALL_BUILD_ID);
	build_id.size = cursor_u32(&cursor) & 0xff;
	file = cursor_text(&cursor, cursor.left);
	if (!id || !file)
		return -EINVAL;
	if (!(misc & MISC_BUILD_ID_SIZE))
		build_id.size = ALL_BUILD_ID;
	if (build_id.size > ALL_BUILD_ID)
		return -EINVAL;
	memcpy(build_id.id, id, build_id.size);
	added = vector_append(info->build_ids, info->build_id_count);
	if (!added)
		return -ENOMEM;
	*added = build_id;
	added->file = strdup(file);
	return added->file ? 0 : -ENOMEM;
}

void perfdata_info_release(struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; i < ARRAY_SIZE(features); i++)
		if (features[i].is_text)
			free(*(char **)((char *)info + features[i].text));
	for (size_t i = 0; i < info->arg_count; i++)
		free(info->args[i]);
	drop_nodes(info);
	drop_memory(info);
	for (size_t i = 0; i < info->pmu_count; i++)
		free(info->pmus[i].name);
	for (size_t i = 0; i < info->cap_count; i++) {
		free(info->caps[i].name);
		free(info->caps[i].value);
	}
	for (size_t i = 0; i < info->build_id_count; i++)
		free(info->build_ids[i].file);
	free(info->args);
	free(info->pmus);
	free(info->caps);
	free(info->build_ids);
	*info = (struct gpmu_perfdata_info){ 0 };
}
