# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Parsers under libFuzzer: "make fuzz FUZZ_SECONDS=60". Findings are kept below
# $(B)/fuzz. The unit tests *-fuzz run the same targets on damaged input.

FUZZ_SECONDS	?= 60
FUZZ_CC		?= clang
FUZZ_FLAGS	:= -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZERS		:= $(patsubst tests/fuzz/%.c,$(B)/fuzz/%/fuzzer,$(wildcard tests/fuzz/*.c))

$(B)/fuzz/source-model/fuzzer: private FUZZ_OBJ := $(MODEL_SRC) $(MODEL_PLUGIN_SRC)

# Recordings of perf to begin with: a file and a pipe with SPE. The fuzzer adds to them.
FUZZ_CORPORA	:= $(B)/fuzz/perfdata/corpus $(B)/fuzz/profile/corpus
$(FUZZ_CORPORA): $(call built,perf-make)
	@mkdir -p $@
	$< $@/file 10 >/dev/null
	$< $@/pipe 10 pipe >/dev/null
$(FUZZ_CORPORA:corpus=fuzzer): %/fuzzer: | %/corpus

$(FUZZERS): $(B)/fuzz/%/fuzzer: tests/fuzz/%.c $(GPMU_TOOLS_LIB) $(GPMU_LIB) $(CATALOG_BUILTIN) $(TRACE_PB).o tests/fuzz/rules.mk
	@command -v $(FUZZ_CC) >/dev/null || { echo "make fuzz needs clang: install it, or name one by FUZZ_CC=" >&2; exit 1; }
	@mkdir -p $(@D)
	$(FUZZ_CC) $(GPMU_TEST_CPPFLAGS) -Imetrics/sources/model -O1 -g $(FUZZ_FLAGS) \
		@$(B)/libperf/internal \
		-o $@ $< $(GPMU_SRC) $(FUZZ_OBJ) $(CATALOG_BUILTIN) $(TRACE_PB).o $(GPMU_TOOLS_LIBS) $(GPMU_LIBS)

.PHONY: fuzz
fuzz: $(FUZZERS)
	@for fuzzer in $(FUZZERS); do \
		echo "$$fuzzer"; \
		$$fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=20 -verbosity=0 \
			-artifact_prefix="$${fuzzer%/*}/" \
			$$(ls -d "$${fuzzer%/*}/corpus" 2>/dev/null) || exit 1; \
	done
