/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The interface between marks.c and the preloaded library. The library appends records to a
 * file. Each record is written by one call: a line "KIND PID LENGTH NAME", then LENGTH bytes
 * of text.
 */
#ifndef GPMU_MARKS_H
#define GPMU_MARKS_H

/* Environment variables */
#define MARKS_FILE	"GPMU_MARK_FILE"	/* MARKS_DESCRIPTOR or the path of the file */
#define MARKS_LIST	"GPMU_MARK_LIST"	/* of gpmu_open() */
#define MARKS_SOURCES	"GPMU_MARK_SOURCES"	/* one a line */
#define MARKS_CATALOGS	"GPMU_MARK_CATALOGS"	/* one a line */
#define MARKS_OPTIONS	"GPMU_MARK_OPTIONS"	/* "FORMAT PER_THREAD AGGREGATION SEPARATOR" */

/*
 * Formats of a file without a path, which does not remain if gpmu is killed: the number of its descriptor, which processes
 * inherit, gpmu's pid, and the device and inode, because a process may have closed the descriptor and opened another file.
 */
#define MARKS_DESCRIPTOR	"%d %d %ju %ju"

/* Kinds of records */
#define MARKS_LOADED	'L'	/* the library is in a process; no text */
#define MARKS_BEGUN	'B'	/* its first mark; no text */
#define MARKS_COUNTED	'C'	/* its exit; the output of gpmu_print() */
#define MARKS_FAILED	'F'	/* the counters could not be opened; the error */
/*
 * Marks without effect: "COUNT EXITS REGION". COUNT is their number so far, EXITS is 1 at the exit of the process, and
 * REGION is the region of the first mark. A record is written whenever the number is a power of 2, so that at least
 * half of the number is known if the process is killed.
 */
#define MARKS_IGNORED	'I'	/* ends of regions that are not the innermost of their thread */
#define MARKS_UNCOUNTED	'U'	/* visits that could not be counted; ": " and the error follow the region */

#define MARKS_NAME	16	/* bytes of a process's name, TASK_COMM_LEN */

#endif /* GPMU_MARKS_H */
