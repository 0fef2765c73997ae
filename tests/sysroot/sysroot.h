/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fake machines for C tests, which run in the top folder: those of
 * tests/sysroot/make, and additions to them. Each has a folder of its own.
 */
#ifndef GPMU_TESTS_SYSROOT_H
#define GPMU_TESTS_SYSROOT_H

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define SYSROOT_PATH	512

struct sysroot {
	char path[64];
};

static void sysroot_bail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* An empty root, which everybody may look into */
__attribute__((unused))
static void sysroot_init(struct sysroot *root)
{
	strcpy(root->path, "/tmp/gpmu-sysroot.XXXXXX");
	if (!mkdtemp(root->path) || chmod(root->path, 0755))
		sysroot_bail(root->path);
}

/* The exit status of a program, -1 if it has none; what it prints is dropped. */
__attribute__((unused))
static int sysroot_run(const char *program, const char *const *args)
{
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		if (freopen("/dev/null", "w", stdout))
			execvp(program, (char *const *)args);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* That of the table @name */
__attribute__((unused))
static void sysroot_make(struct sysroot *root, const char *name)
{
	const char *const args[] = { "make", name, root->path, NULL };

	sysroot_init(root);
	if (sysroot_run("tests/sysroot/make", args))
		sysroot_bail(name);
}

__attribute__((format(printf, 3, 4), unused))
static void sysroot_path(const struct sysroot *root, char *path, const char *fmt, ...)
{
	int len = snprintf(path, SYSROOT_PATH, "%s/", root->path);
	va_list args;

	va_start(args, fmt);
	vsnprintf(path + len, SYSROOT_PATH - (size_t)len, fmt, args);
	va_end(args);
}

/* Makes the folders above the last of the path. */
__attribute__((unused))
static void sysroot_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static int sysroot_unlink(const char *path, const struct stat *stat, int flag, struct FTW *ftw)
{
	(void)stat;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Removes what is there, a folder with all that is in it. */
__attribute__((unused))
static void sysroot_remove(const struct sysroot *root, const char *name)
{
	char path[SYSROOT_PATH];

	sysroot_path(root, path, "%s", name);
	if (!remove(path))
		return;
	nftw(path, sysroot_unlink, 16, FTW_DEPTH | FTW_PHYS);
}

__attribute__((unused))
static void sysroot_release(struct sysroot *root)
{
	if (nftw(root->path, sysroot_unlink, 16, FTW_DEPTH | FTW_PHYS))
		sysroot_bail(root->path);
}

/* A file of these bytes, in the place of what is there */
__attribute__((unused))
static void sysroot_put_bytes(const struct sysroot *root, const char *name, const void *bytes,
			      size_t len)
{
	char path[SYSROOT_PATH];
	FILE *f;

	sysroot_remove(root, name);
	sysroot_path(root, path, "%s", name);
	sysroot_folders(path);
	f = fopen(path, "w");
	if (!f || fwrite(bytes, 1, len, f) != len || fclose(f))
		sysroot_bail(path);
}

__attribute__((unused))
static void sysroot_put(const struct sysroot *root, const char *name, const char *text)
{
	sysroot_put_bytes(root, name, text, strlen(text));
}

__attribute__((unused))
static void sysroot_link(const struct sysroot *root, const char *name, const char *target)
{
	char path[SYSROOT_PATH];

	sysroot_remove(root, name);
	sysroot_path(root, path, "%s", name);
	sysroot_folders(path);
	if (symlink(target, path))
		sysroot_bail(path);
}

__attribute__((unused))
static void sysroot_mode(const struct sysroot *root, const char *name, mode_t mode)
{
	char path[SYSROOT_PATH];

	sysroot_path(root, path, "%s", name);
	if (chmod(path, mode))
		sysroot_bail(path);
}

#endif /* GPMU_TESTS_SYSROOT_H */
