// SPDX-License-Identifier: LGPL-2.1-or-later
/* doctor: the kernel's configuration, and permissions */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include "base/text/gpmu_plural.h"
#include "doctor/doctor.h"

#define CONFIG_SIZE	  (8u << 20)
#define CAP_SYS_ADMIN_BIT 21
#define CAP_SYSLOG_BIT	  34
#define CAP_PERFMON_BIT	  38
#define FILES_PER_CPU	  64

/* --- configuration --- */

static const struct {
	const char *name, *what;
	bool is_cspmu; /* not needed if the PMUs exist */
} config_options[] = {
	{ .name = "CONFIG_ARM_CORESIGHT_PMU_ARCH_SYSTEM_PMU",
	  .what = "the kernel's driver of Grace's PMUs",
	  .is_cspmu = true },
	{ .name = "CONFIG_NVIDIA_CORESIGHT_PMU_ARCH_SYSTEM_PMU",
	  .what = "that driver's NVIDIA module",
	  .is_cspmu = true },
	{ .name = "CONFIG_ACPI_APMT", .what = "finding Grace's PMUs", .is_cspmu = true },
	{ .name = "CONFIG_ARM_SPE_PMU", .what = "sampling memory accesses" },
	{ .name = "CONFIG_ARM_PMUV3", .what = "the CPUs' counters" },
};

/* Replaces the gzip file in @text by its content. Returns false if it is none, or too big. */
static bool unpack(char *text, int length)
{
	unsigned char *packed = need_memory(malloc((size_t)length + 1));
	z_stream stream = { .next_in = packed, .avail_in = (uInt)length + 1 };
	int ret;

	memcpy(packed, text, (size_t)length);
	packed[length] = '\n'; /* gpmu_machine_read() strips a final newline. */
	stream.next_out = (unsigned char *)text;
	stream.avail_out = CONFIG_SIZE - 1;
	ret = inflateInit2(&stream, 16 + MAX_WBITS);
	if (ret == Z_OK) {
		ret = inflate(&stream, Z_FINISH);
		text[stream.total_out] = '\0';
		inflateEnd(&stream);
	}
	free(packed);
	return ret == Z_STREAM_END;
}

/* Stores the file's name in @path. Returns false if there is none. */
static bool read_config(const struct doctor *doctor, char *text, char *path, size_t size)
{
	const struct gpmu_machine *machine = doctor->common.machine;
	static const char *const places[] = { "boot/config-%s", "lib/modules/%s/config" };
	char release[128];
	int length;

	if (doctor_read(doctor, "proc/sys/kernel/osrelease", release, sizeof(release))) {
		for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
			const char *percent = strchr(places[i], '%');

			snprintf(path, size, "%.*s%s%s", (int)(percent - places[i]), places[i],
				 release, percent + 2);
			if (doctor_read(doctor, path, text, CONFIG_SIZE))
				return true;
		}
	}
	snprintf(path, size, "proc/config.gz");
	length = gpmu_machine_read(machine, path, text, CONFIG_SIZE);
	return length >= 0 && unpack(text, length);
}

/* 'y', 'm', or 0 if the option is not set */
static char option_of(const char *config, const char *name)
{
	size_t length = strlen(name);

	for (const char *cursor = config; (cursor = strstr(cursor, name)); cursor += length)
		if ((cursor == config || cursor[-1] == '\n') && cursor[length] == '=')
			return cursor[length + 1];
	return 0;
}

static void check_option(struct doctor *doctor, const char *config, size_t i)
{
	char value = option_of(config, config_options[i].name);

	if (value)
		doctor_find(doctor, LEVEL_OK, "config", NULL, "%s=%c", config_options[i].name,
			    value);
	else if (config_options[i].is_cspmu && doctor->has_pmus)
		doctor_find(doctor, LEVEL_OK, "config", NULL,
			    "%s is not set, and not needed: the PMUs exist", config_options[i].name);
	else
		doctor_find(doctor, LEVEL_WARNING, "config",
			    config_options[i].is_cspmu ?
				    "sudo modprobe grace_cspmu (gpmu's kernel-drivers: make dkms)" :
				    "install or build a kernel with this option",
			    "%s is not set: %s", config_options[i].name, config_options[i].what);
}

void doctor_check_config(struct doctor *doctor)
{
	char *config, path[256];

	if (!doctor->is_grace)
		return;
	config = need_memory(malloc(CONFIG_SIZE));
	if (read_config(doctor, config, path, sizeof(path)))
		for (size_t i = 0; i < ARRAY_SIZE(config_options); i++)
			check_option(doctor, config, i);
	else if (doctor->has_pmus)
		doctor_find(doctor, LEVEL_OK, "config", NULL,
			    "cannot be read, and is not needed: the PMUs exist");
	else
		doctor_find(
			doctor, LEVEL_WARNING, "config", "sudo modprobe configs",
			"cannot be read: neither /boot/config-$(uname -r) nor /proc/config.gz");
	free(config);
}

/* --- permissions --- */

static void read_capabilities(struct doctor *doctor)
{
	char text[8192];
	static const char key[] = "\nCapEff:";
	unsigned long long effective;
	const char *line;

	if (!doctor_read(doctor, "proc/self/status", text, sizeof(text)))
		return;
	line = strstr(text, key);
	if (!line)
		return;
	effective = strtoull(line + strlen(key), NULL, 16);
	doctor->has_sysadmin = effective >> CAP_SYS_ADMIN_BIT & 1;
	doctor->has_syslog = effective >> CAP_SYSLOG_BIT & 1;
	doctor->has_perfmon = effective >> CAP_PERFMON_BIT & 1;
}

static const char *allowed(long level)
{
	if (level < 0)
		return "the whole machine, and raw tracepoints";
	if (level == 0)
		return "the whole machine";
	if (level == 1)
		return "their own processes, in user space and in the kernel";
	if (level == 2)
		return "their own processes, in user space only";
	return "nothing";
}

static void check_paranoid(struct doctor *doctor)
{
	static const char remedy[] =
		"sudo sysctl kernel.perf_event_paranoid=0, or for gpmu alone: sudo setcap cap_perfmon+ep "
		"\"$(command -v gpmu)\"";
	bool has_rights = doctor->has_perfmon || doctor->has_sysadmin;
	char text[32];
	long level;

	if (!doctor_read(doctor, "proc/sys/kernel/perf_event_paranoid", text, sizeof(text))) {
		doctor_find(
			doctor, LEVEL_PROBLEM, "permissions",
			"boot a kernel with CONFIG_PERF_EVENTS",
			"no /proc/sys/kernel/perf_event_paranoid: the kernel has no perf events");
		return;
	}
	level = strtol(text, NULL, 10);
	if (has_rights)
		doctor_find(doctor, LEVEL_OK, "permissions", NULL,
			    "%s allows counting the whole machine (perf_event_paranoid is %ld)",
			    doctor->has_sysadmin ? "CAP_SYS_ADMIN" : "CAP_PERFMON", level);
	else if (level <= 0)
		doctor_find(doctor, LEVEL_OK, "permissions", NULL,
			    "perf_event_paranoid is %ld: all users may count %s", level,
			    allowed(level));
	else if (doctor->is_grace || level > 2)
		doctor_find(
			doctor, LEVEL_PROBLEM, "permissions", remedy,
			"perf_event_paranoid is %ld and CAP_PERFMON is missing: users may count %s%s",
			level, allowed(level), doctor->is_grace ? ", but no Grace PMU" : "");
	else
		doctor_find(
			doctor, LEVEL_WARNING, "permissions", remedy,
			"perf_event_paranoid is %ld and CAP_PERFMON is missing: users may count "
			"%s, but not system-wide (-a)",
			level, allowed(level));
}

/* The kernel shows its addresses to CAP_SYSLOG, and at kptr_restrict 0 to all if they may profile it. */
static void check_kptr(struct doctor *doctor)
{
	char text[32];
	long level, paranoid;

	if (!doctor_read(doctor, "proc/sys/kernel/kptr_restrict", text, sizeof(text)))
		return;
	level = strtol(text, NULL, 10);
	if (!doctor_read(doctor, "proc/sys/kernel/perf_event_paranoid", text, sizeof(text)))
		return;
	paranoid = strtol(text, NULL, 10);
	if ((!level && paranoid <= 1) || (level <= 1 && doctor->has_syslog))
		doctor_find(doctor, LEVEL_OK, "permissions", NULL,
			    "kptr_restrict is %ld: perf can resolve kernel symbols", level);
	else if (!level)
		doctor_find(doctor, LEVEL_WARNING, "permissions",
			    "sudo sysctl kernel.perf_event_paranoid=0",
			    "perf_event_paranoid is %ld and CAP_SYSLOG is missing: perf cannot "
			    "resolve kernel symbols; counting does not need them",
			    paranoid);
	else
		doctor_find(
			doctor, LEVEL_WARNING, "permissions",
			paranoid <= 1 || doctor->has_syslog ?
				"sudo sysctl kernel.kptr_restrict=0" :
				"sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=0",
			"kptr_restrict is %ld: perf cannot resolve kernel symbols; counting does "
			"not need them",
			level);
}

/*
 * Warns if tracefs is not mounted. A user who may not read it, or a kernel without it, is no
 * defect.
 */
static void check_tracefs(struct doctor *doctor)
{
	const struct gpmu_machine *machine = doctor->common.machine;
	char path[PATH_MAX];

	if (!gpmu_tracepoints_why(machine))
		return;
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing", gpmu_machine_root(machine));
	if (!access(path, R_OK | X_OK))
		doctor_find(doctor, LEVEL_WARNING, "permissions",
			    "sudo mount -t tracefs tracefs /sys/kernel/tracing",
			    "tracefs is not mounted: no tracepoints, and no gpmu record -a --sched");
}

/* Checks the hard limit: a session raises the soft limit itself. */
static void check_files(struct doctor *doctor)
{
	const int *list;
	size_t cpus = gpmu_machine_online_cpus(doctor->common.machine, &list);
	struct rlimit limit;
	char remedy[160];

	if (!doctor->is_here || getrlimit(RLIMIT_NOFILE, &limit))
		return;
	if (limit.rlim_max == RLIM_INFINITY || limit.rlim_max >= cpus * FILES_PER_CPU) {
		doctor_find(doctor, LEVEL_OK, "permissions", NULL, "limit of open files: %llu",
			    (unsigned long long)limit.rlim_max);
		return;
	}
	snprintf(remedy, sizeof(remedy),
		 "echo \"* hard nofile %zu\" | sudo tee "
		 "/etc/security/limits.d/gpmu.conf, and log in again",
		 cpus * FILES_PER_CPU);
	doctor_find(doctor, LEVEL_WARNING, "permissions", remedy,
		    "limit of open files: %llu; each event needs one on each of %zu %s", (unsigned long long)limit.rlim_max, cpus,
		    gpmu_plural(cpus, "CPU", "CPUs"));
}

void doctor_check_permissions(struct doctor *doctor)
{
	read_capabilities(doctor);
	check_paranoid(doctor);
	check_kptr(doctor);
	check_tracefs(doctor);
	check_files(doctor);
}
