# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Parsers under libFuzzer: "make fuzz FUZZ_SECONDS=60". Findings are kept below
# $(B)/fuzz. The unit tests *-fuzz run the same targets on damaged input.

FUZZ_SECONDS	?= 60
FUZZ_CC		?= clang
FUZZ_FLAGS	:= -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZERS		:= $(patsubst tests/fuzz/%.c,$(B)/fuzz/%/fuzzer,$(wildcard tests/fuzz/*.c))

$(B)/fuzz/source-model/fuzzer: private FUZZ_OBJ := $(MODEL_SRC) $(MODEL_PLUGIN_SRC)

# Inputs to begin with; the fuzzer adds to them. Recordings of perf: a file and a pipe with SPE
PERF_CORPORA	:= $(B)/fuzz/perfdata/corpus $(B)/fuzz/profile/corpus
$(PERF_CORPORA): $(call built,perf-make)
	@mkdir -p $@
	$< $@/file 10 >/dev/null
	$< $@/pipe 10 pipe >/dev/null

# Bytes of SPE: the test vectors, each after the byte that sets the size of chunks
SPE_CORPUS	:= $(B)/fuzz/spe/corpus
$(SPE_CORPUS): tests/data/spe/vectors.tsv
	@mkdir -p $@
	perl -F'\t' -ane 'next if /^#/; open my $$file, ">", "$@/$$F[0]" or die $$!; print $$file pack "H*", "07$$F[1]"' $<

# A dump of a just-in-time compiler with each clock, and a map of one
JIT_CORPUS	:= $(B)/fuzz/jitdump/corpus
$(JIT_CORPUS): $(call built,jitdump-make)
	@mkdir -p $@
	$< $@/dump 0
	$< $@/arch-clock 1
	printf '7f0000001000 1f0 function(int)\n7f0000002000 20 stub\n' >$@/map

# Traces: work and counters of GPUs, and all other events; the fuzzer's inputs have at most 4096 bytes
TRACE_CORPUS	:= $(B)/fuzz/trace-reader/corpus
$(TRACE_CORPUS): $(call built,trace-make)
	@mkdir -p $@
	for kind in gpu edge work samples; do $< $$kind $@/$$kind >/dev/null; head -c 4000 $@/$$kind >$@/$$kind.cut; rm $@/$$kind; done

# The section files that are installed, and one with each field of Nsight Compute's files
SECTION_CORPUS	:= $(B)/fuzz/section/corpus
$(SECTION_CORPUS): tests/data/section/paths.tsv $(wildcard pmu-events/gpu/sections/*)
	@mkdir -p $@
	cp pmu-events/gpu/sections/* $@
	perl -F/ -lane 'next if /^#/; my @inner = @F; my $$last = pop @inner; print join("", map("$$_ { ", @inner)), "$$last: 1", " }" x @inner' $< >$@/fields

# A report of Nsight Compute with each kind of result
NCUREP_CORPUS	:= $(B)/fuzz/ncurep/corpus
$(NCUREP_CORPUS): $(call built,ncurep-make) tests/data/ncurep/sample.txt
	@mkdir -p $@
	$< <tests/data/ncurep/sample.txt >$@/sample

# Cubins of a GPU
CUBIN_CORPUS	:= $(B)/fuzz/cubin/corpus
$(CUBIN_CORPUS): $(wildcard tests/data/gpu/cubin_*.bin)
	@mkdir -p $@
	cp $^ $@

FUZZ_CORPORA	:= $(TRACE_CORPUS) $(PERF_CORPORA) $(SPE_CORPUS) $(JIT_CORPUS) $(SECTION_CORPUS) $(NCUREP_CORPUS) $(CUBIN_CORPUS)
$(FUZZ_CORPORA:corpus=fuzzer): %/fuzzer: | %/corpus

$(FUZZERS): $(B)/fuzz/%/fuzzer: tests/fuzz/%.c $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(CATALOG_BUILTIN) $(PB_OBJ) tests/fuzz/rules.mk
	@command -v $(FUZZ_CC) >/dev/null || { echo "make fuzz needs clang: install it, or name one by FUZZ_CC=" >&2; exit 1; }
	@mkdir -p $(@D)
	$(FUZZ_CC) $(GPMU_TEST_CPPFLAGS) $(MODEL_CPPFLAGS) -O1 -g $(FUZZ_FLAGS) \
		@$(B)/libperf/internal \
		-o $@ $< $(GPMU_SRC) $(FUZZ_OBJ) $(CATALOG_BUILTIN) $(PB_OBJ) $(GPMU_TOOLS_LIBS) $(GPMU_LIBS)

.PHONY: fuzz
fuzz: $(FUZZERS)
	@for fuzzer in $(FUZZERS); do \
		echo "$$fuzzer"; \
		$$fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=16384 -timeout=20 -verbosity=0 \
			-artifact_prefix="$${fuzzer%/*}/" \
			$$(ls -d "$${fuzzer%/*}/corpus" 2>/dev/null) || exit 1; \
	done
