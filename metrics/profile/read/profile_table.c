// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tables: the profile's rows, added up by some of its keys */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/read/profile.h"

/* Sets the place of each key in the profile's rows. */
static int find_keys(const struct gpmu_profile *profile, const enum gpmu_profile_key *keys,
		     size_t key_count, size_t *places)
{
	for (size_t i = 0; i < key_count; i++) {
		while (places[i] < profile->key_count && profile->keys[places[i]] != keys[i])
			places[i]++;
		if (places[i] == profile->key_count)
			return -EINVAL;
	}
	return 0;
}

/* Adds up the rows that are equal in the keys at @places. */
static int project(const struct gpmu_profile *profile, const size_t *places, size_t key_count,
		   struct profile_rows *to)
{
	const struct profile_row *list = profile->input.counter.rows.list;

	for (size_t i = 0; i < profile->input.counter.rows.n; i++) {
		struct profile_row row = list[i];

		memset(row.keys, 0, sizeof(row.keys));
		for (size_t k = 0; k < key_count; k++)
			row.keys[k] = list[i].keys[places[k]];
		if (profile_rows_add(to, &row))
			return -ENOMEM;
	}
	return 0;
}

static int set_row(const struct gpmu_profile *profile, const struct profile_row *from,
		   const enum gpmu_profile_key *keys, size_t key_count,
		   struct gpmu_profile_table *table)
{
	struct gpmu_profile_row *row = &table->rows[table->count++];

	*row = (struct gpmu_profile_row){
		.event = from->event,
		.samples = from->samples,
		.period = from->period,
		.latency = from->latency,
		.latency_samples = from->latency_samples,
		.latency_max = from->latency_max,
	};
	for (size_t k = 0; k < key_count; k++) {
		if (!from->keys[k])
			continue;
		row->keys[k] = table->texts[table->text_count] =
			profile_key_text(&profile->input.counter, keys[k], from->keys[k]);
		if (!row->keys[k])
			return -ENOMEM;
		table->text_count++;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct gpmu_profile_row *left = a, *right = b;
	int result = COMPARE(left->event, right->event) ?: COMPARE(right->period, left->period) ?:
		     COMPARE(right->samples, left->samples);

	for (size_t k = 0; k < GPMU_PROFILE_KEYS_MAX && !result; k++)
		result = strcmp(left->keys[k] ? left->keys[k] : "", right->keys[k] ? right->keys[k] : "");
	return result;
}

int gpmu_profile_table(const struct gpmu_profile *profile, const enum gpmu_profile_key *keys,
		       size_t key_count, struct gpmu_profile_table *table)
{
	size_t places[GPMU_PROFILE_KEYS_MAX] = { 0 };
	struct profile_rows rows = { 0 };
	int ret;

	*table = (struct gpmu_profile_table){ 0 };
	ret = key_count > GPMU_PROFILE_KEYS_MAX ? -EINVAL :
						   find_keys(profile, keys, key_count, places);
	if (!ret)
		ret = project(profile, places, key_count, &rows);
	if (!ret) {
		table->rows = calloc(rows.n + 1, sizeof(*table->rows));
		table->texts = calloc(rows.n * key_count + 1, sizeof(*table->texts));
		ret = table->rows && table->texts ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < rows.n && !ret; i++)
		ret = set_row(profile, &rows.list[i], keys, key_count, table);
	profile_rows_release(&rows);
	if (ret)
		gpmu_profile_table_release(table);
	else if (table->count)
		qsort(table->rows, table->count, sizeof(*table->rows), compare);
	return ret;
}

void gpmu_profile_table_release(struct gpmu_profile_table *table)
{
	for (size_t i = 0; i < table->text_count; i++)
		free(table->texts[i]);
	free(table->texts);
	free(table->rows);
	*table = (struct gpmu_profile_table){ 0 };
}
