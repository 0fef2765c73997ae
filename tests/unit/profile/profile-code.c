// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions and objects of addresses, by the maps that they are in */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "tap.h"
#include "profile/profile_code.h"

#define BASE	0x400000

static struct profile_tasks tasks;
static struct strings texts;
static struct gpmu_perfdata_info info;
static struct profile_code code;

static void mapped(uint32_t pid, uint64_t begin, uint64_t size, uint64_t offset, const char *file, uint32_t flags)
{
	struct gpmu_perfdata_record record = {
		.type = PERF_RECORD_MMAP2, .pid = pid, .tid = pid,
		.mmap = { .addr = begin, .len = size, .pgoff = offset, .file = file, .flags = flags },
	};

	if (profile_tasks_add(&tasks, &record))
		abort();
}

static void begin(void)
{
	code = (struct profile_code){ .tasks = &tasks, .info = &info, .texts = &texts };
	profile_tasks_sort(&tasks);
	if (profile_code_begin(&code))
		abort();
}

static void end(void)
{
	profile_code_release(&code);
	profile_tasks_release(&tasks);
	strings_release(&texts);
	info = (struct gpmu_perfdata_info){ 0 };
}

/* "FUNCTION OBJECT" of an address */
static const char *text_at(uint32_t pid, uint64_t address)
{
	static char text[256];
	struct profile_range range;
	struct profile_place place;

	if (profile_code_find(&code, pid, address, 1, &range, &place))
		abort();
	snprintf(text, sizeof(text), "%s %s", strings_text(&texts, place.function - 1), strings_text(&texts, place.object - 1));
	return text;
}

/* Code of just-in-time compilers, in maps of each sort */
static void test_made(void)
{
	static const struct {
		const char *file;
		uint32_t flags;
		const char *object;	/* without the compiler's file */
	} maps[] = {
		{ "//anon", MAP_ANONYMOUS, "[anon]" }, { "/anon_hugepage (deleted)", 0, "[anon]" },
		{ "/usr/bin/env", MAP_HUGETLB, "env" }, { "/memfd:jit (deleted)", 0, "memfd:jit (deleted)" },
	};
	uint32_t first = 4000000000 + (uint32_t)getpid() * 8 % 100000000;
	char path[64], want[64];
	size_t made = 0, none = 0;

	for (uint32_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		FILE *file;

		snprintf(path, sizeof(path), "/tmp/perf-%u.map", first + i);
		file = fopen(path, "w");
		if (!file || fprintf(file, "%x 100 compiled\n", BASE) < 0 || fclose(file))
			abort();
		mapped(first + i, BASE, 0x200000, 0, maps[i].file, maps[i].flags);
	}
	begin();
	for (uint32_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		made += !strcmp(text_at(first + i, BASE + 0x10), "compiled [JIT]");
		snprintf(want, sizeof(want), "[unknown] %s", maps[i].object);
		none += !strcmp(text_at(first + i, BASE + 0x100), want);
		snprintf(path, sizeof(path), "/tmp/perf-%u.map", first + i);
		unlink(path);
	}
	is_u64(made, sizeof(maps) / sizeof(maps[0]), "code: functions of anonymous maps and of huge pages are those of perf-PID.map");
	is_u64(none, sizeof(maps) / sizeof(maps[0]), "code: addresses outside the functions of perf-PID.map have no function");
	end();
}

__asm__(".symver versioned, versioned_longer@@TEST_1");
__attribute__((noinline))
int versioned(int value)
{
	return value * 3 + 1;
}

/* Maps the segment of this program that has versioned(). */
static int map_segment(struct dl_phdr_info *program, size_t size, void *user)
{
	const uint64_t address = (uint64_t)(uintptr_t)versioned - program->dlpi_addr;

	(void)size;
	(void)user;
	for (size_t i = 0; i < program->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &program->dlpi_phdr[i];

		if (header->p_type == PT_LOAD && address - header->p_vaddr < header->p_memsz)
			mapped(7, program->dlpi_addr + header->p_vaddr, header->p_memsz, header->p_offset, "/proc/self/exe", 0);
	}
	return 1;
}

static void test_version(void)
{
	dl_iterate_phdr(map_segment, NULL);
	begin();
	is_str(text_at(7, (uint64_t)(uintptr_t)versioned), "versioned_longer exe", "code: functions are named without the versions of their symbols");
	end();
}

/* The build id of the running kernel */
static bool read_build_id(struct gpmu_perfdata_build_id *build_id)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 20, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0 };
	uint8_t notes[4096], *found;
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, notes, sizeof(notes));

	if (fd >= 0)
		close(fd);
	found = length > 0 ? memmem(notes, (size_t)length, note, sizeof(note)) : NULL;
	if (!found || found + sizeof(note) + 20 > notes + length)
		return false;
	memcpy(build_id->id, found + sizeof(note), 20);
	build_id->size = 20;
	return true;
}

/* A part of the kernel is recorded as a module's. Its address is the first that is looked up. */
static void test_module(void)
{
	struct gpmu_perfdata_build_id build_id = { .file = (char *)"[kernel.kallsyms]" };
	const struct profile_symbol *text, *function;
	struct profile_symbols symbols = { 0 };

	if (profile_symbols_read_kernel(&symbols))
		abort();
	text = profile_symbols_named(&symbols, "_text");
	function = profile_symbols_named(&symbols, "vfs_read");
	if (!text || !function || !read_build_id(&build_id)) {
		ok(true, "code: a module has its functions before any other address of the kernel is looked up # SKIP the functions or the build id of the kernel cannot be read");
		profile_symbols_release(&symbols);
		return;
	}
	info.build_ids = &build_id;
	info.build_id_count = 1;
	mapped(PROFILE_KERNEL, text->begin, 1ULL << 40, text->begin, "[kernel.kallsyms]_text", 0);
	mapped(PROFILE_KERNEL, function->begin, 16, 0, "[module]", 0);
	begin();
	is_str(text_at(PROFILE_KERNEL, function->begin + 4), "vfs_read [module]",
	       "code: a module has its functions before any other address of the kernel is looked up");
	end();
	profile_symbols_release(&symbols);
}

/* Address of a function of the running kernel's [vdso] if it is mapped at BASE; 0: there is none */
static uint64_t vdso_function(void)
{
	void *library = dlopen("linux-vdso.so.1", RTLD_LAZY | RTLD_NOLOAD), *found = NULL;

	if (library)
		found = dlsym(library, "__vdso_clock_gettime");
	if (library && !found)
		found = dlsym(library, "__kernel_clock_gettime");
	if (library)
		dlclose(library);
	return found ? (uint64_t)(uintptr_t)found - getauxval(AT_SYSINFO_EHDR) + BASE : 0;
}

static void test_vdso(void)
{
	static const char *const descriptions[] = {
		"code: [vdso] without a build id has the running kernel's functions if the recorded kernel is running",
		"code: [vdso] without a build id has no functions if another kernel than the recorded one is running",
	};
	struct gpmu_perfdata_build_id build_id = { .file = (char *)"[kernel.kallsyms]" };
	const uint64_t address = vdso_function();
	const bool is_known = read_build_id(&build_id) && address;

	for (int other = 0; other < 2; other++) {
		const char *found;

		if (!is_known) {
			ok(true, "code: [vdso] has the functions of a known kernel # SKIP the kernel has no [vdso], or its build id cannot be read");
			continue;
		}
		build_id.id[0] ^= other;
		info.build_ids = &build_id;
		info.build_id_count = 1;
		mapped(PROFILE_KERNEL, 1ULL << 63, 1ULL << 40, 0, "[kernel.kallsyms]_text", 0);
		mapped(7, BASE, 1 << 20, 0, "[vdso]", 0);
		begin();
		found = text_at(7, address);
		ok(strstr(found, " [vdso]") && !strstr(found, other ? "clock_gettime" : "[unknown]"), "%s (%s)", descriptions[other], found);
		end();
	}
}

/* A [vdso] is mapped while a recording is made. */
static void test_live(void)
{
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t begin, size, offset, node[3];
		uint32_t rights, flags;
		char file[8];
		uint32_t sample_pid, sample_tid;
		uint64_t time, cpu;
	} map = {
		.header = { .type = PERF_RECORD_MMAP2, .size = sizeof(map) }, .pid = 7, .tid = 7, .begin = BASE, .size = 1 << 20,
		.file = "[vdso]", .sample_pid = 7, .sample_tid = 7,
	};
	struct gpmu_profile_symbols *symbols = gpmu_profile_symbols_new();
	const uint64_t address = vdso_function();
	const char *function = "", *object = "";

	if (!symbols || gpmu_profile_symbols_take(symbols, &map.header) ||
	    gpmu_profile_symbols_find(symbols, 7, address ? address : BASE, 1, &function, &object))
		abort();
	ok(!address || strstr(function, "clock_gettime"), "code: [vdso] has its functions while a recording is made (%s)", function);
	is_str(object, "[vdso]", "code: the object of functions in [vdso] is [vdso]");
	gpmu_profile_symbols_free(symbols);
}

/* Many files, none of which exists, and their build ids */
static void test_build_ids(void)
{
	enum { COUNT = 20000 };
	struct gpmu_perfdata_build_id *ids = calloc(COUNT + 2, sizeof(*ids));
	static const uint8_t other[20] = { 1 };
	clock_t start;
	char *names;

	names = malloc(COUNT * 64);
	if (!ids || !names)
		abort();
	for (uint32_t i = 0; i < COUNT; i++) {
		ids[i].file = names + 64 * i;
		ids[i].size = 20;
		snprintf(ids[i].file, 64, "/nonexistent/a/long/path/of/a/library/with/the/number/%u", i);
		mapped(i + 1, BASE, 0x1000, 0, ids[i].file, 0);
	}
	ids[COUNT] = (struct gpmu_perfdata_build_id){ .file = (char *)"/proc/self/exe", .size = 20 };
	memcpy(ids[COUNT].id, other, sizeof(other));
	mapped(COUNT + 1, BASE, 0x1000, 0, "/proc/self/exe", 0);
	info.build_ids = ids;
	info.build_id_count = COUNT + 1;
	begin();
	start = clock();
	for (uint32_t i = 0; i < COUNT; i++) {
		struct profile_range range;
		uint32_t text;

		if (profile_code_data(&code, i + 1, BASE, 1, &range, &text))
			abort();
	}
	ok(clock() - start < CLOCKS_PER_SEC / 2, "code: to find the build id of one of many files needs no walk over all of them");
	is_str(text_at(COUNT + 1, BASE), "[unknown] exe",
	       "code: a file with another build id than recorded for its name has no functions");
	end();
	free(names);
	free(ids);
}

int main(void)
{
	test_build_ids();
	test_made();
	test_version();
	test_module();
	test_vdso();
	test_live();
	return done_testing();
}
