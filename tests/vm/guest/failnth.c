// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * failnth - repeats one system call and makes the next of its allocations fail
 * each time, until no allocation is left.
 *
 * The kernel fails this thread's Nth slab allocation after N was
 * written to fail-nth, and a read returns the number of remaining ones
 * (Documentation/fault-injection/fault-injection.rst, "fail-nth"). It needs
 * CONFIG_FAILSLAB, and failslab/ignore-gfp-wait set to N.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX_ALLOCATIONS	10000

struct call {
	int (*make)(struct call *call);		/* 0 or -errno */
	void (*undo)(struct call *call);	/* after a 0 */
	/* module */
	const char *module;
	int file;
	/* event */
	struct perf_event_attr attr;
	int cpu;
	int event;
};

static void usage(void)
{
	fputs("usage: failnth module FILE NAME        load the module, and unload it\n"
	      "       failnth event TYPE CONFIG CPU   open the event, and close it\n"
	      "prints how many allocations failed, and how often the call then\n"
	      "failed with ENOMEM, failed with another error, or succeeded\n", stderr);
	exit(2);
}

static void die(const char *what)
{
	fprintf(stderr, "failnth: %s: %s\n", what, strerror(errno));
	exit(1);
}

static int load(struct call *call)
{
	return syscall(SYS_finit_module, call->file, "", 0) ? -errno : 0;
}

/* Deferred work of the module may pin it for a moment. */
static void unload(struct call *call)
{
	const struct timespec pause = { .tv_nsec = 100000000 };

	for (int i = 0; i < 100; i++) {
		if (!syscall(SYS_delete_module, call->module, O_NONBLOCK))
			return;
		nanosleep(&pause, NULL);
	}
	die(call->module);
}

static int open_event(struct call *call)
{
	call->event = (int)syscall(SYS_perf_event_open, &call->attr, -1, call->cpu, -1, 0);
	return call->event < 0 ? -errno : 0;
}

static void close_event(struct call *call)
{
	close(call->event);
}

static void set_fail_nth(int fd, unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	if (pwrite(fd, text, (size_t)len, 0) != len)
		die("fail-nth");
}

static unsigned int get_fail_nth(int fd)
{
	char text[16] = "";

	if (pread(fd, text, sizeof(text) - 1, 0) <= 0)
		die("fail-nth");
	return (unsigned int)strtoul(text, NULL, 10);
}

static unsigned long number(const char *text, unsigned long max)
{
	char *end;
	unsigned long value;

	errno = 0;
	value = strtoul(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || value > max)
		usage();
	return value;
}

static void parse(struct call *call, int argc, char **argv)
{
	if (argc == 4 && !strcmp(argv[1], "module")) {
		call->make = load;
		call->undo = unload;
		call->module = argv[3];
		call->file = open(argv[2], O_RDONLY | O_CLOEXEC);
		if (call->file < 0)
			die(argv[2]);
	} else if (argc == 5 && !strcmp(argv[1], "event")) {
		call->make = open_event;
		call->undo = close_event;
		call->attr.size = sizeof(call->attr);
		call->attr.type = (uint32_t)number(argv[2], UINT32_MAX);
		call->attr.config = number(argv[3], UINT64_MAX);
		call->cpu = (int)number(argv[4], INT32_MAX);
	} else {
		usage();
	}
}

int main(int argc, char **argv)
{
	unsigned int nomem = 0, other = 0, success = 0, n;
	struct call call = { 0 };
	bool has_more = true;
	int fd, ret;

	parse(&call, argc, argv);
	fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die("/proc/thread-self/fail-nth");
	for (n = 1; has_more && n < MAX_ALLOCATIONS; n++) {
		set_fail_nth(fd, n);
		ret = call.make(&call);
		has_more = !get_fail_nth(fd);
		set_fail_nth(fd, 0);
		if (!ret)
			call.undo(&call);
		if (!has_more)
			break;
		nomem += ret == -ENOMEM;
		success += !ret;
		if (ret && ret != -ENOMEM) {
			other++;
			fprintf(stderr, "failnth: allocation %u fails: %s\n", n, strerror(-ret));
		}
	}
	printf("failed %u: ENOMEM %u, other %u, success %u; then %s\n",
	       n - 1, nomem, other, success, ret ? strerror(-ret) : "success");
	return 0;
}
