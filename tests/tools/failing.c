// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A library to preload: in gpmu, and not in the programs that it starts, the allocation with the number
 * FAILING_ALLOCATION fails. The file FAILING_DONE then exists.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);

static atomic_long left;	/* allocations up to the one that fails; 0: none fails */

__attribute__((constructor)) static void init(void)
{
	const char *number = getenv("FAILING_ALLOCATION");

	if (number && !strcmp(program_invocation_short_name, "gpmu"))
		atomic_store(&left, strtol(number, NULL, 10));
}

static bool fails(void)
{
	const char *done = getenv("FAILING_DONE");

	if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1)
		return false;
	if (done)
		close(open(done, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	errno = ENOMEM;
	return true;
}

void *malloc(size_t size)
{
	return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return fails() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	return fails() ? NULL : __libc_realloc(old, size);
}
