// SPDX-License-Identifier: LGPL-2.1-or-later
/* The names of CUPTI's former APIs: their number, targets, closed forms and refusals. */
#include <errno.h>
#include <math.h>
#include <strings.h>

#include "catalog-test.h"
#include "expr/gpmu_expr.h"

#define METRICS	186	/* of the Metric API: 179 with a line in the table of targets, 7 without */
#define EVENTS	82	/* of the Event API */

/* Value of an event by its name without PMU and "@" */
struct value {
	const char *event;
	double value;
};

static double value_of(const struct value *values, const char *id)
{
	const char *event = strchr(id, '@') ? strchr(id, '@') + 1 : id;

	for (; values->event; values++)
		if (!strncmp(event, values->event, strlen(values->event)) &&
		    strchr("@", event[strlen(values->event)]))
			return values->value;
	diag("%s has no value", id);
	return NAN;
}

/* Returns the value of a formula, NaN if it does not compile. */
static double eval(const char *text, const struct value *values)
{
	struct gpmu_expr *expr = gpmu_expr_new(text, NULL, NULL);
	struct gpmu_expr_value counts[8];
	size_t n = expr ? gpmu_expr_id_count(expr) : 0;
	double value = NAN;

	for (size_t i = 0; i < n && i < 8; i++)
		counts[i] = (struct gpmu_expr_value){ .value = value_of(values, gpmu_expr_id(expr, i)),
						      .sources = 1, .lines = 1 };
	if (expr && n <= 8)
		value = gpmu_expr_eval(expr, counts);
	gpmu_expr_free(expr);
	return value;
}

static const struct {
	const char *name;
	double value;
	struct value values[7];
} closed_forms[] = {
	{ "dram_read_bytes", 4096, { { "dram__bytes_read.sum", 4096 } } },
	{ "achieved_occupancy", 0.5, { { "sm__warps_active.sum", 32000 }, { "sm__cycles_active.sum", 1000 },
				       { "sm__warps_active.avg.peak_sustained", 64 } } },
	{ "atomic_transactions", 7, { { "l1tex__t_set_accesses_pipe_lsu_mem_global_op_atom.sum", 3 },
				      { "l1tex__t_set_accesses_pipe_lsu_mem_global_op_red.sum", 4 } } },
	{ "issue_slot_utilization", 25, { { "smsp__issue_active.sum", 250 }, { "smsp__cycles_active.sum", 1000 } } },
	{ "sm_efficiency", 25, { { "smsp__cycles_active.sum", 75 }, { "smsp__cycles_elapsed.sum", 300 } } },
	{ "issued_ipc", 0.5, { { "smsp__inst_issued.sum", 50 }, { "smsp__cycles_active.sum", 100 } } },
	{ "ldst_fu_utilization", 40, { { "smsp__inst_executed_pipe_lsu.sum", 100 }, { "smsp__cycles_active.sum", 1000 },
				       { "smsp__inst_executed_pipe_lsu.avg.peak_sustained", 0.25 } } },
	{ "tensor_int_fu_utilization", 30,
	  { { "TPC.TriageCompute.sm__pipe_tensor_op_imma_cycles_active_realtime.sum", 300 },
	    { "sm__cycles_active.sum", 1000 },
	    { "TPC.TriageCompute.sm__pipe_tensor_op_imma_cycles_active_realtime.avg.peak_sustained", 1 } } },
	{ "tex_cache_hit_rate", 75, { { "l1tex__t_sectors_lookup_hit.sum", 3 }, { "l1tex__t_sectors.sum", 4 } } },
	{ "tex_cache_throughput", 2, { { "l1tex__t_bytes_pipe_tex.sum", 1e9 }, { "duration_time", 0.5 } } },
	{ "local_hit_rate", 50, { { "l1tex__t_sectors_pipe_lsu_mem_local_op_ld_lookup_hit.sum", 1 },
				  { "l1tex__t_sectors_pipe_lsu_mem_local_op_st_lookup_hit.sum", 2 },
				  { "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", 4 },
				  { "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", 2 } } },
	{ "local_store_throughput", 4, { { "l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum", 2e9 },
					 { "duration_time", 0.5 } } },
	{ "shared_load_throughput", 128, { { "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", 1e9 },
					   { "duration_time", 1 } } },
	{ "nvlink_overhead_data_received", 25, { { "nvlrx__bytes_data_protocol.sum", 25 }, { "nvlrx__bytes.sum", 100 } } },
	{ "nvlink_data_transmission_efficiency", 75, { { "nvltx__bytes_data_user.sum", 75 }, { "nvltx__bytes.sum", 100 } } },
	/* PM sampling cannot collect these. */
	{ "flop_count_sp", 11, { { "smsp__sass_thread_inst_executed_op_fadd_pred_on.sum", 1 },
				 { "smsp__sass_thread_inst_executed_op_fmul_pred_on.sum", 2 },
				 { "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", 4 } } },
	{ "flop_count_hp", 22, { { "smsp__sass_thread_inst_executed_op_hadd_pred_on.sum", 1 },
				 { "smsp__sass_thread_inst_executed_op_hmul_pred_on.sum", 2 },
				 { "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 4 } } },
	{ "flop_count_hp_fma", 8, { { "smsp__sass_thread_inst_executed_op_hfma_pred_on.sum", 4 } } },
	{ "gst_transactions", 5, { { "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 5 } } },
	{ "warp_execution_efficiency", 51.5, { { "smsp__thread_inst_executed_per_inst_executed.pct", 51.5 } } },
	{ "l2_read_transactions", 6, { { "lts__t_sectors_srcunit_tex_op_read.sum", 6 } } },
	{ "l2_write_transactions", 7, { { "lts__t_sectors_srcunit_tex_op_write.sum", 7 } } },
	{ "l2_subp0_total_read_sector_queries", 6, { { "lts__t_sectors_srcunit_tex_op_read.sum", 6 } } },
	{ "l2_tex_write_transactions", 7, { { "lts__t_sectors_srcunit_tex_op_write.sum", 7 } } },
	{ "l2_tex_write_throughput", 64, { { "lts__t_sectors_srcunit_tex_op_write.sum", 1e9 }, { "duration_time", 0.5 } } },
	{ "l2_tex_read_hit_rate", 75, { { "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 3 },
					{ "lts__t_sectors_srcunit_tex_op_read.sum", 4 } } },
	{ "l2_tex_hit_rate", 50, { { "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", 3 },
				   { "lts__t_sectors_srcunit_tex_op_write_lookup_hit.sum", 0 },
				   { "lts__t_sectors_srcunit_tex_op_read.sum", 4 },
				   { "lts__t_sectors_srcunit_tex_op_write.sum", 2 } } },
	{ "l2_atomic_transactions", 9, { { "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum", 9 } } },
	{ "sysmem_read_bytes", 96, { { "lts__t_sectors_aperture_sysmem_op_read.sum", 3 } } },
	{ "global_hit_rate", 50, { { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", 3 },
				   { "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum", 0 },
				   { "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", 4 },
				   { "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 2 } } },
};

static void check_closed_forms(void)
{
	for (size_t i = 0; i < sizeof(closed_forms) / sizeof(closed_forms[0]); i++) {
		const struct gpmu_legacy *legacy = gpmu_legacy_find(closed_forms[i].name);
		double value = NAN;

		if (legacy)
			value = eval(legacy->metric ? gpmu_metric_expr(legacy->metric) : legacy->formula,
				     closed_forms[i].values);
		ok(fabs(value - closed_forms[i].value) < 1e-9, "legacy: %s of known counts is %g",
		   closed_forms[i].name, closed_forms[i].value);
	}
}

/* Returns whether each id of the metric is an event of the PMU nvidia_gpu, or another metric. */
static bool counts_gpu(const struct gpmu_metric *metric, const struct gpmu_catalog *catalog)
{
	struct gpmu_expr *expr = gpmu_expr_new(gpmu_metric_expr(metric), NULL, NULL);
	bool has_events = expr && gpmu_expr_id_count(expr) > 0;
	const char *id;

	for (size_t i = 0; has_events && (id = gpmu_expr_id(expr, i)); i++)
		has_events = !strncmp(id, "nvidia_gpu@", strlen("nvidia_gpu@")) || !strcmp(id, "duration_time") ||
			     gpmu_catalog_find_metric(catalog, id, NULL);
	gpmu_expr_free(expr);
	return has_events;
}

/* Returns whether the entry has a formula that compiles, or the reason why not */
static bool is_answered(const struct gpmu_legacy *legacy)
{
	struct gpmu_expr *expr = legacy->formula ? gpmu_expr_new(legacy->formula, NULL, NULL) : NULL;
	char *why_not = gpmu_legacy_why_not(legacy);
	bool is_right = legacy->formula ? expr != NULL : legacy->note != NULL;

	is_right &= !why_not == (legacy->metric != NULL) && *legacy->description && (!legacy->formula ==
								    !strcmp(legacy->match, "none"));
	gpmu_expr_free(expr);
	free(why_not);
	return is_right;
}

static void check_all(const struct gpmu_catalog *catalog)
{
	size_t metrics = 0, events = 0, unanswered = 0, wrong = 0, shadowed = 0;
	const struct gpmu_legacy *legacy;
	const struct gpmu_event_def *event;

	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++) {
		metrics += legacy->is_metric;
		events += legacy->is_event;
		if (!is_answered(legacy) && ++unanswered)
			diag("%s has no answer", legacy->name);
		if (legacy->metric && !counts_gpu(legacy->metric, catalog) && ++wrong)
			diag("%s has events of another PMU", legacy->name);
	}
	is_u64(metrics, METRICS, "legacy: the table has all metrics of the former Metric API");
	is_u64(events, EVENTS, "legacy: the table has all events of the former Event API");
	is_u64(unanswered, 0, "legacy: each name has a formula that compiles, or the reason why nothing counts it");
	is_u64(wrong, 0, "legacy: the events of each countable name are those of nvidia_gpu");
	for (size_t i = 0; (event = gpmu_catalog_event(catalog, i)); i++)
		shadowed += gpmu_legacy_find(gpmu_event_def_name(event)) != NULL;
	is_u64(shadowed, 0, "legacy: no name is that of a built-in event, which a formula could mean");
}

static void check_refusals(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	const struct gpmu_legacy *legacy;
	size_t cut = 0;

	for (size_t i = 0; (legacy = gpmu_legacy(i)); i++) {
		char *why_not = gpmu_legacy_why_not(legacy);

		cut += why_not && strlen(why_not) >= sizeof(error.text);
		free(why_not);
	}
	is_u64(cut, 0, "legacy: an error has room for each refusal");
	is_u64((uint64_t)-gpmu_legacy_refuse("Flop_count_sp", 7, &error), ENOTSUP,
	       "legacy: a name that only ranges can collect is refused with ENOTSUP");
	is_str(error.text, "flop_count_sp: PM sampling cannot collect it; use gpmu stat --ranges=kernel",
	       "legacy: a refusal names the option that counts ranges");
	is_u64(error.offset, 7, "legacy: a refusal has the offset of the name");
	gpmu_legacy_refuse("stall_sync", 0, &error);
	is_str(error.text, "stall_sync: PM sampling has one pass and this needs more; use gpmu stat --ranges=kernel",
	       "legacy: the refusal of a name with several passes states so");
	gpmu_legacy_refuse("inst_executed_global_atomics", 0, &error);
	is_str(error.text, "inst_executed_global_atomics: PM sampling cannot collect it; use gpmu stat --ranges=kernel",
	       "legacy: the refusal of a name that SASS metrics can collect names the option that counts ranges");
	gpmu_legacy_refuse("inst_replay_overhead", 0, &error);
	is_str(error.text, "inst_replay_overhead: no mode of CUPTI collects it. Instructions are not replayed since "
	       "Volta.", "legacy: the refusal of a name without a counterpart has the reason");
	ok(!gpmu_legacy_refuse("dram_read_bytes", 0, &error) && !gpmu_legacy_refuse("unknown_name", 0, &error),
	   "legacy: a countable name and an unknown one are not refused");
}

int main(void)
{
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);
	const struct gpmu_metric *metric;

	check_all(catalog);
	check_closed_forms();
	check_refusals();
	metric = gpmu_catalog_find_metric(catalog, "DRAM_read_bytes", NULL);
	ok(metric && !strcmp(gpmu_metric_name(metric), "dram_read_bytes"),
	   "legacy: the catalog finds a countable name in any case");
	metric = gpmu_catalog_find_metric(catalog, "ipc", NULL);
	ok(metric && strcmp(gpmu_metric_file(metric), "built in: gpu/legacy.tsv"),
	   "legacy: a metric of the catalog takes precedence over a name of CUPTI");
	ok(!gpmu_catalog_find_metric(catalog, "flop_count_sp", NULL) && errno == ENOENT,
	   "legacy: the catalog does not find a name that PM sampling cannot collect");
	gpmu_catalog_free(catalog);
	return done_testing();
}
