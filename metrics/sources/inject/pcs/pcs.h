/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * PC sampling of the process. Sampling of a context begins in the callback that reports its creation: functions of
 * modules that are loaded earlier have samples without an instruction, and CUPTI reports no error. These calls to
 * CUPTI, and those that fetch samples before a module or context ends, are therefore made in threads of the program. A
 * lock serialises them with those of gpmu's thread. A callback waits a bounded time for it, as CUPTI may hold a lock of
 * its own around the callback.
 */
#ifndef GPMU_PCS_H
#define GPMU_PCS_H

#include "inject.h"
#include "pcs/pcs_api.h"

/* --- pcs.c */
/* Loads the API and asks for callbacks, if PC sampling is requested. To be called before a context exists */
void pcs_begin(struct inject *self);
/* Takes a callback of the domain of resources. */
void pcs_callback(struct inject *self, uint32_t cbid, const CUpti_ResourceData *data);
/* Called by gpmu's thread: fetches samples if it is time to, and writes them */
void pcs_poll(struct inject *self);
/* Called by gpmu's thread before the process or its program ends: ends sampling and writes all samples */
void pcs_end(struct inject *self);

/* --- pcs_context.c */

/*
 * PCS_NEW --begin--> PCS_SAMPLING --fetch--> PCS_SAMPLING --end--> PCS_ENDED
 * A call that fails leads to PCS_ENDED, in which no further call is made: wrong orders of calls crash in CUPTI.
 */
enum pcs_state { PCS_NEW, PCS_SAMPLING, PCS_ENDED };

#define PCS_REASONS	64	/* stall reasons without their variants; later ones are omitted */
#define PCS_INDICES	256	/* limit of CUPTI's indices of stall reasons */

struct pcs_context {
	enum pcs_state state;
	void *handle;
	uint32_t id, device;
	/* Stall reasons: names, and by CUPTI's index the number of the name + 1 and the variant */
	char reasons[PCS_REASONS][64];
	uint32_t reason_count;
	struct { uint8_t reason; bool is_not_issued; } variants[PCS_INDICES];
	uint32_t indices[PCS_INDICES];	/* CUPTI's, of the reasons that are requested */
	size_t index_count;
	CUpti_PCSamplingData fetched;
	CUpti_PCSamplingData rest;	/* CUPTI writes what was not fetched to it when sampling ends */
	uint64_t since;			/* the samples until then have been fetched */
	struct activity_pc_total total;	/* not yet written */
	bool has_total;
};

/* Enables sampling. Returns whether it is enabled; otherwise a note has the reason. */
bool pcs_context_begin(struct inject *self, const struct pcs_api *api, struct pcs_context *context, void *handle);
/* Fetches samples up to now. */
void pcs_context_fetch(struct inject *self, const struct pcs_api *api, struct pcs_context *context);
/* Fetches the last samples and ends sampling. */
void pcs_context_end(struct inject *self, const struct pcs_api *api, struct pcs_context *context);

/* --- pcs_rows.c: used with the lock held */

struct pcs_row {
	struct activity_pc pc;		/* without numbers of names */
	const char *function, *stall;	/* never freed */
};

/*
 * Queues the samples of an instruction that have a reason. Without memory the row is lost: the numbers of samples show
 * it.
 */
void pcs_rows_add(const struct pcs_row *row);
/* Takes all rows; the caller frees the list. */
struct pcs_row *pcs_rows_take(size_t *count);

/* --- pcs_cubins.c */
/* Keeps a copy of a module's image, in a callback. */
void pcs_cubins_add(struct inject *self, uint64_t crc, const void *image, size_t size);
/* Returns the copy of an image that was not yet written, which stays; NULL: there is none. */
const void *pcs_cubins_find(uint64_t crc, size_t *size);
/* Writes the image, if there is one that was not yet written. Called by gpmu's thread */
void pcs_cubins_write(struct inject *self, uint64_t crc);

#endif /* GPMU_PCS_H */
