/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks which libraries a program may load if it has more privileges than its user, by
 * capabilities or the set-user-ID bit of its file (AT_SECURE of getauxval(3)). PRIVILEGES in
 * gpmu(1) has the rules. Inline, so that a plugin needs the header only.
 */
#ifndef GPMU_TRUST_H
#define GPMU_TRUST_H

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Format of the reason for a refusal, for @real of trust_path() */
#define TRUST_REFUSED	"%.90s: a program with capabilities loads only files that root alone can " \
			"write; see PRIVILEGES in gpmu(1)"

static inline bool trust_is_limited(void)
{
	return getauxval(AT_SECURE);
}

/* A user's own mount, such as one of FUSE, is nosuid, and can show any owner and mode. */
static inline bool trust_component(const char *path)
{
	struct statvfs mount;
	struct stat status;

	return !lstat(path, &status) && !status.st_uid && !(status.st_mode & (S_IWGRP | S_IWOTH)) &&
	       !statvfs(path, &mount) && !(mount.f_flag & ST_NOSUID);
}

/*
 * Returns the path by which to load @path. It is @path itself, unless the program has more
 * privileges than its user. Then it is @real, which is @path without links, so that only root can
 * replace the file after the check. If other users than root can write the file or a folder of
 * its path, returns NULL with that file or folder in @real.
 */
static inline const char *trust_path(const char *path, char real[PATH_MAX])
{
	if (!trust_is_limited())
		return path;
	/* If realpath() fails, @real has the part of the path that could not be resolved, or nothing. */
	*real = '\0';
	if (!realpath(path, real))
		return NULL;
	for (char *end = real + 1;; end++) {
		const char next = *end;

		if (next && next != '/')
			continue;
		*end = '\0';
		if (!trust_component(real))
			return NULL;
		*end = next;
		if (!next)
			return trust_component("/") ? real : NULL;
	}
}

#endif /* GPMU_TRUST_H */
