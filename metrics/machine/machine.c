// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "machine/machine.h"
#include "plugin/source_object.h"

struct gpmu_machine *gpmu_machine_open(const char *root, struct gpmu_error *error)
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
	if (machine->fd >= 0)
		return machine;
	ret = -errno;
free:
	gpmu_machine_free(machine);
fail:
	error_set(error, 0, "%s: %s", root, error_text(-ret));
	errno = -ret;
	return NULL;
}

struct gpmu_machine *gpmu_machine_new(const char *root, struct gpmu_error *error)
{
	struct gpmu_machine *machine = gpmu_machine_open(root, error);
	int ret = machine ? machine_need_counters(machine, NULL) : 0;

	if (!ret)
		return machine;
	error_set(error, 0, "%s: %s", machine->root, error_text(-ret));
	gpmu_machine_free(machine);
	errno = -ret;
	return NULL;
}

void gpmu_machine_free(struct gpmu_machine *machine)
{
	if (!machine)
		return;
	pcis_release(&machine->pcis);
	machine_release_counters(machine);
	pmu_free(machine->software);
	for (size_t i = 0; i < machine->sources_len; i++)
		source_put(machine->sources[i]);
	free(machine->sources);
	gpus_release(&machine->gpus);
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
	if (machine_need_pcis(machine))
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
	return machine_need_counters(machine, NULL) ? 0 : machine->midr;
}

size_t gpmu_machine_online_cpus(const struct gpmu_machine *machine, const int **cpus)
{
	const bool can_read = !machine_need_counters(machine, NULL);

	if (cpus)
		*cpus = can_read ? machine->online.ids : NULL;
	return can_read ? machine->online.len : 0;
}

const struct gpmu_pmu *gpmu_machine_pmu(const struct gpmu_machine *machine, size_t index)
{
	if (machine_need_counters(machine, NULL))
		return NULL;
	return index < machine->pmus_len ? machine->pmus[index] : NULL;
}

const struct gpmu_pmu *gpmu_machine_find_pmu(const struct gpmu_machine *machine, const char *name)
{
	return machine_need_counters(machine, NULL) ? NULL : machine_search_pmu(machine, name);
}

const struct gpmu_node *gpmu_machine_node(const struct gpmu_machine *machine, size_t index)
{
	if (machine_need_counters(machine, NULL))
		return NULL;
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
	if (machine_need_pcis(machine))
		return NULL;
	return index < machine->pcis.len ? &machine->pcis.list[index] : NULL;
}
