// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * readcost EVENT - prints the nanoseconds of a read(2) of the event on the CPU that counts it: the
 * lowest mean of several rounds. With an instruction counter as the guest's clock the number is that
 * of instructions.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "events.h"

#define ROUNDS	20
#define READS	500

static uint64_t now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_RAW, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int measure(int fd)
{
	uint64_t best = UINT64_MAX;
	uint64_t values[4];

	for (int round = 0; round < ROUNDS; round++) {
		uint64_t begin = now_ns();

		for (int i = 0; i < READS; i++)
			if (read(fd, values, sizeof(values)) != sizeof(values))
				return 1;
		begin = now_ns() - begin;
		if (begin < best)
			best = begin;
	}
	printf("%.1f\n", (double)best / READS);
	return 0;
}

int main(int argc, char **argv)
{
	struct event event = { 0 };
	struct perf_event_attr attr = { .size = sizeof(attr), .read_format = READ_FORMAT };
	cpu_set_t cpus;
	int ret;

	if (argc != 2) {
		fputs("usage: readcost EVENT\n", stderr);
		return 2;
	}
	ret = event_parse(argv[1], &event);
	if (!ret) {
		attr.type = event.pmu.type;
		attr.config = event.config;
		attr.config1 = event.config1;
		ret = event.fd = event_open(&attr, -1, event.pmu.cpu, -1, 0);
	}
	if (ret < 0) {
		fprintf(stderr, "readcost: %s: %s\n", argv[1], errno_name(ret));
		return 1;
	}
	CPU_ZERO(&cpus);
	CPU_SET(event.pmu.cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus)) {
		perror("readcost");
		return 1;
	}
	return measure(event.fd);
}
