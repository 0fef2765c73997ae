// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Loading a plugin: where it is looked for, what is refused, how long it lives.
 * FAKE is the path of source-fake.c, built: .../gpmu-fake.so.
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
#include "plugin/source_object.h"
#include "tap.h"

#define REMEDY	"; GPMU_PLUGINS can name its folder"

static struct fake_state state;
static struct gpmu_error error;
static char folder[512];	/* that FAKE is in */
static char exe[512];

/* NAME=ADDRESS of the state */
static const char *spec(const char *name)
{
	static char text[1024];

	snprintf(text, sizeof(text), "%s=%p", name, (void *)&state);
	return text;
}

static struct gpmu_source *load(const char *text)
{
	memset(&error, 0, sizeof(error));
	memset(&state, 0, sizeof(state));
	errno = 0;
	return gpmu_source_new(text, &error);
}

static void opens(const char *text, const char *what)
{
	struct gpmu_source *source = load(text);

	if (ok(source != NULL && state.opens == 1, "%s", what))
		is_str(gpmu_source_name(source), "fake", "its name");
	else
		diag("%s", error.text);
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 1, "it is closed");
}

static void refused(const char *text, int number, const char *message, const char *what)
{
	struct gpmu_source *source = load(text);

	ok(!source && errno == number, "%s", what);
	ok(strstr(error.text, message) != NULL, "... the message: %s", message);
	if (!strstr(error.text, message))
		diag("%s", error.text);
	gpmu_source_put(source);
}

static void places(void)
{
	char list[1200], text[600];

	opens(spec(FAKE), "a plugin is opened by its path");
	unsetenv("GPMU_PLUGINS");
	refused("fake", ENOENT, "no gpmu-fake.so in " GPMU_PLUGIN_DIR,
		"a name is looked for in the folder that libgpmu is built with");
	is_u64(strlen(error.text), strlen("no gpmu-fake.so in " GPMU_PLUGIN_DIR REMEDY),
	       "with which it ends but for the remedy");
	setenv("GPMU_PLUGINS", folder, 1);
	opens(spec("fake"), "and in that of $GPMU_PLUGINS");
	snprintf(list, sizeof(list), "tests/unit:%s", folder);
	setenv("GPMU_PLUGINS", list, 1);
	opens(spec("fake"), "which may be several");
	setenv("GPMU_PLUGINS", "a:b", 1);
	refused("fake=x", ENOENT, "no gpmu-fake.so in a:b:" GPMU_PLUGIN_DIR,
		"one that is nowhere is an error that says where it was looked for");
	snprintf(list, sizeof(list), ":%s:", folder);
	setenv("GPMU_PLUGINS", list, 1);
	opens(spec("fake"), "empty entries are passed over");
	setenv("GPMU_PLUGINS", ":", 1);
	refused("fake", ENOENT, "no gpmu-fake.so", "they are not the current folder");
	snprintf(text, sizeof(text), "%s/gpmu-none.so=1", folder);
	refused(text, ENOENT, "gpmu-none.so: no such file", "a path where nothing is");
	snprintf(text, sizeof(text), "%s/", folder);
	refused(text, ENOENT, ": no such file", "a folder is no plugin");
	setenv("GPMU_PLUGINS", folder, 1);
}

static void texts(void)
{
	refused("", EINVAL, "expected NAME=OPTIONS", "no name");
	refused("=x", EINVAL, "expected NAME=OPTIONS", "options without a name");
	refused("a b=x", EINVAL, "found \"a b\"", "a name with a blank");
	refused("..", EINVAL, "found \"..\"", "a name that is a folder");
	errno = 0;
	ok(!gpmu_source_new("a b", NULL) && errno == EINVAL, "the error may be NULL");
	gpmu_source_put(NULL);
}

/* The path of a shared object that is no plugin */
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
	refused(path, EINVAL, "gpmu-text.so: ", "a file that is no shared object");
	setenv("GPMU_PLUGINS", root.path, 1);
	refused("empty", EINVAL, "gpmu-empty.so: ", "an empty file");
	snprintf(path, sizeof(path), "%s/gpmu-fifo.so", root.path);
	if (mkfifo(path, 0644))
		sysroot_bail(path);
	refused("fifo", ENOENT, "no gpmu-fifo.so in ", "a FIFO is not waited for");
	setenv("GPMU_PLUGINS", folder, 1);
	sysroot_release(&root);
	refused(libm(), EINVAL, ": is no plugin of libgpmu: it has no gpmu_source_plugin",
		"a shared object that is none");
}

static void tables(void)
{
	static const char *const needed[] = {
		"name", "open()", "close()", "pmu()", "group_open()", "group_close()", "enable()",
		"disable()", "group_read()",
	};
	char message[64], what[64];

	setenv("FAKE_TABLE", "abi", 1);
	refused(spec("fake"), EINVAL, "gpmu-fake.so: made for plugin ABI 2, this libgpmu has 1",
		"a plugin for another libgpmu");
	setenv("FAKE_TABLE", "short", 1);
	refused(spec("fake"), EINVAL, "its table has 87 bytes, expected at least 88",
		"a table that ends before what is needed");
	setenv("FAKE_TABLE", "empty", 1);
	refused(spec("fake"), EINVAL, "its table has 8 bytes", "one that is its size alone");
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		setenv("FAKE_TABLE", needed[i], 1);
		snprintf(message, sizeof(message), "its table has no %s", needed[i]);
		snprintf(what, sizeof(what), "one without %s", needed[i]);
		refused(spec("fake"), EINVAL, message, what);
	}
	setenv("FAKE_TABLE", "events", 1);
	refused(spec("fake"), EINVAL,
		"its table's event_size is 24, expected one from 32 to 4096, by 8",
		"one whose events end before config3");
	setenv("FAKE_TABLE", "counts", 1);
	refused(spec("fake"), EINVAL, "count_size is 33, expected one from 24",
		"one whose counts are no numbers");
	setenv("FAKE_TABLE", "huge", 1);
	refused(spec("fake"), EINVAL, "event_size is 1048576, ", "one with events of 1 MiB");
	setenv("FAKE_TABLE", "newer", 1);
	opens(spec("fake"), "a newer plugin's longer table is taken");
	setenv("FAKE_TABLE", "shorter", 1);
	opens(spec("fake"), "an older plugin's shorter one with all that is needed is too");
	setenv("FAKE_TABLE", "node()", 1);
	opens(spec("fake"), "and one without nodes");
	unsetenv("FAKE_TABLE");
}

static void opening(void)
{
	struct gpmu_source *source;
	char text[1024];

	snprintf(text, sizeof(text), "fake=%p,a=b=c", (void *)&state);
	source = load(text);
	ok(source && !strcmp(state.options, ",a=b=c"), "the plugin gets all behind the first =");
	gpmu_source_put(source);

	memset(&state, 0, sizeof(state));
	state.open = -EBUSY;
	source = gpmu_source_new(spec("fake"), &error);
	ok(!source && errno == EBUSY && !state.closes, "what the plugin does not open is an error");
	is_str(error.text, "fake: it does not open", "with its message");
	is_u64(error.offset, strlen("fake=") + 2, "at its place in the text");
	state.silent = true;
	source = gpmu_source_new(spec("fake"), &error);
	is_str(error.text, "fake: Device or resource busy; use fake=ADDRESS",
	       "one without a message gets one");
	ok(!source && errno == EBUSY, "... and the errno");
	setenv("FAKE_TABLE", "usage", 1);
	ok(!gpmu_source_new(spec("fake"), &error), "... and again");
	is_str(error.text, "fake: Device or resource busy; use fake=OPTIONS",
	       "also where the plugin has no text for its options");
	unsetenv("FAKE_TABLE");
	state.open = 1;
	source = gpmu_source_new(spec("fake"), &error);
	ok(!source && errno == EINVAL, "a number that is no error is one all the same");
	source = load("fake");
	ok(source != NULL, "there may be no options");
	gpmu_source_put(source);
}

#define THREADS	4

static void *get_and_put(void *source)
{
	for (int i = 0; i < 20000; i++) {
		gpmu_source_get(source);
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

	if (!ok(source != NULL, "a source"))
		return;
	ok(gpmu_source_get(source) == source, "a reference is the source");
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 0, "it lives as long as one is left");
	for (int i = 0; i < THREADS; i++) {
		gpmu_source_get(source);
		if (!pthread_create(&threads[i], NULL, get_and_put, source))
			started++;
	}
	is_u64((uint64_t)started, THREADS, "threads that share it");
	for (int i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	is_u64((uint64_t)state.closes, 0, "... leave it alone");
	gpmu_source_put(source);
	is_u64((uint64_t)state.closes, 1, "the last reference closes it, once");
}

#define SECURE		"in-secure-mode"
#define NOT_SECURE	77

/* Run with more rights than its user's: $GPMU_PLUGINS has the plugin, and is not looked at. */
static int secure_main(void)
{
	if (!getauxval(AT_SECURE))
		return NOT_SECURE;
	return load("fake") || errno != ENOENT ||
	       strcmp(error.text, "no gpmu-fake.so in " GPMU_PLUGIN_DIR REMEDY) != 0;
}

/* A copy of this program that is of another user and runs as that */
static void secure(void)
{
	const char *what = "a program with more rights than its user's does not look at $GPMU_PLUGINS";
	const char *copy[] = { "cp", "/proc/self/exe", NULL, NULL };
	const char *run[] = { NULL, SECURE, NULL };
	struct sysroot root;
	char path[128];
	int ret = NOT_SECURE;

	sysroot_init(&root);
	snprintf(path, sizeof(path), "%s/secure", root.path);
	/* /proc/self would be that of cp. */
	if (readlink(copy[1], exe, sizeof(exe) - 1) < 0)
		sysroot_bail(copy[1]);
	copy[1] = exe;
	copy[2] = path;
	run[0] = path;
	if (!sysroot_run("cp", copy) && !chown(path, 65534, (gid_t)-1) && !chmod(path, 04755))
		ret = sysroot_run(path, run);
	if (ret == NOT_SECURE)
		ok(true, "%s # SKIP needs root and a file system with setuid", what);
	else
		is_u64((uint64_t)ret, 0, what);
	sysroot_release(&root);
}

int main(int argc, char **argv)
{
	/* No leak check at the end: such a process may not trace itself. */
	if (argc == 2 && !strcmp(argv[1], SECURE))
		_exit(secure_main());
	snprintf(folder, sizeof(folder), "%s", FAKE);
	*strrchr(folder, '/') = '\0';
	places();
	texts();
	files();
	tables();
	opening();
	references();
	secure();
	return done_testing();
}
