# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Unit tests of libgpmu, one program each, plain and with the sanitizers (-san).
# The prerequisites of a test beyond the library follow. Those of the model are in
# tests/vm/model/rules.mk.

# The tests of a noun begin with its name.
GPMU_NOUNS	:= cpus machine source catalog expr event plan counts counter row stats number sink \
		   session region log probe runs saved traffic balance list clock trace \
		   map words spans report cupti channel record again
GPMU_TEST_SRC	:= $(wildcard $(foreach noun,$(GPMU_NOUNS),tests/unit/$(noun).c tests/unit/$(noun)-*.c))
GPMU_NO_TESTS	:= catalog-dump plan-dump source-fake trace-make trace-script
GPMU_TESTS	:= $(filter-out $(GPMU_NO_TESTS),$(patsubst tests/unit/%.c,%,$(GPMU_TEST_SRC)))
GPMU_TESTS_T	:= $(GPMU_TESTS:%=$(B)/tests/unit/%.t)
GPMU_TESTS_SAN	:= $(GPMU_TESTS:%=$(B)/tests/unit/%-san.t)
GPMU_TEST_HDR	:= $(wildcard tests/unit/*.h tests/lib/*.h tests/sysroot/*.h)
GPMU_TEST_CPPFLAGS := $(GPMU_CPPFLAGS) -Itests/lib -Itests/sysroot
UNIT_TESTS	+= $(GPMU_TESTS_T) $(GPMU_TESTS_SAN)
SCRIPT_TESTS	+= tests/unit/header.t tests/unit/examples.t tests/unit/man3.t tests/unit/man7.t tests/unit/install.t tests/unit/gpu-run.t tests/unit/trace-sql.t
check-unit: all

both		= $(foreach test,$(1),$(B)/tests/unit/$(test).t $(B)/tests/unit/$(test)-san.t)

# Functions that a test replaces
$(call both,$(filter %-alloc,$(GPMU_TESTS))): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP))
$(call both,catalog-alloc): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP) json_loadb json_delete)
$(call both,counter): private TEST_LDFLAGS := $(call wrap,read)
$(call both,counter-fake counter-ring-open): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP) syscall ioctl read mmap)
$(call both,record-sched): private TEST_LDFLAGS := $(call wrap,syscall ioctl mmap log_line)
$(call both,session-time region clock): private TEST_LDFLAGS := $(call wrap,clock_gettime)
$(call both,sink-write trace-write): private TEST_LDFLAGS := $(call wrap,write)

# The replay of damaged input runs the fuzzer's target
FUZZ_REPLAYS	:= expr-fuzz event-fuzz plan-fuzz saved-fuzz source-model-fuzz trace-reader-fuzz
$(foreach test,$(FUZZ_REPLAYS),$(eval $(call both,$(test)): private TEST_SRC := tests/fuzz/$(test:-fuzz=.c)))
$(foreach test,$(FUZZ_REPLAYS),$(eval $(call both,$(test)): tests/fuzz/$(test:-fuzz=.c)))

# Source plugins: the model, and a defective one
FAKE_PLUGIN	:= $(B)/tests/unit/gpmu-fake.so
SOURCE_TESTS	:= $(filter source source-% session session-% region region-% probe traffic%,$(GPMU_TESTS))
$(FAKE_PLUGIN): tests/unit/source-fake.c $(GPMU_TEST_HDR) $(GPMU_HDR) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) -fPIC -shared -o $@ $<
FAKE_PLUGIN_SAN	:= $(B)/san/tests/unit/gpmu-fake.so
$(FAKE_PLUGIN_SAN): tests/unit/source-fake.c $(GPMU_TEST_HDR) $(GPMU_HDR) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(SANITIZERS) -fPIC -shared -o $@ $<
SOURCE_TESTS_T	:= $(SOURCE_TESTS:%=$(B)/tests/unit/%.t)
SOURCE_TESTS_SAN := $(SOURCE_TESTS:%=$(B)/tests/unit/%-san.t)
plugins		= -DFAKE='"$(1)"' -DMODEL='"$(2)"' -DGPMU_PLUGIN_DIR='"$(GPMU_PLUGIN_DIR)"'
$(SOURCE_TESTS_T): $(FAKE_PLUGIN) $(MODEL_PLUGIN) $(B)/flags/folders
$(SOURCE_TESTS_T): private TEST_CPPFLAGS := $(call plugins,$(FAKE_PLUGIN),$(MODEL_PLUGIN))
$(SOURCE_TESTS_SAN): $(FAKE_PLUGIN_SAN) $(MODEL_PLUGIN_SAN) $(B)/flags/folders
$(SOURCE_TESTS_SAN): private TEST_CPPFLAGS := $(call plugins,$(FAKE_PLUGIN_SAN),$(MODEL_PLUGIN_SAN))
# Regions as capture ranges need the injected library and a CUDA
$(call both,region-capture): $(INJECT) $(addprefix $(B)/tests/gpu/fake/,libgpmu-fake.so libcuda.so.1 libcupti.so.13)
# These tests include the model's plugin.
WITH_MODEL	:= source-model-alloc source-model-fuzz
$(WITH_MODEL:%=$(B)/tests/unit/%.t): private TEST_OBJ := $(MODEL_PLUGIN_OBJ) $(MODEL_OBJ)
$(WITH_MODEL:%=$(B)/tests/unit/%-san.t): private TEST_OBJ := $(MODEL_PLUGIN_SAN_OBJ) $(MODEL_SAN_OBJ)
$(WITH_MODEL:%=$(B)/tests/unit/%.t): $(MODEL_PLUGIN_OBJ) $(MODEL_OBJ)
$(WITH_MODEL:%=$(B)/tests/unit/%-san.t): $(MODEL_PLUGIN_SAN_OBJ) $(MODEL_SAN_OBJ)

include tests/unit/rules-cupti.mk

$(GPMU_TESTS_T): $(B)/tests/unit/%.t: tests/unit/%.c $(GPMU_TEST_HDR) $(GPMU_LIB) tests/unit/rules.mk
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $< $(TEST_SRC) \
		$(TEST_OBJ) $(GPMU_LIB) $(GPMU_LIBS)

$(GPMU_TESTS_SAN): $(B)/tests/unit/%-san.t: tests/unit/%.c $(GPMU_TEST_HDR) $(GPMU_SAN_LIB) tests/unit/rules.mk
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $< $(TEST_SRC) \
		$(TEST_OBJ) $(GPMU_SAN_LIB) $(GPMU_LIBS)

# Programs that test scripts run
GPMU_DUMPS	:= $(addprefix $(B)/tests/unit/,catalog-dump plan-dump trace-make trace-script activity-script activity-dump)
$(GPMU_DUMPS): $(B)/tests/unit/%: tests/unit/%.c $(GPMU_TEST_HDR) $(GPMU_LIB)
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(GPMU_LIB) $(GPMU_LIBS)

check-unit: $(GPMU_DUMPS)
CHECK_TESTS += $(addprefix tests/unit/,libperf.t catalog-upstream.t plan-upstream.t plan-perf.t)
