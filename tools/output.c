// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "output.h"

/* The temporary file to remove if gpmu exits before output_close(); there is at most one */
static char *unfinished;

static void remove_unfinished(void)
{
	if (unfinished)
		unlink(unfinished);
}

/* @path with symbolic links resolved; @path itself if the file does not exist */
static char *resolve(const char *path)
{
	char *real = realpath(path, NULL);

	return real ? real : need_memory(strdup(path));
}

static mode_t mode_of_new(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

/*
 * /dev/stdout and the like are never replaced. They may be a file to which others, such as the
 * command, write too, so their output must stay.
 */
static bool is_special(const char *path)
{
	return !strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6);
}

/*
 * Whether rename() may replace @path: not a pipe, a device, a file with several hard links, a
 * mount point, or a dangling link.
 */
static bool is_replaceable(const char *path)
{
	struct statx status;

	if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status))
		return errno == ENOENT;
	return S_ISREG(status.stx_mode) && status.stx_nlink == 1 &&
	       !(status.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

/* Gives the file the owner and mode of the file that it will replace. */
static int make_alike(int fd, const char *path)
{
	struct stat status, own;

	if (stat(path, &status))
		return errno == ENOENT ? fchmod(fd, mode_of_new()) : -1;
	if (fstat(fd, &own))
		return -1;
	if ((own.st_uid != status.st_uid || own.st_gid != status.st_gid) &&
	    fchown(fd, status.st_uid, status.st_gid))
		return -1;
	return fchmod(fd, status.st_mode & 0777);
}

/* Returns false if the file cannot be replaced; it may still be writable in place. */
static bool open_temporary(struct output *output)
{
	int fd;

	output->temporary = print_text("%s.XXXXXX", output->path);
	fd = mkostemp(output->temporary, O_CLOEXEC);
	if (fd >= 0 && !make_alike(fd, output->path))
		output->file = fdopen(fd, "w");
	if (output->file) {
		if (!unfinished)
			atexit(remove_unfinished);
		unfinished = output->temporary;
		return true;
	}
	if (fd >= 0) {
		unlink(output->temporary);
		close(fd);
	}
	free(output->temporary);
	output->temporary = NULL;
	return false;
}

int output_open(struct output *output, const char *path, enum output_mode mode, FILE *standard)
{
	const bool append = mode == OUTPUT_APPEND;
	struct stat status;
	int ret = 0;

	*output = (struct output){ .file = standard };
	if (!path)
		return 0;
	output->file = NULL;
	output->path = resolve(path);
	if (is_special(path) || is_special(output->path))
		mode = OUTPUT_APPEND;
	/* A user without write permission must not replace the file through its folder. */
	if (!access(output->path, F_OK) && faccessat(AT_FDCWD, output->path, W_OK, AT_EACCESS))
		ret = -errno;
	else if (mode != OUTPUT_REPLACE || !is_replaceable(output->path) || !open_temporary(output)) {
		output->file = fopen(output->path, mode == OUTPUT_APPEND ? "ae" : "we");
		ret = output->file ? 0 : -errno;
		output->continues = append && !ret && !fstat(fileno(output->file), &status) &&
				    S_ISREG(status.st_mode) && status.st_size;
	}
	if (ret)
		output_drop(output);
	return ret;
}

void output_started(const struct output *output, time_t when)
{
	char text[32];

	/* ctime_r() ends its text with a newline. */
	if (output->path && ctime_r(&when, text))
		fprintf(output->file, "# started on %s\n", text);
}

int output_close(struct output *output)
{
	int ret = 0;

	if (!output->path)
		return fflush(output->file) || ferror(output->file) ? -EIO : 0;
	if (ferror(output->file))
		ret = -EIO;
	if (fclose(output->file) && !ret)
		ret = -errno;
	output->file = NULL;
	if (!ret && output->temporary) {
		if (rename(output->temporary, output->path))
			ret = -errno;
		else
			unfinished = NULL;
	}
	output_drop(output);
	return ret;
}

void output_drop(struct output *output)
{
	if (output->path && output->file)
		fclose(output->file);
	remove_unfinished();
	unfinished = NULL;
	free(output->temporary);
	free(output->path);
	*output = (struct output){ 0 };
}

/* The length of the UTF-8 character at the begin of @text; 0 if there is none */
static size_t character(const unsigned char *text)
{
	static const struct {
		unsigned char mask, lead;
		size_t length;
		unsigned long first;	/* the lowest code point of this length */
	} forms[] = {
		{ 0x80, 0x00, 1, 0 }, { 0xe0, 0xc0, 2, 0x80 }, { 0xf0, 0xe0, 3, 0x800 },
		{ 0xf8, 0xf0, 4, 0x10000 },
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
		unsigned long code = text[0] & (unsigned char)~forms[i].mask;

		if ((text[0] & forms[i].mask) != forms[i].lead)
			continue;
		for (size_t k = 1; k < forms[i].length; k++) {
			if ((text[k] & 0xc0) != 0x80)
				return 0;
			code = code << 6 | (text[k] & 0x3f);
		}
		if (code < forms[i].first || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
			return 0;
		return forms[i].length;
	}
	return 0;
}

void output_json(FILE *file, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	if (!text) {
		fputs("null", file);
		return;
	}
	putc('"', file);
	while (*at) {
		size_t length = character(at);

		if (!length)
			fputs("\\ufffd", file);
		else if (*at == '"' || *at == '\\')
			fprintf(file, "\\%c", *at);
		else if (*at < ' ' || *at == 0x7f)
			fprintf(file, "\\u%04x", *at);
		else
			fwrite(at, 1, length, file);
		at += length ? length : 1;
	}
	putc('"', file);
}
