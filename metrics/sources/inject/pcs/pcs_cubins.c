// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Images of modules. A module can be unloaded before its samples arrive, so each image is copied when the module is
 * loaded. It is written once a sample needs it, and then freed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "pcs/pcs.h"

#define BYTES_MAX	(512u << 20)	/* of all copies that are not yet written */
#define PART		(256u << 10)	/* bytes of an image in a record */

struct cubin {
	uint64_t crc;
	uint8_t *image;		/* NULL: written */
	size_t size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static VECTOR(struct cubin) cubins;
static size_t bytes;
static bool is_full, is_reported;

static struct cubin *find(uint64_t crc)
{
	for (size_t i = 0; i < cubins.n; i++)
		if (cubins.list[i].crc == crc)
			return &cubins.list[i];
	return NULL;
}

static bool add(uint64_t crc, const void *image, size_t size)
{
	struct cubin *cubin;
	uint8_t *copy = size <= BYTES_MAX - bytes ? malloc(size) : NULL;

	if (!copy)
		return false;
	cubin = vector_append(cubins.list, cubins.n);
	if (!cubin) {
		free(copy);
		return false;
	}
	memcpy(copy, image, size);
	*cubin = (struct cubin){ crc, copy, size };
	bytes += size;
	return true;
}

void pcs_cubins_add(struct inject *self, uint64_t crc, const void *image, size_t size)
{
	(void)self;
	pthread_mutex_lock(&lock);
	if (size && !find(crc) && !add(crc, image, size))
		is_full = true;
	pthread_mutex_unlock(&lock);
}

const void *pcs_cubins_find(uint64_t crc, size_t *size)
{
	const struct cubin *cubin;
	const void *image;

	pthread_mutex_lock(&lock);
	cubin = find(crc);
	image = cubin ? cubin->image : NULL;
	*size = image ? cubin->size : 0;
	pthread_mutex_unlock(&lock);
	return image;
}

static void write_parts(struct inject *self, const struct cubin *cubin)
{
	struct activity_cubin *record = malloc(sizeof(*record) + PART);

	for (size_t offset = 0; record && offset < cubin->size; offset += PART) {
		const size_t part = cubin->size - offset < PART ? cubin->size - offset : PART;
		const size_t size = (sizeof(*record) + part + 7) / 8 * 8;

		*record = (struct activity_cubin){ { (uint32_t)size, ACTIVITY_CUBIN, 0 }, cubin->crc, cubin->size, offset, part };
		memset((uint8_t *)record + size - 8, 0, size > sizeof(*record) ? 8 : 0);
		memcpy(record + 1, cubin->image + offset, part);
		if (!output_write(self, &record->head))
			break;
	}
	free(record);
}

void pcs_cubins_write(struct inject *self, uint64_t crc)
{
	struct cubin taken = { 0 }, *cubin;

	pthread_mutex_lock(&lock);
	cubin = find(crc);
	if (cubin) {
		taken = *cubin;
		cubin->image = NULL;
		bytes -= taken.image ? taken.size : 0;
	}
	pthread_mutex_unlock(&lock);
	if (taken.image)
		write_parts(self, &taken);
	free(taken.image);
	if (is_full)
		output_warn_once(self, &is_reported, "PC sampling: samples of some modules have no lines: their images exceed %u MiB",
				 BYTES_MAX >> 20);
}
