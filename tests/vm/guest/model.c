// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * model - controls the modelled machine from the guest.
 *
 * Accesses the control page of the PMU model (tests/vm/model) through
 * /dev/mem. Scenarios are named in /etc/model/scenarios, one per line; the
 * number of the line, from 0, is the index on the control page.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define CTL_PAGE	0x3d3f0000ul
#define CTL_SIZE	0x10000ul	/* a multiple of every arm64 page size */

#define CTL_MAGIC	0x00
#define CTL_NSCENARIOS	0x04
#define CTL_START	0x08
#define CTL_STOP	0x0c
#define CTL_RUNNING	0x10
#define CTL_FAULT	0x14
#define CTL_MARK	0x18
#define CTL_ILLEGAL	0x1c
#define CTL_TIME_LO	0x20
#define CTL_TIME_HI	0x24
#define CTL_RAISE	0x28
#define CTL_PRESET	0x2c
#define CTL_PRESET_LO	0x30
#define CTL_PRESET_HI	0x34
#define CTL_READS	0x38
#define CTL_WRITES	0x3c

#define MAGIC		0x756d7067u	/* "gpmu" */
#define MAX_SCENARIOS	32		/* bits of CTL_RUNNING */

static const char *const fault_names[] = { "none", "tear", "unstable", "storm" };

#define FAULTS		(sizeof(fault_names) / sizeof(fault_names[0]))

static volatile uint32_t *page;
static const char *scenario_file = "/etc/model/scenarios";

static void usage(void)
{
	fputs("usage: model [-m FILE] [-o OFFSET] [-s SCENARIOS] COMMAND\n"
	      "  list                         scenarios, and which run\n"
	      "  start NAME...                start scenarios\n"
	      "  stop NAME...                 stop scenarios\n"
	      "  wait [-t SECONDS] NAME...    until no flow of them runs\n"
	      "  run [-t SECONDS] NAME...     start, then wait\n"
	      "  mark N                       write \"M N\" into the access log\n"
	      "  fault PMU none|tear|unstable|storm\n"
	      "  preset PMU COUNTER VALUE     set a counter now\n"
	      "  raise PMU COUNTER            set its overflow bit\n"
	      "  await [-t SECONDS] PMU COUNTER read|write\n"
	      "                               until the driver accessed it after the last preset\n"
	      "  illegal                      illegal accesses so far\n"
	      "  time                         the model's clock in ns\n",
	      stderr);
	exit(2);
}

static void die(const char *what, const char *why)
{
	fprintf(stderr, "model: %s: %s\n", what, why);
	exit(1);
}

static uint32_t ctl_read(unsigned int reg)
{
	return page[reg / 4];
}

static void ctl_write(unsigned int reg, uint32_t val)
{
	page[reg / 4] = val;
}

static uint64_t number(const char *s, uint64_t max)
{
	char *end;
	uint64_t v;

	errno = 0;
	v = strtoull(s, &end, 0);
	if (errno || end == s || *end || v > max)
		die(s, "not a number in range");
	return v;
}

/* The index of scenario NAME; does not return if there is none. */
static unsigned int scenario_index(const char *name)
{
	char line[128];
	unsigned int i = 0;
	FILE *f = fopen(scenario_file, "r");

	if (!f)
		die(scenario_file, strerror(errno));
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, name)) {
			fclose(f);
			if (i >= ctl_read(CTL_NSCENARIOS))
				die(name, "the model does not have it");
			return i;
		}
		i++;
	}
	fclose(f);
	die(name, "no such scenario");
	return 0;
}

static void list(void)
{
	char line[128];
	unsigned int i = 0;
	uint32_t running = ctl_read(CTL_RUNNING);
	FILE *f = fopen(scenario_file, "r");

	if (!f)
		die(scenario_file, strerror(errno));
	while (i < MAX_SCENARIOS && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		printf("%u %s%s\n", i, line, running >> i & 1 ? " running" : "");
		i++;
	}
	fclose(f);
}

static bool flows_have_ended(uint32_t mask)
{
	return !(ctl_read(CTL_RUNNING) & mask);
}

static bool was_accessed(uint32_t reg)
{
	return ctl_read(reg);
}

/* Polls every 2 ms: one read of the page costs the model a round trip. */
static void wait_for(bool (*met)(uint32_t operand), uint32_t operand, unsigned int seconds,
		     const char *cmd, const char *unmet)
{
	const struct timespec tick = { .tv_nsec = 2000000 };
	struct timespec now, end;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	while (!met(operand)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > end.tv_sec ||
		    (now.tv_sec == end.tv_sec && now.tv_nsec > end.tv_nsec))
			die(cmd, unmet);
		nanosleep(&tick, NULL);
	}
}

static void scenarios(const char *cmd, int argc, char **argv)
{
	bool wants_start = strcmp(cmd, "wait") && strcmp(cmd, "stop");
	bool wants_wait = !strcmp(cmd, "wait") || !strcmp(cmd, "run");
	unsigned int seconds = 60;
	uint32_t mask = 0;
	int i = 0;

	if (wants_wait && argc >= 2 && !strcmp(argv[0], "-t")) {
		seconds = number(argv[1], 86400);
		i = 2;
	}
	if (i >= argc)
		usage();
	for (; i < argc; i++) {
		unsigned int index = scenario_index(argv[i]);

		mask |= 1u << index;
		if (wants_start)
			ctl_write(CTL_START, index);
		else if (!wants_wait)
			ctl_write(CTL_STOP, index);
	}
	if (wants_wait)
		wait_for(flows_have_ended, mask, seconds, "wait", "flows still run");
}

static void fault(int argc, char **argv)
{
	uint32_t pmu;
	unsigned int mode;

	if (argc != 2)
		usage();
	pmu = number(argv[0], 255);
	for (mode = 0; mode < FAULTS; mode++)
		if (!strcmp(argv[1], fault_names[mode]))
			break;
	if (mode == FAULTS)
		die(argv[1], "no such fault");
	ctl_write(CTL_FAULT, pmu << 8 | mode);
}

static uint32_t counter_select(char **argv)
{
	return (uint32_t)number(argv[0], 255) << 8 | number(argv[1], 255);
}

static void preset(int argc, char **argv)
{
	uint64_t value;

	if (argc != 3)
		usage();
	value = number(argv[2], UINT64_MAX);
	ctl_write(CTL_PRESET, counter_select(argv));
	ctl_write(CTL_PRESET_LO, value);
	ctl_write(CTL_PRESET_HI, value >> 32);
}

static void await(int argc, char **argv)
{
	unsigned int seconds = 60;
	bool is_write;

	if (argc >= 2 && !strcmp(argv[0], "-t")) {
		seconds = number(argv[1], 86400);
		argc -= 2;
		argv += 2;
	}
	if (argc != 3 || (strcmp(argv[2], "read") && strcmp(argv[2], "write")))
		usage();
	is_write = !strcmp(argv[2], "write");
	ctl_write(CTL_PRESET, counter_select(argv));
	wait_for(was_accessed, is_write ? CTL_WRITES : CTL_READS, seconds, "await",
		 is_write ? "no write of the counter" : "no read of the counter");
}

static void print_time(void)
{
	uint32_t lo = ctl_read(CTL_TIME_LO);	/* latches the high word */

	printf("%" PRIu64 "\n", (uint64_t)ctl_read(CTL_TIME_HI) << 32 | lo);
}

static void map_page(const char *file, uint64_t offset)
{
	int fd = open(file, O_RDWR | O_SYNC);

	if (fd < 0)
		die(file, strerror(errno));
	page = mmap(NULL, CTL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
	if (page == MAP_FAILED)
		die(file, strerror(errno));
	close(fd);
	if (ctl_read(CTL_MAGIC) != MAGIC)
		die(file, "no model behind the control page");
}

int main(int argc, char **argv)
{
	const char *file = "/dev/mem", *cmd;
	uint64_t offset = CTL_PAGE;
	int opt;

	while ((opt = getopt(argc, argv, "+m:o:s:")) != -1) {
		switch (opt) {
		case 'm':
			file = optarg;
			break;
		case 'o':
			offset = number(optarg, UINT64_MAX);
			break;
		case 's':
			scenario_file = optarg;
			break;
		default:
			usage();
		}
	}
	if (optind == argc)
		usage();
	cmd = argv[optind];
	argc -= optind + 1;
	argv += optind + 1;
	map_page(file, offset);

	if (!strcmp(cmd, "list"))
		list();
	else if (!strcmp(cmd, "start") || !strcmp(cmd, "stop") ||
		 !strcmp(cmd, "wait") || !strcmp(cmd, "run"))
		scenarios(cmd, argc, argv);
	else if (!strcmp(cmd, "fault"))
		fault(argc, argv);
	else if (!strcmp(cmd, "preset"))
		preset(argc, argv);
	else if (!strcmp(cmd, "await"))
		await(argc, argv);
	else if (!strcmp(cmd, "mark") && argc == 1)
		ctl_write(CTL_MARK, number(argv[0], UINT32_MAX));
	else if (!strcmp(cmd, "raise") && argc == 2)
		ctl_write(CTL_RAISE, counter_select(argv));
	else if (!strcmp(cmd, "illegal"))
		printf("%" PRIu32 "\n", ctl_read(CTL_ILLEGAL));
	else if (!strcmp(cmd, "time"))
		print_time();
	else
		usage();
	return 0;
}
