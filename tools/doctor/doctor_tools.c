// SPDX-License-Identifier: LGPL-2.1-or-later
/* doctor: perf, and names of packages and commands by distribution */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "doctor/doctor.h"

/* --- distributions --- */

/* Commands by the words of ID and ID_LIKE in os-release(5); the last entry is for other distributions. */
static const struct distribution {
	const char *names[5];
	const char *perf;
	const char *initramfs;	/* rebuilds it */
} distributions[] = {
	{ .names = { "ubuntu" }, .perf = "sudo apt install linux-tools-$(uname -r)",
	  .initramfs = "update-initramfs -u" },
	{ .names = { "debian" }, .perf = "sudo apt install linux-perf", .initramfs = "update-initramfs -u" },
	{ .names = { "rhel", "centos", "fedora" }, .perf = "sudo dnf install perf", .initramfs = "dracut -f" },
	{ .names = { "suse", "sles", "opensuse" }, .perf = "sudo zypper install perf", .initramfs = "dracut -f" },
	{ .names = { NULL }, .perf = "install the package perf, linux-perf or linux-tools",
	  .initramfs = "update-initramfs -u (or dracut -f)" },
};

#define OTHER	(&distributions[ARRAY_SIZE(distributions) - 1])

static const struct distribution *find_distribution(const char *name)
{
	const struct distribution *distribution;

	for (distribution = distributions; distribution < OTHER; distribution++)
		for (size_t i = 0; distribution->names[i]; i++)
			if (!strcmp(distribution->names[i], name))
				return distribution;
	return OTHER;
}

/* The distribution of the first known word in the line KEY=word or KEY="word word" */
static const struct distribution *find_in_line(const char *text, const char *key)
{
	const struct distribution *found = OTHER;
	char line[128], *word, *rest = NULL;
	size_t length = strlen(key);

	for (; text && *text; text = strchr(text, '\n'), text += text != NULL) {
		if (strncmp(text, key, length))
			continue;
		text += length;
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		for (word = strtok_r(line, "\"' ", &rest); word && found == OTHER;
		     word = strtok_r(NULL, "\"' ", &rest))
			found = find_distribution(word);
	}
	return found;
}

static const struct distribution *distribution_of(const struct doctor *doctor)
{
	const struct distribution *found;
	char text[4096];

	if (!doctor_read(doctor, "etc/os-release", text, sizeof(text)) &&
	    !doctor_read(doctor, "usr/lib/os-release", text, sizeof(text)))
		return OTHER;
	found = find_in_line(text, "ID=");
	return found == OTHER ? find_in_line(text, "ID_LIKE=") : found;
}

const char *doctor_initramfs(const struct doctor *doctor)
{
	return distribution_of(doctor)->initramfs;
}

/* --- perf --- */

/* Stores the first line of "perf --version"; "" if there is no perf. */
static void ask_perf(char *line, size_t size)
{
	ssize_t length = 0, n = 0;
	int ends[2];
	pid_t pid;

	*line = '\0';
	if (pipe2(ends, O_CLOEXEC))
		return;
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (dup2(ends[1], STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0)
			execlp("perf", "perf", "--version", (char *)NULL);
		_exit(EXIT_NOT_FOUND);
	}
	close(ends[1]);
	do {
		n = read(ends[0], line + length, size - 1 - (size_t)length);
		length += n > 0 ? n : 0;
	} while (n > 0 && length < (ssize_t)size - 1);
	close(ends[0]);
	if (pid > 0)
		waitpid(pid, NULL, 0);
	line[length] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

static void check_perf(struct doctor *doctor)
{
	char line[128];

	if (!doctor->is_here)
		return;
	ask_perf(line, sizeof(line));
	if (*line)
		doctor_find(doctor, LEVEL_OK, "perf", NULL,
			    "%s; \"gpmu perf\" adds the metrics of Grace to any version", line);
	else
		doctor_find(
			doctor, LEVEL_WARNING, "perf", distribution_of(doctor)->perf,
			"perf is missing or does not start; only \"gpmu perf\" needs it");
}

void doctor_check_tools(struct doctor *doctor)
{
	check_perf(doctor);
}
