# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests of the parts of gpmu-cupti.so, which are linked to them. Those that need CUPTI
# itself skip where no toolkit is installed.

CUPTI_TESTS	:= $(filter cupti-%,$(GPMU_TESTS))
CUPTI_NVML	:= $(filter metrics/sources/nvml/%,$(cupti_BASE))

$(addsuffix .t,$(call built,$(CUPTI_TESTS))): $(cupti_OBJ) $(CUPTI_NVML:%=$(B)/%)
$(addsuffix -san.t,$(call built,$(CUPTI_TESTS))): $(cupti_SAN_OBJ) $(CUPTI_NVML:%=$(B)/san/%) $(B)/tests/lib/deepbind-san.o
$(call both_obj,$(CUPTI_TESTS)): private TEST_CPPFLAGS := -Imetrics/sources/cupti
$(call both_obj,inject-profiler inject-memory): private TEST_CPPFLAGS := -Imetrics/sources/inject -Imetrics/sources/cupti
SCRIPT_TESTS	+= tests/unit/sources/cupti-abi.t tests/unit/sources/inject-abi.t
