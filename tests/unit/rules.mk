# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Unit tests of libgpmu, one program each, with the sanitizers (-san); those of the recorder's threads with
# ThreadSanitizer (-tsan), too. A plain program makes the same checks on the same code, and would not see an access out of
# bounds. LONG=1 runs all plain programs, make check those that do more than the sanitized ones:
# cupti-chips, cupti-configure, cupti-threads	all chips, metrics and processes, of which the sanitized ones have a part
# expr-limits	the stack that the parser needs, which the sanitizers enlarge
# The prerequisites of a test beyond the library follow. Those of the model are in
# tests/vm/model/rules.mk.

# These are programs that tests run; those of the model and of the driver have rules of
# their own.
GPMU_NO_TESTS	:= ncurep-make catalog-dump plan-dump source-fake trace-make trace-script activity-script activity-dump perf-make jitdump-make dwarf-print import-make import-deep
GPMU_TESTS	:= $(filter-out $(GPMU_NO_TESTS) $(MODEL_TESTS) apmt,$(basename $(notdir $(UNIT_SRC))))
GPMU_TESTS_T	:= $(addsuffix .t,$(call built,$(GPMU_TESTS)))
GPMU_TESTS_SAN	:= $(addsuffix -san.t,$(call built,$(GPMU_TESTS)))
TSAN_TESTS	:= recorder recorder-channels recorder-stats record-queue record-sched record-spe record-spool
GPMU_TESTS_TSAN	:= $(addsuffix -tsan,$(call built,$(TSAN_TESTS)))
GPMU_TEST_CPPFLAGS := $(GPMU_CPPFLAGS) -Itests/lib -Itests/sysroot -Itests/unit
PLAIN_TESTS	:= $(if $(LONG),$(GPMU_TESTS),cupti-chips cupti-configure cupti-threads expr-limits)
UNIT_TESTS	+= $(addsuffix .t,$(call built,$(PLAIN_TESTS))) $(GPMU_TESTS_SAN) $(addsuffix .t,$(GPMU_TESTS_TSAN))
SCRIPT_TESTS	+= tests/unit/catalog/tables.t tests/unit/install/header.t tests/unit/install/examples.t tests/unit/install/man3.t tests/unit/install/man7.t tests/unit/install/install.t tests/unit/install/gpu-run.t tests/unit/trace/trace-sql.t tests/unit/lib/tap.t tests/unit/lib/times.t
check-unit: all

# Functions that a test replaces
$(call both,$(filter %-alloc,$(GPMU_TESTS)) plan-cgroup): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP))
$(call both,counter counter-map-kernel): private TEST_LDFLAGS := $(call wrap,read)
$(call both,counter-fake counter-ring-open): private TEST_LDFLAGS := $(call wrap,$(ALLOC_WRAP) syscall ioctl read mmap)
$(call both,counter-map): private TEST_LDFLAGS := $(call wrap,syscall ioctl read mmap)
$(call both,marks-read): private TEST_LDFLAGS := $(call wrap,malloc free)
$(call both,event-fd): private TEST_LDFLAGS := $(call wrap,syscall)
$(call both,import-order): private TEST_LDFLAGS := $(call wrap,qsort)
$(call both,import-page): private TEST_LDFLAGS := $(call wrap,event_fd_open mmap munmap)
$(call both,plan-user): private TEST_LDFLAGS := $(call wrap,event_fd_user_only)
$(call both,replace): private TEST_LDFLAGS := $(call wrap,open getrandom)
$(call both,recorder-file): private TEST_LDFLAGS := $(call wrap,gpmu_replace_beside write)
$(call both,record-sched) $(call built,record-sched)-tsan: private TEST_LDFLAGS := $(call wrap,syscall ioctl mmap munmap geteuid getrlimit log_line)
$(call both,record-spe) $(call built,record-spe)-tsan: private TEST_LDFLAGS := $(call wrap,ioctl pread pwrite)
$(call both,record-spool) $(call built,record-spool)-tsan: private TEST_LDFLAGS := $(call wrap,fstatvfs)
$(call both,profile-object): private TEST_LDFLAGS := $(call wrap,dwarf_child dwarf_siblingof)
$(call both,balance): private TEST_LDFLAGS := $(call wrap,balance_is_of)
$(call both,saved-linear): private TEST_LDFLAGS := $(call wrap,pmu_name_parse)
$(call both,recorder-channels) $(call built,recorder-channels)-tsan: private TEST_LDFLAGS := $(call wrap,channel_accept channel_read log_line)
$(call both,channel-socket session-time region clock): private TEST_LDFLAGS := $(call wrap,clock_gettime)
$(call both,sink-linear): private TEST_LDFLAGS := $(call wrap,sink_label)
$(call both,sink-only): private TEST_LDFLAGS := $(call wrap,sink_label sink_beside)
$(call both,sink-write trace-write): private TEST_LDFLAGS := $(call wrap,write)

# The replay of damaged input runs the fuzzer's target
FUZZ_REPLAYS	:= cubin-fuzz expr-fuzz event-fuzz jitdump-fuzz ncurep-fuzz perfdata-fuzz plan-fuzz profile-fuzz saved-fuzz section-fuzz source-model-fuzz spe-fuzz trace-reader-fuzz
$(foreach test,$(FUZZ_REPLAYS),$(eval $(call built,$(test)).t: $(B)/tests/fuzz/$(test:-fuzz=.o)))
$(foreach test,$(FUZZ_REPLAYS),$(eval $(call built,$(test))-san.t: $(B)/tests/fuzz/$(test:-fuzz=-san.o)))

# Source plugins: the model, and a defective one
FAKE_SRC	:= $(filter %/source-fake.c,$(UNIT_SRC))
FAKE_PLUGIN	:= $(B)/tests/unit/gpmu-fake.so
SOURCE_TESTS	:= $(filter source source-% session session-% region region-% measure measure-% probe traffic%,$(GPMU_TESTS))
$(FAKE_PLUGIN): $(FAKE_SRC) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) -fPIC -shared -o $@ $<
FAKE_PLUGIN_SAN	:= $(B)/san/tests/unit/gpmu-fake.so
$(FAKE_PLUGIN_SAN): $(FAKE_SRC) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(SANITIZERS) -fPIC -shared -o $@ $<
PROGRAMS	+= $(FAKE_PLUGIN) $(FAKE_PLUGIN_SAN)
SOURCE_TESTS_T	:= $(addsuffix .t,$(call built,$(SOURCE_TESTS)))
SOURCE_TESTS_SAN := $(addsuffix -san.t,$(call built,$(SOURCE_TESTS)))
plugins		= -DFAKE='"$(1)"' -DMODEL='"$(2)"'
$(SOURCE_TESTS_T): $(FAKE_PLUGIN) $(MODEL_PLUGIN)
$(SOURCE_TESTS_T:.t=.o): private TEST_CPPFLAGS := $(call plugins,$(FAKE_PLUGIN),$(MODEL_PLUGIN))
$(SOURCE_TESTS_SAN): $(FAKE_PLUGIN_SAN) $(MODEL_PLUGIN_SAN)
$(SOURCE_TESTS_SAN:.t=.o): private TEST_CPPFLAGS := $(call plugins,$(FAKE_PLUGIN_SAN),$(MODEL_PLUGIN_SAN))
$(call both_obj,plugin-folder): private TEST_CPPFLAGS := $(LIBDIR_CPPFLAGS)
$(call both_obj,plugin-folder): $(B)/flags/libdir
$(call both_obj,traffic-hopper): private TEST_CPPFLAGS := -iquote .
$(call both,dlfilter): $(DLFILTERS)
$(call both_obj,dlfilter): private TEST_CPPFLAGS := $(DLFILTER_CPPFLAGS) -DPLUGIN_DIR='"$(dir $(firstword $(DLFILTERS)))"'
$(call both,traceevent): $(TRACE_PLUGIN)
$(call both,traceevent perfdata-tracing): private TEST_LIBS := -ltraceevent
$(call both_obj,traceevent): private TEST_CPPFLAGS := -DPLUGIN_DIR='"$(dir $(TRACE_PLUGIN))"'
# Regions as capture ranges need the injected library and a CUDA
$(call both,region-capture): $(INJECT) $(addprefix $(B)/tests/gpu/fake/,libgpmu-fake.so libcuda.so.1 libcupti.so.13)
# These tests include the model's plugin.
WITH_MODEL	:= source-model-alloc source-model-fuzz
$(addsuffix .t,$(call built,$(WITH_MODEL))): $(MODEL_PLUGIN_OBJ) $(MODEL_OBJ)
$(addsuffix -san.t,$(call built,$(WITH_MODEL))): $(MODEL_PLUGIN_SAN_OBJ) $(MODEL_SAN_OBJ)

include tests/unit/sources/rules-cupti.mk

GPMU_TESTS_OBJ	:= $(GPMU_TESTS_T:.t=.o) $(FUZZ_REPLAYS:%-fuzz=$(B)/tests/fuzz/%.o)
GPMU_TESTS_SAN_OBJ := $(GPMU_TESTS_SAN:.t=.o) $(FUZZ_REPLAYS:%-fuzz=$(B)/tests/fuzz/%-san.o) \
		   $(B)/tests/lib/deepbind-san.o

$(GPMU_TESTS_OBJ): $(B)/%.o: %.c $(LIBPERF) $(PB_HDR) tests/unit/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -c -o $@ $<

$(GPMU_TESTS_SAN_OBJ): $(B)/%-san.o: %.c $(LIBPERF) $(PB_HDR) tests/unit/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -c -o $@ $<

$(GPMU_TESTS_TSAN:=.o): $(B)/%-tsan.o: %.c $(LIBPERF) $(PB_HDR) tests/unit/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(TEST_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(THREAD_SANITIZER) -c -o $@ $<
OBJECTS += $(GPMU_TESTS_OBJ) $(GPMU_TESTS_SAN_OBJ) $(GPMU_TESTS_TSAN:=.o)

$(GPMU_TESTS_T): %.t: %.o $(GPMU_TOOLS_LIB) $(GPMU_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS) $(TEST_LIBS)

$(GPMU_TESTS_SAN): %.t: %.o $(GPMU_TOOLS_SAN_LIB) $(GPMU_SAN_LIB)
	$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $(filter %.o,$^) $(GPMU_TOOLS_SAN_LIB) $(GPMU_SAN_LIB) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS) $(TEST_LIBS)

$(GPMU_TESTS_TSAN): %: %.o $(GPMU_TSAN_LIB) $(GPMU_LIB)
	$(CC) $(CFLAGS) $(THREAD_SANITIZER) $(LDFLAGS) $(TEST_LDFLAGS) -o $@ $< $(GPMU_TSAN_LIB) $(GPMU_LIB) $(GPMU_LIBS)

$(GPMU_TESTS_TSAN:=.t): %.t: % tests/lib/tsan
	cp tests/lib/tsan $@

# Programs that test scripts run
GPMU_DUMPS	:= $(call built,$(filter-out source-fake,$(GPMU_NO_TESTS)))
$(GPMU_DUMPS): $(B)/%: %.c $(GPMU_TOOLS_LIB) $(GPMU_LIB)
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS)
PROGRAMS	+= $(GPMU_DUMPS)

TEST_PROGRAMS	+= $(GPMU_DUMPS)
CHECK_TESTS += tests/unit/install/libperf.t tests/unit/catalog/catalog-upstream.t tests/unit/plan/plan-upstream.t tests/unit/plan/plan-perf.t
