/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Marks of regions that "gpmu stat --regions" counts and "gpmu record --regions" shows.
 *
 * A program that includes this header needs no library. When it runs alone, a mark is a test of
 * a pointer and counts nothing. Under "gpmu stat --regions" a library that gpmu preloads counts
 * each region by thread. Under "gpmu record --regions" the library records each visit of a region
 * as a slice on the track of its thread. No library can be preloaded into statically linked or
 * set-user-ID programs, so their regions are neither counted nor recorded.
 *
 * A region is the part of a program between gpmu_mark_begin() and gpmu_mark_end() of the same
 * thread with the same name. Regions of a thread may be nested. A signal handler must not call
 * these functions: if it interrupts one of them in the same thread, it waits forever. For C++ and
 * C11, with GCC or Clang.
 */
#ifndef GPMU_MARK_H
#define GPMU_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of the preloaded library; programs call the functions below. */
extern void gpmu_mark_begin_counted(const char *name) __attribute__((weak));
extern void gpmu_mark_end_counted(const char *name) __attribute__((weak));

#if defined(__x86_64__)
/*
 * In a program that is not position-independent the linker replaces the address of a weak
 * function by 0, except in the global offset table.
 */
#define GPMU_MARK_CALL(function, name)						\
	do {									\
		void (*gpmu_mark_function_)(const char *);			\
		__asm__(".weak " #function "\n\tmovq " #function "@GOTPCREL(%%rip), %0"	\
			: "=r"(gpmu_mark_function_));				\
		if (__builtin_expect(gpmu_mark_function_ != 0, 0))		\
			gpmu_mark_function_(name);				\
	} while (0)
#else
#define GPMU_MARK_CALL(function, name)						\
	do {									\
		if (__builtin_expect(function != 0, 0))				\
			function(name);						\
	} while (0)
#endif

/* Begins a region of the calling thread. */
static inline void gpmu_mark_begin(const char *name)
{
	GPMU_MARK_CALL(gpmu_mark_begin_counted, name);
}

/*
 * Ends the innermost region that the calling thread has begun; @name must be its name. A call with the name of another
 * region has no effect, and gpmu reports the number of such calls.
 */
static inline void gpmu_mark_end(const char *name)
{
	GPMU_MARK_CALL(gpmu_mark_end_counted, name);
}

#ifdef __cplusplus
}
#endif

#endif /* GPMU_MARK_H */
