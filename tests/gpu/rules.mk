# SPDX-License-Identifier: LGPL-2.1-or-later
#
# GPUs: fakes of NVIDIA's libraries, a recorder of calls of the real ones, and contract suites of the plugins, which run
# on both.

GPU_FAKE	:= $(B)/tests/gpu/fake
GPU_FAKE_SAN	:= $(B)/san/tests/gpu/fake
GPU_FAKE_HDR	:= $(wildcard tests/gpu/fake/*.h)
GPU_FAKE_LIBS	:= libgpmu-fake.so libcuda.so.1 libcupti.so.13 libcheckpoint.so
GPU_CPPFLAGS	:= -D_GNU_SOURCE -Itests/gpu/fake -Itests/gpu/recorder -Itests/lib \
		   -Imetrics/include -Imetrics/sources/cupti -Imetrics/sources/inject

fake_src	= $(addprefix tests/gpu/fake/,$(1))
GPU_FAKE_SRC_libgpmu-fake.so := $(call fake_src,options.c metric.c replay.c heap.c)
GPU_FAKE_SRC_libcuda.so.1 := $(call fake_src,cuda.c)
GPU_FAKE_SRC_libcupti.so.13 := $(call fake_src,cupti.c host.c ranges.c sampling.c image.c activity.c activity_do.c pc_sampling.c sass.c heap_do.c)
GPU_FAKE_SRC_libcheckpoint.so := $(call fake_src,checkpoint.c)

# libgpmu-fake.so reads its tables from the folder that it lies in, so that programs find them in any working directory.
GPU_FAKE_DATA	:= machines.tsv metrics.tsv stall_reasons.tsv sass_metrics.tsv pcs.tsv cubin_3ad3cd15.bin cubin_78b27b28.bin cubin_89f6b764.bin
define gpu_fake_data
$(GPU_FAKE_DATA:%=$(1)/%): $(1)/%: tests/data/gpu/%
	@mkdir -p $$(@D)
	cp $$< $$@
endef
$(foreach dir,$(GPU_FAKE) $(GPU_FAKE_SAN),$(eval $(call gpu_fake_data,$(dir))))

comma := ,

# Like the real libraries, each has its soname, calls its own functions, and finds the others in its own folder.
define gpu_fake
$(1)/$(3): $$(GPU_FAKE_SRC_$(3)) $$(GPU_FAKE_HDR) metrics/sources/cupti/library/cupti_api.h metrics/sources/inject/inject_api.h metrics/sources/inject/pcs/pcs_api.h metrics/sources/inject/sass/sass_api.h \
		metrics/sources/inject/ranges/checkpoint_api.h tests/gpu/rules.mk $$(B)/flags/cc \
		$(if $(filter libgpmu%,$(3)),$(addprefix $(1)/,$(GPU_FAKE_DATA)),$(1)/libgpmu-fake.so)
	@mkdir -p $$(@D)
	$$(CC) $$(GPU_CPPFLAGS) $$(CFLAGS) $(2) $(if $(filter libgpmu%,$(3)),,-fvisibility=hidden -Wl$$(comma)-Bsymbolic-functions) -fPIC -shared -Wl,-soname,$(3),-rpath,'$$$$ORIGIN' -o $$@ \
		$$(GPU_FAKE_SRC_$(3)) $(if $(filter libgpmu%,$(3)),,$(1)/libgpmu-fake.so) -lm -ldl -lpthread
endef
$(foreach lib,$(GPU_FAKE_LIBS),$(eval $(call gpu_fake,$(GPU_FAKE),,$(lib))))
$(foreach lib,$(GPU_FAKE_LIBS),$(eval $(call gpu_fake,$(GPU_FAKE_SAN),$(SANITIZERS),$(lib))))

# CUPTI of CUDA 13.3, with functions for several subscribers
GPU_SEVERAL	:= $(GPU_FAKE)/several/libcupti.so.13
$(GPU_SEVERAL): $(GPU_FAKE_SRC_libcupti.so.13) tests/gpu/fake/several.c $(GPU_FAKE_HDR) metrics/sources/inject/inject_api.h \
		metrics/sources/inject/several_api.h metrics/sources/inject/pcs/pcs_api.h $(GPU_FAKE)/libgpmu-fake.so $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPU_CPPFLAGS) $(CFLAGS) -fvisibility=hidden -fPIC -shared -Wl,-Bsymbolic-functions,-soname,$(@F),-rpath,'$$ORIGIN/..' -o $@ \
		$(filter %.c,$^) $(GPU_FAKE)/libgpmu-fake.so -lm -ldl -lpthread

# The recorder's libraries have no soname, because the real ones find each other by it.
GPU_RECORDER	:= $(addprefix $(B)/tests/gpu/recorder/,libcuda.so.1 libcupti.so.13)
$(GPU_RECORDER): $(B)/tests/gpu/recorder/lib%: tests/gpu/recorder/record.c tests/gpu/recorder/record.h \
		 tests/gpu/recorder/cuda.c tests/gpu/recorder/cupti.c metrics/sources/cupti/library/cupti_api.h $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPU_CPPFLAGS) $(CFLAGS) -fvisibility=hidden -fPIC -shared -o $@ tests/gpu/recorder/record.c \
		tests/gpu/recorder/$(firstword $(subst ., ,$*)).c -ldl -lpthread

GPU_RECORD_RUN	:= $(B)/tests/gpu/recorder/run
$(GPU_RECORD_RUN): tests/gpu/recorder/run.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPU_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< -ldl

# Contract suites, plain and with sanitizers
CUPTI_SUITES	:= $(patsubst tests/gpu/%.c,%,$(wildcard tests/gpu/cupti*.c))
CUPTI_SUITES_T	:= $(CUPTI_SUITES:%=$(B)/tests/gpu/%.t)
CUPTI_SUITES_SAN := $(CUPTI_SUITES:%=$(B)/tests/gpu/%-san.t)
$(CUPTI_SUITES_T): $(B)/tests/gpu/%.t: tests/gpu/%.c $(addprefix $(GPU_FAKE)/,$(GPU_FAKE_LIBS)) $(B)/gpmu-cupti.so $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPU_CPPFLAGS) -DFAKE='"$(GPU_FAKE)"' -DPLUGIN='"$(B)/gpmu-cupti.so"' -DRECORDER='"$(B)/tests/gpu/recorder"' $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -rdynamic \
		-o $@ $< -ljansson -lm -ldl -lpthread
$(B)/tests/gpu/cupti-faults.t: $(GPU_FAKE)/libnvidia-ml.so.1
$(B)/tests/gpu/cupti-faults-san.t: $(GPU_FAKE_SAN)/libnvidia-ml.so.1
$(CUPTI_SUITES_SAN): $(B)/tests/gpu/%-san.t: tests/gpu/%.c $(addprefix $(GPU_FAKE_SAN)/,$(GPU_FAKE_LIBS)) $(B)/san/gpmu-cupti.so $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPU_CPPFLAGS) -DFAKE='"$(GPU_FAKE_SAN)"' -DPLUGIN='"$(B)/san/gpmu-cupti.so"' -DRECORDER='"$(B)/tests/gpu/recorder"' $(CFLAGS) $(PROGRAM_DEPFLAGS) $(SANITIZERS) \
		$(LDFLAGS) -rdynamic -o $@ $< -ljansson -lm -ldl -lpthread
$(CUPTI_SUITES_T) $(CUPTI_SUITES_SAN): $(GPU_RECORDER) $(GPU_RECORD_RUN)
UNIT_TESTS	+= $(CUPTI_SUITES_T) $(CUPTI_SUITES_SAN)
PROGRAMS	+= $(CUPTI_SUITES_T) $(CUPTI_SUITES_SAN) $(GPU_RECORD_RUN)

include tests/gpu/rules-nvml.mk

# A program on the fakes, for tests of the injected library
GPU_PROGRAM	:= $(GPU_FAKE)/program
GPU_RACE	:= $(GPU_FAKE)/libgpmu-race.so
$(GPU_RACE): tests/gpu/fake/race.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CFLAGS) -fPIC -shared -Wl,-soname,$(@F) -o $@ $< -ldl
$(GPU_PROGRAM): tests/gpu/fake/program.c $(addprefix $(GPU_FAKE)/,$(GPU_FAKE_LIBS)) $(GPU_RACE) $(B)/flags/cc
	$(CC) -D_GNU_SOURCE -Imetrics/include $(CFLAGS) $(LDFLAGS) -Wl,--no-as-needed,-rpath,'$$ORIGIN' -o $@ $< $(GPU_RACE) -ldl -lpthread

# A library that links CUPTI, as libraries of frameworks do
GPU_USER	:= $(GPU_FAKE)/libgpmu-user.so
$(GPU_USER): tests/gpu/fake/user.c $(addprefix $(GPU_FAKE)/,$(GPU_FAKE_LIBS)) $(B)/flags/cc
	$(CC) $(GPU_CPPFLAGS) $(CFLAGS) -fPIC -shared -Wl,--no-as-needed,-rpath,'$$ORIGIN' -o $@ $< $(GPU_FAKE)/libcupti.so.13 $(GPU_FAKE)/libgpmu-fake.so

TEST_PROGRAMS	+= $(GPU_PROGRAM) $(GPU_USER) $(GPU_SEVERAL)
SCRIPT_TESTS	+= tests/gpu/inject.t tests/gpu/pcs.t
