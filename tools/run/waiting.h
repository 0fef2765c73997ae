/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line that says what gpmu is waiting for before it counts, such as the seconds that CUDA takes to be initialised. */
#ifndef GPMU_WAITING_H
#define GPMU_WAITING_H

/*
 * Prints @what after 0.3 s, unless waiting_end() is called before. No process may be forked in between. @what is a
 * constant.
 */
void waiting_begin(const char *what);
/* Ends the wait, if there is one. A line that is due has been printed when it returns. */
void waiting_end(void);

#endif /* GPMU_WAITING_H */
