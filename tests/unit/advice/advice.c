// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rules: each built-in rule applies to the values of an example and not to its opposite; files of rules. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "advice/gpmu_advice.h"
#include "tap.h"

/* The metrics of a kernel, "NAME VALUE;NAME VALUE" */
static int get(const char *metric, double *value, const char **unit, void *user)
{
	const char *text = user;
	size_t length = strlen(metric);

	for (; text; text = strchr(text, ';'), text = text ? text + 1 : NULL)
		if (!strncmp(text, metric, length) && text[length] == ' ') {
			*value = strtod(text + length, NULL);
			*unit = strstr(metric, "pct") ? "%" : NULL;
			return 0;
		}
	return -ENOENT;
}

#define DRAM	"dram__throughput.avg.pct_of_peak_sustained_elapsed"
#define SM	"sm__throughput.avg.pct_of_peak_sustained_elapsed"
#define MEMORY	"gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed"
#define LIMITS(r, s)	"sm__maximum_warps_per_active_cycle_pct 25;launch__occupancy_limit_registers " r \
			";launch__occupancy_limit_shared_mem " s ";launch__occupancy_limit_warps 8;launch__occupancy_limit_blocks 32"
#define STALL(reason, value)	"smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio " value \
				";smsp__average_warp_latency_per_inst_issued.ratio 10"

static const struct {
	const char *rule, *yes, *no;
} examples[] = {
	{ "memory_bandwidth", DRAM " 91.5;" SM " 14", DRAM " 59;" SM " 14" },
	{ "compute", DRAM " 30;" SM " 85", DRAM " 90;" SM " 85" },
	{ "latency", SM " 5;" MEMORY " 12", SM " 5;" MEMORY " 80" },
	{ "small_grid", "launch__grid_size 16;device__attribute_multiprocessor_count 132",
	  "launch__grid_size 132;device__attribute_multiprocessor_count 132" },
	{ "tail", "launch__waves_per_multiprocessor 1.1", "launch__waves_per_multiprocessor 0.9" },
	{ "block_size", "launch__block_size 100", "launch__block_size 128" },
	{ "short_kernel", "gpu__time_duration.sum 2000", "gpu__time_duration.sum 20000" },
	{ "registers", LIMITS("2", "8"), LIMITS("8", "2") },
	{ "shared_memory", LIMITS("8", "2"), LIMITS("2", "8") },
	{ "uneven_work", "sm__maximum_warps_per_active_cycle_pct 100;sm__warps_active.avg.pct_of_peak_sustained_active 40",
	  "sm__maximum_warps_per_active_cycle_pct 50;sm__warps_active.avg.pct_of_peak_sustained_active 40" },
	{ "uncoalesced_loads", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct 12.5",
	  "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct 100" },
	{ "uncoalesced_stores", "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct 12.5",
	  "smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct 100" },
	{ "bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum 31;l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 32",
	  "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum 0;l1tex__data_pipe_lsu_wavefronts_mem_shared.sum 0" },
	{ "divergence", "smsp__thread_inst_executed_per_inst_executed.pct 51.56", "smsp__thread_inst_executed_per_inst_executed.pct 99" },
	{ "spills", "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum 50;l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 100",
	  "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum 5;l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum 100" },
	{ "wait_memory", STALL("long_scoreboard", "8"), STALL("long_scoreboard", "1") },
	{ "wait_barrier", STALL("barrier", "4"), STALL("barrier", "2") },
	{ "wait_pipeline", STALL("math_pipe_throttle", "4"), STALL("math_pipe_throttle", "2") },
};

static size_t rule_of(const struct gpmu_advice *advice, const char *name)
{
	const struct gpmu_advice_rule *rule;

	for (size_t i = 0; (rule = gpmu_advice_rule(advice, i)); i++)
		if (!strcmp(rule->name, name))
			return i;
	abort();
}

static int applies(const struct gpmu_advice *advice, const char *name, const char *metrics)
{
	char *text;
	int ret = gpmu_advice_apply(advice, rule_of(advice, name), get, (void *)metrics, &text);

	free(text);
	return ret;
}

static void test_builtin(const struct gpmu_advice *advice)
{
	size_t n = 0;

	while (gpmu_advice_rule(advice, n))
		n++;
	is_u64(sizeof(examples) / sizeof(examples[0]), n, "built in: each rule has an example here");
	for (size_t i = 0; i < sizeof(examples) / sizeof(examples[0]); i++) {
		ok(applies(advice, examples[i].rule, examples[i].yes) == 1, "built in: %s applies to its example", examples[i].rule);
		ok(applies(advice, examples[i].rule, examples[i].no) == 0, "built in: %s does not apply to the opposite", examples[i].rule);
		ok(applies(advice, examples[i].rule, "x 1") == -ENOENT, "built in: %s is not applied without its metrics", examples[i].rule);
	}
}

static void test_texts(const struct gpmu_advice *advice)
{
	char *text;

	gpmu_advice_apply(advice, rule_of(advice, "memory_bandwidth"), get, (void *)examples[0].yes, &text);
	is_str(text, DRAM " 91.5 %, " SM " 14 %", "values: the metrics that made the rule apply are given with their units");
	free(text);
	ok(gpmu_advice_apply(advice, rule_of(advice, "memory_bandwidth"), get, (void *)(SM " 3"), &text) == -ENOENT,
	   "values: a rule of which one metric is missing is not applied");
	is_str(text, DRAM, "values: the missing metric is named");
	free(text);
	is_str(gpmu_advice_rule(advice, rule_of(advice, "memory_bandwidth"))->metrics, DRAM ", " SM,
	       "rule: the metrics that it needs are those of the condition");
}

/* --- files */

static int add_text(struct gpmu_advice *advice, const char *text, struct gpmu_error *error)
{
	char path[] = "/tmp/advice-XXXXXX", *slash = path;
	int fd = mkstemp(path), ret;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	close(fd);
	ret = gpmu_advice_add(advice, path, error);
	unlink(slash);
	/* The name of the file is not the same in each run. */
	if (ret && !strncmp(error->text, path, strlen(path)))
		memmove(error->text, error->text + strlen(path), strlen(error->text) - strlen(path) + 1);
	return ret;
}

#define RULE(condition, advice)	"[{\"Name\": \"mine\", \"Title\": \"t\", \"Condition\": \"" condition "\", \"Advice\": \"" advice "\"}]"
#define LONG	"0123456789012345678901234567890123456789"

static void test_files(struct gpmu_advice *advice)
{
	static const struct {
		const char *text, *error, *what;
	} bad[] = {
		{ "[\n{]", ":2: ", "JSON that is malformed is refused with its line" },
		{ "{}", ": expected an array of rules", "an object is refused" },
		{ "[1]", ": rule 1: expected the texts Name, Title, Condition and Advice only: ", "a number is refused" },
		{ RULE("a >", "x"), ": rule 1: Condition: ", "a malformed condition is refused" },
		{ RULE("1 > 0", "x"), ": rule 1: Condition: expected an expression with a metric", "a condition without a metric is refused" },
		{ RULE("a", LONG LONG LONG LONG "x"), ": rule 1: Advice: expected at most 160 bytes", "an advice that is too long is refused" },
		{ "[{\"Name\": \"a\", \"Title\": \"t\", \"Condition\": \"a\", \"Advice\": \"b\", \"Else\": \"c\"}]",
		  ": rule 1: expected the texts Name, Title, Condition and Advice only: 1 object item", "an unknown member is refused" },
	};
	struct gpmu_error error = { .size = sizeof(error) };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		ok(add_text(advice, bad[i].text, &error) == -EINVAL && !strncmp(error.text, bad[i].error, strlen(bad[i].error)),
		   "file: a file with a fault is not added: %s", bad[i].what);
	}
	ok(!add_text(advice, RULE("a if has_event(a) else b", "x"), &error) && applies(advice, "mine", "b 1") == 1,
	   "file: a condition takes another metric if the kernel lacks the first");
	ok(!add_text(advice, RULE("a > 5", "x"), &error) && applies(advice, "mine", "a 1") == 0 && applies(advice, "mine", "a 6") == 1,
	   "file: a rule replaces an earlier one of the same name");
	ok(gpmu_advice_add(advice, "/nonexistent", &error) == -ENOENT && !strcmp(error.text, "/nonexistent: No such file or directory"),
	   "file: a missing file is named");
}

int main(void)
{
	struct gpmu_advice *advice = gpmu_advice_new(NULL);

	test_builtin(advice);
	test_texts(advice);
	test_files(advice);
	gpmu_advice_free(advice);
	gpmu_advice_free(NULL);
	return done_testing();
}
