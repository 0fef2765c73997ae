// SPDX-License-Identifier: LGPL-2.1-or-later
/* The NVTX ranges that were open when an action was launched. */
#include <errno.h>

#include "ncurep/ncurep.h"

static const char *domain_name(const NcuPb__NvtxState *state, uint64_t id)
{
	if (state->has_default_domain && state->default_domain == id)
		return "";
	for (size_t i = 0; i < state->n_domains; i++)
		if (state->domains[i]->id == id && state->domains[i]->name)
			return state->domains[i]->name;
	return "";
}

static int add(struct ncurep_action *action, struct gpmu_ncu_nvtx range, const char *name,
	       const NcuPb__NvtxAttributes *attributes)
{
	range.size = sizeof(range);
	range.name = name ? name : "";
	if (attributes)
		range.category = attributes->category;
	if (attributes && attributes->color)
		range.color = attributes->color->value;
	return vector_push(&action->nvtx, &range);
}

static int add_stack(struct ncurep_action *action, const NcuPb__NvtxThread *thread, const NcuPb__NvtxPushPop *domain)
{
	struct gpmu_ncu_nvtx range = {
		.domain = domain_name(action->state, domain->domain), .pushed = 1, .thread = thread->tid,
	};

	for (size_t i = 0; i < domain->n_stack; i++) {
		range.depth = (unsigned int)i;
		if (add(action, range, domain->stack[i]->name, domain->stack[i]->attributes))
			return -ENOMEM;
	}
	return 0;
}

static int add_started(struct ncurep_action *action, const NcuPb__NvtxStartEnd *domain)
{
	struct gpmu_ncu_nvtx range = { .domain = domain_name(action->state, domain->domain) };

	for (size_t i = 0; i < domain->n_ranges; i++) {
		range.thread = domain->ranges[i]->tid;
		if (add(action, range, domain->ranges[i]->name, domain->ranges[i]->attributes))
			return -ENOMEM;
	}
	return 0;
}

int ncurep_make_nvtx(struct ncurep_action *action)
{
	const NcuPb__NvtxState *state = action->state;

	for (size_t i = 0; state && i < state->n_threads; i++)
		for (size_t k = 0; k < state->threads[i]->n_domains; k++)
			if (add_stack(action, state->threads[i], state->threads[i]->domains[k]))
				return -ENOMEM;
	for (size_t i = 0; state && i < state->n_started; i++)
		if (add_started(action, state->started[i]))
			return -ENOMEM;
	return 0;
}

const struct gpmu_ncu_nvtx *gpmu_ncu_action_nvtx(const struct gpmu_ncu_action *info, size_t index)
{
	const struct ncurep_action *action = (const struct ncurep_action *)info;

	return index < action->nvtx.n ? &action->nvtx.list[index] : NULL;
}
