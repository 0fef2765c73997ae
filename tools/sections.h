/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Section files of Nsight Compute: the options that name their folders, and the sections and metrics in them */
#ifndef GPMU_TOOLS_SECTIONS_H
#define GPMU_TOOLS_SECTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "common.h"
#include "section/gpmu_section.h"
#include "section/gpmu_section_set.h"

struct sections {
	struct texts folders;		/* --section-folder */
	bool wants_recursion;		/* --section-folder-recursive */
	struct texts requests;		/* identifiers, each a list separated by "," */
	struct gpmu_sections *list;	/* sections of the folders; NULL: not read yet */
	struct gpmu_section_set *set;	/* metrics of the requested sections; NULL: none yet */
	char *metrics;			/* names of its metrics, separated by "," */
};

/* --section-folder and --section-folder-recursive; its input is a struct sections */
extern const struct argp sections_argp;

/*
 * Reads the folders of the options, or of $GPMU_SECTIONS, or of an installed Nsight Compute. Prints why files are left
 * out, and warnings. Dies if there is no folder, or one cannot be read.
 */
void sections_open(struct sections *sections);
void sections_release(struct sections *sections);

#endif /* GPMU_TOOLS_SECTIONS_H */
