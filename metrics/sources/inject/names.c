// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names by number. The last number of the same pointer is tried first. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "inject.h"
#include "trace/channel/channel_names.h"

#define HINTS		1024
#define CALLS		2048	/* callback ids of a domain */

static struct channel_names names;
static uint32_t hints[HINTS];
static size_t bytes[NAMES_USES];
static bool is_reported[NAMES_USES];
static uint32_t calls[2][CALLS];

/*
 * Calls that are not recorded: they only query, or every other call makes them. The numbers are those of
 * cupti_runtime_cbid.h and cupti_driver_cbid.h, which do not change.
 */
static const struct {
	uint32_t domain, cbid;
} noise[] = {
#define RUNTIME(cbid)	{ CUPTI_CB_DOMAIN_RUNTIME_API, cbid }
#define DRIVER(cbid)	{ CUPTI_CB_DOMAIN_DRIVER_API, cbid }
	RUNTIME(10),	/* cudaGetLastError */
	RUNTIME(11),	/* cudaPeekAtLastError */
	RUNTIME(17),	/* cudaGetDevice */
	RUNTIME(200),	/* cudaDeviceGetAttribute */
	RUNTIME(251),	/* cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags */
	RUNTIME(317),	/* cudaStreamIsCapturing */
	RUNTIME(318),	/* cudaStreamIsCapturing_ptsz */
	RUNTIME(324),	/* cudaStreamGetCaptureInfo */
	RUNTIME(325),	/* cudaStreamGetCaptureInfo_ptsz */
	RUNTIME(409),	/* cudaStreamGetCaptureInfo_v2 */
	RUNTIME(410),	/* cudaStreamGetCaptureInfo_v2_ptsz */
	RUNTIME(433),	/* cudaOccupancyMaxActiveClusters */
	RUNTIME(461),	/* cudaStreamGetCaptureInfo of CUDA 12.3 */
	RUNTIME(462),
	DRIVER(2),	/* cuDriverGetVersion */
	DRIVER(9),	/* cuDeviceGetAttribute */
	DRIVER(14),	/* cuCtxPushCurrent */
	DRIVER(15),	/* cuCtxPopCurrent */
	DRIVER(16),	/* cuCtxGetDevice */
	DRIVER(135),	/* cuGetExportTable */
	DRIVER(304),	/* cuCtxGetCurrent */
	DRIVER(323),	/* cuCtxPushCurrent_v2 */
	DRIVER(324),	/* cuCtxPopCurrent_v2 */
	DRIVER(392),	/* cuDevicePrimaryCtxGetState */
	DRIVER(451),	/* cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags */
	DRIVER(499),	/* cuStreamIsCapturing */
	DRIVER(500),	/* cuStreamIsCapturing_ptsz */
	DRIVER(536),	/* cuStreamGetCaptureInfo */
	DRIVER(537),	/* cuStreamGetCaptureInfo_ptsz */
	DRIVER(626),	/* cuGetProcAddress */
	DRIVER(629),	/* cuStreamGetCaptureInfo_v2 */
	DRIVER(630),	/* cuStreamGetCaptureInfo_v2_ptsz */
	DRIVER(677),	/* cuGetProcAddress_v2 */
	DRIVER(683),	/* cuKernelGetFunction */
	DRIVER(686),	/* cuKernelGetAttribute */
	DRIVER(718),	/* cuFuncGetName */
	DRIVER(719),	/* cuKernelGetName, which the runtime calls for each launch */
	DRIVER(729),	/* cuStreamGetCaptureInfo_v3 */
	DRIVER(730),	/* cuStreamGetCaptureInfo_v3_ptsz */
	DRIVER(741),	/* cuFuncIsLoaded */
	DRIVER(795),	/* cuCtxGetDevice_v2: cudaGetDevice() calls it, which PyTorch calls five times for each launch */
};

bool names_noise(size_t index, uint32_t *domain, uint32_t *cbid)
{
	if (index >= ARRAY_SIZE(noise))
		return false;
	*domain = noise[index].domain;
	*cbid = noise[index].cbid;
	return true;
}

bool names_is_noise(uint32_t domain, uint32_t cbid)
{
	uint32_t of_domain, of_cbid;

	for (size_t i = 0; names_noise(i, &of_domain, &of_cbid); i++)
		if (of_domain == domain && of_cbid == cbid)
			return true;
	return false;
}

static bool write_name(void *self, const struct activity_head *record)
{
	return output_write(self, record);
}

static void report_more(struct inject *self, enum names_use use)
{
	output_warn_once(self, &is_reported[use], CHANNEL_NAMES_NOTE, CHANNEL_NAMES_MAX >> 20,
			 use == NAMES_OF_NVTX ? "NVTX" : "CUDA",
			 use == NAMES_OF_NVTX ? CHANNEL_NAMES_REMEDY : "");
}

uint32_t names_intern(struct inject *self, enum names_use use, const char *text)
{
	uint32_t *hint = &hints[((uintptr_t)text ^ (uintptr_t)text >> 10) % HINTS], number;

	if (!text || !*text)
		return 0;
	if (*hint && channel_name_is(&names, *hint, text))
		return *hint;
	number = channel_names_intern(&names, &bytes[use], text, write_name, self);
	if (!number)
		return 0;
	if (channel_name_is(&names, number, CHANNEL_NAMES_MORE))
		report_more(self, use);
	else
		*hint = number;
	return number;
}

/* "cudaLaunchKernel_v7000" is what a program calls cudaLaunchKernel(). */
static void cut_version(const char *name, char *to, size_t size)
{
	char *version;

	snprintf(to, size, "%s", name);
	version = strrchr(to, '_');
	if (version && version[1] == 'v' && strlen(version) >= sizeof("_v7000") - 1 &&
	    !version[2 + strspn(version + 2, "0123456789")])
		*version = '\0';
}

uint32_t names_call(struct inject *self, uint32_t domain, uint32_t cbid)
{
	uint32_t *number = &calls[domain == CUPTI_CB_DOMAIN_RUNTIME_API][cbid % CALLS], found;
	const char *name = NULL;
	char text[128];

	found = cbid < CALLS ? *number : 0;
	if (found)
		return found;
	if (!inject_is_alive(self) || self->api.callback_name(domain, cbid, &name) || !name)
		return 0;
	cut_version(name, text, sizeof(text));
	found = names_intern(self, NAMES_OF_CUDA, text);
	if (cbid < CALLS)
		*number = found;
	return found;
}
