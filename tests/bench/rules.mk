# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Speed, as ratios of what is measured side by side in one run, or against what
# is promised: "make bench". No test: times depend on the machine.

BENCHES		:= $(patsubst tests/bench/%.c,$(B)/tests/bench/%,$(wildcard tests/bench/*.c))

$(BENCHES): $(B)/tests/bench/%: tests/bench/%.c $(GPMU_TEST_HDR) $(GPMU_LIB) tests/bench/rules.mk
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $< $(GPMU_LIB) $(GPMU_LIBS)

.PHONY: bench
bench: $(BENCHES)
	$(B)/tests/bench/expr pmu-events/arch/arm64/nvidia/grace/sys/metrics.json GraceMemReadLatency
	$(B)/tests/bench/sink
	$(B)/tests/bench/counter
	$(B)/tests/bench/region
