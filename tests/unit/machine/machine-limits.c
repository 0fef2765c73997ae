// SPDX-License-Identifier: LGPL-2.1-or-later
/* Sizes and numbers at their limits, no file descriptors, and a root that is renamed */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/sysfs.h"
#include "machine/warnings.h"
#include "tap.h"

#define PMUS	"sys/bus/event_source/devices/"
#define CPU	"sys/devices/system/cpu/"

/* The number that the next file descriptor would get */
static int lowest_fd(void)
{
	int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	close(fd);
	return fd;
}

static void numbers(void)
{
	int64_t number;

	ok(sysfs_parse_number("9223372036854775807", INT64_MIN, INT64_MAX, &number) &&
	   number == INT64_MAX &&
	   sysfs_parse_number("-9223372036854775808", INT64_MIN, INT64_MAX, &number) &&
	   number == INT64_MIN, "machine: the smallest and largest number are parsed");
	ok(!sysfs_parse_number("9223372036854775808", INT64_MIN, INT64_MAX, &number) &&
	   !sysfs_parse_number("-9223372036854775809", INT64_MIN, INT64_MAX, &number),
	   "machine: numbers beyond the limits are refused");
}

/* A file of the maximum size, and of one byte more */
static void long_files(void)
{
	static char text[SYSFS_MAX_TEXT + 1];
	struct gpmu_machine *machine;
	const struct gpmu_pmu *pmu;
	struct sysroot root;

	sysroot_init(&root);
	memset(text, 'x', sizeof(text));
	sysroot_put(&root, CPU "online", "0\n");
	sysroot_put(&root, PMUS "a/type", "9\n");
	sysroot_put_bytes(&root, PMUS "a/events/fits", text, SYSFS_MAX_TEXT);
	sysroot_put_bytes(&root, PMUS "a/events/large", text, SYSFS_MAX_TEXT + 1);
	machine = gpmu_machine_new(root.path, NULL);
	pmu = gpmu_machine_find_pmu(machine, "a");
	ok(pmu && gpmu_pmu_event(pmu, "fits") && strlen(gpmu_pmu_event(pmu, "fits")) == SYSFS_MAX_TEXT,
	   "machine: a file of 64 KiB is read");
	ok(pmu && !gpmu_pmu_event(pmu, "large"), "machine: a file above 64 KiB is left out");
	is_str(gpmu_machine_warning(machine, 0), PMUS "a/events/large: expected at most 65536 bytes",
	       "machine: a file above 64 KiB has a warning");
	gpmu_machine_free(machine);

	/* Two CPUs with the largest distance, in a text of the maximum size */
	memset(text, '0', sizeof(text));
	memcpy(text + SYSFS_MAX_TEXT - 7, ",65535\n", 7);
	sysroot_put_bytes(&root, CPU "online", text, SYSFS_MAX_TEXT);
	machine = gpmu_machine_new(root.path, NULL);
	if (ok(machine, "machine: a machine with a CPU list of 64 KiB is read")) {
		const int *cpus;

		ok(gpmu_machine_online_cpus(machine, &cpus) == 2 && cpus[1] == 65535,
		   "machine: a CPU list of 64 KiB is parsed");
	}
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void many_entries(void)
{
	char events[SYSROOT_PATH], name[SYSROOT_PATH + 16];
	struct gpmu_machine *machine;
	struct sysroot root;
	size_t n = 0;

	sysroot_init(&root);
	sysroot_put(&root, CPU "online", "0\n");
	sysroot_put(&root, PMUS "a/type", "9\n");
	sysroot_put(&root, PMUS "a/events/0", "event=0x1\n");
	sysroot_path(&root, events, PMUS "a/events");
	for (int i = 1; i <= SYSFS_MAX_ENTRIES; i++) {
		snprintf(name, sizeof(name), "%s/%d", events, i);
		if (symlink("0", name))
			sysroot_bail(name);
	}
	machine = gpmu_machine_new(root.path, NULL);
	while (gpmu_pmu_event_name(gpmu_machine_pmu(machine, 0), n))
		n++;
	is_u64(n, SYSFS_MAX_ENTRIES,
	       "machine: of a large folder the maximum number of entries is read");
	is_str(gpmu_machine_warning(machine, 0), PMUS "a/events/: expected at most 16384 entries",
	       "machine: a folder with too many entries has a warning");
	ok(!gpmu_machine_warning(machine, 1),
	   "machine: a folder with too many entries has one warning");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

static void many_warnings(void)
{
	struct gpmu_machine *machine;
	struct sysroot root;
	char path[128];
	size_t n = 0;

	sysroot_init(&root);
	sysroot_put(&root, CPU "online", "0\n");
	for (int i = 0; i < WARNINGS_MAX; i++) {
		snprintf(path, sizeof(path), PMUS "%d/type", i);
		sysroot_put(&root, path, "\n");
	}
	machine = gpmu_machine_new(root.path, NULL);
	while (gpmu_machine_warning(machine, n))
		n++;
	is_u64(n, WARNINGS_MAX, "machine: a hundred warnings are listed");
	gpmu_machine_free(machine);

	sysroot_put(&root, PMUS "200/type", "\n");
	sysroot_put(&root, PMUS "201/type", "\n");
	machine = gpmu_machine_new(root.path, NULL);
	is_str(gpmu_machine_warning(machine, WARNINGS_MAX), "and 2 more",
	       "machine: warnings after the first hundred are counted");
	ok(!gpmu_machine_warning(machine, WARNINGS_MAX + 1),
	   "machine: the number of further warnings is the last warning");
	gpmu_machine_free(machine);
	sysroot_release(&root);
}

/* With any number of descriptors left there is either EMFILE or the whole machine. */
static void few_descriptors(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_machine *machine = NULL;
	struct rlimit limit, low;
	struct sysroot root;
	int first, fds, refused = 0;
	bool is_good = true;

	sysroot_make(&root, "superchip-ours");
	first = lowest_fd();
	getrlimit(RLIMIT_NOFILE, &limit);
	for (fds = 0; fds < 20 && !machine; fds++) {
		low = limit;
		low.rlim_cur = (rlim_t)first + (rlim_t)fds;
		setrlimit(RLIMIT_NOFILE, &low);
		errno = 0;
		machine = gpmu_machine_new(root.path, &error);
		if (!machine) {
			refused++;
			is_good = is_good && errno == EMFILE && strstr(error.text, "Too many open files");
		}
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	ok(refused >= 4 && is_good,
	   "machine: without file descriptors there is no machine, but EMFILE");
	ok(machine && gpmu_machine_find_pmu(machine, "nvidia_scf_pmu_1") &&
	   !gpmu_machine_warning(machine, 0),
	   "machine: with enough file descriptors the machine is whole");
	is_u64((uint64_t)lowest_fd(), (uint64_t)first + 1,
	       "machine: a machine keeps one file descriptor open");
	gpmu_machine_free(machine);
	is_u64((uint64_t)lowest_fd(), (uint64_t)first,
	       "machine: gpmu_machine_free() closes its file descriptor");
	sysroot_release(&root);
}

static void moving(void)
{
	char moved[80], path[128], text[16];
	struct gpmu_machine *machine;
	struct sysroot root;
	int here = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	sysroot_make(&root, "vm");
	if (here < 0 || chdir(root.path))
		sysroot_bail(root.path);
	machine = gpmu_machine_new(".", NULL);
	ok(!chdir("/") && gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, sizeof(text)) == 5,
	   "machine: a relative root is still found after a change of folder");
	snprintf(moved, sizeof(moved), "%s.moved", root.path);
	if (rename(root.path, moved))
		sysroot_bail(moved);
	ok(gpmu_machine_read(machine, "proc/sys/kernel/osrelease", text, sizeof(text)) == 5,
	   "machine: a root is still found after it was renamed");
	snprintf(path, sizeof(path), "%s/proc/sys/kernel/kptr_restrict", moved);
	ok(!truncate(path, 0) &&
	   !gpmu_machine_read(machine, "proc/sys/kernel/kptr_restrict", text, sizeof(text)),
	   "machine: gpmu_machine_read() reads a file's current content");
	gpmu_machine_free(machine);
	if (rename(moved, root.path) || fchdir(here))
		sysroot_bail(moved);
	close(here);
	sysroot_release(&root);
}

int main(void)
{
	numbers();
	long_files();
	many_entries();
	many_warnings();
	few_descriptors();
	moving();
	return done_testing();
}
