# SPDX-License-Identifier: LGPL-2.1-or-later
#
# libgpmu, the traffic model (libgpmu-model.a), which is also a plugin of
# libgpmu, and both a second time for their unit tests, with AddressSanitizer and
# UndefinedBehaviorSanitizer. The recorder's threads are built a third time with
# ThreadSanitizer.

# At -O2, instrumented code takes half as long again to compile.
SANITIZERS	:= -fsanitize=address,undefined -fno-sanitize-recover=all \
		   -fno-omit-frame-pointer
THREAD_SANITIZER := -fsanitize=thread

MODEL_SRC	:= $(wildcard metrics/sources/model/*.c)
MODEL_OBJ	:= $(MODEL_SRC:%.c=$(B)/%.o)
MODEL_LIB	:= $(B)/libgpmu-model.a
MODEL_CPPFLAGS	:= -D_GNU_SOURCE -iquote . -Imetrics/sources/model

$(MODEL_OBJ): $(B)/%.o: %.c metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(MODEL_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<
OBJECTS += $(MODEL_OBJ)

$(MODEL_LIB): $(MODEL_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

include tests/vm/model/rules.mk

# libperf and its headers, from Linux 7.3's source: Debian's, or the folder
# LIBPERF_SOURCE
LIBPERF		:= $(B)/libperf/libperf.a
LIBPERF_SOURCE	?=

$(LIBPERF): metrics/libperf $(B)/flags/machine
	@printf '#include <%s>\n' jansson.h perfmon/pfmlib.h protobuf-c/protobuf-c.h zstd.h elfutils/libdwfl.h | \
		$(CC) $(EXTRA_CFLAGS) -E - >/dev/null 2>&1 || { \
		echo "libgpmu needs the headers of jansson, libpfm4, protobuf-c, zstd and elfutils: run ./setup" >&2; exit 1; }
	$(if $(LIBPERF_SOURCE),,tests/vm/fetch source 7.3)
	metrics/libperf $(or $(LIBPERF_SOURCE),$(GPMU_CACHE)/source/7.3) $(@D)

# libgpmu
GPMU_FOLDERS	:= $(shell awk '!/^\#/ { print $$1 }' metrics/folders.tsv)
GPMU_SRC	:= $(wildcard $(GPMU_FOLDERS:%=metrics/%/*.c))
GPMU_HDR	:= $(wildcard metrics/include/*.h metrics/include/gpmu/*.h)
GPMU_OBJ	:= $(GPMU_SRC:%.c=$(B)/%.o)
GPMU_SAN_OBJ	:= $(GPMU_SRC:%.c=$(B)/san/%.o)
# Objects that only the gpmu command uses
GPMU_TOOLS_SRC	:= $(filter metrics/advice/% metrics/import/% metrics/modes/% metrics/perfdata/% metrics/profile/% metrics/ranges/% metrics/report/% metrics/saved/% metrics/section/% metrics/traffic/% metrics/trace/reader/% metrics/values/runs.c,$(GPMU_SRC))
GPMU_TOOLS_OBJ	:= $(GPMU_TOOLS_SRC:%.c=$(B)/%.o)
GPMU_TOOLS_SAN_OBJ := $(GPMU_TOOLS_SRC:%.c=$(B)/san/%.o)
# Libraries that only these use
GPMU_TOOLS_LIBS	:= -lzstd -ldw -lelf
# Only the folders whose code the recorder's threads run
TSAN_FOLDERS	:= base base/text trace trace/channel $(filter record%,$(GPMU_FOLDERS))
GPMU_TSAN_OBJ	:= $(patsubst %.c,$(B)/tsan/%.o,$(wildcard $(TSAN_FOLDERS:%=metrics/%/*.c)) metrics/event/event_ring.c)
GPMU_CPPFLAGS	:= -D_GNU_SOURCE -Imetrics -Imetrics/include -isystem $(B)/libperf/include -isystem $(B)/proto
GPMU_LIBS	:= $(LIBPERF) -ljansson -lpfm -lprotobuf-c -lm -ldl -lpthread

include metrics/rules-catalog.mk

# C code of the formats of Perfetto and of Nsight Compute's reports
TRACE_PB	:= $(B)/proto/trace.pb-c
NCUREP_PB	:= $(B)/proto/ncurep.pb-c
PB_HDR		:= $(TRACE_PB).h $(NCUREP_PB).h
PB_OBJ		:= $(PB_HDR:.h=.o)
$(TRACE_PB).h: metrics/trace/trace.proto
$(NCUREP_PB).h: metrics/ncurep/ncurep.proto
$(PB_HDR):
	@mkdir -p $(@D)
	@command -v protoc-c >/dev/null || { \
		echo "libgpmu needs protoc-c, of protobuf-c-compiler: run ./setup" >&2; exit 1; }
	protoc-c --proto_path=$(<D) --c_out=$(@D) $(<F)
$(PB_HDR:.h=.c): %.c: %.h
	@touch $@
$(PB_OBJ): %.o: %.c $(B)/flags/cc
	$(CC) $(GPMU_CPPFLAGS) $(CFLAGS) -fPIC -c -o $@ $<
# of,NAME...: the objects of libgpmu's sources of these names
of		= $(foreach name,$(1),$(filter %/$(name).o,$(GPMU_OBJ) $(GPMU_SAN_OBJ) $(GPMU_TSAN_OBJ)))
$(call of,trace_packet $(filter trace_reader%,$(basename $(notdir $(GPMU_SRC))))): $(TRACE_PB).h
$(call of,$(filter ncurep%,$(basename $(notdir $(GPMU_SRC))))): $(NCUREP_PB).h

# Includes the bytes of the rules.
$(call of,advice_builtin): metrics/advice/rules.json

# Only this file uses libperf's internal headers.
$(call of,counter_fd): private CPPFLAGS_OF := @$(B)/libperf/internal
$(call of,plugin_folder): private CPPFLAGS_OF := $(LIBDIR_CPPFLAGS)
$(call of,plugin_folder): $(B)/flags/libdir
# Like the model, includes data of pmu-events.
$(call of,traffic_table): private CPPFLAGS_OF := -iquote .

# For a fast start of the command: no call of libm for sqrt(), and the strings of a file in one place, where the linker
# would spread them among those of all libraries. clang has no such option.
FAST_START	:= -fno-math-errno $(if $(findstring clang,$(CC)),,-fno-merge-constants)

$(GPMU_OBJ): $(B)/%.o: %.c $(LIBPERF) metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_CPPFLAGS) $(CPPFLAGS_OF) $(CFLAGS) $(FAST_START) $(DEPFLAGS) -fPIC -c -o $@ $<

$(GPMU_SAN_OBJ): $(B)/san/%.o: %.c $(LIBPERF) metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_CPPFLAGS) $(CPPFLAGS_OF) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -c -o $@ $<

$(GPMU_TSAN_OBJ): $(B)/tsan/%.o: %.c $(LIBPERF) metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_CPPFLAGS) $(CPPFLAGS_OF) $(CFLAGS) $(DEPFLAGS) $(THREAD_SANITIZER) -c -o $@ $<
OBJECTS += $(GPMU_OBJ) $(GPMU_SAN_OBJ) $(GPMU_TSAN_OBJ)

# For the command and the tests, which also use functions that are not exported.
# libgpmu-tools.a needs libgpmu.a.
GPMU_LIB	:= $(B)/libgpmu.a
GPMU_SAN_LIB	:= $(B)/san/libgpmu.a
GPMU_TOOLS_LIB	:= $(B)/libgpmu-tools.a
GPMU_TOOLS_SAN_LIB := $(B)/san/libgpmu-tools.a
# Linked before GPMU_LIB, which has the other folders
GPMU_TSAN_LIB	:= $(B)/tsan/libgpmu.a

$(GPMU_LIB): $(filter-out $(GPMU_TOOLS_OBJ),$(GPMU_OBJ)) $(CATALOG_BUILTIN) $(PB_OBJ)
$(GPMU_SAN_LIB): $(filter-out $(GPMU_TOOLS_SAN_OBJ),$(GPMU_SAN_OBJ)) $(CATALOG_BUILTIN) $(PB_OBJ)
$(GPMU_TOOLS_LIB): $(GPMU_TOOLS_OBJ)
$(GPMU_TOOLS_SAN_LIB): $(GPMU_TOOLS_SAN_OBJ)
$(GPMU_TSAN_LIB): $(GPMU_TSAN_OBJ)
$(GPMU_LIB) $(GPMU_SAN_LIB) $(GPMU_TSAN_LIB) $(GPMU_TOOLS_LIB) $(GPMU_TOOLS_SAN_LIB):
	@rm -f $@
	$(AR) rcs $@ $^

# gpmu.map lists the exported symbols.
GPMU_SO		:= $(B)/libgpmu.so.0

$(GPMU_SO): $(GPMU_LIB) metrics/gpmu.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F),--version-script=metrics/gpmu.map,-z,defs \
		-o $@ -Wl,--whole-archive $(GPMU_LIB) -Wl,--no-whole-archive $(GPMU_LIBS)
	ln -sf $(@F) $(B)/libgpmu.so

# The model as a plugin
MODEL_PLUGIN	:= $(B)/gpmu-model.so
MODEL_PLUGIN_SRC := $(wildcard metrics/sources/model/plugin/*.c)
MODEL_PLUGIN_OBJ := $(MODEL_PLUGIN_SRC:%.c=$(B)/%.o)

$(MODEL_PLUGIN_OBJ): $(B)/%.o: %.c metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(MODEL_CPPFLAGS) -Imetrics/include $(CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<

MODEL_PLUGIN_SAN_OBJ := $(MODEL_PLUGIN_SRC:%.c=$(B)/san/%.o)
$(MODEL_PLUGIN_SAN_OBJ): $(B)/san/%.o: %.c metrics/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(MODEL_CPPFLAGS) -Imetrics/include $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -fPIC -c -o $@ $<
OBJECTS += $(MODEL_PLUGIN_OBJ) $(MODEL_PLUGIN_SAN_OBJ)

$(MODEL_PLUGIN): $(MODEL_PLUGIN_OBJ) $(MODEL_OBJ) metrics/sources/plugin.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,--version-script=metrics/sources/plugin.map,-z,defs \
		-o $@ $(MODEL_PLUGIN_OBJ) $(MODEL_OBJ)

# Only a program built by the same compiler with the sanitizers can load it.
MODEL_PLUGIN_SAN := $(B)/san/gpmu-model.so
MODEL_PLUGIN_SAN_OF := $(MODEL_PLUGIN_SAN_OBJ) $(MODEL_SRC:%.c=$(B)/san/%.o)
$(MODEL_PLUGIN_SAN): $(MODEL_PLUGIN_SAN_OF) metrics/sources/plugin.map
	$(CC) $(CFLAGS) $(SANITIZERS) $(LDFLAGS) -shared -Wl,--version-script=metrics/sources/plugin.map \
		-o $@ $(MODEL_PLUGIN_SAN_OF)

all: $(GPMU_SO) $(MODEL_PLUGIN)

include metrics/rules-gpu.mk
include metrics/rules-mark.mk

# The manual pages of the library, generated from the comments in its headers
MAN3		:= $(B)/man/man3.stamp

$(MAN3): metrics/man3.py metrics/man3_header.py $(GPMU_HDR) $(wildcard tests/examples/man/*.c) Makefile
	$(PYTHON3) metrics/man3.py $(@:.stamp=) $(VERSION)
	@touch $@

all: $(MAN3)
