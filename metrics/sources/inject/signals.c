// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Flushes the records before a signal ends the process by its default action. A handler is installed for each such signal
 * whose action is SIG_DFL. The functions below precede those of libc and hide the handler from the program: they report
 * SIG_DFL, and install the handler again when the program sets SIG_DFL. A program's own handler replaces it.
 *
 * The interrupted thread may hold a lock of the driver that the flush needs. If the flush makes no progress, the handler
 * therefore returns, and gpmu's thread ends the process after the flush. A timer repeats the signal, because CUPTI may never
 * return from the flush. A second signal ends the process at once.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "inject.h"

#define STALL_MS	250	/* without progress, until the handler returns; more than the flush waits for work */
#define REPEAT_S	5

static const int managed[] = { SIGHUP, SIGINT, SIGTERM, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2 };

typedef void handler(int signal);

static int (*next_sigaction)(int signal, const struct sigaction *action, struct sigaction *old);

__attribute__((constructor)) static void find_sigaction(void)
{
	if (!next_sigaction)
		*(void **)&next_sigaction = dlsym(RTLD_NEXT, "sigaction");
}

/* Sends the signal once more after REPEAT_S. timer_create(3) could allocate memory; the system call does not. */
static void repeat(int signal)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = signal };
	const struct itimerspec time = { .it_value.tv_sec = REPEAT_S };
	int timer;

	if (!syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer))
		syscall(SYS_timer_settime, timer, 0, &time, NULL);
}

void signals_die(int signal)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	next_sigaction(signal, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, signal);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(signal);
}

bool signals_handles_abort(void)
{
	struct sigaction action;

	return !next_sigaction(SIGABRT, NULL, &action) && action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

void signals_abort(void)
{
	const struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGABRT);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(SIGABRT);
	next_sigaction(SIGABRT, &action, NULL);
}

static void on_signal(int signal)
{
	struct inject *own = inject && inject->pid == getpid() ? inject : NULL;
	uint32_t none = 0;
	int kept = errno;

	if (!own || !__atomic_compare_exchange_n(&own->signal, &none, signal, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		return signals_die(signal);
	repeat(signal);
	if (thread_has_flushed(own) || thread_end(own, END_LAST, STALL_MS))
		signals_die(signal);
	errno = kept;
}

static bool is_managed(int signal)
{
	/* The kernel ignores the default action of signals for process 1. */
	for (size_t i = 0; i < ARRAY_SIZE(managed); i++)
		if (managed[i] == signal)
			return inject && inject->has_thread && inject->pid == getpid() && getpid() != 1;
	return false;
}

static const struct sigaction ours = { .sa_handler = on_signal, .sa_flags = SA_RESTART | SA_ONSTACK };

static int set_action(int signal, const struct sigaction *action, struct sigaction *old)
{
	bool is_default = action && action->sa_handler == SIG_DFL;
	int ret;

	find_sigaction();
	ret = next_sigaction(signal, is_default && is_managed(signal) ? &ours : action, old);
	if (!ret && old && old->sa_handler == on_signal)
		*old = (struct sigaction){ .sa_handler = SIG_DFL };
	return ret;
}

PUBLIC int sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	return set_action(signal, action, old);
}

/* Older functions, which differ in the flags of handlers other than SIG_DFL */
#define OLDER(name) \
	static handler *(*next_##name)(int signal, handler *function); \
	__attribute__((constructor)) static void find_##name(void) \
	{ \
		if (!next_##name) \
			*(void **)&next_##name = dlsym(RTLD_NEXT, #name); \
	} \
	PUBLIC handler *name(int signal, handler *function); \
	PUBLIC handler *name(int signal, handler *function) \
	{ \
		handler *old; \
		if (function == SIG_DFL && is_managed(signal)) \
			function = on_signal; \
		find_##name(); \
		old = next_##name(signal, function); \
		return old == on_signal ? SIG_DFL : old; \
	}

OLDER(signal)
OLDER(bsd_signal)
OLDER(ssignal)
OLDER(sysv_signal)
OLDER(__sysv_signal)
OLDER(sigset)

/*
 * Installs the handler if the action is SIG_DFL. Another thread may set an action meanwhile. Each call returns the
 * action that it replaces: if this is not the one that the previous call left, another thread has set it since, and it
 * is set again.
 */
static void begin_signal(int signal)
{
	struct sigaction set = ours, old;
	handler *expected = SIG_DFL;

	if (next_sigaction(signal, NULL, &old) || old.sa_handler != SIG_DFL)
		return;
	while (!next_sigaction(signal, &set, &old) && old.sa_handler != expected) {
		expected = set.sa_handler;
		set = old;
	}
}

/* Installs no handlers if the library is not preloaded, because it could not hide them from the program. */
void signals_begin(void)
{
	if (dlsym(RTLD_DEFAULT, "sigaction") != (void *)sigaction)
		return;
	find_sigaction();
	for (size_t i = 0; i < ARRAY_SIZE(managed); i++)
		if (is_managed(managed[i]))
			begin_signal(managed[i]);
}
