// SPDX-License-Identifier: LGPL-2.1-or-later
/* Reads files of samples */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vector.h"
#include "cupti_image.h"

#define MAX_RUNS	4096
#define MAX_METRICS	4096

/* A file during reading */
struct reader {
	const char *path;
	const uint8_t *bytes;
	size_t size, pos;
	struct gpmu_error *error;
};

static int damaged(const struct reader *reader, const char *what)
{
	return fail(reader->error, -EINVAL, "%.120s: byte %zu: %s", reader->path, reader->pos, what);
}

static int map_file(struct saved *saved, const char *path, struct gpmu_error *error)
{
	/* Opening a FIFO would wait for its writer. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), ret = 0;
	struct stat stat;
	void *map;

	if (fd < 0 || fstat(fd, &stat)) {
		ret = -errno;
	} else if (!S_ISREG(stat.st_mode) || !stat.st_size) {
		ret = S_ISDIR(stat.st_mode) ? -EISDIR : -EINVAL;
	} else {
		map = mmap(NULL, (size_t)stat.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map == MAP_FAILED) {
			ret = -errno;
		} else {
			saved->map = map;
			saved->size = (size_t)stat.st_size;
		}
	}
	if (fd >= 0)
		close(fd);
	if (ret)
		fail(error, 0, "%.120s: %s", path,
		     ret == -EINVAL ? "expected a file of cupti=save=, not an empty one, a FIFO or a device" :
				      error_text(-ret));
	return ret;
}

static void copy_text(char *to, size_t size, const json_t *json, const char *key)
{
	const char *text = json_string_value(json_object_get(json, key));

	snprintf(to, size, "%s", text ? text : "");
}

static int read_names(struct saved_run *run, const json_t *names, const struct reader *reader)
{
	size_t length = json_array_size(names);

	if (!length || length > MAX_METRICS)
		return damaged(reader, "expected metrics");
	run->names = calloc(length, sizeof(char *));
	if (!run->names)
		return fail_memory(reader->error);
	for (size_t i = 0; i < length; i++) {
		const char *name = json_string_value(json_array_get(names, i));

		if (!name)
			return damaged(reader, "expected names of metrics");
		run->names[i] = strdup(name);
		if (!run->names[i])
			return fail_memory(reader->error);
		run->names_len++;
	}
	return 0;
}

static int read_run(struct saved *saved, const struct reader *reader, const struct image_record *record,
		    const void *content)
{
	struct saved_run *run;
	const char *trigger;
	json_t *json;
	int ret;

	if (record->run != saved->length || saved->length == MAX_RUNS)
		return damaged(reader, "expected the next run");
	errno = 0;
	json = json_loadb(content, record->size, 0, NULL);
	/* jansson can also succeed and drop bytes of a string that it had no memory for. */
	if (errno == ENOMEM) {
		json_decref(json);
		return fail_memory(reader->error);
	}
	if (!json)
		return damaged(reader, "expected a description in JSON");
	run = vector_append(saved->runs, saved->length);
	if (!run) {
		json_decref(json);
		return fail_memory(reader->error);
	}
	copy_text(run->gpu.uuid, sizeof(run->gpu.uuid), json, "uuid");
	copy_text(run->gpu.name, sizeof(run->gpu.name), json, "name");
	copy_text(run->gpu.chip, sizeof(run->gpu.chip), json, "chip");
	copy_text(run->gpu.pci, sizeof(run->gpu.pci), json, "pci");
	run->gpu.index = (unsigned int)json_integer_value(json_object_get(json, "index"));
	run->interval = (uint64_t)json_integer_value(json_object_get(json, "interval"));
	run->cuda = (int)json_integer_value(json_object_get(json, "cuda"));
	trigger = json_string_value(json_object_get(json, "trigger"));
	run->is_sysclk = trigger && !strcmp(trigger, "sysclk");
	ret = read_names(run, json_object_get(json, "metrics"), reader);
	json_decref(json);
	return ret;
}

/* Checks that page numbers ascend and that only an image's last page is short */
static int check_pages(const struct saved_run *run, const struct saved_samples *image, size_t size,
		       const struct reader *reader)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < image->pages_len; i++) {
		size_t offset = (size_t)image->pages[i] * IMAGE_PAGE;

		if (offset >= run->image_size || (i && image->pages[i] <= image->pages[i - 1]))
			return damaged(reader, "expected pages of the image");
		bytes += run->image_size - offset < IMAGE_PAGE ? run->image_size - offset : IMAGE_PAGE;
	}
	return bytes == size ? 0 : damaged(reader, "expected as many bytes as there are in the pages");
}

static int read_samples(struct saved_run *run, const struct reader *reader, const uint8_t *content,
			size_t size)
{
	const struct image_samples *head = (const struct image_samples *)content;
	struct saved_samples *added, image;
	size_t before;

	if (!run->empty)
		return damaged(reader, "expected the empty image before samples");
	if (size < sizeof(*head))
		return damaged(reader, "expected samples");
	before = sizeof(*head) + head->samples * sizeof(struct sample_time) +
		 ((size_t)head->pages + head->pages % 2) * sizeof(uint32_t);
	if (before > size)
		return damaged(reader, "expected more samples");
	image = (struct saved_samples){ .samples = head->samples, .pages_len = head->pages };
	image.times = (const struct sample_time *)(content + sizeof(*head));
	image.pages = (const uint32_t *)(image.times + head->samples);
	image.bytes = content + before;
	if (check_pages(run, &image, size - before, reader))
		return -EINVAL;
	added = vector_append(run->images, run->images_len);
	if (!added)
		return fail_memory(reader->error);
	*added = image;
	return 0;
}

static int read_content(struct saved *saved, const struct reader *reader,
			const struct image_record *record, const uint8_t *content)
{
	struct saved_run *run;

	if (saved->is_complete)
		return damaged(reader, "expected nothing after the end");
	saved->is_complete = record->type == IMAGE_END;
	if (saved->is_complete)
		return 0;
	if (record->type == IMAGE_RUN)
		return read_run(saved, reader, record, content);
	if (record->run >= saved->length)
		return damaged(reader, "expected a run that has begun");
	run = &saved->runs[record->run];
	switch (record->type) {
	case IMAGE_CONFIG:
		run->config = content;
		run->config_size = record->size;
		return 0;
	case IMAGE_EMPTY:
		run->empty = content;
		run->image_size = record->size;
		return run->images_len ? damaged(reader, "expected one empty image") : 0;
	case IMAGE_SAMPLES:
		return read_samples(run, reader, content, record->size);
	default:
		return damaged(reader, "expected a record of a known type");
	}
}

static int read_record(struct saved *saved, struct reader *reader)
{
	const struct image_record *record = (const struct image_record *)(reader->bytes + reader->pos);
	size_t left = reader->size - reader->pos;
	int ret;

	if (left < sizeof(*record) || record->size > left - sizeof(*record))
		return damaged(reader, "the file is truncated");
	if (image_checksum(record + 1, record->size) != record->checksum)
		return damaged(reader, "the checksum is wrong");
	ret = read_content(saved, reader, record, (const uint8_t *)(record + 1));
	reader->pos += sizeof(*record) + record->size + -record->size % 8;
	return ret;
}

int saved_load(struct saved *saved, const char *path, struct gpmu_error *error)
{
	struct reader reader = { .path = path, .pos = 16, .error = error };
	int ret;

	*saved = (struct saved){ 0 };
	ret = map_file(saved, path, error);
	if (ret)
		return ret;
	reader.bytes = saved->map;
	reader.size = saved->size;
	if (reader.size < 16 || memcmp(reader.bytes, IMAGE_MAGIC, 16))
		return fail(error, -EINVAL, "%.120s: expected a file that cupti=save= has written", path);
	while (!ret && reader.pos < reader.size)
		ret = read_record(saved, &reader);
	if (!ret && !saved->is_complete)
		return damaged(&reader, "the file is truncated");
	if (!ret && !saved->length)
		return damaged(&reader, "nothing was sampled");
	return ret;
}

void saved_release(struct saved *saved)
{
	for (size_t i = 0; i < saved->length; i++) {
		for (size_t k = 0; k < saved->runs[i].names_len; k++)
			free(saved->runs[i].names[k]);
		free(saved->runs[i].names);
		free(saved->runs[i].images);
	}
	free(saved->runs);
	if (saved->map)
		munmap(saved->map, saved->size);
	*saved = (struct saved){ 0 };
}

void saved_image(const struct saved_run *run, size_t index, uint8_t *image)
{
	const struct saved_samples *saved = &run->images[index];
	const uint8_t *from = saved->bytes;

	memcpy(image, run->empty, run->image_size);
	for (uint32_t i = 0; i < saved->pages_len; i++) {
		size_t offset = (size_t)saved->pages[i] * IMAGE_PAGE;
		size_t size = run->image_size - offset < IMAGE_PAGE ? run->image_size - offset : IMAGE_PAGE;

		memcpy(image + offset, from, size);
		from += size;
	}
}
