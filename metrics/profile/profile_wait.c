// SPDX-License-Identifier: LGPL-2.1-or-later
/* libdwfl loads libdebuginfod, if it is installed, for the first client. Its functions are looked up after that. */
#include <dlfcn.h>
#include <stdlib.h>

#include "profile/profile_object.h"

#define LIBRARY	"libdebuginfod.so.1"

/* Functions of the library, declared here as not all machines have its header; NULL: not loaded yet, or not in the library */
static struct {
	void *library;
	void (*set_progressfn)(debuginfod_client *client,
			       int (*progress)(debuginfod_client *client, long done, long total));
	void (*set_user_data)(debuginfod_client *client, void *value);
	void *(*get_user_data)(debuginfod_client *client);
	const char *(*get_url)(debuginfod_client *client);
} functions;

static bool load(void)
{
	if (!functions.library)
		functions.library = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
	if (!functions.library)
		return false;
	*(void **)&functions.set_progressfn = dlsym(functions.library, "debuginfod_set_progressfn");
	*(void **)&functions.set_user_data = dlsym(functions.library, "debuginfod_set_user_data");
	*(void **)&functions.get_user_data = dlsym(functions.library, "debuginfod_get_user_data");
	*(void **)&functions.get_url = dlsym(functions.library, "debuginfod_get_url");
	return functions.set_progressfn && functions.set_user_data && functions.get_user_data && functions.get_url;
}

/* Called at least once per second. @done is the number of calls, and @total 0 or less, until the size is known. */
static int progress(debuginfod_client *client, long done, long total)
{
	struct profile_wait *wait = functions.get_user_data(client);
	const char *url = functions.get_url(client);
	uint64_t size = total > 0 ? (uint64_t)total : 0;

	if (!wait->is_ended)
		wait->is_ended = wait->waiting(wait->user, url, size && done > 0 ? (uint64_t)done : 0, size);
	return wait->is_ended;
}

void profile_wait_set(struct profile_wait *wait, Dwfl *dwfl)
{
	const char *urls = secure_getenv("DEBUGINFOD_URLS");
	debuginfod_client *client;

	/* Creating a client is slow. */
	client = wait && wait->waiting && urls && *urls ? dwfl_get_debuginfod_client(dwfl) : NULL;
	if (!client || !load())
		return;
	functions.set_user_data(client, wait);
	functions.set_progressfn(client, progress);
}
