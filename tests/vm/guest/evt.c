// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * evt - direct use of perf_event_open(2), for details that perf hides: the errno of
 * one open, groups of an exact shape, events that stay open while a command runs.
 *
 * Prints "VALUE ENABLED RUNNING EVENT" for each event, or "ERRNO EVENT" for the first
 * that cannot be opened or read, with exit status 1.
 */
#define _GNU_SOURCE
#include "events.h"
#include "ring.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_EVENTS	64
#define NO_CPU		(-2)

struct options {
	int cpu;
	int uid;
	bool wants_per_task, wants_inherit, is_disabled, wants_quiet;
	const char *exclude;
	const char *filter;	/* of the first event of each group, a tracepoint */
	uint64_t period;	/* makes every event a sampling one */
	uint64_t leader_period;	/* only the first of each group, in ns */
	unsigned int sleep_ms;
	unsigned int rounds;
};

static struct event events[MAX_EVENTS];
static unsigned int nr_events;

static void usage(void)
{
	fputs("usage: evt [OPTION]... EVENT|{ EVENT... }... [-- COMMAND [ARG]...]\n"
	      "       evt -R              read the events that evt, our parent, has open\n"
	      "EVENT is PMU/NUMBER|NAME[,CONFIG1[,CONFIG2]]/ or cpu-clock.\n"
	      "  -c CPU      on this CPU; else the first of the PMU's cpumask\n"
	      "  -p          for this task, on any CPU\n"
	      "  -s PERIOD   sampling events\n"
	      "  -S NS       sample the first event of a group, read the others with it\n"
	      "  -f FILTER   count the first event of a group, a tracepoint, if this is true\n"
	      "  -x WHAT     exclude user, kernel, hv, idle, host or guest\n"
	      "  -i          inherited\n"
	      "  -d          do not enable\n"
	      "  -u UID      open as this user\n"
	      "  -t MS       count for MS milliseconds\n"
	      "  -n N        N rounds, each in its own process; print the last one\n"
	      "  -q          print no counts\n"
	      "  -y DIR      DIR in place of /sys\n", stderr);
	exit(2);
}

static int fail(int err, const char *spec)
{
	printf("%s %s\n", errno_name(err), spec);
	return 1;
}

static int exclude(struct perf_event_attr *attr, const char *what)
{
	if (!strcmp(what, "user"))
		attr->exclude_user = 1;
	else if (!strcmp(what, "kernel"))
		attr->exclude_kernel = 1;
	else if (!strcmp(what, "hv"))
		attr->exclude_hv = 1;
	else if (!strcmp(what, "idle"))
		attr->exclude_idle = 1;
	else if (!strcmp(what, "host"))
		attr->exclude_host = 1;
	else if (!strcmp(what, "guest"))
		attr->exclude_guest = 1;
	else
		return -EINVAL;
	return 0;
}

/* Software events of a group are opened on the CPU of its PMU's events. */
static int default_cpu(const struct event *event)
{
	unsigned int i;

	if (event->pmu.cpu >= 0)
		return event->pmu.cpu;
	for (i = 0; i < nr_events; i++)
		if (events[i].group == event->group && events[i].pmu.cpu >= 0)
			return events[i].pmu.cpu;
	return 0;
}

static bool is_leader(unsigned int i)
{
	return i == 0 || events[i].group != events[i - 1].group;
}

/* config3 and config4, which older headers lack, are the last words of the attributes. */
union attributes {
	struct perf_event_attr attr;
	uint64_t words[18];
};

#define CONFIG3	16
#define CONFIG4	17

/* Older kernels take the longer attributes only if these are 0. */
static int open_long(const struct event *event, const struct perf_event_attr *attr, pid_t pid, int cpu, int leader_fd)
{
	union attributes all = { .words = { 0 } };

	all.attr = *attr;
	all.attr.size = sizeof(all);
	all.words[CONFIG3] = event->config3;
	all.words[CONFIG4] = event->config4;
	return event_open(&all.attr, pid, cpu, leader_fd, 0);
}

static int open_one(unsigned int i, int leader_fd, const struct options *opt)
{
	struct event *event = &events[i];
	struct perf_event_attr attr = {
		.type = event->pmu.type,
		.size = sizeof(attr),
		.config = event->config,
		.config1 = event->config1,
		.config2 = event->config2,
		.disabled = is_leader(i),
		.inherit = opt->wants_inherit,
		.read_format = READ_FORMAT,
		.sample_period = opt->period,
	};
	int cpu = opt->wants_per_task ? -1 : opt->cpu;

	if (opt->leader_period) {
		attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID;
		attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TIME;
		attr.sample_period = is_leader(i) ? opt->leader_period : 0;
	}
	if (opt->exclude && exclude(&attr, opt->exclude))
		usage();
	if (cpu == NO_CPU)
		cpu = default_cpu(event);
	event->fd = open_long(event, &attr, opt->wants_per_task ? 0 : -1, cpu, leader_fd);
	if (event->fd < 0)
		return event->fd;
	if (opt->filter && is_leader(i) && ioctl(event->fd, PERF_EVENT_IOC_SET_FILTER, opt->filter))
		return -errno;
	return 0;
}

static void close_all(void)
{
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		if (events[i].fd >= 0)
			close(events[i].fd);
		events[i].fd = -1;
	}
}

static int open_all(const struct options *opt)
{
	int leader = -1, ret;
	unsigned int i;

	for (i = 0; i < nr_events; i++) {
		if (is_leader(i))
			leader = -1;
		ret = open_one(i, leader, opt);
		if (ret) {
			close_all();
			return fail(ret, events[i].spec);
		}
		if (leader < 0)
			leader = events[i].fd;
	}
	return 0;
}

static void switch_all(unsigned long request)
{
	unsigned int i;

	for (i = 0; i < nr_events; i++)
		if (is_leader(i))
			ioctl(events[i].fd, request, 0);
}

static int print_all(void)
{
	struct reading r;
	unsigned int i;
	int ret;

	for (i = 0; i < nr_events; i++) {
		ret = event_read(events[i].fd, &r);
		if (ret)
			return fail(ret, events[i].spec);
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
		       r.value, r.enabled, r.running, events[i].spec);
	}
	return 0;
}

/* The command finds the open events in EVT_FDS: "FD=SPEC FD=SPEC ..." */
static int run_command(char **argv)
{
	char env[MAX_EVENTS * (SPEC_MAX + 16)], *p = env;
	unsigned int i;
	int status;
	pid_t pid;

	*env = '\0';
	for (i = 0; i < nr_events; i++)
		p += sprintf(p, "%d=%s ", events[i].fd, events[i].spec);
	setenv("EVT_FDS", env, 1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		execvp(argv[0], argv);
		fprintf(stderr, "evt: %s: %s\n", argv[0], strerror(errno));
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0) {
		perror("evt");
		return 1;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int wait_for_work(char **command, const struct options *opt)
{
	const struct timespec ts = {
		.tv_sec = opt->sleep_ms / 1000,
		.tv_nsec = opt->sleep_ms % 1000 * 1000000L,
	};

	if (command)
		return run_command(command);
	if (opt->sleep_ms)
		nanosleep(&ts, NULL);
	return 0;
}

/* Open, count, print, close, like a short run of perf. */
static int one_round(char **command, const struct options *opt, bool wants_print)
{
	struct ring ring = { 0 };
	int ret, status = 0;

	if (opt->uid >= 0 && setresuid(opt->uid, opt->uid, opt->uid)) {
		perror("evt: setresuid");
		return 1;
	}
	ret = open_all(opt);
	if (ret)
		return ret;
	if (opt->leader_period) {
		ret = ring_map(&ring, events[0].fd);
		if (ret)
			return fail(ret, "ring buffer");
	}
	if (!opt->is_disabled)
		switch_all(PERF_EVENT_IOC_ENABLE);
	status = wait_for_work(command, opt);
	switch_all(PERF_EVENT_IOC_DISABLE);
	if (opt->leader_period)
		ret = ring_report(&ring, events, nr_events);
	else if (wants_print && !opt->wants_quiet)
		ret = print_all();
	close_all();
	return ret ? ret : status;
}

static int rounds(char **command, const struct options *opt)
{
	unsigned int i;
	int status;
	pid_t pid;

	for (i = 1; i < opt->rounds; i++) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			exit(one_round(command, opt, false));
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("evt");
			return 1;
		}
		if (status)
			return 1;
	}
	return one_round(command, opt, true);
}

static int read_inherited(void)
{
	char *fds = getenv("EVT_FDS"), *item, *spec;
	struct reading r;
	uint64_t fd;
	int ret;

	if (!fds)
		usage();
	while ((item = strsep(&fds, " "))) {
		if (!*item)
			continue;
		spec = strchr(item, '=');
		if (!spec)
			usage();
		*spec++ = '\0';
		if (parse_number(item, INT32_MAX, &fd))
			usage();
		ret = event_read(fd, &r);
		if (ret)
			return fail(ret, spec);
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %s\n",
		       r.value, r.enabled, r.running, spec);
	}
	return 0;
}

/* Events up to "--"; returns the command after it or NULL. */
static char **parse_events(char **argv)
{
	bool is_in_group = false;
	int group = 0, ret;

	for (; *argv && strcmp(*argv, "--"); argv++) {
		if (!strcmp(*argv, "{") || !strcmp(*argv, "}")) {
			is_in_group = **argv == '{';
			group++;
			continue;
		}
		if (nr_events == MAX_EVENTS)
			usage();
		ret = event_parse(*argv, &events[nr_events]);
		if (ret)
			exit(fail(ret, *argv));
		events[nr_events++].group = group;
		if (!is_in_group)
			group++;
	}
	if (is_in_group || !nr_events)
		usage();
	return *argv && argv[1] ? argv + 1 : NULL;
}

static uint64_t number(const char *s, uint64_t max)
{
	uint64_t v;

	if (parse_number(s, max, &v))
		usage();
	return v;
}

int main(int argc, char **argv)
{
	struct options opt = { .cpu = NO_CPU, .uid = -1, .rounds = 1 };
	int c;

	while ((c = getopt(argc, argv, "+c:ps:S:f:x:idu:t:n:qRy:")) != -1) {
		switch (c) {
		case 'c': opt.cpu = number(optarg, INT32_MAX); break;
		case 'p': opt.wants_per_task = true; break;
		case 's': opt.period = number(optarg, UINT64_MAX); break;
		case 'S': opt.leader_period = number(optarg, UINT64_MAX); break;
		case 'f': opt.filter = optarg; break;
		case 'x': opt.exclude = optarg; break;
		case 'i': opt.wants_inherit = true; break;
		case 'd': opt.is_disabled = true; break;
		case 'u': opt.uid = number(optarg, INT32_MAX); break;
		case 't': opt.sleep_ms = number(optarg, UINT32_MAX); break;
		case 'n': opt.rounds = number(optarg, UINT32_MAX); break;
		case 'q': opt.wants_quiet = true; break;
		case 'y': sysfs_root = optarg; break;
		case 'R': return read_inherited();
		default: usage();
		}
	}
	return rounds(parse_events(argv + optind), &opt);
}
