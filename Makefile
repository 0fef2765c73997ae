# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu. "make help" lists the targets; README.md describes the first steps. Each
# folder's rules.mk adds its own. All results are below $(B), except the kernel
# modules for this machine, which kbuild leaves in kernel-drivers.

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:

ifneq ($(words $(CURDIR)),1)
$(error make and kbuild cannot build in a folder with a blank in its path: $(CURDIR))
endif

B ?= build
PROVE ?= prove --timer --failures --comments
# Folder for the rows of tests/lib/timed; make check sets it, and prints the rows
TIMES ?=
TIMED = $(if $(TIMES),tests/lib/timed $(TIMES)/tests)
# More than two processors, as tests wait for timers, commands and virtual machines
TEST_JOBS ?= 3
# The distribution's Python: another one in PATH can be a wrapper that takes a second to start
PYTHON3 ?= $(firstword $(wildcard /usr/bin/python3) python3)
PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
datadir ?= $(PREFIX)/share
mandir ?= $(datadir)/man
docdir ?= $(datadir)/doc/gpmu
# Filters of perf script. A perf lists the filters in $(perf --exec-path)/dlfilters.
dlfilterdir ?= $(libdir)/gpmu/dlfilters
KDIR ?= /lib/modules/$(shell uname -r)/build
ifndef GPMU_CACHE
GPMU_CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/gpmu
endif
export B GPMU_CACHE

VERSION := 0.1.0

# To cross-build, in a separate build folder: make B= CROSS_COMPILE=aarch64-linux-gnu-
ifdef CROSS_COMPILE
CC := $(CCACHE) $(CROSS_COMPILE)gcc
AR := $(CROSS_COMPILE)ar
export CROSS_COMPILE
endif

# EXTRA_CFLAGS are added; LDFLAGS are the caller's.
CFLAGS := -std=gnu11 -Wall -Wextra -Werror -O2 -g $(EXTRA_CFLAGS)

# The headers of each object, and of each program that is compiled and linked in
# one step, are found by the compiler and kept in a .d file beside it.
DEPFLAGS := -MMD -MP
PROGRAM_DEPFLAGS = $(DEPFLAGS) -MF $@.d -MT $@
OBJECTS :=
PROGRAMS :=

# Names of compiled unit tests are unique: built,NAME is where one is built, without
# its ending; both, the plain and the sanitized program; both_obj, their objects.
UNIT_SRC := $(wildcard tests/unit/*.c tests/unit/*/*.c)
built = $(foreach name,$(1),$(patsubst %.c,$(B)/%,$(filter tests/unit/$(name).c tests/unit/%/$(name).c,$(UNIT_SRC))))
both = $(foreach test,$(call built,$(1)),$(test).t $(test)-san.t)
both_obj = $(patsubst %.t,%.o,$(call both,$(1)))

# Filled by the folders: compiled unit tests; scripts that need no download;
# scripts that do, or start virtual machines.
UNIT_TESTS :=
SCRIPT_TESTS := tests/unit/install/make.t
# Programs and libraries that test scripts run
TEST_PROGRAMS :=
CHECK_TESTS :=

.PHONY: all
all:

# Objects are rebuilt when the flags or the target machine change: the content of
# these files, on which objects depend, then changes.
.PHONY: flags
flags:
$(B)/flags/cc: private NOW = $(filter-out $(CCACHE),$(CC)) $(CFLAGS) $(LDFLAGS) $(VERSION)
$(B)/flags/machine: private NOW = $(firstword $(subst -, ,$(shell $(CC) -dumpmachine)))
$(B)/flags/libdir: private NOW = $(LIBDIR_CPPFLAGS)
# relative,FROM,TO: path of the folder TO from the folder FROM. An installation, which can be
# moved, has only such paths.
relative = $(shell realpath -ms --relative-to="$(1)" "$(2)")
LIBDIR_CPPFLAGS := -DGPMU_LIBDIR_FROM_BINDIR='"$(call relative,$(bindir),$(libdir))"'
$(B)/flags/%: flags
	$(shell mkdir -p $(@D))$(file >$@.new,$(NOW))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

include $(sort $(wildcard */rules.mk tests/*/rules.mk tests/vm/guest/rules.mk))
include install.mk
-include $(OBJECTS:.o=.d) $(PROGRAMS:=.d)

.PHONY: setup
setup:
	./setup

.PHONY: unit-tests check-unit
unit-tests: $(UNIT_TESTS) $(TEST_PROGRAMS)
check-unit: $(UNIT_TESTS) $(TEST_PROGRAMS)
	@status=0; $(PROVE) -j$(TEST_JOBS) --exec '$(TIMED)' $(UNIT_TESTS) $(SCRIPT_TESTS) || status=1; \
	GPMU_BIN=$(GPMU_SAN) $(PROVE) -j$(TEST_JOBS) --exec '$(TIMED)' $(SAN_TOOL_TESTS) || status=1; exit $$status

# check-FOLDER: the tests of a folder of tests/unit, and tests/tools/FOLDER.t; seconds, while check-tools takes minutes
UNIT_FOLDERS := $(sort $(foreach test,$(UNIT_TESTS:$(B)/%=%) $(SCRIPT_TESTS),$(word 3,$(subst /, ,$(filter tests/unit/%,$(dir $(test)))))))
folder_scripts = $(filter tests/unit/$(1)/% tests/tools/$(1).t,$(SCRIPT_TESTS) $(TOOL_TESTS))
define check_folder
.PHONY: check-$(1)
check-$(1): $$(filter $$(B)/tests/unit/$(1)/%,$$(UNIT_TESTS) $$(GPMU_DUMPS)) $$(if $$(call folder_scripts,$(1)),all $$(TEST_PROGRAMS))
	$$(PROVE) -j$(TEST_JOBS) --exec '' $$(filter $$(B)/tests/unit/$(1)/%,$$(UNIT_TESTS)) $$(call folder_scripts,$(1))
endef
$(foreach folder,$(UNIT_FOLDERS),$(eval $(call check_folder,$(folder))))
.PHONY: check-tools
check-tools: all $(TEST_PROGRAMS) $(GPMU_SAN)
	@status=0; $(PROVE) -j$(TEST_JOBS) --exec '' $(PLAIN_TOOL_TESTS) || status=1; \
	GPMU_BIN=$(GPMU_SAN) $(PROVE) -j$(TEST_JOBS) --exec '' $(SAN_TOOL_TESTS) || status=1; exit $$status

# The kernels of CHECK_TESTS: tests/vm/compare.t has that of 6.12 with LONG=1
MORE_KERNELS := vm-prepare-7.3 $(if $(LONG),vm-prepare-6.12)

# All that the tests need. There are more jobs than processors, as some wait for downloads.
.PHONY: check-files
check-files: vm-prepare $(MORE_KERNELS) all unit-tests examples $(BENCHES)

# The steps continue after a failure, so that one run shows all failures.
CHECK_STEPS := check-unit check-more check-vm
CHECK_TIMES := $(B)/times
TIMED_STAGE := tests/lib/timed $(CHECK_TIMES)/stages
# Objects of an earlier build are used again: of a test, or of another clone. CCACHE is for compilers that are not in PATH.
check: export PATH := /usr/lib/ccache:$(PATH)
check: export CCACHE := ccache
check: export CCACHE_DIR := $(GPMU_CACHE)/ccache
check: export CCACHE_BASEDIR := $(CURDIR)
check: export CCACHE_NOHASHDIR := y
check: export CCACHE_MAXSIZE := 1G
.PHONY: check
check: setup
	@rm -rf $(CHECK_TIMES); mkdir -p $(CHECK_TIMES); \
	status=0; $(TIMED_STAGE) $(MAKE) --no-print-directory -k -j4 check-files || status=1; \
	for step in $(CHECK_STEPS); do \
		$(TIMED_STAGE) $(MAKE) --no-print-directory PREPARED=y TIMES=$(CHECK_TIMES) $$step || status=1; \
	done; echo; tests/lib/times $(CHECK_TIMES); exit $$status

# The longest are first, so that no processor is idle at the end.
LONGEST := tests/perf/build.t tests/vm/%
.PHONY: check-more
check-more: $(BENCHES) $(if $(PREPARED),,$(MORE_KERNELS))
	GPMU_PREPARED=1 $(PROVE) -j$(TEST_JOBS) --exec '$(TIMED)' $(filter $(LONGEST),$(CHECK_TESTS)) $(filter-out $(LONGEST),$(CHECK_TESTS))

# The driver for this machine, or for another kernel's KDIR
.PHONY: modules modules_install modules_clean
modules modules_clean modules_install:
	@[ -e "$(KDIR)/Makefile" ] || { \
		echo "no kernel headers in $(KDIR): install linux-headers-$$(uname -r), or name others by KDIR=" >&2; \
		exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR)/kernel-drivers $(@:modules_clean=clean)
	@[ $@ != modules_install ] || $(MAKE) -s --no-print-directory modules_index

# kbuild skips depmod if the headers have no System.map, as Debian's
.PHONY: modules_index
modules_index:
	PATH="$$PATH:/usr/sbin:/sbin" depmod $(if $(INSTALL_MOD_PATH),-b $(INSTALL_MOD_PATH)) \
		$$($(MAKE) -s --no-print-directory -C $(KDIR) kernelrelease)

# A modelled two-socket Grace in QEMU with traffic, counted by perf stat
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
	'make setup            install what is needed for the following (apt-get, once)' \
	'make                  build what runs on this machine: gpmu, libgpmu, the traffic model;' \
	'                      with libperf of LIBPERF_SOURCE=, a kernel source, or of Debian'"'"'s' \
	'make demo             boot a modelled Grace in QEMU and show perf counting in it' \
	'make check            the tests that run in 25 minutes to an hour; what they need is' \
	'                      downloaded once, into GPMU_CACHE=$(GPMU_CACHE)' \
	'make check-unit       only those without virtual machines; libperf is built from the' \
	'                      kernel source, which is downloaded once' \
	'make check-FOLDER     only those of tests/unit/FOLDER: check-plan, check-driver, check-tools, ...' \
	'make bench            what is fast, and how fast' \
	'make bench-vm         regions and intervals on an arm64 kernel, in QEMU: KERNEL, DRIVER' \
	'make fuzz             parsers under libFuzzer, FUZZ_SECONDS=60 each' \
	'make check-vm         only the virtual machines: KERNEL=$(subst $() $(),|,$(VM_KERNELS) $(VM_BUILT))' \
	'                      DRIVER=ours|in-tree|in-tree-patched TESTS="NAME..." (of tests/vm/t)' \
	'make check-perf       only the tests of the built perfs' \
	'LONG=1                with these: all tests, on every kernel, at full length' \
	'make perf             perf with the events and metrics of pmu-events:' \
	'                      PERF_VERSION=auto|$(subst $() $(),|,$(PERF_VERSIONS)); perf-all: each, for arm64 too' \
	'make upstream         patches for upstream perf and its driver, checked, in $(B)/upstream' \
	'make install          gpmu and libgpmu, and this perf, if it was built, as gpmu-perf:' \
	'                      PREFIX=$(PREFIX) DESTDIR= PERF_VERSION=; also bindir, libdir, includedir,' \
	'                      datadir, mandir, docdir, dlfilterdir' \
	'make uninstall        removes that, with the same PREFIX and DESTDIR' \
	'make modules          the driver for this kernel or for KDIR=; then, as root,' \
	'                      make modules_install' \
	'make dkms             packages of the driver for DKMS' \
	'make lint             all static checks (./setup lint)' \
	'make clean            remove $(B)'
