// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <dirent.h>
#include <fnmatch.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "machine_file.h"
#include "message.h"
#include "output/output.h"
#include "output/unfinished.h"

#define MAX_TEXT	(4u << 20)	/* bytes of a file; proc/cpuinfo has 2 KiB for each CPU */

/* --- save --- */

static const char *const patterns[] = {
	"sys/bus/event_source/devices/*/*",
	"sys/bus/event_source/devices/*/caps/*",
	"sys/bus/event_source/devices/*/events/*",
	"sys/bus/event_source/devices/*/format/*",
	"sys/devices/system/cpu/cpu*/regs/identification/midr_el1",
	"sys/devices/system/cpu/cpu*/topology/*_id",
	"sys/devices/system/cpu/cpu*/topology/*_list",
	"sys/devices/system/cpu/online",
	"sys/devices/system/cpu/possible",
	"sys/devices/system/cpu/present",
	"sys/devices/system/cpu/smt/active",
	"sys/devices/system/node/node*/cpulist",
	"sys/module/*cspmu*/version",
	"sys/module/nvidia/version",
	"proc/cpuinfo",
	"proc/sys/kernel/nmi_watchdog",
	"proc/sys/kernel/osrelease",
	"proc/sys/kernel/perf_event_paranoid",
	"proc/sys/kernel/version",
};

/* Files in the folder of a PCI device */
static const char *const pci_files[] = { "class", "numa_node" };

/* Folders of a PCI device with an entry for each name that its driver gives it */
static const char *const pci_names[] = { "net", "nvme", "infiniband", "drm" };

/* Files that cannot be read are left out, unless the process lacks memory or file descriptors. */
static void need_readable(const char *path, int error)
{
	if (error == ENOMEM || error == EMFILE || error == ENFILE)
		die("%s: %s", path, strerror(error));
}

/* Folders, files that are missing, and files that are no text are left out. */
static void save_file(const struct gpmu_machine *machine, const char *path, json_t *files)
{
	char *text = need_memory(malloc(MAX_TEXT));
	int length = gpmu_machine_read(machine, path, text, MAX_TEXT);

	if (length == -EFBIG)
		warn("%s: left out: expected at most %u bytes", path, MAX_TEXT - 1);
	else if (length == -EACCES)
		warn("%s: left out: %s", path, strerror(-length));
	need_readable(path, -length);
	if (length >= 0 && !memchr(text, '\0', (size_t)length))
		json_object_set_new(files, path, json_string(text));
	free(text);
}

/* Only the name of the file is used. */
static void save_name(const struct gpmu_machine *machine, const char *path, json_t *files)
{
	(void)machine;
	json_object_set_new(files, path, json_string(""));
}

typedef void save_function(const struct gpmu_machine *machine, const char *path, json_t *files);

/*
 * Saves the files in @folder, below the root, that match a pattern. glob(3) is not used: without memory it leaves out
 * folders, or frees memory twice (glibc 2.36).
 */
static void save_matches(const struct gpmu_machine *machine, const char *folder, const char *pattern,
			 save_function *save, json_t *files)
{
	const char *rest = strchr(pattern, '/');
	char *part = need_memory(rest ? strndup(pattern, (size_t)(rest - pattern)) : strdup(pattern));
	char *full = print_text("%s/%s", gpmu_machine_root(machine), folder);
	struct dirent **entries = NULL;
	int count = scandir(full, &entries, NULL, alphasort);

	if (count < 0)
		need_readable(full, errno);
	for (int i = 0; i < count; i++) {
		if (!fnmatch(part, entries[i]->d_name, FNM_PERIOD)) {
			char *path = print_text("%s%s%s", folder, *folder ? "/" : "", entries[i]->d_name);

			if (rest)
				save_matches(machine, path, rest + 1, save, files);
			else
				save(machine, path, files);
			free(path);
		}
		free(entries[i]);
	}
	free(entries);
	free(full);
	free(part);
}

/* The target of a link below the root, which the caller frees; NULL: it is none */
static char *read_link(const struct gpmu_machine *machine, const char *path)
{
	char *full = print_text("%s/%s", gpmu_machine_root(machine), path);
	char *target = need_memory(calloc(1, PATH_MAX));
	ssize_t length = readlink(full, target, PATH_MAX - 1);

	free(full);
	if (length > 0)
		return target;
	free(target);
	return NULL;
}

/* @path: sys/bus/pci/devices/ADDRESS, a link to ../../../devices/... */
static void save_pci(const struct gpmu_machine *machine, const char *path, json_t *files, json_t *links)
{
	static const char up[] = "../../../";
	char *target = read_link(machine, path), *folder, *name, *driver;

	if (!target || strncmp(target, up, sizeof(up) - 1)) {
		free(target);
		return;
	}
	json_object_set_new(links, path, json_string(target));
	folder = print_text("sys/%s", target + sizeof(up) - 1);
	for (size_t i = 0; i < ARRAY_SIZE(pci_files); i++) {
		name = print_text("%s/%s", folder, pci_files[i]);
		save_file(machine, name, files);
		free(name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(pci_names); i++) {
		name = print_text("%s/%s", folder, pci_names[i]);
		save_matches(machine, name, "*", save_name, files);
		free(name);
	}
	name = print_text("%s/driver", folder);
	driver = read_link(machine, name);
	if (driver)
		json_object_set_new(links, name, json_string(driver));
	free(driver);
	free(name);
	free(folder);
	free(target);
}

static void save_pcis(const struct gpmu_machine *machine, json_t *files, json_t *links)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; (pci = gpmu_machine_pci(machine, i)); i++) {
		char *path = print_text("sys/bus/pci/devices/%s", gpmu_pci_address(pci));

		save_pci(machine, path, files, links);
		free(path);
	}
}

void machine_file_save(const struct gpmu_machine *machine, const char *path)
{
	json_t *files = json_object(), *links = json_object(), *all;
	struct output output;
	int ret;

	for (size_t i = 0; i < ARRAY_SIZE(patterns); i++)
		save_matches(machine, "", patterns[i], save_file, files);
	save_pcis(machine, files, links);
	all = json_pack("{s:i, s:s, s:o, s:o}", "gpmu_machine", 1, "gpmu", GPMU_VERSION, "files", files,
			"links", links);
	ret = output_open(&output, path, OUTPUT_REPLACE, stdout);
	if (!ret) {
		json_dumpf(all, output.file, JSON_INDENT(1));
		putc('\n', output.file);
		ret = output_close(&output);
	}
	json_decref(all);
	if (ret)
		die("--save %s: %s", path, output_error(-ret));
}

/* --- open --- */

static char *root;	/* removed at the end; or NULL */

/* Removes a folder. readdir(3) and nftw(3) may not be called by the handler of a signal. */
static void remove_folder(int parent, const char *name)
{
	union {
		struct dirent64 entry;
		char bytes[2048];
	} some;
	int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return;
	while ((length = getdents64(fd, &some, sizeof(some))) > 0)
		for (ssize_t offset = 0; offset < length;) {
			const struct dirent64 *entry = (const struct dirent64 *)(some.bytes + offset);

			offset += entry->d_reclen;
			if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
				continue;
			if (unlinkat(fd, entry->d_name, 0))
				remove_folder(fd, entry->d_name);
		}
	close(fd);
	unlinkat(parent, name, AT_REMOVEDIR);
}

static void remove_root(void)
{
	remove_folder(AT_FDCWD, root);
}

static void make_root(void)
{
	const char *folder = secure_getenv("TMPDIR");

	root = print_text("%s/gpmu-machine-XXXXXX", folder && *folder ? folder : "/tmp");
	if (!mkdtemp(root))
		die("%s: %s; TMPDIR can name another folder", root, strerror(errno));
	unfinished_remove_by(remove_root);
}

/* Returns whether the path, which is not trusted, stays below the root. */
static bool is_safe(const char *path)
{
	if (strncmp(path, "sys/", 4) && strncmp(path, "proc/", 5))
		return false;
	for (; path; path = strchr(path, '/')) {
		path += *path == '/';
		if (!*path || *path == '/' || (*path == '.' && strspn(path, ".") ==
					       strcspn(path, "/")))
			return false;
	}
	return true;
}

/* Makes the folders of a path below the root. A link in it is an error. */
static int make_folders(char *path)
{
	struct stat status;
	int ret;

	for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		ret = mkdir(path, 0700) && errno != EEXIST ? -errno : 0;
		if (!ret && (lstat(path, &status) || !S_ISDIR(status.st_mode)))
			ret = -ENOTDIR;
		*slash = '/';
		if (ret)
			return ret;
	}
	return 0;
}

/* Returns whether a link at @path to @target, which is not trusted, stays below the root. */
static bool is_safe_link(const char *path, const char *target)
{
	char *full;
	bool is_path_safe;

	for (path = strchr(path, '/'); path && !strncmp(target, "../", 3); target += 3)
		path = strchr(path + 1, '/');
	/* The rest, after each ".." up to sys or proc */
	full = print_text("sys/%s", target);
	is_path_safe = path && is_safe(full);
	free(full);
	return is_path_safe;
}

static int write_link(char *path, const char *target)
{
	int ret = make_folders(path);

	return ret ? ret : symlink(target, path) ? -errno : 0;
}

static int write_file(char *path, const char *text)
{
	FILE *file;
	int ret = make_folders(path);

	if (ret)
		return ret;
	file = fopen(path, "wxe");
	if (!file)
		return -errno;
	fprintf(file, "%s\n", text);
	return fclose(file) ? -errno : 0;
}

static void write_all(const char *path, json_t *entries, bool is_link)
{
	const char *name, *text;
	json_t *entry;

	json_object_foreach(entries, name, entry) {
		char *full = print_text("%s/%s", root, name);
		int ret = -EINVAL;

		text = json_string_value(entry);
		if (text && is_safe(name) && (!is_link || is_safe_link(name, text)))
			ret = is_link ? write_link(full, text) : write_file(full, text);
		free(full);
		if (ret)
			die("--machine %s: %s: %s", path, name, strerror(-ret));
	}
}

const char *machine_file_root(const char *path)
{
	json_error_t error;
	json_t *all = json_load_file(path, JSON_REJECT_DUPLICATES, &error), *files;

	if (!all && error.line < 0)
		die("--machine %s: %s", path, strerror(errno));
	if (!all)
		die("--machine %s: line %d: %s", path, error.line, error.text);
	files = json_object_get(all, "files");
	if (json_integer_value(json_object_get(all, "gpmu_machine")) != 1 || !json_is_object(files))
		die("--machine %s: expected a file of gpmu doctor --save", path);
	make_root();
	write_all(path, files, false);
	write_all(path, json_object_get(all, "links"), true);
	json_decref(all);
	return root;
}
