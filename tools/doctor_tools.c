// SPDX-License-Identifier: LGPL-2.1-or-later
/* doctor: perf, and what GPUs need */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "doctor.h"

static const char *const library_folders[] = {
	"usr/lib/aarch64-linux-gnu",
	"usr/lib/x86_64-linux-gnu",
	"usr/lib64",
	"usr/lib",
	"usr/local/cuda/lib64",
	"usr/local/cuda/extras/CUPTI/lib64",
	"usr/local/cuda/targets/sbsa-linux/lib",
	"usr/local/cuda/targets/x86_64-linux/lib",
};

/* --- distributions --- */

/* What to type, by words of ID and ID_LIKE in os-release(5); the last is of others */
static const struct distribution {
	const char *names[5];
	const char *perf;
	const char *initramfs;	/* makes it anew */
} distributions[] = {
	{ { "ubuntu" }, "sudo apt install linux-tools-$(uname -r)", "update-initramfs -u" },
	{ { "debian" }, "sudo apt install linux-perf", "update-initramfs -u" },
	{ { "rhel", "centos", "fedora" }, "sudo dnf install perf", "dracut -f" },
	{ { "suse", "sles", "opensuse" }, "sudo zypper install perf", "dracut -f" },
	{ { NULL }, "install perf, in packages called perf, linux-perf or linux-tools",
	  "update-initramfs -u (or dracut -f)" },
};

#define OTHER	(&distributions[sizeof(distributions) / sizeof(distributions[0]) - 1])

static const struct distribution *find_distribution(const char *name)
{
	const struct distribution *at;

	for (at = distributions; at < OTHER; at++)
		for (size_t i = 0; at->names[i]; i++)
			if (!strcmp(at->names[i], name))
				return at;
	return OTHER;
}

/* The first word of such a line that is known: KEY=word, KEY="word word" */
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

/* --- perf --- */

/* The first line that "perf --version" prints; "": there is none */
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

	if (!doctor->here)
		return;
	ask_perf(line, sizeof(line));
	if (*line)
		doctor_find(doctor, LEVEL_OK, "perf", NULL,
			    "%s; \"gpmu perf\" gives any version the metrics of Grace", line);
	else
		doctor_find(
			doctor, LEVEL_WARNING, "perf", distribution_of(doctor)->perf,
			"there is none, or it does not start: \"gpmu perf\" needs it, gpmu's others do not");
}

/* --- GPUs --- */

static bool has_display_class(const struct gpmu_pci *pci)
{
	return gpmu_pci_class(pci) >> 16 == 0x03;
}

static bool has_gpu(const struct doctor *doctor)
{
	const struct gpmu_pci *pci;

	if (doctor_exists(doctor, "proc/driver/nvidia/version") ||
	    doctor_exists(doctor, "sys/module/nvidia"))
		return true;
	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++) {
		const char *driver = gpmu_pci_driver(pci);

		if (has_display_class(pci) && driver && !strcmp(driver, "nvidia"))
			return true;
	}
	return false;
}

/* Behind a Grace's root port it is NVIDIA's, or a board's VGA, which has a driver. */
static const struct gpmu_pci *find_idle_gpu(const struct doctor *doctor)
{
	const struct gpmu_pci *pci;

	for (size_t i = 0; (pci = gpmu_machine_pci(doctor->common.machine, i)); i++)
		if (has_display_class(pci) && !gpmu_pci_driver(pci) && gpmu_pci_root_port(pci) >= 0)
			return pci;
	return NULL;
}

/* A library by its file alone: nothing of it is loaded. */
static bool find_library(const struct doctor *doctor, const char *name, char *path, size_t size)
{
	for (size_t i = 0; i < sizeof(library_folders) / sizeof(library_folders[0]); i++) {
		snprintf(path, size, "%s/%s", library_folders[i], name);
		if (doctor_exists(doctor, path))
			return true;
	}
	return false;
}

static void check_library(struct doctor *doctor, const char *name, const char *remedy,
			  const char *what)
{
	char path[256];

	if (find_library(doctor, name, path, sizeof(path)))
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "/%s", path);
	else
		doctor_find(doctor, LEVEL_WARNING, "GPU", remedy, "%s is not found: %s", name,
			    what);
}

static void check_profiling(struct doctor *doctor)
{
	static const char key[] = "RmProfilingAdminOnly:";
	char text[8192], remedy[256];
	const char *line;

	if (!doctor_read(doctor, "proc/driver/nvidia/params", text, sizeof(text)))
		return;
	line = strstr(text, key);
	if (!line)
		return;
	snprintf(remedy, sizeof(remedy),
		 "echo \"options nvidia NVreg_RestrictProfilingToAdminUsers=0\" | sudo tee "
		 "/etc/modprobe.d/nvidia-profiling.conf, then sudo %s and boot",
		 distribution_of(doctor)->initramfs);
	if (strtol(line + strlen(key), NULL, 10) == 0)
		doctor_find(doctor, LEVEL_OK, "GPU", NULL, "everybody may use its counters");
	else if (doctor->sysadmin)
		doctor_find(doctor, LEVEL_OK, "GPU", NULL,
			    "its counters are for CAP_SYS_ADMIN alone, which is there");
	else
		doctor_find(
			doctor, LEVEL_WARNING, "GPU", remedy,
			"its counters are for CAP_SYS_ADMIN alone (NVreg_RestrictProfilingToAdminUsers)");
}

static void check_gpu(struct doctor *doctor)
{
	const struct gpmu_pci *idle = find_idle_gpu(doctor);

	if (!has_gpu(doctor) && idle) {
		doctor_find(doctor, LEVEL_WARNING, "GPU", "install NVIDIA's driver for the GPU",
			    "%s has no driver", gpmu_pci_address(idle));
		return;
	}
	if (!has_gpu(doctor)) {
		doctor_find(doctor, LEVEL_OK, "GPU", NULL,
			    "no NVIDIA GPU with a driver: CUDA and CUPTI "
			    "are not needed");
		return;
	}
	check_library(doctor, "libcuda.so.1", "install NVIDIA's driver for the GPU",
		      "programs cannot use the GPU");
	check_library(doctor, "libcupti.so", "install CUDA's package cuda-cupti",
		      "a GPU's own counters cannot be read");
	check_profiling(doctor);
}

void doctor_check_tools(struct doctor *doctor)
{
	check_perf(doctor);
	check_gpu(doctor);
}
