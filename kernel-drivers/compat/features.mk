# SPDX-License-Identifier: GPL-2.0-only
#
# Flags that tell compat.h what the kernel being built for has. Its headers are
# asked, not its version: distributions backport.

# $(call grace_has,HEADER,ERE,FLAG): -DFLAG if a line of the header matches
grace_has = $(shell grep -Eqs '$(2)' $(srctree)/include/linux/$(1) && echo -D$(3))

ccflags-y += $(call grace_has,hrtimer.h,\bhrtimer_setup\b,HAVE_HRTIMER_SETUP)
ccflags-y += $(call grace_has,perf_event.h,struct device[[:space:]]+[*]parent;,HAVE_PMU_PARENT)
