// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpmu_replace.h"

#define TRIES	100

/* Splits a path: opens its folder, and copies its last part to @name. */
static int open_folder(const char *path, char name[NAME_MAX + 1])
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char folder[PATH_MAX] = ".";
	int fd;

	/* The folder of "/x" is "/". */
	if (slash && snprintf(folder, sizeof(folder), "%.*s", (int)(last - path), path) >= PATH_MAX)
		return -ENAMETOOLONG;
	if (!*last || snprintf(name, NAME_MAX + 1, "%s", last) > NAME_MAX)
		return *last ? -ENAMETOOLONG : -EISDIR;
	fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* Finds the folder and the name of an open file, with all links resolved. */
static int find(struct replace *replace, int fd)
{
	char link[sizeof("/proc/self/fd/") + 12], path[PATH_MAX];
	struct stat file, named;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof(path) - 1);
	if (length < 0)
		return -errno;
	path[length] = '\0';
	replace->folder = open_folder(path, replace->name);
	if (replace->folder < 0)
		return replace->folder;
	/* The folder, or the file, may have been renamed since. */
	if (!fstat(fd, &file) &&
	    !fstatat(replace->folder, replace->name, &named, AT_SYMLINK_NOFOLLOW) &&
	    file.st_dev == named.st_dev && file.st_ino == named.st_ino)
		return 0;
	close(replace->folder);
	replace->folder = -1;
	return -ESTALE;
}

/* Makes the temporary file: "name.k3Jx9a". O_EXCL refuses any file or link that has this name. */
static int make(struct replace *replace, mode_t mode)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
	const size_t length = strlen(replace->name);
	unsigned char bytes[6];
	char *end = replace->temporary + length;
	int fd = -1;

	if (length + 1 + sizeof(bytes) > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(replace->temporary, replace->name, length);
	*end++ = '.';
	end[sizeof(bytes)] = '\0';
	for (int i = 0; i < TRIES && fd < 0; i++) {
		if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
			return -errno;
		for (size_t k = 0; k < sizeof(bytes); k++)
			end[k] = letters[bytes[k] % (sizeof(letters) - 1)];
		fd = openat(replace->folder, replace->temporary,
			    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd < 0 ? -errno : fd;
}

/* Makes the temporary file in the folder that was found. The kernel applies the umask to @mode. */
static int begin(struct replace *replace, mode_t mode)
{
	int fd = make(replace, mode);

	if (fd < 0) {
		close(replace->folder);
		replace->folder = -1;
	}
	return fd;
}

static bool is_replaceable(int fd)
{
	struct statx status;

	return !statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &status) &&
	       S_ISREG(status.stx_mode) && status.stx_nlink == 1 &&
	       !(status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Gives the file @fd the owner and the mode of the file @old. */
static int take_owner(int fd, int old)
{
	struct stat status, own;

	if (fstat(old, &status) || fstat(fd, &own))
		return -errno;
	if ((own.st_uid != status.st_uid || own.st_gid != status.st_gid) &&
	    fchown(fd, status.st_uid, status.st_gid))
		return -errno;
	return fchmod(fd, status.st_mode & 0777) ? -errno : 0;
}

int gpmu_replace_beside(struct replace *replace, int fd)
{
	int ret, temporary;

	replace->folder = -1;
	ret = is_replaceable(fd) ? find(replace, fd) : -EINVAL;
	if (ret)
		return ret;
	temporary = begin(replace, 0600);
	if (temporary < 0)
		return temporary;
	ret = take_owner(temporary, fd);
	if (!ret)
		return temporary;
	close(temporary);
	gpmu_replace_drop(replace);
	return ret;
}

/* Begins a file that does not exist yet. */
static int begin_new(struct replace *replace, const char *path)
{
	replace->folder = open_folder(path, replace->name);
	return replace->folder < 0 ? replace->folder : begin(replace, 0666);
}

/* Returns whether the path names a file that another process, or this one, has opened. */
static bool is_open_file(const char *path)
{
	return !strcmp(path, "/dev/stdout") || !strcmp(path, "/dev/stderr") ||
	       !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/proc/", 6);
}

/* Returns a temporary file for @fd, which is closed; or @fd, emptied, if it cannot be replaced. */
static int begin_or_empty(struct replace *replace, int fd)
{
	int temporary = gpmu_replace_beside(replace, fd);

	if (temporary >= 0) {
		close(fd);
		return temporary;
	}
	/* Only a regular file has a size. */
	if (!ftruncate(fd, 0) || errno == EINVAL)
		return fd;
	temporary = -errno;
	close(fd);
	return temporary;
}

int gpmu_replace_open(struct replace *replace, const char *path, int flags)
{
	struct stat status;
	int fd;

	replace->folder = -1;
	if (is_open_file(path))
		flags = O_APPEND;
	if (!flags && lstat(path, &status) && errno == ENOENT) {
		fd = begin_new(replace, path);
		if (fd >= 0)
			return fd;
	}
	/* With O_CREAT also for existing files, as fs.protected_regular refuses only this. */
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0666);
	if (fd < 0)
		return -errno;
	return flags ? fd : begin_or_empty(replace, fd);
}

int gpmu_replace_end(struct replace *replace)
{
	int ret;

	if (replace->folder < 0)
		return 0;
	if (renameat(replace->folder, replace->temporary, replace->folder, replace->name)) {
		ret = -errno;
		gpmu_replace_drop(replace);
		return ret;
	}
	close(replace->folder);
	replace->folder = -1;
	return 0;
}

void gpmu_replace_drop(struct replace *replace)
{
	if (replace->folder < 0)
		return;
	unlinkat(replace->folder, replace->temporary, 0);
	close(replace->folder);
	replace->folder = -1;
}

void gpmu_replace_remove(int fd)
{
	struct replace replace;

	if (find(&replace, fd))
		return;
	unlinkat(replace.folder, replace.name, 0);
	close(replace.folder);
}
