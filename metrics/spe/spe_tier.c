// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Data sources of Neoverse V2, as perf 7.3 has them (util/arm-spe.c). NVIDIA has not published
 * which of them a Grace reports, so each name is shown with its number.
 */
#include <stdbool.h>

#include "base/array.h"
#include "machine/gpmu_midr.h"
#include "spe/gpmu_spe.h"

#define TIER(which, tier_name, what)	\
	[GPMU_SPE_TIER_##which] = { .name = (tier_name), .text = (what) }
#define BOUND(which, tier_name, what)	\
	[GPMU_SPE_TIER_STORE_##which] = { .is_bound = 1, .name = (tier_name), .text = (what) }

static const struct gpmu_spe_tier tiers[GPMU_SPE_TIERS] = {
	TIER(NONE, "none", "neither a load nor a store"),
	TIER(ABSENT, "not recorded", "a load without a data source"),
	TIER(FOREIGN, "not known for this CPU", "a data source of another CPU than Neoverse V2"),
	TIER(UNKNOWN, "unknown", "a data source without a documented name"),
	TIER(L1D, "L1D", "L1 data cache of this core"),
	TIER(L2, "L2", "L2 cache of this core"),
	TIER(PEER_CORE, "peer core", "cache of another core of the cluster"),
	TIER(LOCAL_CLUSTER, "local cluster", "cache of the cluster"),
	TIER(SYSTEM_CACHE, "system cache", "system level cache of this socket"),
	TIER(PEER_CLUSTER, "peer cluster", "cache of a core of another cluster of this socket"),
	TIER(REMOTE, "remote", "cache or memory of another socket or chip"),
	TIER(DRAM, "DRAM", "memory"),
	BOUND(UNKNOWN, "not recorded", "a store without an event of a cache"),
	BOUND(L1D, "L1D", "a store without a refill of the L1 data cache"),
	BOUND(BEYOND_L1D, "beyond L1D", "a store that refilled the L1 data cache"),
	BOUND(LLC, "LLC or nearer", "a store that accessed the last level cache without a miss"),
	BOUND(BEYOND_LLC, "beyond LLC", "a store that missed the last level cache"),
};

/* By data source; 0: it has no documented name */
static const uint8_t sources[] = {
	[0x0] = GPMU_SPE_TIER_L1D,
	[0x8] = GPMU_SPE_TIER_L2,
	[0x9] = GPMU_SPE_TIER_PEER_CORE,
	[0xa] = GPMU_SPE_TIER_LOCAL_CLUSTER,
	[0xb] = GPMU_SPE_TIER_SYSTEM_CACHE,
	[0xc] = GPMU_SPE_TIER_PEER_CLUSTER,
	[0xd] = GPMU_SPE_TIER_REMOTE,
	[0xe] = GPMU_SPE_TIER_DRAM,
};

/* Events of caches, the farthest first */
static const struct {
	unsigned int event;
	enum gpmu_spe_tier_kind kind;
} bounds[] = {
	{ 9, GPMU_SPE_TIER_STORE_BEYOND_LLC },
	{ 8, GPMU_SPE_TIER_STORE_LLC },
	{ 3, GPMU_SPE_TIER_STORE_BEYOND_L1D },
	{ 2, GPMU_SPE_TIER_STORE_L1D },
};

static enum gpmu_spe_tier_kind of_load(const struct gpmu_spe_record *record, uint64_t midr)
{
	const uint64_t source = record->value[GPMU_SPE_SOURCE];

	if (!gpmu_spe_has(record, GPMU_SPE_SOURCE))
		return GPMU_SPE_TIER_ABSENT;
	if (!gpmu_midr_is_neoverse_v2(midr))
		return GPMU_SPE_TIER_FOREIGN;
	return source < ARRAY_SIZE(sources) && sources[source] ? sources[source] : GPMU_SPE_TIER_UNKNOWN;
}

/* An absent events packet has the value 0. */
static enum gpmu_spe_tier_kind of_store(const struct gpmu_spe_record *record)
{
	for (size_t i = 0; i < ARRAY_SIZE(bounds); i++)
		if (record->value[GPMU_SPE_EVENTS] >> bounds[i].event & 1)
			return bounds[i].kind;
	return GPMU_SPE_TIER_STORE_UNKNOWN;
}

struct gpmu_spe_tier gpmu_spe_tier(const struct gpmu_spe_record *record, uint64_t midr)
{
	enum gpmu_spe_tier_kind kind = GPMU_SPE_TIER_NONE;
	struct gpmu_spe_tier tier;

	if (gpmu_spe_is_memory(record))
		kind = gpmu_spe_is_store(record) ? of_store(record) : of_load(record, midr);
	tier = tiers[kind];
	tier.kind = kind;
	tier.number = gpmu_spe_has(record, GPMU_SPE_SOURCE) ? (int64_t)record->value[GPMU_SPE_SOURCE] : -1;
	return tier;
}
