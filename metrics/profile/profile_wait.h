/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The wait for a server of debuginfod, which the user may end */
#ifndef GPMU_PROFILE_WAIT_H
#define GPMU_PROFILE_WAIT_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

/* @waiting, @user: as in struct gpmu_profile_options. A zeroed struct ends no wait. */
struct profile_wait {
	int (*waiting)(void *user, const char *server, uint64_t done, uint64_t total);
	void *user;
	bool is_ended;		/* by waiting() */
};

/* Makes @dwfl call waiting() while it waits for a server. @wait: borrowed until the end of @dwfl; NULL: waits are not ended */
void profile_wait_set(struct profile_wait *wait, Dwfl *dwfl);

#endif /* GPMU_PROFILE_WAIT_H */
