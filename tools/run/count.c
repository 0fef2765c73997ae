// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "message.h"
#include "run/child.h"
#include "run/control.h"
#include "run/count.h"
#include "run/early_end.h"
#include "run/waiting.h"

#define SECOND		1000000000
#define TASK_POLL	100	/* ms between checks of a thread without a pidfd */

#ifndef PIDFD_THREAD
#define PIDFD_THREAD	O_EXCL	/* Linux 6.9 */
#endif

enum {
	FD_SIGNAL,
	FD_CHILD,
	FD_INTERVAL,
	FD_DELAY,
	FD_TIMEOUT,
	FD_CONTROL,
	FD_TASKS,	/* the first of one for each task */
};

struct task {
	pid_t tid;
	bool is_process;	/* false: this thread only */
	bool has_ended;
};

struct counting {
	const struct count *count;
	struct gpmu_session *session;
	struct child child;
	struct pollfd *fds;	/* FD_TASKS + task_count */
	struct task *tasks;
	size_t task_count;
	uint64_t intervals;	/* intervals shown so far */
	uint64_t period;	/* ns, of the interval timer */
	uint64_t released;	/* CLOCK_MONOTONIC: when held rows were last written */
	uint64_t started, ended;	/* CLOCK_MONOTONIC */
	bool is_enabled;	/* the session is enabled */
	bool is_counted;	/* the session was enabled once */
	bool is_interrupted;
	bool has_child_changed;	/* the child may have ended */
	bool is_done;		/* counting has ended; the command may still run */
	sigset_t old_mask;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void die_of(int error, const char *what)
{
	die("%s: %s", what, strerror(-error));
}

/* --- timers, signals and tasks as files to poll --- */

static int new_timer(uint64_t first, uint64_t period)
{
	const struct itimerspec time = {
		.it_value = { (time_t)(first / SECOND), (long)(first % SECOND) },
		.it_interval = { (time_t)(period / SECOND), (long)(period % SECOND) },
	};
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

	if (fd < 0 || timerfd_settime(fd, 0, &time, NULL))
		die_of(-errno, "cannot set a timer");
	return fd;
}

static void close_once(struct pollfd *fd)
{
	if (fd->fd >= 0)
		close(fd->fd);
	fd->fd = -1;
}

/* The number of expirations since the last call */
static uint64_t expirations(const struct pollfd *fd)
{
	uint64_t n;

	if (fd->fd < 0 || !fd->revents || read(fd->fd, &n, sizeof(n)) != (ssize_t)sizeof(n))
		return 0;
	return n;
}

/*
 * As under nohup. SIGINT is not checked: a script's background jobs have it ignored, and it must
 * still end gpmu.
 */
static bool ignores_hangups(void)
{
	struct sigaction action;

	return !sigaction(SIGHUP, NULL, &action) && action.sa_handler == SIG_IGN;
}

/* The signals that end a run */
static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGQUIT);
	sigaddset(set, SIGTERM);
	if (!ignores_hangups())
		sigaddset(set, SIGHUP);
}

/* The signals that a run waits for */
static void run_signals(sigset_t *set)
{
	ending_signals(set);
	sigaddset(set, SIGCHLD);
}

void count_hold_signals(sigset_t *mask)
{
	sigset_t set;

	run_signals(&set);
	sigprocmask(SIG_BLOCK, &set, mask);
}

bool count_signal_waits(void)
{
	sigset_t set, waiting;

	ending_signals(&set);
	return !sigpending(&waiting) && !sigandset(&set, &set, &waiting) && !sigisemptyset(&set);
}

void count_heed_signals(const sigset_t *mask)
{
	const struct timespec at_once = { 0 };
	sigset_t set;

	/* Drops pending signals: there is no run left that they could end. */
	ending_signals(&set);
	while (sigtimedwait(&set, NULL, &at_once) > 0)
		;
	sigprocmask(SIG_SETMASK, mask, NULL);
}

static void open_signals(struct counting *counting)
{
	sigset_t mask;
	int fd;

	run_signals(&mask);
	sigprocmask(SIG_BLOCK, &mask, &counting->old_mask);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		die_of(-errno, "cannot wait for signals");
	counting->fds[FD_SIGNAL] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

/* SIGCHLD, which older kernels need, can be lost to a thread of a plugin. */
static void open_child(struct counting *counting)
{
	const pid_t pid = counting->child.pid;
	int fd = pid ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;

	counting->fds[FD_CHILD] = (struct pollfd){ .fd = fd, .events = POLLIN };
}

static int open_task(const struct task *task)
{
	return (int)syscall(SYS_pidfd_open, task->tid, task->is_process ? 0 : PIDFD_THREAD);
}

static bool task_exists(const struct task *task)
{
	return !syscall(SYS_tkill, task->tid, 0) || errno == EPERM;
}

static void make_tasks(struct counting *counting)
{
	const struct gpmu_session_options *session = &counting->count->session;

	counting->task_count = session->pid_count + session->tid_count;
	counting->tasks = need_memory(calloc(counting->task_count + 1, sizeof(*counting->tasks)));
	counting->fds = need_memory(calloc(FD_TASKS + counting->task_count, sizeof(*counting->fds)));
	for (size_t i = 0; i < counting->task_count; i++) {
		struct task *task = &counting->tasks[i];

		task->is_process = i < session->pid_count;
		task->tid = task->is_process ? session->pids[i] : session->tids[i - session->pid_count];
	}
	for (size_t i = 0; i < FD_TASKS + counting->task_count; i++)
		counting->fds[i].fd = -1;
}

static void open_tasks(struct counting *counting)
{
	for (size_t i = 0; i < counting->task_count && !counting->child.pid; i++) {
		int fd = open_task(&counting->tasks[i]);

		counting->tasks[i].has_ended = fd < 0 && errno == ESRCH;
		counting->fds[FD_TASKS + i] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
}

/* --- events of a run --- */

/* Sets the interval timer, which never waits for more intervals than are still wanted. */
static void set_interval(struct counting *counting)
{
	const struct count *count = counting->count;
	uint64_t period = gpmu_session_wait_time(counting->session);
	uint64_t left = count->intervals - counting->intervals;

	if (count->intervals && period > left * count->interval)
		period = left * count->interval;
	if (period == counting->period)
		return;
	counting->period = period;
	close_once(&counting->fds[FD_INTERVAL]);
	counting->fds[FD_INTERVAL] =
		(struct pollfd){ .fd = new_timer(period, period), .events = POLLIN };
}

static void enable(struct counting *counting)
{
	int ret = gpmu_session_enable(counting->session);

	if (ret)
		die_of(ret, "counters cannot be enabled");
	counting->is_enabled = counting->is_counted = true;
	if (counting->count->counts)
		counting->count->counts(true, counting->count->user);
	if (counting->count->interval)
		set_interval(counting);
}

/* Returns whether held rows must be written before the next interval ends. */
static bool are_due(struct counting *counting)
{
	const struct count *count = counting->count;
	uint64_t time = now();

	if (!counting->is_done && time + counting->period - counting->released <= count->latency)
		return false;
	counting->released = time;
	return true;
}

static bool are_enough(const struct counting *counting)
{
	return counting->count->intervals && counting->intervals >= counting->count->intervals;
}

/* Shows the intervals that there are. Returns false if no more rows are wanted. */
static bool show_intervals(struct counting *counting)
{
	const struct count *count = counting->count;
	const uint64_t begin = now();
	const struct gpmu_rows *rows;
	bool is_wanted = true;
	int ret = 0;

	if (!count->rows)
		return true;
	/* Rows that are written more slowly than intervals end must not delay signals for ever. */
	while (is_wanted && !are_enough(counting) && (!counting->is_enabled || now() - begin < counting->period)) {
		ret = gpmu_session_next(counting->session, &rows);
		if (ret <= 0)
			break;
		counting->intervals++;
		is_wanted = count->rows(rows, count->user);
	}
	if (count->latency && (ret < 0 || are_due(counting)))
		is_wanted = count->rows(NULL, count->user) && is_wanted;
	if (ret < 0)
		die_of(ret, "counters cannot be read");
	return is_wanted;
}

static void stop(struct counting *counting)
{
	int ret;

	if (!counting->is_enabled)
		return;
	counting->is_enabled = false;
	ret = gpmu_session_disable(counting->session);
	if (ret)
		die_of(ret, "counters cannot be disabled");
	if (counting->count->counts)
		counting->count->counts(false, counting->count->user);
}

/* Ends counting and shows the time since the last interval as one interval. */
static void finish(struct counting *counting)
{
	bool is_enabled = counting->is_enabled;

	if (counting->is_done)
		return;
	counting->is_done = true;
	stop(counting);
	counting->ended = now();
	if (is_enabled && counting->count->interval)
		show_intervals(counting);
	for (size_t i = FD_INTERVAL; i <= FD_TIMEOUT; i++)
		close_once(&counting->fds[i]);
}

/* Ends counting without a last interval; the command continues, and --timeout still applies. */
static void give_up(struct counting *counting)
{
	counting->is_done = true;
	stop(counting);
	counting->ended = now();
	close_once(&counting->fds[FD_INTERVAL]);
}

/* The last interval that is wanted ends exactly at the end of counting. */
static void handle_interval(struct counting *counting)
{
	const struct count *count = counting->count;

	if (count->intervals && counting->intervals + 1 >= count->intervals)
		finish(counting);
	else if (!show_intervals(counting))
		give_up(counting);
	else if (are_enough(counting))
		finish(counting);
	else
		set_interval(counting);
}

/* The terminal sends SIGINT and SIGQUIT to the command as well. */
static bool is_terminals(const struct signalfd_siginfo *info)
{
	return (info->ssi_signo == SIGINT || info->ssi_signo == SIGQUIT) &&
	       info->ssi_code == SI_KERNEL;
}

static void handle_signals(struct counting *counting)
{
	struct signalfd_siginfo info;

	while (read(counting->fds[FD_SIGNAL].fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			counting->has_child_changed = true;
			continue;
		}
		counting->is_interrupted = true;
		if (!counting->child.pid)
			finish(counting);
		else if (!is_terminals(&info))
			kill(counting->child.pid, (int)info.ssi_signo);
	}
}

static bool tasks_have_ended(struct counting *counting)
{
	bool has_ended = counting->task_count > 0;

	for (size_t i = 0; i < counting->task_count; i++) {
		struct task *task = &counting->tasks[i];
		struct pollfd *fd = &counting->fds[FD_TASKS + i];

		if (!task->has_ended)
			task->has_ended = fd->fd >= 0 ? fd->revents != 0 : !task_exists(task);
		if (task->has_ended)
			close_once(fd);
		has_ended = has_ended && task->has_ended;
	}
	return has_ended;
}

static void start(struct counting *counting)
{
	const struct count *count = counting->count;

	counting->started = now();
	if (count->control)
		counting->fds[FD_CONTROL] = (struct pollfd){ .fd = count->control->fd,
							     .events = POLLIN };
	if (count->timeout)
		counting->fds[FD_TIMEOUT] = (struct pollfd){ .fd = new_timer(count->timeout, 0),
							     .events = POLLIN };
	if (count->delay > 0) {
		counting->fds[FD_DELAY] = (struct pollfd){
			.fd = new_timer((uint64_t)count->delay, 0), .events = POLLIN };
	} else if (!count->delay) {
		enable(counting);
	}
}

/* By the clock: of two timers on different CPUs, the later one may expire first. */
static bool has_timed_out(const struct counting *counting)
{
	return counting->fds[FD_TIMEOUT].fd >= 0 &&
	       now() - counting->started >= counting->count->timeout;
}

static void handle_timers(struct counting *counting)
{
	/* Before the interval timer: an interval that ends at the same time is the last one. */
	if (has_timed_out(counting)) {
		close_once(&counting->fds[FD_TIMEOUT]);
		finish(counting);
		if (counting->child.pid)
			kill(counting->child.pid, SIGTERM);
	}
	if (expirations(&counting->fds[FD_DELAY]))
		enable(counting);
	if (expirations(&counting->fds[FD_INTERVAL]) && counting->is_enabled)
		handle_interval(counting);
}

/* Commands before counting begins, or after it has ended, have no effect but their "ack". */
static void obey(struct counting *counting, enum control_command command)
{
	int ret = 0;

	if (counting->is_done)
		return;
	switch (command) {
	case CONTROL_ENABLE:
		close_once(&counting->fds[FD_DELAY]);
		if (counting->is_enabled)
			ret = gpmu_session_resume(counting->session);
		else
			enable(counting);
		break;
	case CONTROL_DISABLE:
		if (counting->is_enabled)
			ret = gpmu_session_pause(counting->session);
		break;
	case CONTROL_STOP:
		finish(counting);
		break;
	default:
		break;
	}
	if (ret)
		die_of(ret, command == CONTROL_ENABLE ? "counters cannot be enabled" :
							"counters cannot be disabled");
}

static void handle_control(struct counting *counting)
{
	struct control *control = counting->count->control;
	enum control_command command;

	control_read(control);
	while ((command = control_next(control)) != CONTROL_NONE) {
		obey(counting, command);
		control_ack(control);
	}
	counting->fds[FD_CONTROL].fd = control->fd;
}

static int poll_time(const struct counting *counting)
{
	if (counting->has_child_changed)
		return 0;
	for (size_t i = 0; i < counting->task_count && !counting->child.pid; i++)
		if (counting->fds[FD_TASKS + i].fd < 0 && !counting->tasks[i].has_ended)
			return TASK_POLL;
	return -1;
}

static bool counts_command(const struct count *count)
{
	const struct gpmu_session_options *session = &count->session;

	return count->argv && !session->system && !session->pid_count && !session->tid_count;
}

static bool child_has_ended(struct counting *counting, struct child_end *end)
{
	int ret;

	if (!counting->has_child_changed)
		return false;
	counting->has_child_changed = false;
	ret = child_wait(&counting->child, false, end);
	if (ret < 0)
		die_of(ret, "the command cannot be waited for");
	/* After wait4() the kernel no longer has the command's CPU time; rusage is its only source. */
	if (ret && !counting->is_done && counts_command(counting->count))
		gpmu_session_set_times(counting->session, end->user, end->system);
	return ret;
}

/* Runs until the command has ended, or without one until counting has ended. */
static void loop(struct counting *counting, struct child_end *end)
{
	bool has_command = counting->child.pid != 0;

	while (has_command ? counting->child.pid : !counting->is_done) {
		if (poll(counting->fds, FD_TASKS + counting->task_count, poll_time(counting)) < 0) {
			if (errno != EINTR)
				die_of(-errno, "cannot wait for the end of counting");
			continue;
		}
		handle_timers(counting);
		if (counting->fds[FD_CONTROL].revents)
			handle_control(counting);
		if (counting->fds[FD_SIGNAL].revents)
			handle_signals(counting);
		counting->has_child_changed = counting->has_child_changed || counting->fds[FD_CHILD].revents;
		if (has_command ? child_has_ended(counting, end) : tasks_have_ended(counting))
			finish(counting);
	}
}

static void close_all(struct counting *counting)
{
	/* Its owner closes it. */
	counting->fds[FD_CONTROL].fd = -1;
	for (size_t i = 0; i < FD_TASKS + counting->task_count; i++)
		close_once(&counting->fds[i]);
	free(counting->fds);
	free(counting->tasks);
	sigprocmask(SIG_SETMASK, &counting->old_mask, NULL);
}

/* --- a run --- */

/* @pid: the command's; 0: none */
static struct gpmu_session *open_session(const struct count *count, pid_t pid)
{
	struct gpmu_session_options options = count->session;
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_session *session;

	options.size = sizeof(options);
	options.interval = count->interval;
	if (counts_command(count)) {
		options.pids = &pid;
		options.pid_count = 1;
		options.single_task = 1;
		options.on_exec = count->delay == 0;
	}
	session = gpmu_session_new(count->plan, &options, &error);
	waiting_end();
	if (!session)
		die("%s", error.text);
	return session;
}

static void describe_end(struct counting *counting, const struct child_end *child, bool has_command,
			 struct count_end *end)
{
	end->elapsed = (double)(counting->ended - counting->started) / SECOND;
	end->is_interrupted = counting->is_interrupted;
	end->is_counted = counting->is_counted;
	if (!has_command)
		return;
	end->status = child_exit_status(child->status);
	end->signal = end->status > EXIT_SIGNAL ? end->status - EXIT_SIGNAL : 0;
	end->user = (double)child->user / SECOND;
	end->system = (double)child->system / SECOND;
}

/* Returns false after a message if the command cannot be executed. */
static bool let_go(struct counting *counting, struct count_end *end)
{
	int ret;

	if (!counting->child.pid)
		return true;
	ret = child_go(&counting->child);
	end->is_executed = !ret;
	if (!ret)
		return true;
	say("%s: %s", counting->count->argv[0], strerror(-ret));
	end->status = child_failed_status(ret);
	return false;
}

static void start_child(struct child *child, char *const *argv, char *const *environment,
			const sigset_t *mask)
{
	int ret = child_start(child, argv, environment, mask);

	if (ret)
		die_of(ret, "the command cannot be started");
}

void count_begin(struct child *child, char *const *argv, char *const *environment, sigset_t *mask)
{
	sigset_t set;

	*child = (struct child){ 0 };
	run_signals(&set);
	sigprocmask(SIG_BLOCK, &set, mask);
	if (argv)
		start_child(child, argv, environment, mask);
	ending_signals(&set);
	early_end_start(&set);
}

struct gpmu_session *count_open(const struct count *count)
{
	early_end_stop();
	return open_session(count, count->child ? count->child->pid : 0);
}

struct gpmu_session *count_run(const struct count *count, struct count_end *end)
{
	struct counting counting = { .count = count };
	struct child_end child = { 0 };

	early_end_stop();
	*end = (struct count_end){ .is_executed = true, .user = -1, .system = -1 };
	make_tasks(&counting);
	open_signals(&counting);
	if (count->child && count->child->pid) {
		counting.child = *count->child;
		/* A SIGCHLD that arrived before open_signals() was not seen. */
		counting.has_child_changed = true;
	} else if (count->argv) {
		start_child(&counting.child, count->argv, count->environment,
			    count->mask ? count->mask : &counting.old_mask);
	}
	counting.session = count->opened;
	if (!counting.session)
		counting.session = open_session(count, counting.child.pid);
	open_tasks(&counting);
	open_child(&counting);
	start(&counting);
	if (let_go(&counting, end)) {
		loop(&counting, &child);
		handle_signals(&counting);
		describe_end(&counting, &child, count->argv, end);
	} else {
		gpmu_session_free(counting.session);
		counting.session = NULL;
	}
	close_all(&counting);
	return counting.session;
}
