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

/* Opens the file of a descriptor again, as any process of the user can. */
static int reopen(int fd)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return open(path, O_RDWR | O_CLOEXEC);
}

static void rounds(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
	uint64_t written = 0, next = 0, full = 0;

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
}

static void room(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
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
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
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
}

static void losses_of_kinds(void)
{
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
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
}

/* @wants_close: the writer marks the file as complete before it ends */
static void owed(bool wants_close)
{
	const struct activity_lost held = { .from = 10, .to = 20, .count = 3, .why = ACTIVITY_LOST_CHANNEL,
					    .kind = ACTIVITY_MARKER };
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, .time = 5 };
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
	const struct activity_lost *lost;
	const struct activity_head *read;

	channel_owe(writer, &held);
	channel_write(writer, &record.head);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 5, 0);
	lost = read_lost(reader);
	ok(lost && lost->kind == ACTIVITY_NOTE && channel_read(reader, &read) == 1 && read->kind == ACTIVITY_COMPLETE &&
	   !channel_read(reader, &read), "channel: records that a running writer holds back are not reported as lost");
	if (wants_close)
		channel_writer_finish(writer);
	channel_writer_forget(writer);
	lost = read_lost(reader);
	if (wants_close)
		ok(!lost, "channel: records that a writer held back before it completed its file are not reported as lost");
	else
		ok(lost && lost->count == 3 && lost->from == 10 && lost->to == 20 && lost->kind == ACTIVITY_MARKER &&
		   !channel_read(reader, &read),
		   "channel: records that a writer held back when it ended are reported as lost once");
	channel_reader_free(reader);
}

/* The process is killed after it has written two of the three records that it held back. */
static void owed_and_written(void)
{
	struct activity_lost held = { .from = 10, .to = 20, .count = 2, .why = ACTIVITY_LOST_CHANNEL,
				      .kind = ACTIVITY_COMPLETE };
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, ACTIVITY_OWED }, .time = 5 };
	struct channel_reader *reader;
	struct channel_writer *writer = open_both(RING, &reader);
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
}

/* The process is killed after it has counted a loss, and before it adds it to the number of lost records. */
static void killed(void)
{
	const struct activity_lost *lost;
	const uint64_t none = 0;
	int sent, fd;
	struct channel_writer *writer = channel_writer_new(RING, &sent);
	struct channel_reader *reader;

	fd = reopen(sent);
	reader = channel_reader_new(sent);
	lose(writer, ACTIVITY_LOST_CHANNEL, ACTIVITY_NOTE, 5, 0);
	channel_writer_forget(writer);
	ok(pwrite(fd, &none, sizeof(none), offsetof(struct channel_head, lost)) == sizeof(none),
	   "channel: the number of lost records is set to that before the last loss");
	close(fd);
	lost = read_lost(reader);
	ok(lost && lost->count == 1 && lost->kind == ACTIVITY_NOTE && !read_lost(reader),
	   "channel: a loss that a killed writer has counted last is reported once");
	channel_reader_free(reader);
}

static void several(void)
{
	struct channel_reader *readers[2];
	struct channel_writer *first = open_both(RING, &readers[0]), *second = open_both(RING * 2, &readers[1]);

	write_number(first, 0);
	write_number(second, 0);
	write_number(second, 1);
	channel_writer_close(first);
	ok(read_numbers(readers[0], 0) == 1 && read_numbers(readers[1], 0) == 2,
	   "channel: each of two channels has its own records");
	ok(channel_has_ended(readers[0]) && !channel_has_ended(readers[1]),
	   "channel: each of two channels ends on its own");
	for (int i = 0; i < 2; i++)
		channel_reader_free(readers[i]);
	channel_writer_close(second);
}

/* A change of a file with two records */
static const struct damage {
	const char *what;
	size_t offset;
	uint64_t value;
	size_t bytes;
	bool can_open;
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
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, UINT64_MAX,
						   UINT64_MAX };
	const struct activity_head *read;
	int fd, n = 0, ret;
	struct channel_writer *writer = channel_writer_new(RING, &fd);
	struct channel_reader *reader;

	channel_write(writer, &record.head);
	channel_write(writer, &record.head);
	if (pwrite(fd, &damage->value, damage->bytes, (off_t)damage->offset) != (ssize_t)damage->bytes)
		abort();
	errno = 0;
	reader = channel_reader_new(fd);
	if (!damage->can_open) {
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
}

static void unknown(void)
{
	const struct activity_complete record = { { sizeof(record), ACTIVITY_COMPLETE, 0 }, 5, 0 };
	const uint16_t kind = ACTIVITY_KINDS + 7;
	const struct activity_head *read;
	int fd, n = 0;
	struct channel_writer *writer = channel_writer_new(RING, &fd);
	struct channel_reader *reader;

	channel_write(writer, &record.head);
	channel_write(writer, &record.head);
	ok(pwrite(fd, &kind, 2, CHANNEL_HEAD + 4) == 2,
	   "channel: the kind of a written record is changed to an unknown one");
	reader = channel_reader_new(fd);
	for (int i = 0; i < 2; i++)
		n += channel_read(reader, &read);
	is_u64(n, 1, "channel: a record of an unknown kind is skipped");
	channel_reader_free(reader);
	channel_writer_close(writer);
}

/* Truncating a mapped file would raise SIGBUS in the process that has mapped it. */
static void sealed(void)
{
	int fd;
	struct channel_writer *writer = channel_writer_new(RING, &fd);
	const int other = reopen(fd);

	ok(ftruncate(other, 0) && errno == EPERM, "channel: the file of a channel cannot be truncated");
	ok(ftruncate(other, 1 << 20) && errno == EPERM, "channel: the file of a channel cannot be extended");
	ok(fcntl(other, F_ADD_SEALS, F_SEAL_FUTURE_WRITE) && errno == EPERM,
	   "channel: another process cannot keep the reader from writing its position");
	close(fd);
	close(other);
	channel_writer_close(writer);
}

/* A reader that is not gpmu */
static void positions(void)
{
	const uint64_t taken = 1 << 20;
	int fd;
	struct channel_writer *writer = channel_writer_new(RING, &fd);

	ok(pwrite(fd, &taken, 8, offsetof(struct channel_head, taken)) == 8 &&
	   write_number(writer, 0) == -EBADMSG,
	   "channel: an impossible position of the reader stops the writer");
	close(fd);
	channel_writer_close(writer);
}

static const struct channel_control settings = {
	.version = CHANNEL_VERSION, .size = sizeof(settings), .ring = RING, .kinds = 5, .flush = 7, .range = "step",
};

static void control(void)
{
	struct channel_control *own, *mapped;
	int fd = channel_create_control(&settings, &own);

	mapped = fd < 0 ? NULL : channel_map_control(fd);
	ok(mapped && !memcmp(mapped, &settings, sizeof(settings)),
	   "channel: the mapped control page has the values it was created with");
	if (!mapped)
		return;
	own->enabled = 1;
	is_u64(mapped->enabled, 1, "channel: both mappings of a control page share its memory");
	ok(mprotect(mapped, sizeof(*mapped), PROT_READ | PROT_WRITE) && errno == EACCES,
	   "channel: a process cannot make its mapping of the control page writable");
	ok(mmap(NULL, sizeof(*mapped), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED && errno == EPERM,
	   "channel: a process cannot map the control page to write it");
	ok(pwrite(fd, "", 1, 0) < 0 && errno == EPERM, "channel: a process cannot write the control page");
	ok(ftruncate(fd, 0) && errno == EPERM, "channel: a process cannot truncate the control page");
	channel_unmap_control(mapped);
	channel_unmap_control(own);
	close(fd);
}

/* Creates a file like a control page. */
static int make_page(const void *bytes, size_t size, int seals)
{
	int fd = memfd_create("page", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || fcntl(fd, F_ADD_SEALS, seals))
		abort();
	return fd;
}

static void refuse_page(int fd, const char *what)
{
	errno = 0;
	ok(!channel_map_control(fd) && errno == EBADMSG, "channel: %s is refused", what);
	close(fd);
}

static void control_refused(void)
{
	struct channel_control wrong = settings, *mapped;

	refuse_page(make_page(&settings, sizeof(settings), F_SEAL_GROW), "a control page that can be truncated");
	refuse_page(make_page(&settings, 100, CHANNEL_SEALS), "a short control page");
	wrong.version++;
	refuse_page(make_page(&wrong, sizeof(wrong), CHANNEL_SEALS), "a control page of another version");
	wrong = settings;
	wrong.ring++;
	ok(channel_create_control(&wrong, &mapped) == -EINVAL,
	   "channel: a control page whose ring is not a power of 2 is refused");
	wrong = settings;
	memset(wrong.range, 'a', sizeof(wrong.range));
	ok(channel_create_control(&wrong, &mapped) == -EINVAL,
	   "channel: a control page whose range has no terminating NUL is refused");
}

/* SIGXFSZ would end the test. */
static void limited(void)
{
	struct rlimit before, limit;
	int fd;

	getrlimit(RLIMIT_FSIZE, &before);
	limit = before;
	limit.rlim_cur = RING;
	setrlimit(RLIMIT_FSIZE, &limit);
	ok(!channel_writer_new(RING, &fd) && errno == EFBIG,
	   "channel: a writer beyond the limit of file sizes is EFBIG");
	setrlimit(RLIMIT_FSIZE, &before);
}

static void refuse_file(int fd, const char *what)
{
	errno = 0;
	ok(!channel_reader_new(fd) && errno == EBADMSG, "channel: %s is refused", what);
	ok(fcntl(fd, F_GETFD) < 0, "channel: %s is closed", what);
}

static void refused(void)
{
	int fd, ends[2];

	errno = 0;
	ok(!channel_writer_new(RING + 8, &fd) && errno == EINVAL,
	   "channel: a writer whose ring is not a power of 2 is refused");
	ok(!channel_writer_new(RING / 2, &fd) && errno == EINVAL,
	   "channel: a writer whose ring is too short is refused");
	if (pipe(ends))
		abort();
	close(ends[1]);
	refuse_file(ends[0], "a pipe in place of a channel");
	refuse_file(open(".", O_RDONLY | O_CLOEXEC), "a folder in place of a channel");
	refuse_file(make_page("", 1, CHANNEL_SEALS), "a file of a byte in place of a channel");
	refuse_file(make_page("", 1, F_SEAL_GROW), "a file that the writer can truncate");
}

int main(void)
{
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
	sealed();
	positions();
	control();
	control_refused();
	refused();
	limited();
	return done_testing();
}
