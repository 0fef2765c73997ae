/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Failing allocations, for a test that is linked with --wrap for the functions below. Each
 * allocation fails in turn, so that each error path is taken once.
 */
#ifndef GPMU_TESTS_ALLOC_H
#define GPMU_TESTS_ALLOC_H

#include <dirent.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "tap.h"

#define ALLOC_MAX	100000

static int alloc_left = -1;	/* allocations until one fails; -1: none fails */
static long alloc_held;		/* blocks that are allocated and not freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
char *__real_strdup(const char *s);
char *__real_strndup(const char *s, size_t n);
void __real_free(void *block);
locale_t __real_newlocale(int mask, const char *name, locale_t base);
int __real_scandir(const char *folder, struct dirent ***list, int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a, const struct dirent **b));
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
char *__wrap_strdup(const char *s);
char *__wrap_strndup(const char *s, size_t n);
void __wrap_free(void *block);
locale_t __wrap_newlocale(int mask, const char *name, locale_t base);
int __wrap_scandir(const char *folder, struct dirent ***list, int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a, const struct dirent **b));

static bool alloc_fails(void)
{
	if (alloc_left < 0 || alloc_left--)
		return false;
	errno = ENOMEM;
	return true;
}

static void *alloc_count(void *block)
{
	alloc_held += block != NULL;
	return block;
}

void *__wrap_malloc(size_t size)
{
	return alloc_fails() ? NULL : alloc_count(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return alloc_fails() ? NULL : alloc_count(__real_calloc(n, size));
}

void *__wrap_realloc(void *old, size_t size)
{
	void *block = alloc_fails() ? NULL : __real_realloc(old, size);

	return old ? block : alloc_count(block);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
	void *block = alloc_fails() ? NULL : __real_reallocarray(old, n, size);

	return old ? block : alloc_count(block);
}

char *__wrap_strdup(const char *s)
{
	return alloc_fails() ? NULL : alloc_count(__real_strdup(s));
}

char *__wrap_strndup(const char *s, size_t n)
{
	return alloc_fails() ? NULL : alloc_count(__real_strndup(s, n));
}

void __wrap_free(void *block)
{
	alloc_held -= block != NULL;
	__real_free(block);
}

locale_t __wrap_newlocale(int mask, const char *name, locale_t base)
{
	return alloc_fails() ? (locale_t)0 : __real_newlocale(mask, name, base);
}

/* The list and each of its entries is a block that the caller frees. */
int __wrap_scandir(const char *folder, struct dirent ***list, int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a, const struct dirent **b))
{
	int n = alloc_fails() ? -1 : __real_scandir(folder, list, filter, compare);

	if (n >= 0)
		alloc_held += n + (*list != NULL);
	return n;
}

/*
 * Makes each allocation of run() fail in turn. run() returns 0, -errno, or 1 if a failed
 * allocation has the wrong effect. A full run makes at least @min allocations.
 */
__attribute__((unused))
static void alloc_fail_each(int (*run)(void), int min, const char *what)
{
	long before = alloc_held;
	bool is_right = true, is_freed = true;
	int n, ret = 1;

	for (n = 0; n < ALLOC_MAX; n++) {
		alloc_left = n;
		ret = run();
		if (alloc_left >= 0)
			break;
		if (ret != -ENOMEM && is_right)
			diag("allocation %d: %d", n, ret);
		is_right = is_right && ret == -ENOMEM;
		is_freed = is_freed && alloc_held == before;
	}
	alloc_left = -1;
	ok(n >= min, "%s: %d allocations are made, at least %d", what, n, min);
	ok(is_right, "%s: each failed allocation is reported as ENOMEM", what);
	ok(is_freed, "%s: a failed allocation leaks no memory", what);
	ok(ret == 0, "%s: the run without a failed allocation succeeds", what);
}

#endif /* GPMU_TESTS_ALLOC_H */
