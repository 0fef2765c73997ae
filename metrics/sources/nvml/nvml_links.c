// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nvml_links.h"

/* Returns whether NVML reports that there is no such link. After other errors the link may be there. */
static bool is_absent(int result)
{
	return result == NV_NOT_SUPPORTED || result == NV_INVALID_ARGUMENT;
}

static int find_nvlinks(const struct nv_api *api, nv_device device, unsigned long long *links)
{
	*links = 0;
	for (unsigned int link = 0; link < NV_MAX_LINKS; link++) {
		int active = 0, result = NV_CALL(api, nvmlDeviceGetNvLinkState, device, link, &active);

		if (result && !is_absent(result))
			return result;
		if (!result && active)
			*links |= 1ull << link;
	}
	return *links ? NV_SUCCESS : NV_NOT_SUPPORTED;
}

/* The number of links decides; the mode does where NVML does not know that number. Older NVMLs have no mode. */
static int find_c2c(const struct nv_api *api, nv_device device)
{
	struct nv_c2c_mode mode = { 0 };
	struct nv_field count = { .id = NV_FIELD_C2C_LINK_COUNT };
	int result = NV_CALL(api, nvmlDeviceGetC2cModeInfoV, device, &mode), counted;

	if (!result && !mode.enabled)
		return NV_NOT_SUPPORTED;
	if (result && result != NV_FUNCTION_NOT_FOUND)
		return is_absent(result) ? NV_NOT_SUPPORTED : result;
	counted = NV_CALL(api, nvmlDeviceGetFieldValues, device, 1, &count);
	if (!counted)
		counted = count.result;
	if (!counted)
		return count.value.u ? NV_SUCCESS : NV_NOT_SUPPORTED;
	return is_absent(counted) ? result : counted;
}

/* Counters of missing links are no proof: NVML returns success and 0 for them. */
void nv_find_links(const struct nv_api *api, nv_device device, struct nv_links *links)
{
	links->results[NEED_NOTHING] = NV_SUCCESS;
	links->results[NEED_NVLINK] = find_nvlinks(api, device, &links->nvlinks);
	links->results[NEED_C2C] = find_c2c(api, device);
}

bool nv_lacks(const struct nv_links *links, enum nv_need need)
{
	return links->results[need] == NV_NOT_SUPPORTED;
}

const char *nv_need_why(enum nv_need need)
{
	static const char *const whys[] = {
		[NEED_NVLINK] = "no NVLink is active",
		[NEED_C2C] = "this GPU has no NVLink-C2C",
	};

	return whys[need];
}
