// SPDX-License-Identifier: LGPL-2.1-or-later
/* Writes files of samples */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/gpmu_replace.h"
#include "cupti_image.h"

struct saver {
	pthread_mutex_t lock;
	struct messages *messages;
	FILE *file;
	char *path;
	struct replace replace;
	uint32_t runs;
	int error;
};

uint64_t image_checksum(const void *content, size_t size)
{
	const uint8_t *bytes = content;
	uint64_t sum = 0xcbf29ce484222325;

	for (size_t i = 0; i < size; i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3;
	return sum;
}

static void put(struct saver *saver, const void *bytes, size_t size)
{
	errno = 0;
	if (!saver->error && size && fwrite(bytes, size, 1, saver->file) != 1)
		saver->error = errno ? errno : EIO;
}

static void put_record(struct saver *saver, enum image_type type, uint32_t run, const void *content,
		       size_t size)
{
	static const uint8_t padding[8];
	const struct image_record record = { .type = type, .run = run, .size = size,
					     .checksum = image_checksum(content, size) };

	put(saver, &record, sizeof(record));
	put(saver, content, size);
	put(saver, padding, -size % 8);
}

static void saver_free(struct saver *saver)
{
	if (saver->file)
		fclose(saver->file);
	pthread_mutex_destroy(&saver->lock);
	free(saver->path);
	free(saver);
}

static int open_file(struct saver *saver, const char *path)
{
	char magic[16] = IMAGE_MAGIC;
	int fd;

	saver->path = strdup(path);
	if (!saver->path)
		return -ENOMEM;
	fd = gpmu_replace_open(&saver->replace, path, 0);
	if (fd < 0)
		return fd;
	saver->file = fdopen(fd, "w");
	if (!saver->file) {
		close(fd);
		gpmu_replace_drop(&saver->replace);
		return -ENOMEM;
	}
	put(saver, magic, sizeof(magic));
	return 0;
}

int saver_new(const char *path, struct messages *messages, struct saver **result,
	      struct gpmu_error *error)
{
	struct saver *saver = calloc(1, sizeof(*saver));
	int ret;

	if (!saver)
		return fail_memory(error);
	pthread_mutex_init(&saver->lock, NULL);
	saver->messages = messages;
	ret = open_file(saver, path);
	if (ret) {
		saver_free(saver);
		return fail(error, ret, "%s: %s", path, error_text(-ret));
	}
	*result = saver;
	return 0;
}

void saver_close(struct saver *saver)
{
	if (!saver)
		return;
	put_record(saver, IMAGE_END, 0, NULL, 0);
	if (!saver->error && fflush(saver->file))
		saver->error = errno;
	if (!saver->error)
		saver->error = -gpmu_replace_end(&saver->replace);
	if (saver->error) {
		messages_add(saver->messages, "%s: not saved: %s", saver->path, error_text(saver->error));
		gpmu_replace_drop(&saver->replace);
	}
	saver_free(saver);
}

static char *describe(const struct saver_run *run)
{
	const struct gpu *gpu = run->gpu;
	json_t *names = json_array(), *json;
	char *text;
	int ret = 0;

	for (size_t i = 0; i < run->length && !ret; i++)
		ret = json_array_append_new(names, json_string(run->names[i]));
	if (ret) {
		json_decref(names);
		return NULL;
	}
	/*
	 * Numbers precede texts: jansson resets errno at a number, and saved_load() detects a lack
	 * of memory by errno.
	 */
	json = json_pack("{s:i, s:I, s:i, s:s, s:s, s:s, s:s, s:s, s:o}", "index", (int)gpu->index, "interval",
			 (json_int_t)run->interval, "cuda", run->cuda, "uuid", gpu->uuid, "name", gpu->name, "chip",
			 gpu->chip, "pci", gpu->pci, "trigger", run->is_sysclk ? "sysclk" : "time", "metrics", names);
	errno = 0;
	text = json ? json_dumps(json, JSON_COMPACT) : NULL;
	json_decref(json);
	/* jansson can also succeed and drop a key that it had no memory for. */
	if (errno == ENOMEM) {
		free(text);
		return NULL;
	}
	return text;
}

uint32_t saver_run(struct saver *saver, const struct saver_run *run)
{
	char *text = describe(run);
	uint32_t number;

	pthread_mutex_lock(&saver->lock);
	number = saver->runs++;
	if (text) {
		put_record(saver, IMAGE_RUN, number, text, strlen(text));
		put_record(saver, IMAGE_CONFIG, number, run->config, run->config_size);
		put_record(saver, IMAGE_EMPTY, number, run->empty, run->image_size);
	} else {
		saver->error = ENOMEM;
	}
	pthread_mutex_unlock(&saver->lock);
	free(text);
	return number;
}

static size_t page_size(size_t size, size_t page)
{
	return size - page * IMAGE_PAGE < IMAGE_PAGE ? size - page * IMAGE_PAGE : IMAGE_PAGE;
}

/* Appends the pages that differ from the empty image; returns the end of the content */
static uint8_t *copy_pages(uint8_t *content, const uint8_t *image, const uint8_t *empty, size_t size,
			   const struct sample_time *times, size_t samples)
{
	struct image_samples *head = (struct image_samples *)content;
	uint32_t *numbers = (uint32_t *)(content + sizeof(*head) + samples * sizeof(*times));
	uint8_t *to;

	*head = (struct image_samples){ .samples = (uint32_t)samples };
	memcpy(head + 1, times, samples * sizeof(*times));
	for (size_t page = 0; page * IMAGE_PAGE < size; page++)
		if (memcmp(image + page * IMAGE_PAGE, empty + page * IMAGE_PAGE, page_size(size, page)))
			numbers[head->pages++] = (uint32_t)page;
	to = (uint8_t *)(numbers + head->pages + head->pages % 2);
	if (head->pages % 2)
		numbers[head->pages] = 0;
	for (uint32_t i = 0; i < head->pages; i++) {
		memcpy(to, image + (size_t)numbers[i] * IMAGE_PAGE, page_size(size, numbers[i]));
		to += page_size(size, numbers[i]);
	}
	return to;
}

void saver_samples(struct saver *saver, uint32_t run, const uint8_t *image, const uint8_t *empty,
		   size_t size, const struct sample_time *times, size_t samples)
{
	size_t max = sizeof(struct image_samples) + samples * sizeof(*times) +
		      (size / IMAGE_PAGE + 2) * sizeof(uint64_t) + size;
	uint8_t *content = malloc(max), *end;

	if (content)
		end = copy_pages(content, image, empty, size, times, samples);
	pthread_mutex_lock(&saver->lock);
	if (content)
		put_record(saver, IMAGE_SAMPLES, run, content, (size_t)(end - content));
	else
		saver->error = ENOMEM;
	pthread_mutex_unlock(&saver->lock);
	free(content);
}
