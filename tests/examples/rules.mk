# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that use libgpmu's public header and shared object like a user's program.
# Those in Fortran are built if there is a Fortran compiler.

EXAMPLES	:= $(patsubst tests/examples/%.c,$(B)/tests/examples/%,$(wildcard tests/examples/*.c))
EXAMPLES_F90	:= $(patsubst tests/examples/%.f90,$(B)/tests/examples/%,$(wildcard tests/examples/*.f90))
FC		:= gfortran

$(EXAMPLES): $(B)/tests/examples/%: tests/examples/%.c $(GPMU_SO)
	@mkdir -p $(@D)
	$(CC) -Imetrics/include $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< -L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu -lpthread -lm
PROGRAMS	+= $(EXAMPLES)

# mishaps uses the defective plugin.
.PHONY: examples
examples: $(EXAMPLES) $(if $(shell command -v $(FC)),$(EXAMPLES_F90) $(B)/tests/unit/gpmu-fake.so)
check-unit: examples

# The module is built once, as parallel jobs would write it at the same time.
GPMU_F90_OBJ	:= $(B)/metrics/fortran/gpmu.o
$(GPMU_F90_OBJ): metrics/fortran/gpmu.f90
	@mkdir -p $(@D)
	$(FC) -J$(@D) -Wall -O2 -c -o $@ $<

$(EXAMPLES_F90): $(B)/tests/examples/%: tests/examples/%.f90 $(GPMU_F90_OBJ) $(GPMU_SO)
	@mkdir -p $(@D)
	$(FC) -I$(dir $(GPMU_F90_OBJ)) -Wall -O2 -fopenmp -o $@ $< $(GPMU_F90_OBJ) \
		-L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu
