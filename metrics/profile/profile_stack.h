/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Call stacks as nodes of a tree: a frame and the node of its caller. Stacks with the same outer frames share nodes. */
#ifndef GPMU_PROFILE_STACK_H
#define GPMU_PROFILE_STACK_H

#include <stdint.h>

#include "base/map.h"
#include "base/strings.h"
#include "base/vector.h"

#define PROFILE_STACK_OBJECT	(1U << 31)	/* in a frame: the function is not known, the text is its object */

/* Zeroed: empty */
struct profile_stacks {
	struct vector nodes;	/* struct node: see profile_stack.c */
	struct map numbers;	/* by caller and frame */
};

/*
 * Sets the number of the node of a frame below @caller, 0 for the outermost frame. @frame: number of a text, plus 1,
 * and PROFILE_STACK_OBJECT. Numbers begin with 1. Returns 0 or -ENOMEM.
 */
int profile_stacks_add(struct profile_stacks *stacks, uint32_t caller, uint32_t frame, uint32_t *number);
/* The frames of a stack, outermost first, joined by semicolons; to be freed. NULL: out of memory */
char *profile_stacks_text(const struct profile_stacks *stacks, const struct strings *texts, uint32_t number);
void profile_stacks_release(struct profile_stacks *stacks);

#endif /* GPMU_PROFILE_STACK_H */
