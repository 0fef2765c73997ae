// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * perf script --dlfilter grace-spe.so: loads and stores of a recording with Arm SPE by
 * tier, function and data, with their latencies.
 *
 * perf makes several samples of a record. Only the event "memory" has exactly one for
 * each load and store, and the address of the data.
 *
 * perf 7.3 decodes the data source packets of Neoverse V2. perf 6.1 and 6.12 leave mem_lvl_num at 0
 * and set mem_lvl by the events of the record.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dlfilter.h"

#define DEFAULT_LINES	20
#define NAME_MAX_LEN	256
#define KEY_MAX_LEN	(2 * NAME_MAX_LEN + 64)

struct perf_dlfilter_fns perf_dlfilter_fns;

/* Samples of one key: "TIER", or "TIER\tFUNCTION\tDATA" */
struct entry {
	char *key;
	uint64_t samples;
	uint64_t timed;		/* samples with a latency */
	uint64_t latency;	/* their sum */
	uint64_t longest;
};

/* A hash table with open addressing, and the totals */
struct table {
	struct entry *entries;
	size_t size;		/* a power of two */
	size_t used;
	uint64_t samples;
	uint64_t without_address;
	uint64_t others;	/* samples of other events */
	unsigned int lines;
	bool is_guessed;	/* no sample has a level number */
};

/* --- the table */

static uint64_t hash(const char *key)
{
	uint64_t h = 0xcbf29ce484222325;	/* FNV-1a */

	while (*key)
		h = (h ^ (unsigned char)*key++) * 0x100000001b3;
	return h;
}

static struct entry *slot(struct entry *entries, size_t size, const char *key)
{
	size_t i = hash(key) & (size - 1);

	while (entries[i].key && strcmp(entries[i].key, key))
		i = (i + 1) & (size - 1);
	return &entries[i];
}

static int grow(struct table *table)
{
	size_t size = table->size ? 2 * table->size : 256;
	struct entry *entries = calloc(size, sizeof(*entries));

	if (!entries)
		return -ENOMEM;
	for (size_t i = 0; i < table->size; i++) {
		if (table->entries[i].key)
			*slot(entries, size, table->entries[i].key) = table->entries[i];
	}
	free(table->entries);
	table->entries = entries;
	table->size = size;
	return 0;
}

static int add(struct table *table, const char *key, uint64_t latency)
{
	struct entry *entry;

	if (2 * table->used >= table->size && grow(table))
		return -ENOMEM;
	entry = slot(table->entries, table->size, key);
	if (!entry->key) {
		entry->key = strdup(key);
		if (!entry->key)
			return -ENOMEM;
		table->used++;
	}
	entry->samples++;
	entry->timed += latency > 0;
	entry->latency += latency;
	if (latency > entry->longest)
		entry->longest = latency;
	return 0;
}

/* --- a sample */

static const char *level_of_number(unsigned int number)
{
	switch (number) {
	case PERF_MEM_LVLNUM_L1:
		return "L1";
	case PERF_MEM_LVLNUM_L2:
		return "L2";
	case PERF_MEM_LVLNUM_L3:
		return "L3";
	case PERF_MEM_LVLNUM_L4:
		return "L4";
	case PERF_MEM_LVLNUM_LFB:
		return "fill buffer";
	case PERF_MEM_LVLNUM_RAM:
		return "RAM";
	case PERF_MEM_LVLNUM_ANY_CACHE:
		return "a cache";
	default:
		return NULL;
	}
}

static const char *level_of_bits(unsigned int bits)
{
	if (bits & PERF_MEM_LVL_L1)
		return "L1";
	if (bits & PERF_MEM_LVL_LFB)
		return "fill buffer";
	if (bits & PERF_MEM_LVL_L2)
		return "L2";
	if (bits & PERF_MEM_LVL_L3)
		return "L3";
	if (bits & PERF_MEM_LVL_LOC_RAM)
		return "RAM";
	return NULL;
}

/* "load L2 of a peer", "load remote L3 miss", "store not recorded" */
static void name_tier(union perf_mem_data_src source, char *text, size_t size)
{
	const char *level = level_of_number(source.mem_lvl_num);
	bool is_remote = source.mem_remote == PERF_MEM_REMOTE_REMOTE;

	if (!level)
		level = level_of_bits(source.mem_lvl);
	snprintf(text, size, "%s%s%s%s%s%s", source.mem_op & PERF_MEM_OP_STORE ? "store" : "load",
		 is_remote ? " remote" : "", level ? " " : "",
		 level ? level : is_remote ? "" : " not recorded",
		 level && source.mem_lvl & PERF_MEM_LVL_MISS ? " miss" : "",
		 source.mem_snoopx & PERF_MEM_SNOOPX_PEER ? " of a peer" : "");
}

/* "SYMBOL (OBJECT)", without the parts that perf does not know */
static void name_place(const struct perf_dlfilter_al *al, char *text, size_t size)
{
	const char *object = al && al->dso ? strrchr(al->dso, '/') : NULL;

	if (object)
		object++;
	else if (al)
		object = al->dso;
	if (al && al->sym)
		snprintf(text, size, "%s (%s)", al->sym, object ? object : "?");
	else if (object)
		snprintf(text, size, "(%s)", object);
	else
		snprintf(text, size, "-");
	/* The separator of keys */
	for (; *text; text++) {
		if (*text == '\t')
			*text = ' ';
	}
}

static void name_data(const struct perf_dlfilter_sample *sample, void *ctx, char *text, size_t size)
{
	struct perf_dlfilter_al al = { .size = sizeof(al) };

	if (perf_dlfilter_fns.resolve_address(ctx, sample->addr, &al)) {
		snprintf(text, size, "-");
		return;
	}
	name_place(&al, text, size);
	if (perf_dlfilter_fns.al_cleanup)
		perf_dlfilter_fns.al_cleanup(ctx, &al);
}

static int count(struct table *table, const struct perf_dlfilter_sample *sample, void *ctx)
{
	union perf_mem_data_src source = { .val = sample->data_src };
	char tier[64], function[NAME_MAX_LEN], data[NAME_MAX_LEN], key[KEY_MAX_LEN];

	/* Arithmetic on vectors: perf 6.1 makes it a load of address 0 */
	if (!(source.mem_op & (PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE)) || !sample->addr) {
		table->without_address++;
		return 0;
	}
	table->samples++;
	if (source.mem_lvl_num)
		table->is_guessed = false;
	name_tier(source, tier, sizeof(tier));
	name_place(perf_dlfilter_fns.resolve_ip(ctx), function, sizeof(function));
	name_data(sample, ctx, data, sizeof(data));
	snprintf(key, sizeof(key), "%s\t%s\t%s", tier, function, data);
	if (add(table, tier, sample->weight))
		return -ENOMEM;
	return add(table, key, sample->weight);
}

/* --- the output */

static int by_samples(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->samples != y->samples)
		return x->samples < y->samples ? 1 : -1;
	return strcmp(x->key, y->key);
}

static void print_entry(const struct entry *entry, uint64_t total)
{
	const char *rest = entry->key;

	printf("%9" PRIu64 " %6.2f%% ", entry->samples, 100.0 * entry->samples / total);
	if (entry->timed)
		printf("%9.1f %9" PRIu64, (double)entry->latency / entry->timed, entry->longest);
	else
		printf("%9s %9s", "-", "-");
	for (const char *tab; (tab = strchr(rest, '\t')); rest = tab + 1)
		printf("  %-24.*s", (int)(tab - rest), rest);
	printf("  %s\n", rest);
}

/* Prints at most @max entries, of tiers or of functions. */
static void print_entries(const struct table *table, bool wants_functions, unsigned int max)
{
	unsigned int printed = 0;
	uint64_t left = 0;

	printf("\n  samples   share      mean   longest  %s\n", wants_functions ?
	       "tier                      function                  data" : "tier");
	for (size_t i = 0; i < table->used; i++) {
		if (!strchr(table->entries[i].key, '\t') == wants_functions)
			continue;
		if (printed++ < max)
			print_entry(&table->entries[i], table->samples);
		else
			left += table->entries[i].samples;
	}
	if (left)
		printf("%9" PRIu64 " %6.2f%%  in %u lines not printed: --dlarg 0 prints all\n",
		       left, 100.0 * left / table->samples, printed - max);
}

static void print_head(const struct table *table)
{
	printf("# %" PRIu64 " sampled loads and stores; latencies in cycles, from the selection of "
	       "the operation to its end\n", table->samples);
	if (table->without_address)
		printf("# %" PRIu64 " samples without an address are not counted\n",
		       table->without_address);
	if (table->is_guessed)
		printf("# This perf ignores the data source of these records and guesses tiers from "
		       "events: an L2\n# hit is \"L1 miss\", DRAM is \"L3 miss\". gpmu report has "
		       "the tiers of Neoverse V2.\n");
	else
		printf("# gpmu report adds the memory that holds the data, and the losses.\n");
}

static void print_nothing(const struct table *table)
{
	if (table->others)
		printf("# no sample of loads or stores among %" PRIu64 " samples: grace-spe.so needs "
		       "perf script --itrace=M\n", table->others);
	else
		printf("# no sample of loads or stores\n");
}

/* --- perf's interface */

int start(void **data, void *ctx)
{
	struct table *table = calloc(1, sizeof(*table));
	int count = 0;
	char **args;

	if (!table)
		return -ENOMEM;
	table->lines = DEFAULT_LINES;
	table->is_guessed = true;
	args = perf_dlfilter_fns.args(ctx, &count);
	if (count > 0) {
		char *end;
		unsigned long lines = strtoul(args[0], &end, 10);

		if (*end || end == args[0] || count > 1 || lines > UINT32_MAX) {
			fprintf(stderr, "grace-spe.so: --dlarg %s: expected the number of lines to "
				"print, or 0 for all\n", args[count > 1]);
			free(table);
			return -EINVAL;
		}
		table->lines = lines ? lines : UINT32_MAX;
	}
	*data = table;
	return 0;
}

int filter_event(void *data, const struct perf_dlfilter_sample *sample, void *ctx)
{
	struct table *table = data;

	if (!sample_has(sample, event) || !sample->event)
		return -EINVAL;
	if (strcmp(sample->event, "memory")) {
		table->others++;
		return SAMPLE_DROP;
	}
	return count(table, sample, ctx) ? -ENOMEM : SAMPLE_DROP;
}

int stop(void *data, void *ctx)
{
	struct table *table = data;
	size_t used = 0;

	(void)ctx;
	/* perf calls stop() also after start() failed */
	if (!table)
		return 0;
	if (table->samples) {
		for (size_t i = 0; i < table->size; i++) {
			if (table->entries[i].key)
				table->entries[used++] = table->entries[i];
		}
		qsort(table->entries, used, sizeof(*table->entries), by_samples);
		print_head(table);
		print_entries(table, false, UINT32_MAX);
		print_entries(table, true, table->lines);
	} else {
		print_nothing(table);
	}
	for (size_t i = 0; i < used; i++)
		free(table->entries[i].key);
	free(table->entries);
	free(table);
	return 0;
}

const char *filter_description(const char **long_description)
{
	*long_description = "Prints loads and stores of a recording with Arm SPE by tier, function and data, "
			    "with latencies, instead of samples.\n"
			    "--dlarg N prints N lines of functions (default 20), 0 all of them.\n"
			    "--itrace=M makes perf decode no other samples.";
	return "Loads and stores of Arm SPE by tier, function and data";
}
