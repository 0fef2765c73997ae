// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Reads a machine's CPUs, nodes and PMUs, and its PCI devices, each on first use. A command that counts software events
 * needs none of them, and a machine's PMUs can have hundreds of files.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "machine/machine.h"

#define PMUS	"sys/bus/event_source/devices"
#define CPUS	"sys/devices/system/cpu"
#define SOFTWARE	"software"

typedef int read_part(struct gpmu_machine *machine, const struct sysfs_dir *root);

static int read_cpus(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	struct sysfs_dir cpus;
	char path[64];
	int ret = sysfs_open(&cpus, root, CPUS);

	if (ret)
		return sysfs_optional(sysfs_needed(root, CPUS, ret));
	ret = sysfs_optional(sysfs_cpus(&cpus, "online", &machine->online));
	if (!ret && machine->online.len) {
		/* An offline CPU has no such file in sysfs. */
		snprintf(path, sizeof(path), "cpu%d/regs/identification/midr_el1",
			 cpus_first(&machine->online));
		ret = sysfs_optional(sysfs_hex(&cpus, path, UINT64_MAX, &machine->midr));
	}
	sysfs_close(&cpus);
	return ret;
}

static int make_pmu(struct gpmu_machine *machine, const struct sysfs_dir *devices, const char *name,
		    struct gpmu_pmu **pmu)
{
	if (!machine->software || strcmp(name, SOFTWARE))
		return pmu_new(pmu, devices, name, &machine->online);
	*pmu = machine->software;
	return 0;
}

static int add_pmu(void *user, const struct sysfs_dir *devices, const struct sysfs_names *names, size_t index)
{
	struct gpmu_machine *machine = user;
	struct gpmu_pmu **added = vector_append(machine->pmus, machine->pmus_len);
	int ret = added ? make_pmu(machine, devices, names->names[index], added) : -ENOMEM;

	if (!ret)
		(*added)->node = nodes_find(&machine->nodes, &(*added)->cpus);
	else if (added)
		machine->pmus_len--;
	return ret == -EBADMSG ? 0 : ret;
}

static int read_pmus(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	return sysfs_optional(sysfs_needed(root, PMUS, sysfs_each(root, PMUS, add_pmu, machine)));
}

static int compare_name(const void *name, const void *pmu)
{
	return strverscmp(name, (*(struct gpmu_pmu *const *)pmu)->name);
}

const struct gpmu_pmu *machine_search_pmu(const struct gpmu_machine *machine, const char *name)
{
	struct gpmu_pmu *const *found = NULL;

	/* bsearch() must not get NULL. */
	if (machine->pmus_len)
		found = bsearch(name, machine->pmus, machine->pmus_len, sizeof(struct gpmu_pmu *), compare_name);
	return found ? *found : NULL;
}

/*
 * Finds the PMU of the device's node. If firmware does not give the node, the socket's
 * number is the PMU's number.
 */
static const struct gpmu_pmu *find_pcie_pmu(const struct gpmu_machine *machine,
					    const struct gpmu_pci *pci)
{
	char name[64];

	if (pci->root_port < 0)
		return NULL;
	snprintf(name, sizeof(name), "nvidia_pcie_pmu_%d", pci->node < 0 ? pci->socket : pci->node);
	return machine_search_pmu(machine, name);
}

static bool has_pcie_pmu(const struct gpmu_machine *machine)
{
	for (size_t i = 0; i < machine->pmus_len; i++)
		if (machine->pmus[i]->kind == GPMU_PMU_PCIE)
			return true;
	return false;
}

void machine_number_pcis(struct gpmu_machine *machine)
{
	if (!machine->is_grace || !has_pcie_pmu(machine))
		return;
	pcis_number(&machine->pcis);
	for (size_t i = 0; i < machine->pcis.len; i++)
		machine->pcis.list[i].pmu = find_pcie_pmu(machine, &machine->pcis.list[i]);
}

void machine_release_counters(struct gpmu_machine *machine)
{
	for (size_t i = 0; i < machine->pmus_len; i++)
		if (machine->pmus[i] != machine->software)
			pmu_free(machine->pmus[i]);
	free(machine->pmus);
	machine->pmus = NULL;
	machine->pmus_len = 0;
	nodes_release(&machine->nodes);
	cpus_release(&machine->online);
	machine->midr = 0;
}

static int read_counters(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	int ret = read_cpus(machine, root);

	if (!ret)
		ret = nodes_read(&machine->nodes, root);
	if (!ret)
		ret = read_pmus(machine, root);
	if (ret) {
		machine_release_counters(machine);
		return ret;
	}
	/* The list has it now. */
	machine->software = NULL;
	/* The CPU also identifies a Grace if the kernel has no driver for its PMUs. */
	machine->is_grace = has_pcie_pmu(machine) || gpmu_midr_is_neoverse_v2(machine->midr);
	return 0;
}

static int read_pcis(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	int ret = pcis_read(&machine->pcis, root);

	if (!ret)
		ret = warnings_end(&machine->warnings);
	if (ret)
		pcis_release(&machine->pcis);
	else
		machine_number_pcis(machine);
	return ret;
}

/* Reads the PMU of software events, unless the folder is missing or malformed. */
static int read_software(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	struct sysfs_dir devices;
	int ret = sysfs_open(&devices, root, PMUS);

	if (ret)
		return ret;
	ret = pmu_new(&machine->software, &devices, SOFTWARE, &machine->online);
	sysfs_close(&devices);
	return ret;
}

static int read_now(struct gpmu_machine *machine, read_part *part)
{
	struct sysfs sysfs = { .warnings = &machine->warnings };
	struct sysfs_dir root = { .sysfs = &sysfs, .fd = machine->fd };
	const size_t len = machine->warnings.len, more = machine->warnings.more;
	int ret;

	sysfs.text = malloc(SYSFS_MAX_TEXT + 1);
	if (!sysfs.text)
		return -ENOMEM;
	ret = part(machine, &root);
	if (ret)
		warnings_rewind(&machine->warnings, len, more);
	free(sysfs.text);
	return ret;
}

/* Reads a part on first use. Returns 0 with errno unchanged, or -errno with errno set. */
static int need(struct gpmu_machine *machine, atomic_bool *is_read, read_part *part)
{
	const int kept = errno;
	int ret = 0;

	if (atomic_load_explicit(is_read, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&machine->reading);
	if (!atomic_load_explicit(is_read, memory_order_relaxed)) {
		ret = read_now(machine, part);
		atomic_store_explicit(is_read, !ret, memory_order_release);
	}
	pthread_mutex_unlock(&machine->reading);
	errno = ret ? -ret : kept;
	return ret;
}

static int fail(const struct gpmu_machine *machine, int ret, struct gpmu_error *error)
{
	if (ret == -ENOMEM)
		error_no_memory(error);
	else
		error_set(error, 0, "%s: %s", machine->root, error_text(-ret));
	errno = -ret;
	return ret;
}

int machine_need_counters(const struct gpmu_machine *machine, struct gpmu_error *error)
{
	int ret = need(machine->self, &machine->self->has_counters, read_counters);

	return ret ? fail(machine, ret, error) : 0;
}

int machine_need_pcis(const struct gpmu_machine *machine)
{
	int ret = machine_need_counters(machine, NULL);

	return ret ? ret : need(machine->self, &machine->self->has_pcis, read_pcis);
}

int machine_find_software(const struct gpmu_machine *machine, const struct gpmu_pmu **pmu, struct gpmu_error *error)
{
	struct gpmu_machine *self = machine->self;
	int ret = 0;

	pthread_mutex_lock(&self->reading);
	if (!self->has_counters && !self->software)
		ret = sysfs_optional(read_now(self, read_software));
	*pmu = self->has_counters ? machine_search_pmu(self, SOFTWARE) : self->software;
	pthread_mutex_unlock(&self->reading);
	return ret ? fail(machine, ret, error) : 0;
}
