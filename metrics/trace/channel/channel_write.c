// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"

struct channel_writer {
	pthread_mutex_t lock;
	struct channel_head *head;
	char *data;
	uint64_t ring, written, taken;
	bool is_finished;
};

static int map(struct channel_writer *writer, int fd)
{
	size_t length = CHANNEL_HEAD + writer->ring;
	struct rlimit limit;
	void *head;
	int ret;

	/*
	 * Beyond the limit of file sizes (ulimit -f) the kernel would send SIGXFSZ to the
	 * application, and without the file's pages it would send SIGBUS once memory is short.
	 */
	if (!getrlimit(RLIMIT_FSIZE, &limit) && limit.rlim_cur < length)
		return -EFBIG;
	ret = posix_fallocate(fd, 0, (off_t)length);
	if (ret)
		return -ret;
	head = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return -errno;
	writer->head = head;
	writer->data = (char *)head + CHANNEL_HEAD;
	*writer->head = (struct channel_head){
		.magic = CHANNEL_MAGIC,
		.version = CHANNEL_VERSION,
		.head = CHANNEL_HEAD,
		.ring = writer->ring,
	};
	return 0;
}

/*
 * Creates the file, complete and locked. The mapping keeps the lock, because it refers to the same open file. An open
 * descriptor could be closed by the program, as daemons do, and then refer to another file.
 */
static int make(struct channel_writer *writer)
{
	int fd = channel_memory("gpmu-channel"), ret;

	if (fd < 0)
		return fd;
	ret = flock(fd, LOCK_EX | LOCK_NB) ? -errno : map(writer, fd);
	if (!ret && fcntl(fd, F_ADD_SEALS, CHANNEL_SEALS | F_SEAL_SEAL))
		ret = -errno;
	if (!ret)
		return fd;
	close(fd);
	return ret;
}

static void release(struct channel_writer *writer)
{
	if (writer->head)
		munmap(writer->head, CHANNEL_HEAD + writer->ring);
	free(writer);
}

struct channel_writer *channel_writer_new(uint64_t ring, int *fd)
{
	struct channel_writer *writer;

	if (!channel_ring_fits(ring)) {
		errno = EINVAL;
		return NULL;
	}
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return NULL;
	pthread_mutex_init(&writer->lock, NULL);
	writer->ring = ring;
	*fd = make(writer);
	if (*fd >= 0)
		return writer;
	release(writer);
	errno = -*fd;
	return NULL;
}

/*
 * The reader's position. The reader writes it by pwrite(2), and a load may see a part of the write.
 * The lower result of two successive loads is right, or lower than an earlier position.
 */
static uint64_t taken_of(struct channel_writer *writer)
{
	uint64_t taken = __atomic_load_n(&writer->head->taken, __ATOMIC_ACQUIRE);
	uint64_t again = __atomic_load_n(&writer->head->taken, __ATOMIC_ACQUIRE);

	taken = again < taken ? again : taken;
	if (taken > writer->taken)
		writer->taken = taken;
	return writer->taken;
}

static int write_locked(struct channel_writer *writer, const struct activity_head *record)
{
	uint64_t taken = taken_of(writer);
	uint64_t offset = writer->written & (writer->ring - 1), pad = 0;

	if (writer->is_finished)
		return -ESHUTDOWN;
	if (taken > writer->written || writer->written - taken > writer->ring)
		return -EBADMSG;
	if (writer->ring - offset < record->size)
		pad = writer->ring - offset;
	if (writer->ring - (writer->written - taken) < pad + record->size)
		return -EAGAIN;
	if (pad) {
		const struct activity_head filler = { .size = (uint32_t)pad, .kind = CHANNEL_PAD };

		memcpy(writer->data + offset, &filler, sizeof(filler));
		offset = 0;
	}
	memcpy(writer->data + offset, record, record->size);
	writer->written += pad + record->size;
	__atomic_store_n(&writer->head->written, writer->written, __ATOMIC_RELEASE);
	return 0;
}

int channel_write(struct channel_writer *writer, const struct activity_head *record)
{
	int ret;

	if (!activity_is_valid(record) || record->kind >= ACTIVITY_KINDS)
		return -EINVAL;
	if (record->size > writer->ring / CHANNEL_SHARE)
		return -EMSGSIZE;
	pthread_mutex_lock(&writer->lock);
	ret = write_locked(writer, record);
	pthread_mutex_unlock(&writer->lock);
	return ret;
}

static void describe(struct channel_lost *lost, const struct activity_lost *loss)
{
	lost->why = (uint16_t)loss->why;
	lost->kind = (uint16_t)loss->kind;
	lost->thread = loss->thread;
}

/* The losses of this reason, kind and thread, or those of all others */
static struct channel_lost *losses_of(struct channel_head *head, const struct activity_lost *loss)
{
	struct channel_lost *lost = head->losses;

	for (; lost < &head->losses[CHANNEL_LOSSES - 1]; lost++) {
		if (!lost->count)
			describe(lost, loss);
		if (lost->why == loss->why && lost->kind == loss->kind && lost->thread == loss->thread)
			return lost;
	}
	lost->why = ACTIVITY_LOST_CHANNEL;
	return lost;
}

void channel_lose(struct channel_writer *writer, const struct activity_lost *loss)
{
	struct channel_lost *lost;

	pthread_mutex_lock(&writer->lock);
	lost = losses_of(writer->head, loss);
	if (!lost->count || loss->from < lost->from)
		lost->from = loss->from;
	if (loss->to > lost->to)
		lost->to = loss->to;
	__atomic_store_n(&lost->count, lost->count + loss->count, __ATOMIC_RELEASE);
	__atomic_store_n(&writer->head->lost, writer->head->lost + loss->count, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&writer->lock);
}

void channel_owe(struct channel_writer *writer, const struct activity_lost *loss)
{
	struct channel_lost *owed = &writer->head->owed;

	pthread_mutex_lock(&writer->lock);
	describe(owed, loss);
	owed->from = loss->from;
	owed->to = loss->to;
	__atomic_store_n(&owed->count, loss->count, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&writer->lock);
}

static unsigned int my_stripe(void)
{
	static unsigned int last;
	static __thread unsigned int stripe;

	if (!stripe)
		stripe = __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED) % CHANNEL_STRIPES + 1;
	return stripe - 1;
}

void channel_count(struct channel_writer *writer, enum channel_tally tally, enum activity_kind kind, uint64_t count)
{
	struct channel_calls *calls = &writer->head->calls[my_stripe()];
	uint64_t *const tallies[] = {
		[CHANNEL_CALLED] = calls->called, [CHANNEL_UNSURE] = calls->unsure,
		[CHANNEL_OUTSIDE] = writer->head->outside,
	};

	__atomic_fetch_add(&tallies[tally][kind - ACTIVITY_KERNEL], count, __ATOMIC_RELAXED);
}

uint64_t channel_called(const struct channel_writer *writer)
{
	uint64_t sum = 0;

	for (int i = 0; i < CHANNEL_STRIPES; i++) {
		const struct channel_calls *calls = &writer->head->calls[i];

		for (int work = 0; work < ACTIVITY_WORKS; work++)
			sum += __atomic_load_n(&calls->called[work], __ATOMIC_RELAXED) +
			       __atomic_load_n(&calls->unsure[work], __ATOMIC_RELAXED);
	}
	return sum;
}

void channel_writer_mark(struct channel_writer *writer, bool is_complete)
{
	__atomic_store_n(&writer->head->closed, is_complete, __ATOMIC_RELEASE);
}

void channel_writer_finish(struct channel_writer *writer)
{
	pthread_mutex_lock(&writer->lock);
	writer->is_finished = true;
	pthread_mutex_unlock(&writer->lock);
	__atomic_store_n(&writer->head->closed, 1, __ATOMIC_RELEASE);
}

void channel_writer_close(struct channel_writer *writer)
{
	__atomic_store_n(&writer->head->closed, 1, __ATOMIC_RELEASE);
	release(writer);
}

/* Does not take the lock: a thread of the parent may have held it at the fork. */
void channel_writer_forget(struct channel_writer *writer)
{
	release(writer);
}
