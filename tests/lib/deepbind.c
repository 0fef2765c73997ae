// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * For programs with the sanitizers that use NVIDIA's libraries: AddressSanitizer ends a
 * process in which anybody loads a library with RTLD_DEEPBIND, as CUPTI does, which also
 * keeps memory for itself.
 */
#include <dlfcn.h>

const char *__lsan_default_suppressions(void);
const char *__lsan_default_options(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libcupti.so\nleak:libnvperf_host.so\n";
}

/* What is suppressed is no part of what a program prints. */
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
