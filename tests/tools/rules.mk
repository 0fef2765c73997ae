# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A library that makes an allocation of gpmu fail
FAILING		:= $(B)/tests/tools/failing.so
$(FAILING): tests/tools/failing.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CFLAGS) $(PROGRAM_DEPFLAGS) -fPIC -shared -o $@ $<
TEST_PROGRAMS	+= $(FAILING)
PROGRAMS	+= $(FAILING)

# A program with inlined functions, which inlined.t samples
INLINED		:= $(B)/tests/tools/inlined
$(INLINED): tests/tools/inlined.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O2 -g -fno-omit-frame-pointer $(PROGRAM_DEPFLAGS) -o $@ $<
TEST_PROGRAMS	+= $(INLINED)
PROGRAMS	+= $(INLINED)

# A just-in-time compiler, which jit.t samples
JITTED		:= $(B)/tests/tools/jitted
$(JITTED): tests/tools/jitted.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -O2 $(PROGRAM_DEPFLAGS) -o $@ $<
TEST_PROGRAMS	+= $(JITTED)
PROGRAMS	+= $(JITTED)
