// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/demangle.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char *(*function)(const char *name, char *buffer, size_t *length, int *status);

/* The library stays loaded; a C++ program has it anyway. */
static void load(void)
{
	void *library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	if (library)
		*(void **)&function = dlsym(library, "__cxa_demangle");
}

char *demangle(const char *name)
{
	char *text = NULL;
	int status;

	if (!strncmp(name, "_Z", 2)) {
		pthread_once(&once, load);
		text = function ? function(name, NULL, NULL, &status) : NULL;
	}
	return text ? text : strdup(name);
}
