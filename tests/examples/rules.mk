# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that use libgpmu as anybody's would: the public header and the shared
# object. Those in Fortran are built where there is a compiler for it.

EXAMPLES	:= $(patsubst tests/examples/%.c,$(B)/tests/examples/%,$(wildcard tests/examples/*.c))
EXAMPLES_F90	:= $(patsubst tests/examples/%.f90,$(B)/tests/examples/%,$(wildcard tests/examples/*.f90))
FC		:= gfortran

$(EXAMPLES): $(B)/tests/examples/%: tests/examples/%.c $(GPMU_SO)
	@mkdir -p $(@D)
	$(CC) -Imetrics/include $(CFLAGS) $(PROGRAM_DEPFLAGS) $(LDFLAGS) -o $@ $< -L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu -lpthread -lm
PROGRAMS	+= $(EXAMPLES)

# mishaps has the plugin with defects.
.PHONY: examples
examples: $(EXAMPLES) $(if $(shell command -v $(FC)),$(EXAMPLES_F90) $(B)/tests/unit/gpmu-fake.so)
check-unit: examples

# Its module is made once, as several jobs would do it at a time.
GPMU_F90_OBJ	:= $(B)/metrics/fortran/gpmu.o
$(GPMU_F90_OBJ): metrics/fortran/gpmu.f90
	@mkdir -p $(@D)
	$(FC) -J$(@D) -Wall -O2 -c -o $@ $<

$(EXAMPLES_F90): $(B)/tests/examples/%: tests/examples/%.f90 $(GPMU_F90_OBJ) $(GPMU_SO)
	@mkdir -p $(@D)
	$(FC) -I$(dir $(GPMU_F90_OBJ)) -Wall -O2 -o $@ $< $(GPMU_F90_OBJ) \
		-L$(B) -Wl,-rpath,$(abspath $(B)) -lgpmu
