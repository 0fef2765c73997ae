/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What was sampled, in a file: configurations, images of counters as CUPTI has decoded
 * them, and the times of their samples, which only the machine with the GPU can tell. It
 * can be evaluated on another machine, with the same version of CUPTI or a later one.
 *
 * The file is 16 bytes of IMAGE_MAGIC and records: a struct image_record and its content,
 * padded to 8 bytes, all in the machine's byte order, which is little endian. An image is
 * kept as the pages in which it is unlike the empty one.
 */
#ifndef GPMU_CUPTI_IMAGE_H
#define GPMU_CUPTI_IMAGE_H

#include <stdio.h>

#include "cupti_counts.h"
#include "cupti_gpus.h"
#include "cupti_messages.h"

#define IMAGE_MAGIC	"gpmu-cupti-001\n"	/* and its 0 */
#define IMAGE_PAGE	4096

enum image_type {
	IMAGE_RUN = 1,	/* begins a run: JSON: uuid, name, chip, pci, index, metrics, trigger, interval, cuda */
	IMAGE_CONFIG,	/* its configuration */
	IMAGE_EMPTY,	/* its image with no samples */
	IMAGE_END,	/* nothing: the last record */
	IMAGE_SAMPLES,	/* struct image_samples, times, numbers of pages, pages */
};

struct image_record {
	uint32_t type;
	uint32_t run;		/* of several GPUs, or one after the other, from 0 */
	uint64_t size;		/* of the content, without the padding */
	uint64_t checksum;	/* of the content: FNV-1a */
};

struct image_samples {
	uint32_t samples;	/* a struct sample_time each; start and end the same: not used */
	uint32_t pages;		/* a uint32_t each, padded to 8 bytes, then their bytes */
};

uint64_t image_checksum(const void *content, size_t size);

/* Writes a file, which is there when the saver is closed; threads can share it */
struct saver;

/* Returns 0 or -errno with the error set. */
int saver_new(const char *path, struct messages *messages, struct saver **saver,
	      struct gpmu_error *error);
/* A message says why there is no file. */
void saver_close(struct saver *saver);

struct saver_run {
	const struct gpu *gpu;
	const char *const *names;	/* metrics */
	size_t length;
	bool sysclk;			/* the trigger */
	uint64_t interval;
	const uint8_t *config, *empty;
	size_t config_size, image_size;
	int cuda;			/* CUPTI's version: 13000 */
};

/* Begins a run; its number. After a failure nothing more is written. */
uint32_t saver_run(struct saver *saver, const struct saver_run *run);
/* An image with samples, of the size of the empty one */
void saver_samples(struct saver *saver, uint32_t run, const uint8_t *image, const uint8_t *empty,
		   size_t size, const struct sample_time *times, size_t samples);

/* A file that was read */
struct saved {
	void *map;
	size_t size;
	bool complete;
	size_t length;
	struct saved_run {
		struct gpu gpu;
		bool sysclk;
		uint64_t interval;
		int cuda;	/* 0: the file does not say */
		char **names;
		size_t names_len;
		const uint8_t *config, *empty;
		size_t config_size, image_size;
		struct saved_samples {
			const struct sample_time *times;
			const uint32_t *pages;
			const uint8_t *bytes;
			uint32_t samples, pages_len;
		} *images;
		size_t images_len;
	} *runs;
};

/*
 * Returns 0 or -errno with the error set, which says where the file is damaged. The caller
 * releases it in any case.
 */
int saved_load(struct saved *saved, const char *path, struct gpmu_error *error);
void saved_release(struct saved *saved);
/* Makes an image of the run anew, at @image, of the run's image_size. */
void saved_image(const struct saved_run *run, size_t index, uint8_t *image);

#endif /* GPMU_CUPTI_IMAGE_H */
