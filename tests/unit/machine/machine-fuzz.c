// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to the files of a Superchip: there always is a machine, and all its parts can be
 * read. The sanitizers find everything else. The random numbers are the same in each run.
 */
#include <dirent.h>

#include "sysroot.h"
#include "gpmu.h"
#include "machine/pmu.h"
#include "tap.h"

#define ROUNDS		150
#define DAMAGES		6
#define MAX_PATHS	1024

static char paths[MAX_PATHS][160];
static uint32_t paths_len;

static uint64_t state = 88172645463325252ull;

/* xorshift64 */
static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 11) % n;
}

static size_t root_len;

/* Collects every file, folder and link. */
static int add_path(const char *path, const struct stat *stat, int flag, struct FTW *ftw)
{
	(void)stat;
	(void)flag;
	if (ftw->level && paths_len < MAX_PATHS)
		snprintf(paths[paths_len++], sizeof(paths[0]), "%s", path + root_len + 1);
	return 0;
}

static void damage(const struct sysroot *root, const char *name)
{
	static const char *const texts[] = {
		"", "\n", "0", "-1\n", "18446744073709551616\n", "0-65535\n", "0-3,", "0x", "0xffff\n",
		"config:0-63\n", "2,1\n", "\n\n", "nan\n", "1e999\n",
	};
	char path[SYSROOT_PATH], bytes[64], *slash;
	struct stat folder;

	sysroot_path(root, path, "%s", name);
	slash = strrchr(path, '/');
	*slash = '\0';
	/* The parent may be gone, or no longer a folder. */
	if (stat(path, &folder) || !S_ISDIR(folder.st_mode))
		return;
	*slash = '/';
	sysroot_remove(root, name);
	switch (random_below(6)) {
	case 0:
		break;
	case 1:
		sysroot_put(root, name, texts[random_below(sizeof(texts) / sizeof(texts[0]))]);
		break;
	case 2:
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (char)random_below(256);
		sysroot_put_bytes(root, name, bytes, random_below(sizeof(bytes)));
		break;
	case 3:
		mkdir(path, 0755);
		break;
	case 4:
		/* Neither link leads out of the root. */
		sysroot_link(root, name, random_below(2) ? "." : slash + 1);
		break;
	case 5:
		mkfifo(path, 0644);
		break;
	}
}

static size_t ask_pmu(const struct gpmu_pmu *pmu)
{
	size_t sum = strlen(gpmu_pmu_name(pmu)) + gpmu_pmu_type(pmu) + (size_t)gpmu_pmu_kind(pmu);
	const char *name;
	const int *cpus;
	size_t i, len = gpmu_pmu_cpus(pmu, &cpus);

	for (i = 0; i < len; i++)
		sum += (size_t)cpus[i];
	for (i = 0; (name = gpmu_pmu_event_name(pmu, i)); i++)
		sum += strlen(gpmu_pmu_event(pmu, name)) + (pmu_event_scale(pmu, name) != 0) +
		       (gpmu_pmu_event_unit(pmu, name) != NULL);
	for (i = 0; (name = gpmu_pmu_format_name(pmu, i)); i++)
		sum += strlen(gpmu_pmu_format(pmu, name));
	for (i = 0; i < pmu->caps.len; i++)
		sum += strlen(pmu_cap(pmu, pmu->caps.list[i].name));
	if (gpmu_pmu_identifier(pmu))
		sum += strlen(gpmu_pmu_identifier(pmu));
	if (gpmu_pmu_node(pmu))
		sum += (size_t)gpmu_node_number(gpmu_pmu_node(pmu));
	return sum;
}

/* Reads every text and every CPU. False if a name is not found. */
static bool ask(const struct gpmu_machine *machine)
{
	const struct gpmu_node *node;
	const struct gpmu_pmu *pmu;
	const struct gpmu_pci *pci;
	const int *cpus;
	volatile size_t sum = 0;
	size_t i, len;

	for (i = 0; (pmu = gpmu_machine_pmu(machine, i)); i++) {
		if (gpmu_machine_find_pmu(machine, gpmu_pmu_name(pmu)) != pmu)
			return false;
		sum += ask_pmu(pmu);
	}
	for (i = 0; (node = gpmu_machine_node(machine, i)); i++) {
		len = gpmu_node_cpus(node, &cpus);
		sum += (size_t)cpus[len - 1];
	}
	for (i = 0; (pci = gpmu_machine_pci(machine, i)); i++) {
		sum += strlen(gpmu_pci_address(pci));
		sum += gpmu_pci_name(pci) ? strlen(gpmu_pci_name(pci)) : 0;
		sum += gpmu_pci_driver(pci) ? strlen(gpmu_pci_driver(pci)) : 0;
		sum += gpmu_pci_pmu(pci) ? strlen(gpmu_pmu_name(gpmu_pci_pmu(pci))) : 0;
	}
	for (i = 0; gpmu_machine_warning(machine, i); i++) {
		if (strchr(gpmu_machine_warning(machine, i), '\n'))
			return false;
		sum += strlen(gpmu_machine_warning(machine, i));
	}
	return true;
}

int main(void)
{
	unsigned int none = 0, wrong = 0, warned = 0;
	struct gpmu_machine *machine;
	struct sysroot root;

	sysroot_make(&root, "superchip-ours");
	root_len = strlen(root.path);
	nftw(root.path, add_path, 16, FTW_PHYS);
	/* Damage accumulates, and every 25 rounds the files are made anew. */
	for (int i = 0; i < ROUNDS; i++) {
		if (i % 25 == 24) {
			sysroot_release(&root);
			sysroot_make(&root, "superchip-ours");
		}
		for (int k = 0; k < DAMAGES; k++)
			damage(&root, paths[random_below(paths_len)]);
		machine = gpmu_machine_new(root.path, NULL);
		none += !machine;
		if (!machine)
			continue;
		wrong += !ask(machine);
		warned += gpmu_machine_warning(machine, 0) != NULL;
		gpmu_machine_free(machine);
	}
	sysroot_release(&root);
	diag("%u paths, %u of %d machines with warnings", paths_len, warned, ROUNDS);
	ok(paths_len > 300 && warned > ROUNDS / 2, "machine: a damaged sysfs causes warnings");
	is_u64(none, 0, "machine: a damaged sysfs is always a machine");
	is_u64(wrong, 0, "machine: all parts of a damaged machine can be found and read");
	return done_testing();
}
