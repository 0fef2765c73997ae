/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --lock-clocks: one SM clock for all GPUs while gpmu runs */
#ifndef GPMU_STAT_CLOCKS_H
#define GPMU_STAT_CLOCKS_H

/*
 * Locks the SM clocks to @mhz, or to each GPU's default if it is 0, and prints them. However gpmu ends, the lock ends. Must be
 * called before plugins are loaded, because it forks. Dies on failure.
 */
void stat_clocks_lock(unsigned int mhz);

#endif /* GPMU_STAT_CLOCKS_H */
