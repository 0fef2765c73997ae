// SPDX-License-Identifier: LGPL-2.1-or-later
/* A file of a recording is opened if it has the recorded build id, at its path or in perf's cache. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"
#include "profile/elf/profile_elf.h"
#include "profile/profile_object.h"

static char folder[] = "/tmp/gpmu-elf-XXXXXX", plain[256], other[256], copy[512];
static uint8_t *program, build_id[20];
static size_t program_size;

static void write_file(const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(program, 1, program_size, file) != program_size || fclose(file))
		abort();
}

/* Reads this program. Returns its build id's note. */
static uint8_t *read_program(void)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct stat status;
	uint8_t *found;

	if (fd < 0 || fstat(fd, &status))
		abort();
	program_size = (size_t)status.st_size;
	program = malloc(program_size);
	if (!program || read(fd, program, program_size) != status.st_size)
		abort();
	close(fd);
	found = memmem(program, program_size, note, sizeof(note));
	if (!found)
		abort();
	memcpy(build_id, found + sizeof(note), sizeof(build_id));
	return found;
}

/* Makes "plain", this program; "other", without a build id; and the path of perf's copy. */
static void make_files(void)
{
	size_t length;
	uint8_t *note;

	if (!mkdtemp(folder) || setenv("HOME", folder, 1))
		abort();
	snprintf(plain, sizeof(plain), "%s/plain", folder);
	snprintf(other, sizeof(other), "%s/other", folder);
	note = read_program();
	write_file(plain);
	note[8] = 99;
	write_file(other);
	note[8] = 3;
	snprintf(copy, sizeof(copy), "%s/.debug/.build-id/%02x/", folder, build_id[0]);
	length = strlen(copy);
	for (size_t i = 1; i < sizeof(build_id); i++)
		length += (size_t)snprintf(copy + length, sizeof(copy) - length, "%02x", build_id[i]);
	snprintf(copy + length, sizeof(copy) - length, "/elf");
}

static void make_copy(void)
{
	for (char *slash = copy + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(copy, 0700))
			abort();
		*slash = '/';
	}
	write_file(copy);
}

static void remove_files(void)
{
	unlink(plain);
	unlink(other);
	unlink(copy);
	for (char *slash; (slash = strrchr(copy, '/')) && slash > copy + strlen("/tmp"); ) {
		*slash = '\0';
		rmdir(copy);
	}
	free(program);
}

/* Returns whether a file is opened; @is_change_expected: whether it is reported as changed, too. */
static bool opens(const char *path, const uint8_t *id, size_t size, bool is_change_expected)
{
	bool is_changed;
	int fd = profile_elf_open(path, id, size, &is_changed);

	if (fd >= 0)
		close(fd);
	return fd >= 0 && is_changed == is_change_expected;
}

static bool refuses(const char *path, const uint8_t *id, size_t size, bool is_change_expected)
{
	bool is_changed;
	int fd = profile_elf_open(path, id, size, &is_changed);

	if (fd >= 0)
		close(fd);
	return fd < 0 && is_changed == is_change_expected;
}

static void test_paths(void)
{
	static const uint8_t another[20] = { 1, 2, 3 };

	ok(opens(plain, NULL, 0, false) && opens(other, NULL, 0, false), "elf: without a recorded build id, any ELF file is opened");
	ok(opens(plain, build_id, 20, false), "elf: a file with the recorded build id is opened");
	ok(refuses(plain, another, 20, true), "elf: a file with another build id than recorded is changed");
	ok(refuses(other, build_id, 20, true), "elf: a file without a build id is changed if one was recorded");
	ok(refuses(plain, build_id, 0, true), "elf: no file has an empty build id");
	ok(refuses("/etc/passwd", build_id, 20, false), "elf: a file that is not an ELF file is missing, not changed");
	ok(refuses("/nonexistent", build_id, 20, false), "elf: a file that does not exist is missing");
	ok(refuses("[heap]", NULL, 0, false) && refuses("", NULL, 0, false), "elf: a file whose name is no path is missing");
}

static void test_copy(void)
{
	static const uint8_t padded[20] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	char hex[2 * PROFILE_BUILD_ID_MAX + 1];
	Dwfl *dwfl = profile_object_begin(NULL);
	struct profile_object *object;

	make_copy();
	ok(opens("/nonexistent", build_id, 20, false), "elf: perf's copy replaces a file that does not exist");
	ok(opens(other, build_id, 20, false), "elf: perf's copy replaces a changed file");
	ok(refuses("/nonexistent", NULL, 0, false), "elf: without a recorded build id, no copy is sought");
	object = profile_object_new(dwfl, "/nonexistent", build_id, 20);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_READ, "elf: perf's copy has the functions of the file");
	profile_object_free(object);
	dwfl_end(dwfl);
	ok(profile_elf_build_id_hex(padded, 20, hex) == 8 && !strcmp(hex, "0102030405060708"), "elf: the padding of a build id is not part of it");
	is_u64(profile_elf_build_id_hex(build_id, 20, hex), 20, "elf: a build id without padding has all its bytes");
	ok(!profile_elf_build_id_hex(padded, 0, hex) && !profile_elf_build_id_hex(padded, 21, hex), "elf: an empty build id and one that is too long have no bytes");
	setenv("HOME", "/nonexistent", 1);
	ok(refuses("/nonexistent", build_id, 20, false), "elf: without perf's cache, no copy is found");
	unsetenv("HOME");
	ok(refuses("/nonexistent", build_id, 20, false), "elf: without a home folder, no copy is found");
	setenv("HOME", folder, 1);
	program[0] = 0;
	write_file(copy);
	ok(refuses("/nonexistent", build_id, 20, false), "elf: a damaged copy is not opened");
}

/* The [vdso] of the running kernel, and perf's copy of the [vdso] of another kernel */
static void test_vdso(void)
{
	static const uint8_t another[20] = { 1, 2, 3 };
	uint8_t own[PROFILE_BUILD_ID_MAX];
	size_t size = profile_elf_vdso_build_id(own);

	program[0] = 0x7f;
	memcpy(strrchr(copy, '/'), "/vdso", sizeof("/vdso"));
	write_file(copy);
	ok(!size || opens(PROFILE_VDSO, own, size, false), "elf: [vdso] is the running kernel's if it has the recorded build id");
	ok(refuses(PROFILE_VDSO, another, 20, size != 0), "elf: [vdso] is changed if the running kernel's has another build id than recorded");
	ok(refuses(PROFILE_VDSO, NULL, 0, false), "elf: [vdso] is missing if no build id was recorded");
	ok(opens(PROFILE_VDSO, build_id, 20, false), "elf: perf's copy replaces the [vdso] of another kernel");
	unlink(copy);
	memcpy(strrchr(copy, '/'), "/elf", sizeof("/elf"));
}

int main(void)
{
	make_files();
	test_paths();
	test_copy();
	test_vdso();
	remove_files();
	return done_testing();
}
