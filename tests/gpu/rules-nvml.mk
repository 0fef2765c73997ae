# SPDX-License-Identifier: LGPL-2.1-or-later
#
# NVML: a fake, and contract suites of the plugin, which run on the fake or on the real library (GPMU_CUDA names the
# libraries' folders).

NVML_FAKE	:= $(GPU_FAKE)/libnvidia-ml.so.1
NVML_FAKE_SAN	:= $(GPU_FAKE_SAN)/libnvidia-ml.so.1
NVML_FAKE_SRC	:= $(wildcard tests/gpu/fake/nvml*.c)
NVML_FAKE_HDR	:= $(wildcard tests/gpu/fake/nvml*.h) metrics/sources/nvml/nvml_api.h

$(NVML_FAKE_SAN): private NVML_FAKE_FLAGS := $(SANITIZERS)
$(NVML_FAKE) $(NVML_FAKE_SAN): $(NVML_FAKE_SRC) $(NVML_FAKE_HDR) tests/gpu/rules-nvml.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Imetrics/sources/nvml -Itests/gpu/fake -DSCENARIOS='"$(CURDIR)/tests/gpu/fake"' \
		$(CFLAGS) $(NVML_FAKE_FLAGS) $(LDFLAGS) -fPIC -shared \
		-fvisibility=hidden -Wl,-soname,$(@F) -o $@ $(NVML_FAKE_SRC) -ljansson

NVML_TESTS	:= $(addprefix $(B)/tests/gpu/,nvml.t nvml-counts.t nvml-query.t nvml-layout.t)
NVML_TESTS_SAN	:= $(addprefix $(B)/tests/gpu/,nvml-san.t nvml-counts-san.t nvml-query-san.t)
NVML_CPPFLAGS	:= -D_GNU_SOURCE -Imetrics/include -Imetrics/sources/nvml -Itests/lib -Itests/gpu \
		   -I/usr/local/cuda/include -DFAKE='"$(dir $(NVML_FAKE))"'
UNIT_TESTS	+= $(NVML_TESTS) $(NVML_TESTS_SAN)

$(NVML_TESTS): $(B)/tests/gpu/%.t: tests/gpu/%.c $(B)/gpmu-nvml.so $(NVML_FAKE)
	@mkdir -p $(@D)
	$(CC) $(NVML_CPPFLAGS) -DPLUGIN='"$(B)/gpmu-nvml.so"' $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -rdynamic -o $@ $< -ljansson -lm -ldl

$(NVML_TESTS_SAN): $(B)/tests/gpu/%-san.t: tests/gpu/%.c $(B)/san/gpmu-nvml.so $(NVML_FAKE)
	@mkdir -p $(@D)
	$(CC) $(NVML_CPPFLAGS) -DPLUGIN='"$(B)/san/gpmu-nvml.so"' $(CFLAGS) $(PROGRAM_DEPFLAGS) $(SANITIZERS) $(LDFLAGS) -rdynamic -o $@ $< \
		-ljansson -lm -ldl

# Records the real NVML
NVML_RECORD	:= $(B)/tests/gpu/nvml-record
$(NVML_RECORD): tests/gpu/nvml-record.c $(nvml_OBJ) $(nvml_BASE:%=$(B)/%) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(NVML_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< $(nvml_OBJ) $(nvml_BASE:%=$(B)/%) -ljansson -lm -ldl -lpthread

PROGRAMS	+= $(NVML_TESTS) $(NVML_TESTS_SAN) $(NVML_RECORD)
TEST_PROGRAMS	+= $(NVML_FAKE) $(NVML_RECORD)
SCRIPT_TESTS	+= tests/gpu/nvml-record.t
