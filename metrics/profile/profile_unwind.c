// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libdwfl follows the frames of a thread with the registers and the memory that it is given. Files are added when an
 * address is in them. A process that executes another program begins anew.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_unwind.h"

#define NONE	0xff
#define REGISTERS	33	/* of perf's numbers */

/* A machine: DWARF's number of each of perf's registers (asm/perf_regs.h), and perf's numbers of SP and PC */
struct machine {
	const char *name;
	uint8_t dwarf[REGISTERS];
	unsigned int count, sp, pc;
};

static const struct machine machines[] = {
	{ "x86_64", { 0, 3, 2, 1, 4, 5, 6, 7, 16, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13, 14, 15 }, 24, 7, 8 },
	{ "aarch64", { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29,
		       30, 31, NONE }, 33, 31, 32 },
};

struct process {
	Dwfl *dwfl;
	uint32_t pid;
	bool is_attached;
	struct profile_unwind *unwind;
	/* The stack that is unwound */
	const struct gpmu_perfdata_record *record;
	const struct machine *machine;
	uint64_t mask, sp;		/* of the registers in the sample; their stack pointer */
	uint64_t *addresses;
	size_t count;
};

bool profile_unwind_has(const struct gpmu_perfdata_record *record)
{
	return record->event && record->has & PERF_SAMPLE_STACK_USER && record->has & PERF_SAMPLE_REGS_USER &&
	       record->sample.user.abi == PERF_SAMPLE_REGS_ABI_64 && record->sample.stack_used;
}

/* Gets one of perf's registers. Returns whether the sample has it. */
static bool value_of(const struct process *process, unsigned int number, uint64_t *value)
{
	size_t place = (size_t)__builtin_popcountll(process->mask & ((1ULL << number) - 1));

	if (!(process->mask >> number & 1) || place >= process->record->sample.user.count)
		return false;
	*value = process->record->sample.user.values[place];
	return true;
}

/* --- files */

/* The recorded build id of a file. Sets its size; 0: not recorded */
static const uint8_t *build_id_of(const struct profile_unwind *unwind, const struct profile_map *map, const char *file, size_t *size)
{
	const struct profile_build_id *of = unwind->tasks->build_ids.data;

	*size = 0;
	if (map->build_id) {
		*size = of[map->build_id - 1].size;
		return of[map->build_id - 1].id;
	}
	for (size_t i = 0; i < unwind->info->build_id_count; i++)
		if (unwind->info->build_ids[i].file && !strcmp(unwind->info->build_ids[i].file, file)) {
			*size = unwind->info->build_ids[i].size;
			return unwind->info->build_ids[i].id;
		}
	return NULL;
}

static bool is_recorded(const struct profile_unwind *unwind, const struct profile_map *map, const char *file, Dwfl_Module *module)
{
	const unsigned char *bits;
	GElf_Addr address;
	size_t size;
	const uint8_t *id = build_id_of(unwind, map, file, &size);
	int length = id ? dwfl_module_build_id(module, &bits, &address) : 0;

	/* Build ids are padded in a recording. */
	return length <= 0 || !memcmp(bits, id, (size_t)length < size ? (size_t)length : size);
}

/* Adds the file that has an address. Returns whether it is here and as it was. */
static bool add_file(struct process *process, uint64_t address)
{
	static char is_changed;		/* its address is the user's pointer of the module of a changed file */
	const struct profile_tasks *tasks = process->unwind->tasks;
	struct profile_range range = PROFILE_RANGE_ALL;
	const struct profile_map *map = profile_tasks_map(tasks, process->pid, address, process->record->time, &range);
	const char *file = map ? profile_tasks_file(tasks, map) : "";
	Dwfl_Module *module = dwfl_addrmodule(process->dwfl, address);
	GElf_Addr begin;
	void **user;

	if (*file != '/' || !strncmp(file, "//", 2))
		return false;
	if (module) {
		dwfl_module_info(module, &user, &begin, NULL, NULL, NULL, NULL, NULL);
		return begin == map->begin - map->offset && *user != &is_changed;
	}
	dwfl_report_begin_add(process->dwfl);
	module = dwfl_report_elf(process->dwfl, file, file, -1, map->begin - map->offset, false);
	dwfl_report_end(process->dwfl, NULL, NULL);
	if (!module || is_recorded(process->unwind, map, file, module))
		return module;
	dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = &is_changed;
	return false;
}

/* --- callbacks of libdwfl */

static int no_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	(void)module;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)elf;
	return -1;
}

/* The files themselves describe frames, in .eh_frame. */
static int no_debuginfo(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, const char *file,
			const char *link, GElf_Word crc, char **found)
{
	(void)module;
	(void)user;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)found;
	return -1;
}

static const Dwfl_Callbacks files = {
	.find_elf = no_elf, .find_debuginfo = no_debuginfo, .section_address = dwfl_offline_section_address,
};

/* The process has one thread, whose number is its own. */
static pid_t next_thread(Dwfl *dwfl, void *user, void **thread)
{
	if (*thread)
		return 0;
	*thread = user;
	return dwfl_pid(dwfl);
}

static bool read_memory(Dwfl *dwfl, Dwarf_Addr address, Dwarf_Word *result, void *user)
{
	const struct process *process = user;
	const struct gpmu_perfdata_sample *sample = &process->record->sample;
	uint64_t offset = address - process->sp;

	(void)dwfl;
	if (address < process->sp || offset > sample->stack_used || sample->stack_used - offset < sizeof(*result))
		return false;
	memcpy(result, (const char *)sample->stack + offset, sizeof(*result));
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *user)
{
	const struct process *process = user;
	uint64_t value;

	for (unsigned int i = 0; i < process->machine->count; i++) {
		Dwarf_Word word;

		if (!value_of(process, i, &value))
			continue;
		word = value;
		if (process->machine->dwarf[i] != NONE && !dwfl_thread_state_registers(thread, process->machine->dwarf[i], 1, &word))
			return false;
		if (i == process->machine->pc)
			dwfl_thread_state_register_pc(thread, word);
	}
	return true;
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread, .memory_read = read_memory, .set_initial_registers = set_registers,
};

static int take_frame(Dwfl_Frame *frame, void *user)
{
	struct process *process = user;
	bool is_first;
	Dwarf_Addr pc;

	if (!dwfl_frame_pc(frame, &pc, &is_first) || !pc)
		return DWARF_CB_ABORT;
	process->addresses[process->count++] = pc;
	/* The file has to be known before the next frame is looked for. */
	if (process->count == PROFILE_UNWIND_MOST || !add_file(process, is_first ? pc : pc - 1))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

/* --- stacks */

static const struct machine *machine_of(const struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; info->arch && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (!strcmp(info->arch, machines[i].name))
			return &machines[i];
	return NULL;
}

static struct process *process_of(struct profile_unwind *unwind, uint32_t pid)
{
	struct process **slot, *process;
	uint32_t index;

	if (map_get(&unwind->pids, pid, &index))
		return ((struct process **)unwind->processes.data)[index];
	process = calloc(1, sizeof(*process));
	slot = process ? vector_add(&unwind->processes, sizeof(*slot)) : NULL;
	if (!slot) {
		free(process);
		return NULL;
	}
	*slot = process;
	process->unwind = unwind;
	process->pid = pid;
	return map_set(&unwind->pids, pid, (uint32_t)unwind->processes.n - 1) ? NULL : process;
}

/* Begins with no file. libdwfl needs one to know the machine. Returns whether @pc is in a file. */
static bool begin(struct process *process, uint64_t pc)
{
	if (process->dwfl && add_file(process, pc))
		return true;
	if (process->dwfl)
		dwfl_end(process->dwfl);
	process->is_attached = false;
	process->dwfl = dwfl_begin(&files);
	return process->dwfl && add_file(process, pc);
}

int profile_unwind(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
		   uint64_t addresses[PROFILE_UNWIND_MOST], size_t *count)
{
	const struct machine *machine = machine_of(unwind->info);
	struct process *process;
	uint64_t pc;

	*count = 0;
	if (!machine || !profile_unwind_has(record) || !(record->has & PERF_SAMPLE_TID) || record->pid > INT32_MAX)
		return 0;
	process = process_of(unwind, record->pid);
	if (!process)
		return -ENOMEM;
	process->record = record;
	process->machine = machine;
	process->mask = record->event->attr->sample_regs_user;
	process->addresses = addresses;
	process->count = 0;
	if (!value_of(process, machine->pc, &pc) || !value_of(process, machine->sp, &process->sp))
		return 0;
	addresses[0] = pc;
	*count = 1;
	if (!begin(process, pc))
		return 0;
	if (!process->is_attached)
		process->is_attached = dwfl_attach_state(process->dwfl, NULL, (pid_t)record->pid, &threads, process);
	if (process->is_attached)
		dwfl_getthread_frames(process->dwfl, (pid_t)record->pid, take_frame, process);
	if (process->count)
		*count = process->count;
	return 0;
}

int profile_unwind_chain(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
			 uint64_t chain[PROFILE_UNWIND_CHAIN], size_t *count)
{
	const size_t room = PROFILE_UNWIND_CHAIN - PROFILE_UNWIND_MOST - 1;
	const struct gpmu_perfdata_sample *sample = &record->sample;
	size_t n = sample->callchain_count < room ? sample->callchain_count : room, found;
	int ret;

	if (n)
		memcpy(chain, sample->callchain, n * sizeof(*chain));
	ret = profile_unwind(unwind, record, chain + n + 1, &found);
	if (found)
		chain[n++] = PERF_CONTEXT_USER;
	*count = n + found;
	return ret;
}

void profile_unwind_release(struct profile_unwind *unwind)
{
	for (size_t i = 0; i < unwind->processes.n; i++) {
		struct process *process = ((struct process **)unwind->processes.data)[i];

		if (process->dwfl)
			dwfl_end(process->dwfl);
		free(process);
	}
	vector_release(&unwind->processes);
	map_release(&unwind->pids);
}
