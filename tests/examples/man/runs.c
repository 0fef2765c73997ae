// SPDX-License-Identifier: LGPL-2.1-or-later
/* Computes the means of several runs of a function. */
#include <gpmu.h>

static int once(struct gpmu_session *session, void (*work)(void),
		struct gpmu_runs *runs)
{
	struct gpmu_sink_end end = {
		.size = sizeof(end), .user = -1, .system = -1,
	};
	const struct gpmu_row *rows;
	size_t n;
	int ret = gpmu_session_enable(session);

	if (ret)
		return ret;
	work();
	ret = gpmu_session_disable(session);
	if (!ret)
		ret = gpmu_session_total(session, &rows, &n);
	if (ret)
		return ret;
	end.elapsed = n ? (double)rows[0].time_end / 1e9 : 0;
	return gpmu_runs_add(runs, rows, n, &end);
}

int repeat(struct gpmu_session *session, void (*work)(void),
	   int times, struct gpmu_sink *sink)
{
	struct gpmu_runs *runs = gpmu_runs_new();
	struct gpmu_sink_end end = { .size = sizeof(end) };
	const struct gpmu_row *rows;
	int ret = runs ? 0 : -1;
	size_t n;

	for (int i = 0; !ret && i < times; i++)
		ret = once(session, work, runs);
	if (!ret) {
		rows = gpmu_runs_rows(runs, &n);
		gpmu_runs_end(runs, &end);
		ret = gpmu_sink_rows(sink, rows, n);
	}
	if (!ret)
		ret = gpmu_sink_end(sink, &end);
	gpmu_runs_free(runs);
	return ret;
}
