// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * fuzz - opens, drives and closes random events of the machine's uncore PMUs.
 *
 * Detects kernel warnings (the VM panics) and impossible counts: with -z the model is
 * idle, so every event except cycle counts must read 0; an event never runs longer than
 * it is enabled; a group never opens with more events than the PMU has counters.
 */
#define _GNU_SOURCE
#include "events.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_PMUS	32
#define MAX_OPEN	48
#define MAX_ERRNO	134
#define COUNTERS	7	/* of a Grace PMU: six and the cycle counter */
#define BUS_CYCLES	0x1d	/* SCF: counts cycles in a regular counter */

struct slot {
	int fd;			/* -1: free */
	int leader;		/* slot of its leader, itself if it leads */
	unsigned int members;	/* of a leader: events of its PMU in the group */
	bool is_cycles;
	bool is_grace;		/* an event of a Grace PMU */
	bool is_readable;	/* one struct reading a read */
};

struct stats {
	unsigned long opened, grace, reads, closed, ioctls, maps, forks, bad;
	unsigned long refused[MAX_ERRNO];
};

static struct pmu pmus[MAX_PMUS];
static unsigned int nr_pmus;
static struct slot slots[MAX_OPEN];
static struct stats stats;
static uint64_t rng;
static bool is_idle;

static void usage(void)
{
	fputs("usage: fuzz [-t SECONDS] [-s SEED] [-u UID] [-z] [-y DIR]\n"
	      "  -t  how long (10)    -s  seed (1)    -u  as this user\n"
	      "  -z  no traffic: any count but cycles is an error\n"
	      "  -y  DIR in place of /sys\n", stderr);
	exit(2);
}

/* xorshift64*: small, and the same on every libc. */
static uint64_t rnd(void)
{
	rng ^= rng >> 12;
	rng ^= rng << 25;
	rng ^= rng >> 27;
	return rng * 2685821657736338717ull;
}

static unsigned int below(unsigned int n)
{
	return (rnd() >> 33) % n;
}

static bool is_one_in(unsigned int n)
{
	return below(n) == 0;
}

static int find_pmus(void)
{
	char path[256];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/bus/event_source/devices", sysfs_root);
	dir = opendir(path);
	if (!dir)
		return -errno;
	while (nr_pmus < MAX_PMUS && (d = readdir(dir)))
		if (!strncmp(d->d_name, "nvidia_", 7) &&
		    !pmu_find(d->d_name, &pmus[nr_pmus]))
			nr_pmus++;
	closedir(dir);
	return nr_pmus ? 0 : -ENODEV;
}

/* Mostly existing events, sometimes any 64 bits. */
static uint64_t random_config(void)
{
	static const uint64_t known[] = {
		0x0, 0x2, 0x6, 0xd, 0x1d, 0xf2, 0x1a5, 0x1a7, 0x1db, 1ull << 32,
	};

	if (is_one_in(4))
		return rnd();
	if (is_one_in(4))
		return below(0x200);
	return known[below(sizeof(known) / sizeof(known[0]))];
}

static uint64_t random_filter(void)
{
	switch (below(4)) {
	case 0: return 0;
	case 1: return rnd();
	case 2: return 1u << below(10);
	default: return below(0x400);
	}
}

/* Each of these may make the open fail; most opens have none of them. */
static void mutate(struct perf_event_attr *attr)
{
	switch (below(16)) {
	case 0: attr->sample_period = 1 + below(1000000); break;
	case 1: attr->freq = 1; attr->sample_freq = below(4000); break;
	case 2: attr->inherit = 1; break;
	case 3: attr->exclude_user = 1; break;
	case 4: attr->exclude_kernel = 1; break;
	case 5: attr->exclude_idle = 1; break;
	case 6: attr->read_format = rnd(); break;
	case 7: attr->sample_type = rnd(); break;
	case 8: attr->pinned = 1; break;
	case 9: attr->exclusive = 1; break;
	case 10: attr->type = below(64); break;
	case 11: attr->size = below(256); break;
	case 12: attr->enable_on_exec = 1; break;
	case 13: attr->precise_ip = below(4); break;
	case 14: attr->branch_sample_type = rnd(); break;
	default: attr->exclude_guest = 1; break;
	}
}

static int free_slot(void)
{
	int i;

	for (i = 0; i < MAX_OPEN; i++)
		if (slots[i].fd < 0)
			return i;
	return -1;
}

/* An open event, or -1. */
static int used_slot(void)
{
	int i, first = below(MAX_OPEN);

	for (i = 0; i < MAX_OPEN; i++)
		if (slots[(first + i) % MAX_OPEN].fd >= 0)
			return (first + i) % MAX_OPEN;
	return -1;
}

static int random_cpu(const struct pmu *pmu)
{
	if (!is_one_in(4))
		return pmu->cpu;
	return (int)below(8) - 1;
}

static void fuzz_open(void)
{
	const struct pmu *pmu = &pmus[below(nr_pmus)];
	struct perf_event_attr attr = {
		.type = pmu->type,
		.size = sizeof(attr),
		.config = random_config(),
		.config1 = random_filter(),
		.config2 = is_one_in(4) ? rnd() : 0,
		.disabled = below(2),
		.read_format = READ_FORMAT,
	};
	int slot = free_slot(), leader = is_one_in(2) ? used_slot() : -1;
	bool is_mutated = is_one_in(4), is_grace;
	pid_t pid = is_one_in(16) ? 0 : -1;
	int fd;

	if (slot < 0)
		return;
	if (is_one_in(32)) {	/* a software leader for the next ones */
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_CPU_CLOCK;
	}
	if (is_mutated)
		mutate(&attr);
	fd = event_open(&attr, pid, random_cpu(pmu), leader < 0 ? -1 : slots[leader].fd,
			is_one_in(16) ? PERF_FLAG_FD_CLOEXEC : 0);
	if (fd < 0) {
		stats.refused[-fd < MAX_ERRNO ? -fd : 0]++;
		return;
	}
	stats.opened++;
	is_grace = attr.type == pmu->type;
	stats.grace += is_grace;
	slots[slot] = (struct slot){
		.fd = fd,
		.leader = leader < 0 ? slot : leader,
		.members = is_grace,
		.is_cycles = attr.config == 1ull << 32 || (uint32_t)attr.config == BUS_CYCLES,
		.is_grace = is_grace,
		.is_readable = attr.read_format == READ_FORMAT,
	};
	if (leader < 0)
		return;
	slots[leader].members += slots[slot].members;
	if (slots[leader].members > COUNTERS) {
		printf("# a group of %u opened\n", slots[leader].members);
		stats.bad++;
	}
}

static void fuzz_close(void)
{
	int i, slot = used_slot();

	if (slot < 0)
		return;
	close(slots[slot].fd);
	/* Closing a leader turns its members into single events. */
	for (i = 0; i < MAX_OPEN; i++) {
		if (slots[i].fd >= 0 && slots[i].leader == slot && i != slot) {
			slots[i].leader = i;
			slots[i].members = slots[i].is_grace;
		}
	}
	if (slots[slot].leader != slot)
		slots[slots[slot].leader].members -= slots[slot].is_grace;
	slots[slot].fd = -1;
	stats.closed++;
}

static void fuzz_read(void)
{
	struct reading r;
	int slot = used_slot();

	if (slot < 0 || !slots[slot].is_readable || event_read(slots[slot].fd, &r))
		return;
	stats.reads++;
	if (r.running > r.enabled) {
		printf("# running %" PRIu64 " > enabled %" PRIu64 "\n", r.running, r.enabled);
		stats.bad++;
	}
	if (is_idle && slots[slot].is_grace && !slots[slot].is_cycles && r.value) {
		printf("# %" PRIu64 " counted without traffic\n", r.value);
		stats.bad++;
	}
}

static void fuzz_ioctl(void)
{
	static const unsigned long requests[] = {
		PERF_EVENT_IOC_ENABLE, PERF_EVENT_IOC_DISABLE, PERF_EVENT_IOC_RESET,
		PERF_EVENT_IOC_REFRESH, PERF_EVENT_IOC_PERIOD, PERF_EVENT_IOC_SET_OUTPUT,
		PERF_EVENT_IOC_PAUSE_OUTPUT,
	};
	unsigned long request = requests[below(sizeof(requests) / sizeof(requests[0]))];
	uint64_t period = rnd();
	int slot = used_slot(), other = used_slot();
	unsigned long arg = is_one_in(2) ? PERF_IOC_FLAG_GROUP : 0;

	if (slot < 0)
		return;
	if (request == PERF_EVENT_IOC_PERIOD)
		arg = (unsigned long)&period;
	else if (request == PERF_EVENT_IOC_SET_OUTPUT)
		arg = slots[other].fd;
	ioctl(slots[slot].fd, request, arg);
	stats.ioctls++;
}

/* Maps and unmaps the event's page: the driver does not support reads in user space. */
static void fuzz_map(void)
{
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = page * (1 + (is_one_in(2) ? 1u << below(3) : 0));
	int slot = used_slot();
	void *p;

	if (slot < 0)
		return;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, slots[slot].fd, 0);
	if (p != MAP_FAILED) {
		stats.maps++;
		munmap(p, size);
	}
}

/* A child that inherits every event and closes some when it exits. */
static void fuzz_fork(void)
{
	pid_t pid = fork();

	if (!pid) {
		fuzz_read();
		_exit(0);
	}
	if (pid > 0) {
		stats.forks++;
		waitpid(pid, NULL, 0);
	}
}

static void step(void)
{
	unsigned int what = below(100);

	if (what < 45)
		fuzz_open();
	else if (what < 65)
		fuzz_close();
	else if (what < 80)
		fuzz_read();
	else if (what < 95)
		fuzz_ioctl();
	else if (what < 99)
		fuzz_map();
	else
		fuzz_fork();
}

static void report(void)
{
	int i;

	printf("opened %lu grace %lu closed %lu reads %lu ioctls %lu maps %lu forks %lu bad %lu refused",
	       stats.opened, stats.grace, stats.closed, stats.reads, stats.ioctls, stats.maps,
	       stats.forks, stats.bad);
	for (i = 0; i < MAX_ERRNO; i++)
		if (stats.refused[i])
			printf(" %s:%lu", i ? errno_name(-i) : "other", stats.refused[i]);
	putchar('\n');
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
	unsigned int seconds = 10;
	time_t end;
	int c, i, uid = -1;

	rng = 1;
	while ((c = getopt(argc, argv, "t:s:u:zy:")) != -1) {
		switch (c) {
		case 't': seconds = number(optarg, UINT32_MAX); break;
		case 's': rng = number(optarg, UINT64_MAX); break;
		case 'u': uid = number(optarg, INT32_MAX); break;
		case 'z': is_idle = true; break;
		case 'y': sysfs_root = optarg; break;
		default: usage();
		}
	}
	rng = rng * 0x9e3779b97f4a7c15ull | 1;	/* never 0, xorshift's only fixed point */
	if (find_pmus()) {
		fprintf(stderr, "fuzz: no nvidia PMU\n");
		return 1;
	}
	if (uid >= 0 && setresuid(uid, uid, uid)) {
		perror("fuzz: setresuid");
		return 1;
	}
	for (i = 0; i < MAX_OPEN; i++)
		slots[i].fd = -1;
	for (end = time(NULL) + seconds; time(NULL) < end;)
		step();
	for (i = 0; i < MAX_OPEN; i++)
		if (slots[i].fd >= 0)
			close(slots[i].fd);
	report();
	return stats.bad != 0;
}
