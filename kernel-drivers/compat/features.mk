# SPDX-License-Identifier: GPL-2.0-only
#
# Detects the capabilities of the target kernel for compat.h. The check looks at
# the kernel's headers instead of its version because distributions backport.

# $(call grace_has,HEADER,ERE,FLAG): -DFLAG if a line of the header matches
grace_has = $(shell grep -Eqs '$(2)' $(srctree)/include/$(1) && echo -D$(3))

ccflags-y += $(call grace_has,linux/perf_event.h,struct device[[:space:]]+[*]parent;,HAVE_PMU_PARENT)
ccflags-y += $(call grace_has,uapi/linux/perf_event.h,__u64[[:space:]]+config3;,HAVE_CONFIG3)
ccflags-y += $(call grace_has,uapi/linux/perf_event.h,__u64[[:space:]]+config4;,HAVE_CONFIG4)
