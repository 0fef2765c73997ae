// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The folder of channels, gpmu-XXXXXX, which other users cannot access. The recording
 * locks the file "lock" in it, so that the next recording recognises folders of killed
 * ones.
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
#include "base/text.h"
#include "record/recorder.h"

#define PREFIX		"gpmu-"
#define LOCK		"lock"
#define YOUNG		60 /* seconds: a younger folder without a lock may be about to get one */

/* In memory, if this folder exists */
static const char shared[] = "/dev/shm";

static void remove_files(int folder)
{
	DIR *dir = fdopendir(dup(folder));
	const struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			unlinkat(folder, entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* Whether its recording has ended: the lock is free or missing */
static bool is_left(int folder, const struct stat *status)
{
	int lock = openat(folder, LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	bool left;

	if (lock < 0)
		return errno == ENOENT && status->st_mtime + YOUNG < time(NULL);
	left = !flock(lock, LOCK_EX | LOCK_NB);
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
static int lock_folder(struct gpmu_recorder *recorder)
{
	char *path = text_print("%s/" LOCK, recorder->folder);
	char *made = text_print("%s/" LOCK ".new", recorder->folder);
	int ret = path && made ? 0 : -ENOMEM;

	if (!ret) {
		recorder->folder_lock = open(made, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		if (recorder->folder_lock < 0 || flock(recorder->folder_lock, LOCK_EX | LOCK_NB) ||
		    rename(made, path))
			ret = -errno;
	}
	free(path);
	free(made);
	return ret;
}

/* Makes a folder by mkdtemp(), such as /dev/shm/gpmu-k3Jx9a. */
static int make_in(struct gpmu_recorder *recorder, const char *parent)
{
	char *folder;
	int ret;

	recorder_folder_clean(parent);
	folder = text_print("%s/" PREFIX "XXXXXX", parent);
	if (!folder)
		return -ENOMEM;
	if (!mkdtemp(folder)) {
		ret = -errno;
		free(folder);
		return ret;
	}
	recorder->folder = folder;
	return lock_folder(recorder);
}

int recorder_folder_make(struct gpmu_recorder *recorder, struct gpmu_error *error)
{
	const char *temporary = getenv("TMPDIR");
	char why[96];
	int ret;

	temporary = temporary && *temporary == '/' ? temporary : "/tmp";
	ret = make_in(recorder, shared);
	if (ret && !recorder->folder)
		ret = make_in(recorder, temporary);
	if (ret)
		error_set(error, 0, "no folder for shared memory in %s or %s: %s; TMPDIR can name one",
			  shared, temporary, strerror_r(-ret, why, sizeof(why)));
	return ret;
}

void recorder_folder_remove(struct gpmu_recorder *recorder)
{
	int folder;

	if (!recorder->folder)
		return;
	folder = open(recorder->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder >= 0) {
		remove_files(folder);
		close(folder);
	}
	rmdir(recorder->folder);
	if (recorder->folder_lock >= 0)
		close(recorder->folder_lock);
	free(recorder->folder);
	recorder->folder = NULL;
}
