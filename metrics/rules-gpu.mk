# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The GPU plugins, gpmu-cupti.so and gpmu-nvml.so. They do not link NVIDIA's libraries
# and do not need their headers.

GPU_PLUGIN_NAMES := $(filter cupti nvml,$(notdir $(wildcard metrics/sources/cupti metrics/sources/nvml)))
GPU_PLUGINS	:= $(GPU_PLUGIN_NAMES:%=$(B)/gpmu-%.so)
GPU_PLUGINS_SAN	:= $(GPU_PLUGIN_NAMES:%=$(B)/san/gpmu-%.so)

# Objects of libgpmu and of the other plugin that a plugin links
nvml_BASE	:= metrics/base/vector.o
cupti_BASE	:= metrics/base/vector.o metrics/base/replace.o $(addprefix metrics/sources/nvml/,nvml_links.o nvml_messages.o)
$(cupti_BASE:%=$(B)/san/%): private CPPFLAGS_OF := -fPIC

define gpu_plugin
$(1)_SRC	:= $$(wildcard metrics/sources/$(1)/*.c metrics/sources/$(1)/*/*.c)
$(1)_OBJ	:= $$($(1)_SRC:%.c=$$(B)/%.o)
$(1)_SAN_OBJ	:= $$($(1)_SRC:%.c=$$(B)/san/%.o)

$$($(1)_OBJ): $$(B)/%.o: %.c metrics/rules-gpu.mk $$(B)/flags/cc
	@mkdir -p $$(@D)
	$$(CC) -D_GNU_SOURCE -Imetrics -Imetrics/include -Imetrics/sources/$(1) $$(CFLAGS) $$(DEPFLAGS) -fPIC -c -o $$@ $$<

$$($(1)_SAN_OBJ): $$(B)/san/%.o: %.c metrics/rules-gpu.mk $$(B)/flags/cc
	@mkdir -p $$(@D)
	$$(CC) -D_GNU_SOURCE -Imetrics -Imetrics/include -Imetrics/sources/$(1) $$(CFLAGS) $$(DEPFLAGS) $$(SANITIZERS) -fPIC -c -o $$@ $$<
OBJECTS += $$($(1)_OBJ) $$($(1)_SAN_OBJ)

$$(B)/gpmu-$(1).so: $$($(1)_OBJ) $$($(1)_BASE:%=$$(B)/%) metrics/sources/plugin.map
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -shared -Wl,--version-script=metrics/sources/plugin.map,-z,defs \
		-o $$@ $$($(1)_OBJ) $$($(1)_BASE:%=$$(B)/%) -ljansson -lm -ldl -lpthread

# Only a program built by the same compiler with the sanitizers can load it.
$$(B)/san/gpmu-$(1).so: $$($(1)_SAN_OBJ) $$($(1)_BASE:%=$$(B)/san/%) metrics/sources/plugin.map
	$$(CC) $$(CFLAGS) $$(SANITIZERS) $$(LDFLAGS) -shared \
		-Wl,--version-script=metrics/sources/plugin.map -o $$@ $$($(1)_SAN_OBJ) $$($(1)_BASE:%=$$(B)/san/%) -ljansson -lm -ldl -lpthread
endef

$(foreach name,$(GPU_PLUGIN_NAMES),$(eval $(call gpu_plugin,$(name))))

all: $(GPU_PLUGINS)

# The library that CUDA's driver loads into recorded programs. It shares the channel with libgpmu and the search for
# CUPTI with the plugin.
CHANNEL_WRITER_SRC := $(addprefix metrics/trace/channel/,activity.c channel.c channel_names.c channel_socket.c channel_write.c)
INJECT		:= $(B)/libgpmu-inject.so
INJECT_SRC	:= $(wildcard metrics/sources/inject/*.c metrics/sources/inject/*/*.c) $(addprefix metrics/sources/cupti/library/,files.c holders.c) \
		   metrics/base/map.c metrics/base/text/demangle.c metrics/base/text/nearest.c metrics/base/text/text.c metrics/base/vector.c \
		   metrics/trace/channel/stall.c $(CHANNEL_WRITER_SRC)
INJECT_OBJ	:= $(INJECT_SRC:%.c=$(B)/inject/%.o)

$(INJECT_OBJ): $(B)/inject/%.o: %.c metrics/rules-gpu.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -Imetrics -Imetrics/sources/inject -Imetrics/sources/cupti $(CFLAGS) $(DEPFLAGS) -fvisibility=hidden -fPIC -c -o $@ $<
OBJECTS += $(INJECT_OBJ)

$(INJECT): $(INJECT_OBJ) metrics/sources/inject/inject.map
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F),--version-script=metrics/sources/inject/inject.map,-z,defs,-z,nodelete \
		-o $@ $(INJECT_OBJ) -ldl -lpthread

all: $(INJECT)
