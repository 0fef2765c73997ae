// SPDX-License-Identifier: LGPL-2.1-or-later
/* The code of a kernel: in its result, or in a source of the same reference. */
#include "ncurep/ncurep.h"

static bool has_code(const NcuPb__Source *source)
{
	return source && (source->code || source->has_intermediate || source->has_binary || source->files);
}

void ncurep_make_source(const struct gpmu_ncu_report *report, struct ncurep_action *action)
{
	const NcuPb__Source *source = action->code;
	struct gpmu_ncu_source *info = &action->source.info;

	if (source && !has_code(source))
		source = map_object(&report->codes, source->reference);
	action->has_source = has_code(source);
	if (!action->has_source)
		return;
	*info = (struct gpmu_ncu_source){ .size = sizeof(*info), .code = source->code, .sm_version = source->sm_version };
	if (source->has_intermediate) {
		info->intermediate = source->intermediate.data;
		info->intermediate_size = source->intermediate.len;
	}
	if (source->has_binary) {
		info->binary = source->binary.data;
		info->binary_size = source->binary.len;
	}
	action->source.files = source->files;
}

const struct gpmu_ncu_source *gpmu_ncu_action_source(const struct gpmu_ncu_action *info)
{
	const struct ncurep_action *action = (const struct ncurep_action *)info;

	return action->has_source ? &action->source.info : NULL;
}

const char *gpmu_ncu_source_file(const struct gpmu_ncu_source *info, size_t index, const char **content)
{
	const NcuPb__SourceFiles *files = ((const struct ncurep_source *)info)->files;
	const NcuPb__SourceFile *file = files && index < files->n_files ? files->files[index] : NULL;

	*content = file ? file->content : NULL;
	return !file ? NULL : file->name ? file->name : "";
}
