# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library that gpmu stat --regions preloads into programs. It loads libgpmu at the first
# mark, from its own folder or the one above it.

MARK		:= $(B)/libgpmu-mark.so
MARK_OBJ	:= $(patsubst %.c,$(B)/%.o,$(wildcard metrics/sources/mark/*.c))

$(MARK_OBJ): $(B)/%.o: %.c metrics/rules-mark.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Imetrics -Imetrics/include $(CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<
OBJECTS += $(MARK_OBJ)

$(MARK): $(MARK_OBJ) metrics/sources/mark/mark.map $(GPMU_SO)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F),--version-script=metrics/sources/mark/mark.map,-z,defs \
		-Wl,--enable-new-dtags,-rpath,'$$ORIGIN:$$ORIGIN/..' -o $@ $(MARK_OBJ) -ldl -lpthread

all: $(MARK)
