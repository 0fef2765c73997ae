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

#include "profile/profile_code.h"
#include "profile/profile_jitdump.h"
#include "profile/profile_object.h"

#define KERNEL		"[kernel.kallsyms]"
#define NO_FUNCTION	"[unknown]"
#define KSYMBOL_GONE	1	/* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
#define LINE_MOST	4096

int profile_code_text(struct profile_code *code, const char *text, uint32_t *number)
{
	int ret = strings_number(code->texts, text, number);

	++*number;
	return ret;
}

int profile_code_add(struct profile_code *code, const struct gpmu_perfdata_record *record)
{
	const struct gpmu_perfdata_ksymbol *from = &record->ksymbol;
	struct profile_symbol *symbol;
	uint32_t name;

	if (record->type != PERF_RECORD_KSYMBOL || from->flags & KSYMBOL_GONE || !from->len)
		return 0;
	symbol = vector_add(&code->added.list, sizeof(*symbol));
	if (!symbol || strings_number(&code->added_names, from->name, &name))
		return -ENOMEM;
	*symbol = (struct profile_symbol){ .begin = from->addr, .end = from->addr + from->len,
					   .name = strings_text(&code->added_names, name) };
	return 0;
}

void profile_code_begin(struct profile_code *code)
{
	profile_symbols_sort(&code->added);
	/* The C++ library is not linked, as the command starts faster without it. */
	code->library = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
	if (code->library)
		*(void **)&code->demangle = dlsym(code->library, "__cxa_demangle");
}

/* --- names */

static int set_function(struct profile_code *code, const char *name, uint32_t *number)
{
	char *text = code->demangle && !strncmp(name, "_Z", 2) ? code->demangle(name, NULL, NULL, NULL) : NULL;
	int ret = profile_code_text(code, text ? text : name, number);

	free(text);
	return ret;
}

/* As perf names objects: the last part of a path */
static int set_object(struct profile_code *code, const char *file, uint32_t *number)
{
	const char *slash = *file == '[' ? NULL : strrchr(file, '/');

	if (!strncmp(file, "//anon", 6))
		return profile_code_text(code, "[anon]", number);
	if (!strncmp(file, KERNEL, strlen(KERNEL)))
		return profile_code_text(code, KERNEL, number);
	return profile_code_text(code, slash && slash[1] ? slash + 1 : file, number);
}

/* The same of a map */
static int set_mapped(struct profile_code *code, const struct profile_map *map, uint32_t *number)
{
	if (map_get(&code->file_texts, map->file, number))
		return 0;
	if (set_object(code, profile_tasks_file(code->tasks, map), number))
		return -ENOMEM;
	return map_set(&code->file_texts, map->file, *number);
}

/* --- the kernel */

static const struct profile_build_id *recorded(const struct profile_code *code, const struct profile_map *map,
					       const char *file, struct profile_build_id *found)
{
	if (map->build_id)
		return (const struct profile_build_id *)code->tasks->build_ids.data + map->build_id - 1;
	for (size_t i = 0; i < code->info->build_id_count; i++) {
		const struct gpmu_perfdata_build_id *from = &code->info->build_ids[i];

		if (from->file && !strcmp(from->file, file)) {
			memcpy(found->id, from->id, sizeof(found->id));
			found->size = from->size;
			return found;
		}
	}
	return NULL;
}

/* Reads the functions of the running kernel if it is the one that was recorded. */
static int read_kernel(struct profile_code *code, const struct profile_map *map, const char *file)
{
	const struct profile_build_id *build_id;
	const struct profile_symbol *symbol;
	struct profile_build_id found;

	code->knows_kernel = true;
	build_id = recorded(code, map, KERNEL, &found);
	if (!build_id || !profile_symbols_is_kernel(build_id->id, build_id->size))
		return 0;
	if (profile_symbols_read_kernel(&code->kernel))
		return -ENOMEM;
	symbol = profile_symbols_named(&code->kernel, file + strlen(KERNEL));
	if (symbol)
		code->shift = map->offset - symbol->begin;
	else
		profile_symbols_release(&code->kernel);
	return 0;
}

static int find_kernel(struct profile_code *code, uint64_t address, uint64_t time, struct profile_place *place)
{
	const struct profile_map *map = profile_tasks_map(code->tasks, PROFILE_KERNEL, address, time);
	const struct profile_symbol *symbol = profile_symbols_find(&code->added, address);
	const char *file = map ? profile_tasks_file(code->tasks, map) : "[kernel]";
	bool is_kernel = !strncmp(file, KERNEL, strlen(KERNEL));

	if (symbol)
		file = is_kernel || !map ? "[bpf]" : file;
	if (map && is_kernel && !code->knows_kernel && read_kernel(code, map, file))
		return -ENOMEM;
	/* The modules of another boot are elsewhere. */
	if (!symbol && (is_kernel || !code->shift))
		symbol = profile_symbols_find(&code->kernel, address - code->shift);
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
static struct profile_object *object_of(struct profile_code *code, const struct profile_map *map)
{
	const char *file = profile_tasks_file(code->tasks, map);
	struct profile_build_id found;
	const struct profile_build_id *build_id = recorded(code, map, file, &found);
	uint64_t key = key_of(build_id, map->file);
	struct profile_file *added;
	uint32_t index;

	if (map_get(&code->object_numbers, key, &index))
		return ((struct profile_file *)code->objects.data)[index].object;
	added = vector_add(&code->objects, sizeof(*added));
	if (!added)
		return NULL;
	added->name = file;
	added->object = profile_object_new(file, build_id ? build_id->id : NULL, build_id ? build_id->size : 0);
	if (!added->object || map_set(&code->object_numbers, key, (uint32_t)code->objects.n - 1)) {
		profile_object_free(added->object);
		code->objects.n--;
		return NULL;
	}
	return added->object;
}

static struct profile_symbols *jit_of(struct profile_code *code, uint32_t pid)
{
	struct profile_symbols *added;
	uint32_t index;

	if (map_get(&code->jit_numbers, pid, &index))
		return (struct profile_symbols *)code->jits.data + index;
	added = vector_add(&code->jits, sizeof(*added));
	if (!added)
		return NULL;
	if (profile_symbols_read_jit(added, pid) ||
	    map_set(&code->jit_numbers, pid, (uint32_t)code->jits.n - 1)) {
		profile_symbols_release(added);
		code->jits.n--;
		return NULL;
	}
	return added;
}

/* Code in no file: of a just-in-time compiler, or unknown */
static int find_made(struct profile_code *code, uint32_t pid, uint64_t address, const char *file,
		     struct profile_place *place)
{
	const struct profile_symbols *symbols;
	const struct profile_symbol *symbol;

	if (!strncmp(file, PROFILE_JIT, strlen(PROFILE_JIT)))
		return set_function(code, file + strlen(PROFILE_JIT), &place->function) ? -ENOMEM :
		       profile_code_text(code, "[JIT]", &place->object);
	symbols = jit_of(code, pid);
	symbol = symbols ? profile_symbols_find(symbols, address) : NULL;

	if (!symbols || set_function(code, symbol ? symbol->name : NO_FUNCTION, &place->function))
		return -ENOMEM;
	return symbol ? profile_code_text(code, "[JIT]", &place->object) : set_object(code, file, &place->object);
}

static int set_line(struct profile_code *code, struct profile_object *object, uint64_t address, uint32_t *number)
{
	char text[LINE_MOST];
	int line = 0;
	const char *file = profile_object_line(object, address, &line);

	if (!file)
		return profile_code_text(code, NO_FUNCTION, number);
	snprintf(text, sizeof(text), "%s:%d", strrchr(file, '/') ? strrchr(file, '/') + 1 : file, line);
	return profile_code_text(code, text, number);
}

static int find_file(struct profile_code *code, const struct profile_map *map, uint64_t address,
		     struct profile_place *place)
{
	struct profile_object *object = object_of(code, map);
	const struct profile_function *function;

	if (!object)
		return -ENOMEM;
	address = profile_object_address(object, address - map->begin + map->offset);
	function = profile_object_function(object, address);
	if (set_function(code, function ? function->name : NO_FUNCTION, &place->function) ||
	    (code->lines && set_line(code, object, address, &place->line)))
		return -ENOMEM;
	return set_mapped(code, map, &place->object);
}

/* Whether a map has bytes of a file: not "[heap]", "//anon", "/memfd:jit", "/dev/zero" */
static bool is_file(const char *file)
{
	return *file == '/' && strncmp(file, "//", 2) != 0 && strncmp(file, "/memfd:", 7) != 0 &&
	       strncmp(file, "/dev/zero", 9) != 0 && strncmp(file, "/SYSV", 5) != 0;
}

int profile_code_find(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time,
		      struct profile_place *place)
{
	const struct profile_map *map;
	int ret;

	*place = (struct profile_place){ 0 };
	map = pid == PROFILE_KERNEL ? NULL : profile_tasks_map(code->tasks, pid, address, time);
	if (pid == PROFILE_KERNEL)
		ret = find_kernel(code, address, time, place);
	else if (map && is_file(profile_tasks_file(code->tasks, map)))
		return find_file(code, map, address, place);
	else
		ret = find_made(code, pid, address, map ? profile_tasks_file(code->tasks, map) : NO_FUNCTION, place);
	if (!ret && code->lines)
		ret = profile_code_text(code, NO_FUNCTION, &place->line);
	return ret;
}

int profile_code_data(struct profile_code *code, uint32_t pid, uint64_t address, uint64_t time, uint32_t *text)
{
	const struct profile_map *map;

	if (pid == PROFILE_KERNEL)
		return profile_code_text(code, "[kernel]", text);
	map = profile_tasks_map(code->tasks, pid, address, time);
	return map ? set_mapped(code, map, text) : profile_code_text(code, "[no map recorded]", text);
}

void profile_code_release(struct profile_code *code)
{
	for (size_t i = 0; i < code->objects.n; i++)
		profile_object_free(((struct profile_file *)code->objects.data)[i].object);
	for (size_t i = 0; i < code->jits.n; i++)
		profile_symbols_release((struct profile_symbols *)code->jits.data + i);
	vector_release(&code->objects);
	vector_release(&code->jits);
	map_release(&code->object_numbers);
	map_release(&code->file_texts);
	map_release(&code->jit_numbers);
	profile_symbols_release(&code->kernel);
	profile_symbols_release(&code->added);
	strings_release(&code->added_names);
	if (code->library)
		dlclose(code->library);
}
