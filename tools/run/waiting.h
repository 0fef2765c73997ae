/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line that reports a wait before counting begins, such as the wait for the initialisation of CUDA, which takes seconds. */
#ifndef GPMU_WAITING_H
#define GPMU_WAITING_H

/* The initialisation of the plugins of --gpu */
#define WAITING_GPUS	"NVIDIA's driver and CUPTI, which take seconds to be initialised and to deliver samples"

/*
 * Prints "waiting for" and @what after 0.3 s, unless waiting_end() is called before. No process may be forked in
 * between. @what is not copied.
 */
void waiting_begin(const char *what);
/* Ends the wait, if there is one. A line that is due has been printed when it returns. */
void waiting_end(void);

#endif /* GPMU_WAITING_H */
