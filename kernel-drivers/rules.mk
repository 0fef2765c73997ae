# SPDX-License-Identifier: GPL-2.0-only
#
# The unit test of the driver's bounds of APMT nodes, built for the host, and the DKMS
# packages. kbuild builds the module: see Kbuild and the top Makefile.

UNIT_TESTS += $(B)/tests/unit/driver/apmt.t

$(B)/tests/unit/driver/apmt.t: tests/unit/driver/apmt.c kernel-drivers/apmt.h tests/lib/tap.h $(B)/flags/cc
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -I. -fsanitize=address,undefined -fno-sanitize-recover=all \
		-o $@ $(filter %.c,$^) $(LDFLAGS)

# A source tree for "dkms add", as a package for Debian and Ubuntu and as a tar
# archive for other distributions.
.PHONY: dkms
dkms:
	kernel-drivers/make-dkms $(B)/dkms

SCRIPT_TESTS += tests/unit/driver/dkms.t
CHECK_TESTS += tests/unit/driver/dkms-build.t tests/unit/driver/alias.t
