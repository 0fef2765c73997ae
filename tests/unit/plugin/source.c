// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loading a plugin: its search path, refused plugins, its lifetime. FAKE is the path of
 * source-fake.c, built: .../gpmu-fake.so.
 */
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sysroot.h"
#include "gpmu.h"
#include "source-fake.h"
#include "source-paths.h"
#include "plugin/plugin_folder.h"
#include "plugin/source_object.h"
#include "tap.h"

static struct fake_state state;
static struct gpmu_error error = { .size = sizeof(error) };
static char folder[512];	/* the folder of FAKE */
static char own_folder[512];	/* of plugins, by the place of this program */
static char exe[512];

/* Formats NAME=ADDRESS of the state. */
static const char *spec(const char *name)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s=%p", name, (void *)&state);
	return text;
}

static struct gpmu_source *load(const char *text)
{
	error = (struct gpmu_error){ .size = sizeof(error) };
	memset(&state, 0, sizeof(state));
	errno = 0;
	return gpmu_source_new(text, &error);
}

static void opens(const char *text, const char *what)
{
	struct gpmu_source *source = load(text);

	if (ok(source != NULL && state.opens == 1, "%s", what))
		is_str(gpmu_source_name(source), "fake", "source: an opened plugin has its name");
	else
		diag("%s", error.text);
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 1, "source: an opened plugin is closed once");
}

static void refused(const char *text, int number, const char *message, const char *what)
{
	struct gpmu_source *source = load(text);

	ok(!source && errno == number, "%s", what);
	ok(strstr(error.text, message) != NULL, "source: the error has \"%s\"", message);
	if (!strstr(error.text, message))
		diag("%s", error.text);
	gpmu_source_put(source);
}

/* The error for the absent plugin "fake"; @before: the folders of $GPMU_PLUGINS */
static const char *not_found(const char *before)
{
	static char text[640];

	snprintf(text, sizeof(text), "no gpmu-fake.so in %s%s; %s", before, own_folder,
		 getauxval(AT_SECURE) ? "a program with capabilities searches no other folder" :
					"GPMU_PLUGINS can name its folder");
	return text;
}

static void places(void)
{
	char list[1200], text[600];

	opens(spec(FAKE), "source path: a plugin is opened by its path");
	unsetenv("GPMU_PLUGINS");
	refused("fake", ENOENT, not_found(""),
		"source path: a name is searched for in libgpmu's plugin folder");
	is_u64(strlen(error.text), strlen(not_found("")),
	       "source path: the error has the folder and the remedy only");
	setenv("GPMU_PLUGINS", folder, 1);
	opens(spec("fake"), "source path: a name is searched for in $GPMU_PLUGINS");
	snprintf(list, sizeof(list), "tests/unit:%s", folder);
	setenv("GPMU_PLUGINS", list, 1);
	opens(spec("fake"), "source path: $GPMU_PLUGINS may have several folders");
	setenv("GPMU_PLUGINS", "a:b", 1);
	refused("fake=x", ENOENT, not_found("a:b:"),
		"source path: the error for a missing plugin lists the folders searched");
	snprintf(list, sizeof(list), ":%s:", folder);
	setenv("GPMU_PLUGINS", list, 1);
	opens(spec("fake"), "source path: empty entries of $GPMU_PLUGINS are skipped");
	setenv("GPMU_PLUGINS", ":", 1);
	refused("fake", ENOENT, "no gpmu-fake.so",
		"source path: empty entries of $GPMU_PLUGINS are not the current folder");
	snprintf(text, sizeof(text), "%s/gpmu-none.so=1", folder);
	refused(text, ENOENT, "gpmu-none.so: no such file",
		"source path: a path without a file is refused");
	snprintf(text, sizeof(text), "%s/", folder);
	refused(text, ENOENT, ": no such file", "source path: a folder is refused");
	setenv("GPMU_PLUGINS", folder, 1);
}

static void texts(void)
{
	refused("", EINVAL, "expected NAME=OPTIONS", "source text: an empty text is refused");
	refused("=x", EINVAL, "expected NAME=OPTIONS",
		"source text: options without a name are refused");
	refused("a b=x", EINVAL, "found \"a b\"", "source text: a name with a blank is refused");
	refused("..", EINVAL, "found \"..\"", "source text: a name that is a folder is refused");
	errno = 0;
	ok(!gpmu_source_new("a b", NULL) && errno == EINVAL,
	   "source text: the error structure may be NULL");
	gpmu_source_put(NULL);
}

/* Returns the path of a shared object that is no plugin. */
static const char *libm(void)
{
	static char path[512];
	struct link_map *map = NULL;
	void *library = dlopen("libm.so.6", RTLD_NOW);

	if (!library || dlinfo(library, RTLD_DI_LINKMAP, &map))
		sysroot_bail("libm.so.6");
	else
		snprintf(path, sizeof(path), "%s", map->l_name);
	if (library)
		dlclose(library);
	return path;
}

static void files(void)
{
	struct sysroot root;
	char path[600];

	sysroot_init(&root);
	sysroot_put(&root, "gpmu-text.so", "not a shared object");
	sysroot_put(&root, "gpmu-empty.so", "");
	snprintf(path, sizeof(path), "%s/gpmu-text.so", root.path);
	refused(path, EINVAL, "gpmu-text.so: ",
		"source file: a file that is no shared object is refused");
	setenv("GPMU_PLUGINS", root.path, 1);
	refused("empty", EINVAL, "gpmu-empty.so: ", "source file: an empty file is refused");
	snprintf(path, sizeof(path), "%s/gpmu-fifo.so", root.path);
	if (mkfifo(path, 0644))
		sysroot_bail(path);
	refused("fifo", ENOENT, "no gpmu-fifo.so in ",
		"source file: a FIFO is refused without waiting for it");
	setenv("GPMU_PLUGINS", folder, 1);
	sysroot_release(&root);
	refused(libm(), EINVAL, ": not a plugin of libgpmu: it has no gpmu_source_plugin",
		"source file: a shared object that is no plugin is refused");
}

static void tables(void)
{
	static const char *const needed[] = {
		"name", "open()", "close()", "pmu()", "group_open()", "group_close()", "enable()",
		"disable()", "group_read()",
	};
	char message[64], what[64];

	setenv("FAKE_TABLE", "abi", 1);
	refused(spec("fake"), EINVAL, "gpmu-fake.so: made for plugin ABI 3, this libgpmu has 2",
		"source table: a plugin for another ABI is refused");
	setenv("FAKE_TABLE", "short", 1);
	refused(spec("fake"), EINVAL, "its table has 87 bytes, expected at least 88",
		"source table: a table without the required members is refused");
	setenv("FAKE_TABLE", "empty", 1);
	refused(spec("fake"), EINVAL, "its table has 8 bytes",
		"source table: a table of its size alone is refused");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		setenv("FAKE_TABLE", needed[i], 1);
		snprintf(message, sizeof(message), "its table has no %s", needed[i]);
		snprintf(what, sizeof(what), "source table: one without %s is refused", needed[i]);
		refused(spec("fake"), EINVAL, message, what);
	}
	setenv("FAKE_TABLE", "events", 1);
	refused(spec("fake"), EINVAL,
		"its table's event_size is 24, expected one from 32 to 4096, by 8",
		"source table: events that end before config3 are refused");
	setenv("FAKE_TABLE", "counts", 1);
	refused(spec("fake"), EINVAL, "count_size is 33, expected one from 24",
		"source table: a size of counts that is no multiple of 8 is refused");
	setenv("FAKE_TABLE", "huge", 1);
	refused(spec("fake"), EINVAL, "event_size is 1048576, ",
		"source table: events of 1 MiB are refused");
	setenv("FAKE_TABLE", "newer", 1);
	opens(spec("fake"), "source table: a newer plugin's longer table is accepted");
	setenv("FAKE_TABLE", "shorter", 1);
	opens(spec("fake"), "source table: an older plugin's shorter table is accepted");
	setenv("FAKE_TABLE", "node()", 1);
	opens(spec("fake"), "source table: a table without node() is accepted");
	unsetenv("FAKE_TABLE");
}

static void opening(void)
{
	struct gpmu_source *source;
	char text[1024];

	snprintf(text, sizeof(text), "fake=%p,a=b=c", (void *)&state);
	source = load(text);
	ok(source && !strcmp(state.options, ",a=b=c"),
	   "source: the plugin gets all text after the first =");
	gpmu_source_put(source);

	memset(&state, 0, sizeof(state));
	state.open = -EBUSY;
	source = gpmu_source_new(spec("fake"), &error);
	ok(!source && errno == EBUSY && !state.closes,
	   "source: a failed open() of the plugin is an error");
	is_str(error.text, "fake: it does not open",
	       "source: a failed open() has the plugin's message");
	is_u64(error.offset, strlen("fake=") + 2,
	       "source: a failed open() has the offset in the whole text");
	state.is_silent = true;
	source = gpmu_source_new(spec("fake"), &error);
	is_str(error.text, "fake: Device or resource busy; use fake=ADDRESS",
	       "source: a failed open() without a message has the errno and the usage");
	ok(!source && errno == EBUSY,
	   "source: a failed open() without a message returns its errno");
	setenv("FAKE_TABLE", "usage", 1);
	ok(!gpmu_source_new(spec("fake"), &error),
	   "source: a failed open() of a plugin without usage is an error");
	is_str(error.text, "fake: Device or resource busy; use fake=OPTIONS",
	       "source: a failed open() of a plugin without usage names OPTIONS");
	unsetenv("FAKE_TABLE");
	state.open = 1;
	source = gpmu_source_new(spec("fake"), &error);
	ok(!source && errno == EINVAL, "source: a positive result of open() is EINVAL");
	source = load("fake");
	ok(source != NULL, "source: options may be absent");
	gpmu_source_put(source);
}

#define THREADS	4

static void *get_and_put(void *source)
{
	for (int i = 0; i < 20000; i++) {
		source_get(source);
		gpmu_source_put(source);
	}
	gpmu_source_put(source);
	return NULL;
}

static void references(void)
{
	struct gpmu_source *source = load(spec("fake"));
	pthread_t threads[THREADS];
	int started = 0;

	if (!ok(source != NULL, "source: the plugin is opened for references"))
		return;
	ok(source_get(source) == source, "source: get() returns the source itself");
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 0, "source: a source stays open while a reference is left");
	for (int i = 0; i < THREADS; i++) {
		source_get(source);
		if (!pthread_create(&threads[i], NULL, get_and_put, source))
			started++;
	}
	is_u64((uint64_t)started, THREADS, "source: four threads share a source");
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	is_u64((uint64_t)state.closes, 0,
	       "source: threads that get and put references do not close the source");
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 1, "source: the last put() closes the source once");
}

#define SECURE		"in-secure-mode"
#define NOT_SECURE	77

/* Run with more privileges than its user's: $GPMU_PLUGINS has the plugin, and is ignored. */
static int secure_main(void)
{
	if (!getauxval(AT_SECURE))
		return NOT_SECURE;
	return load("fake") || errno != ENOENT ||
	       !plugin_folder(own_folder, sizeof(own_folder)) ||
	       strcmp(error.text, not_found("")) != 0;
}

/* Runs a copy of this program that belongs to another user, as that user. */
static void secure(void)
{
	const char *what = "source path: a setuid program ignores $GPMU_PLUGINS";
	const char *copy[] = { "cp", "/proc/self/exe", NULL, NULL };
	const char *run[] = { NULL, SECURE, NULL };
	struct sysroot root;
	char path[128];
	int ret = NOT_SECURE;

	sysroot_init(&root);
	snprintf(path, sizeof(path), "%s/secure", root.path);
	/* In cp, /proc/self would be that of cp. */
	if (readlink(copy[1], exe, sizeof(exe) - 1) < 0)
		sysroot_bail(copy[1]);
	copy[1] = exe;
	copy[2] = path;
	run[0] = path;
	if (!sysroot_run("cp", copy) && !chown(path, 65534, (gid_t)-1) && !chmod(path, 04755))
		ret = sysroot_run(path, run);
	if (ret == NOT_SECURE)
		ok(true, "source path: a setuid program ignores $GPMU_PLUGINS # SKIP needs root and setuid files");
	else
		is_u64((uint64_t)ret, 0, what);
	sysroot_release(&root);
}

int main(int argc, char **argv)
{
	/* No leak check at the end: a setuid process may not trace itself. */
	if (argc == 2 && !strcmp(argv[1], SECURE))
		_exit(secure_main());
	snprintf(folder, sizeof(folder), "%s", FAKE);
	*strrchr(folder, '/') = '\0';
	if (!plugin_folder(own_folder, sizeof(own_folder)))
		sysroot_bail("/proc/self/maps");
	places();
	texts();
	files();
	tables();
	opening();
	references();
	secure();
	return done_testing();
}
