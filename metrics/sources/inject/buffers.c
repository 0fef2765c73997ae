// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * CUPTI's buffers. All bytes of a buffer are CUPTI's; our state of it is in a table that is searched by the address.
 *
 * The pool has as many buffers as CUPTI and gpmu's thread hold at once, up to its limit. Few empty ones keep their pages,
 * because the program's threads wait for new pages; the others give theirs back to the system.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "inject.h"
#include "word.h"

#define BUFFERS_MAX	16384
#define WARM	32	/* empty buffers with pages */

static struct {
	pthread_mutex_t lock;
	struct inject_buffer *table;	/* MOST buffers */
	struct inject_buffer *warm, *cold, *full, **end;
	unsigned int length, max;
	unsigned int warm_count, paged, paged_max;	/* paged: buffers with pages */
	size_t size;
	bool is_short, has_been_short;	/* a request has had no buffer: since buffers_were_declined(), at any time */
	uint64_t completed;
} pool = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Number of reasons to wake gpmu's thread so far, and number of those that it has seen */
static uint32_t reasons, seen;

void buffers_init(size_t size, unsigned int max)
{
	pool.size = (size + 7) / 8 * 8;
	pool.table = inject_table(BUFFERS_MAX * sizeof(*pool.table));
	pool.max = !pool.table ? 0 : max < BUFFERS_MAX ? max : BUFFERS_MAX;
	pool.end = &pool.full;
}

/* Adds a buffer, which is zeroed. */
static struct inject_buffer *add(void)
{
	struct inject_buffer *buffer;
	void *bytes = pool.length < pool.max ? inject_table(pool.size) : NULL;

	if (!bytes)
		return NULL;
	buffer = &pool.table[pool.length++];
	buffer->bytes = bytes;
	buffer->size = pool.size;
	return buffer;
}

static struct inject_buffer *take_empty(void)
{
	struct inject_buffer *buffer = pool.warm;

	if (buffer) {
		pool.warm = buffer->next;
		pool.warm_count--;
		return buffer;
	}
	buffer = pool.cold;
	if (buffer)
		pool.cold = buffer->next;
	else
		buffer = add();
	pool.paged += buffer != NULL;
	if (pool.paged > pool.paged_max)
		pool.paged_max = pool.paged;
	return buffer;
}

void inject_request(uint8_t **bytes, size_t *size, size_t *max)
{
	struct inject_buffer *buffer;
	int kept = errno;
	bool is_new;

	pthread_mutex_lock(&pool.lock);
	buffer = take_empty();
	is_new = !buffer && !pool.is_short;
	if (is_new)
		pool.is_short = pool.has_been_short = true;
	pthread_mutex_unlock(&pool.lock);
	if (is_new)
		buffers_wake();
	*bytes = buffer ? buffer->bytes : NULL;
	*size = buffer ? buffer->size : 0;
	*max = 0;
	errno = kept;
}

void inject_complete(void *context, uint32_t stream, uint8_t *bytes, size_t size, size_t valid)
{
	pthread_mutex_lock(&pool.lock);
	for (unsigned int i = 0; i < pool.length; i++) {
		struct inject_buffer *buffer = &pool.table[i];

		if (buffer->bytes != bytes)
			continue;
		buffer->context = context;
		buffer->stream = stream;
		buffer->valid = valid < size && valid < buffer->size ? valid : buffer->size;
		buffer->next = NULL;
		*pool.end = buffer;
		pool.end = &buffer->next;
		pool.completed++;
		break;
	}
	pthread_mutex_unlock(&pool.lock);
	buffers_wake();
}

struct inject_buffer *buffers_take(void)
{
	struct inject_buffer *buffer;

	pthread_mutex_lock(&pool.lock);
	buffer = pool.full;
	if (buffer)
		pool.full = buffer->next;
	if (!pool.full)
		pool.end = &pool.full;
	pthread_mutex_unlock(&pool.lock);
	return buffer;
}

/* Zeroes the buffer. Only this thread adds warm ones. */
void buffers_give(struct inject_buffer *buffer)
{
	bool is_warm;

	pthread_mutex_lock(&pool.lock);
	is_warm = pool.warm_count < WARM;
	pthread_mutex_unlock(&pool.lock);
	if (!is_warm && madvise(buffer->bytes, buffer->size, MADV_DONTNEED))
		is_warm = true;
	if (is_warm)
		memset(buffer->bytes, 0, buffer->valid);
	pthread_mutex_lock(&pool.lock);
	buffer->next = is_warm ? pool.warm : pool.cold;
	*(is_warm ? &pool.warm : &pool.cold) = buffer;
	pool.warm_count += is_warm;
	pool.paged -= !is_warm;
	pthread_mutex_unlock(&pool.lock);
}

void buffers_wait(unsigned int ms)
{
	word_wait(&reasons, seen, ms);
	seen = __atomic_load_n(&reasons, __ATOMIC_ACQUIRE);
}

void buffers_wake(void)
{
	__atomic_add_fetch(&reasons, 1, __ATOMIC_RELEASE);
	word_wake(&reasons);
}

bool buffers_are_short(void)
{
	bool is_short;

	pthread_mutex_lock(&pool.lock);
	is_short = pool.is_short;
	pthread_mutex_unlock(&pool.lock);
	return is_short;
}

bool buffers_were_short(void)
{
	bool has_been_short;

	pthread_mutex_lock(&pool.lock);
	has_been_short = pool.has_been_short;
	pthread_mutex_unlock(&pool.lock);
	return has_been_short;
}

bool buffers_were_declined(void)
{
	bool is_short;

	pthread_mutex_lock(&pool.lock);
	is_short = pool.is_short;
	pool.is_short = false;
	pthread_mutex_unlock(&pool.lock);
	return is_short;
}

uint64_t buffers_completed(void)
{
	uint64_t completed;

	pthread_mutex_lock(&pool.lock);
	completed = pool.completed;
	pthread_mutex_unlock(&pool.lock);
	return completed;
}

size_t buffers_memory(void)
{
	size_t max;

	pthread_mutex_lock(&pool.lock);
	max = pool.paged_max * pool.size;
	pthread_mutex_unlock(&pool.lock);
	return max;
}

size_t buffers_limit(void)
{
	return pool.max * pool.size;
}
