// SPDX-License-Identifier: LGPL-2.1-or-later
/* Passes of metrics, the smallest set to drop, and the values in a counter image of an H200 */
#include <errno.h>
#include <math.h>

#include "cupti-test.h"

#define PASSES	"tests/data/gpu/pm_passes.tsv"
#define IMAGE	"tests/data/gpu/pm_small.bin"

/* Metrics that fit into one pass on GH100; the last four are of links that a GPU may lack. */
static const char *const together[] = {
	"dram__bytes_read.sum", "dram__bytes_write.sum", "pcie__read_bytes.sum", "pcie__write_bytes.sum",
	"sm__cycles_active.avg.pct_of_peak_sustained_elapsed",
	"sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed",
	"gr__cycles_active.avg.pct_of_peak_sustained_elapsed", "nvlrx__bytes.sum", "nvltx__bytes.sum",
	"CTC.TriageCompute.ctc__rx_bytes.sum", "CTC.TriageCompute.ctc__tx_bytes.sum",
};

static size_t passes_of(const struct host *host, const char *const *names, size_t length)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct host_config config;
	size_t passes = 0;

	if (host_configure(host, names, length, &config, &error))
		diag("%s", error.text);
	else
		passes = config.passes;
	host_config_release(&config);
	return passes;
}

/* A metric takes much longer with the sanitizers. */
#ifdef __SANITIZE_ADDRESS__
#define STEP	32
#else
#define STEP	1
#endif

/* Checks the passes of each metric against the table. */
static void table(const struct host *host)
{
	char line[256], *name, *save;
	unsigned int rows = 0, wrong = 0;
	FILE *file = fopen(PASSES, "re");

	while (file && fgets(line, sizeof(line), file)) {
		const char *passes;

		name = strtok_r(line, "\t", &save);
		passes = strtok_r(NULL, "\t", &save);
		if (!name || !passes || *line == '#' || rows++ % STEP ||
		    passes_of(host, (const char *const *)&name, 1) == strtoul(passes, NULL, 10))
			continue;
		wrong++;
		diag("%s: does not need %s passes", name, passes);
	}
	if (file)
		fclose(file);
	is_u64(rows, 1279, PASSES " has all 1279 metrics of GH100");
	is_u64(wrong, 0, "each metric of GH100 needs the passes in " PASSES);
}

static void fit(const struct host *host)
{
	is_u64(passes_of(host, together, 7), 1, "seven metrics of GH100 fit into one pass");
	is_u64(passes_of(host, together, TEST_LENGTH(together)), 1,
	       "seven metrics and four of links fit into one pass");
}

#define DMMA	"SM_C.TriageCompute.smsp__pipe_tensor_op_dmma_cycles_active.sum"

/* Metrics, the indices of the metrics to drop, and the description */
static const struct {
	const char *names[8];
	const char *drop;
	const char *what;
} drops[] = {
	{ { "dram__bytes_read.sum", "pcie__read_bytes.sum" }, "",
	  "host_drop() drops no metric if all fit into one pass" },
	{ { "dram__bytes_read.sum", "sm__inst_executed_pipe_adu.sum", "pcie__read_bytes.sum" }, "1",
	  "host_drop() drops a metric that needs two passes alone" },
	{ { "sm__inst_executed_pipe_adu.sum" }, "0",
	  "host_drop() drops the only metric if it needs two passes" },
	{ { "dram__bytes_read.sum", DMMA, "pcie__read_bytes.sum", "smsp__cycles_active.sum" }, "3",
	  "host_drop() drops the last of two metrics that do not fit together" },
	{ { DMMA, "smsp__cycles_active.sum", "dram__bytes_read.sum", "sm__inst_executed_pipe_adu.sum" },
	  "13", "host_drop() drops two metrics if no single one suffices" },
};

static void left_out(const struct host *host)
{
	for (size_t i = 0; i < TEST_LENGTH(drops); i++) {
		struct gpmu_error error = { .size = sizeof(error) };
		bool is_dropped[8] = { false };
		char got[9] = "";
		size_t length = 0, n = 0;
		int ret;

		while (length < 8 && drops[i].names[length])
			length++;
		ret = host_drop(host, drops[i].names, length, is_dropped, &error);
		for (size_t k = 0; k < length; k++)
			if (is_dropped[k])
				got[n++] = (char)('0' + k);
		is_str(got, drops[i].drop, drops[i].what);
		ok(ret == (int)strlen(drops[i].drop),
		   "host_drop() returns the number of dropped metrics: %d", ret);
	}
}

static void refused(const struct host *host)
{
	static const char *const bad[] = { "dram__bytes_read", "none.sum", "dram__bytes_read.sum.x", "" };
	struct gpmu_error error = { .size = sizeof(error) };
	struct host_config config;

	for (size_t i = 0; i < TEST_LENGTH(bad); i++) {
		const char *names[] = { "dram__bytes_write.sum", bad[i] };
		int ret = host_configure(host, names, 2, &config, &error);

		ok(ret == -EINVAL && *error.text,
		   "the metric \"%s\" cannot be configured: %s", bad[i], error.text);
		host_config_release(&config);
	}
	is_u64(passes_of(host, together, 7), 1, "metrics can be configured after a failure");
}

static uint8_t *read_image(size_t *size)
{
	FILE *file = fopen(IMAGE, "re");
	uint8_t *image = malloc(1 << 20);

	*size = file && image ? fread(image, 1, 1 << 20, file) : 0;
	if (file)
		fclose(file);
	return image;
}

/*
 * The image has 30 samples of a millisecond, the first of them longer, of a loop of copies that read
 * 2^29 and write 2^28 bytes. CUPTI had the wanted sums on the H200.
 */
static void image(const struct library *library, const struct host *host)
{
	static const char *const names[] = { "dram__bytes_read.sum", "dram__bytes_write.sum",
		"gr__cycles_active.avg.pct_of_peak_sustained_elapsed", "nvlrx__bytes.sum" };
	static const double want[] = { 7.08192e+10, 3.59412e+10, 2811.18 };
	double sums[3] = { 0 }, values[4];
	struct gpmu_error error = { .size = sizeof(error) };
	struct evaluator evaluator;
	size_t size, samples = 0;
	bool is_absent = true;
	uint8_t *data = read_image(&size);

	is_u64(size, 241612, IMAGE " has its 241612 bytes");
	is_u64((uint64_t)host_samples(library, data, size, &samples), 0,
	       "the samples of a counter image can be counted");
	is_u64(samples, 30, "the counter image has 30 samples");
	ok(!evaluator_init(&evaluator, host, names, 4, &error),
	   "the metrics of a counter image can be evaluated");
	for (size_t i = 0; i < samples; i++) {
		if (evaluator_values(&evaluator, data, size, i, values))
			break;
		for (size_t k = 0; k < TEST_LENGTH(want); k++)
			sums[k] += values[k];
		is_absent = is_absent && isnan(values[3]);
	}
	for (size_t k = 0; k < TEST_LENGTH(want); k++)
		ok(fabs(sums[k] / want[k] - 1) < 1e-5, "the samples of %s add up to %g, want %g",
		   names[k], sums[k], want[k]);
	ok(is_absent, "a metric that was not sampled has the value NaN");
	evaluator_release(&evaluator);
	free(data);
}

int main(void)
{
	struct library library;
	struct host *host;

	test_library(&library);
	host = test_host(&library, "GH100");
	table(host);
	fit(host);
	left_out(host);
	refused(host);
	image(&library, host);
	host_free(host);
	library_close(&library);
	return done_testing();
}
