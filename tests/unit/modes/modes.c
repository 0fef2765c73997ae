// SPDX-License-Identifier: LGPL-2.1-or-later
/* The exclusions of modes, compared with what was measured */
#include <stdio.h>

#include "modes/gpmu_modes.h"
#include "tap.h"

static const char *const short_names[GPMU_MODES] = {
	[GPMU_MODE_RECORDS] = "records", [GPMU_MODE_SERIAL_RECORDS] = "serial-records",
	[GPMU_MODE_RANGE_KERNEL] = "range-kernel", [GPMU_MODE_RANGE_USER] = "range-user",
	[GPMU_MODE_PM] = "pm", [GPMU_MODE_PC] = "pc", [GPMU_MODE_PC_SERIAL] = "pc-serial",
	[GPMU_MODE_SASS] = "sass", [GPMU_MODE_CHECKPOINT] = "checkpoint",
};

static enum gpmu_mode find(const char *name)
{
	enum gpmu_mode mode = 0;

	while (mode < GPMU_MODES && strcmp(short_names[mode], name))
		mode++;
	return mode;
}

static uint32_t pair(enum gpmu_mode a, enum gpmu_mode b)
{
	return UINT32_C(1) << a | UINT32_C(1) << b;
}

/* A pair is usable if it works in one order and loses no data silently in either. */
static bool is_usable[GPMU_MODES][GPMU_MODES];

static unsigned int read_measured(void)
{
	bool can_work[GPMU_MODES][GPMU_MODES] = { { false } }, is_silent[GPMU_MODES][GPMU_MODES] = { { false } };
	FILE *file = fopen("tests/unit/modes/measured.tsv", "r");
	char line[256], process[16], first[24], second[24], result[16];
	unsigned int length = 0;

	while (file && fgets(line, sizeof(line), file)) {
		enum gpmu_mode a, b;

		if (sscanf(line, "%15s\t%23s\t%23s\t%15s", process, first, second, result) != 4 || strcmp(process, "same"))
			continue;
		a = find(first);
		b = find(second);
		if (a == GPMU_MODES || b == GPMU_MODES)
			continue;
		can_work[a][b] = !strcmp(result, "works");
		is_silent[a][b] = !strcmp(result, "silent");
		length++;
	}
	if (file)
		fclose(file);
	for (int a = 0; a < GPMU_MODES; a++)
		for (int b = 0; b < GPMU_MODES; b++)
			is_usable[a][b] = (can_work[a][b] || can_work[b][a]) && !is_silent[a][b] && !is_silent[b][a];
	return length;
}

int main(void)
{
	char text[256];
	bool is_same = true;

	ok(read_measured() == GPMU_MODES * (GPMU_MODES - 1), "modes: each pair was measured in each order");
	for (int a = 0; a < GPMU_MODES; a++)
		for (int b = 0; b < GPMU_MODES; b++)
			if (a != b && !gpmu_modes_exclusion(pair(a, b)) != is_usable[a][b]) {
				diag("%s, %s", short_names[a], short_names[b]);
				is_same = false;
			}
	ok(is_same, "modes: a pair is refused if, and only if, it was measured to fail or to lose data");
	ok(!gpmu_modes_exclusion(0) && !gpmu_modes_exclusion(1U << GPMU_MODE_SASS), "modes: one mode alone is not refused");
	ok(!gpmu_modes_refuse(pair(GPMU_MODE_RECORDS, GPMU_MODE_PM), text, sizeof(text)),
	   "modes: recording of kernels and PM sampling are combined");
	ok(gpmu_modes_refuse(pair(GPMU_MODE_RECORDS, GPMU_MODE_PM) | 1U << GPMU_MODE_PC, text, sizeof(text)) == 1,
	   "modes: an exclusive pair among three modes is refused");
	is_str(text, "PM sampling and PC sampling exclude each other: both would lose their samples; run the command once for each",
	   "modes: the refusal names both modes, the reason and the remedy");
	is_str(gpmu_mode_name(GPMU_MODES), "an unknown mode", "modes: a number without a mode has a name");
	return done_testing();
}
