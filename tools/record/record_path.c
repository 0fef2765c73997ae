// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "argument.h"
#include "common.h"
#include "message.h"
#include "record/record_path.h"

#define WAIT_MAX	100	/* times 10 ms, waiting for the lock holder's path */

/* "app" of "bin/app -n 3" */
static const char *base_of(const char *command)
{
	const char *slash = command ? strrchr(command, '/') : NULL;

	return !command ? "system" : slash ? slash + 1 : command;
}

/* Writes the variable of "%q{NAME}"; @cursor is at the brace. Returns the rest of the pattern. */
static const char *put_variable(FILE *file, const char *pattern, const char *cursor)
{
	const char *end = *cursor == '{' ? strchr(cursor, '}') : NULL, *value;
	char *name;

	if (!end)
		die("-o %s: expected %%q{VARIABLE}", pattern);
	name = need_memory(strndup(cursor + 1, (size_t)(end - cursor - 1)));
	value = getenv(name);
	if (!value)
		die("-o %s: the environment has no variable %s", pattern, name);
	fputs(value, file);
	free(name);
	return end + 1;
}

char *record_path_of(const char *pattern, const char *command)
{
	char host[HOST_NAME_MAX + 1] = "", *name = NULL;
	const char *cursor = pattern;
	size_t size;
	FILE *file;

	gethostname(host, sizeof(host) - 1);
	if (!pattern)
		return print_text("gpmu-%s-%s-%d.pftrace", base_of(command), host, (int)getpid());
	file = need_memory(open_memstream(&name, &size));
	while (*cursor) {
		if (*cursor != '%') {
			putc(*cursor++, file);
			continue;
		}
		cursor += 2;
		switch (cursor[-1]) {
		case 'h':
			fputs(host, file);
			break;
		case 'p':
			fprintf(file, "%d", (int)getpid());
			break;
		case 'q':
			cursor = put_variable(file, pattern, cursor);
			break;
		case '%':
			putc('%', file);
			break;
		default:
			die("-o %s: expected %%h, %%p, %%q{VARIABLE} or %%%%", pattern);
		}
	}
	if (fclose(file))
		die_no_memory();
	return name;
}

static int number_in(const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *text = getenv(names[i]);
		char *end;
		long number = text ? strtol(text, &end, 10) : -1;

		if (text && end != text && !*end && number >= 0 && number <= INT_MAX)
			return (int)number;
	}
	return -1;
}

struct rank rank_of_this(void)
{
	static const char *const ranks[] = {
		"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID",
	};
	static const char *const sizes[] = {
		"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS",
	};
	int number = number_in(ranks, ARRAY_SIZE(ranks));
	int count = number_in(sizes, ARRAY_SIZE(sizes));

	if (number < 0)
		return (struct rank){ .count = 0 };
	return (struct rank){ .number = number, .count = count > 0 ? count : -1 };
}

/* Opens the lock file if it is this user's own file, or creates it. Returns -1 with errno. */
static int open_own(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct stat status;

	if (fd < 0 || (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid()))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

/*
 * Opens GPMU_SAMPLER_LOCK, or a file that all processes of this user on this node share, and no
 * other user's. Any user can create a file of its name in /dev/shm and /tmp first, but not in this
 * user's folder of /run.
 */
static int open_lock(void)
{
	static const char *const names[] = {
		"/dev/shm/gpmu-sampler-%u", "/tmp/gpmu-sampler-%u", "/run/user/%u/gpmu-sampler",
	};
	const char *set = secure_getenv("GPMU_SAMPLER_LOCK");
	const unsigned int user = geteuid();
	char path[64];
	int fd = -1, first = 0;

	if (set && *set) {
		fd = open_own(set);
		if (fd < 0)
			die("GPMU_SAMPLER_LOCK: %s: %s; ranks need a file of this user to elect the one that "
			    "counts", set, errno == EPERM ? "not a file of this user" : strerror(errno));
		return fd;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names) && fd < 0; i++) {
		snprintf(path, sizeof(path), names[i], user);
		fd = open_own(path);
		first = first ? first : errno;
	}
	if (fd < 0) {
		snprintf(path, sizeof(path), names[0], user);
		die("%s: %s; ranks need a file of this user to elect the one that counts: set "
		    "GPMU_SAMPLER_LOCK to the same path for all", path,
		    first == EPERM ? "not a file of this user" : strerror(first));
	}
	return fd;
}

/*
 * Reads "PID PATH". The holder takes the lock before it writes: a line of a process that does not
 * exist was left by an earlier run, or by a process in another PID namespace.
 */
static char *read_path(int fd)
{
	const struct timespec some = { .tv_nsec = 10 * MS };
	char text[PATH_MAX + 16], *path = NULL;
	bool is_present = false;

	for (int i = 0; i < WAIT_MAX && !is_present; i++) {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
		long pid;

		text[n > 0 ? n : 0] = '\0';
		pid = strtol(text, &path, 10);
		is_present = *path == ' ' && pid > 0 && pid <= INT_MAX && (!kill((pid_t)pid, 0) || errno == EPERM);
		if (!is_present)
			nanosleep(&some, NULL);
	}
	return need_memory(strdup(*path == ' ' ? path + 1 : "?"));
}

char *record_path_elect(const char *path)
{
	char *real, *other, *text;
	int fd = open_lock();

	if (flock(fd, LOCK_EX | LOCK_NB)) {
		other = read_path(fd);
		close(fd);
		return other;
	}
	/* The descriptor stays open until gpmu ends, to hold the lock. */
	real = *path == '/' ? need_memory(strdup(path)) : NULL;
	if (!real) {
		char *folder = need_memory(getcwd(NULL, 0));

		real = print_text("%s/%s", folder, path);
		free(folder);
	}
	text = print_text("%d %s", (int)getpid(), real);
	if (ftruncate(fd, 0) || pwrite(fd, text, strlen(text), 0) < 0)
		warn("other ranks cannot record that the counters are in %s: %s", real, strerror(errno));
	free(text);
	free(real);
	return NULL;
}
