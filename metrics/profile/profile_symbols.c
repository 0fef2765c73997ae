// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A compiler writes a line "BEGIN SIZE NAME" for each function, in hexadecimal: Linux's
 * tools/perf/Documentation/jit-interface.txt. Any user can write such a file in /tmp, so only files of root
 * and of the user who runs gpmu are read.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/proc.h"
#include "base/text/text.h"
#include "profile/profile_symbols.h"

#define TEXT_MAX	(256U << 20)	/* bytes of a file that are read */

/* Reads a whole file, also one of /proc, which has no size. Returns a text to free, or NULL with errno. */
static char *read_text(int fd)
{
	size_t room = 64 << 10, length = 0;
	char *text = malloc(room + 1), *larger;
	ssize_t n;

	while (text && (n = read(fd, text + length, room - length)) > 0) {
		length += (size_t)n;
		if (length < room || room >= TEXT_MAX)
			continue;
		larger = realloc(text, 2 * room + 1);
		if (!larger) {
			free(text);
			return NULL;
		}
		room *= 2;
		text = larger;
	}
	if (text)
		text[length] = '\0';
	return text;
}

/* These return the name of a line; "" for a line that is skipped, and NULL for a bad one. */

/* "ffffffff81000000 T _text\t[module]". Mapping symbols of arm64, "$x", are not names of functions. */
static const char *parse_kernel(char *line, struct profile_symbol *symbol)
{
	char *rest;

	symbol->begin = symbol->end = strtoull(line, &rest, 16);
	if (rest == line || rest[0] != ' ' || !rest[1] || rest[2] != ' ')
		return NULL;
	if (!symbol->begin || !strchr("tTwW", rest[1]) || rest[3] == '$')
		return "";
	rest += 3;
	rest[strcspn(rest, " \t")] = '\0';
	return rest;
}

static const char *parse_jit(char *line, struct profile_symbol *symbol)
{
	uint64_t size;
	char *rest, *name;

	symbol->begin = strtoull(line, &rest, 16);
	if (rest == line || *rest != ' ')
		return NULL;
	size = strtoull(rest, &name, 16);
	symbol->end = size > UINT64_MAX - symbol->begin ? UINT64_MAX : symbol->begin + size;
	return name != rest && name[0] == ' ' && name[1] ? name + 1 : NULL;
}

static int read_lines(struct profile_symbols *symbols, int fd,
		      const char *(*parse)(char *line, struct profile_symbol *symbol))
{
	char *next;

	symbols->text = read_text(fd);
	if (!symbols->text)
		return -ENOMEM;
	for (char *line = symbols->text; *line; line = next) {
		struct profile_symbol parsed = { 0 };
		size_t length = strcspn(line, "\n");

		next = line + length + (line[length] == '\n');
		line[length] = '\0';
		parsed.name = parse(line, &parsed);
		if (!parsed.name && length && !symbols->bad++)
			symbols->bad_at = (size_t)(line - symbols->text);
		if (!parsed.name || !*parsed.name)
			continue;
		if (vector_push(symbols, &parsed))
			return -ENOMEM;
	}
	profile_symbols_sort(symbols);
	return 0;
}

int profile_symbols_read_kernel(struct profile_symbols *symbols)
{
	int fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return 0;
	ret = profile_symbols_read_kallsyms(symbols, fd);
	close(fd);
	return ret;
}

int profile_symbols_read_kallsyms(struct profile_symbols *symbols, int fd)
{
	return read_lines(symbols, fd, parse_kernel);
}

int profile_symbols_read_map(struct profile_symbols *symbols, int fd)
{
	return read_lines(symbols, fd, parse_jit);
}

static int set_why(struct profile_symbols *symbols, const char *path)
{
	symbols->path = strdup(path);
	symbols->why = text_print("byte %zu: expected BEGIN SIZE NAME, with numbers in hexadecimal; malformed lines: %zu",
				  symbols->bad_at, symbols->bad);
	return symbols->path && symbols->why ? 0 : -ENOMEM;
}

/* Opens the map of a compiler. Returns -1 if it does not exist or belongs to another user. */
static int open_map(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat status;

	if (fd < 0 ||
	    (!fstat(fd, &status) && S_ISREG(status.st_mode) && (!status.st_uid || status.st_uid == geteuid())))
		return fd;
	close(fd);
	return -1;
}

/* The number of a running process in its own PID namespace, which is the last of /proc/PID/status; @pid: not known */
static uint32_t inner_pid(uint32_t pid)
{
	FILE *file = proc_lines((pid_t)pid, "status");
	unsigned long inner = pid;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "NSpid:", 6) && strrchr(line, '\t'))
			inner = strtoul(strrchr(line, '\t'), NULL, 10);
	if (file)
		fclose(file);
	return (uint32_t)inner;
}

int profile_symbols_read_jit(struct profile_symbols *symbols, uint32_t pid)
{
	char path[64];
	int fd, ret;

	snprintf(path, sizeof(path), "/tmp/perf-%u.map", pid);
	fd = open_map(path);
	/* A process of a container has its own /tmp. */
	if (fd < 0) {
		snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", pid, inner_pid(pid));
		fd = open_map(path);
	}
	if (fd < 0)
		return 0;
	ret = profile_symbols_read_map(symbols, fd);
	close(fd);
	return !ret && symbols->bad ? set_why(symbols, path) : ret;
}

bool profile_symbols_is_kernel(const uint8_t *build_id, size_t size)
{
	int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
	uint8_t notes[4096];
	ssize_t length = fd < 0 ? 0 : read(fd, notes, sizeof(notes));
	Elf64_Nhdr note;

	if (fd >= 0)
		close(fd);
	for (ssize_t offset = 0; length - offset >= (ssize_t)sizeof(note);) {
		uint64_t name, next;

		memcpy(&note, notes + offset, sizeof(note));
		name = (uint64_t)offset + sizeof(note);
		next = name + ((note.n_namesz + 3ULL) & ~3ULL);
		if (next + note.n_descsz > (uint64_t)length)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && !memcmp(notes + name, "GNU", 4))
			return note.n_descsz <= size && !memcmp(notes + next, build_id, note.n_descsz);
		offset = (ssize_t)(next + ((note.n_descsz + 3ULL) & ~3ULL));
	}
	return false;
}

void profile_symbols_sort(struct profile_symbols *symbols)
{
	struct profile_symbol *list = symbols->list;
	uint64_t next = UINT64_MAX;

	vector_sort(symbols, compare_first);
	for (size_t i = symbols->n; i--;) {
		if (list[i].end == list[i].begin)
			list[i].end = next;
		if (i && list[i - 1].begin != list[i].begin)
			next = list[i].begin;
	}
}

const struct profile_symbol *profile_symbols_find(const struct profile_symbols *symbols, uint64_t address,
						  struct profile_range *range)
{
	const struct profile_symbol *list = symbols->list;
	size_t from = profile_range_find(range, address, list, symbols->n, sizeof(*list));

	if (!from)
		return NULL;
	profile_range_limit(range, address, list[from - 1].end);
	return address < list[from - 1].end ? &list[from - 1] : NULL;
}

const struct profile_symbol *profile_symbols_named(const struct profile_symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->n; i++)
		if (!strcmp(symbols->list[i].name, name))
			return &symbols->list[i];
	return NULL;
}

void profile_symbols_release(struct profile_symbols *symbols)
{
	free(symbols->list);
	free(symbols->text);
	free(symbols->path);
	free(symbols->why);
	*symbols = (struct profile_symbols){ 0 };
}
