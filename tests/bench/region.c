// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * region [user]: the cost of gpmu_region_begin() and gpmu_region_end() beside that of their
 * system calls alone, measured in alternation, for four events of this thread in one
 * group and in four. Also beside PAPI's calls that read the same events, if PAPI was
 * present at compile time and counts on this machine. Then, or with "user" only, four
 * events of the CPU that are read in user space, beside the same that are read by read(2).
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "count/gpmu_region.h"
#include "gpmu.h"
#include "lib/reads.h"

#ifdef HAS_PAPI
#include <papi.h>
#endif

#define ROUNDS		201
#define VISITS		2000
#define RATIO_MAX		1.10
#define USER_MAX	0.20
#define USER		"a region's begin and end in user space, beside read(2)"
#define FILES_MAX	64
#define PAPI		"begin and end of a region, beside two PAPI_read()"

static int files[FILES_MAX];
static int file_count;

/* The descriptors of group leaders: a read of a leader returns the whole group */
static void find_files(int leaders)
{
	char path[48], link[64];

	file_count = 0;
	for (int fd = 3; fd < 1000 && file_count < leaders; fd++) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		n = readlink(path, link, sizeof(link) - 1);
		if (n < 0)
			continue;
		link[n] = '\0';
		if (strstr(link, "perf_event"))
			files[file_count++] = fd;
	}
}

static double now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Time in ns of the reads of a visit alone */
static double read_files(size_t size)
{
	uint64_t buffer[16];
	double begin = now_ns();

	for (int i = 0; i < 2 * VISITS; i++)
		for (int k = 0; k < file_count; k++)
			if (read(files[k], buffer, size) < 0)
				exit(2);
	return (now_ns() - begin) / VISITS;
}

static double visits(struct gpmu_session *session)
{
	double begin = now_ns();

	for (int i = 0; i < VISITS; i++)
		if (gpmu_region_begin(session, "the inner loop of it") ||
		    gpmu_region_end(session, "the inner loop of it"))
			exit(2);
	return (now_ns() - begin) / VISITS;
}

/* Only one of both is enabled, as there are not enough counters for both. */
static double visits_alone(struct gpmu_session *session, struct gpmu_session *other)
{
	gpmu_session_disable(other);
	gpmu_session_enable(session);
	return visits(session);
}

static int ascending(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/*
 * Returns the median of the ratios of all rounds, which alternate the order. @peer: the session to
 * compare with; NULL: the reads alone
 */
static double measure(struct gpmu_session *session, struct gpmu_session *peer, size_t size,
		      double *ns)
{
	static double ratios[ROUNDS], all[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		double a, b;

		if (i % 2) {
			b = peer ? visits_alone(session, peer) : visits(session);
			a = peer ? visits_alone(peer, session) : read_files(size);
		} else {
			a = peer ? visits_alone(peer, session) : read_files(size);
			b = peer ? visits_alone(session, peer) : visits(session);
		}
		ratios[i] = b / a;
		all[i] = b;
	}
	qsort(ratios, ROUNDS, sizeof(ratios[0]), ascending);
	qsort(all, ROUNDS, sizeof(all[0]), ascending);
	*ns = all[ROUNDS / 2];
	return ratios[ROUNDS / 2];
}

#ifdef HAS_PAPI
/* NULL: PAPI counts; otherwise the reason why not */
static const char *start_papi(int *set)
{
	static const char *const names[] = {
		"perf::PAGE-FAULTS:u", "perf::TASK-CLOCK:u", "perf::CONTEXT-SWITCHES:u",
		"perf::CPU-MIGRATIONS:u",
	};
	int ret = PAPI_library_init(PAPI_VER_CURRENT);

	if (ret != PAPI_VER_CURRENT)
		return "PAPI cannot be used";
	ret = PAPI_create_eventset(set);
	for (size_t i = 0; ret == PAPI_OK && i < sizeof(names) / sizeof(names[0]); i++)
		ret = PAPI_add_named_event(*set, names[i]);
	if (ret == PAPI_OK)
		ret = PAPI_start(*set);
	return ret == PAPI_OK ? NULL : PAPI_strerror(ret);
}

/* PAPI only reads; the sums of a region have no equivalent */
static double papi_ns(int set)
{
	static double all[ROUNDS];
	long long counts[8];

	for (int i = 0; i < ROUNDS; i++) {
		double begin = now_ns();

		for (int k = 0; k < 2 * VISITS; k++)
			if (PAPI_read(set, counts) != PAPI_OK)
				exit(2);
		all[i] = (now_ns() - begin) / VISITS;
	}
	qsort(all, ROUNDS, sizeof(all[0]), ascending);
	return all[ROUNDS / 2];
}

static void beside_papi(double ns)
{
	int set = PAPI_NULL;
	const char *why = start_papi(&set);
	char ours[24], theirs[24];
	double other;

	if (why) {
		bench_none(PAPI, why);
		return;
	}
	other = papi_ns(set);
	/* Closes its events, so that those of the next benchmark are found by their files */
	PAPI_shutdown();
	snprintf(ours, sizeof(ours), "%.0f ns", ns);
	snprintf(theirs, sizeof(theirs), "%.0f ns", other);
	bench_row(PAPI, ours, theirs, ns / other, 0);
}
#else
static void beside_papi(double ns)
{
	(void)ns;
	bench_none(PAPI, "not installed: libpapi-dev");
}
#endif

static struct gpmu_plan *plan_of(const struct gpmu_machine *machine,
				 const struct gpmu_catalog *catalog, const char *events)
{
	struct gpmu_plan *plan = gpmu_plan_new(machine, catalog, NULL, NULL);
	struct gpmu_error error = { .size = sizeof(error) };

	if (!plan || gpmu_plan_add_events(plan, events, &error) || gpmu_plan_make(plan, &error)) {
		fprintf(stderr, "region: %s\n", error.text);
		exit(2);
	}
	return plan;
}

static struct gpmu_session *start(const struct gpmu_plan *plan, int inherit)
{
	const struct gpmu_session_options options = { .size = sizeof(options), .inherit = inherit };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_session *session = gpmu_session_new(plan, &options, &error);

	if (!session || gpmu_session_enable(session)) {
		fprintf(stderr, "region: %s\n", error.text);
		exit(2);
	}
	return session;
}

/* Returns the time of a visit in ns */
static double row(struct gpmu_session *session, struct gpmu_session *peer, const char *what,
		  size_t size, double max)
{
	char ours[24], theirs[24];
	double ratio, ns;

	ratio = measure(session, peer, size, &ns);
	snprintf(ours, sizeof(ours), "%.0f ns", ns);
	snprintf(theirs, sizeof(theirs), "%.0f ns", ns / ratio);
	bench_row(what, ours, theirs, ratio, max);
	return ns;
}

static void bench(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog,
		    const char *events, int groups, size_t size)
{
	struct gpmu_plan *plan = plan_of(machine, catalog, events);
	struct gpmu_session *session = start(plan, 0);
	char what[80];
	double ns;

	find_files(groups);
	if (groups == 1)
		file_count = 1;
	snprintf(what, sizeof(what), "a region's begin and end, %d group%s, beside its reads",
		 groups, groups > 1 ? "s" : "");
	visits(session);
	ns = row(session, NULL, what, size, RATIO_MAX);
	if (groups == 1)
		beside_papi(ns);
	gpmu_session_free(session);
	gpmu_plan_free(plan);
}

/*
 * Counts that child tasks inherit are read by read(2). QEMU's CPUs count only these two events, so
 * each is counted twice.
 */
static void bench_user(const struct gpmu_machine *machine, const struct gpmu_catalog *catalog)
{
	struct gpmu_plan *plan = plan_of(machine, catalog,
					 "{cycles:u,instructions:u,cycles,instructions}");
	struct gpmu_session *session = start(plan, 0), *peer = start(plan, 1);
	uint64_t before;

	find_files(1);
	visits_alone(session, peer);
	before = reads();
	visits(session);
	if (!file_count)
		bench_none(USER, "the CPUs have no PMU");
	else if (reads() != before)
		bench_none(USER, "not allowed: see gpmu doctor");
	else
		row(session, peer, USER, 0, USER_MAX);
	gpmu_session_free(session);
	gpmu_session_free(peer);
	gpmu_plan_free(plan);
}

int main(int argc, char **argv)
{
	struct gpmu_machine *machine = gpmu_machine_new(NULL, NULL);
	struct gpmu_catalog *catalog = gpmu_catalog_new(NULL, NULL);

	if (!machine || !catalog)
		return 2;
	if (argc < 2 || strcmp(argv[1], "user")) {
		bench(machine, catalog, "{page-faults:u,task-clock:u,context-switches:u,dummy:u}", 1,
		      7 * sizeof(uint64_t));
		/* Pinned, as they would otherwise be put in one group */
		bench(machine, catalog, "page-faults:uD,task-clock:uD,context-switches:uD,dummy:uD",
		      4, 4 * sizeof(uint64_t));
	}
	bench_user(machine, catalog);
	gpmu_catalog_free(catalog);
	gpmu_machine_free(machine);
	return 0;
}
