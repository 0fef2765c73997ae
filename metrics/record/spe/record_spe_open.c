// SPDX-License-Identifier: LGPL-2.1-or-later
/* Opens the events of SPE, with what the kernel permits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/log.h"
#include "base/task_status.h"
#include "base/text/text.h"
#include "record/spe/record_spe.h"

#define PMU		"arm_spe_0"
#define PERIOD		(1u << 20)	/* operations; 6,000 samples per second at 3.1 GHz and 2 operations per cycle */
#define PERIOD_TERM	"period="
/* Bytes, powers of 2 and multiples of a page */
#define RING		(64u << 10)
#define BUFFER		(4u << 20)

/* Reason why physical addresses and contexts are missing */
#define PERMISSION	"both require CAP_PERFMON or, since Linux 6.12, the sysctl kernel.perf_event_paranoid at 1 or less"

/* Parts that are left out, one after the other, until the kernel permits the event */
static const struct {
	const char *terms;
	bool is_user_only;
	const char *note;	/* NULL: nothing is left out */
} attempts[] = {
	{ .terms = "ts_enable=1,pa_enable=1" },
	{ .terms = "ts_enable=1",
	  .note = "SPE: neither the homes of the data nor, with -a, the threads are recorded, because " PERMISSION },
	{ .terms = "ts_enable=1", .is_user_only = true,
	  .note = "SPE: neither samples of the kernel nor the homes of the data are recorded, because both require "
	  "CAP_PERFMON, or the sysctl kernel.perf_event_paranoid at 1 or less" },
};


static int refuse(int ret, const char *terms, struct gpmu_error *error)
{
	if ((ret == -EACCES || ret == -EPERM) && (strstr(terms, "pa_enable") || strstr(terms, "pct_enable")))
		error_set(error, 0, "--spe=%s: pa_enable=1 and pct_enable=1: " PERMISSION, terms);
	else if (ret == -EBUSY)
		error_set(error, 0, "SPE is in use by another recording of these CPUs or threads");
	else if (!record_rings_refuse(ret, "SPE", "the buffers of SPE", "2 or less for a command, 0 or less for all CPUs", error))
		error_set(error, 0, "SPE cannot be recorded with these terms: %s", error_text(-ret));
	return ret;
}

/* Moves the value of "period=N" from @terms, which are shortened, to @period. */
static int take_period(char *terms, uint64_t *period, struct gpmu_error *error)
{
	char *term = terms, *end;

	while (strncmp(term, PERIOD_TERM, strlen(PERIOD_TERM)) != 0) {
		term = strchr(term, ',');
		if (!term)
			return 0;
		term++;
	}
	*period = strtoull(term + strlen(PERIOD_TERM), &end, 0);
	if ((*end && *end != ',') || !*period || *period > INT64_MAX) {
		error_set(error, (size_t)(term - terms), "SPE: period=: expected a number of operations from 1");
		return -EINVAL;
	}
	if (*end)
		memmove(term, end + 1, strlen(end + 1) + 1);
	else
		term[term > terms ? -1 : 0] = '\0';
	return 0;
}

/* Sets @attr to the event of the terms. */
static int resolve(const struct record_spe *spe, const char *base, const char *terms, struct perf_event_attr *attr,
		   struct gpmu_error *error)
{
	char *text = text_print(PMU "/%s%s%s/", base, *terms ? "," : "", terms);
	struct gpmu_event *event = text ? gpmu_event_new(spe->reader.machine, NULL, text, error) : NULL;
	int ret = text ? event ? 0 : -errno : -ENOMEM;

	if (event)
		*attr = *gpmu_event_instance_attr(event, 0);
	attr->sample_period = spe->period;
	attr->sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;
	attr->sample_id_all = 1;
	gpmu_event_free(event);
	free(text);
	return ret;
}

static int open_rings(struct record_spe *spe, const char *terms, struct gpmu_error *error)
{
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(attempts); i++) {
		struct perf_event_attr attr = { 0 };

		ret = resolve(spe, attempts[i].terms, terms, &attr, error);
		if (ret)
			return ret;
		attr.exclude_kernel |= attempts[i].is_user_only;
		spe->rings.aux_max = spe->buffer ? spe->buffer : BUFFER;
		ret = record_rings_open(&spe->rings, &spe->reader, &attr, RING);
		if (ret != -EACCES && ret != -EPERM) {
			spe->note = attempts[i].note && !ret ? strdup(attempts[i].note) : NULL;
			break;
		}
		record_rings_release(&spe->rings);
	}
	if (!ret && !spe->rings.count)
		ret = -ENODEV;
	return ret ? refuse(ret, terms, error) : 0;
}

static int node_of(const struct gpmu_machine *machine, int cpu)
{
	const struct gpmu_node *node;
	const int *cpus;

	for (size_t i = 0; (node = gpmu_machine_node(machine, i)); i++)
		for (size_t n = gpmu_node_cpus(node, &cpus); n--; cpus++)
			if (*cpus == cpu)
				return gpmu_node_number(node);
	return -1;
}

int record_spe_open(struct record_spe *spe, struct gpmu_error *error)
{
	char *terms;
	int ret;

	if (!spe->reader.machine || !gpmu_machine_find_pmu(spe->reader.machine, PMU)) {
		error_set(error, 0, "SPE: this machine has no PMU " PMU ": it needs a CPU with Arm's Statistical Profiling "
			  "Extension, and a kernel with CONFIG_ARM_SPE_PMU (modprobe arm_spe_pmu)");
		return -ENODEV;
	}
	terms = strdup(spe->terms);
	if (!terms)
		return -ENOMEM;
	spe->period = PERIOD;
	ret = take_period(terms, &spe->period, error);
	if (!ret)
		ret = open_rings(spe, terms, error);
	free(terms);
	if (ret)
		return ret;
	if (spe->note)
		log_line(GPMU_LOG_WARNING, "%s", spe->note);
	/* The context packets have the ids of threads in the initial PID namespace. */
	spe->has_no_contexts = !task_status_is_initial();
	if (spe->has_no_contexts)
		log_line(GPMU_LOG_WARNING, "%s", RECORD_SPE_NO_CONTEXTS);
	spe->buffers = calloc(spe->rings.count, sizeof(*spe->buffers));
	if (!spe->buffers)
		return error_no_memory(error);
	for (size_t i = 0; i < spe->rings.count; i++) {
		gpmu_spe_decoder_init(&spe->buffers[i].decoder);
		spe->buffers[i].node = node_of(spe->reader.machine, spe->rings.list[i].cpu);
	}
	return 0;
}

void record_spe_enable(const struct record_spe *spe)
{
	for (size_t i = 0; i < spe->rings.count; i++)
		record_ring_restart(&spe->rings.list[i], true);
}

void record_spe_release(struct record_spe *spe)
{
	record_rings_release(&spe->rings);
	record_spool_release(&spe->spool);
	free(spe->buffers);
	spe->buffers = NULL;
	free(spe->note);
	spe->note = NULL;
}
