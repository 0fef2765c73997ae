/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of a trace, and the rank in a parallel program. */
#ifndef GPMU_RECORD_PATH_H
#define GPMU_RECORD_PATH_H

/*
 * Expands %h (host), %p (gpmu's pid), %q{VARIABLE} and %% in -o's @pattern; NULL stands for
 * "gpmu-APP-HOST-PID.pftrace". The caller frees the result. Dies on another % sequence.
 */
char *record_path_of(const char *pattern, const char *command);

struct rank {
	int number;	/* of this process */
	int count;	/* of the parallel program: -1 if unknown, 0: not a parallel program */
};

/* From the environment variables of Open MPI, MPICH, PMIx and Slurm */
struct rank rank_of_this(void);

/*
 * Elects the gpmu that counts the machine: the first of this user's on this node holds a lock
 * until it ends, and stores its trace's @path. Returns NULL for the elected one, else the elected
 * one's path, which the caller frees.
 */
char *record_path_elect(const char *path);

#endif /* GPMU_RECORD_PATH_H */
