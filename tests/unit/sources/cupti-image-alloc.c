// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each allocation fails in turn while a file of samples is written or read, also those of jansson, which grows its
 * buffer for texts of more than 16 bytes.
 */
#include <jansson.h>
#include <unistd.h>

#include "alloc.h"
#include "cupti-test.h"
#include "cupti_image.h"

#define SIZE	100

static const char *const names[] = { "dram__bytes_read.sum", "gr__cycles_active.avg.pct_of_peak_sustained_elapsed" };
static const uint8_t empty[SIZE], image[SIZE] = { 1 };
static const struct gpu gpu = { .uuid = "GPU-6f2a1c00-0001-4a00-8000-000000000001", .name = "NVIDIA H200",
				.chip = "GH100", .pci = "0000:18:00.0", .index = 3 };

static char path[] = "/tmp/cupti-image-XXXXXX";

static int load(void)
{
	struct gpmu_error error = { 0 };
	struct saved saved;
	int ret = saved_load(&saved, path, &error);
	bool is_whole = !ret && saved.length == 1 && !strcmp(saved.runs[0].gpu.uuid, gpu.uuid) &&
			saved.runs[0].names_len == 2 && !strcmp(saved.runs[0].names[0], names[0]) &&
			!strcmp(saved.runs[0].names[1], names[1]) && saved.runs[0].images_len == 1;

	saved_release(&saved);
	return ret ? ret : !is_whole;
}

static void save(void)
{
	const struct saver_run run = { .gpu = &gpu, .names = names, .length = 2, .interval = 1000000, .config = empty,
				       .config_size = SIZE, .empty = empty, .image_size = SIZE, .cuda = 13000 };
	const struct sample_time times[] = { { 1, 2 } };
	struct gpmu_error error = { 0 };
	struct messages messages;
	struct saver *saver;

	messages_init(&messages);
	if (!saver_new(path, &messages, &saver, &error)) {
		saver_samples(saver, saver_run(saver, &run), image, empty, SIZE, times, 1);
		saver_close(saver);
	}
	messages_release(&messages);
}

/* alloc_fail_each() cannot count the texts of asprintf(), which glibc allocates. */
static void save_without_memory(void)
{
	bool is_whole = true, has_failed = true;
	int n;

	for (n = 0; n < ALLOC_MAX && has_failed; n++) {
		unlink(path);
		alloc_left = n;
		save();
		has_failed = alloc_left < 0;
		alloc_left = -1;
		if (!access(path, F_OK) && load()) {
			diag("allocation %d", n);
			is_whole = false;
		}
	}
	ok(n > 20 && !has_failed && !load(), "image: a file is written with %d allocations", n - 1);
	ok(is_whole, "image: a file is written whole or not at all if an allocation fails");
}

int main(void)
{
	int fd = mkstemp(path);

	if (fd < 0)
		return 1;
	close(fd);
	json_set_alloc_funcs(malloc, free);
	save_without_memory();
	alloc_fail_each(load, 20, "image: a file that is read");
	unlink(path);
	return done_testing();
}
