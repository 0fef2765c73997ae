// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * libdwfl follows the frames of a thread with the registers and the memory that it is given. Files are added when an
 * address is in them. If another file has taken the addresses of one, as after exec(), the files of the process are read
 * again. Only the files of the last processes are kept, to bound memory.
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/profile_object.h"
#include "profile/profile_unwind.h"

#define NONE	0xff
#define REGISTERS	33	/* of perf's numbers */
#define PROCESSES	32	/* whose files are kept */

/* A machine: DWARF's number of each of perf's registers (asm/perf_regs.h), and perf's numbers of SP and PC */
struct machine {
	const char *name;
	uint8_t dwarf[REGISTERS];
	unsigned int count, sp, pc;
};

static const struct machine machines[] = {
	{ .name = "x86_64", .count = 24, .sp = 7, .pc = 8,
	  .dwarf = { 0, 3, 2, 1, 4, 5, 6, 7, 16, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 8, 9, 10, 11, 12, 13, 14, 15 } },
	{ .name = "aarch64", .count = 33, .sp = 31, .pc = 32,
	  .dwarf = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28,
		     29, 30, 31, NONE } },
};

struct profile_unwind_process {
	Dwfl *dwfl;			/* NULL: none */
	uint32_t pid;
	bool is_attached;
	bool is_stale;			/* has a file whose addresses are now of another one */
	uint64_t time;			/* number of its last stack; 0: the slot is free */
	struct profile_code *code;
	int error;			/* 0 or -ENOMEM */
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
static bool value_of(const struct profile_unwind_process *process, unsigned int number, uint64_t *value)
{
	size_t place = (size_t)__builtin_popcountll(process->mask & ((1ULL << number) - 1));

	if (!(process->mask >> number & 1) || place >= process->record->sample.user.count)
		return false;
	*value = process->record->sample.user.values[place];
	return true;
}

/* --- files */

static struct profile_map *map_of(const struct profile_unwind_process *process, uint64_t address)
{
	struct profile_range range = PROFILE_RANGE_ALL;

	return profile_tasks_map(process->code->tasks, process->pid, address, process->record->time, &range);
}

/* Adds the file, or the function of a jitdump, that has an address. Returns whether it is on this machine and unchanged. */
static bool add_file(struct profile_unwind_process *process, struct profile_map *map, uint64_t address)
{
	struct profile_range range = PROFILE_RANGE_ALL, in_file;
	Dwfl_Module *module = dwfl_addrmodule(process->dwfl, address);
	struct profile_object *object = NULL;
	GElf_Addr begin, bias, found;
	void **user;

	process->error = profile_code_object(process->code, map, &object);
	if (!object || !profile_object_elf(object, &in_file))
		return false;
	bias = address - profile_object_address(object, address - map->begin + map->offset, &range);
	if (module) {
		dwfl_module_info(module, &user, &begin, NULL, NULL, NULL, NULL, NULL);
		process->is_stale = begin != bias + in_file.begin || *user != object;
		return !process->is_stale;
	}
	if (bias + in_file.begin > address || bias + in_file.end <= address)
		return false;
	dwfl_report_begin_add(process->dwfl);
	module = dwfl_report_module(process->dwfl, profile_tasks_file(process->code->tasks, map), bias + in_file.begin,
				    bias + in_file.end);
	if (module && dwfl_module_info(module, &user, NULL, NULL, NULL, NULL, NULL, NULL))
		*user = object;
	dwfl_report_end(process->dwfl, NULL, NULL);
	return module && dwfl_module_getelf(module, &found) && found == bias;
}

/* --- callbacks of libdwfl */

/* The file was read for its functions. */
static int find_elf(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	struct profile_range range;

	(void)module;
	(void)name;
	(void)base;
	(void)file;
	*elf = elf_begin(-1, ELF_C_READ, profile_object_elf(*user, &range));
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
	.find_elf = find_elf, .find_debuginfo = no_debuginfo, .section_address = dwfl_offline_section_address,
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
	const struct profile_unwind_process *process = user;
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
	const struct profile_unwind_process *process = user;
	uint64_t value;

	for (unsigned int i = 0; i < process->machine->count; i++) {
		Dwarf_Word word;

		if (!value_of(process, i, &value))
			continue;
		word = value;
		if (process->machine->dwarf[i] != NONE &&
		    !dwfl_thread_state_registers(thread, process->machine->dwarf[i], 1, &word))
			return false;
		if (i == process->machine->pc)
			dwfl_thread_state_register_pc(thread, word);
	}
	return true;
}

static const Dwfl_Thread_Callbacks threads = {
	.next_thread = next_thread, .memory_read = read_memory, .set_initial_registers = set_registers,
};

/*
 * Takes the frames that perf prints. The stack ends at address 0 and at data, because neither is a return address: the stack of a new
 * process begins with the number of its arguments, mostly 1, and the call before address 1 would be at 0. From an address without a
 * map, libdwfl follows frame pointers.
 */
static int take_frame(Dwfl_Frame *frame, void *user)
{
	struct profile_unwind_process *process = user;
	struct profile_map *map;
	Dwarf_Addr pc, address;

	/* If its last argument is not NULL, dwfl_frame_pc() unwinds the next frame, before libdwfl knows the file of this frame. */
	if (!dwfl_frame_pc(frame, &pc, NULL) || !pc)
		return DWARF_CB_ABORT;
	address = process->count ? pc - 1 : pc;
	map = map_of(process, address);
	if (!address || (map && map->kind == PROFILE_MAP_DATA && process->count))
		return DWARF_CB_ABORT;
	process->addresses[process->count++] = pc;
	if (process->count == PROFILE_UNWIND_MAX || (map && !add_file(process, map, address)))
		return DWARF_CB_ABORT;
	return DWARF_CB_OK;
}

/* --- stacks */

static const struct machine *machine_of(const struct gpmu_perfdata_info *info)
{
	for (size_t i = 0; info->arch && i < ARRAY_SIZE(machines); i++)
		if (!strcmp(info->arch, machines[i].name))
			return &machines[i];
	return NULL;
}

static void drop(struct profile_unwind_process *process)
{
	if (process->dwfl)
		dwfl_end(process->dwfl);
	process->dwfl = NULL;
	process->is_attached = process->is_stale = false;
}

/* The process of a number, whose slot is that of the oldest one if it is new; NULL: out of memory */
static struct profile_unwind_process *process_of(struct profile_unwind *unwind, uint32_t pid)
{
	struct profile_unwind_process *list, *found;

	if (!unwind->processes)
		unwind->processes = calloc(PROCESSES, sizeof(*unwind->processes));
	list = found = unwind->processes;
	for (size_t i = 0; list && i < PROCESSES; i++) {
		if (list[i].time && list[i].pid == pid) {
			found = &list[i];
			break;
		}
		if (list[i].time < found->time)
			found = &list[i];
	}
	if (!found)
		return NULL;
	if (found->pid != pid)
		drop(found);
	found->pid = pid;
	found->time = ++unwind->time;
	return found;
}

/* libdwfl needs a file to know the machine. */
static void follow(struct profile_unwind_process *process, uint64_t pc)
{
	struct profile_map *map = map_of(process, pc);

	process->count = 0;
	if (!process->dwfl)
		process->dwfl = dwfl_begin(&files);
	if (!process->dwfl)
		process->error = -ENOMEM;
	if (!process->dwfl || !map || !add_file(process, map, pc))
		return;
	if (!process->is_attached)
		process->is_attached = dwfl_attach_state(process->dwfl, NULL, (pid_t)process->pid, &threads, process);
	if (process->is_attached)
		dwfl_getthread_frames(process->dwfl, (pid_t)process->pid, take_frame, process);
}

int profile_unwind(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
		   uint64_t addresses[PROFILE_UNWIND_MAX], size_t *count)
{
	const struct machine *machine = machine_of(unwind->code->info);
	struct profile_unwind_process *process;
	uint64_t pc;

	*count = 0;
	if (!machine || !profile_unwind_has(record) || !(record->has & PERF_SAMPLE_TID) || record->pid > INT32_MAX)
		return 0;
	process = process_of(unwind, record->pid);
	if (!process)
		return -ENOMEM;
	process->code = unwind->code;
	process->error = 0;
	process->record = record;
	process->machine = machine;
	process->mask = record->event->attr->sample_regs_user;
	process->addresses = addresses;
	if (!value_of(process, machine->pc, &pc) || !value_of(process, machine->sp, &process->sp))
		return 0;
	addresses[0] = pc;
	*count = 1;
	follow(process, pc);
	if (process->is_stale) {
		drop(process);
		follow(process, pc);
	}
	if (process->count)
		*count = process->count;
	return process->error;
}

int profile_unwind_chain(struct profile_unwind *unwind, const struct gpmu_perfdata_record *record,
			 uint64_t chain[PROFILE_UNWIND_CHAIN], size_t *count)
{
	const size_t room = PROFILE_UNWIND_CHAIN - PROFILE_UNWIND_MAX - 1;
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
	for (size_t i = 0; unwind->processes && i < PROCESSES; i++)
		drop(&unwind->processes[i]);
	free(unwind->processes);
}
