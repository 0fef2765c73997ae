/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of a trace, and which of the ranks of a parallel program this is. */
#ifndef GPMU_RECORD_PATH_H
#define GPMU_RECORD_PATH_H

/*
 * -o with %h (host), %p (gpmu's pid), %q{VARIABLE} and %% in it. NULL:
 * "gpmu-APP-HOST-PID.pftrace". New; dies of what is none of these
 */
char *record_path_of(const char *pattern, const char *command);

struct rank {
	int rank, ranks;	/* -1: of none; 0: not known */
};

/* By what Open MPI, MPICH, PMIx and Slurm tell */
struct rank rank_of_this(void);

/*
 * The first of this user's on this node keeps the lock as long as it is there, and leaves
 * its path. NULL: this is it; or the path of who is it, new
 */
char *record_path_elect(const char *path);

#endif /* GPMU_RECORD_PATH_H */
