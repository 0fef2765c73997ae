// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * For sanitized programs that use NVIDIA's libraries. CUPTI calls dlopen() with RTLD_DEEPBIND, on
 * which AddressSanitizer ends the process, and CUPTI never frees some of its memory.
 */
#include <dlfcn.h>

const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libcupti.so\nleak:libnvperf_host.so\n";
}

/* Keeps the list of suppressed leaks out of the program's output. */
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

void *dlopen(const char *file, int mode)
{
	static void *(*next)(const char *file, int mode);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "dlopen");
	return next(file, mode & ~RTLD_DEEPBIND);
}
