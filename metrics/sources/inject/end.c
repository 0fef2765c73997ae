// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Functions of libc that end the process or its program without the functions of atexit(3). The dynamic linker finds ours
 * first, since the library is preloaded. They flush the records of this process and call libc's. Programs without CUDA,
 * and children of fork(2) and vfork(2), have nothing to flush.
 *
 * Functions of atexit(3) are called in reverse order. A first flush, registered by cuInit(), precedes the ones of the driver,
 * after which CUPTI may be unusable. The program's functions that it registered before cuInit() come later. A function that
 * was registered when the library was loaded flushes what they have launched, which they can only if the driver has not ended.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "inject.h"
#include "ranges/ranges.h"
#include "sass/sass.h"

#define END_MS	2000	/* time without progress after which the process ends without its last records */

/* next_NAME: libc's function. Found at the start, as dlsym(3) must not be called in a signal handler or after vfork(2) */
#define NEXT(type, name, parameters) \
	static type (*next_##name) parameters; \
	__attribute__((constructor)) static void find_##name(void) \
	{ \
		if (!next_##name) \
			*(void **)&next_##name = dlsym(RTLD_NEXT, #name); \
	}

NEXT(void, _exit, (int status))
NEXT(void, _Exit, (int status))
NEXT(void, abort, (void))
NEXT(int, execve, (const char *path, char *const argv[], char *const envp[]))
NEXT(int, execvpe, (const char *file, char *const argv[], char *const envp[]))
NEXT(int, fexecve, (int fd, char *const argv[], char *const envp[]))
NEXT(int, execveat, (int folder, const char *path, char *const argv[], char *const envp[], int flags))

/* The recording of this process; NULL in a child of fork(2) or vfork(2) */
static struct inject *own_recording(void)
{
	return inject && inject->has_thread && inject->pid == getpid() ? inject : NULL;
}

static void end_recording(void)
{
	struct inject *own = own_recording();
	int kept = errno;

	if (own) {
		ranges_end(own);
		sass_end(own);
	}
	if (own && !thread_has_flushed(own))
		thread_end(own, END_LAST, END_MS);
	errno = kept;
}

static bool has_given_up;	/* CUPTI has not returned from the first flush */

static void end_first(void)
{
	struct inject *own = own_recording();

	if (own) {
		ranges_end(own);
		sass_end(own);
	}
	has_given_up = own && !thread_end(own, END_FIRST, END_MS);
}

static void end_last(void)
{
	if (!has_given_up)
		end_recording();
}

bool end_register(void)
{
	return !atexit(end_first) && !at_quick_exit(end_first);
}

__attribute__((constructor)) static void register_last(void)
{
	/* Without memory, work that is launched after the first flush is counted as lost. */
	if (atexit(end_last) || at_quick_exit(end_last))
		return;
}

/* --- the main thread ends before others */

static uint32_t has_left;	/* the main thread calls pthread_exit(3); atomic */

static void on_leave(void *unused)
{
	(void)unused;
	__atomic_store_n(&has_left, 1, __ATOMIC_RELAXED);
}

/* The destructor of a key is called by pthread_exit(3), and not by exit(3). */
__attribute__((constructor)) static void watch_main_thread(void)
{
	pthread_key_t key;

	if (gettid() == getpid() && !pthread_key_create(&key, on_leave))
		pthread_setspecific(key, &has_left);
}

bool end_is_due(void)
{
	char text[512], state;
	const char *rest;
	int threads;

	/* A file is opened only then, as the program may depend on the numbers of its descriptors. */
	if (!__atomic_load_n(&has_left, __ATOMIC_RELAXED) || proc_read(getpid(), "stat", text, sizeof(text)) <= 0)
		return false;
	rest = strrchr(text, ')');
	return rest && sscanf(rest + 1, " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d", &state,
			      &threads) == 2 && state == 'Z' && threads == 2;
}

/* --- functions of libc */

PUBLIC void _exit(int status)
{
	end_recording();
	find__exit();
	next__exit(status);
	__builtin_unreachable();
}

PUBLIC void _Exit(int status)
{
	end_recording();
	find__Exit();
	next__Exit(status);
	__builtin_unreachable();
}

PUBLIC void abort(void)
{
	struct inject *own = own_recording();

	if (own && signals_handles_abort()) {
		/* The handler may end the process without our functions, or leave by siglongjmp(3), and the recording goes on. */
		ranges_end(own);
		thread_flush(own, END_MS);
		signals_abort();
	}
	end_recording();
	find_abort();
	next_abort();
	__builtin_unreachable();
}

/* Flushes before exec. The recording, which is returned, goes on if exec fails. NULL: there is none. */
static struct inject *flush_for_exec(void)
{
	struct inject *own = own_recording();

	if (!own)
		return NULL;
	/* If exec fails, counting of ranges has ended all the same. */
	ranges_end(own);
	thread_flush(own, END_MS);
	return own;
}

static int exec_failed(struct inject *own, int ret)
{
	if (own)
		channel_writer_mark(own->writer, false);
	return ret;
}

PUBLIC int execve(const char *path, char *const argv[], char *const envp[])
{
	struct inject *own = flush_for_exec();

	find_execve();
	return exec_failed(own, next_execve(path, argv, envp));
}

PUBLIC int execvpe(const char *file, char *const argv[], char *const envp[])
{
	struct inject *own = flush_for_exec();

	find_execvpe();
	return exec_failed(own, next_execvpe(file, argv, envp));
}

PUBLIC int fexecve(int fd, char *const argv[], char *const envp[])
{
	struct inject *own = flush_for_exec();

	find_fexecve();
	return exec_failed(own, next_fexecve(fd, argv, envp));
}

PUBLIC int execveat(int folder, const char *path, char *const argv[], char *const envp[], int flags)
{
	struct inject *own = flush_for_exec();

	find_execveat();
	if (!next_execveat) {
		errno = ENOSYS;
		return exec_failed(own, -1);
	}
	return exec_failed(own, next_execveat(folder, path, argv, envp, flags));
}

PUBLIC int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

PUBLIC int execvp(const char *file, char *const argv[])
{
	return execvpe(file, argv, environ);
}

/* Counts the arguments, with the NULL that ends them. Consumes @list. */
static size_t count_arguments(va_list list)
{
	size_t n = 2;

	while (va_arg(list, char *))
		n++;
	return n;
}

/* Declares argv with the arguments from @first on. @list is then after the NULL. */
#define COLLECT(argv, list, first) \
	va_list list; \
	va_start(list, first); \
	char *argv[count_arguments(list)]; \
	va_end(list); \
	va_start(list, first); \
	argv[0] = (char *)(first); \
	for (size_t i = 1; (argv[i] = va_arg(list, char *)); i++)

PUBLIC int execl(const char *path, const char *argument, ...)
{
	COLLECT(argv, list, argument);
	va_end(list);
	return execv(path, argv);
}

PUBLIC int execlp(const char *file, const char *argument, ...)
{
	COLLECT(argv, list, argument);
	va_end(list);
	return execvp(file, argv);
}

PUBLIC int execle(const char *path, const char *argument, ...)
{
	char *const *envp;

	COLLECT(argv, list, argument);
	envp = va_arg(list, char *const *);
	va_end(list);
	return execve(path, argv, envp);
}
