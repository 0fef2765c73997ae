/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A report of Nsight Compute. ncurep_file.c splits the file into messages. The other files make actions, metrics, NVTX
 * ranges and code of them. The messages are kept, because texts and values point into them.
 */
#ifndef GPMU_NCUREP_H
#define GPMU_NCUREP_H

#include <stdbool.h>

#include "base/map.h"
#include "base/vector.h"
#include "gpmu.h"
#include "ncurep.pb-c.h"

#define NCUREP_VERSION	7

struct ncurep_metric {
	struct gpmu_ncu_metric info;
	const NcuPb__Metric *message;
};

struct ncurep_source {
	struct gpmu_ncu_source info;
	const NcuPb__SourceFiles *files;	/* or NULL */
};

struct ncurep_action {
	struct gpmu_ncu_action info;
	ProtobufCMessage *message;
	NcuPb__Metric **found;		/* metrics of the message */
	size_t found_count;
	const NcuPb__NvtxState *state;	/* or NULL */
	const NcuPb__Source *code;	/* or NULL */
	VECTOR(struct ncurep_metric) metrics;
	const struct ncurep_metric **by_name;
	VECTOR(struct gpmu_ncu_nvtx) nvtx;
	struct ncurep_source source;
	bool has_source;
};

struct ncurep_range {
	struct gpmu_ncu_range info;
	VECTOR(struct ncurep_action *) actions;	/* borrowed */
};

struct gpmu_ncu_report {
	struct gpmu_ncu_info info;
	char *path, *why;
	VECTOR(NcuPb__BlockHeader *) blocks;
	VECTOR(NcuPb__Source *) sources;
	VECTOR(const char *) names;		/* borrowed from the blocks */
	VECTOR(struct ncurep_action *) actions;
	VECTOR(struct ncurep_range *) ranges;
	struct map codes;			/* sources by reference */
};

/* Unpacks a message, which the caller frees. Returns 1, 0 if it is malformed, or -ENOMEM. */
int ncurep_unpack(const ProtobufCMessageDescriptor *descriptor, const uint8_t *data, size_t length,
		  ProtobufCMessage **message);
/* NULL is allowed. */
void ncurep_message_free(void *message);

/* Reads the file. Returns 0 at its end or at damage; or -errno with @error set. */
int ncurep_read(struct gpmu_ncu_report *report, int fd, struct gpmu_error *error);

/* These take over the message of a result, also on failure. Return 0 or -ENOMEM. */
int ncurep_add_kernel(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message);
int ncurep_add_range(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message);
int ncurep_add_cmdlist(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message);
int ncurep_add_graph(struct gpmu_ncu_report *report, const NcuPb__Process *process, ProtobufCMessage *message);
void ncurep_action_free(struct ncurep_action *action);

/* These complete an action after the whole file was read. Return 0 or -ENOMEM. */
int ncurep_make_metrics(struct gpmu_ncu_report *report, struct ncurep_action *action);
int ncurep_make_nvtx(struct ncurep_action *action);
void ncurep_make_source(const struct gpmu_ncu_report *report, struct ncurep_action *action);

/* The type, rollup, last part and unit that follow from the name of a metric */
void ncurep_describe(struct gpmu_ncu_metric *metric);

#endif /* GPMU_NCUREP_H */
