// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <perfmon/pfmlib_perf_event.h>

#include "event/event_pfm.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialized = PFM_ERR_NOINIT;

static void initialize(void)
{
	initialized = pfm_initialize();
}

static bool is_ready(const char **why)
{
	pthread_once(&once, initialize);
	*why = pfm_strerror(initialized);
	return initialized == PFM_SUCCESS;
}

/*
 * Returns whether libpfm4 has tables of the PMU at the text's beginning, and that PMU is in this
 * machine
 */
static bool find_pmu(const char *text, bool *is_present)
{
	size_t length = strcspn(text, ":");
	pfm_pmu_info_t info;

	for (int pmu = PFM_PMU_NONE; pmu < PFM_PMU_MAX; pmu++) {
		memset(&info, 0, sizeof(info));
		info.size = sizeof(info);
		if (pfm_get_pmu_info((pfm_pmu_t)pmu, &info) != PFM_SUCCESS)
			continue;
		if (!strncmp(info.name, text, length) && !info.name[length]) {
			*is_present = info.is_present;
			return true;
		}
	}
	return false;
}

static int fail(const char *text, int error, const char **why)
{
	bool is_present;

	*why = pfm_strerror(error);
	switch (error) {
	case PFM_ERR_NOMEM:
		return -ENOMEM;
	case PFM_ERR_NOTFOUND:
		if (!find_pmu(text, &is_present)) {
			*why = "this architecture has no such PMU";
			return -ENOENT;
		}
		if (!is_present) {
			*why = "this machine does not have that PMU";
			return -ENODEV;
		}
		return -ENOENT;
	case PFM_ERR_NOTSUPP:
		return -ENODEV;
	default:
		return -EINVAL;
	}
}

/* Returns whether the text has the modifier h (hypervisor). */
static bool names_hypervisor(const char *text)
{
	for (const char *c = strstr(text, ":h"); c; c = strstr(c + 2, ":h"))
		if (!c[2] || c[2] == ':' || c[2] == '=')
			return true;
	return false;
}

int event_pfm_encode(const char *text, struct event_pfm *event, const char **why)
{
	struct perf_event_attr attr;
	pfm_perf_encode_arg_t arg;
	int ret;

	if (!is_ready(why))
		return -ENODEV;
	memset(&attr, 0, sizeof(attr));
	memset(&arg, 0, sizeof(arg));
	arg.attr = &attr;
	arg.size = sizeof(arg);
	/* Ask without perf's modifiers, some of which are for sampling; perf does so, too. */
	ret = pfm_get_os_event_encoding(text, PFM_PLM0 | PFM_PLM3 | PFM_PLMH, PFM_OS_PERF_EVENT,
					&arg);
	if (ret != PFM_SUCCESS)
		return fail(text, ret, why);
	/*
	 * libpfm4 leaves exclude_hv clear on machines whose PMU it knows, but perf always sets
	 * this bit.
	 */
	if ((attr.exclude_user || attr.exclude_kernel) && !names_hypervisor(text))
		attr.exclude_hv = 1;
	*event = (struct event_pfm){
		.type = attr.type, .config = attr.config, .config1 = attr.config1,
		.config2 = attr.config2, .is_user_excluded = attr.exclude_user,
		.is_kernel_excluded = attr.exclude_kernel, .is_hv_excluded = attr.exclude_hv,
	};
	return 0;
}
