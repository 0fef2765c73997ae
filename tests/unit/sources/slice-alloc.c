// SPDX-License-Identifier: LGPL-2.1-or-later
/* Regions of libgpmu-mark.so without memory, and in a channel that is full at times */
#include "alloc.h"
#include "sources/mark/slice.c"	/* NOLINT(bugprone-suspicious-include) */

static struct channel_control of_test = { .ring = RING, .regions = 1, .enabled = 1 };
static unsigned int kinds[ACTIVITY_KINDS], markers[2];
static uint64_t losses;
static int refused = -1;	/* kind of the records that find no room */

void mark_append(const char *file, const char *text, size_t length)
{
	(void)file;
	(void)text;
	(void)length;
}

struct channel_control *channel_connect(const char *name, const char *what, int *connection)
{
	(void)name;
	(void)what;
	*connection = -1;
	return &of_test;
}

void channel_announce(const char *name)
{
	(void)name;
}

int channel_send(int connection, enum channel_message_kind kind, int fd, const char *text)
{
	(void)connection;
	(void)kind;
	(void)fd;
	(void)text;
	return 0;
}

void channel_unmap_control(struct channel_control *mapped)
{
	(void)mapped;
}

bool channel_has_reader(const struct channel_control *mapped)
{
	(void)mapped;
	return true;
}

struct channel_writer *channel_writer_send(int connection, uint64_t ring, const char *what)
{
	(void)connection;
	(void)ring;
	(void)what;
	return (struct channel_writer *)&of_test;
}

int channel_write(struct channel_writer *to, const struct activity_head *record)
{
	(void)to;
	if (record->kind == refused)
		return -EAGAIN;
	kinds[record->kind]++;
	if (record->kind == ACTIVITY_MARKER)
		markers[((const struct activity_marker *)(const void *)record)->marker]++;
	return 0;
}

void channel_lose(struct channel_writer *from, const struct activity_lost *lost)
{
	(void)from;
	losses += lost->kind == ACTIVITY_MARKER && lost->from > 0 ? lost->count : 0;
}

void channel_writer_finish(struct channel_writer *finished)
{
	(void)finished;
}

void channel_writer_forget(struct channel_writer *forgotten)
{
	(void)forgotten;
}

/* Begins and ends regions that are nested deeper than the thread has memory for. */
static void without_memory(void)
{
	enum { DEPTH = 20, ROOM = 16 };

	for (int i = 0; i < DEPTH; i++) {
		alloc_left = i < ROOM ? -1 : 0;
		slice_begin("a");
	}
	alloc_left = -1;
	is_u64(losses, DEPTH - ROOM, "slice: a region that begins without memory is counted as lost");
	for (int i = 0; i < DEPTH - ROOM; i++)
		slice_end("a");
	is_u64(markers[ACTIVITY_MARKER_END], 0,
	       "slice: the end of a region that began without memory does not end an outer one");
	for (int i = 0; i < ROOM; i++)
		slice_end("a");
	is_u64(markers[ACTIVITY_MARKER_END], ROOM,
	       "slice: regions around a region that began without memory end");
}

/* Begins more names than there is memory for. The warning has room at the last two. */
static void without_names(void)
{
	const int max = CHANNEL_NAMES_MAX / CHANNEL_NAME_LONGEST + 2;
	char name[CHANNEL_NAME_LONGEST];

	memset(name, '-', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < max; i++) {
		refused = i < max - 2 ? ACTIVITY_NOTE : -1;
		name[snprintf(name, sizeof(name), "%d", i)] = '-';
		slice_begin(name);
		slice_end(name);
	}
	is_u64(kinds[ACTIVITY_NOTE], 1,
	       "slice: the warning of too many names is sent once, as soon as the channel has room");
}

int main(void)
{
	setenv(CHANNEL_VARIABLE, "gpmu-test", 1);
	ok(slice_load(), "slice: regions are sent under gpmu record");
	without_memory();
	without_names();
	return done_testing();
}
