// SPDX-License-Identifier: LGPL-2.1-or-later
#define _GNU_SOURCE
#include "events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *sysfs_root = "/sys";

/* The first line of a PMU's sysfs file; 0 or -errno. */
static int pmu_attr(const char *pmu, const char *attr, char *buf, size_t size)
{
	char path[256];
	FILE *f;
	int ret = 0;

	*buf = '\0';
	snprintf(path, sizeof(path), "%s/bus/event_source/devices/%s/%s",
		 sysfs_root, pmu, attr);
	f = fopen(path, "r");
	if (!f)
		return -errno;
	if (!fgets(buf, size, f))
		ret = -ENODATA;
	else
		buf[strcspn(buf, "\n")] = '\0';
	fclose(f);
	return ret;
}

int parse_number(const char *s, uint64_t max, uint64_t *val)
{
	char *end;

	errno = 0;
	*val = strtoull(s, &end, 0);
	return errno || end == s || *end || *s == '-' || *val > max ? -EINVAL : 0;
}

int pmu_find(const char *name, struct pmu *pmu)
{
	char buf[64];
	uint64_t n;

	if (snprintf(pmu->name, sizeof(pmu->name), "%s", name) >= (int)sizeof(pmu->name) ||
	    pmu_attr(name, "type", buf, sizeof(buf)) ||
	    parse_number(buf, UINT32_MAX, &n))
		return -ENODEV;
	pmu->type = n;
	pmu->cpu = -1;
	if (!pmu_attr(name, "cpumask", buf, sizeof(buf))) {
		buf[strcspn(buf, ",-")] = '\0';	/* the first of a list or range */
		if (!parse_number(buf, INT32_MAX, &n))
			pmu->cpu = n;
	}
	return 0;
}

/* sysfs has "event=0x1a5"; our PMUs have no other term in it. */
static int event_config(const char *pmu, const char *event, uint64_t *config)
{
	char attr[80], buf[64] = "";

	if (!parse_number(event, UINT64_MAX, config))
		return 0;
	snprintf(attr, sizeof(attr), "events/%s", event);
	if (pmu_attr(pmu, attr, buf, sizeof(buf)))
		return -ENOENT;
	if (strncmp(buf, "event=", 6))
		return -EINVAL;
	return parse_number(buf + 6, UINT64_MAX, config);
}

int event_parse(const char *spec, struct event *event)
{
	uint64_t *const others[] = { &event->config1, &event->config2, &event->config3, &event->config4 };
	char buf[SPEC_MAX], *s = buf, *name, *config, *rest;
	int ret;

	memset(event, 0, sizeof(*event));
	event->fd = -1;
	snprintf(event->spec, sizeof(event->spec), "%s", spec);
	if (snprintf(buf, sizeof(buf), "%s", spec) >= (int)sizeof(buf))
		return -EINVAL;

	if (!strcmp(spec, "cpu-clock")) {
		snprintf(event->pmu.name, sizeof(event->pmu.name), "software");
		event->pmu.type = PERF_TYPE_SOFTWARE;
		event->pmu.cpu = -1;
		event->config = PERF_COUNT_SW_CPU_CLOCK;
		return 0;
	}

	name = strsep(&s, "/");
	rest = strsep(&s, "/");
	if (!rest || !s || *s)
		return -EINVAL;
	ret = pmu_find(name, &event->pmu);
	if (ret)
		return ret;
	config = strsep(&rest, ",");
	ret = event_config(name, config, &event->config);
	for (size_t i = 0; !ret && rest && i < sizeof(others) / sizeof(others[0]); i++)
		ret = parse_number(strsep(&rest, ","), UINT64_MAX, others[i]);
	return ret ?: rest ? -EINVAL : 0;
}

int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	       unsigned long flags)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);

	return fd < 0 ? -errno : fd;
}

int event_read(int fd, struct reading *r)
{
	ssize_t n = read(fd, r, sizeof(*r));

	if (n < 0)
		return -errno;
	return n == sizeof(*r) ? 0 : -ENODATA;
}

const char *errno_name(int err)
{
	const char *name = strerrorname_np(-err);

	return name ? name : "unknown";
}
