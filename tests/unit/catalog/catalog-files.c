// SPDX-License-Identifier: LGPL-2.1-or-later
/* Where files are searched for, and what is none. */
#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

#include "catalog-test.h"
#include "sysroot.h"

#define EVENT(name, code) "[{\"EventName\": \"" name "\", \"EventCode\": \"" code "\"}]"

static struct gpmu_error error;

/* gpmu_catalog_add() of what is @name in the root; "" is the root itself */
static int add_path(struct gpmu_catalog *catalog, const struct sysroot *root, const char *name)
{
	char path[SYSROOT_PATH];

	sysroot_path(root, path, "%s", name);
	error.text[0] = 0;
	return gpmu_catalog_add(catalog, path, &error);
}

static const char *terms_of(const struct gpmu_catalog *catalog, const char *name)
{
	const struct gpmu_event_def *event = gpmu_catalog_find_event(catalog, NULL, name, NULL);

	return event ? gpmu_event_def_terms(event) : NULL;
}

static size_t count_open(void)
{
	DIR *dir = opendir("/proc/self/fd");
	size_t n = 0;

	if (!dir)
		sysroot_bail("/proc/self/fd");
	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static void check_folder(void)
{
	struct gpmu_catalog *catalog = empty();
	char want[SYSROOT_PATH];
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "b/c.json", EVENT("e", "1"));
	sysroot_put(&root, "b/d.json/f.json", EVENT("e", "2"));
	sysroot_put(&root, "b/a.json", EVENT("e", "3"));
	sysroot_put(&root, "a.json", EVENT("f", "4"));
	sysroot_put(&root, "README", "no JSON");
	sysroot_put(&root, "json", "none either");
	sysroot_put(&root, ".json", "nor this");
	sysroot_put(&root, ".hidden.json", "hidden");
	sysroot_put(&root, ".git/x.json", "hidden");
	is_u64((uint64_t)-add_path(catalog, &root, ""), 0, "a folder with folders");
	is_text(terms_of(catalog, "e"), "event=2", "the last file by name prevails");
	is_text(terms_of(catalog, "f"), "event=4", "files at its top are read");
	is_text(gpmu_catalog_warning(catalog, 0), NULL, "hidden and other files are nothing");
	sysroot_path(&root, want, "%s", "b/d.json/f.json");
	is_str(gpmu_event_def_file(gpmu_catalog_find_event(catalog, NULL, "e", NULL)), want,
	       "a file's name is its path");
	is_u64((uint64_t)-add_path(catalog, &root, "b/a.json"), 0, "a file");
	is_text(terms_of(catalog, "e"), "event=3", "is read");
	sysroot_put(&root, "events", EVENT("e", "5"));
	add_path(catalog, &root, "events");
	is_text(terms_of(catalog, "e"), "event=5", "whatever its name is");
	sysroot_put(&root, "b/d.json/g.json", "[}");
	is_u64((uint64_t)-add_path(catalog, &root, "b/"), EINVAL, "a folder with a bad file");
	sysroot_path(&root, want, "%s", "b/d.json/g.json:1: expected an object");
	is_str(error.text, want, "is refused with that file's path");
	is_text(terms_of(catalog, "e"), "event=5", "and nothing of it is there");
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

static void check_links(void)
{
	struct gpmu_catalog *catalog = empty();
	char want[SYSROOT_PATH];
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "arch/arm64/a/cpu/x.json", EVENT("e", "1"));
	sysroot_link(&root, "here", "arch/arm64/a/cpu");
	sysroot_link(&root, "files/y.json", "../arch/arm64/a/cpu/x.json");
	sysroot_link(&root, "files/none", "nothing");
	sysroot_link(&root, "loops/up", "..");
	sysroot_link(&root, "loops/again", ".");
	sysroot_link(&root, "bad/x.json", "nothing");
	is_u64((uint64_t)-add_path(catalog, &root, "here"), 0, "a link to a folder is followed");
	is_text(gpmu_event_def_cpu(gpmu_catalog_event(catalog, 0)), "arm64/a/cpu",
		"and what it leads to says the CPU");
	is_u64((uint64_t)-add_path(catalog, &root, "files"), 0, "a link to a file in a folder too");
	is_u64(count_events(catalog), 2, "whose own place counts");
	is_u64((uint64_t)-add_path(catalog, &root, "loops"), 0, "links in circles are no error");
	sysroot_path(&root, want, "%s", "loops/again: a link to a folder: left out");
	is_text(gpmu_catalog_warning(catalog, 0), want, "but left out");
	ok(gpmu_catalog_warning(catalog, 1), "each");
	sysroot_path(&root, want, "%s", "loops: no *.json in it");
	is_text(gpmu_catalog_warning(catalog, 2), want, "a folder without JSON is a warning");
	is_u64((uint64_t)-add_path(catalog, &root, "bad"), ENOENT, "a *.json that leads nowhere");
	sysroot_path(&root, want, "%s", "bad/x.json: No such file or directory");
	is_str(error.text, want, "is an error");
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

static void check_odd(void)
{
	struct gpmu_catalog *catalog = empty();
	char path[SYSROOT_PATH];
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "a/y.json", "[]");
	sysroot_path(&root, path, "%s", "a/x.json");
	ok(!mkfifo(path, 0600), "with a FIFO");
	is_u64((uint64_t)-add_path(catalog, &root, "a"), 0, "a folder is read, without waiting");
	ok(gpmu_catalog_warning(catalog, 0) && strstr(gpmu_catalog_warning(catalog, 0),
	   "a/x.json: neither a file nor a folder: left out"), "it is left out");
	is_u64((uint64_t)-add_path(catalog, &root, "a/x.json"), EINVAL, "and refused by itself");
	ok(strstr(error.text, "a/x.json: expected a file or a folder"), "with that text");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "/dev/zero", &error), EINVAL,
	       "a device is refused");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "/proc/version", &error), EINVAL,
	       "a file of /proc has no size");
	is_str(error.text, "/proc/version:1: expected [ and objects in it", "but is read");
	is_u64((uint64_t)-add_path(catalog, &root, "a/y.json/z"), ENOTDIR, "a file is no folder");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "", &error), ENOENT, "nor is nothing");
	sysroot_put(&root, "d/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/x.json", EVENT("deep", "1"));
	is_u64((uint64_t)-add_path(catalog, &root, "d"), 0, "16 folders in each other");
	ok(terms_of(catalog, "deep"), "are searched");
	sysroot_put(&root, "d/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/x.json", "[]");
	is_u64((uint64_t)-add_path(catalog, &root, "d"), EINVAL, "17");
	ok(strstr(error.text, ": expected at most 16 folders in each other"), "are refused");
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

static void check_limit(void)
{
	struct gpmu_catalog *catalog = empty();
	struct rlimit limit, none;
	char want[SYSROOT_PATH];
	struct sysroot root;

	sysroot_init(&root);
	sysroot_put(&root, "a/x.json", "[]");
	getrlimit(RLIMIT_NOFILE, &limit);
	none = limit;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	is_u64((uint64_t)-add_path(catalog, &root, "a"), EMFILE, "where no file can be opened");
	sysroot_path(&root, want, "%s", "a: Too many open files");
	is_str(error.text, want, "a folder is refused with the reason");
	is_u64((uint64_t)-add_path(catalog, &root, "a/x.json"), EMFILE, "and a file");
	sysroot_path(&root, want, "%s", "a/x.json: Too many open files");
	is_str(error.text, want, "with the same");
	setrlimit(RLIMIT_NOFILE, &limit);
	is_u64((uint64_t)-add_path(catalog, &root, "a"), 0, "later they are read");
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

static void check_large(void)
{
	struct gpmu_catalog *catalog = empty();
	struct catalog_load load;
	char path[SYSROOT_PATH];
	struct sysroot root;
	int ret;

	sysroot_init(&root);
	sysroot_put(&root, "x.json", "[]");
	sysroot_path(&root, path, "%s", "x.json");
	ok(!truncate(path, 100000000), "100 MB");
	is_u64((uint64_t)-add_path(catalog, &root, ""), EFBIG, "are refused");
	ok(strstr(error.text, "x.json: expected at most 64 MiB of JSON in a file and 256 MiB"),
	   "with the limit");
	ok(!truncate(path, CATALOG_MAX_FILE), "64 MiB");
	is_u64((uint64_t)-add_path(catalog, &root, ""), EINVAL, "are read");
	sysroot_put(&root, "x.json", " []");
	ret = catalog_load_init(&load, catalog, NULL);
	load.bytes = CATALOG_MAX_LOAD - 4;
	if (!ret)
		ret = catalog_add_path(&load, path);
	is_u64((uint64_t)-ret, 0, "256 MiB in all but for a byte");
	is_u64((uint64_t)-catalog_add_path(&load, path), EFBIG, "are full");
	load.bytes = CATALOG_MAX_LOAD - 4;
	is_u64((uint64_t)-catalog_add_path(&load, "/proc/version"), EFBIG,
	       "so are they if more is read than a file was said to have");
	catalog_load_end(&load, catalog, -EFBIG);
	sysroot_release(&root);
	gpmu_catalog_free(catalog);
}

static void check_list(void)
{
	char paths[4 * SYSROOT_PATH], path[SYSROOT_PATH];
	struct gpmu_catalog *catalog;
	struct sysroot root;

	sysroot_init(&root);
	sysroot_path(&root, path, "%s", "a.json");
	sysroot_put(&root, "a.json", EVENT("e", "1"));
	sysroot_put(&root, "b/b.json", EVENT("e", "2"));
	snprintf(paths, sizeof(paths), ":%s/b:%s::", root.path, path);
	catalog = gpmu_catalog_new(paths, NULL);
	is_text(catalog ? terms_of(catalog, "e") : NULL, "event=1", "the last of a list prevails");
	ok(catalog && gpmu_catalog_find_metric(catalog, "GraceScfFreq", NULL),
	   "beside what is built in");
	gpmu_catalog_free(catalog);
	snprintf(paths, sizeof(paths), "%s:%s/none", path, root.path);
	errno = 0;
	catalog = gpmu_catalog_new(paths, &error);
	ok(!catalog && errno == ENOENT, "a list with what is not there is refused");
	snprintf(paths, sizeof(paths), "%s/none: No such file or directory", root.path);
	is_str(error.text, paths, "with its path");
	gpmu_catalog_free(catalog);
	sysroot_release(&root);
}

/* Relative paths; our own files as others than those that are built in */
static void check_relative(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	size_t metrics = count_metrics(catalog), events = count_events(catalog);
	const struct gpmu_metric *metric;

	is_u64((uint64_t)-gpmu_catalog_add(catalog, "pmu-events/arch/", &error), 0,
	       "a relative path");
	metric = gpmu_catalog_find_metric(catalog, "fp_ops_per_second", NULL);
	is_str(gpmu_metric_file(metric), "pmu-events/arch/arm64/arm/neoverse-n2-v2/grace.json",
	       "stays one");
	is_str(gpmu_metric_cpu(metric), "arm64/arm/neoverse-n2-v2", "and leads to a place");
	is_u64(count_metrics(catalog), metrics, "our own metrics take their own place");
	is_u64(count_events(catalog), events, "our own events too");
	gpmu_catalog_free(catalog);
}

int main(void)
{
	size_t open_files = count_open();

	check_folder();
	check_links();
	check_odd();
	check_limit();
	check_large();
	check_list();
	check_relative();
	is_u64(count_open(), open_files, "no file is left open, refused or taken");
	return done_testing();
}
