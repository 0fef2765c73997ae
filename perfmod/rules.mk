# SPDX-License-Identifier: LGPL-2.1-or-later
#
# perf with this project's events. PERF_VERSION selects the release. The default is the
# release of the running kernel, or the newest.

PERF_VERSION ?= auto
PERF_VERSIONS := $(notdir $(wildcard perfmod/patches/*))

.PHONY: perf
perf:
	perfmod/build $(PERF_VERSION) native

.PHONY: perf-all
perf-all:
	$(foreach ver,$(PERF_VERSIONS),perfmod/build $(ver) native && \
		perfmod/build $(ver) arm64 &&) :

# Installed beside the distribution's perf under separate names.
.PHONY: install-perf
install-perf:
	@perf=$$(perfmod/build $(PERF_VERSION) native --built) && \
	ver=$$(basename "$$(dirname "$$perf")") && \
	lib="$(DESTDIR)$(libdir)/gpmu" bin="$(DESTDIR)$(bindir)" && \
	install -D -m 755 "$$perf" "$$lib/perf-$$ver" && \
	install -D -m 755 -t "$$lib/tests/shell" perfmod/tests/shell/*.sh && \
	install -d "$$bin" && \
	ln -sfn "$$(realpath -m --relative-to="$$bin" "$$lib")/perf-$$ver" "$$bin/gpmu-perf" && \
	echo "installed $(bindir)/gpmu-perf, perf $$ver"

# Filters of perf script, by perf's header of the kernel source that libperf is built from
DLFILTERS := $(patsubst %.c,$(B)/%.so,$(wildcard perfmod/dlfilters/*.c))
DLFILTER_CPPFLAGS = -isystem $(or $(LIBPERF_SOURCE),$(GPMU_CACHE)/source/7.3)/tools/perf/include
$(DLFILTERS): $(B)/%.so: %.c $(LIBPERF) perfmod/rules.mk $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(DLFILTER_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) -fPIC -shared $(LDFLAGS) -o $@ $<

# The plugin of libtraceevent
TRACE_PLUGIN := $(B)/perfmod/traceevent/plugin_grace_cspmu.so
TRACE_EVENTS := $(wildcard pmu-events/arch/arm64/nvidia/grace/sys/*.json)
$(B)/perfmod/traceevent/events.h: perfmod/traceevent/events.py $(TRACE_EVENTS)
	@mkdir -p $(@D)
	$(PYTHON3) $^ >$@
$(TRACE_PLUGIN): perfmod/traceevent/plugin_grace_cspmu.c $(B)/perfmod/traceevent/events.h perfmod/rules.mk $(B)/flags/cc
	$(CC) $(CFLAGS) $(PROGRAM_DEPFLAGS) -I$(@D) -fPIC -shared $(LDFLAGS) -o $@ $<
PROGRAMS += $(DLFILTERS) $(TRACE_PLUGIN)
.PHONY: dlfilters
dlfilters: $(DLFILTERS)
all: $(DLFILTERS) $(TRACE_PLUGIN)

PERF_TESTS := $(sort $(wildcard tests/perf/*.t))
CHECK_TESTS += $(PERF_TESTS)

.PHONY: check-perf
check-perf:
	$(PROVE) --exec '' $(PERF_TESTS)

# The patches for upstream, checked, in $(B)/upstream
.PHONY: upstream
upstream:
	@perfmod/upstream/make-series
