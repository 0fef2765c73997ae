// SPDX-License-Identifier: LGPL-2.1-or-later
/* Queues the rows of a session for the writer. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "values/counts.h"
#include "base/text/text.h"
#include "base/vector.h"
#include "record/recorder.h"
#include "count/session.h"

static bool is_same(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Returns whether it is the same row as in earlier intervals. Identical rows of one interval are distinct; an event that is
 * requested twice has them.
 */
static bool is_row(const struct gpmu_recorder *recorder, size_t index, const struct gpmu_row *row)
{
	const struct gpmu_row *known = &recorder->rows[index].first;

	return recorder->rows[index].interval != recorder->interval && is_same(known->name, row->name) &&
	       is_same(known->gpu, row->gpu) && !known->metric == !row->metric &&
	       known->scope == row->scope && known->node == row->node && known->package == row->package &&
	       known->die == row->die && known->core == row->core && known->cpu == row->cpu && known->tid == row->tid;
}

static int add_row(struct gpmu_recorder *recorder, const struct gpmu_row *row)
{
	char *name = strdup(row->name), *gpu = row->gpu ? strdup(row->gpu) : NULL;
	struct recorder_row *added = NULL;

	if (name && (!row->gpu || gpu))
		added = vector_append(recorder->rows, recorder->row_count);
	if (!added) {
		free(name);
		free(gpu);
		return -ENOMEM;
	}
	*added = (struct recorder_row){ .first = *row, .number = -1 };
	added->first.name = name;
	added->first.gpu = gpu;
	return 0;
}

/*
 * Returns the row's index, adding it if it is new, or -ENOMEM. @guess: the likely index, as a session's rows mostly
 * have the same order
 */
static long find_row(struct gpmu_recorder *recorder, const struct gpmu_row *row, size_t guess)
{
	if (guess < recorder->row_count && is_row(recorder, guess, row))
		return (long)guess;
	for (size_t i = 0; i < recorder->row_count; i++)
		if (is_row(recorder, i, row))
			return (long)i;
	return add_row(recorder, row) ? -ENOMEM : (long)recorder->row_count - 1;
}

/* Returns whether the row is of an event with totals, neither a metric nor a mean. */
static bool is_total(const struct gpmu_plan *plan, const struct gpmu_row *row)
{
	for (size_t i = 0; !row->metric && i < plan->event_count; i++) {
		const struct gpmu_event *event = plan->events[i].event;
		const char *name = event && event->label ? event->label : plan->events[i].label;

		if (event && !plan->events[i].is_of_metrics && !strcmp(name, row->name))
			return !event->is_mean;
	}
	return false;
}

/* Returns a row's target: the name of its track's parent, or a GPU's UUID. The caller frees it; NULL: no memory */
static char *covered(const struct gpmu_row *row)
{
	if (row->gpu)
		return strdup(row->gpu);
	switch (row->scope) {
	case GPMU_SCOPE_NODE:
		return text_print("node %d", row->node);
	case GPMU_SCOPE_CPU:
		return text_print("CPU %d", row->cpu);
	case GPMU_SCOPE_SOCKET:
		return text_print("socket %d", row->package);
	case GPMU_SCOPE_DIE:
		return text_print("die S%d-D%d", row->package, row->die);
	case GPMU_SCOPE_CORE:
		return text_print("core S%d-D%d-C%d", row->package, row->die, row->core);
	case GPMU_SCOPE_THREAD:
		return text_print("task %d", row->tid);
	case GPMU_SCOPE_PROCESS:
		return strdup("command");
	default:
		return strdup("machine");
	}
}

/*
 * Queues the counter's description, before its first value. Returns its number, or -1 if
 * there is no room now.
 */
static int queue_head(struct gpmu_recorder *recorder, const struct gpmu_row *row)
{
	const char *description = NULL;
	const struct record_counter_head head = {
		.gpu_number = row->gpu_number, .has_unit = row->unit != NULL, .has_gpu = row->gpu != NULL,
		.is_total = is_total(recorder->session->plan, row),
		.group = row->gpu ? recorder_group(recorder->session->plan, row, &description) : GPMU_TRACE_UNCLASSIFIED,
	};
	char *parent = covered(row), *data = NULL;
	bool is_queued = false;
	int length = -1;

	/* The head replaces the blanks. */
	if (parent)
		length = asprintf(&data, "%*s%s%c%s%c%s%c%s", (int)sizeof(head), "", row->name, '\0', row->unit ? row->unit : "", '\0',
				  parent, '\0', description ? description : "");
	if (length >= 0) {
		memcpy(data, &head, sizeof(head));
		is_queued = record_queue_put_at(&recorder->queues[RECORDER_ROWS], RECORD_COUNTER, 0, data,
						(size_t)length + 1);
		free(data);
	}
	free(parent);
	/* The writer numbers counters in order of arrival. */
	return is_queued ? (int)recorder->head_count++ : -1;
}

static int put_row(struct gpmu_recorder *recorder, const struct gpmu_row *row, size_t guess)
{
	struct record record = { .type = RECORD_VALUE };
	struct record_value value = { .counted = row->state == GPMU_STATE_OK ||
						 row->state == GPMU_STATE_IDLE,
				      .value = row->value, .share = row->share };
	long index = find_row(recorder, row, guess);

	if (index < 0)
		return -ENOMEM;
	recorder->rows[index].interval = recorder->interval;
	/* An unsupported event has no track; the plan has reported it. */
	if (row->state == GPMU_STATE_NOT_SUPPORTED)
		return 0;
	if (recorder->rows[index].number < 0)
		recorder->rows[index].number = queue_head(recorder, row);
	record.begin = recorder->session->base->end + row->time_begin;
	record.end = recorder->session->base->end + row->time_end;
	/* The writer drops a value without a number, as if there were no room for it either. */
	value.counter = (uint32_t)recorder->rows[index].number;
	/* The metric's divisor is 0: the measured activity did not occur. */
	if (row->state == GPMU_STATE_IDLE)
		value.value = 0;
	record_queue_put(&recorder->queues[RECORDER_ROWS], &record, &value, sizeof(value));
	return 0;
}

int gpmu_recorder_note(struct gpmu_recorder *recorder, const char *text)
{
	char *copy = strdup(text);

	if (copy && !vector_append_value(recorder->notes, recorder->note_count, copy))
		return 0;
	free(copy);
	return -ENOMEM;
}

void recorder_notes_release(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < recorder->note_count; i++)
		free(recorder->notes[i]);
	free(recorder->notes);
}

int gpmu_recorder_rows(struct gpmu_recorder *recorder, const struct gpmu_rows *rows)
{
	struct record mark = { .type = RECORD_MARK };
	int ret = 0;

	if (!recorder->session)
		return -EINVAL;
	recorder->interval++;
	for (size_t i = 0; i < rows->length && !ret; i++) {
		const struct gpmu_row *row = &rows->list[i];

		ret = put_row(recorder, row, i);
		mark.begin = recorder->session->base->end + row->time_end;
	}
	/*
	 * The queue counts drops as lost values, so a mark must not be dropped: check for
	 * room first.
	 */
	if (rows->length && record_queue_has_room(&recorder->queues[RECORDER_ROWS], 0))
		record_queue_put(&recorder->queues[RECORDER_ROWS], &mark, NULL, 0);
	return ret;
}
