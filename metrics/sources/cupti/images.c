// SPDX-License-Identifier: LGPL-2.1-or-later
/* Images of a sampler: decoded by one thread, evaluated by any, counted in the order of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/raw_clock.h"
#include "cupti_decode.h"

#define AHEAD		10000000	/* ns; a sample's end cannot be further in the future */
#define HUGE_PAGE	(2u << 20)

/*
 * Finds a gap before a sample. A small gap or overlap comes from CUPTI's interpolation between clocks: then the sample
 * begins where the previous one ends.
 */
static void join_sample(struct sampler *sampler, struct sample_time *times)
{
	uint64_t newest = sampler->counts->newest;

	if (newest && times->start > newest + sampler->period / 4) {
		if (!sampler->has_begun)
			return;
		sampler->gaps[sampler->missing].number++;
		sampler->gaps[sampler->missing].length += times->start - newest;
	} else if (newest) {
		times->start = newest;
	}
}

/*
 * Determines the times of a sample. CUPTI loses the times of samples that did not fit into the image, and sets equal
 * start and end; a time in the middle can be far off. Such samples are placed by the sampling interval after the previous
 * one. Returns whether the times are known.
 */
static bool place_sample(const struct sampler *sampler, struct sample_time *times, uint64_t now)
{
	uint64_t newest = sampler->counts->newest;

	if (sampler->trigger == TRIGGER_SYSCLK)
		return times->start < times->end;
	if (times->start < times->end && times->end < now + AHEAD) {
		if (times->end - times->start > 2 * sampler->period)
			times->start = times->end - sampler->period;
		return true;
	}
	*times = (struct sample_time){ newest, newest + sampler->period };
	return newest != 0;
}

/* Counts a sample; one that is not used gets no length. */
static void count_sample(struct sampler *sampler, struct sample_time *times, const double *values,
			 bool is_used, uint64_t now)
{
	bool is_known = times->start < times->end;

	if (!is_used || !place_sample(sampler, times, now) || sampler->counts->newest >= times->end) {
		times->start = times->end;
		return;
	}
	join_sample(sampler, times);
	if (is_known)
		sampler->missing = GAP_NONE;
	sampler->errors = 0;
	sampler->samples++;
	if (counts_add(sampler->counts, times->start, times->end, values))
		sampler->missing = GAP_MEMORY;
}

/* The next image in the order of time, if it has been evaluated; or NULL */
static struct image *next_image(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->images_len; i++)
		if (sampler->images[i].state == IMAGE_VALUED &&
		    sampler->images[i].number == sampler->taken)
			return &sampler->images[i];
	return NULL;
}

/* The last sample of an image may be incomplete; the next image then has all of it. */
static bool is_complete(const struct image *image, size_t index)
{
	return image->is_full || index + 1 < image->samples ||
	       image->times[index].start < image->times[index].end;
}

static void count_image(struct sampler *sampler, struct image *image)
{
	uint64_t now = raw_clock_now();

	if (image->reason != GAP_NONE)
		sampler->missing = image->reason;
	for (size_t i = 0; i < image->samples; i++)
		count_sample(sampler, &image->times[i], &image->values[i * sampler->length],
			     (i || !image->is_skipped) && is_complete(image, i), now);
	sampler->taken++;
}

/* The end of the decoded data and one more sample, if samples are contiguous in memory */
static size_t used_bytes(const struct sampler *sampler, size_t samples)
{
	size_t rest = samples + 1 < sampler->image_samples ? sampler->image_samples - samples - 1 : 0;

	rest *= sampler->sample_bytes;
	return rest < sampler->image_size ? sampler->image_size - rest : sampler->image_size;
}

/*
 * Empties an image by copying the empty one; CUPTI's own function needs the object that the decoder uses. It copies the
 * whole image until the data after the samples was seen unchanged: copying much memory evicts the decoder's cache lines.
 * Returns whether that was seen.
 */
static bool empty_image(const struct sampler *sampler, struct image *image, bool is_dense)
{
	size_t used = used_bytes(sampler, image->decoded), rest = sampler->image_size - used;

	if (!is_dense && rest)
		is_dense = !memcmp(image->bytes + used, sampler->empty + used, rest);
	memcpy(image->bytes, sampler->empty, is_dense ? used : sampler->image_size);
	return is_dense;
}

/* Counts all images that are next in the order of time, and frees them. Called with the lock held. */
static void take_images(struct sampler *sampler)
{
	struct image *image;

	while ((image = next_image(sampler))) {
		bool is_dense = sampler->is_dense;

		count_image(sampler, image);
		image->state = IMAGE_BUSY;
		pthread_cond_broadcast(&sampler->decoded);
		pthread_mutex_unlock(&sampler->lock);
		if (sampler->saver && image->samples)
			saver_samples(sampler->saver, sampler->saver_run, image->bytes, sampler->empty,
				      sampler->image_size, image->times, image->samples);
		is_dense = empty_image(sampler, image, is_dense);
		pthread_mutex_lock(&sampler->lock);
		sampler->is_dense |= is_dense;
		image->state = IMAGE_FREE;
		pthread_cond_broadcast(&sampler->freed);
	}
}

static void evaluate(struct worker *worker, struct image *image)
{
	struct sampler *sampler = worker->sampler;
	int result = 0;

	for (size_t i = 0; i < image->samples && !result; i++)
		result = evaluator_values(&worker->evaluator, image->bytes, sampler->image_size, i,
					  &image->values[i * sampler->length]);
	pthread_mutex_lock(&sampler->lock);
	if (result) {
		sampler->failure = result;
		image->samples = 0;
	}
	image->state = IMAGE_VALUED;
	take_images(sampler);
	pthread_mutex_unlock(&sampler->lock);
}

/* The oldest image that waits for its evaluation, or NULL */
static struct image *find_work(const struct sampler *sampler)
{
	struct image *oldest = NULL;

	for (size_t i = 0; i < sampler->images_len; i++) {
		struct image *image = &sampler->images[i];

		if (image->state == IMAGE_DECODED && (!oldest || image->number < oldest->number))
			oldest = image;
	}
	return oldest;
}

static void *work(void *data)
{
	struct worker *worker = data;
	struct sampler *sampler = worker->sampler;
	struct image *image;

	pthread_mutex_lock(&sampler->lock);
	while (!sampler->wants_finish) {
		image = find_work(sampler);
		if (!image) {
			pthread_cond_wait(&sampler->work, &sampler->lock);
			continue;
		}
		image->state = IMAGE_BUSY;
		pthread_mutex_unlock(&sampler->lock);
		evaluate(worker, image);
		pthread_mutex_lock(&sampler->lock);
	}
	pthread_mutex_unlock(&sampler->lock);
	return NULL;
}

struct image *images_free(struct sampler *sampler)
{
	struct image *image = NULL;

	pthread_mutex_lock(&sampler->lock);
	while (!image) {
		for (size_t i = 0; i < sampler->images_len && !image; i++)
			if (sampler->images[i].state == IMAGE_FREE)
				image = &sampler->images[i];
		if (!image)
			pthread_cond_wait(&sampler->freed, &sampler->lock);
	}
	pthread_mutex_unlock(&sampler->lock);
	return image;
}

void images_submit(struct sampler *sampler, struct image *image)
{
	pthread_mutex_lock(&sampler->lock);
	image->number = sampler->submitted++;
	image->state = sampler->workers_len ? IMAGE_DECODED : IMAGE_BUSY;
	pthread_cond_signal(&sampler->work);
	pthread_mutex_unlock(&sampler->lock);
	if (!sampler->workers_len)
		evaluate(sampler->workers, image);
}

static bool are_all_free(const struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->images_len; i++)
		if (sampler->images[i].state != IMAGE_FREE)
			return false;
	return true;
}

void images_settle(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	while (!are_all_free(sampler))
		pthread_cond_wait(&sampler->freed, &sampler->lock);
	pthread_mutex_unlock(&sampler->lock);
}

void images_reset(struct sampler *sampler)
{
	for (size_t i = 0; i < sampler->images_len; i++)
		memcpy(sampler->images[i].bytes, sampler->empty, sampler->image_size);
}

/* Allocates an image. Tens of megabytes are used in turn, so huge pages save TLB misses. */
static uint8_t *new_bytes(size_t size)
{
	size_t room = (size + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
	uint8_t *bytes = aligned_alloc(HUGE_PAGE, room);

	/* Without huge pages it is only slower. */
	if (bytes)
		madvise(bytes, room, MADV_HUGEPAGE);
	return bytes;
}

static int make_images(struct sampler *sampler)
{
	size_t max = sampler->image_samples;

	sampler->images = calloc(sampler->images_len, sizeof(*sampler->images));
	if (!sampler->images)
		return -ENOMEM;
	for (size_t i = 0; i < sampler->images_len; i++) {
		struct image *image = &sampler->images[i];

		image->bytes = new_bytes(sampler->image_size);
		image->times = calloc(max, sizeof(*image->times));
		image->values = calloc(max * sampler->length, sizeof(*image->values));
		if (!image->bytes || !image->times || !image->values)
			return -ENOMEM;
	}
	images_reset(sampler);
	return 0;
}

int images_init(struct sampler *sampler, const struct host *host)
{
	size_t evaluators = sampler->threads ? sampler->threads : 1;
	struct gpmu_error error = { .size = sizeof(error) };

	sampler->wants_finish = sampler->is_dense = false;
	sampler->submitted = sampler->taken = 0;
	sampler->workers = calloc(evaluators, sizeof(*sampler->workers));
	if (!sampler->workers || make_images(sampler))
		return -ENOMEM;
	for (size_t i = 0; i < evaluators; i++) {
		struct worker *worker = &sampler->workers[i];

		worker->sampler = sampler;
		if (evaluator_init(&worker->evaluator, host, sampler->names, sampler->length, &error) ||
		    (sampler->threads && pthread_create(&worker->thread, NULL, work, worker))) {
			evaluator_release(&worker->evaluator);
			return -ENOMEM;
		}
		sampler->workers_len = sampler->threads ? i + 1 : 0;
	}
	return 0;
}

static void release_workers(struct sampler *sampler)
{
	pthread_mutex_lock(&sampler->lock);
	sampler->wants_finish = true;
	pthread_cond_broadcast(&sampler->work);
	pthread_mutex_unlock(&sampler->lock);
	for (size_t i = 0; i < sampler->workers_len; i++) {
		pthread_join(sampler->workers[i].thread, NULL);
		evaluator_release(&sampler->workers[i].evaluator);
	}
	if (!sampler->workers_len && sampler->workers && sampler->workers->evaluator.library)
		evaluator_release(&sampler->workers->evaluator);
	free(sampler->workers);
	sampler->workers = NULL;
	sampler->workers_len = 0;
}

void images_release(struct sampler *sampler)
{
	release_workers(sampler);
	for (size_t i = 0; i < sampler->images_len && sampler->images; i++) {
		free(sampler->images[i].bytes);
		free(sampler->images[i].times);
		free(sampler->images[i].values);
	}
	free(sampler->images);
	sampler->images = NULL;
	sampler->images_len = 0;
}
