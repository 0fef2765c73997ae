// SPDX-License-Identifier: LGPL-2.1-or-later
/* Shows samples of Arm SPE as instants on a track "SPE" below their thread. */
#include <errno.h>

#include "record/tracks/record_map.h"

int record_map_samples_begin(struct record_map *map)
{
	int ret = gpmu_spe_memory_read(&map->memory, map->machine);

	/* Without it homes are shown as outside of all nodes. */
	return ret == -ENOMEM ? ret : 0;
}

/* The track of a sample of no thread, or of a thread without a track */
static int rest_track(struct record_map *map)
{
	if (!map->spe_track)
		map->spe_track = gpmu_trace_track(map->trace, 0, "SPE");
	return map->spe_track;
}

static void arg_address(struct record_args *args, const char *name, uint64_t address)
{
	args->list[args->count++] = (struct gpmu_trace_arg){ .name = name, .kind = GPMU_TRACE_ADDRESS,
							 .integer = (int64_t)address };
}

static void add_addresses(struct record_args *args, const struct gpmu_spe_record *spe)
{
	static const struct {
		enum gpmu_spe_field field;
		const char *name;
	} addresses[] = {
		{ GPMU_SPE_PC, "pc" }, { GPMU_SPE_TARGET, "target" }, { GPMU_SPE_VA, "va" }, { GPMU_SPE_PA, "pa" },
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		const uint64_t payload = spe->value[addresses[i].field];

		if (gpmu_spe_has(spe, addresses[i].field))
			arg_address(args, addresses[i].name, addresses[i].field == GPMU_SPE_PA ?
				    gpmu_spe_physical(payload) : gpmu_spe_address(payload));
	}
	if (gpmu_spe_has(spe, GPMU_SPE_EVENTS))
		arg_address(args, "events", spe->value[GPMU_SPE_EVENTS]);
}

static void add_counters(struct record_args *args, const struct gpmu_spe_record *spe)
{
	static const struct {
		enum gpmu_spe_field field;
		const char *name;
	} counters[] = {
		{ GPMU_SPE_TOTAL, "latency" }, { GPMU_SPE_ISSUE, "issue" }, { GPMU_SPE_TRANSLATION, "translation" },
	};

	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		if (gpmu_spe_has(spe, counters[i].field))
			record_arg(args, counters[i].name, (int64_t)spe->value[counters[i].field]);
}

int record_map_sample(struct record_map *map, uint64_t time, const struct record_sample *of)
{
	const struct gpmu_spe_record *spe = &of->spe;
	const struct gpmu_spe_tier tier = gpmu_spe_tier(spe, gpmu_machine_midr(map->machine));
	const struct gpmu_spe_home home = gpmu_spe_home(spe, &map->memory, of->node);
	char tier_text[GPMU_SPE_LABEL_MOST], home_text[GPMU_SPE_LABEL_MOST], op_text[GPMU_SPE_LABEL_MOST];
	struct gpmu_trace_event event = { .size = sizeof(event), .time = time, .category = "spe", .name = "?" };
	struct record_args args = { .count = 0 };

	event.track = of->tid > 0 ? record_map_task_samples(map, of->pid, of->tid) : 0;
	if (!event.track)
		event.track = rest_track(map);
	if (event.track < 0)
		return event.track;
	record_arg(&args, "cpu", of->cpu);
	if (gpmu_spe_has(spe, GPMU_SPE_OP)) {
		gpmu_spe_op_label(spe->value[GPMU_SPE_OP], op_text, sizeof(op_text));
		record_arg_name(&args, "op", op_text);
		event.name = op_text;
	}
	if (tier.kind != GPMU_SPE_TIER_NONE) {
		gpmu_spe_tier_label(&tier, tier_text, sizeof(tier_text));
		record_arg_name(&args, "tier", tier_text);
		event.name = tier_text;
	}
	if (home.kind != GPMU_SPE_HOME_NONE) {
		gpmu_spe_home_label(&home, home_text, sizeof(home_text));
		record_arg_name(&args, "home", home_text);
	}
	add_counters(&args, spe);
	add_addresses(&args, spe);
	event.args = args.list;
	event.arg_count = args.count;
	return gpmu_trace_instant(map->trace, &event);
}
