// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/gpmu_replace.h"
#include "message.h"
#include "output/output.h"
#include "output/unfinished.h"

/* The replacement to drop if gpmu ends before output_close(); there is at most one */
static struct replace *volatile unfinished;

static void drop_unfinished(void)
{
	if (unfinished)
		gpmu_replace_drop(unfinished);
}

static void release(struct output *output)
{
	if (unfinished == output->replace)
		unfinished = NULL;
	free(output->replace);
	free(output->path);
	*output = (struct output){ 0 };
}

int output_open(struct output *output, const char *path, enum output_mode mode, FILE *standard)
{
	static const int flags[] = {
		[OUTPUT_REPLACE] = 0, [OUTPUT_WRITE] = O_TRUNC, [OUTPUT_APPEND] = O_APPEND,
	};
	const bool is_stdout = path && !strcmp(path, "-");
	struct stat status;
	int fd;

	*output = (struct output){ .file = is_stdout ? stdout : standard };
	if (!path || is_stdout)
		return 0;
	output->path = need_memory(strdup(path));
	output->replace = need_memory(calloc(1, sizeof(*output->replace)));
	fd = gpmu_replace_open(output->replace, path, flags[mode]);
	if (fd < 0) {
		release(output);
		return fd;
	}
	unfinished = output->replace;
	unfinished_remove_by(drop_unfinished);
	output->file = need_memory(fdopen(fd, mode == OUTPUT_APPEND ? "a" : "w"));
	output->is_continued = mode == OUTPUT_APPEND && !fstat(fd, &status) &&
			       S_ISREG(status.st_mode) && status.st_size;
	return 0;
}

void output_check(const char *path, const char *input)
{
	struct stat out, in;

	if (path && input && strcmp(path, "-") != 0 && strcmp(input, "-") != 0 && !stat(path, &out) && !stat(input, &in) &&
	    S_ISREG(in.st_mode) && out.st_dev == in.st_dev && out.st_ino == in.st_ino)
		die("%s: the output would replace the file that is read: choose another name for -o", path);
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
	int ret;

	if (!output->path && output->file == stdout)
		return stdout_flush();
	ret = fflush(output->file) ? -errno : ferror(output->file) ? -EIO : 0;
	if (!output->path)
		return ret;
	if (fclose(output->file) && !ret)
		ret = -errno;
	if (ret)
		gpmu_replace_drop(output->replace);
	else
		ret = gpmu_replace_end(output->replace);
	release(output);
	return ret;
}

void output_drop(struct output *output)
{
	if (!output->path)
		return;
	fclose(output->file);
	gpmu_replace_drop(output->replace);
	release(output);
}
