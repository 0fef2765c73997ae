// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Rings of the kernel that runs this test. Two processes exchange bytes, so that a ring is full several times between
 * two reads that only time triggers. The test counts lost records; it does not measure times.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/sched/record_sched.h"
#include "tap.h"

#define RING	(16u << 10)	/* bytes: about 500 records */
#define EACH	100		/* ms; much longer than it takes to fill a ring */
#define ROUNDS	20000
#define TRIES	5

struct load {
	int go[2], there[2], back[2];
	pid_t first, ping, pong;
};

static uint64_t taken;

static bool take(void *user, const struct record_ring *ring, const struct perf_event_header *header,
		 const char *data, size_t size)
{
	(void)user;
	(void)ring;
	(void)header;
	(void)data;
	(void)size;
	taken++;
	return true;
}

/* Both run on one CPU, so that each byte is a switch. */
static void stay(void)
{
	cpu_set_t set;
	int cpu = 0;

	sched_getaffinity(0, sizeof(set), &set);
	while (!CPU_ISSET(cpu, &set))
		cpu++;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static _Noreturn void exchange(const struct load *load, int from, int to, bool begins)
{
	char byte = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay();
	if (read(load->go[0], &byte, 1) != 1)
		_exit(1);
	for (int i = 0; i < ROUNDS; i++) {
		if (begins && write(to, &byte, 1) != 1)
			break;
		if (read(from, &byte, 1) != 1)
			break;
		if (!begins && write(to, &byte, 1) != 1)
			break;
	}
	_exit(0);
}

static bool start(struct load *load)
{
	if (pipe(load->go) || pipe(load->there) || pipe(load->back))
		return false;
	load->first = fork();
	if (!load->first) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pause();
		_exit(0);
	}
	load->ping = fork();
	if (!load->ping)
		exchange(load, load->back[0], load->there[1], true);
	load->pong = fork();
	if (!load->pong)
		exchange(load, load->there[0], load->back[1], false);
	return load->first > 0 && load->ping > 0 && load->pong > 0;
}

static void end_first(struct load *load)
{
	if (load->first)
		kill(load->first, SIGKILL);
	if (load->first)
		waitpid(load->first, NULL, 0);
	load->first = 0;
}

static void stop(struct load *load)
{
	const int fds[] = { load->go[0], load->go[1], load->there[0], load->there[1], load->back[0], load->back[1] };

	end_first(load);
	kill(load->ping, SIGKILL);
	kill(load->pong, SIGKILL);
	waitpid(load->ping, NULL, 0);
	waitpid(load->pong, NULL, 0);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close(fds[i]);
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* Reads the rings until the load has ended. Returns the percentage of records that were lost, or -1. */
static int run(const struct perf_event_attr *attr, bool tasks, bool first_ends)
{
	struct record_rings rings = { 0 };
	struct load load;
	uint64_t lost = 0;
	pid_t tids[3];
	int ret = -1;

	if (!start(&load))
		return -1;
	memcpy(tids, (pid_t[]){ load.first, load.ping, load.pong }, sizeof(tids));
	taken = 0;
	if (!record_rings_open(&rings, NULL, attr, tids, tasks ? 3 : 0, RING)) {
		if (first_ends)
			end_first(&load);
		if (write(load.go[1], "go", 2) != 2)
			diag("the load does not start");
		while (!has_ended(load.ping)) {
			record_rings_wait(&rings, EACH);
			record_rings_drain(&rings, take, NULL);
		}
		lost = record_rings_lost(&rings, RECORD_KERNEL_FULL, true);
		ret = taken ? (int)(100 * lost / (taken + lost)) : -1;
		diag("%" PRIu64 " records, %" PRIu64 " lost", taken, lost);
	}
	record_rings_release(&rings);
	stop(&load);
	return ret;
}

/* Others may run on this machine, so the best of some tries counts. */
static void loses_few(const struct perf_event_attr *attr, bool tasks, bool first_ends, const char *what)
{
	int best = 100;

	for (int i = 0; i < TRIES && best > 50; i++) {
		int lost = run(attr, tasks, first_ends);

		if (lost < 0) {
			printf("ok %u - %s # SKIP the kernel does not permit it here\n", ++tap_run, what);
			return;
		}
		best = lost < best ? lost : best;
	}
	ok(best <= 50, "%s", what);
}

int main(void)
{
	struct record_sched sched = { 0 };
	struct perf_event_attr attr;

	record_context_switch_event(&sched, &attr);
	loses_few(&attr, true, false, "record ring: a full ring of threads wakes its reader");
	loses_few(&attr, true, true,
		  "record ring: a full ring wakes its reader after the first of its threads has ended");
	/* For this process alone */
	if (!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		(void)!mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL);
	if (record_tracepoint_event(&sched, &attr, NULL))
		attr = (struct perf_event_attr){ .size = UINT32_MAX };
	loses_few(&attr, false, false, "record ring: a full ring of the machine wakes its reader");
	return done_testing();
}
