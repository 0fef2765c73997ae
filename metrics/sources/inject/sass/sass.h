/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SASS metrics of the process: exact counts, by instructions that CUPTI adds to the kernels. A function is changed at its first
 * launch. That requires a subscriber to all callbacks about resources before a module loads, and a context that is enabled in
 * the callback of its creation; otherwise CUPTI counts one function, and returns success. A lock serialises the calls to CUPTI.
 */
#ifndef GPMU_SASS_H
#define GPMU_SASS_H

#include "inject.h"
#include "sass/sass_api.h"

/* --- sass.c */
/* Returns whether SASS metrics are requested. */
bool sass_is_wanted(const struct inject *self);
/* Loads the API and asks for callbacks. To be called before a context exists */
void sass_begin(struct inject *self);
/* Takes a callback of the domain of resources. */
void sass_callback(struct inject *self, uint32_t cbid, const CUpti_ResourceData *data);
/* A call of a driver's function has launched a kernel outside of graphs, or a graph. */
void sass_launch(struct inject *self, uint32_t cbid, const CUpti_CallbackData *call);
/* The process ends: waits for its kernels, and writes all values. May be called again. */
void sass_end(struct inject *self);

/* --- sass_context.c */

/* SASS_NEW --begin--> SASS_ENABLED --flush--> SASS_ENABLED --end--> SASS_ENDED. A call that fails leads to SASS_ENDED. */
enum sass_state { SASS_NEW, SASS_ENABLED, SASS_ENDED };

struct sass_context {
	enum sass_state state;
	void *handle;
	const uint64_t *ids;	/* CUPTI's, of the metrics on this device */
};

/*
 * Configures a device, which CUPTI allows once in a process. Returns CUPTI's ids of the metrics, in the order of the request;
 * NULL after a note.
 */
uint64_t *sass_configure(struct inject *self, const struct sass_api *api, uint32_t device);
bool sass_context_begin(struct inject *self, const struct sass_api *api, struct sass_context *context);
/* Adds the counts since the last flush to the functions. */
void sass_context_flush(struct inject *self, const struct sass_api *api, struct sass_context *context);
/* Waits for the context's kernels, flushes, and ends counting. Returns the records that CUPTI has lost. */
size_t sass_context_end(struct inject *self, const struct sass_api *api, struct sass_context *context);

/* --- sass_parts.c */

#define SASS_PART	512	/* bytes of the text of a part */

/* Keeps the image of a module if source lines are requested. */
void sass_parts_module(struct inject *self, const struct sass_api *api, const CUpti_ModuleResourceData *module);
/* Prints the part that the record's instruction belongs to; "": none */
void sass_parts_instruction(struct inject *self, const struct sass_api *api, const CUpti_SassMetrics_Data *record, char *text,
			    size_t size);

/* --- sass_functions.c: sums by function, with the lock held */

/* Warps and threads of a launch, or of several */
struct sass_shape {
	uint64_t warps, threads;
	bool is_unknown;	/* for at least one launch */
};

/* Value of a metric of an instruction */
struct sass_value {
	const char *function, *part;	/* part: part of the function, with a sum of its own; "": none */
	bool is_entry;	/* first instruction of the function */
	size_t metric;
	double value;
};

void sass_functions_add(const struct inject *self, const struct sass_value *value);
/* Counts a launch. @is_foreign: in a context that is not counted */
void sass_functions_launch(const struct inject *self, const char *name, const struct sass_shape *shape, bool is_foreign);
/* A graph was launched: its kernels are counted, too. */
void sass_functions_graph(void);
/* Writes all functions, and the numbers of launches with and without counts. @partial: contexts that have lost records */
void sass_functions_write(struct inject *self, uint64_t partial);
/* Writes the number of launches after that, as after an exec that has failed. */
void sass_functions_write_late(struct inject *self, uint64_t launches);

#endif /* GPMU_SASS_H */
