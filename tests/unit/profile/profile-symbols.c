// SPDX-License-Identifier: LGPL-2.1-or-later
/* Symbols are found by address, with the addresses around it that have the same one. */
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"
#include "profile/profile_symbols.h"

/* The end of "open" is not known; "inner" lies in "outer", whose name ends where it begins. */
static const struct profile_symbol some[] = {
	{ 60, 90, "outer" }, { 10, 20, "first" }, { 70, 75, "inner" }, { 30, 30, "open" },
};

static const struct {
	uint64_t begin, end;
	const char *name;
} want[] = {
	{ 0, 10, NULL }, { 10, 20, "first" }, { 20, 30, NULL }, { 30, 60, "open" }, { 60, 70, "outer" },
	{ 70, 75, "inner" }, { 75, UINT64_MAX, NULL },
};

static void test_find(const struct profile_symbols *symbols)
{
	uint64_t wrong = 0, other = 0;

	for (uint64_t i = 0, address = 0; address < 200; address++) {
		struct profile_range range = PROFILE_RANGE_ALL;
		const struct profile_symbol *symbol = profile_symbols_find(symbols, address, &range);

		i += address >= want[i].end;
		wrong += want[i].name ? !symbol || strcmp(symbol->name, want[i].name) != 0 : symbol != NULL;
		other += range.begin != want[i].begin || range.end != want[i].end;
	}
	is_u64(wrong, 0, "profile: a symbol is found at its addresses and at no others");
	is_u64(other, 0, "profile: the range of addresses with the same symbol ends at the next begin or end of a symbol");
}

static void test_limit(void)
{
	const struct profile_range file = { 0x400, 0x500 }, all = PROFILE_RANGE_ALL;
	struct profile_range range = { 0x10000, 0x20000 };

	profile_range_limit_to(&range, 0x12480, &all, 0x480);
	ok(range.begin == 0x12000 && range.end == 0x20000, "profile: a range of all of a file does not exceed that of the map");
	profile_range_limit_to(&range, 0x12480, &file, 0x480);
	ok(range.begin == 0x12400 && range.end == 0x12500, "profile: a range of a file is translated to the addresses of the map");
}

static void read_text(struct profile_symbols *symbols, const char *text, int (*read)(struct profile_symbols *symbols, int fd))
{
	int ends[2];

	if (pipe(ends) || write(ends[1], text, strlen(text)) != (ssize_t)strlen(text) || close(ends[1]) || read(symbols, ends[0]))
		abort();
	close(ends[0]);
}

static void test_lines(void)
{
	struct profile_range range = PROFILE_RANGE_ALL;
	struct profile_symbols kernel = { 0 }, made = { 0 };

	read_text(&kernel, "0000000000001000 T first\n0000000000001000 t $x\t[m]\n0000000000001010 t $d.1\t[m]\n"
		  "0000000000002000 d data\n0000000000003000 t last\t[m]\nwrong\n", profile_symbols_read_kallsyms);
	is_u64(kernel.n, 2, "profile: mapping symbols and data of /proc/kallsyms are not functions");
	ok(profile_symbols_find(&kernel, 0x1014, &range) == kernel.list, "profile: a function of the kernel does not end at a mapping symbol");
	is_u64(kernel.bad, 1, "profile: lines of /proc/kallsyms that are skipped are not malformed");
	read_text(&made, "10 8 one\n20 8 \n30 8\n", profile_symbols_read_map);
	ok(made.n == 1 && made.bad == 2 && made.bad_at == 9, "profile: a line without a name is malformed in a compiler's map");
	profile_symbols_release(&kernel);
	profile_symbols_release(&made);
}

/* The first process of a PID namespace, in a folder with the map of the compiler that it is. It ends with the pipe. */
static void be_container(const char *root, int ready, int wait)
{
	pid_t pid;
	char byte;

	if (unshare(CLONE_NEWUSER | CLONE_NEWPID))
		_exit(1);
	pid = fork();
	if (!pid) {
		if (chroot(root) || chdir("/") || read(wait, &byte, 1))
			_exit(1);
		_exit(0);
	}
	/* The number of the process outside of its namespace */
	if (pid < 0 || write(ready, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	waitpid(pid, NULL, 0);
	_exit(0);
}

static bool is_rooted(pid_t pid, const char *root)
{
	char path[64], link[256] = "";

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	for (int i = 0; i < 1000 && strcmp(link, root) != 0; i++) {
		ssize_t length = readlink(path, link, sizeof(link) - 1);

		link[length > 0 ? length : 0] = '\0';
		usleep(10000);
	}
	return !strcmp(link, root);
}

static void test_container(void)
{
	char root[] = "/tmp/gpmu-symbols-XXXXXX", folder[64], map[96];
	struct profile_symbols symbols = { 0 };
	int ready[2], wait[2];
	pid_t child, pid = 0;
	FILE *file;

	if (!mkdtemp(root) || pipe(ready) || pipe(wait))
		abort();
	snprintf(folder, sizeof(folder), "%s/tmp", root);
	snprintf(map, sizeof(map), "%s/perf-1.map", folder);
	file = mkdir(folder, 0755) ? NULL : fopen(map, "w");
	if (!file || fputs("10 8 contained\n", file) < 0 || fclose(file))
		abort();
	child = fork();
	if (!child) {
		close(ready[0]);
		close(wait[1]);
		be_container(root, ready[1], wait[0]);
	}
	close(ready[1]);
	close(wait[0]);
	if (read(ready[0], &pid, sizeof(pid)) == sizeof(pid) && is_rooted(pid, root))
		ok(!profile_symbols_read_jit(&symbols, (uint32_t)pid) && symbols.n == 1,
		   "profile: the functions of a compiler in a container are those of its own /tmp, by its own number");
	else
		ok(true, "profile: the functions of a compiler in a container are those of its own /tmp # SKIP no user namespaces");
	close(wait[1]);
	close(ready[0]);
	waitpid(child, NULL, 0);
	profile_symbols_release(&symbols);
	unlink(map);
	rmdir(folder);
	rmdir(root);
}

int main(void)
{
	struct profile_symbols symbols = { 0 };
	struct profile_range range = PROFILE_RANGE_ALL;

	ok(!profile_symbols_find(&symbols, 5, &range) && range.begin == 0 && range.end == UINT64_MAX,
	   "profile: without symbols there is none at any address");
	for (size_t i = 0; i < sizeof(some) / sizeof(some[0]); i++)
		if (vector_push(&symbols, &some[i]))
			abort();
	profile_symbols_sort(&symbols);
	test_find(&symbols);
	test_limit();
	test_lines();
	test_container();
	profile_symbols_release(&symbols);
	return done_testing();
}
