// SPDX-License-Identifier: LGPL-2.1-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vector.h"
#include "machine/sysfs.h"

#define MAX_PATH	384	/* bytes, for a warning */
/* bytes: the smallest page, the most that a sysfs file returns at once */
#define PIECE		4096
/* bytes of a read(2): files of proc/sys refuse one of 4 MiB with ENOMEM */
#define READ_MAX		(1u << 20)

/* Writes the folder's path below the root, with a trailing "/". Returns its length. */
static size_t path_of(const struct sysfs_dir *dir, char *path, size_t size)
{
	size_t len = 0;

	if (dir->parent) {
		len = path_of(dir->parent, path, size);
		snprintf(path + len, size - len, "%s/", dir->name);
	}
	return len + strlen(path + len);
}

int sysfs_warn(const struct sysfs_dir *dir, const char *name, const char *fmt, ...)
{
	char path[MAX_PATH] = "", why[128];
	va_list args;
	int ret;

	path_of(dir, path, sizeof(path));
	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	ret = warnings_add(dir->sysfs->warnings, "%s%s: %s", path, name, why);
	return ret ? ret : -EBADMSG;
}

static int failed(const struct sysfs_dir *dir, const char *name, int error)
{
	switch (error) {
	case ENOENT:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
		return -error;
	case EFBIG:
		return sysfs_warn(dir, name, "expected at most %d bytes", SYSFS_MAX_TEXT);
	case ENOTSUP:
		return sysfs_warn(dir, name, "expected a file that can be read");
	default:
		return sysfs_warn(dir, name, "%s", error_text(error));
	}
}

int sysfs_open(struct sysfs_dir *dir, const struct sysfs_dir *parent, const char *name)
{
	*dir = (struct sysfs_dir){ .sysfs = parent->sysfs, .parent = parent, .name = name };
	dir->fd = openat(parent->fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir->fd < 0 ? failed(parent, name, errno) : 0;
}

void sysfs_close(struct sysfs_dir *dir)
{
	close(dir->fd);
	dir->fd = -1;
}

int sysfs_needed(const struct sysfs_dir *dir, const char *name, int ret)
{
	return ret == -ENOENT ? sysfs_warn(dir, name, "is not there") : ret;
}

int sysfs_optional(int ret)
{
	return ret == -ENOENT || ret == -EBADMSG ? 0 : ret;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct sysfs_names *names, const char *name)
{
	char **added = vector_append(names->names, names->len);

	if (added)
		*added = strdup(name);
	return added && *added ? 0 : -ENOMEM;
}

static int read_names(const struct sysfs_dir *dir, DIR *stream, struct sysfs_names *names)
{
	const struct dirent *entry;
	int ret = 0;

	while (!ret) {
		errno = 0;
		entry = readdir(stream);
		if (!entry)
			return errno ? failed(dir, "", errno) : 0;
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (names->len == SYSFS_MAX_ENTRIES) {
			return sysfs_optional(sysfs_warn(dir, "", "expected at most %d entries",
							 SYSFS_MAX_ENTRIES));
		}
		ret = add_name(names, entry->d_name);
	}
	return ret;
}

int sysfs_list(const struct sysfs_dir *dir, struct sysfs_names *names)
{
	DIR *stream;
	int fd, ret;

	*names = (struct sysfs_names){ 0 };
	fd = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return failed(dir, "", errno);
	stream = fdopendir(fd);
	if (!stream) {
		ret = -errno;
		close(fd);
		return ret;
	}
	ret = read_names(dir, stream, names);
	closedir(stream);
	if (ret)
		sysfs_names_release(names);
	else if (names->len)
		qsort(names->names, names->len, sizeof(*names->names), compare_names);
	return ret;
}

void sysfs_names_release(struct sysfs_names *names)
{
	for (size_t i = 0; i < names->len; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct sysfs_names){ 0 };
}

int sysfs_each(const struct sysfs_dir *parent, const char *name, sysfs_entry *each, void *user)
{
	struct sysfs_names names;
	struct sysfs_dir dir;
	int ret = sysfs_open(&dir, parent, name);

	if (ret)
		return ret;
	ret = sysfs_list(&dir, &names);
	for (size_t i = 0; i < names.len && !ret; i++)
		ret = each(user, &dir, &names, i);
	sysfs_names_release(&names);
	sysfs_close(&dir);
	return ret;
}

/*
 * Reads up to @size bytes or the end of the file. Returns the number of bytes or -errno.
 * Files of sysfs and of disks return a short read of @piece bytes only at their end. Files
 * of proc and tracefs have no size and can return less before it (@piece 0).
 */
static ssize_t read_bytes(int fd, char *buffer, size_t size, size_t piece)
{
	size_t len = 0;
	ssize_t n;

	while (len < size) {
		n = read(fd, buffer + len, size - len < READ_MAX ? size - len : READ_MAX);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		len += (size_t)n;
		if (!n || (size_t)n < piece)
			break;
	}
	return (ssize_t)len;
}

int sysfs_read(int dir, const char *path, char *buffer, size_t size)
{
	struct stat stat;
	ssize_t len;
	int fd;

	if (size > INT_MAX)
		size = INT_MAX;
	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &stat))
		len = -errno;
	else if (!S_ISREG(stat.st_mode))
		len = S_ISDIR(stat.st_mode) ? -EISDIR : -ENOTSUP;
	else
		len = read_bytes(fd, buffer, size, stat.st_size > 0 ? PIECE : 0);
	close(fd);
	if (len < 0)
		return (int)len;
	if ((size_t)len == size)
		return -EFBIG;
	buffer[len] = '\0';
	return (int)len;
}

int sysfs_text(const struct sysfs_dir *dir, const char *name, const char **text)
{
	char *bytes = dir->sysfs->text;
	int len = sysfs_read(dir->fd, name, bytes, SYSFS_MAX_TEXT + 1);

	if (len < 0)
		return failed(dir, name, -len);
	if (len && bytes[len - 1] == '\n')
		bytes[--len] = '\0';
	for (int i = 0; i < len; i++)
		if (bytes[i] < ' ' || bytes[i] > '~')
			return sysfs_warn(dir, name, "expected a line of text, found byte 0x%02x",
					  (unsigned char)bytes[i]);
	*text = bytes;
	return 0;
}

int sysfs_string(const struct sysfs_dir *dir, const char *name, char **string)
{
	const char *text;
	int ret = sysfs_text(dir, name, &text);

	if (ret)
		return ret;
	if (!*text)
		return sysfs_warn(dir, name, "expected a line of text, found nothing");
	*string = strdup(text);
	return *string ? 0 : -ENOMEM;
}

bool sysfs_parse_number(const char *text, int64_t min, int64_t max, int64_t *number)
{
	const char *digits = *text == '-' ? text + 1 : text;
	char *end;

	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	*number = strtoll(text, &end, 10);
	return !*end && !errno && *number >= min && *number <= max;
}

int sysfs_number(const struct sysfs_dir *dir, const char *name, int64_t min, int64_t max,
		 int64_t *number)
{
	const char *text;
	int ret = sysfs_text(dir, name, &text);

	if (!ret && !sysfs_parse_number(text, min, max, number))
		ret = sysfs_warn(dir, name, "expected a number from %lld to %lld, found \"%.32s\"",
				 (long long)min, (long long)max, text);
	return ret;
}

int sysfs_hex(const struct sysfs_dir *dir, const char *name, uint64_t max, uint64_t *number)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *text;
	int ret = sysfs_text(dir, name, &text);

	if (ret)
		return ret;
	errno = 0;
	*number = 0;
	if (!strncmp(text, "0x", 2) && text[2] && !text[2 + strspn(text + 2, digits)])
		*number = strtoull(text, NULL, 16);
	else
		errno = EINVAL;
	if (errno || *number > max)
		return sysfs_warn(dir, name, "expected a number from 0x0 to 0x%llx, found \"%.32s\"",
				  (unsigned long long)max, text);
	return 0;
}

int sysfs_cpus(const struct sysfs_dir *dir, const char *name, struct cpus *cpus)
{
	const char *text = "";
	int ret;

	*cpus = (struct cpus){ 0 };
	ret = sysfs_text(dir, name, &text);
	if (ret)
		return ret;
	ret = cpus_parse(cpus, text);
	if (ret == -EINVAL)
		return sysfs_warn(dir, name, "expected a list of CPUs such as 0-3,8, found \"%.32s\"",
				  text);
	if (ret == -ERANGE)
		return sysfs_warn(dir, name, "expected CPUs below %d, found \"%.32s\"", CPUS_MAX,
				  text);
	return ret;
}

int sysfs_link(const struct sysfs_dir *dir, const char *name, const char **target)
{
	char *text = dir->sysfs->text;
	ssize_t len = readlinkat(dir->fd, name, text, SYSFS_MAX_TEXT);

	if (len < 0 && errno == EINVAL)
		return sysfs_warn(dir, name, "expected a symbolic link");
	if (len < 0)
		return failed(dir, name, errno);
	text[len] = '\0';
	*target = text;
	return 0;
}
