// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Channels in one process: each record is read once and unchanged, however often the ring wraps;
 * a full ring, a record that is too long and a damaged file are reported.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "channel-test.h"

#define LOSERS	100	/* threads, more than the channel tells apart */

static void rounds(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	uint64_t written = 0, next = 0, full = 0;

	ok(writer && reader, "channel: a writer's file exists once the writer does");
	if (!writer || !reader)
		return;
	is_u64(read_numbers(reader, 0), 0, "channel: a new channel has no records");
	for (uint64_t round = 0; round < 3000; round++) {
		for (uint64_t i = 0; i <= round % 40; i++) {
			int ret = write_number(writer, written);

			written += !ret;
			full += ret == -EAGAIN;
			if (ret && ret != -EAGAIN)
				diag("%s", strerror(-ret));
		}
		next = read_numbers(reader, next);
	}
	ok(written > 40000 && full > 1000, "channel: %" PRIu64 " records are written and the ring is full %"
	   PRIu64 " times", written, full);
	is_u64(next, written, "channel: each record is read once, in order, unchanged");
	ok(!channel_has_ended(reader) && !channel_is_closed(reader),
	   "channel: an open channel has not ended");
	write_number(writer, written);
	channel_writer_finish(writer);
	ok(channel_is_closed(reader) && !channel_has_ended(reader),
	   "channel: channel_writer_finish() closes the channel, which has not ended");
	is_u64(-write_number(writer, 0), ESHUTDOWN, "channel: a closed channel refuses records");
	channel_writer_close(writer);
	ok(channel_has_ended(reader) && channel_is_closed(reader),
	   "channel: channel_writer_close() ends the channel");
	is_u64(read_numbers(reader, next), written + 1,
	       "channel: the last record is read after the channel has ended");
	channel_reader_free(reader);
	empty_folder();
}

static void room(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, 5, 0 };
	struct activity_head *large = calloc(1, RING);
	const struct activity_head *read;
	unsigned int n = 0, m = 0;

	while (!channel_write(writer, &record.head))
		n++;
	is_u64(n, RING / sizeof(record), "channel: a ring holds as many bytes as its size");
	is_u64(-channel_write(writer, &record.head), EAGAIN,
	       "channel: a full ring refuses a record with EAGAIN");
	while (channel_read(reader, &read) == 1)
		m++;
	ok(m == n && !channel_write(writer, &record.head),
	   "channel: a ring takes a record again after it was read");
	large->kind = ACTIVITY_NOTE;
	large->size = RING / 4;
	is_u64(channel_write(writer, large), 0,
	       "channel: a record of a quarter of the ring is accepted");
	large->size += 8;
	is_u64(-channel_write(writer, large), EMSGSIZE,
	       "channel: a record longer than a quarter of the ring is refused");
	large->size = sizeof(struct activity_note);
	is_u64(-channel_write(writer, large), EINVAL,
	       "channel: a record shorter than its kind is refused");
	large->size = sizeof(struct activity_note) + 7;
	is_u64(-channel_write(writer, large), EINVAL,
	       "channel: a record whose size is not a multiple of 8 is refused");
	large->size = sizeof(struct activity_note) + 8;
	((char *)large)[large->size - 1] = 'a';
	is_u64(-channel_write(writer, large), EINVAL,
	       "channel: a text without a terminating NUL is refused");
	large->kind = ACTIVITY_KINDS;
	is_u64(-channel_write(writer, large), EINVAL,
	       "channel: a record of an unknown kind is refused");
	free(large);
	channel_reader_free(reader);
	channel_writer_close(writer);
	empty_folder();
}

/* A record that channel_lose() has counted for the reader */
static const struct activity_lost *read_lost(struct channel_reader *reader)
{
	const struct activity_head *read;

	if (channel_read(reader, &read) != 1 || read->kind != ACTIVITY_LOST)
		return NULL;
	return (const struct activity_lost *)(const void *)read;
}

static void lose(struct channel_writer *writer, enum activity_lost_why why, enum activity_kind kind, uint64_t time,
		 uint32_t thread)
{
	const struct activity_lost lost = {
		.from = time, .to = time, .count = 1, .why = why, .kind = kind, .thread = thread,
	};

	channel_lose(writer, &lost);
}

static void losses(void)
{
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, .time = 5 };
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_lost *lost;
	const struct activity_head *read;

	while (!channel_write(writer, &record.head))
		;
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_MARKER, 20, 7);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_MARKER, 10, 7);
	channel_writer_forget(writer);
	lost = read_lost(reader);
	ok(lost && lost->count == 2 && lost->from == 10 && lost->to == 20 &&
	   lost->why == ACTIVITY_LOST_CHANNEL && lost->kind == ACTIVITY_MARKER && lost->thread == 7,
	   "channel: lost records are reported with their kind, thread and time before later records");
	for (size_t i = 0; i < RING / sizeof(record); i++)
		channel_read(reader, &read);
	ok(channel_read(reader, &read) == 0 && channel_has_ended(reader),
	   "channel: lost records are reported once");
	channel_reader_free(reader);
	empty_folder();
}

static void losses_of_kinds(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, .time = 5 };
	const struct activity_head *read;
	const struct activity_lost *lost;
	uint64_t sum = 0, others = 0;

	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_MARKER, 10, ACTIVITY_NO_END);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 20, ACTIVITY_NO_END);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 30, ACTIVITY_NO_END);
	lose(writer, ACTIVITY_LOST_TIMES, ACTIVITY_NOTE, 40, ACTIVITY_NO_END);
	channel_write(writer, &record.head);
	lost = read_lost(reader);
	ok(lost && lost->count == 1 && lost->kind == ACTIVITY_MARKER && lost->to == 10,
	   "channel: lost records of several kinds are reported by kind");
	lost = read_lost(reader);
	ok(lost && lost->count == 2 && lost->kind == ACTIVITY_NOTE && lost->from == 20 && lost->to == 30,
	   "channel: lost records of a further kind are reported with their own time");
	lost = read_lost(reader);
	ok(lost && lost->count == 1 && lost->why == ACTIVITY_LOST_TIMES && lost->kind == ACTIVITY_NOTE,
	   "channel: records lost for another reason are reported apart");
	channel_read(reader, &read);
	for (uint32_t thread = 1; thread <= LOSERS; thread++)
		lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_MARKER, thread, thread);
	channel_write(writer, &record.head);
	for (; (lost = read_lost(reader)); sum += lost->count)
		others += lost->thread || lost->kind ? 0 : lost->count;
	ok(sum == LOSERS && others > 0 && others < LOSERS,
	   "channel: records lost by too many threads are reported without kind and thread");
	channel_reader_free(reader);
	channel_writer_close(writer);
	empty_folder();
}

/* @closes: the writer marks the file as complete before it ends */
static void owed(bool closes)
{
	const struct activity_lost held = { .from = 10, .to = 20, .count = 3, .why = ACTIVITY_LOST_CHANNEL,
					    .kind = ACTIVITY_MARKER };
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, .time = 5 };
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_lost *lost;
	const struct activity_head *read;

	channel_owe(writer, &held);
	channel_write(writer, &record.head);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 5, 0);
	lost = read_lost(reader);
	ok(lost && lost->kind == ACTIVITY_NOTE && channel_read(reader, &read) == 1 && read->kind == ACTIVITY_COMPLETE &&
	   !channel_read(reader, &read), "channel: records that a running writer holds back are not reported as lost");
	if (closes)
		channel_writer_finish(writer);
	channel_writer_forget(writer);
	lost = read_lost(reader);
	if (closes)
		ok(!lost, "channel: records that a writer held back before it completed its file are not reported as lost");
	else
		ok(lost && lost->count == 3 && lost->from == 10 && lost->to == 20 && lost->kind == ACTIVITY_MARKER &&
		   !channel_read(reader, &read),
		   "channel: records that a writer held back when it ended are reported as lost once");
	channel_reader_free(reader);
	empty_folder();
}

/* The process is killed after it has written two of the three records that it held back. */
static void owed_and_written(void)
{
	struct activity_lost held = { .from = 10, .to = 20, .count = 2, .why = ACTIVITY_LOST_CHANNEL,
				      .kind = ACTIVITY_COMPLETE };
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, ACTIVITY_OWED }, .time = 5 };
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_lost *lost;
	const struct activity_head *read;

	channel_owe(writer, &held);
	channel_write(writer, &record.head);
	channel_read(reader, &read);
	held.count = 3;
	channel_owe(writer, &held);
	channel_write(writer, &record.head);
	channel_writer_forget(writer);
	ok(channel_read(reader, &read) == 1 && read->kind == ACTIVITY_COMPLETE,
	   "channel: a record that was held back is read after its writer was killed");
	lost = read_lost(reader);
	ok(lost && lost->count == 1 && !channel_read(reader, &read),
	   "channel: of three records that a killed writer held back, of which it wrote two, one is reported as lost");
	channel_reader_free(reader);
	empty_folder();
}

/* The process is killed after it has counted a loss, and before it adds it to the number of lost records. */
static void killed(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader;
	const struct activity_lost *lost;
	const uint64_t none = 0;
	char path[1][PATH_MAX];
	int fd;

	files(path, 1, false);
	fd = open(path[0], O_RDWR);
	reader = channel_reader_new(path[0]);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 5, 0);
	channel_writer_forget(writer);
	ok(pwrite(fd, &none, sizeof(none), offsetof(struct channel_head, lost)) == sizeof(none),
	   "channel: the number of lost records is set to that before the last loss");
	close(fd);
	lost = read_lost(reader);
	ok(lost && lost->count == 1 && lost->kind == ACTIVITY_NOTE && !read_lost(reader),
	   "channel: a loss that a killed writer has counted last is reported once");
	channel_reader_free(reader);
	empty_folder();
}

static void several(void)
{
	struct channel_writer *first = channel_writer_new(folder, RING);
	struct channel_writer *second = channel_writer_new(folder, RING * 2);
	struct channel_reader *readers[2];
	char paths[3][PATH_MAX];
	uint64_t next[2];

	is_u64(files(paths, 3, false), 2, "channel: two writers have two files and no other");
	write_number(first, 0);
	write_number(second, 0);
	write_number(second, 1);
	channel_writer_close(first);
	for (int i = 0; i < 2; i++) {
		readers[i] = channel_reader_new(paths[i]);
		next[i] = read_numbers(readers[i], 0);
	}
	ok(next[0] + next[1] == 3 && (next[0] == 1 || next[1] == 1),
	   "channel: each of two channels has its own records");
	ok(channel_has_ended(readers[next[0] != 1]) && !channel_has_ended(readers[next[0] == 1]),
	   "channel: each of two channels ends on its own");
	for (int i = 0; i < 2; i++)
		channel_reader_free(readers[i]);
	channel_writer_close(second);
	empty_folder();
}

/* A change of a file with two records */
static const struct damage {
	const char *what;
	size_t offset;
	uint64_t value;
	size_t bytes;
	bool opens;
	int reads;	/* records before the damage */
} damages[] = {
	{ "a wrong magic number", offsetof(struct channel_head, magic), 1, 8, false, 0 },
	{
	 "another version", offsetof(struct channel_head, version), CHANNEL_VERSION + 1, 4, false, 0 },
	{ "another head size", offsetof(struct channel_head, head), 8192, 4, false, 0 },
	{ "a ring of size 0", offsetof(struct channel_head, ring), 0, 8, false, 0 },
	{ "a ring longer than the file", offsetof(struct channel_head, ring), RING * 2, 8, false, 0 },
	{ "a ring that is no power of 2", offsetof(struct channel_head, ring), RING - 8, 8, false, 0 },
	{
	 "more bytes written than the ring "
	 "has", offsetof(struct channel_head, written), RING + 8, 8, true, 0 },
	{
	 "a written position before the taken "
	 "one", offsetof(struct channel_head, taken), 1 << 20, 8, true, 0 },
	{
	 "a position within a record's "
	 "head", offsetof(struct channel_head, written), 20, 8, true, 0 },
	{ "a record that is cut off", offsetof(struct channel_head, written),
	  sizeof(struct activity_complete) + 8, 8, true, 1 },
	{ "a record of no bytes", CHANNEL_HEAD, 0, 4, true, 0 },
	{ "a record of 7 bytes", CHANNEL_HEAD, 7, 4, true, 0 },
	{ "a record of 17 bytes", CHANNEL_HEAD, 17, 4, true, 0 },
	{ "a record longer than the ring", CHANNEL_HEAD, UINT32_MAX - 7, 4, true, 0 },
	{ "a record longer than the written bytes", CHANNEL_HEAD + sizeof(struct activity_complete),
	  sizeof(struct activity_complete) + 8, 4, true, 1 },
	{ "a record shorter than its kind", CHANNEL_HEAD + 4, ACTIVITY_KERNEL, 2, true, 0 },
	{ "a text without an end", CHANNEL_HEAD + sizeof(struct activity_complete) + 4, ACTIVITY_NAME, 2,
	  true, 1 },
};

static void damage(const struct damage *damage)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, UINT64_MAX,
						   UINT64_MAX };
	const struct activity_head *read;
	struct channel_reader *reader;
	char paths[1][PATH_MAX];
	int fd, n = 0, ret;

	channel_write(writer, &record.head);
	channel_write(writer, &record.head);
	files(paths, 1, false);
	fd = open(paths[0], O_RDWR | O_CLOEXEC);
	if (pwrite(fd, &damage->value, damage->bytes, (off_t)damage->offset) != (ssize_t)damage->bytes)
		abort();
	close(fd);
	errno = 0;
	reader = channel_reader_new(paths[0]);
	if (!damage->opens) {
		ok(!reader && errno == EBADMSG,
		   "channel: %s is refused with EBADMSG", damage->what);
	} else if (reader) {
		while ((ret = channel_read(reader, &read)) == 1)
			n++;
		ok(ret == -EBADMSG && n == damage->reads && channel_read(reader, &read) == -EBADMSG,
		   "channel: %s is an error after %d records", damage->what, damage->reads);
	} else {
		ok(false, "channel: %s does not keep the channel from opening", damage->what);
	}
	if (reader)
		channel_reader_free(reader);
	channel_writer_close(writer);
	empty_folder();
}

static void unknown(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, 5, 0 };
	const uint16_t kind = ACTIVITY_KINDS + 7;
	const struct activity_head *read;
	struct channel_reader *reader;
	char paths[1][PATH_MAX];
	int fd, n = 0;

	channel_write(writer, &record.head);
	channel_write(writer, &record.head);
	files(paths, 1, false);
	fd = open(paths[0], O_RDWR | O_CLOEXEC);
	ok(pwrite(fd, &kind, 2, CHANNEL_HEAD + 4) == 2,
	   "channel: the kind of a written record is changed to an unknown one");
	close(fd);
	reader = channel_reader_new(paths[0]);
	for (int i = 0; i < 2; i++)
		n += channel_read(reader, &read);
	is_u64(n, 1, "channel: a record of an unknown kind is skipped");
	channel_reader_free(reader);
	channel_writer_close(writer);
	empty_folder();
}

static void cut_off(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	struct channel_reader *reader = read_only_one();
	const struct activity_head *read;
	char paths[1][PATH_MAX];
	int n = 0;

	write_number(writer, 0);
	write_number(writer, 1);
	ok(reader && channel_read(reader, &read) == 1 && files(paths, 1, false) == 1 && !truncate(paths[0], 0),
	   "channel: the file of an open channel is truncated");
	is_u64((uint64_t)channel_read(reader, &read), 1,
	       "channel: a record that was copied with the one before it is read after a truncation");
	ok(!channel_is_closed(reader), "channel: a truncated file is not marked as complete");
	for (int i = 0; i < 2; i++)
		n += channel_read(reader, &read) == -EBADMSG;
	is_u64(n, 2, "channel: the reader of a truncated file gets errors and no SIGBUS");
	/* The writer updates the head when it closes. */
	ok(!truncate(paths[0], CHANNEL_HEAD + RING),
	   "channel: the truncated file is extended again");
	channel_writer_close(writer);
	channel_reader_free(reader);
	empty_folder();
}

/* A reader that is not gpmu */
static void positions(void)
{
	struct channel_writer *writer = channel_writer_new(folder, RING);
	const uint64_t taken = 1 << 20;
	char paths[1][PATH_MAX];
	int fd;

	files(paths, 1, false);
	fd = open(paths[0], O_RDWR | O_CLOEXEC);
	ok(pwrite(fd, &taken, 8, offsetof(struct channel_head, taken)) == 8 &&
	   write_number(writer, 0) == -EBADMSG,
	   "channel: an impossible position of the reader stops the writer");
	close(fd);
	channel_writer_close(writer);
	empty_folder();
}

static void control(void)
{
	struct channel_control want = { .version = CHANNEL_VERSION, .size = sizeof(want), .ring = RING,
					.kinds = 5, .flush = 7, .range = "step" };
	struct channel_control *a, *b;
	char path[PATH_MAX + 16];
	uint32_t version = CHANNEL_VERSION + 1;
	int fd;

	errno = 0;
	ok(!channel_map_control(folder) && errno == ENOENT,
	   "channel: there is no control before it is created");
	ok(!channel_create_control(folder, &want), "channel: the control is created");
	ok(channel_create_control(folder, &want) == -EEXIST,
	   "channel: a control is created only once");
	a = channel_map_control(folder);
	b = channel_map_control(folder);
	ok(a && b && !memcmp(a, &want, sizeof(want)),
	   "channel: the mapped control has the values it was created with");
	if (!a || !b)
		return;
	a->enabled = 1;
	is_u64(b->enabled, 1, "channel: both mappings of a control share its memory");
	snprintf(path, sizeof(path), "%s/" CHANNEL_CONTROL, folder);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	channel_set_control(fd, offsetof(struct channel_control, closed), 1);
	ok(b->closed == 1 && b->enabled == 1, "channel: a member of a control is set for all mappings");
	ok(!ftruncate(fd, 0), "channel: a control is truncated");
	channel_set_control(fd, offsetof(struct channel_control, enabled), 0);
	ok(!ftruncate(fd, 0), "channel: setting a member of a truncated control raises no SIGBUS");
	close(fd);
	unlink(path);
	ok(!channel_create_control(folder, &want), "channel: a control is created again");
	channel_unmap_control(a);
	channel_unmap_control(b);
	snprintf(path, sizeof(path), "%s/" CHANNEL_CONTROL, folder);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok(pwrite(fd, &version, 4, 0) == 4 && !channel_map_control(folder) && errno == EBADMSG,
	   "channel: a control of another version is refused");
	ok(!ftruncate(fd, 100) && !channel_map_control(folder) && errno == EBADMSG,
	   "channel: a short control is refused");
	close(fd);
	empty_folder();
	want.ring = RING + 1;
	ok(channel_create_control(folder, &want) == -EINVAL,
	   "channel: a control whose ring is not a power of 2 is refused");
	want.ring = RING;
	memset(want.range, 'a', sizeof(want.range));
	ok(channel_create_control(folder, &want) == -EINVAL,
	   "channel: a control whose range has no terminating NUL is refused");
}

/* SIGXFSZ would end the test. */
static void limited(void)
{
	struct rlimit before, limit;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = RING;
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(!channel_writer_new(folder, RING) && errno == EFBIG,
	   "channel: a writer beyond the limit of file sizes is EFBIG");
	setrlimit(RLIMIT_FSIZE, &before);
}

static void refused(void)
{
	char missing[PATH_MAX + 16];

	errno = 0;
	ok(!channel_writer_new(folder, RING + 8) && errno == EINVAL,
	   "channel: a writer whose ring is not a power of 2 is refused");
	ok(!channel_writer_new(folder, RING / 2) && errno == EINVAL,
	   "channel: a writer whose ring is too short is refused");
	snprintf(missing, sizeof(missing), "%s/missing", folder);
	ok(!channel_writer_new(missing, RING) && errno == ENOENT,
	   "channel: a writer in an absent folder is ENOENT");
	ok(!channel_reader_new(missing) && errno == ENOENT,
	   "channel: a reader of an absent file is ENOENT");
	ok(!channel_reader_new(folder) && errno == EISDIR,
	   "channel: a reader of a folder is EISDIR");
}

int main(void)
{
	make_folder();
	rounds();
	room();
	losses();
	losses_of_kinds();
	owed(false);
	owed(true);
	owed_and_written();
	killed();
	several();
	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++)
		damage(&damages[i]);
	unknown();
	cut_off();
	positions();
	control();
	refused();
	limited();
	ok(!files(NULL, 0, false), "channel: no file is left in the folder");
	remove_folder();
	return done_testing();
}
