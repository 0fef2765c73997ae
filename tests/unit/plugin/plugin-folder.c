// SPDX-License-Identifier: LGPL-2.1-or-later
/* The folder of plugins, relative to the file of libgpmu */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "plugin/plugin_folder.h"
#include "tap.h"

static void is_folder(const char *file, const char *relative, const char *want, const char *what)
{
	char folder[PATH_MAX] = "";

	ok(plugin_folder_of(file, relative, folder, sizeof(folder)), "%s: the path is made", what);
	is_str(folder, want, what);
}

static void folders(void)
{
	char folder[16];

	is_folder("/opt/gpmu/lib/libgpmu.so.0", "", "/opt/gpmu/lib/gpmu",
		  "plugin folder: of a library it is beside the library");
	is_folder("/usr/bin/gpmu", "../lib", "/usr/lib/gpmu",
		  "plugin folder: of a program it is in the library folder of the prefix");
	is_folder("/usr/bin/gpmu", "../lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu/gpmu",
		  "plugin folder: of a program it can be in a multiarch folder");
	is_folder("/a/tools/bin/gpmu", "../../lib64", "/a/lib64/gpmu",
		  "plugin folder: the program can be several folders below the prefix");
	is_folder("/a/bin/gpmu", "lib", "/a/bin/lib/gpmu",
		  "plugin folder: the libraries can be below the folder of the program");
	is_folder("/gpmu", "", "/gpmu", "plugin folder: the library can be in the root folder");
	is_folder("/gpmu", "../lib", "/lib/gpmu",
		  "plugin folder: the folder before the root folder is the root folder");
	is_folder("/usr/bin/gpmu (deleted)", "../lib", "/usr/lib/gpmu",
		  "plugin folder: of a program that was replaced it is as before");
	ok(!plugin_folder_of("/usr/bin/gpmu", "../lib", folder, strlen("/usr/lib/gpmu")),
	   "plugin folder: a path that is too long is refused");
	ok(plugin_folder_of("/usr/bin/gpmu", "../lib", folder, sizeof(folder)),
	   "plugin folder: a path that fits is accepted");
}

static void own(void)
{
	char file[PATH_MAX] = "", want[PATH_MAX], folder[PATH_MAX];

	if (readlink("/proc/self/exe", file, sizeof(file) - 1) < 0)
		diag("/proc/self/exe");
	plugin_folder_of(file, GPMU_LIBDIR_FROM_BINDIR, want, sizeof(want));
	ok(!chdir("/") && plugin_folder(folder, sizeof(folder)),
	   "plugin folder: a program finds its own file from any folder");
	is_str(folder, want, "plugin folder: libgpmu in a program is found by the program's file");
	ok(!plugin_folder(folder, 4) && !*folder,
	   "plugin folder: without room for the path there is no folder");
}

int main(void)
{
	folders();
	own();
	return done_testing();
}
