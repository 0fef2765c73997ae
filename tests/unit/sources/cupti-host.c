// SPDX-License-Identifier: LGPL-2.1-or-later
/* Metrics of chips by CUPTI's Profiler Host API, compared with CUDA 13.0's */
#include <errno.h>

#include "cupti-test.h"

static void chips(const struct library *library)
{
	static const char *const some[] = { "GV100", "TU102", "GA100", "GH100", "AD102", "GB100" };
	const char *const *names = NULL;
	size_t length = host_chips(library, &names), found = 0;

	for (size_t i = 0; i < length; i++)
		for (size_t k = 0; k < TEST_LENGTH(some); k++)
			found += !strcmp(names[i], some[k]);
	ok(length >= 30, "CUPTI knows at least 30 chips: %zu", length);
	is_u64(found, TEST_LENGTH(some), "CUPTI's chips include one of each generation");
}

static void bad_chips(const struct library *library)
{
	static const char *const bad[] = { "GH10", "gh100", "", "GH100 ", "H100" };
	struct gpmu_error error = { .size = sizeof(error) };
	struct host *host;

	for (size_t i = 0; i < TEST_LENGTH(bad); i++) {
		int ret;

		host = NULL;
		error.text[0] = '\0';
		ret = host_new(library, bad[i], &host, &error);
		ok(ret == -EINVAL && !host && strstr(error.text, "does not know this chip"),
		   "the chip \"%s\" is refused: %s", bad[i], error.text);
		host_free(host);
	}
}

static void every_chip(const struct library *library)
{
	const char *const *names = NULL;
	size_t length = host_chips(library, &names), fewest = SIZE_MAX;
	struct gpmu_error error = { .size = sizeof(error) };
	bool is_right = true;

	for (size_t i = 0; i < length; i++) {
		struct host *host = NULL;

		/* Volta has no PM sampling. */
		if (host_new(library, names[i], &host, &error)) {
			is_right = is_right && !strncmp(names[i], "GV", 2) &&
				   strstr(error.text, "has no PM sampling of this chip");
			diag("%s", error.text);
			continue;
		}
		if (host->length < fewest)
			fewest = host->length;
		host_free(host);
	}
	ok(is_right, "the metrics of each chip but Volta can be listed");
	ok(fewest > 100, "each chip has more than 100 metrics: %zu", fewest);
}

/* The numbers are CUDA 13.0's, from a separate program. */
static void metrics(const struct host *host)
{
	const size_t want[] = { 611, 605, 63 };
	size_t got[CUPTI_METRIC_TYPE__COUNT] = { 0 }, described = 0, units = 0;

	for (size_t i = 0; i < host->length; i++) {
		got[host->metrics[i].type]++;
		described += *host->metrics[i].description != '\0';
		units += *host->metrics[i].hw_unit != '\0';
	}
	for (int type = 0; type < CUPTI_METRIC_TYPE__COUNT; type++)
		ok(got[type] == want[type], "GH100 has %zu metrics of type %s: %zu", want[type],
		   host_type(type), got[type]);
	ok(described > host->length * 9 / 10,
	   "more than 90 %% of GH100's metrics have a description: %zu", described);
	is_u64(units, host->length, "each metric of GH100 has a hardware unit");
}

static void properties(const struct host *host)
{
	const char *suffix = NULL, *const *suffixes;
	const struct host_metric *metric = host_find(host, "dram__bytes_read.sum", &suffix);

	ok(metric != NULL, "GH100: dram__bytes_read.sum is found");
	if (!metric)
		return;
	is_str(metric->name, "dram__bytes_read",
	       "dram__bytes_read.sum: the name is without suffix");
	is_str(suffix, ".sum", "dram__bytes_read.sum: the suffix is .sum");
	is_str(metric->unit, "byte", "dram__bytes_read.sum: the unit is byte");
	is_str(metric->hw_unit, "dram", "dram__bytes_read.sum: the hardware unit is dram");
	is_str(metric->description, "# of bytes read from DRAM",
	       "dram__bytes_read.sum: the description is CUPTI's");
	is_u64(host_suffixes(host, metric, &suffixes), 44, "a counter has 44 suffixes");
	metric = host_find(host, "CTC.TriageCompute.ctc__rx_bytes.sum.per_second", &suffix);
	ok(metric && !strcmp(suffix, ".sum.per_second"),
	   "a metric with dots in its name is found, with its suffix");
	metric = host_find(host, "lts__average_t_sector_aperture_device.pct", &suffix);
	ok(metric && metric->type == CUPTI_METRIC_TYPE_RATIO &&
	   host_suffixes(host, metric, &suffixes) == 3, "a ratio has 3 suffixes");
	metric = host_find(host, "dram__throughput.avg.pct_of_peak_sustained_elapsed", &suffix);
	ok(metric && metric->type == CUPTI_METRIC_TYPE_THROUGHPUT &&
	   host_suffixes(host, metric, &suffixes) == 8, "a throughput has 8 suffixes");
}

static void not_found(const struct host *host)
{
	static const char *const bad[] = {
		"", ".", ".sum", "dram__bytes_read", "dram__bytes_read.", "dram__bytes_read.total",
		"dram__bytes_read.sum.", "dram__bytes_rea.sum", "dram__bytes_read.sum.per_second.x",
		"Dram__bytes_read.sum", "dram__throughput.sum",
		"lts__average_t_sector_aperture_device.sum",
	};
	const char *suffix;

	for (size_t i = 0; i < TEST_LENGTH(bad); i++)
		ok(!host_find(host, bad[i], &suffix), "\"%s\" is not found as a metric", bad[i]);
}

int main(void)
{
	struct library library;
	struct host *host;

	test_library(&library);
	diag("%s: CUPTI %u of CUDA %d.%d", library.path, library.version, library.cuda_version / 1000,
	     library.cuda_version % 1000 / 10);
	chips(&library);
	bad_chips(&library);
	every_chip(&library);
	host = test_host(&library, "GH100");
	metrics(host);
	properties(host);
	not_found(host);
	host_free(host);
	library_close(&library);
	return done_testing();
}
