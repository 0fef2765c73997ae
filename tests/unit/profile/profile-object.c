// SPDX-License-Identifier: LGPL-2.1-or-later
/* Functions and lines of this program are found by address, as the program itself knows them. */
#include <link.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tap.h"
#include "base/map.h"
#include "profile/profile_object.h"

static Dwfl *dwfl;

static int first_header(struct dl_phdr_info *info, size_t size, void *base)
{
	(void)size;
	*(uint64_t *)base = info->dlpi_addr;
	return 1;
}

/* The address of a function as in the program headers */
static uint64_t address_of(int (*function)(int value))
{
	uint64_t base = 0;

	dl_iterate_phdr(first_header, &base);
	return (uint64_t)(uintptr_t)function - base;
}

__attribute__((noinline))
static int sought(int value)
{
	return value * 3 + 1;
}

/* A function that is inlined, and its caller */
enum { INLINED_BEGIN = __LINE__ };
__attribute__((always_inline))
static inline int deeper(int value)
{
	return value % 1000;
}

__attribute__((always_inline))
static inline int inlined(int value)
{
	return (deeper(value) ^ 0x55) * 13;
}
enum { INLINED_END = __LINE__ };

__attribute__((noinline))
static int caller(int value)
{
	return inlined(value) + 1;
}
enum { CALLER_END = __LINE__ };

static const struct profile_function *function_at(const struct profile_object *object, uint64_t address)
{
	struct profile_range range = PROFILE_RANGE_ALL;

	return profile_object_function(object, address, &range);
}

/* All addresses of the first MiB, which is this program */
static void test_ranges(const struct profile_object *object)
{
	const struct profile_function *last = NULL, *function = function_at(object, address_of(sought));
	struct profile_range range = PROFILE_RANGE_ALL, known = { 0, 0 };
	uint64_t wrong = 0, outside = 0;

	profile_object_function(object, function->begin, &range);
	ok(range.begin == function->begin && range.end == function->end,
	   "profile: the range of addresses in a function is that of the function");
	for (uint64_t address = 0; address < 1 << 20; address++) {
		range = PROFILE_RANGE_ALL;
		function = profile_object_function(object, address, &range);
		outside += address < range.begin || address >= range.end;
		wrong += address >= known.begin && address < known.end &&
			 (function != last || range.begin != known.begin || range.end != known.end);
		last = function;
		known = range;
	}
	ok(!outside, "profile: the range of addresses with the same function has the address");
	ok(!wrong, "profile: all addresses of a range have the same function");
}

/* Several names of one address; "_init" of the C library has no size, and the PLT follows it. */
int global_name(int value);
int __attribute__((weak, alias("global_name"))) another_name(int value);
int __attribute__((alias("global_name"))) __global_name(int value);
static int __attribute__((used, alias("global_name"))) a_local_name(int value);
extern int _init(int value);

/* Functions in assembler without type and size, a label in a function, and a mark of data on Arm */
__asm__(".text\n"
	"	.skip 16\n"
	"untyped:\n"
	"	.skip 16\n"
	"$x:\n"
	"	.skip 16\n"
	"untyped_next:\n"
	"	.skip 16\n"
	".type with_label, %function\n"
	"with_label:\n"
	"	.skip 16\n"
	"inner_label:\n"
	"	.skip 16\n"
	".size with_label, . - with_label\n");
extern int untyped(int value), inner_label(int value);

/* Two global names without underscores */
int global_name_longest(int value) __attribute__((alias("global_name_long")));

__attribute__((noinline))
int global_name_long(int value)
{
	return value * 9 + 1;
}

__attribute__((noinline))
int global_name(int value)
{
	return value * 5 + 1;
}

static void test_names(const struct profile_object *object)
{
	const struct profile_function *function = function_at(object, address_of(global_name));

	is_str(function ? function->name : NULL, "global_name",
	       "profile: of several names of a function the global one without underscores is used");
	function = function_at(object, address_of(_init));
	ok(function && function->end - function->begin < 64, "profile: a function without a size ends with its section");
	function = function_at(object, address_of(global_name_long));
	is_str(function ? function->name : NULL, "global_name_longest", "profile: of two equally good names of a function the longest is used");
	function = function_at(object, address_of(untyped) + 20);
	is_str(function ? function->name : NULL, "untyped", "profile: a label of code without type and size names a function up to the next label");
	ok(function && function->end - function->begin == 32, "profile: a mapping symbol of Arm does not end a function");
	function = function_at(object, address_of(inner_label));
	is_str(function ? function->name : NULL, "with_label", "profile: a label in a function with a size does not split it");
}

/* Each address of a function that has inlined another one has a line of the one or the other. */
static void test_inlined(struct profile_object *object)
{
	const struct profile_function *function = function_at(object, address_of(caller));
	size_t own = 0, of_inlined = 0, others = 0;

	for (uint64_t address = function->begin; address < function->end; address++) {
		const char *source;
		int line = 0;

		if (profile_object_line(object, address, &source, &line) || !source || !strstr(source, "profile-object.c") || line <= INLINED_BEGIN || line >= CALLER_END)
			others++;
		else if (line < INLINED_END)
			of_inlined++;
		else
			own++;
	}
	ok(own && of_inlined && !others,
	   "profile: addresses of an inlined function have its lines, and addresses of its caller have the caller's (%zu, %zu, %zu others)",
	   of_inlined, own, others);
}

/*
 * A damaged compilation unit: 40 blocks, each in the one before, whose attribute DW_AT_sibling is the offset of its own first
 * child. Whoever reads a block's children and then its sibling reads 2^40 entries.
 */
__asm__(".section .text.damaged,\"ax\",%progbits\n"
	"damaged:\n"
	"	.skip 16\n"
	"damaged_end:\n"
	".section .debug_abbrev,\"\",%progbits\n"
	"damaged_abbrev:\n"
	"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0, 0\n"	/* a unit: DW_AT_low_pc, DW_AT_high_pc */
	"	.byte 2, 0x0b, 1, 0x01, 0x13, 0, 0\n"		/* a block: DW_AT_sibling, DW_FORM_ref4 */
	"	.byte 0\n"
	".section .debug_info,\"\",%progbits\n"
	"damaged_unit:\n"
	"	.4byte 7 + 1 + 16 + 40 * 5 + 41\n"		/* its length */
	"	.2byte 4\n"
	"	.4byte damaged_abbrev\n"
	"	.byte 8, 1\n"
	"	.8byte damaged, damaged_end\n"
	"	.set child, 28 + 5\n"
	"	.rept 40\n"
	"	.byte 2\n"
	"	.4byte child\n"
	"	.set child, child + 5\n"
	"	.endr\n"
	"	.skip 41\n"
	".text\n");

int damaged(int value);

/*
 * Two units with each an inlined function in all of it. The second is in the range of the first, as after a linker merged equal
 * functions. The range of a removed function is at address 0.
 */
__asm__(".section .text.around,\"ax\",%progbits\n"
	"around:\n"
	"	.skip 16\n"
	"within:\n"
	"	.skip 16\n"
	"within_end:\n"
	"	.skip 16\n"
	"around_end:\n"
	".section .debug_abbrev,\"\",%progbits\n"
	"around_abbrev:\n"
	"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0, 0\n"		/* a unit */
	"	.byte 2, 0x1d, 0, 0x03, 8, 0x11, 1, 0x12, 1, 0, 0\n"	/* an inlined function: DW_AT_name, addresses */
	"	.byte 0\n"
	".macro unit name, begin, end\n"
	"	.4byte 2f - 1f\n"
	"1:	.2byte 4\n"
	"	.4byte around_abbrev\n"
	"	.byte 8, 1\n"
	"	.8byte \\begin, \\end\n"
	"	.byte 2\n"
	"	.string \"\\name\"\n"
	"	.8byte \\begin, \\end\n"
	"	.byte 2\n"
	"	.string \"removed\"\n"
	"	.8byte 0, 1 << 20\n"
	"	.byte 0\n"
	"2:\n"
	".endm\n"
	".section .debug_info,\"\",%progbits\n"
	"	unit inner, within, within_end\n"
	"	unit outer, around, around_end\n"
	"	unit gone, 0, 1 << 20\n"
	".text\n");

int around(int value);

/* Two units with the same range, as after a linker has merged equal functions. Only the first has an inlined function there. */
__asm__(".section .text.merged,\"ax\",%progbits\n"
	"merged:\n"
	"	.skip 16\n"
	"merged_end:\n"
	".section .debug_info,\"\",%progbits\n"
	"	unit equal, merged, merged_end\n"
	"	.4byte 2f - 1f\n"
	"1:	.2byte 4\n"
	"	.4byte around_abbrev\n"
	"	.byte 8, 1\n"
	"	.8byte merged, merged_end, 0\n"
	"2:\n"
	".text\n");

int merged(int value);

/*
 * A unit with a function, and with three that a linker removed: at address 0 and at the last addresses. An inlined function in the
 * one at 0 is at its offset in it, which is the address of other code.
 */
__asm__(".section .text.present,\"ax\",%progbits\n"
	"present:\n"
	"	.skip 16\n"
	"present_end:\n"
	".section .debug_abbrev,\"\",%progbits\n"
	"present_abbrev:\n"
	"	.byte 1, 0x11, 1, 0x11, 1, 0x12, 1, 0, 0\n"		/* a unit */
	"	.byte 2, 0x1d, 0, 0x03, 8, 0x11, 1, 0x12, 7, 0, 0\n"	/* an inlined function: DW_AT_name, address, size */
	"	.byte 3, 0x2e, 1, 0x11, 1, 0x12, 7, 0, 0\n"		/* a function: address, size */
	"	.byte 0\n"
	".macro function begin, size, name, inlined, inlined_size\n"
	"	.byte 3\n"
	"	.8byte \\begin, \\size\n"
	"	.byte 2\n"
	"	.string \"\\name\"\n"
	"	.8byte \\inlined, \\inlined_size\n"
	"	.byte 0\n"
	".endm\n"
	".section .debug_info,\"\",%progbits\n"
	"	.4byte 2f - 1f\n"
	"1:	.2byte 4\n"
	"	.4byte present_abbrev\n"
	"	.byte 8, 1\n"
	"	.8byte present, present_end\n"
	"	function 0, 1 << 32, removed, present, 16\n"
	"	function -1, 16, removed, present, 16\n"
	"	function -2, 16, removed, present, 16\n"
	"	function present, 16, inside, present, 8\n"
	"	.byte 0\n"
	"2:\n"
	".text\n");

int present(int value);

/* Entries whose children were read; the test counts those that were read again to find their sibling */
static struct map walked;
static size_t again;

int __wrap_dwarf_child(Dwarf_Die *die, Dwarf_Die *result);
int __real_dwarf_child(Dwarf_Die *die, Dwarf_Die *result);
int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result);
int __real_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result);

int __wrap_dwarf_child(Dwarf_Die *die, Dwarf_Die *result)
{
	int ret = __real_dwarf_child(die, result);

	if (!ret && map_set(&walked, (uintptr_t)die->addr, 0))
		abort();
	return ret;
}

int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result)
{
	uint32_t found;

	again += map_get(&walked, (uintptr_t)die->addr, &found);
	return __real_dwarf_siblingof(die, result);
}

/* Returns the names of the functions inlined at an address, innermost first. Sets the range of addresses with the same ones. */
static const char *inlined_at(struct profile_object *object, uint64_t address, struct profile_range *range)
{
	static char text[4096];
	struct profile_inlined *inlined;
	size_t length = 0;

	*range = PROFILE_RANGE_ALL;
	text[0] = '\0';
	if (profile_object_inlined(object, address, range, &inlined))
		return "no memory";
	for (; inlined && length < sizeof(text); inlined = inlined->caller)
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s ", inlined->name);
	return text;
}

/* deeper() is inlined into inlined(), which is inlined into caller(). */
static void test_inlined_names(struct profile_object *object)
{
	const struct profile_function *function = function_at(object, address_of(caller));
	size_t none = 0, once = 0, twice = 0, others = 0;
	struct profile_range range;

	for (uint64_t address = function->begin; address < function->end; address++) {
		const char *names = inlined_at(object, address, &range);

		none += !*names;
		once += !strcmp(names, "inlined ");
		twice += !strcmp(names, "deeper inlined ");
		others += *names && strcmp(names, "inlined ") != 0 && strcmp(names, "deeper inlined ") != 0;
	}
	ok(none && once && twice && !others,
	   "profile: each address has the functions that are inlined at it (%zu, %zu, %zu, %zu others)", none, once,
	   twice, others);
	is_str(inlined_at(object, address_of(sought), &range), "",
	       "profile: an address in a function without inlined calls has no inlined functions");
	ok(range.begin <= address_of(sought) && range.end > address_of(sought),
	   "profile: the range of addresses without inlined functions contains the address");
}

/* Looks up all addresses of the first MiB. */
static void test_inlined_ranges(struct profile_object *object)
{
	struct profile_range range, known = { 0, 0 };
	uint64_t wrong = 0, outside = 0, found = 0;
	char last[4096] = "";

	for (uint64_t address = 0; address < 1 << 20; address++) {
		const char *names = inlined_at(object, address, &range);

		found += *names != '\0';
		outside += address < range.begin || address >= range.end;
		wrong += address >= known.begin && address < known.end &&
			 (strcmp(names, last) != 0 || range.begin != known.begin || range.end != known.end);
		snprintf(last, sizeof(last), "%s", names);
		known = range;
	}
	ok(found && !outside, "profile: the range of addresses with the same inlined functions contains the address");
	ok(!wrong, "profile: all addresses of a range have the same inlined functions");
}

static void test_overlap(struct profile_object *object)
{
	struct profile_range range;
	char text[64];

	for (int i = 0; i < 3; i++)
		snprintf(text + 6 * i, sizeof(text) - 6 * (size_t)i, "%s", inlined_at(object, address_of(around) + 8 + 16 * i, &range));
	is_str(text, "outer inner outer ", "profile: an address in the ranges of two units has the functions of the inner one");
	ok(range.begin == address_of(around) + 32 && range.end == range.begin + 16,
	   "profile: the range of addresses after an inner unit begins at its end");
	is_str(inlined_at(object, address_of(sought), &range), "",
	       "profile: a removed function, whose range is at address 0, is at no address");
	is_str(inlined_at(object, address_of(merged), &range), "equal ",
	       "profile: if several units have an address, one with inlined functions there is used");
}

static void test_removed(struct profile_object *object)
{
	struct profile_range range;

	is_str(inlined_at(object, address_of(present), &range), "inside ",
	       "profile: functions inlined into removed functions, at address 0 or at the last addresses, are not at addresses of other code");
	is_str(inlined_at(object, address_of(present) + 8, &range), "",
	       "profile: an address in a function has no functions that are inlined into removed functions");
}

static void test_self(void)
{
	struct profile_object *object;
	const struct profile_function *function;
	struct profile_range all = PROFILE_RANGE_ALL;
	uint64_t address = address_of(sought);
	char path[4096];
	const char *source;
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int line = 0;

	path[length > 0 ? length : 0] = '\0';
	object = profile_object_new(dwfl, path, NULL, 0);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_READ, "profile: a program with symbols is read");
	function = function_at(object, address);
	is_str(function ? function->name : NULL, "sought", "profile: the first address of a function is in it");
	ok(function && function->begin == address && function->end > address, "profile: a function has its addresses");
	ok(function && function_at(object, function->end - 1) == function, "profile: the last address of a function is in it");
	ok(!function || function_at(object, function->end) != function, "profile: the end of a function is exclusive");
	ok(!function_at(object, 0), "profile: address 0 is in no function");
	ok(!profile_object_line(object, address, &source, &line) && source && strstr(source, "profile-object.c") && line > 25 && line < 40, "profile: an address has its source line");
	ok(profile_object_address(object, UINT64_MAX, &all) == UINT64_MAX, "profile: a byte outside all segments keeps its offset");
	test_inlined(object);
	test_inlined_names(object);
	test_inlined_ranges(object);
	is_str(inlined_at(object, address_of(damaged), &(struct profile_range){ 0 }), "",
	       "profile: a unit whose entries follow each other in a circle has no inlined functions");
	test_overlap(object);
	test_removed(object);
	ok(walked.n > 10 && !again, "profile: debug information is read once, also without DW_AT_sibling (%zu of %zu entries again)", again,
	   walked.n);
	test_names(object);
	test_ranges(object);
	profile_object_free(object);
}

static void test_others(void)
{
	static const uint8_t build_id[20] = { 1, 2, 3 };
	struct profile_object *object = profile_object_new(dwfl, "/proc/self/exe", build_id, 20);
	struct profile_inlined *inlined;
	const char *source = "";
	char path[64];

	ok(object && profile_object_state(object) == PROFILE_OBJECT_CHANGED && !function_at(object, 0x1000),
	   "profile: a file with another build id is not used");
	profile_object_free(object);
	snprintf(path, sizeof(path), "/tmp/gpmu-fifo-%d", (int)getpid());
	ok(!mkfifo(path, 0600), "profile: a FIFO is made");
	object = profile_object_new(dwfl, path, NULL, 0);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_MISSING, "profile: a FIFO is not opened");
	profile_object_free(object);
	unlink(path);
	object = profile_object_new(dwfl, "/nonexistent", NULL, 0);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_MISSING && !profile_object_line(object, 1, &source, NULL) && !source &&
	   !profile_object_inlined(object, 1, &(struct profile_range){ 0, 2 }, &inlined) && !inlined,
	   "profile: a missing file has no functions, inlined functions or lines");
	profile_object_free(object);
	object = profile_object_new(dwfl, "/etc/passwd", NULL, 0);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_MISSING, "profile: a file that is no ELF file has no functions");
	profile_object_free(object);
	object = profile_object_new(dwfl, "[heap]", NULL, 0);
	ok(object && profile_object_state(object) == PROFILE_OBJECT_MISSING, "profile: [heap], which is no file, has no functions");
	profile_object_free(object);
}

/* Far more files than descriptors */
static void test_many(void)
{
	enum { COUNT = 60, SPARE = 20 };
	struct profile_object *objects[COUNT];
	struct rlimit limit, low;
	size_t read = 0;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		abort();
	low = (struct rlimit){ .rlim_cur = SPARE, .rlim_max = limit.rlim_max };
	setrlimit(RLIMIT_NOFILE, &low);
	for (size_t i = 0; i < COUNT; i++) {
		objects[i] = profile_object_new(dwfl, "/proc/self/exe", NULL, 0);
		read += objects[i] && profile_object_state(objects[i]) == PROFILE_OBJECT_READ;
	}
	setrlimit(RLIMIT_NOFILE, &limit);
	ok(read == COUNT, "profile: files that were read need no descriptors (%zu of %d)", read, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		profile_object_free(objects[i]);
}

int main(void)
{
	dwfl = profile_object_begin(NULL);
	ok(sought(1) == 4 && caller(0x55) == 1, "profile: the functions that are looked up run");
	test_self();
	test_others();
	test_many();
	dwfl_end(dwfl);
	map_release(&walked);
	return done_testing();
}
