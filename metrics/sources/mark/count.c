// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Counts regions for gpmu stat --regions. libgpmu is loaded at the first mark, so that the many
 * processes of a build or a script that mark nothing start as fast as without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpmu.h"
#include "base/error.h"
#include "mark.h"
#include "measure/marks.h"

#define LIBRARY	"libgpmu.so.0"
#define NAMES_MAX	64		/* sources or catalogs */
#define NAME_BYTES_MAX	100	/* bytes of a region's name in a record */

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
static bool is_started;				/* the counters were opened, or could not be */
/* Copy of MARKS_FILE, which the program can change before it exits */
static char *file_name;

/* Marks without effect. The lock also keeps the records in order. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tally {
	const char kind;			/* of the record */
	uint64_t count;
	char first[NAME_BYTES_MAX + 100];		/* region of the first one, and the error */
} ignored = { .kind = MARKS_IGNORED }, uncounted = { .kind = MARKS_UNCOUNTED };

/* Numbers of regions of the thread that have begun and not ended */
static __thread struct {
	size_t inherited;			/* in the parent, before fork() */
	size_t counted;				/* inside of these */
	size_t failed;				/* inside of these */
} begun;

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
	mark_append(file_name, record, (size_t)size);
	free(record);
}

static void fail(const char *why)
{
	write_record(MARKS_FAILED, why, strlen(why));
}

/* With the lock held. @is_exiting: the process exits */
static void tally_write(const struct tally *tally, bool is_exiting)
{
	char text[sizeof(tally->first) + 32];

	if (tally->count)
		write_record(tally->kind, text,
			     (size_t)snprintf(text, sizeof(text), "%" PRIu64 " %d %s", tally->count, is_exiting,
					      tally->first));
}

/* Counts a mark of the region @name without effect. @error: 0 or the reason, -errno */
static void tally_add(struct tally *tally, const char *name, int error)
{
	pthread_mutex_lock(&lock);
	if (!tally->count++)
		snprintf(tally->first, sizeof(tally->first), "%.*s%s%s", NAME_BYTES_MAX, name, error ? ": " : "",
			 error ? error_text(-error) : "");
	if (!(tally->count & (tally->count - 1)))
		tally_write(tally, false);
	pthread_mutex_unlock(&lock);
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

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line && n < NAMES_MAX;
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
	const char *sources[NAMES_MAX], *catalogs[NAMES_MAX];
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
	__atomic_store_n(&is_started, true, __ATOMIC_RELEASE);
	write_record(MARKS_BEGUN, "", 0);
	if (!secure_getenv(MARKS_LIST))
		fail(MARKS_LIST " is no longer in its environment");
	else if (!load())
		open_counters();
}

void count_begin(const char *name)
{
	struct gpmu *counts;
	int ret;

	pthread_once(&once, start);
	counts = __atomic_load_n(&gpmu, __ATOMIC_ACQUIRE);
	if (!counts)
		return;
	/* A region inside of one that could not begin does not begin either, so that the ends match. */
	ret = begun.failed ? -ECANCELED : api.begin(counts, name);
	if (!ret) {
		begun.counted++;
		return;
	}
	begun.failed++;
	tally_add(&uncounted, name, ret);
}

void count_end(const char *name)
{
	struct gpmu *counts = __atomic_load_n(&gpmu, __ATOMIC_ACQUIRE);
	int ret = -EINVAL;

	/* The process has reported why it counts nothing, or it exits. */
	if (!counts && __atomic_load_n(&is_started, __ATOMIC_ACQUIRE))
		return;
	if (begun.failed) {
		begun.failed--;
		return;
	}
	if (counts)
		ret = api.end(counts, name);
	if (ret != -EINVAL) {
		begun.counted--;
		if (ret)
			tally_add(&uncounted, name, ret);
	} else if (!begun.counted && begun.inherited) {
		begun.inherited--;
	} else {
		tally_add(&ignored, name, 0);
	}
}

/* --- the process */

bool count_load(void)
{
	const char *value = secure_getenv(MARKS_FILE);

	file_name = value ? strdup(value) : NULL;
	if (!file_name)
		return false;
	write_record(MARKS_LOADED, "", 0);
	return true;
}

/* The counters are of the parent. The child opens its own at its next mark. */
void count_fork(void)
{
	const pthread_once_t again = PTHREAD_ONCE_INIT;
	const pthread_mutex_t unlocked = PTHREAD_MUTEX_INITIALIZER;

	memcpy(&once, &again, sizeof(once));
	memcpy(&lock, &unlocked, sizeof(lock));
	gpmu = NULL;
	is_started = false;
	ignored.count = uncounted.count = 0;
	begun.inherited += begun.counted + begun.failed;
	begun.counted = begun.failed = 0;
}

/* Other threads may still be in regions: the counters stay open. */
void count_exit(void)
{
	struct gpmu *counts = __atomic_exchange_n(&gpmu, NULL, __ATOMIC_ACQ_REL);
	char *text = NULL;
	size_t length = 0;
	FILE *file;
	int ret;

	pthread_mutex_lock(&lock);
	tally_write(&ignored, true);
	tally_write(&uncounted, true);
	pthread_mutex_unlock(&lock);
	if (!counts)
		return;
	file = open_memstream(&text, &length);
	ret = file ? api.print(counts, file) : -ENOMEM;
	if (file && fclose(file))
		ret = -ENOMEM;
	if (ret)
		fail(error_text(-ret));
	else
		write_record(MARKS_COUNTED, text, length);
	free(text);
}
