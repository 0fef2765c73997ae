// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records loads of modules, in the program's threads. CUPTI has no record of kernels that kernels launch (CUDA dynamic
 * parallelism), so a note reports modules that can launch some.
 */
#include <elf.h>
#include <string.h>
#include <unistd.h>

#include "base/raw_clock.h"
#include "inject.h"

/* The begin of the names of the functions of libcudadevrt.a that launch a kernel; a cubin has those that it uses. */
static const char launches[] = "__cudaCDP2LaunchDevice";

/* The number of sections; a number too large for the head of the file is in the first section. */
static uint64_t section_count(const Elf64_Ehdr *head, const char *image)
{
	Elf64_Shdr first;

	if (head->e_shnum)
		return head->e_shnum;
	memcpy(&first, image + head->e_shoff, sizeof(first));
	return first.sh_size;
}

/* Returns whether the cubin's table of names has a function that launches a kernel. */
static bool has_launches(const char *image, size_t size)
{
	Elf64_Ehdr head;
	Elf64_Shdr section;
	uint64_t count;

	if (size < sizeof(head))
		return false;
	memcpy(&head, image, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 || head.e_shentsize != sizeof(section) || head.e_shoff > size ||
	    size - head.e_shoff < sizeof(section))
		return false;
	count = section_count(&head, image);
	for (uint64_t i = 0; i < count && i < (size - head.e_shoff) / sizeof(section); i++) {
		memcpy(&section, image + head.e_shoff + i * sizeof(section), sizeof(section));
		if (section.sh_type == SHT_STRTAB && section.sh_offset <= size && section.sh_size <= size - section.sh_offset &&
		    memmem(image + section.sh_offset, section.sh_size, launches, strlen(launches)))
			return true;
	}
	return false;
}

static bool is_wanted(const struct inject *self)
{
	return self->control->kinds >> ACTIVITY_MODULE & 1;
}

void modules_enable(struct inject *self)
{
	if (is_wanted(self))
		self->api.callback(1, self->subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
}

void modules_loaded(struct inject *self, const CUpti_ModuleResourceData *module)
{
	static bool is_reported;
	const uint64_t now = raw_clock_now();
	struct activity_module record = {
		{ sizeof(record), ACTIVITY_MODULE, 0 }, now, now, 0, (uint32_t)gettid(), ACTIVITY_MODULE_LOADED, 0, 0,
	};

	if (!module || !is_wanted(self) || !capture_has(self, now))
		return;
	record.bytes = module->cubinSize;
	output_try(self, &record.head);
	if (!is_reported && module->pCubin && has_launches(module->pCubin, module->cubinSize))
		output_warn_once(self, &is_reported,
				 "kernels of this program can launch kernels, of which CUPTI has no records: GPUs can be busy where no work is shown");
}
