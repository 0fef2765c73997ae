# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A library that makes an allocation of gpmu fail
FAILING		:= $(B)/tests/tools/failing.so
$(FAILING): tests/tools/failing.c $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE $(CFLAGS) $(PROGRAM_DEPFLAGS) -fPIC -shared -o $@ $<
TEST_PROGRAMS	+= $(FAILING)
PROGRAMS	+= $(FAILING)
