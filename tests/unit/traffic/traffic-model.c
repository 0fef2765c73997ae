// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The traffic of the model, which is known, through plan and session. MODEL is the path of the
 * model's plugin, built.
 */
#include <time.h>

#include "plugin/source-paths.h"
#include "traffic-test.h"

#define SCENARIOS "metrics/sources/model/scenarios/"

struct run {
	struct traffic t;
	struct gpmu_source *source;
	struct gpmu_session *session;
};

static void start(struct run *run, const char *scenario, enum gpmu_traffic_chip chip)
{
	struct gpmu_session_options options = { .size = sizeof(options), .system = 1 };
	struct traffic *t = &run->t;
	struct sysroot root;
	char spec[512];

	memset(run, 0, sizeof(*run));
	snprintf(spec, sizeof(spec), "%s=" SCENARIOS "%s", MODEL, scenario);
	sysroot_make(&root, "vm");
	t->machine = gpmu_machine_new(root.path, &t->error);
	sysroot_release(&root);
	t->catalog = gpmu_catalog_new(NULL, &t->error);
	run->source = gpmu_source_new(spec, &t->error);
	if (!t->machine || !t->catalog || !run->source ||
	    gpmu_machine_add_source(t->machine, run->source, &t->error))
		traffic_bail(t->error.text);
	t->flow = gpmu_traffic_new(t->machine, chip, &t->error);
	t->plan = gpmu_plan_new(t->machine, t->catalog, NULL, &t->error);
	if (!t->flow || !t->plan || gpmu_traffic_plan(t->flow, t->plan, &t->error) ||
	    gpmu_plan_make(t->plan, &t->error))
		traffic_bail(t->error.text);
	run->session = gpmu_session_new(t->plan, &options, &t->error);
	if (!run->session)
		traffic_bail(t->error.text);
}

static void count(struct run *run, long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };
	const struct gpmu_rows *rows;

	gpmu_session_enable(run->session);
	nanosleep(&time, NULL);
	gpmu_session_disable(run->session);
	if (gpmu_session_total(run->session, &rows))
		traffic_bail("no rows");
	gpmu_traffic_update(run->t.flow, rows);
}

static void stop(struct run *run)
{
	gpmu_session_free(run->session);
	traffic_release(&run->t);
	gpmu_source_put(run->source);
}

/* The value in GB/s, apart from single requests in so short a time */
static void is_gb(const struct gpmu_traffic_value *value, double gb, const char *what)
{
	if (!ok(value->state == GPMU_TRAFFIC_OK && fabs(value->rate / 1e9 - gb) <= gb * 1e-5,
		"model traffic: %s is %g GB/s", what, gb))
		show_value(value);
}

struct expected {
	const char *cell;
	double read, write;
};

static void are_cells(const struct run *run, const struct expected *expected, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct gpmu_traffic_line *cell = traffic_cell(&run->t, expected[i].cell);
		char what[64];

		snprintf(what, sizeof(what), "reads of %s", expected[i].cell);
		is_gb(&cell->read, expected[i].read, what);
		snprintf(what, sizeof(what), "writes of %s", expected[i].cell);
		is_gb(&cell->write, expected[i].write, what);
	}
}

/* Rates of steady.scenario; CMEM 0 counts strongly-ordered writes. */
static void superchip(void)
{
	static const struct expected expected[] = {
		{ "CPU 0 -> CMEM 0", 64, 32 + 6.4 + 0.32 },
		{ "CPU 0 -> CMEM 1", 3.2, 8 },
		{ "CPU 1 -> CMEM 0", 16, 12.8 },
		{ "CPU 1 -> CMEM 1", 32, 16 },
		{ "PCIe 0 -> CMEM 0", 6.4, 3.2 },
		{ "PCIe 0 -> CMEM 1", 3.2, 1.6 },
		{ "PCIe 1 -> CMEM 0", 1.6, 0.96 },
		{ "PCIe 1 -> CMEM 1", 12.8, 0 },
	};
	struct run run;

	start(&run, "steady.scenario", GPMU_TRAFFIC_ANY);
	count(&run, 200);
	are_cells(&run, expected, sizeof(expected) / sizeof(expected[0]));
	is_gb(&gpmu_traffic_memory_total(run.t.flow, 0)->read, 88, "all reads of CMEM 0");
	is_gb(&gpmu_traffic_memory_total(run.t.flow, 0)->write, 51.52 + 3.2 + 0.64,
	      "all writes to CMEM 0");
	is_gb(&gpmu_traffic_source_total(run.t.flow, 0)->read, 67.2, "all reads of CPU 0");
	is_gb(&traffic_link(&run.t, "PCIe 1 -> CMEM 0")->home_write, 0.64,
	      "PCIe 1 -> CMEM 0 at home, without strongly-ordered writes,");
	is_gb(&traffic_link(&run.t, "PCIe 1 -> CMEM 0")->source_write, 0.96,
	      "PCIe 1 -> CMEM 0 at the source, with strongly-ordered writes,");
	ok(fabs(traffic_peak(&run.t, "CPUs to CMEM 1, reads")->low - 35.2e9 / (8 * 64 * 2.8e9)) <
		   1e-6,
	   "model traffic: the peak is that of the socket's own clock, 2.8 GHz");
	stop(&run);
}

static void hopper(void)
{
	static const struct expected expected[] = {
		{ "GPU 0 ATS -> CMEM 0", 64, 32 },
		{ "GPU 1 ATS -> CMEM 1", 16, 0 },
		{ "CPU 1 -> GMEM 1", 6.4, 3.2 + 0.64 },
		{ "CPU 0 -> CMEM 1", 0, 0 },
	};
	static const char *const specs[] = { "steady-gracehopper.scenario",
					     "steady-gracehopper.scenario,sockets=4,counters=16",
					     "steady-gracehopper.scenario,sockets=4" };
	struct run run;

	for (size_t i = 0; i < sizeof(specs) / sizeof(specs[0]); i++) {
		start(&run, specs[i], GPMU_TRAFFIC_ANY);
		count(&run, 240);
		diag("%s", specs[i]);
		is_gb(&traffic_link(&run.t, "PCIe, GPU 1 -> other sockets")->home_read, 11.2,
		      "all that GPU 1 and its PCIe devices read, at the homes,");
		is_gb(&gpmu_traffic_source_total(run.t.flow, 2)->write, 36,
		      "all that GPU 0 writes");
		if (i < 2) {
			are_cells(&run, expected, sizeof(expected) / sizeof(expected[0]));
			is_gb(&gpmu_traffic_source_total(run.t.flow, 4)->read, 9.6,
			      "all that CPU 1 reads");
		} else {
			const struct gpmu_traffic_value *value =
				&traffic_cell(&run.t, "CPU 1 -> GMEM 1")->read;

			ok(value->share > 0 && value->share < 1 &&
				   fabs(value->rate / 6.4e9 - 1) < 0.2,
			   "model traffic: with more events than counters a bandwidth is an estimate with a share");
		}
		stop(&run);
	}
}

/* Flows of a fixed size, to the byte */
static void guide(void)
{
	struct run run;

	start(&run, "guide-cpu-remote-read.scenario", GPMU_TRAFFIC_ANY);
	count(&run, 160);
	is_bytes(&traffic_link(&run.t, "CPU 1 -> CMEM 0")->source_read, 36189087 * 32.0,
		 "guide traffic: the CPU's remote read at the source is to the byte");
	is_bytes(&traffic_link(&run.t, "CPU 1 -> CMEM 0")->home_read, 33542984 * 32.0,
		 "guide traffic: the CPU's remote read at the home is to the byte");
	is_bytes(&traffic_cell(&run.t, "CPU 1 -> CMEM 0")->write, 18771438,
		 "guide traffic: the writes of the remote read are to the byte");
	stop(&run);
	start(&run, "guide-pcie-remote-read.scenario", GPMU_TRAFFIC_ANY);
	count(&run, 780);
	is_bytes(&traffic_cell(&run.t, "PCIe 1 -> CMEM 0")->read, 1073762304 + 294912.0,
		 "guide traffic: the PCIe read of all root ports is to the byte");
	is_bytes(&traffic_link(&run.t, "PCIe 1 -> CMEM 0")->home_read, 1074057216,
		 "guide traffic: the PCIe read at the home is to the byte");
	stop(&run);
	start(&run, "guide-gpu-read.scenario", GPMU_TRAFFIC_ANY);
	count(&run, 820);
	is_bytes(&traffic_cell(&run.t, "GPU 0 ATS -> CMEM 0")->read, 4234927104,
		 "guide traffic: the GPU's read is to the byte");
	is_bytes(&traffic_sum(&run.t, "GPU 0 non-ATS -> CMEM, GMEM 0")->write, 20593408,
		 "guide traffic: the GPU's untranslated writes are to the byte");
	stop(&run);
}

int main(void)
{
	superchip();
	hopper();
	guide();
	return done_testing();
}
