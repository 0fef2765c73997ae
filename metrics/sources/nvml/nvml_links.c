// SPDX-License-Identifier: LGPL-2.1-or-later
#include "nvml_links.h"

/* NVML returns success and 0 for missing links. */
void nv_find_links(const struct nv_api *api, nv_device device, struct nv_links *links)
{
	struct nv_c2c_mode mode = { 0 };
	struct nv_field count = { .id = NV_FIELD_C2C_LINK_COUNT };
	int active;

	links->nvlinks = 0;
	for (unsigned int link = 0; link < NV_MAX_LINKS; link++) {
		active = 0;
		if (!NV_CALL(api, nvmlDeviceGetNvLinkState, device, link, &active) && active)
			links->nvlinks |= 1ull << link;
	}
	links->c2c = !NV_CALL(api, nvmlDeviceGetC2cModeInfoV, device, &mode) && mode.enabled;
	if (links->c2c && !NV_CALL(api, nvmlDeviceGetFieldValues, device, 1, &count) && !count.result)
		links->c2c = count.value.u != 0;
}

bool nv_lacks(const struct nv_links *links, enum nv_need need)
{
	return (need == NEED_NVLINK && !links->nvlinks) || (need == NEED_C2C && !links->c2c);
}

const char *nv_need_why(enum nv_need need)
{
	static const char *const whys[] = {
		[NEED_NVLINK] = "no NVLink is active",
		[NEED_C2C] = "this GPU has no NVLink-C2C",
	};

	return whys[need];
}
