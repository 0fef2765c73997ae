// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/vector.h"
#include "machine/machine.h"
#include "plugin/source_object.h"

#define PMUS	"sys/bus/event_source/devices"
#define CPUS	"sys/devices/system/cpu"

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

static int add_pmu(void *user, const struct sysfs_dir *devices, const struct sysfs_names *names, size_t index)
{
	struct gpmu_machine *machine = user;
	struct gpmu_pmu **added = vector_append(machine->pmus, machine->pmus_len);
	int ret = added ? pmu_new(added, devices, names->names[index], &machine->online) : -ENOMEM;

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
	return gpmu_machine_find_pmu(machine, name);
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

static int read_counters(struct gpmu_machine *machine, const struct sysfs_dir *root)
{
	int ret = read_cpus(machine, root);

	if (!ret)
		ret = nodes_read(&machine->nodes, root);
	if (!ret)
		ret = read_pmus(machine, root);
	/* The CPU also identifies a Grace if the kernel has no driver for its PMUs. */
	machine->is_grace = has_pcie_pmu(machine) || gpmu_midr_is_neoverse_v2(machine->midr);
	return ret;
}

static int read_part(struct gpmu_machine *machine,
		     int (*part)(struct gpmu_machine *machine, const struct sysfs_dir *root))
{
	struct sysfs sysfs = { .warnings = &machine->warnings };
	struct sysfs_dir root = { .sysfs = &sysfs, .fd = machine->fd };
	int ret;

	sysfs.text = malloc(SYSFS_MAX_TEXT + 1);
	if (!sysfs.text)
		return -ENOMEM;
	ret = part(machine, &root);
	free(sysfs.text);
	return ret;
}

/* Reads the PCI devices on first use. Returns 0 with errno unchanged, or -errno with errno set. */
static int need_pcis(const struct gpmu_machine *machine)
{
	struct gpmu_machine *self = machine->self;
	struct warnings *warnings = &self->warnings;
	const int kept = errno;
	size_t len, more;
	int ret = 0;

	if (atomic_load_explicit(&machine->has_pcis, memory_order_acquire))
		return 0;
	pthread_mutex_lock(&self->reading);
	if (!atomic_load_explicit(&self->has_pcis, memory_order_relaxed)) {
		len = warnings->len;
		more = warnings->more;
		ret = read_part(self, read_pcis);
		if (ret)
			warnings_rewind(warnings, len, more);
		atomic_store_explicit(&self->has_pcis, !ret, memory_order_release);
	}
	pthread_mutex_unlock(&self->reading);
	errno = ret ? -ret : kept;
	return ret;
}

struct gpmu_machine *gpmu_machine_new(const char *root, struct gpmu_error *error)
{
	struct gpmu_machine *machine = calloc(1, sizeof(*machine));
	int ret = -ENOMEM;

	root = root ? root : "/";
	if (!machine)
		goto fail;
	machine->self = machine;
	pthread_mutex_init(&machine->reading, NULL);
	machine->fd = -1;
	machine->root = strdup(root);
	if (!machine->root)
		goto free;
	machine->fd = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret = machine->fd < 0 ? -errno : read_part(machine, read_counters);
	if (!ret)
		return machine;
free:
	gpmu_machine_free(machine);
fail:
	error_set(error, 0, "%s: %s", root, error_text(-ret));
	errno = -ret;
	return NULL;
}

void gpmu_machine_free(struct gpmu_machine *machine)
{
	if (!machine)
		return;
	pcis_release(&machine->pcis);
	for (size_t i = 0; i < machine->pmus_len; i++)
		pmu_free(machine->pmus[i]);
	free(machine->pmus);
	for (size_t i = 0; i < machine->sources_len; i++)
		source_put(machine->sources[i]);
	free(machine->sources);
	gpus_release(&machine->gpus);
	nodes_release(&machine->nodes);
	cpus_release(&machine->online);
	warnings_release(&machine->warnings);
	if (machine->fd >= 0)
		close(machine->fd);
	free(machine->root);
	pthread_mutex_destroy(&machine->reading);
	free(machine);
}

const char *gpmu_machine_root(const struct gpmu_machine *machine)
{
	return machine->root;
}

const char *gpmu_machine_warning(const struct gpmu_machine *machine, size_t index)
{
	if (need_pcis(machine))
		return NULL;
	return index < machine->warnings.len ? machine->warnings.lines[index] : NULL;
}

int gpmu_machine_read(const struct gpmu_machine *machine, const char *path, char *buffer,
		      size_t size)
{
	int len;

	path += strspn(path, "/");
	len = sysfs_read(machine->fd, path, buffer, size);
	if (len > 0 && buffer[len - 1] == '\n')
		buffer[--len] = '\0';
	return len;
}

uint64_t gpmu_machine_midr(const struct gpmu_machine *machine)
{
	return machine->midr;
}

size_t gpmu_machine_online_cpus(const struct gpmu_machine *machine, const int **cpus)
{
	if (cpus)
		*cpus = machine->online.ids;
	return machine->online.len;
}

const struct gpmu_pmu *gpmu_machine_pmu(const struct gpmu_machine *machine, size_t index)
{
	return index < machine->pmus_len ? machine->pmus[index] : NULL;
}

static int compare(const void *name, const void *pmu)
{
	return strverscmp(name, (*(struct gpmu_pmu *const *)pmu)->name);
}

const struct gpmu_pmu *gpmu_machine_find_pmu(const struct gpmu_machine *machine, const char *name)
{
	struct gpmu_pmu *const *found = NULL;

	/* bsearch() must not get NULL. */
	if (machine->pmus_len)
		found = bsearch(name, machine->pmus, machine->pmus_len,
				sizeof(struct gpmu_pmu *), compare);
	return found ? *found : NULL;
}

const struct gpmu_node *gpmu_machine_node(const struct gpmu_machine *machine, size_t index)
{
	return index < machine->nodes.len ? &machine->nodes.list[index] : NULL;
}

const struct gpmu_node *machine_find_node(const struct gpmu_machine *machine, int number)
{
	for (size_t i = 0; machine && i < machine->nodes.len; i++)
		if (machine->nodes.list[i].number == number)
			return &machine->nodes.list[i];
	return NULL;
}

const struct gpmu_pci *gpmu_machine_pci(const struct gpmu_machine *machine, size_t index)
{
	if (need_pcis(machine))
		return NULL;
	return index < machine->pcis.len ? &machine->pcis.list[index] : NULL;
}
