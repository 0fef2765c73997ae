// SPDX-License-Identifier: LGPL-2.1-or-later
/* Notes of a summary: the counts of both ends of a link. Rows of a missing side have their own reason. */
#include <math.h>
#include <stdio.h>

#include "base/text/number.h"
#include "values/gpmu_balance.h"
#include "values/sink/sink.h"

/* "20.00 GB/s"; values that round to 0 are shown as 0 */
static const char *write_gb(char *text, size_t size, double rate)
{
	char number[NUMBER_SIZE + 1];

	number[number_fixed(number, fabs(rate) < 5e6 ? 0 : rate / 1e9, 2, false)] = '\0';
	snprintf(text, size, "%s GB/s", number);
	return text;
}

static void put_line(struct gpmu_sink *sink, const struct gpmu_balance_line *line, bool *is_first)
{
	char left[NUMBER_SIZE + 8], right[NUMBER_SIZE + 8], rest[NUMBER_SIZE + 8];
	char percent[NUMBER_SIZE + 1], text[sizeof(left) * 4 + 128];
	int n;

	n = snprintf(text, sizeof(text), "%s %s, %s %s, ", line->left_of, write_gb(left, sizeof(left), line->left),
		     line->right_of, write_gb(right, sizeof(right), line->right));
	if (isnan(line->remainder)) {
		snprintf(text + n, sizeof(text) - (size_t)n, "idle");
	} else {
		percent[number_fixed(percent, 100 * fabs(line->part), 2, false)] = '\0';
		snprintf(text + n, sizeof(text) - (size_t)n, "remainder %s (%s%%)",
			 write_gb(rest, sizeof(rest), line->remainder), percent);
	}
	sink_note(sink, line->name, text, line->share < 1 ? ", an estimate" : "", is_first);
}

void sink_balance(struct gpmu_sink *sink, const struct gpmu_rows *rows, bool *is_first)
{
	struct gpmu_balance *balance = gpmu_balance_new();
	const struct gpmu_balance_line *line;

	if (!balance || gpmu_balance_update(balance, rows))
		sink->buffer.has_failed = true;
	for (size_t i = 0; balance && (line = gpmu_balance_line(balance, i)); i++)
		if (line->state == GPMU_STATE_OK)
			put_line(sink, line, is_first);
	gpmu_balance_free(balance);
}
