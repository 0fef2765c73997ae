// SPDX-License-Identifier: LGPL-2.1-or-later
/* A file: its CPU and topic, from its path, and its text. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "catalog/catalog.h"

/* The folders of perf's pmu-events/arch, but "common", which applies to all CPUs */
static const char *const archs[] = {
	"arm64", "nds32", "powerpc", "riscv", "s390", "test", "x86",
};

/*
 * Returns "arm64" for ".../arch/arm64/arm/neoverse-n2-v2/x.json", with @below at that part of
 * the path; or NULL.
 */
static const char *find_arch(const char *path, const char **below)
{
	const char *arch = NULL, *folder;
	size_t length;

	for (folder = path; (folder = strstr(folder, "/arch/")); folder++) {
		for (size_t i = 0; i < ARRAY_SIZE(archs); i++) {
			length = strlen(archs[i]);
			if (strncmp(folder + 6, archs[i], length) || folder[6 + length] != '/')
				continue;
			arch = archs[i];
			*below = folder + 6;
		}
	}
	return arch;
}

static int set_cpu(struct catalog_load *load, struct catalog_file *file, const char *path)
{
	const char *below, *end, *sys;

	file->arch = find_arch(path, &below);
	if (!file->arch)
		return 0;
	sys = strstr(below, "/sys/");
	if (sys)
		return 0;
	end = strrchr(below, '/');
	file->cpu = catalog_pool_copy(&load->pool, below, (size_t)(end - below));
	return file->cpu ? 0 : -ENOMEM;
}

static bool ends_in(const char *text, size_t length, const char *end)
{
	size_t end_length = strlen(end);

	return length >= end_length && !memcmp(text + length - end_length, end, end_length);
}

/* As perf list: "spec operation" for spec-operation.json, "metrics" for x-metrics.json */
static int set_topic(struct catalog_load *load, struct catalog_file *file, const char *name)
{
	static const char json[] = ".json", metrics[] = "metrics", groups[] = "metricgroups";
	const char *base = strrchr(name, '/');
	size_t length;
	char *topic;

	base = base ? base + 1 : name;
	length = strlen(base);
	if (ends_in(base, length, json))
		length -= strlen(json);
	file->has_descriptions = ends_in(base, length, groups);
	if (ends_in(base, length, metrics)) {
		base += length - strlen(metrics);
		length = strlen(metrics);
	}
	topic = catalog_pool_copy(&load->pool, base, length);
	if (!topic)
		return -ENOMEM;
	file->topic = topic;
	while ((topic = strchr(topic, '-')))
		*topic = ' ';
	return 0;
}

int catalog_add_text(struct catalog_load *load, const char *name, const char *path,
		     const char *text, size_t size)
{
	struct catalog_file *file = catalog_pool_alloc(&load->pool, sizeof(*file));
	int ret;

	if (!file)
		return -ENOMEM;
	file->name = catalog_pool_copy(&load->pool, name, strlen(name));
	if (!file->name)
		return -ENOMEM;
	ret = set_cpu(load, file, path);
	if (!ret)
		ret = set_topic(load, file, name);
	return ret ? ret : catalog_read(load, file, text, size);
}

/*
 * Reads a whole file. Returns its text, which the caller frees; NULL with errno, which is EFBIG
 * for more than @max bytes.
 */
static char *read_all(int fd, size_t room, size_t max, size_t *size)
{
	char *text = NULL, *bigger;
	ssize_t n;

	*size = 0;
	for (;;) {
		if (!text || *size == room) {
			room = text ? room * 2 : room + 1;
			bigger = realloc(text, room);
			if (!bigger)
				break;
			text = bigger;
		}
		n = read(fd, text + *size, room - *size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		*size += (size_t)n;
		if (*size > max) {
			errno = EFBIG;
			break;
		}
		if (!n)
			return text;
	}
	free(text);
	return NULL;
}

static int add_open_file(struct catalog_load *load, int fd, const char *name, const char *path)
{
	size_t max = CATALOG_MAX_FILE, size;
	struct stat st;
	char *text;
	int ret;

	if (fstat(fd, &st))
		return catalog_fail_errno(load, name);
	if (!S_ISREG(st.st_mode))
		return catalog_fail(load, name, 0, 0, "expected a file or a folder");
	if (max > CATALOG_MAX_LOAD - load->bytes)
		max = CATALOG_MAX_LOAD - load->bytes;
	if ((uintmax_t)st.st_size > max)
		errno = EFBIG;
	text = (uintmax_t)st.st_size > max ? NULL : read_all(fd, (size_t)st.st_size, max, &size);
	if (!text && errno == EFBIG) {
		catalog_fail(load, name, 0, 0,
			     "expected at most %u MiB of JSON in a file and %u MiB in all",
			     CATALOG_MAX_FILE >> 20, CATALOG_MAX_LOAD >> 20);
		return -EFBIG;
	}
	if (!text)
		return errno == ENOMEM ? -ENOMEM : catalog_fail_errno(load, name);
	load->files++;
	load->bytes += size;
	ret = catalog_add_text(load, name, path, text, size);
	free(text);
	return ret;
}

int catalog_add_file(struct catalog_load *load, const char *name, const char *path)
{
	/* Without O_NONBLOCK open() of a FIFO would wait for a writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0)
		return catalog_fail_errno(load, name);
	ret = add_open_file(load, fd, name, path);
	close(fd);
	return ret;
}
