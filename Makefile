# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu. "make help" lists the targets; README.md says what to do first. Each
# folder's rules.mk adds its own; all that is built goes below $(B), but for
# kernel modules for this machine, which kbuild leaves in kernel-drivers.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

B ?= build
PROVE ?= prove --timer --failures --comments
PREFIX ?= /usr/local
KDIR ?= /lib/modules/$(shell uname -r)/build
ifndef GPMU_CACHE
GPMU_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gpmu
endif
export B GPMU_CACHE

# EXTRA_CFLAGS are added; LDFLAGS are the caller's.
CFLAGS := -std=gnu11 -Wall -Wextra -Werror -O2 -g $(EXTRA_CFLAGS)

# Filled by the folders: compiled unit tests; scripts that need no download;
# scripts that do, or start virtual machines.
UNIT_TESTS :=
SCRIPT_TESTS :=
CHECK_TESTS :=

.PHONY: all
all:

include $(sort $(wildcard */rules.mk tests/*/rules.mk tests/vm/guest/rules.mk))

.PHONY: setup
setup:
	./setup

.PHONY: check-unit
check-unit: $(UNIT_TESTS)
	$(PROVE) -j2 --exec '' $(UNIT_TESTS) $(SCRIPT_TESTS)

# The steps go on after a failure, so that one run shows all there is to mend.
CHECK_STEPS := check-unit check-more check-vm
.PHONY: check
check: setup
	@status=0; for step in $(CHECK_STEPS); do \
		$(MAKE) --no-print-directory $$step || status=1; \
	done; exit $$status

.PHONY: check-more
check-more: vm-prepare-7.3
	GPMU_PREPARED=1 $(PROVE) -j2 --exec '' $(CHECK_TESTS)

# The driver for this machine, or for another kernel's KDIR
.PHONY: modules modules_install modules_clean
modules modules_install:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kernel-drivers $@

modules_clean:
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kernel-drivers clean

# perf, beside the distribution's; the driver is modules_install's or dkms's
.PHONY: install
install: install-perf

# A modelled two-socket Grace in QEMU, with traffic, seen by perf stat
.PHONY: demo
demo: setup
	@$(MAKE) -s --no-print-directory vm-prepare KERNEL=7.3
	@GPMU_PREPARED=1 tests/vm/boot --kernel 7.3 --driver ours --plain tests/vm/demo

.PHONY: clean
clean:
	rm -rf $(B)

.PHONY: help
help:
	@printf '%s\n' \
	'make                  build what runs on this machine: the model and its library' \
	'make setup            install what is needed for the following (apt-get, once)' \
	'make demo             boot a modelled Grace in QEMU and show perf counting in it' \
	'make check            all tests; what they need is downloaded once' \
	'make check-unit       only those without downloads and virtual machines' \
	'make check-vm         only the virtual machines: KERNEL=NAME DRIVER=ours|in-tree TESTS=FILE;' \
	'                      LONG=1 adds what make check has no time for' \
	'make perf             perf with the events and metrics of pmu-events' \
	'make install          installs it beside the one of the distribution: PREFIX=$(PREFIX)' \
	'make modules          the driver for this kernel; then, as root, make modules_install' \
	'make dkms             packages of the driver for DKMS' \
	'make lint             all static checks (./setup lint)' \
	'make clean            remove $(B)'
