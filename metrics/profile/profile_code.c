// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf names the map of the kernel "[kernel.kallsyms]SYMBOL", and its offset is the address that the symbol had.
 * So the functions of the running kernel can be used if it is the recorded kernel, wherever it was loaded.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "profile/elf/profile_elf.h"
#include "profile/profile_code.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_object.h"

#define KERNEL		"[kernel.kallsyms]"
#define NO_FUNCTION	"[unknown]"
#define JIT		"[JIT]"
#define KSYMBOL_GONE	1	/* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define LINE_BYTES_MAX	4096

int profile_code_text(struct profile_code *code, const char *text, uint32_t *number)
{
	int ret = strings_number(code->texts, text, number);

	++*number;
	return ret;
}

int profile_code_add(struct profile_code *code, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_ksymbol *from = &record->ksymbol;
	uint32_t name;

	if (record->type != PERF_RECORD_KSYMBOL || from->flags & KSYMBOL_GONE || !from->len)
		return 0;
	if (strings_number(&code->added_names, from->name, &name))
		return -ENOMEM;
	return vector_push(&code->added, &(struct profile_symbol){
		.begin = from->addr, .end = from->addr + from->len, .name = strings_text(&code->added_names, name) });
}

int profile_code_begin(struct profile_code *code)
{
	int ret = 0;

	profile_symbols_sort(&code->added);
	/* The first of several build ids of a file is used. */
	for (size_t i = code->info->build_id_count; i-- && !ret;) {
		const char *file = code->info->build_ids[i].file;

		ret = file ? map_set(&code->build_ids, text_hash(file, strlen(file)), (uint32_t)i) : 0;
	}
	return ret;
}

/* --- names */

/* The C++ library is loaded for the first such name, as the command starts faster without it. */
static char *demangle(struct profile_code *code, const char *name)
{
	if (!code->is_library_known)
		code->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (!code->is_library_known && code->library)
		*(void **)&code->demangle = dlsym(code->library, "__cxa_demangle");
	code->is_library_known = true;
	return code->demangle ? code->demangle(name, NULL, NULL, NULL) : NULL;
}

static int set_function(struct profile_code *code, const char *name, uint32_t *number)
{
	char *text = strncmp(name, "_Z", 2) ? NULL : demangle(code, name);
	int ret = profile_code_text(code, text ? text : name, number);

	free(text);
	return ret;
}

/* Sets the text of a symbol of an ELF file, without the version: malloc@@GLIBC_2.2.5 is malloc. */
static int set_symbol(struct profile_code *code, const char *name, uint32_t *number)
{
	char *plain = strndup(name, 1 + strcspn(name + 1, "@"));
	int ret = plain ? set_function(code, plain, number) : -ENOMEM;

	free(plain);
	return ret;
}

static int set_no_function(struct profile_code *code, uint32_t *number)
{
	if (!code->no_function && profile_code_text(code, NO_FUNCTION, &code->no_function))
		return -ENOMEM;
	*number = code->no_function;
	return 0;
}

/* As perf names objects: the last part of a path */
static int set_object(struct profile_code *code, const char *file, uint32_t *number)
{
	const char *slash = *file == '[' ? NULL : strrchr(file, '/');

	if (!strncmp(file, "//anon", 6) || !strncmp(file, "/anon_hugepage", 14))
		return profile_code_text(code, "[anon]", number);
	if (!strncmp(file, KERNEL, strlen(KERNEL)))
		return profile_code_text(code, KERNEL, number);
	return profile_code_text(code, slash && slash[1] ? slash + 1 : file, number);
}

/* --- the kernel */

static const struct profile_build_id *recorded(const struct profile_code *code, const struct profile_map *map,
					       const char *file, struct profile_build_id *found)
{
	const struct gpmu_perfdata_build_id *from;
	uint32_t index;

	if (map->build_id)
		return &code->tasks->build_ids.list[map->build_id - 1];
	if (!map_get(&code->build_ids, text_hash(file, strlen(file)), &index))
		return NULL;
	from = &code->info->build_ids[index];
	if (strcmp(from->file, file) != 0)
		return NULL;
	memcpy(found->id, from->id, sizeof(found->id));
	found->size = from->size;
	return found;
}

/* Reads the functions of the running kernel, which has them of modules, too, if it is the one that was recorded. */
static int read_kernel(struct profile_code *code)
{
	const struct profile_map *map = profile_tasks_map_named(code->tasks, PROFILE_KERNEL, KERNEL);
	const struct profile_build_id *build_id;
	const struct profile_symbol *symbol;
	struct profile_build_id found;

	code->is_kernel_known = true;
	code->kernel_state = GPMU_PROFILE_KERNEL_NO_MAP;
	if (!map)
		return 0;
	build_id = recorded(code, map, KERNEL, &found);
	code->kernel_state = build_id ? GPMU_PROFILE_KERNEL_OTHER : GPMU_PROFILE_KERNEL_NO_BUILD_ID;
	if (!build_id || !profile_symbols_is_kernel(build_id->id, build_id->size))
		return 0;
	if (profile_symbols_read_kernel(&code->kernel))
		return -ENOMEM;
	code->kernel_state = code->kernel.n ? GPMU_PROFILE_KERNEL_KNOWN : GPMU_PROFILE_KERNEL_HIDDEN;
	symbol = profile_symbols_named(&code->kernel, profile_tasks_file(code->tasks, map) + strlen(KERNEL));
	if (symbol)
		code->shift = map->offset - symbol->begin;
	else
		profile_symbols_release(&code->kernel);
	return 0;
}

static int find_kernel(struct profile_code *code, uint64_t address, uint64_t time, struct profile_range *range,
		       struct profile_place *place)
{
	const struct profile_map *map = profile_tasks_map(code->tasks, PROFILE_KERNEL, address, time, range);
	const struct profile_symbol *symbol = profile_symbols_find(&code->added, address, range);
	struct profile_range now = PROFILE_RANGE_ALL;
	const char *file = map ? profile_tasks_file(code->tasks, map) : "[kernel]";
	bool is_kernel = !strncmp(file, KERNEL, strlen(KERNEL));

	if (symbol)
		file = is_kernel || !map ? "[bpf]" : file;
	if (!code->is_kernel_known && read_kernel(code))
		return -ENOMEM;
	/* The modules of another boot are elsewhere. */
	if (!symbol && (is_kernel || !code->shift))
		symbol = profile_symbols_find(&code->kernel, address - code->shift, &now);
	profile_range_limit_to(range, address, &now, address - code->shift);
	if (!symbol && !code->kernel_lack)
		code->kernel_lack = map ? code->kernel_state : GPMU_PROFILE_KERNEL_NO_MAP;
	if (set_function(code, symbol ? symbol->name : "[kernel]", &place->function))
		return -ENOMEM;
	return set_object(code, file, &place->object);
}

/* --- processes */

static uint64_t key_of(const struct profile_build_id *build_id, uint32_t file)
{
	uint32_t hash = 0;

	for (size_t i = 0; build_id && i < build_id->size; i++)
		hash = hash * 31 + build_id->id[i];
	return (uint64_t)file << 32 | hash;
}

/* The file of a map; NULL: out of memory */
static struct profile_file *file_of(struct profile_code *code, struct profile_map *map)
{
	const char *name = profile_tasks_file(code->tasks, map);
	struct profile_build_id found;
	struct profile_file *file;

	if (map->known)
		return &code->files.list[map->known - 1];
	file = vector_element(&code->files, &code->file_numbers, key_of(recorded(code, map, name, &found), map->file));
	if (!file)
		return NULL;
	file->name = name;
	if (!file->text && set_object(code, name, &file->text)) {
		file->text = 0;
		return NULL;
	}
	map->known = (uint32_t)(file - code->files.list) + 1;
	return file;
}

static struct profile_symbols *jit_of(struct profile_code *code, uint32_t pid)
{
	const size_t n = code->jits.n;
	struct profile_symbols *symbols = vector_element(&code->jits, &code->jit_numbers, pid);

	if (!symbols || code->jits.n == n || !profile_symbols_read_jit(symbols, pid))
		return symbols;
	profile_symbols_release(symbols);
	return NULL;
}

/* Code in no file: of a just-in-time compiler, or unknown */
static int find_made(struct profile_code *code, uint32_t pid, uint64_t address, const char *file,
		     struct profile_range *range, struct profile_place *place)
{
	const struct profile_symbols *symbols;
	const struct profile_symbol *symbol;

	if (!strncmp(file, PROFILE_JIT, strlen(PROFILE_JIT)))
		return set_function(code, file + strlen(PROFILE_JIT), &place->function) ? -ENOMEM :
		       profile_code_text(code, JIT, &place->object);
	symbols = jit_of(code, pid);
	symbol = symbols ? profile_symbols_find(symbols, address, range) : NULL;

	if (!symbols)
		return -ENOMEM;
	if (!symbol)
		return set_no_function(code, &place->function) ? -ENOMEM : set_object(code, file, &place->object);
	if (set_function(code, symbol->name, &place->function))
		return -ENOMEM;
	return profile_code_text(code, JIT, &place->object);
}

static int set_line(struct profile_code *code, struct profile_object *object, uint64_t address, uint32_t *number)
{
	char text[LINE_BYTES_MAX];
	const char *file;
	int line = 0;

	if (profile_object_line(object, address, &file, &line))
		return -ENOMEM;
	if (!file)
		return set_no_function(code, number);
	snprintf(text, sizeof(text), "%s:%d", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	return profile_code_text(code, text, number);
}

/* perf 7.3 records no build id of [vdso]. If the recorded kernel is running, the running kernel's [vdso] is the recorded one. */
static int find_vdso(struct profile_code *code, struct profile_build_id *found,
		     const struct profile_build_id **build_id)
{
	if (!code->is_kernel_known && read_kernel(code))
		return -ENOMEM;
	if (code->kernel_state == GPMU_PROFILE_KERNEL_KNOWN || code->kernel_state == GPMU_PROFILE_KERNEL_HIDDEN) {
		found->size = profile_elf_vdso_build_id(found->id);
		*build_id = found;
	}
	return 0;
}

static int read_object(struct profile_code *code, const struct profile_map *map, struct profile_file *file)
{
	struct profile_build_id found;
	const struct profile_build_id *build_id = recorded(code, map, file->name, &found);

	if (!build_id && !strcmp(file->name, PROFILE_VDSO) && find_vdso(code, &found, &build_id))
		return -ENOMEM;
	file->has_build_id = build_id != NULL;
	if (!code->dwfl)
		code->dwfl = profile_object_begin(&code->wait);
	if (code->dwfl)
		file->object = profile_object_new(code->dwfl, file->name, build_id ? build_id->id : NULL,
						  build_id ? build_id->size : 0);
	return file->object ? 0 : -ENOMEM;
}

/* Makes the object of a function of a jitdump, once. As in perf, a function without unwinding information has frame pointers. */
static int function_of(struct profile_code *code, struct profile_map *map, struct profile_object **object)
{
	const struct profile_jit_frame_list *all = code->jitdumps ? &code->jitdumps->frames : NULL;
	const struct profile_jit_frames *frames = NULL;

	if (map->known) {
		*object = code->functions.list[map->known - 1];
		return 0;
	}
	if (all && map->frames && map->frames <= all->n)
		frames = &all->list[map->frames - 1];
	*object = profile_object_new_function(code->info->arch, map->end - map->begin, frames);
	if (!*object || vector_push(&code->functions, object)) {
		profile_object_free(*object);
		*object = NULL;
		return -ENOMEM;
	}
	map->known = (uint32_t)code->functions.n;
	return 0;
}

int profile_code_object(struct profile_code *code, struct profile_map *map, struct profile_object **object)
{
	struct profile_file *file;

	*object = NULL;
	if (map->kind == PROFILE_MAP_FUNCTION)
		return function_of(code, map, object);
	file = file_of(code, map);
	if (!file)
		return -ENOMEM;
	if (map->kind != PROFILE_MAP_FILE)
		return 0;
	if (!file->object && read_object(code, map, file))
		return -ENOMEM;
	*object = file->object;
	return 0;
}

/* Finds the functions that are inlined at an address, and sets their texts. */
static int set_inlined(struct profile_code *code, struct profile_object *object, uint64_t address,
		       struct profile_range *range, struct profile_place *place)
{
	struct profile_inlined *inlined;

	if (profile_object_inlined(object, address, range, &inlined))
		return -ENOMEM;
	place->inlined = inlined;
	for (; inlined && !inlined->text; inlined = inlined->caller)
		if (set_function(code, inlined->name, &inlined->text))
			return -ENOMEM;
	return 0;
}

static int find_file(struct profile_code *code, const struct profile_map *map, struct profile_file *file,
		     uint64_t address, struct profile_range *range, struct profile_place *place)
{
	struct profile_range segment = PROFILE_RANGE_ALL, same = PROFILE_RANGE_ALL;
	const uint64_t offset = address - map->begin + map->offset;
	struct profile_function *function;
	uint64_t in_file;

	in_file = profile_object_address(file->object, offset, &segment);
	function = profile_object_function(file->object, in_file, &same);
	if (function && code->wants_inlines && set_inlined(code, file->object, in_file, &same, place))
		return -ENOMEM;
	profile_range_limit_to(range, address, &segment, offset);
	profile_range_limit_to(range, address, &same, in_file);
	if (function && !function->text && set_symbol(code, function->name, &function->text))
		return -ENOMEM;
	if (!function && set_no_function(code, &place->function))
		return -ENOMEM;
	if (function)
		place->function = function->text;
	place->object = file->text;
	return code->wants_lines ? set_line(code, file->object, in_file, &place->line) : 0;
}

int profile_code_find(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time,
		      struct profile_range *range, struct profile_place *place)
{
	struct profile_object *object;
	struct profile_map *map;
	int ret;

	*place = (struct profile_place){ 0 };
	*range = PROFILE_RANGE_ALL;
	if (code->wants_lines)
		*range = (struct profile_range){ address, address + 1 };
	map = pid == PROFILE_KERNEL ? NULL : profile_tasks_map(code->tasks, pid, address, time, range);
	if (map && map->kind == PROFILE_MAP_FILE)
		return profile_code_object(code, map, &object) ? -ENOMEM :
		       find_file(code, map, file_of(code, map), address, range, place);
	if (pid == PROFILE_KERNEL)
		ret = find_kernel(code, address, time, range, place);
	else
		ret = find_made(code, pid, address, map ? profile_tasks_file(code->tasks, map) : NO_FUNCTION, range, place);
	if (!ret && code->wants_lines)
		ret = set_no_function(code, &place->line);
	return ret;
}

int profile_code_data(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time,
		      struct profile_range *range, uint32_t *text)
{
	const struct profile_file *file;
	struct profile_map *map;

	*range = PROFILE_RANGE_ALL;
	if (pid == PROFILE_KERNEL)
		return profile_code_text(code, "[kernel]", text);
	map = profile_tasks_map(code->tasks, pid, address, time, range);
	if (!map)
		return profile_code_text(code, "[no map recorded]", text);
	if (map->kind == PROFILE_MAP_FUNCTION)
		return profile_code_text(code, JIT, text);
	file = file_of(code, map);
	if (!file)
		return -ENOMEM;
	*text = file->text;
	return 0;
}

void profile_code_release(struct profile_code *code)
{
	for (size_t i = 0; i < code->files.n; i++)
		profile_object_free(code->files.list[i].object);
	for (size_t i = 0; i < code->functions.n; i++)
		profile_object_free(code->functions.list[i]);
	dwfl_end(code->dwfl);
	for (size_t i = 0; i < code->jits.n; i++)
		profile_symbols_release(&code->jits.list[i]);
	vector_free(&code->files);
	vector_free(&code->functions);
	vector_free(&code->jits);
	map_release(&code->build_ids);
	map_release(&code->file_numbers);
	map_release(&code->jit_numbers);
	profile_symbols_release(&code->kernel);
	profile_symbols_release(&code->added);
	strings_release(&code->added_names);
	if (code->library)
		dlclose(code->library);
}
