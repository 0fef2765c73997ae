# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tests linked with the objects of gpmu-cupti.so. Those that need CUPTI itself are
# skipped if no toolkit is installed.

CUPTI_TESTS	:= $(filter cupti-%,$(GPMU_TESTS))
CUPTI_TESTS_T	:= $(CUPTI_TESTS:%=$(B)/tests/unit/%.t)
CUPTI_TESTS_SAN	:= $(CUPTI_TESTS:%=$(B)/tests/unit/%-san.t)

$(CUPTI_TESTS_T): $(cupti_OBJ) $(cupti_HDR) tests/unit/rules-cupti.mk
$(CUPTI_TESTS_SAN): $(cupti_SAN_OBJ) $(cupti_HDR) tests/unit/rules-cupti.mk
$(CUPTI_TESTS_T) $(CUPTI_TESTS_SAN): private TEST_CPPFLAGS := -Imetrics/sources/cupti
$(CUPTI_TESTS_T): private TEST_OBJ := $(cupti_OBJ)
$(CUPTI_TESTS_SAN): private TEST_OBJ := $(cupti_SAN_OBJ)
$(CUPTI_TESTS_SAN): tests/lib/deepbind.c
$(CUPTI_TESTS_SAN): private TEST_SRC := tests/lib/deepbind.c
SCRIPT_TESTS	+= tests/unit/cupti-abi.t tests/unit/inject-abi.t
