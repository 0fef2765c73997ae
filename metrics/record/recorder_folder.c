// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The folders of channels, gpmu-XXXXXX, which other users cannot access: one in memory, and a spare
 * one for the channels that find no room there, such as in the 64 MiB of a container. The recording
 * locks the file "lock" in each, so that the next recording recognises folders of killed
 * recordings.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text/text.h"
#include "record/recorder.h"

#define PREFIX		"gpmu-"
#define LOCK		"lock"

/* In memory, if this folder exists */
static const char shared[] = "/dev/shm";

/* Whether a recording makes files of this name: "control", "1234.0", "new-k3Jx9a" */
static bool is_ours(const char *name)
{
	static const char *const names[] = { LOCK, LOCK ".new", CHANNEL_CONTROL, CHANNEL_REGIONS, CHANNEL_SPARE };
	size_t digits = strspn(name, "0123456789");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "new-", 4) || !strncmp(name, CHANNEL_LOST, strlen(CHANNEL_LOST)) ||
	       (digits && name[digits] == '.');
}

static void remove_files(int folder)
{
	DIR *dir = fdopendir(dup(folder));
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_ours(entry->d_name))
			unlinkat(folder, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/*
 * Whether a recording has made the folder, and has ended: its lock is free. A folder without a lock may be
 * anyone's.
 */
static bool is_left(int folder, const struct stat *status)
{
	int lock = openat(folder, LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool left;

	if (lock < 0)
		return false;
	left = (status->st_mode & ALLPERMS) == S_IRWXU && !flock(lock, LOCK_EX | LOCK_NB);
	close(lock);
	return left;
}

static bool has_name(const char *name)
{
	return !strncmp(name, PREFIX, strlen(PREFIX)) && strlen(name) == strlen(PREFIX) + 6;
}

void recorder_folder_clean(const char *parent)
{
	DIR *dir = opendir(parent);
	const struct dirent *entry;
	struct stat status;

	while (dir && (entry = readdir(dir))) {
		int folder;

		if (!has_name(entry->d_name))
			continue;
		folder = openat(dirfd(dir), entry->d_name,
				O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
		if (folder < 0)
			continue;
		if (!fstat(folder, &status) && status.st_uid == geteuid() &&
		    is_left(folder, &status)) {
			remove_files(folder);
			unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
		}
		close(folder);
	}
	if (dir)
		closedir(dir);
}

/*
 * Creates the lock file under another name, locks it and renames it; a free lock thus
 * always means that its recording has ended.
 */
static int lock_folder(struct recorder_folder *folder)
{
	const int fd = folder->fd;

	folder->lock = openat(fd, LOCK ".new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (folder->lock < 0 || flock(folder->lock, LOCK_EX | LOCK_NB) ||
	    renameat(fd, LOCK ".new", fd, LOCK))
		return -errno;
	return 0;
}

static void remove_folder(struct recorder_folder *folder)
{
	if (!folder->path)
		return;
	/* The program may have moved the folder, and put a link in its place. */
	if (folder->fd >= 0) {
		remove_files(folder->fd);
		close(folder->fd);
	}
	rmdir(folder->path);
	if (folder->lock >= 0)
		close(folder->lock);
	free(folder->path);
	*folder = (struct recorder_folder){ .fd = -1, .lock = -1 };
}

/* Makes a folder by mkdtemp(), such as /dev/shm/gpmu-k3Jx9a. */
static int make_in(struct recorder_folder *folder, const char *parent)
{
	int ret;

	recorder_folder_clean(parent);
	folder->path = text_print("%s/" PREFIX "XXXXXX", parent);
	if (!folder->path)
		return -ENOMEM;
	if (!mkdtemp(folder->path)) {
		ret = -errno;
		free(folder->path);
		folder->path = NULL;
		return ret;
	}
	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ret = folder->fd < 0 ? -errno : lock_folder(folder);
	if (ret)
		remove_folder(folder);
	return ret;
}

static bool on_same_device(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) || stat(other, &b) || a.st_dev == b.st_dev;
}

/* Without a spare folder, processes that find no room are not recorded, and counted. */
static void make_spare(struct recorder_folder *folders, const char *parent)
{
	struct recorder_folder *spare = &folders[RECORDER_SPARE];
	char *link = text_print("%s/" CHANNEL_SPARE, folders[RECORDER_MAIN].path);

	if (link && !on_same_device(folders[RECORDER_MAIN].path, parent) &&
	    !make_in(spare, parent) && symlink(spare->path, link))
		remove_folder(spare);
	free(link);
}

int recorder_folder_make(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	struct recorder_folder *main = &recorder->folders[RECORDER_MAIN];
	const char *temporary = secure_getenv("TMPDIR");
	char why[96];
	int ret;

	temporary = temporary && *temporary == '/' ? temporary : "/tmp";
	ret = make_in(main, shared);
	if (!ret)
		make_spare(recorder->folders, temporary);
	else
		ret = make_in(main, temporary);
	if (ret)
		error_set(error, 0,
			  "no folder for shared memory in %s or %s: %s; TMPDIR can name one",
			  shared, temporary, strerror_r(-ret, why, sizeof(why)));
	return ret;
}

bool recorder_folder_move(struct gpmu_recorder *recorder)
{
	struct recorder_folder *folders = recorder->folders;

	if (!folders[RECORDER_SPARE].path)
		return false;
	remove_folder(&folders[RECORDER_MAIN]);
	folders[RECORDER_MAIN] = folders[RECORDER_SPARE];
	folders[RECORDER_SPARE] = (struct recorder_folder){ .fd = -1, .lock = -1 };
	return true;
}

void recorder_folder_remove(struct gpmu_recorder *recorder)
{
	for (int i = 0; i < RECORDER_FOLDERS; i++)
		remove_folder(&recorder->folders[i]);
}
