# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The gpmu command, on libgpmu's public header alone, and its tests.

GPMU		:= $(B)/gpmu
TOOL_OBJ	:= $(patsubst %.c,$(B)/%.o,$(wildcard tools/*.c))

$(TOOL_OBJ): $(B)/%.o: %.c $(wildcard tools/*.h) $(GPMU_HDR) tools/rules.mk
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Imetrics/include -DGPMU_VERSION='"$(VERSION)"' $(CFLAGS) -c -o $@ $<

$(GPMU): $(TOOL_OBJ) $(GPMU_SO)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(TOOL_OBJ) -L$(B) -Wl,-rpath,'$$ORIGIN' -lgpmu -lz -lm

all: $(GPMU)
SCRIPT_TESTS	+= $(wildcard tests/tools/*.t)
check-unit: $(GPMU)
