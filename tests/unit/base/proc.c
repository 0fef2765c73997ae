// SPDX-License-Identifier: LGPL-2.1-or-later
/* Files of /proc/PID */
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/proc.h"
#include "tap.h"

#define NO_PROCESS	0x7fffffff

static void test_read(void)
{
	char text[32] = "before";

	prctl(PR_SET_NAME, "name of the test");
	is_u64((uint64_t)proc_read(getpid(), "comm", text, sizeof(text)), 16, "proc_read(): it returns the length of a file");
	is_str(text, "name of the tes\n", "proc_read(): the text of a file ends with a NUL");
	is_u64((uint64_t)proc_read(getpid(), "comm", text, 5), 4, "proc_read(): it reads one byte less than the buffer has");
	is_str(text, "name", "proc_read(): a text that is cut off ends with a NUL");
	ok(proc_read(NO_PROCESS, "comm", text, sizeof(text)) == -ENOENT && !*text,
	   "proc_read(): a process that does not exist returns -ENOENT and an empty text");
	ok(proc_read(getpid(), "task", text, sizeof(text)) == -EISDIR, "proc_read(): a failed read returns its error");
}

static void test_open(void)
{
	int fd = proc_open(getpid(), "stat");
	FILE *file = proc_lines(getpid(), "status");
	DIR *folder = proc_folder(getpid(), "task");
	char path[PROC_PATH_SIZE], line[64] = "";

	is_str(proc_path(path, 12, "comm"), "/proc/12/comm", "proc_path(): it returns the path of a process's file");
	ok(fd >= 0 && fcntl(fd, F_GETFD) == FD_CLOEXEC, "proc_open(): the file is closed by exec");
	ok(proc_open(NO_PROCESS, "stat") == -ENOENT, "proc_open(): a process that does not exist returns -ENOENT");
	ok(file && fgets(line, sizeof(line), file) && !strncmp(line, "Name:", 5), "proc_lines(): it reads the lines of a file");
	ok(file && fcntl(fileno(file), F_GETFD) == FD_CLOEXEC, "proc_lines(): the file is closed by exec");
	ok(!proc_lines(NO_PROCESS, "status") && errno == ENOENT, "proc_lines(): a process that does not exist sets errno to ENOENT");
	ok(folder && readdir(folder), "proc_folder(): it opens a folder");
	ok(!proc_folder(NO_PROCESS, "task") && errno == ENOENT, "proc_folder(): a process that does not exist sets errno to ENOENT");
	close(fd);
	fclose(file);
	closedir(folder);
}

int main(void)
{
	test_read();
	test_open();
	return done_testing();
}
