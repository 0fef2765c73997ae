// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/machine.h"

#define MOUNTS	"proc/mounts"

/* The kernel counts cgroups of v2 only if no hierarchy of v1 has the controller perf_event. */
static bool is_v1(const struct mntent *mount)
{
	return !strcmp(mount->mnt_type, "cgroup") && hasmntopt(mount, "perf_event");
}

/* Copies the first mount point of the hierarchy to @path; it is empty if nothing is mounted. */
static int find_mount(const struct gpmu_machine *machine, char path[PATH_MAX])
{
	int fd = openat(machine->fd, MOUNTS, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char buffer[2 * PATH_MAX];
	struct mntent mount;
	bool is_version_1 = false;
	int ret;

	*path = '\0';
	if (!file) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret == -ENOENT ? 0 : ret;
	}
	while (!is_version_1 && getmntent_r(file, &mount, buffer, sizeof(buffer))) {
		is_version_1 = is_v1(&mount);
		if (is_version_1 || (!*path && !strcmp(mount.mnt_type, "cgroup2")))
			snprintf(path, PATH_MAX, "%s", mount.mnt_dir);
	}
	fclose(file);
	return 0;
}

static int open_folder(int folder, const char *path)
{
	int fd;

	path += strspn(path, "/");
	fd = openat(folder, *path ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int machine_cgroup_open(const struct gpmu_machine *machine, const char *name,
			struct gpmu_error *error)
{
	char path[PATH_MAX];
	int ret = find_mount(machine, path), mount, fd;

	if (ret) {
		error_set(error, 0, "/" MOUNTS ": %s", error_text(-ret));
		return ret;
	}
	if (!*path) {
		error_set(error, 0, "cgroup %.64s: no hierarchy of cgroups is mounted: "
			  "mount -t cgroup2 none /sys/fs/cgroup", name);
		return -ENODEV;
	}
	mount = open_folder(machine->fd, path);
	fd = mount < 0 ? mount : open_folder(mount, name);
	if (mount >= 0)
		close(mount);
	if (fd == -ENOENT || fd == -ENOTDIR)
		error_set(error, 0, "no cgroup %.64s in %.64s", name, path);
	else if (fd < 0)
		error_set(error, 0, "cgroup %.64s in %.64s: %s", name, path, error_text(-fd));
	return fd;
}
