/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Removes unfinished and temporary files when gpmu exits, or when a signal ends it. */
#ifndef GPMU_UNFINISHED_H
#define GPMU_UNFINISHED_H

/*
 * Registers a function that removes the files. It may call only functions that are
 * async-signal-safe, and runs at most once if gpmu exits and once if a signal ends it. Signals that
 * are ignored, or handled by gpmu, do not end it.
 */
void unfinished_remove_by(void (*drop)(void));
/* Lets a signal that was ignored remove the files and end gpmu. */
void unfinished_end_by(int number);

#endif /* GPMU_UNFINISHED_H */
