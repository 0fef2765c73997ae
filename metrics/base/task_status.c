// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/proc.h"
#include "base/task_status.h"

#define INITIAL_PID_NAMESPACE	0xeffffffc	/* inode, PROC_PID_INIT_INO in the kernel's include/linux/proc_ns.h */

/* The value of a field; NULL: there is none */
static const char *value_of(const char *text, const char *field)
{
	const char *begin = strstr(text, field);

	return begin ? begin + strlen(field) : NULL;
}

int task_status_read(pid_t tid, struct task_status *status)
{
	/* The name has up to 64 characters with escapes, and the other fields follow it. */
	char text[512];
	ssize_t n = proc_read(tid, "status", text, sizeof(text));
	const char *pid, *state;

	if (n < 0)
		return (int)n;
	pid = value_of(text, "\nTgid:\t");
	state = value_of(text, "\nState:\t");
	if (strncmp(text, "Name:\t", 6) != 0 || !pid || !state)
		return -EINVAL;
	*status = (struct task_status){ .pid = (pid_t)strtol(pid, NULL, 10), .state = *state };
	n = (ssize_t)strcspn(text + 6, "\n");
	memcpy(status->comm, text + 6, (size_t)n < sizeof(status->comm) ? (size_t)n : sizeof(status->comm) - 1);
	return 0;
}

bool task_status_is_initial(void)
{
	struct stat status;

	return stat("/proc/self/ns/pid", &status) || status.st_ino == INITIAL_PID_NAMESPACE;
}
