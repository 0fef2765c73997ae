// SPDX-License-Identifier: LGPL-2.1-or-later
/* The bytes of a link by kernel and copy. report_sharing.c attributes them. */
#include "report/report_sharing.h"

static void share_gpu(struct gpmu_report *report, uint32_t gpu, struct report_sharing *sharing)
{
	const struct report_link *all = &report->gpus.list[gpu].links[report->link];

	if (all->n)
		report_sharing_begin(report, sharing, gpu);
	for (size_t i = 0; i < all->n && !report->has_failed; i++)
		report_sharing_add(report, sharing, &all->list[i].steps, all->list[i].way);
}

/* If a counter covers both directions, the split is unknown. */
static void put_ways(struct gpmu_report *report, const double *ways, bool is_split, double all)
{
	double bytes = report_sum_of_ways(ways);

	report_number(report, REPORT_ATTRIBUTION, bytes);
	report_maybe(report, REPORT_ATTRIBUTION, all > 0, bytes / all);
	report_maybe(report, REPORT_ATTRIBUTION, is_split, ways[REPORT_IN]);
	report_maybe(report, REPORT_ATTRIBUTION, is_split, ways[REPORT_OUT]);
}

static void put_shares(struct gpmu_report *report, const struct report_sharing *sharing, size_t n)
{
	static const char *const kinds[] = {
		[TIMELINE_KERNEL] = "kernel", [TIMELINE_COPY] = "memcpy", [TIMELINE_SET] = "memset",
		[TIMELINE_GRAPH] = "graph",
	};
	double all = report_sum_of_ways(sharing->nobody), both = sharing->nobody[REPORT_BOTH];

	for (uint32_t i = 0; i < n; i++) {
		all += report_sum_of_ways(sharing->shares[i].ways);
		both += sharing->shares[i].ways[REPORT_BOTH];
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct report_share *share = &sharing->shares[i];
		double bytes = report_sum_of_ways(share->ways);

		if (!share->is_used)
			continue;
		report_text(report, REPORT_ATTRIBUTION, report_string(report, i));
		report_text(report, REPORT_ATTRIBUTION, kinds[share->kind]);
		put_ways(report, share->ways, both == 0, all);
		report_number(report, REPORT_ATTRIBUTION, (double)share->time);
		report_maybe(report, REPORT_ATTRIBUTION, bytes > 0, share->sure / bytes);
	}
	report_text(report, REPORT_ATTRIBUTION, "(no recorded activity)");
	report_text(report, REPORT_ATTRIBUTION, "");
	put_ways(report, sharing->nobody, both == 0, all);
	report_none(report, REPORT_ATTRIBUTION);
	report_none(report, REPORT_ATTRIBUTION);
}

/* Returns whether a link has counters. */
static bool has(const struct gpmu_report *report, size_t link)
{
	for (uint32_t gpu = 0; gpu < report->gpus.n; gpu++)
		if (report->gpus.list[gpu].links[link].n)
			return true;
	return false;
}

static const char *why_none(struct gpmu_report *report)
{
	const char *title = report_link_title(report->link);

	for (size_t link = 0; link < REPORT_LINKS_N; link++)
		if (link != report->link && has(report, link))
			return report_print(report,
					    "no counter of %s was recorded; --link=%s has one",
					    title, gpmu_report_link(link));
	return report_print(report, "no counter of %s was recorded: gpmu record -M %s", title,
			    report_link_metrics(report->link));
}

void report_attribution(struct gpmu_report *report)
{
	size_t n = report->timeline.strings.texts.n;
	struct report_sharing sharing;

	report->tables[REPORT_ATTRIBUTION].shown.title =
		report_print(report, "%s bytes by kernel and copy", report_link_title(report->link));
	if (!has(report, report->link)) {
		report_note(report, REPORT_ATTRIBUTION, why_none(report));
		report_table_done(report, REPORT_ATTRIBUTION, "bytes");
		return;
	}
	report_sharing_init(report, &sharing, n, NULL);
	for (uint32_t gpu = 0; gpu < report->gpus.n && !report->has_failed; gpu++)
		share_gpu(report, gpu, &sharing);
	if (!report->has_failed)
		put_shares(report, &sharing, n);
	report_sharing_release(&sharing);
	report_table_done(report, REPORT_ATTRIBUTION, "bytes");
}
