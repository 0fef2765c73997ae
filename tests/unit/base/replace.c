// SPDX-License-Identifier: LGPL-2.1-or-later
/* Output files: links, files of others, FIFOs, devices and folders */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/gpmu_replace.h"
#include "sysroot.h"
#include "tap.h"

static const char *protected;	/* name that open() refuses, as a kernel with fs.protected_symlinks */
static unsigned int draws;	/* of random names */

int __real_open(const char *path, int flags, mode_t mode);
int __wrap_open(const char *path, int flags, mode_t mode);
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned int flags);

int __wrap_open(const char *path, int flags, mode_t mode)
{
	/* Links are protected always, files and FIFOs if they are opened with O_CREAT. */
	if (protected && !strcmp(path, protected) && (flags & O_CREAT)) {
		errno = EACCES;
		return -1;
	}
	return __real_open(path, flags, mode);
}

/* The first name is aaaaaa, the second one bbbbbb. */
ssize_t __wrap_getrandom(void *bytes, size_t size, unsigned int flags)
{
	(void)flags;
	memset(bytes, (int)draws++, size);
	return (ssize_t)size;
}

static void put(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file || fputs(text, file) < 0 || fclose(file))
		sysroot_bail(path);
}

/* The content of a file that is no link; "none" if there is none */
static const char *content(const char *path)
{
	static char text[64];
	int fd = __real_open(path, O_RDONLY | O_NOFOLLOW, 0);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (fd >= 0)
		close(fd);
	if (n < 0)
		return "none";
	text[n] = '\0';
	return text;
}

static bool is_link(const char *path)
{
	struct stat status;

	return !lstat(path, &status) && S_ISLNK(status.st_mode);
}

static bool exists(const char *path)
{
	struct stat status;

	return !lstat(path, &status);
}

static int begin(struct replace *replace, const char *path)
{
	int fd;

	draws = 0;
	fd = gpmu_replace_open(replace, path, 0);
	if (fd >= 0 && write(fd, "new", 3) != 3)
		sysroot_bail(path);
	return fd;
}

static int write_all(const char *path)
{
	struct replace replace;
	int fd = begin(&replace, path);

	if (fd < 0)
		return fd;
	close(fd);
	return gpmu_replace_end(&replace);
}

static void files(void)
{
	struct replace replace;
	struct stat status;
	int fd;

	put("file", "old");
	chmod("file", 0640);
	fd = begin(&replace, "file");
	ok(fd >= 0 && !strcmp(content("file"), "old") && !strcmp(content("file.aaaaaa"), "new"),
	   "replace: the old file stays until the new one, which is beside it, is complete");
	close(fd);
	ok(!gpmu_replace_end(&replace) && !strcmp(content("file"), "new") && !exists("file.aaaaaa") &&
	   !stat("file", &status) && (status.st_mode & 0777) == 0640,
	   "replace: the complete file has the name and the mode of the old one");
	fd = begin(&replace, "none");
	ok(fd >= 0 && !exists("none"), "replace: a new file has no name until it is complete");
	close(fd);
	gpmu_replace_drop(&replace);
	ok(!exists("none") && !exists("none.aaaaaa"), "replace: a dropped new file leaves nothing behind");
	umask(027);
	ok(!write_all("none") && !stat("none", &status) && (status.st_mode & 0777) == 0640 && umask(022) == 027,
	   "replace: a new file has the mode that the umask allows");
	unlink("none");
	put("victim", "victim");
	if (symlink("victim", "file.aaaaaa"))
		sysroot_bail("file.aaaaaa");
	ok(!write_all("file") && !strcmp(content("victim"), "victim") && is_link("file.aaaaaa"),
	   "replace: a link that has the name of the temporary file is not followed");
	unlink("file.aaaaaa");
}

static void links(void)
{
	put("target", "old");
	if (symlink("target", "link"))
		sysroot_bail("link");
	ok(!write_all("link") && is_link("link") && !strcmp(content("target"), "new"),
	   "replace: the file that a link leads to is replaced, and the link stays");
	put("target", "old");
	protected = "link";
	ok(write_all("link") == -EACCES && is_link("link") && !strcmp(content("target"), "old"),
	   "replace: a link that the kernel does not let this user follow leads to no file");
	protected = "target";
	ok(write_all("target") == -EACCES && !strcmp(content("target"), "old"),
	   "replace: a file that the kernel does not let this user create is not replaced");
	protected = NULL;
	unlink("target");
	ok(!write_all("link") && is_link("link") && !strcmp(content("target"), "new"),
	   "replace: the file that a dangling link leads to is created");
}

/* /dev/shm is an ordinary folder, but the names in /dev/fd belong to open files. */
static void shared_memory(void)
{
	char path[] = "/dev/shm/gpmu-replace-XXXXXX", number[32];
	int fd = mkstemp(path);

	if (fd < 0) {
		printf("ok %u - %s # SKIP %s\n", ++tap_run, "replace: a file in /dev/shm is replaced",
		       "/dev/shm cannot be written");
		return;
	}
	ok(write(fd, "an old file", 11) == 11 && !write_all(path) && !strcmp(content(path), "new"),
	   "replace: a file in /dev/shm is replaced");
	unlink(path);
	snprintf(number, sizeof(number), "/dev/fd/%d", fd);
	ok(!write_all(number) && pread(fd, path, 14, 0) == 14 && !memcmp(path, "an old filenew", 14),
	   "replace: an open file that is named by /dev/fd is appended to");
	close(fd);
}

static void others(void)
{
	struct replace replace;
	char bytes[8] = "";
	int fd, reader;

	if (mkfifo("fifo", 0600))
		sysroot_bail("fifo");
	reader = __real_open("fifo", O_RDWR | O_NONBLOCK, 0);
	ok(!write_all("fifo") && read(reader, bytes, sizeof(bytes)) == 3 && !strcmp(bytes, "new"),
	   "replace: a FIFO is written in place");
	close(reader);
	ok(!write_all("/dev/null") && !exists("/dev/null.aaaaaa"),
	   "replace: a device is written in place");
	shared_memory();
	put("one", "an old file");
	if (link("one", "two"))
		sysroot_bail("two");
	ok(!write_all("one") && !strcmp(content("two"), "new"),
	   "replace: a file with two names is emptied and written in place");
	put("file", "old");
	fd = gpmu_replace_open(&replace, "file", O_APPEND);
	ok(fd >= 0 && write(fd, "er", 2) == 2 && !strcmp(content("file"), "older"),
	   "replace: O_APPEND appends to the file itself");
	close(fd);
	gpmu_replace_drop(&replace);
	ok(write_all("none/file") == -ENOENT && write_all("file/") == -EISDIR && write_all(".") == -EISDIR,
	   "replace: a path that names no file is refused with the error of open(2)");
}

/* An open file keeps its owner, or is not replaced. */
static void owners(void)
{
	struct replace replace;
	struct stat status;
	int fd;

	put("owned", "old");
	chmod("owned", 0604);
	fd = __real_open("owned", O_RDWR, 0);
	if (!fchown(fd, 12345, 23456)) {
		ok(gpmu_replace_beside(&replace, fd) >= 0 && !gpmu_replace_end(&replace) && !stat("owned", &status) &&
		   status.st_uid == 12345 && status.st_gid == 23456 && (status.st_mode & 0777) == 0604,
		   "replace: the replacement of an open file has its owner, group and mode");
	} else {
		printf("ok %u - %s # SKIP %s\n", ++tap_run,
		       "replace: the replacement of an open file has its owner, group and mode", "not root");
	}
	close(fd);
	put("first", "old");
	if (link("first", "second"))
		sysroot_bail("second");
	fd = __real_open("first", O_RDWR, 0);
	ok(gpmu_replace_beside(&replace, fd) == -EINVAL && replace.folder < 0,
	   "replace: an open file with two names is not replaced");
	close(fd);
}

/* Another user exchanges the folder for a link to the victim's. */
static void folders(void)
{
	struct replace replace;
	int fd;

	if (mkdir("shared", 0777) || mkdir("victims", 0777))
		sysroot_bail("shared");
	put("shared/file", "old");
	put("victims/file", "victim");
	fd = begin(&replace, "shared/file");
	close(fd);
	if (rename("shared", "moved") || symlink("victims", "shared"))
		sysroot_bail("moved");
	ok(!gpmu_replace_end(&replace) && !strcmp(content("victims/file"), "victim") &&
	   !strcmp(content("moved/file"), "new"),
	   "replace: the file is replaced in the folder in which it was opened");
	fd = __real_open("moved/file", O_RDONLY, 0);
	ok(gpmu_replace_beside(&replace, fd) >= 0 && exists("moved/file.bbbbbb") && !gpmu_replace_end(&replace) &&
	   !strcmp(content("moved/file"), ""),
	   "replace: an open file is replaced in its folder");
	put("moved/file", "another");
	gpmu_replace_remove(fd);
	ok(!strcmp(content("moved/file"), "another"),
	   "replace: gpmu_replace_remove() leaves a file that has taken the name of the open file");
	close(fd);
	fd = __real_open("shared/file", O_RDONLY, 0);
	gpmu_replace_remove(fd);
	ok(!exists("victims/file") && is_link("shared"), "replace: gpmu_replace_remove() removes the open file");
	close(fd);
}

int main(void)
{
	struct sysroot root;

	sysroot_init(&root);
	if (chdir(root.path))
		sysroot_bail(root.path);
	files();
	links();
	others();
	owners();
	folders();
	if (chdir("/"))
		sysroot_bail("/");
	sysroot_release(&root);
	return done_testing();
}
