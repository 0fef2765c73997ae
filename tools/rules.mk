# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The gpmu command, which uses the public headers of libgpmu and those of
# libgpmu-tools.a, and its tests.

GPMU		:= $(B)/gpmu
TOOL_OBJ	:= $(patsubst %.c,$(B)/%.o,$(wildcard tools/*.c tools/*/*.c))

TOOL_SAN_OBJ	:= $(TOOL_OBJ:$(B)/%=$(B)/san/%)
TOOL_CPPFLAGS	:= -D_GNU_SOURCE -Itools -Imetrics -Imetrics/include -DGPMU_VERSION='"$(VERSION)"'

$(TOOL_OBJ) $(TOOL_SAN_OBJ): tools/rules.mk $(B)/flags/cc
$(TOOL_OBJ): $(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CPPFLAGS) $(CFLAGS) $(FAST_START) $(DEPFLAGS) -c -o $@ $<
$(TOOL_SAN_OBJ): $(B)/san/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(TOOL_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) $(SANITIZERS) -c -o $@ $<
OBJECTS += $(TOOL_OBJ) $(TOOL_SAN_OBJ)

# "gpmu stat -- true" must start fast. With shared libraries most of its time is spent in the
# dynamic linker, which finds them and relocates libpfm4's tables. Therefore all libraries that
# exist as archives are linked statically, except the C library, which loads plugins. libm is left out, as gpmu_double.h
# has what it needs. Fewer segments take fewer mmap(2) and page faults.
archive		= $(if $(filter /%,$(1)),$(1),$(2))
static		= $(call archive,$(shell $(CC) -print-file-name=lib$(1).a),-l$(1))
GPMU_STATIC	:= $(LIBPERF) $(foreach lib,jansson pfm protobuf-c z,$(call static,$(lib)))

# The libraries of gpmu report. The archive of libdw also needs lzma and bz2; its shared library has them.
GPMU_TOOLS_STATIC := $(foreach lib,dw elf zstd,$(call static,$(lib)))
GPMU_TOOLS_STATIC += $(if $(filter %libdw.a,$(GPMU_TOOLS_STATIC)),$(foreach lib,lzma bz2,$(call static,$(lib))))

$(GPMU): $(TOOL_OBJ) $(GPMU_TOOLS_LIB) $(GPMU_LIB)
	$(CC) $(CFLAGS) $(LDFLAGS) -no-pie -Wl,-z,noseparate-code -Wl,--as-needed -o $@ $(TOOL_OBJ) $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(GPMU_TOOLS_STATIC) $(GPMU_STATIC) -lm -ldl -lpthread

# The tests also run gpmu with the real CUPTI if it is installed. They start it thousands of times, and with shared libraries, of
# which those of the sanitizers are the largest, a start takes 1.5 times the CPU time. clang links its sanitizers statically.
GPMU_SAN	:= $(B)/san/gpmu
STATIC_SANITIZERS := $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
$(GPMU_SAN): $(TOOL_SAN_OBJ) $(GPMU_TOOLS_SAN_LIB) $(GPMU_SAN_LIB) tests/lib/deepbind.c
	$(CC) $(TOOL_CPPFLAGS) $(CFLAGS) $(SANITIZERS) $(STATIC_SANITIZERS) $(LDFLAGS) -no-pie -o $@ $(TOOL_SAN_OBJ) tests/lib/deepbind.c \
		$(GPMU_TOOLS_SAN_LIB) $(GPMU_SAN_LIB) $(GPMU_TOOLS_STATIC) $(GPMU_STATIC) -lm -ldl -lpthread

# Manual pages, if rst2man is installed. On a terminal, groff draws tables wrongly that cross its pages: one page has all lines there.
RST2MAN		:= $(firstword $(foreach name,rst2man rst2man.py,$(shell command -v $(name))))
ONE_PAGE	:= /^\.TH/a .if \\n(cR .pl 9999v
MAN1_RST	:= $(wildcard tools/man/*.rst)
MAN5_RST	:= metrics/catalog/gpmu-metrics.rst metrics/report/gpmu-tables.rst metrics/section/gpmu-sections.rst
MAN7_RST	:= $(wildcard metrics/spe/gpmu-*.rst metrics/sources/*/gpmu-*.rst)

# page SECTION,RST
define page
$(B)/man/man$(1)/$(notdir $(2:.rst=.$(1))): $(2)
	@mkdir -p $$(@D)
	$$(RST2MAN) $$< $$@
	@sed -i '$$(ONE_PAGE)' $$@
MAN$(1) += $(B)/man/man$(1)/$(notdir $(2:.rst=.$(1)))
endef
$(if $(RST2MAN),$(foreach section,1 5 7,$(foreach rst,$(MAN$(section)_RST),$(eval $(call page,$(section),$(rst))))))

# The unit test of the command's tables
TABLE_TEST	:= $(call built,table)
$(call both_obj,table): private TEST_CPPFLAGS := -Itools
$(TABLE_TEST).t: $(addprefix $(B)/,tools/output/table.o tools/message.o metrics/base/text/shown.o metrics/base/text/utf8.o)
$(TABLE_TEST)-san.t: $(addprefix $(B)/san/,tools/output/table.o tools/message.o metrics/base/text/shown.o metrics/base/text/utf8.o)

all: $(GPMU) $(MAN1) $(MAN5) $(MAN7)

# The tests of the command run the sanitized gpmu, which has the code of gpmu and detects more errors. These run gpmu itself:
# completion, man	their subjects are shell functions and manual pages
# memory		AddressSanitizer replaces the allocator and reserves address space
# privileges		LeakSanitizer ends a process with more privileges than its user. They run the sanitized gpmu, too.
# samples		its subject is the guest's program spe-text
TOOL_TESTS	:= $(wildcard tests/tools/*.t)
PLAIN_TOOL_TESTS := $(patsubst %,tests/tools/%.t,completion man memory privileges samples)
SAN_TOOL_TESTS	:= tests/tools/privileges.t $(filter-out $(PLAIN_TOOL_TESTS),$(TOOL_TESTS))
SCRIPT_TESTS	+= $(PLAIN_TOOL_TESTS)
unit-tests check-unit: $(GPMU) $(GPMU_SAN)
