/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of events in the guest tools, on top of perf_event_open(2) and
 * /sys/bus/event_source.
 */
#ifndef GPMU_GUEST_EVENTS_H
#define GPMU_GUEST_EVENTS_H

#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/types.h>

#define SPEC_MAX	128
#define PMU_NAME_MAX	64

/* Where sysfs is; "/sys" unless a test sets another path. */
extern const char *sysfs_root;

struct pmu {
	char name[PMU_NAME_MAX];
	uint32_t type;
	int cpu;	/* first of its cpumask, -1 if it has none */
};

struct event {
	char spec[SPEC_MAX];
	struct pmu pmu;
	uint64_t config, config1, config2, config3, config4;
	int group;	/* events with the same number form a group */
	int fd;
};

/* The result of reading one event with READ_FORMAT. */
struct reading {
	uint64_t value, enabled, running, id;
};

#define READ_FORMAT	(PERF_FORMAT_TOTAL_TIME_ENABLED | \
			 PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID)

/* 0, or -ENODEV if there is no PMU of that name. */
int pmu_find(const char *name, struct pmu *pmu);

/*
 * Fills in EVENT from PMU/EVENT[,CONFIG1[,CONFIG2[,CONFIG3[,CONFIG4]]]]/ where
 * EVENT is a number or a name of the PMU's sysfs, or from cpu-clock. 0; -ENODEV: no such PMU;
 * -ENOENT: no such event; -EINVAL: malformed.
 */
int event_parse(const char *spec, struct event *event);

/* A file descriptor or -errno. */
int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	       unsigned long flags);

/* 0 or -errno; -ENODATA if the event is in error state (reads as end of file). */
int event_read(int fd, struct reading *r);

/* Parses the number S in C's notation; 0, or -EINVAL, also if it is above MAX. */
int parse_number(const char *s, uint64_t max, uint64_t *val);

/* "EINVAL" of -EINVAL. */
const char *errno_name(int err);

#endif /* GPMU_GUEST_EVENTS_H */
