// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names by number. CUPTI's pointers lead into the program's modules, which can be unloaded, so a number is found by the
 * text. The last number of the same pointer is tried first.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject.h"

#define HINTS		1024
#define FIRST_SLOTS	1024
#define LONGEST		4096	/* characters; longer names are truncated */
#define CALLS		2048	/* callback ids of a domain */
#define NAMES_MOST	(16 << 20)	/* bytes of one use, here and once more in gpmu */
#define BESIDE		64	/* bytes of a name in addition to its text */
#define MORE		"(more names)"

static char **list;		/* by number - 1 */
static uint32_t length, room;
static uint32_t *slots;		/* numbers, by hash */
static uint32_t n_slots;
static uint32_t hints[HINTS];
static size_t bytes[NAMES_USES];
static uint32_t more;		/* the number of MORE; 0: all names have had room */
static bool said[NAMES_USES];
static uint32_t calls[2][CALLS];

/*
 * Calls that only query, or that every other call makes: their records cost more than they tell. Numbers are those of
 * cupti_runtime_cbid.h and cupti_driver_cbid.h, which do not change.
 */
static const struct {
	uint32_t domain, cbid;
} noise[] = {
#define RUNTIME(cbid)	{ CUPTI_CB_DOMAIN_RUNTIME_API, cbid }
#define DRIVER(cbid)	{ CUPTI_CB_DOMAIN_DRIVER_API, cbid }
	RUNTIME(10),	/* cudaGetLastError */
	RUNTIME(11),	/* cudaPeekAtLastError */
	RUNTIME(17),	/* cudaGetDevice */
	RUNTIME(200),	/* cudaDeviceGetAttribute */
	RUNTIME(317),	/* cudaStreamIsCapturing */
	RUNTIME(318),	/* cudaStreamIsCapturing_ptsz */
	RUNTIME(409),	/* cudaStreamGetCaptureInfo_v2 */
	RUNTIME(410),	/* cudaStreamGetCaptureInfo_v2_ptsz */
	DRIVER(2),	/* cuDriverGetVersion */
	DRIVER(9),	/* cuDeviceGetAttribute */
	DRIVER(14),	/* cuCtxPushCurrent */
	DRIVER(15),	/* cuCtxPopCurrent */
	DRIVER(16),	/* cuCtxGetDevice */
	DRIVER(135),	/* cuGetExportTable */
	DRIVER(304),	/* cuCtxGetCurrent */
	DRIVER(323),	/* cuCtxPushCurrent_v2 */
	DRIVER(324),	/* cuCtxPopCurrent_v2 */
	DRIVER(392),	/* cuDevicePrimaryCtxGetState */
	DRIVER(626),	/* cuGetProcAddress */
	DRIVER(677),	/* cuGetProcAddress_v2 */
	DRIVER(683),	/* cuKernelGetFunction */
	DRIVER(686),	/* cuKernelGetAttribute */
	DRIVER(718),	/* cuFuncGetName */
	DRIVER(719),	/* cuKernelGetName, which the runtime calls for each launch */
	DRIVER(741),	/* cuFuncIsLoaded */
};

bool names_noise(size_t index, uint32_t *domain, uint32_t *cbid)
{
	if (index >= sizeof(noise) / sizeof(noise[0]))
		return false;
	*domain = noise[index].domain;
	*cbid = noise[index].cbid;
	return true;
}

bool names_is_noise(uint32_t domain, uint32_t cbid)
{
	uint32_t of_domain, of_cbid;

	for (size_t i = 0; names_noise(i, &of_domain, &of_cbid); i++)
		if (of_domain == domain && of_cbid == cbid)
			return true;
	return false;
}

/* FNV-1a */
static uint32_t hash_of(const char *text)
{
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < LONGEST && text[i]; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619u;
	return hash;
}

static void put(uint32_t number)
{
	uint32_t i = hash_of(list[number - 1]);

	while (slots[i & (n_slots - 1)])
		i++;
	slots[i & (n_slots - 1)] = number;
}

/* Makes room for one more, keeping at least half of the table empty */
static bool grow(void)
{
	uint32_t more = n_slots ? n_slots * 2 : FIRST_SLOTS, *table;
	char **texts;

	if (length < room)
		return true;
	texts = realloc(list, more / 2 * sizeof(char *));
	if (!texts)
		return false;
	list = texts;
	table = calloc(more, sizeof(*table));
	if (!table)
		return false;
	free(slots);
	slots = table;
	n_slots = more;
	room = more / 2;
	for (uint32_t number = 1; number <= length; number++)
		put(number);
	return true;
}

static bool write_name(struct inject *self, uint32_t number, const char *text)
{
	union {
		struct activity_name name;
		char bytes[sizeof(struct activity_name) + LONGEST + 8];
	} record;
	size_t n = strlen(text);

	memset(&record, 0, sizeof(record.name));
	record.name.head.kind = ACTIVITY_NAME;
	record.name.head.size = (sizeof(record.name) + n + 1 + 7) / 8 * 8;
	record.name.id = number;
	memset(record.bytes + record.name.head.size - 8, 0, 8);
	memcpy(record.name.text, text, n);
	return output_write(self, &record.name.head);
}

static uint32_t add(struct inject *self, const char *text)
{
	char *copy;

	if (!grow())
		return 0;
	copy = strndup(text, LONGEST);
	if (!copy || !write_name(self, length + 1, copy)) {
		free(copy);
		return 0;
	}
	list[length++] = copy;
	put(length);
	return length;
}

static uint32_t find(const char *text)
{
	for (uint32_t i = hash_of(text); n_slots; i++) {
		uint32_t number = slots[i & (n_slots - 1)];

		if (!number)
			break;
		if (!strncmp(list[number - 1], text, LONGEST))
			return number;
	}
	return 0;
}

static uint32_t add_more(struct inject *self, enum names_use use)
{
	if (!more)
		more = add(self, MORE);
	if (!said[use])
		output_note(self, ACTIVITY_WARNING,
			    "there are %d MiB of different names of %s: those that are new are \"" MORE "\" from here on%s",
			    NAMES_MOST >> 20, use == NAMES_OF_NVTX ? "NVTX" : "CUDA",
			    use == NAMES_OF_NVTX ? "; leave numbers out of them" : "");
	said[use] = true;
	return more;
}

/* The limit is for texts that never repeat, such as "step 5317", which would use up all memory. */
static uint32_t add_of(struct inject *self, enum names_use use, const char *text)
{
	size_t size = strnlen(text, LONGEST) + BESIDE;
	uint32_t number;

	if (bytes[use] + size > NAMES_MOST)
		return add_more(self, use);
	number = add(self, text);
	if (number)
		bytes[use] += size;
	return number;
}

uint32_t names_intern(struct inject *self, enum names_use use, const char *text)
{
	uint32_t *hint = &hints[((uintptr_t)text ^ (uintptr_t)text >> 10) % HINTS], number;

	if (!text || !*text)
		return 0;
	if (*hint && !strncmp(list[*hint - 1], text, LONGEST))
		return *hint;
	number = find(text);
	if (!number)
		number = add_of(self, use, text);
	if (number && number != more)
		*hint = number;
	return number;
}

/* "cudaLaunchKernel_v7000" is what a program calls cudaLaunchKernel(). */
static void cut_version(const char *name, char *to, size_t size)
{
	char *version;

	snprintf(to, size, "%s", name);
	version = strrchr(to, '_');
	if (version && version[1] == 'v' && strlen(version) >= sizeof("_v7000") - 1 &&
	    !version[2 + strspn(version + 2, "0123456789")])
		*version = '\0';
}

uint32_t names_call(struct inject *self, uint32_t domain, uint32_t cbid)
{
	uint32_t *number = &calls[domain == CUPTI_CB_DOMAIN_RUNTIME_API][cbid % CALLS], found;
	const char *name = NULL;
	char text[128];

	found = cbid < CALLS ? *number : 0;
	if (found)
		return found;
	if (!inject_is_alive(self) || self->api.callback_name(domain, cbid, &name) || !name)
		return 0;
	cut_version(name, text, sizeof(text));
	found = names_intern(self, NAMES_OF_CUDA, text);
	if (cbid < CALLS)
		*number = found;
	return found;
}
