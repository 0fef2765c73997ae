// SPDX-License-Identifier: LGPL-2.1-or-later
/* Dumps of just-in-time compilers: functions, times, damage; and a recording with one */
#include <errno.h>
#include <sys/mman.h>
#include <time.h>

#include "jitdump-test.h"
#include "profile/gpmu_profile.h"
#include "profile/profile_jitdump.h"

#define TAKEN_MAX	8

static struct made made, file;

/* The records that were taken */
static struct {
	char name[32];
	uint64_t address, size, time, frames;
} taken[TAKEN_MAX];
static size_t count;
static struct profile_jit_frame_list frames;
static char text[256];
static size_t offset;

static int take(void *user, const struct gpmu_perfdata_record *record)
{
	(void)user;
	if (count == TAKEN_MAX || record->type != PERF_RECORD_MMAP2 || record->pid != 7)
		return -ENOMEM;
	snprintf(taken[count].name, sizeof(taken[count].name), "%s", record->mmap.file);
	taken[count].address = record->mmap.addr;
	taken[count].size = record->mmap.len;
	taken[count].frames = record->mmap.ino;
	taken[count++].time = record->time;
	return 0;
}

/* Reads a dump, and closes it. */
static int read_dump(int fd, const struct profile_jit_clock *clock)
{
	const struct profile_jitdump dump = { .path = (char *)"jit", .pid = 7, .time = 5000 };
	struct gpmu_error error = { .size = sizeof(error) };
	int ret;

	count = 0;
	lseek(fd, 0, SEEK_SET);
	profile_jit_frames_release(&frames);
	ret = profile_jitdump_read(&dump, fd, clock, &frames, take, NULL, &error);
	close(fd);
	snprintf(text, sizeof(text), "%s", error.text);
	offset = error.offset;
	return ret;
}

/* Writes the first bytes of what was made. */
static void write_made(int fd, size_t length)
{
	if (write(fd, made.data, length) != (ssize_t)length)
		abort();
}

/* Reads the first bytes of what was made. */
static int read_made(size_t length, const struct profile_jit_clock *clock)
{
	const int fd = memfd_create("jitdump", 0);

	write_made(fd, length);
	return read_dump(fd, clock);
}

static bool is_taken(size_t i, const char *name, uint64_t address, uint64_t size, uint64_t time)
{
	return i < count && !strcmp(taken[i].name, name) && taken[i].address == address && taken[i].size == size && taken[i].time == time;
}

static void test_functions(void)
{
	const struct profile_jit_clock monotonic = { .is_monotonic = true }, none = { .is_monotonic = false };
	const struct profile_jit_clock counter = { .conv = { .shift = 1, .mult = 4, .zero = 1000 } };

	made.length = 0;
	put_jit_all(&made, 0);
	ok(!read_made(made.length, &monotonic) && count == 4, "jitdump: each load and move of code is taken");
	ok(is_taken(0, "//jit:alpha", 0x1000, 64, 100) && is_taken(1, "//jit:beta", 0x2000, 32, 200) &&
	   is_taken(2, "//jit:gamma", 0x1000, 128, 300), "jitdump: functions have their names, addresses, sizes and times");
	ok(is_taken(3, "//jit:beta", 0x3000, 32, 400), "jitdump: code that moves keeps its name");
	ok(!read_made(made.length, &none) && is_taken(0, "//jit:alpha", 0x1000, 64, 5000) && is_taken(3, "//jit:beta", 0x3000, 32, 5003),
	   "jitdump: times of another clock than the recording's become that of the map, in their order");
	made.length = 0;
	put_jit_all(&made, 1);
	ok(!read_made(made.length, &counter) && is_taken(1, "//jit:beta", 0x2000, 32, 1400), "jitdump: times of the CPU's counter are converted by TIME_CONV");
	ok(!read_made(made.length, &monotonic) && is_taken(0, "//jit:alpha", 0x1000, 64, 5000), "jitdump: times of the CPU's counter without TIME_CONV are not those of the recording");
}

static void check_bad(size_t damage_offset, uint64_t value, size_t size, size_t wanted, const char *expected)
{
	const struct profile_jit_clock clock = { .is_monotonic = true };

	made.length = 0;
	put_jit_all(&made, 0);
	memcpy(made.data + damage_offset, &value, size);
	ok(read_made(made.length, &clock) == -EINVAL && offset == wanted && strstr(text, expected),
	   "jitdump: damage at byte %zu is reported at byte %zu: expected %s", damage_offset, wanted, expected);
	if (offset != wanted || !strstr(text, expected))
		diag("%s", text);
}

static void test_damage(void)
{
	const struct profile_jit_clock clock = { .is_monotonic = true };
	size_t wrong = 0;

	check_bad(0, 0, 4, 0, "a jitdump");
	check_bad(0, 0x4454694a, 4, 0, "a jitdump of a little-endian machine");
	check_bad(4, 2, 4, 4, "version 1 of a jitdump");
	check_bad(8, 39, 4, 8, "a header of at least 40 bytes");
	check_bad(40 + 4, 15, 4, 40, "a record of at least 16 bytes");
	check_bad(40 + 4, 16, 4, 56, "code with a name");
	check_bad(40 + 16 + 24, 70, 8, 96, "a name of less than 65536 bytes, and code");
	check_bad(40 + 16 + 40 + 5, 'x', 1, 96, "a name that ends with a NUL");
	made.length = 0;
	put_jit_all(&made, 0);
	for (size_t length = 0; length < made.length; length++) {
		int ret = read_made(length, &clock);
		/* The ends of records, at which a dump may end */
		bool is_whole = length == 40 || length == 166 || length == 215 || length == 308 || length == 498 ||
				length == 562;

		wrong += is_whole ? ret != 0 : ret != -EINVAL || offset > length || strncmp(text, "jit:", 4) != 0;
		wrong += length >= 166 && count < 1;
	}
	ok(!wrong, "jitdump: a dump that is cut off within a record is an error with an offset, and the functions before are taken (%zu are not)", wrong);
}

/* The frames of a function that was taken are these bytes; NULL: it has none. */
static bool has_frames(size_t i, const char *bytes)
{
	const struct profile_jit_frames *list = frames.list;
	size_t number = i < count ? taken[i].frames : 0;

	if (!bytes || !number || number > frames.n)
		return i < count && !bytes && !number;
	return list[number - 1].size == strlen(bytes) && !memcmp(list[number - 1].data, bytes, strlen(bytes));
}

static void test_frames(void)
{
	const struct profile_jit_clock clock = { .is_monotonic = true };

	made.length = 0;
	put_jit_header(&made, 0);
	put_jit_load(&made, "alpha", 0x1000, 64, 1, 100);
	put_jit_unwinding(&made, "replaced", 8, 0);
	put_jit_unwinding(&made, "first", 5, 20);
	put_jit_load(&made, "beta", 0x2000, 32, 2, 200);
	put_jit_load(&made, "gamma", 0x1000, 128, 3, 300);
	put_jit_unwinding(&made, "", 0, 20);
	put_jit_load(&made, "delta", 0x4000, 16, 4, 350);
	put_jit_move(&made, 0x2000, 0x3000, 32, 2, 400);
	ok(!read_made(made.length, &clock) && count == 5, "jitdump: functions with and without unwinding information are taken");
	ok(has_frames(1, "first"), "jitdump: a function has the last unwinding information before it, without .eh_frame_hdr");
	ok(has_frames(0, NULL) && has_frames(2, NULL), "jitdump: unwinding information is that of the next function alone");
	ok(has_frames(3, NULL), "jitdump: unwinding information that is .eh_frame_hdr alone describes no frames");
	ok(has_frames(4, "first"), "jitdump: code that moves keeps its unwinding information");
}

/* @damage_offset: byte of the unwinding information that gets a value. The information is at byte 40, and its content at byte 80. */
static void check_unwinding(size_t damage_offset, uint64_t value, size_t size, size_t wanted, const char *expected)
{
	const struct profile_jit_clock clock = { .is_monotonic = true };

	made.length = 0;
	put_jit_header(&made, 0);
	put_jit_unwinding(&made, "frames", 6, 20);
	memcpy(made.data + damage_offset, &value, size);
	ok(read_made(made.length, &clock) == -EINVAL && offset == wanted && strstr(text, expected),
	   "jitdump: damage at byte %zu of unwinding information is reported at byte %zu: expected %s", damage_offset,
	   wanted, expected);
	if (offset != wanted || !strstr(text, expected))
		diag("%s", text);
}

static void test_unwinding_damage(void)
{
	static const char within[] = "unwinding information within the record";

	check_unwinding(44, 16 + 23, 4, 56, "unwinding information");
	check_unwinding(56, 27, 8, 80, within);
	check_unwinding(64, 27, 8, 80, within);
	check_unwinding(64, UINT64_MAX, 8, 80, within);
	check_unwinding(44, 0xffffffff, 4, 86, "a whole record");
	made.length = 0;
	check_unwinding(44, 16 + 24 + (1U << 20) + 1, 4, 86, "a whole record");
}

/* Makes unwinding information of @size bytes, all 0, before a function, and of a few bytes before the next function. */
static int read_frames(uint32_t size)
{
	const struct profile_jit_clock clock = { .is_monotonic = true };
	const int fd = memfd_create("jitdump", 0);

	made.length = 0;
	put_jit_header(&made, 0);
	put_jit_unwinding(&made, "", 0, 0);
	memcpy(made.data + 44, &(uint32_t){ 16 + 24 + size }, sizeof(uint32_t));
	memcpy(made.data + 56, &(uint64_t){ size }, sizeof(uint64_t));
	write_made(fd, made.length);
	lseek(fd, size, SEEK_CUR);
	made.length = 0;
	put_jit_load(&made, "alpha", 0x1000, 64, 1, 100);
	put_jit_unwinding(&made, "first", 5, 20);
	put_jit_load(&made, "beta", 0x2000, 32, 2, 200);
	write_made(fd, made.length);
	return read_dump(fd, &clock);
}

static void test_frames_size(void)
{
	const uint32_t max = 1U << 20;
	const struct profile_jit_frames *list;

	ok(!read_frames(max) && count == 2 && frames.n == 2, "jitdump: unwinding information of 1048576 bytes is taken");
	list = frames.list;
	ok(list && list[0].size == max, "jitdump: unwinding information of 1048576 bytes is whole");
	ok(!read_frames(max + 1) && count == 2, "jitdump: the functions after more than 1048576 bytes of unwinding information are taken");
	ok(has_frames(0, NULL), "jitdump: a function with more than 1048576 bytes of unwinding information has none");
	ok(has_frames(1, "first"), "jitdump: the function after one with more than 1048576 bytes of unwinding information has its own");
}

/* --- a recording */

static void put_map(struct made *to, const char *name, uint64_t address, uint64_t size, uint64_t time)
{
	begin(to, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	put64(to, 0x700000007);
	put64(to, address);
	put64(to, size);
	for (int i = 0; i < 5; i++)
		put64(to, 0);
	put_text(to, name);
	put64(to, 0x700000007);
	put64(to, time);
	put64(to, 1);
	end(to);
}

/*
 * Makes a recording with CLOCK_MONOTONIC whose process maps the dump. The memory of its functions is mapped, and again after
 * each load, as by a compiler that makes it executable then.
 */
static void make_recording(const char *dump)
{
	struct perf_event_attr attr = test_attr();

	attr.use_clockid = 1;
	attr.clockid = CLOCK_MONOTONIC;
	file.length = 0;
	put_pipe_header(&file);
	put_pipe_attr(&file, &attr, 1);
	put_map(&file, dump, 0x900000, 4096, 50);
	put_map(&file, "//anon", 0x1000, 0x3000, 50);
	for (uint64_t time = 101; time < 500; time += 100)
		put_map(&file, "//anon", 0x1000, 0x3000, time);
	put_sample(&file, 1, 0x1010, 7, 150);
	put_sample(&file, 1, 0x1010, 7, 350);
	put_sample(&file, 1, 0x2010, 7, 250);
	put_sample(&file, 1, 0x3010, 7, 450);
	put_sample(&file, 1, 0x2010, 7, 110);
}

static void test_recording(void)
{
	static const enum gpmu_profile_key keys[] = { GPMU_PROFILE_FUNCTION, GPMU_PROFILE_OBJECT };
	const struct gpmu_profile_options options = { .size = sizeof(options), .keys = keys, .key_count = 2 };
	char folder[] = "/tmp/gpmu-jitdump-XXXXXX", dump[64], found[256] = "";
	struct gpmu_profile_table table;
	struct gpmu_profile *profile;
	const char *path, *name, *why;
	FILE *to;

	made.length = 0;
	put_jit_all(&made, 0);
	snprintf(dump, sizeof(dump), "%s/jit-7.dump", mkdtemp(folder));
	to = fopen(dump, "w");
	if (!to || fwrite(made.data, 1, made.length - 5, to) != made.length - 5 || fclose(to))
		abort();
	make_recording(dump);
	path = written(file.data, file.length);
	profile = gpmu_profile_new(path, &options, NULL);
	if (!profile || gpmu_profile_table(profile, keys, 2, &table))
		abort();
	for (size_t i = 0; i < table.count; i++)
		snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s %s %d\n", table.rows[i].keys[0],
			 table.rows[i].keys[1], (int)table.rows[i].samples);
	is_str(found, "beta [JIT] 2\n[unknown] [anon] 1\nalpha [JIT] 1\ngamma [JIT] 1\n",
	       "jitdump: samples have the functions that were at their addresses at their times, though their memory became executable later");
	name = gpmu_profile_without_functions(profile, 0, &why);
	ok(name && !strcmp(name, dump) && !strcmp(why, "byte 562: expected a record"), "jitdump: a recording names the dump that is damaged, and why");
	if (!name)
		diag("no dump");
	gpmu_profile_table_release(&table);
	gpmu_profile_free(profile);
	unlink(dump);
	rmdir(folder);
	profile = gpmu_profile_new(path, &options, NULL);
	name = profile ? gpmu_profile_without_functions(profile, 0, &why) : NULL;
	ok(name && !strcmp(why, "no such file here"), "jitdump: a recording names the dump that does not exist");
	gpmu_profile_free(profile);
	unlink(path);
}

int main(void)
{
	test_functions();
	test_damage();
	test_frames();
	test_unwinding_damage();
	test_frames_size();
	test_recording();
	profile_jit_frames_release(&frames);
	return done_testing();
}
