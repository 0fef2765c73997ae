/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file of samples: configurations, counter images as CUPTI decoded them, and the times of their samples, which are
 * known only on the machine with the GPU. Another machine can evaluate the file, with the same version of CUPTI or a
 * later one.
 *
 * The file is 16 bytes of IMAGE_MAGIC and records: a struct image_record and its content, padded to 8 bytes, in little
 * endian byte order. Of an image the file has the pages that differ from the empty image.
 */
#ifndef GPMU_CUPTI_IMAGE_H
#define GPMU_CUPTI_IMAGE_H

#include <stdio.h>

#include "cupti_counts.h"
#include "cupti_gpus.h"
#include "sources/nvml/nvml_messages.h"

#define IMAGE_MAGIC	"gpmu-cupti-001\n"	/* including its final NUL */
#define IMAGE_PAGE	4096

enum image_type {
	IMAGE_RUN = 1,	/* begins a run: JSON: index, interval, cuda, uuid, name, chip, pci, trigger, metrics */
	IMAGE_CONFIG,	/* the run's configuration */
	IMAGE_EMPTY,	/* the run's image without samples */
	IMAGE_END,	/* no content: the last record */
	IMAGE_SAMPLES,	/* struct image_samples, times, numbers of pages, pages */
};

struct image_record {
	uint32_t type;
	uint32_t run;		/* number from 0, of several GPUs or consecutive runs */
	uint64_t size;		/* of the content, without the padding */
	uint64_t checksum;	/* of the content: FNV-1a */
};

struct image_samples {
	uint32_t samples;	/* a struct sample_time each; equal start and end: not used */
	uint32_t pages;		/* a uint32_t each, padded to 8 bytes, then their bytes */
};

uint64_t image_checksum(const void *content, size_t size);

/* Writes a file, which appears when the saver is closed. Threads can share a saver. */
struct saver;

/* Returns 0 or -errno with the error set. */
int saver_new(const char *path, struct messages *messages, struct saver **saver,
	      struct gpmu_error *error);
/* If there is no file, a message gives the reason. */
void saver_close(struct saver *saver);

struct saver_run {
	const struct gpu *gpu;
	const char *const *names;	/* metrics */
	size_t length;
	bool is_sysclk;			/* the trigger */
	uint64_t interval;
	const uint8_t *config, *empty;
	size_t config_size, image_size;
	int cuda;			/* CUPTI's version: 13000 */
};

/* Begins a run and returns its number. After a failure nothing more is written. */
uint32_t saver_run(struct saver *saver, const struct saver_run *run);
/* Writes an image with samples; @image and @empty have @size bytes */
void saver_samples(struct saver *saver, uint32_t run, const uint8_t *image, const uint8_t *empty,
		   size_t size, const struct sample_time *times, size_t samples);

/* A file that has been read */
struct saved {
	void *map;
	size_t size;
	bool is_complete;
	size_t length;
	struct saved_run {
		struct gpu gpu;
		bool is_sysclk;
		uint64_t interval;
		int cuda;	/* 0 if the file does not have it */
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
 * Returns 0 or -errno with the error set, which has the offset of a damage. The caller releases @saved in any case.
 */
int saved_load(struct saved *saved, const char *path, struct gpmu_error *error);
void saved_release(struct saved *saved);
/* Restores an image of the run to @image, which has the run's image_size bytes */
void saved_image(const struct saved_run *run, size_t index, uint8_t *image);

#endif /* GPMU_CUPTI_IMAGE_H */
