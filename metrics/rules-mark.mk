# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The library that gpmu stat and gpmu record preload into programs with --regions. To count, it
# loads libgpmu at the first mark, from its own folder or the one above it.

MARK		:= $(B)/libgpmu-mark.so
MARK_SRC	:= $(wildcard metrics/sources/mark/*.c) $(CHANNEL_WRITER_SRC)
MARK_OBJ	:= $(MARK_SRC:%.c=$(B)/mark/%.o)

$(MARK_OBJ): $(B)/mark/%.o: %.c metrics/rules-mark.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Imetrics -Imetrics/include $(CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<
OBJECTS += $(MARK_OBJ)

$(MARK): $(MARK_OBJ) metrics/sources/mark/mark.map $(GPMU_SO)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F),--version-script=metrics/sources/mark/mark.map,-z,defs \
		-Wl,--enable-new-dtags,-rpath,'$$ORIGIN:$$ORIGIN/..' -o $@ $(MARK_OBJ) -ldl -lpthread

all: $(MARK)
