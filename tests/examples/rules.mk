# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that use libgpmu as anybody's would: the public header and the shared
# object. That in Fortran is built where there is a compiler for it.

EXAMPLES	:= $(patsubst tests/examples/%.c,$(B)/tests/examples/%,$(wildcard tests/examples/*.c))
FC		:= gfortran

$(EXAMPLES): $(B)/tests/examples/%: tests/examples/%.c $(GPMU_SO) $(GPMU_HDR)
	@mkdir -p $(@D)
	$(CC) -Imetrics/include $(CFLAGS) $(LDFLAGS) -o $@ $< -L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu -lpthread -lm

.PHONY: examples
examples: $(EXAMPLES) $(if $(shell command -v $(FC)),$(B)/tests/examples/heat)
check-unit: examples

$(B)/tests/examples/heat: tests/examples/heat.f90 metrics/fortran/gpmu.f90 $(GPMU_SO)
	@mkdir -p $(@D)
	$(FC) -J$(@D) -Wall -O2 -o $@ metrics/fortran/gpmu.f90 $< -L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu
