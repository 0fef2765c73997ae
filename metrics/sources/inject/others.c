// SPDX-License-Identifier: LGPL-2.1-or-later
/* Finds libraries of the process that use CUPTI: CUPTI has one user at a time. */
#include <link.h>
#include <string.h>

#include "inject.h"

static const void *pointer(uintptr_t address)
{
	const void *at;

	memcpy(&at, &address, sizeof(at));
	return at;
}

static const ElfW(Dyn) *dynamic_of(const struct dl_phdr_info *info)
{
	for (size_t i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			return pointer(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return NULL;
}

/* Returns 1, which ends the search, if the object needs CUPTI */
static int needs_cupti(struct dl_phdr_info *info, size_t size, void *data)
{
	const ElfW(Dyn) *dynamic = dynamic_of(info), *entry;
	const char *strings = NULL;

	(void)size;
	for (entry = dynamic; entry && entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_STRTAB)
			strings = pointer(entry->d_un.d_ptr);
	/* The loader has relocated the pointer, but not that of the vDSO, which needs no library. */
	if (!strings || (uintptr_t)strings < info->dlpi_addr)
		return 0;
	for (entry = dynamic; entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag != DT_NEEDED || strncmp(strings + entry->d_un.d_val, "libcupti.so", 11) != 0)
			continue;
		*(const char **)data = info->dlpi_name;
		return 1;
	}
	return 0;
}

void others_report(struct inject *self)
{
	const char *path = NULL, *name;

	if (!dl_iterate_phdr(needs_cupti, &path))
		return;
	name = strrchr(path, '/');
	output_note(self, ACTIVITY_INFO,
		    "%s uses CUPTI too, as torch.profiler does: it will get no records",
		    name ? name + 1 : *path ? path : "the program");
}
