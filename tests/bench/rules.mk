# SPDX-License-Identifier: LGPL-2.1-or-later
#
# "make bench": speed, as ratios to a peer measured in the same run, or to a goal. It is
# not a test, as times depend on the machine; make check only builds the programs.

BENCHES		:= $(patsubst tests/bench/%.c,$(B)/tests/bench/%,$(wildcard tests/bench/*.c))
BENCH_PERFS	= $(wildcard $(B)/perf/native/7.3/perf) $(shell command -v perf)
# A cross compiler finds the header of the machine's own PAPI, but cannot link it
BENCH_PAPI	= $(shell printf '\043include <papi.h>\nint main(void) { return PAPI_is_initialized(); }\n' | \
		    $(CC) $(CFLAGS) -x c - -o /dev/null -lpapi 2>/dev/null && echo -DHAS_PAPI -lpapi)

$(BENCHES): $(B)/tests/bench/%: tests/bench/%.c $(GPMU_TOOLS_LIB) $(GPMU_LIB) tests/bench/rules.mk
	@mkdir -p $(@D)
	$(CC) $(GPMU_TEST_CPPFLAGS) $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS) $(BENCH_LIBS)
PROGRAMS	+= $(BENCHES)
$(B)/tests/bench/region: private BENCH_LIBS = $(BENCH_PAPI)

# perf's decoder of SPE packets, from the source of libperf; an empty file if that has no perf. Its header of CPU
# identifiers includes a generated one of system registers, which the decoder does not use.
BENCH_TOOLS	:= $(or $(LIBPERF_SOURCE),$(GPMU_CACHE)/source/7.3)/tools
BENCH_SPE	:= $(B)/tests/bench/arm-spe-pkt-decoder.o
$(BENCH_SPE): $(LIBPERF) tests/bench/rules.mk
	@mkdir -p $(@D)
	[ ! -d $(BENCH_TOOLS)/perf ] && : >$@ || \
		$(CC) -w -std=gnu11 -O2 -D__ASM_SYSREG_H '-Dread_sysreg_s(r)=0' -isystem $(BENCH_TOOLS)/include \
		-isystem $(BENCH_TOOLS)/arch/arm64/include -c -o $@ $(BENCH_TOOLS)/perf/util/arm-spe-decoder/$(@F:.o=.c)
$(B)/tests/bench/spe: $(BENCH_SPE)
$(B)/tests/bench/spe: private BENCH_LIBS = $(shell [ ! -s $(BENCH_SPE) ] || echo -DHAS_PERF \
	-isystem $(BENCH_TOOLS)/perf/util/arm-spe-decoder -isystem $(BENCH_TOOLS)/include $(BENCH_SPE))

.PHONY: bench
bench: $(BENCHES) $(GPMU) $(INJECT) $(call built,perf-make)
	@printf '%-58s %14s %14s %7s %6s\n' what ours theirs ratio goal
	@$(B)/tests/bench/commands $(GPMU) $(BENCH_PERFS)
	@$(B)/tests/bench/report $(GPMU) $(call built,perf-make) $(wildcard $(B)/perf/native/7.3/perf)
	@printf 'libgpmu\n'
	@$(B)/tests/bench/expr pmu-events/arch/arm64/nvidia/grace/sys/metrics.json GraceMemReadLatency
	@$(B)/tests/bench/catalog $(GPMU_CACHE)/source/7.3/tools/perf/pmu-events/arch
	@$(B)/tests/bench/region
	@$(B)/tests/bench/mark
	@$(B)/tests/bench/saved
	@$(B)/tests/bench/sink
	@$(B)/tests/bench/spe
	@$(B)/tests/bench/trace
	@$(B)/tests/bench/channel
	@GPMU_PLUGINS=$(B) $(B)/tests/bench/record $(GPMU)
	@$(B)/tests/bench/counter
