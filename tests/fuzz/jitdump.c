// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Any file is accepted as a dump of a just-in-time compiler, or refused with an offset and the expected content. Any file is
 * accepted as a map of one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/profile_jitdump.h"
#include "profile/profile_symbols.h"
#include "profile/profile_tasks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t sum;	/* keeps the reads */

static void must(int promise)
{
	if (!promise)
		abort();
}

static int take(void *user, const struct gpmu_perfdata_record *record)
{
	const struct profile_jit_frame_list *frames = user;

	must(record->mmap.ino <= frames->n);
	must(record->type == PERF_RECORD_MMAP2 && record->pid == 7 && record->mmap.len &&
	     !strncmp(record->mmap.file, PROFILE_JIT, strlen(PROFILE_JIT)));
	sum += strlen(record->mmap.file);
	return 0;
}

/* Reads all bytes of the frames. */
static void read_frames(struct profile_jit_frame_list *frames)
{
	const struct profile_jit_frames *list = frames->list;

	for (size_t i = 0; i < frames->n; i++)
		for (size_t k = 0; k < list[i].size; k++)
			sum += ((const uint8_t *)list[i].data)[k];
	profile_jit_frames_release(frames);
}

static void read_map(int fd, size_t size)
{
	struct profile_symbols symbols = { .text = NULL };
	const struct profile_symbol *list;
	struct profile_range range = PROFILE_RANGE_ALL;

	must(!profile_symbols_read_map(&symbols, fd));
	list = symbols.list;
	for (size_t i = 0; i < symbols.n; i++) {
		must(*list[i].name && (!i || list[i - 1].begin <= list[i].begin));
		sum += strlen(list[i].name) + (profile_symbols_find(&symbols, list[i].begin, &range) != NULL);
	}
	must(!symbols.bad || symbols.bad_at < size);
	profile_symbols_release(&symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct profile_jitdump dump = { .path = (char *)"jit", .pid = 7 };
	const struct profile_jit_clock clock = { .conv = { .shift = 10, .mult = 1024 } };
	struct gpmu_error error = { .size = sizeof(error) };
	struct profile_jit_frame_list frames = { 0 };
	int fd = memfd_create("jitdump", 0), ret;

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	lseek(fd, 0, SEEK_SET);
	ret = profile_jitdump_read(&dump, fd, &clock, &frames, take, &frames, &error);
	read_frames(&frames);
	must(!ret || (ret == -EINVAL && !strncmp(error.text, "jit:", 4) && strstr(error.text, "expected") && error.offset <= size));
	lseek(fd, 0, SEEK_SET);
	read_map(fd, size);
	close(fd);
	return 0;
}
