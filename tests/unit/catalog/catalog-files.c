// SPDX-License-Identifier: LGPL-2.1-or-later
/* Which files a path stands for, and which files are refused */
#include <dirent.h>
#include <errno.h>
#include <sys/resource.h>

#include "catalog-test.h"
#include "sysroot.h"

#define EVENT(name, code) "[{\"EventName\": \"" name "\", \"EventCode\": \"" code "\"}]"

static struct gpmu_error error = { .size = sizeof(error) };

/* gpmu_catalog_add() of the path @name in the root; "" is the root itself */
static int add_path(struct gpmu_catalog *catalog, const struct sysroot *root, const char *name)
{
	char path[SYSROOT_PATH];

	sysroot_path(root, path, "%s", name);
	error.text[0] = 0;
	return gpmu_catalog_add(catalog, path, &error);
}

static const char *terms_of(const struct gpmu_catalog *catalog, const char *name)
{
	const struct gpmu_event_def *event = catalog_find_event(catalog, NULL, name, NULL);

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
	is_u64((uint64_t)-add_path(catalog, &root, ""), 0,
	       "catalog: a folder with subfolders is loaded");
	is_text(terms_of(catalog, "e"), "event=2",
		"catalog: the last file by name takes precedence");
	is_text(terms_of(catalog, "f"), "event=4",
		"catalog: files at the top of a folder are read");
	is_text(gpmu_catalog_warning(catalog, 0), NULL,
		"catalog: hidden files and files without .json are ignored");
	sysroot_path(&root, want, "%s", "b/d.json/f.json");
	is_str(gpmu_event_def_file(catalog_find_event(catalog, NULL, "e", NULL)), want,
	       "catalog: an event's file is its path");
	is_u64((uint64_t)-add_path(catalog, &root, "b/a.json"), 0,
	       "catalog: a path can be a single file");
	is_text(terms_of(catalog, "e"), "event=3",
		"catalog: a single file replaces an earlier event");
	sysroot_put(&root, "events", EVENT("e", "5"));
	add_path(catalog, &root, "events");
	is_text(terms_of(catalog, "e"), "event=5", "catalog: a single file needs no .json suffix");
	sysroot_put(&root, "b/d.json/g.json", "[}");
	is_u64((uint64_t)-add_path(catalog, &root, "b/"), EINVAL,
	       "catalog: a folder with a malformed file is refused");
	sysroot_path(&root, want, "%s", "b/d.json/g.json:1: expected an object");
	is_str(error.text, want, "catalog: the error names the malformed file in a folder");
	is_text(terms_of(catalog, "e"), "event=5",
		"catalog: no event of a refused folder is added");
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
	is_u64((uint64_t)-add_path(catalog, &root, "here"), 0,
	       "catalog: a link to a folder is followed");
	is_text(gpmu_event_def_cpu(gpmu_catalog_event(catalog, 0)), "arm64/a/cpu",
		"catalog: the target of a link determines the CPU");
	is_u64((uint64_t)-add_path(catalog, &root, "files"), 0,
	       "catalog: a folder with a link to a file is loaded");
	is_u64(count_events(catalog), 2, "catalog: the link's own path determines the CPU");
	is_u64((uint64_t)-add_path(catalog, &root, "loops"), 0,
	       "catalog: circular links are not an error");
	sysroot_path(&root, want, "%s", "loops/again: a link to a folder: left out");
	is_text(gpmu_catalog_warning(catalog, 0), want,
		"catalog: a circular link is skipped with a warning");
	ok(gpmu_catalog_warning(catalog, 1), "catalog: each of two circular links has a warning");
	sysroot_path(&root, want, "%s", "loops: no *.json in it");
	is_text(gpmu_catalog_warning(catalog, 2), want,
		"catalog: a folder without *.json has a warning");
	is_u64((uint64_t)-add_path(catalog, &root, "bad"), ENOENT,
	       "catalog: a dangling *.json link is refused");
	sysroot_path(&root, want, "%s", "bad/x.json: No such file or directory");
	is_str(error.text, want, "catalog: the error names the dangling link");
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
	ok(!mkfifo(path, 0600), "catalog: a FIFO named x.json is made");
	is_u64((uint64_t)-add_path(catalog, &root, "a"), 0,
	       "catalog: a folder with a FIFO is loaded without blocking");
	ok(gpmu_catalog_warning(catalog, 0) && strstr(gpmu_catalog_warning(catalog, 0),
	   "a/x.json: neither a file nor a folder: left out"),
	   "catalog: a FIFO in a folder is skipped with a warning");
	is_u64((uint64_t)-add_path(catalog, &root, "a/x.json"), EINVAL,
	       "catalog: a FIFO given as path is refused");
	ok(strstr(error.text, "a/x.json: expected a file or a folder"),
	   "catalog: the error for a FIFO states what was expected");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "/dev/zero", &error), EINVAL,
	       "catalog: a device file is refused");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "/proc/version", &error), EINVAL,
	       "catalog: a file of /proc, whose size is 0, is refused for its content");
	is_str(error.text, "/proc/version:1: expected [ and objects in it",
	       "catalog: a file of /proc is read");
	is_u64((uint64_t)-add_path(catalog, &root, "a/y.json/z"), ENOTDIR,
	       "catalog: a path below a file is refused");
	is_u64((uint64_t)-gpmu_catalog_add(catalog, "", &error), ENOENT,
	       "catalog: an empty path is refused");
	sysroot_put(&root, "d/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/x.json", EVENT("deep", "1"));
	is_u64((uint64_t)-add_path(catalog, &root, "d"), 0,
	       "catalog: a folder of 16 levels is loaded");
	ok(terms_of(catalog, "deep"), "catalog: the 16th level of folders is searched");
	sysroot_put(&root, "d/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17/x.json", "[]");
	is_u64((uint64_t)-add_path(catalog, &root, "d"), EINVAL,
	       "catalog: a folder of 17 levels is refused");
	ok(strstr(error.text, ": expected at most 16 nested folders"),
	   "catalog: the error for 17 levels has the limit");
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
	is_u64((uint64_t)-add_path(catalog, &root, "a"), EMFILE,
	       "catalog: a folder is EMFILE if no file can be opened");
	sysroot_path(&root, want, "%s", "a: Too many open files");
	is_str(error.text, want, "catalog: the error for a folder has its path and the reason");
	is_u64((uint64_t)-add_path(catalog, &root, "a/x.json"), EMFILE,
	       "catalog: a file is EMFILE if no file can be opened");
	sysroot_path(&root, want, "%s", "a/x.json: Too many open files");
	is_str(error.text, want, "catalog: the error for a file has its path and the reason");
	setrlimit(RLIMIT_NOFILE, &limit);
	is_u64((uint64_t)-add_path(catalog, &root, "a"), 0,
	       "catalog: a folder is loaded once files can be opened again");
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
	ok(!truncate(path, 100000000), "catalog: a file is extended to 100 MB");
	is_u64((uint64_t)-add_path(catalog, &root, ""), EFBIG,
	       "catalog: a file of 100 MB is refused");
	ok(strstr(error.text, "x.json: expected at most 64 MiB of JSON in a file and 256 MiB"),
	   "catalog: the error for a large file has the limits");
	ok(!truncate(path, CATALOG_MAX_FILE), "catalog: a file is extended to 64 MiB");
	is_u64((uint64_t)-add_path(catalog, &root, ""), EINVAL,
	       "catalog: a file of 64 MiB is parsed");
	sysroot_put(&root, "x.json", " []");
	ret = catalog_load_init(&load, catalog, NULL);
	load.bytes = CATALOG_MAX_LOAD - 4;
	if (!ret)
		ret = catalog_add_path(&load, path);
	is_u64((uint64_t)-ret, 0,
	       "catalog: a file is loaded when 256 MiB less 4 bytes are loaded already");
	is_u64((uint64_t)-catalog_add_path(&load, path), EFBIG,
	       "catalog: a file is refused when 256 MiB are loaded already");
	load.bytes = CATALOG_MAX_LOAD - 4;
	is_u64((uint64_t)-catalog_add_path(&load, "/proc/version"), EFBIG,
	       "catalog: a file that has more bytes than its size is refused at the limit");
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
	is_text(catalog ? terms_of(catalog, "e") : NULL, "event=1",
		"catalog: the last path of a list takes precedence");
	ok(catalog && gpmu_catalog_find_metric(catalog, "GraceScfFreq", NULL),
	   "catalog: a path list is loaded beside the built-in files");
	gpmu_catalog_free(catalog);
	snprintf(paths, sizeof(paths), "%s:%s/none", path, root.path);
	errno = 0;
	catalog = gpmu_catalog_new(paths, &error);
	ok(!catalog && errno == ENOENT, "catalog: a list with an absent path is refused");
	snprintf(paths, sizeof(paths), "%s/none: No such file or directory", root.path);
	is_str(error.text, paths, "catalog: the error for a list names the absent path");
	gpmu_catalog_free(catalog);
	sysroot_release(&root);
}

/*
 * A relative path. The built-in files come from the same folder, and are different files to the
 * catalog.
 */
static void check_relative(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	size_t metrics = count_metrics(catalog), events = count_events(catalog);
	const struct gpmu_metric *metric;

	is_u64((uint64_t)-gpmu_catalog_add(catalog, "pmu-events/arch/", &error), 0,
	       "catalog: a relative path is loaded");
	metric = gpmu_catalog_find_metric(catalog, "fp_ops_per_second", NULL);
	is_str(gpmu_metric_file(metric), "pmu-events/arch/arm64/arm/neoverse-n2-v2/grace.json",
	       "catalog: the file name of a relative path stays relative");
	is_str(gpmu_metric_cpu(metric), "arm64/arm/neoverse-n2-v2",
	       "catalog: a relative path determines the CPU");
	is_u64(count_metrics(catalog), metrics,
	       "catalog: metrics equal to built-in ones replace them");
	is_u64(count_events(catalog), events,
	       "catalog: events equal to built-in ones replace them");
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
	is_u64(count_open(), open_files, "catalog: no file is left open after all loads");
	return done_testing();
}
