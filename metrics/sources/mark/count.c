// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts regions for gpmu stat --regions. libgpmu is loaded at the first mark, so that the many
 * processes of a build or a script that mark nothing start as fast as without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
#include "mark.h"
#include "measure/marks.h"

#define LIBRARY	"libgpmu.so.0"
#define MOST	64		/* sources or catalogs */

/* The functions of libgpmu that are used */
static struct {
	struct gpmu *(*open)(const char *list, const struct gpmu_options *options,
			     struct gpmu_error *error);
	int (*begin)(struct gpmu *gpmu, const char *name);
	int (*end)(struct gpmu *gpmu, const char *name);
	int (*print)(struct gpmu *gpmu, FILE *file);
} api;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct gpmu *gpmu;		/* NULL: not open, or no longer used */
/* Of the environment, which the program can change before it exits */
static char *path;

/* --- records */

static void name_of_process(char *name)
{
	int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, name, MARKS_NAME - 1);

	if (fd >= 0)
		close(fd);
	name[n > 0 ? n : 0] = '\0';
	name[strcspn(name, "\n")] = '\0';
}

static void write_record(char kind, const char *text, size_t length)
{
	char name[MARKS_NAME], *record = NULL;
	int size;

	name_of_process(name);
	size = asprintf(&record, "%c %d %zu %s\n%.*s", kind, (int)getpid(), length, name,
			(int)length, text);
	if (size < 0)
		return;
	mark_append(path, record, (size_t)size);
	free(record);
}

static void fail(const char *why)
{
	write_record(MARKS_FAILED, why, strlen(why));
}

/* --- counters */

static void *symbol(void *library, const char *name)
{
	return library ? dlsym(library, name) : NULL;
}

static int load(void)
{
	/* The library's own RUNPATH names the folders. */
	void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	*(void **)&api.open = symbol(library, "gpmu_open");
	*(void **)&api.begin = symbol(library, "gpmu_begin");
	*(void **)&api.end = symbol(library, "gpmu_end");
	*(void **)&api.print = symbol(library, "gpmu_print");
	if (api.open && api.begin && api.end && api.print)
		return 0;
	fail(library ? LIBRARY " is too old" : dlerror());
	return -ENOENT;
}

/* Splits the lines of an environment variable, which the caller keeps. */
static size_t split(char *text, const char **list)
{
	char *rest = NULL;
	size_t n = 0;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && n < MOST;
	     line = strtok_r(NULL, "\n", &rest))
		list[n++] = line;
	return n;
}

static char *copy_of(const char *variable)
{
	const char *value = secure_getenv(variable);

	return value ? strdup(value) : NULL;
}

/* Takes a number and the blank after it from a text; 0 if the text is NULL */
static int next_number(const char **text)
{
	char *end;
	long number;

	if (!*text)
		return 0;
	number = strtol(*text, &end, 10);
	*text = end + (*end == ' ');
	return (int)number;
}

static void open_counters(void)
{
	const char *list = secure_getenv(MARKS_LIST), *numbers = secure_getenv(MARKS_OPTIONS);
	char *source = copy_of(MARKS_SOURCES), *catalog = copy_of(MARKS_CATALOGS);
	const char *sources[MOST], *catalogs[MOST];
	struct gpmu_options options = { .size = sizeof(options) };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu *opened;

	options.sources = sources;
	options.source_count = split(source, sources);
	options.catalogs = catalogs;
	options.catalog_count = split(catalog, catalogs);
	options.format = (enum gpmu_sink_kind)next_number(&numbers);
	options.per_thread = next_number(&numbers);
	options.aggregation = (enum gpmu_aggregation)next_number(&numbers);
	options.separator = numbers && *numbers ? numbers : NULL;
	opened = api.open(list, &options, &error);
	if (!opened)
		fail(error.text);
	__atomic_store_n(&gpmu, opened, __ATOMIC_RELEASE);
	free(source);
	free(catalog);
}

static void start(void)
{
	write_record(MARKS_BEGUN, "", 0);
	if (!secure_getenv(MARKS_LIST))
		fail(MARKS_LIST " is no longer in its environment");
	else if (!load())
		open_counters();
}

void count_begin(const char *name)
{
	struct gpmu *counts;

	pthread_once(&once, start);
	counts = __atomic_load_n(&gpmu, __ATOMIC_ACQUIRE);
	if (counts)
		api.begin(counts, name);
}

void count_end(const char *name)
{
	struct gpmu *counts = __atomic_load_n(&gpmu, __ATOMIC_ACQUIRE);

	if (counts)
		api.end(counts, name);
}

/* --- the process */

bool count_load(void)
{
	const char *value = secure_getenv(MARKS_FILE);

	path = value ? strdup(value) : NULL;
	if (!path)
		return false;
	write_record(MARKS_LOADED, "", 0);
	return true;
}

/* The counters are of the parent. The child opens its own at its next mark. */
void count_fork(void)
{
	const pthread_once_t again = PTHREAD_ONCE_INIT;

	memcpy(&once, &again, sizeof(once));
	gpmu = NULL;
}

/* Other threads may still be in regions: the counters stay open. */
void count_exit(void)
{
	struct gpmu *counts = __atomic_exchange_n(&gpmu, NULL, __ATOMIC_ACQ_REL);
	char *text = NULL;
	size_t length = 0;
	FILE *file;
	int ret;

	if (!counts)
		return;
	file = open_memstream(&text, &length);
	ret = file ? api.print(counts, file) : -ENOMEM;
	if (file && fclose(file))
		ret = -ENOMEM;
	if (ret)
		fail(strerror(-ret));
	else
		write_record(MARKS_COUNTED, text, length);
	free(text);
}
