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

PERF_TESTS := $(sort $(wildcard tests/perf/*.t))
CHECK_TESTS += $(PERF_TESTS)

.PHONY: check-perf
check-perf:
	$(PROVE) --exec '' $(PERF_TESTS)

# The patches for upstream, checked, in $(B)/upstream
.PHONY: upstream
upstream:
	@perfmod/upstream/make-series
