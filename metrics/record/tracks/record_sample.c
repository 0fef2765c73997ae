// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows samples of Arm SPE as instants on a track "SPE" below their thread. */
#include <errno.h>

#include "base/log.h"
#include "record/tracks/record_map.h"

int record_map_samples_begin(struct record_map *map)
{
	int ret = gpmu_spe_memory_read(&map->memory, map->machine);

	if (!map->memory.count)
		log_line(GPMU_LOG_WARNING, "%s", RECORD_NO_HOMES);
	return ret == -ENOMEM ? ret : 0;
}

/* The track of a sample of no thread, or of a thread without a track */
static int rest_track(struct record_map *map)
{
	if (!map->spe_track)
		map->spe_track = gpmu_trace_track(map->trace, 0, "SPE");
	return map->spe_track;
}

/* Addresses of the kernel have bit 63. */
static int find_function(const struct record_map *map, const struct record_sample *sample, struct gpmu_trace_spe *out)
{
	const struct gpmu_recorder_symbols *symbols = map->symbols;
	const uint64_t pc = gpmu_spe_number(&sample->spe, GPMU_SPE_PC);
	const pid_t pid = pc >> 63 ? 0 : record_map_task_process(map, sample->tid);

	if (!symbols || !gpmu_spe_has(&sample->spe, GPMU_SPE_PC) || (!pid && !(pc >> 63)))
		return 0;
	return symbols->find(symbols->user, pid, pc, out->time, &out->function, &out->object);
}

int record_map_sample(struct record_map *map, uint64_t time, const struct record_sample *sample)
{
	const struct gpmu_spe_record *spe = &sample->spe;
	const struct gpmu_spe_tier tier = gpmu_spe_tier(spe, gpmu_machine_midr(map->machine));
	const struct gpmu_spe_home home = gpmu_spe_home(spe, &map->memory, sample->node);
	char tier_text[GPMU_SPE_LABEL_MAX], home_text[GPMU_SPE_LABEL_MAX], op_text[GPMU_SPE_LABEL_MAX];
	struct gpmu_trace_spe out = { .size = sizeof(out), .time = time, .cpu = sample->cpu, .record = spe };

	out.track = sample->tid > 0 ? record_map_task_samples(map, sample->pid, sample->tid) : 0;
	if (!out.track)
		out.track = rest_track(map);
	if (out.track < 0)
		return out.track;
	if (find_function(map, sample, &out))
		return -ENOMEM;
	if (gpmu_spe_has(spe, GPMU_SPE_OP)) {
		gpmu_spe_op_label(spe->value[GPMU_SPE_OP], op_text, sizeof(op_text));
		out.op = op_text;
	}
	if (tier.kind != GPMU_SPE_TIER_NONE) {
		gpmu_spe_tier_label(&tier, tier_text, sizeof(tier_text));
		out.tier = tier_text;
	}
	if (home.kind != GPMU_SPE_HOME_NONE) {
		gpmu_spe_home_label(&home, home_text, sizeof(home_text));
		out.home = home_text;
	}
	return gpmu_trace_spe(map->trace, &out);
}
