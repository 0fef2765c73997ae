# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The guest's test tools: static arm64 in build/vm/guest/bin, by the fetched
# cross compiler, and the same sources natively, with the sanitizers, in
# build/tests/guest for check.t.

GUEST_CC = $(GPMU_CACHE)/host/cross-14/usr/bin/aarch64-linux-gnu-gcc
GUEST_CFLAGS := -std=gnu11 -Wall -Wextra -Werror -O2 -g
GUEST_SRC := tests/vm/guest
GUEST_TOOLS := $(addprefix $(B)/vm/guest/bin/,model evt fuzz failnth readcost)
GUEST_NATIVE := $(addprefix $(B)/tests/guest/,model evt fuzz failnth readcost)

$(B)/vm/guest/bin/model $(B)/tests/guest/model: $(GUEST_SRC)/model.c
$(B)/vm/guest/bin/evt $(B)/tests/guest/evt: \
	$(addprefix $(GUEST_SRC)/,evt.c events.c ring.c events.h ring.h)
$(B)/vm/guest/bin/fuzz $(B)/tests/guest/fuzz: \
	$(addprefix $(GUEST_SRC)/,fuzz.c events.c events.h)
$(B)/vm/guest/bin/readcost $(B)/tests/guest/readcost: \
	$(addprefix $(GUEST_SRC)/,readcost.c events.c events.h)
$(B)/vm/guest/bin/failnth $(B)/tests/guest/failnth: $(GUEST_SRC)/failnth.c

$(GUEST_TOOLS):
	@mkdir -p $(@D)
	tests/vm/fetch cross 14
	$(GUEST_CC) $(GUEST_CFLAGS) -static -o $@ $(filter %.c,$^)

$(GUEST_NATIVE): $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -fsanitize=address,undefined $(LDFLAGS) -o $@ $(filter %.c,$^)

# A reader of SPE, which needs libgpmu
$(B)/tests/guest/spe-text: $(GUEST_SRC)/spe-text.c $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(GPMU_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS)
PROGRAMS += $(B)/tests/guest/spe-text
TEST_PROGRAMS += $(B)/tests/guest/spe-text

# gpmu, libgpmu and the plugins of perf and libtraceevent, in a build folder of their own
GUEST_GPMU := $(B)/vm/gpmu
GUEST_DEV = $(GPMU_CACHE)/guest/arm64-dev/usr
# Libraries that those of gpmu need
GUEST_LINK = -Wl,-rpath-link,$(GUEST_DEV)/lib/aarch64-linux-gnu:$(GUEST_DEV)/../lib/aarch64-linux-gnu
.PHONY: guest-gpmu
guest-gpmu:
	tests/vm/fetch cross 12
	tests/vm/fetch arm64-dev
	+$(MAKE) -s --no-print-directory B=$(GUEST_GPMU) \
		CROSS_COMPILE=$(GPMU_CACHE)/host/cross-12/usr/bin/aarch64-linux-gnu- \
		EXTRA_CFLAGS="-isystem $(GUEST_DEV)/include -isystem $(GUEST_DEV)/include/aarch64-linux-gnu" \
		LDFLAGS="-L$(GUEST_DEV)/lib/aarch64-linux-gnu $(GUEST_LINK)" $(GUEST_GPMU)/gpmu $(GUEST_GPMU)/gpmu-model.so \
		$(GUEST_GPMU)/tests/unit/count/counter-map-kernel.t $(GUEST_GPMU)/tests/bench/region $(GUEST_GPMU)/tests/guest/spe-text \
		$(GUEST_GPMU)/perfmod/traceevent/plugin_grace_cspmu.so $(GUEST_GPMU)/perfmod/dlfilters/grace-spe.so

# make bench-vm
$(B)/vm/guest/bench: tests/bench/commands.c tests/bench/bench.h
	@mkdir -p $(@D)
	tests/vm/fetch cross 14
	$(GUEST_CC) $(GUEST_CFLAGS) -D_GNU_SOURCE -static -o $@ $<

.PHONY: guest-tools guest-native
guest-tools: $(GUEST_TOOLS) guest-gpmu
guest-native: $(GUEST_NATIVE)

SCRIPT_TESTS += $(GUEST_SRC)/check.t
CHECK_TESTS += tests/vm/compare.t
