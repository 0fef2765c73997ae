// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common.h"
#include "record/record_path.h"

#define WAIT_MOST	100	/* times 10 ms, waiting for the lock holder's path */

/* "app" of "bin/app -n 3" */
static const char *base_of(const char *command)
{
	const char *slash = command ? strrchr(command, '/') : NULL;

	return !command ? "system" : slash ? slash + 1 : command;
}

/* Writes the variable of "%q{NAME}"; @at is at the brace. Returns the rest of the pattern. */
static const char *put_variable(FILE *file, const char *pattern, const char *at)
{
	const char *end = *at == '{' ? strchr(at, '}') : NULL, *value;
	char *name;

	if (!end)
		die("-o %s: expected %%q{VARIABLE}", pattern);
	name = need_memory(strndup(at + 1, (size_t)(end - at - 1)));
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
	const char *at = pattern;
	size_t size;
	FILE *file;

	gethostname(host, sizeof(host) - 1);
	if (!pattern)
		return print_text("gpmu-%s-%s-%d.pftrace", base_of(command), host, (int)getpid());
	file = need_memory(open_memstream(&name, &size));
	while (*at) {
		if (*at != '%') {
			putc(*at++, file);
			continue;
		}
		at += 2;
		switch (at[-1]) {
		case 'h':
			fputs(host, file);
			break;
		case 'p':
			fprintf(file, "%d", (int)getpid());
			break;
		case 'q':
			at = put_variable(file, pattern, at);
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
	struct rank rank = { .rank = number_in(ranks, sizeof(ranks) / sizeof(ranks[0])) };
	int size = rank.rank < 0 ? 0 : number_in(sizes, sizeof(sizes) / sizeof(sizes[0]));

	rank.ranks = size > 0 ? size : 0;
	return rank;
}

/* GPMU_SAMPLER_LOCK, or a file that all of this user's processes on this node share, and no other user's */
static int open_lock(void)
{
	const char *set = getenv("GPMU_SAMPLER_LOCK");
	char *path = set && *set ? need_memory(strdup(set)) :
				   print_text("/dev/shm/gpmu-sampler-%u", (unsigned int)geteuid());
	struct stat status;
	int fd;

	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 && !(set && *set)) {
		free(path);
		path = print_text("/tmp/gpmu-sampler-%u", (unsigned int)geteuid());
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	if (fd < 0)
		die("%s: %s; ranks need this file to elect the one that counts", path, strerror(errno));
	if (fstat(fd, &status) || status.st_uid != geteuid())
		die("%s belongs to another user; remove it, as ranks need it to elect the one "
		    "that counts", path);
	free(path);
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
	bool there = false;

	for (int i = 0; i < WAIT_MOST && !there; i++) {
		ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
		long pid;

		text[n > 0 ? n : 0] = '\0';
		pid = strtol(text, &path, 10);
		there = *path == ' ' && pid > 0 && pid <= INT_MAX && (!kill((pid_t)pid, 0) || errno == EPERM);
		if (!there)
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
