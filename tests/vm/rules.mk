# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The virtual machine tests. make check-vm runs all; KERNEL=NAME picks one
# kernel, DRIVER=ours|in-tree one driver, TESTS='FILE...' some tests.

VM_KERNELS := $(shell awk -F '\t' '!/^\#/ { print $$1 }' tests/vm/kernels.tsv)
# The in-tree driver is tested where a release introduced or changed it.
VM_IN_TREE := 6.12 7.3 debug
# One more than there are processors: a machine waits for its clock at times
VM_JOBS ?= $(shell expr $$(nproc) + 1)
# The longest first, so that none is left to run alone
VM_LONG := lifecycle metrics gracehopper2 zoo events superchip
# What takes a time by the clock, however fast the machine is: all at once, last
VM_TOGETHER := fuzz
TESTS ?= $(sort $(wildcard tests/vm/t/*.t))

ifeq ($(KERNEL),)
vm_kernels := $(VM_KERNELS)
else
vm_kernels := $(KERNEL)
endif
vm_drivers = $(or $(DRIVER),ours $(if $(filter $1,$(VM_IN_TREE)),in-tree))
vm_runs := $(foreach k,$(vm_kernels),$(foreach d,$(call vm_drivers,$k),$k/$d))

# The perf that a kernel's guest runs is that of the kernel's source, but for
# tests that ask for 7.3's.
vm_perf = $(or $(shell awk -F '\t' '$$1 == "$1" { print $$3 }' tests/vm/kernels.tsv),7.3)

VM_PREPARE := $(addprefix vm-prepare-,$(VM_KERNELS) debug)
.PHONY: vm-prepare $(VM_PREPARE)
vm-prepare: $(vm_kernels:%=vm-prepare-%)

$(VM_PREPARE): vm-prepare-%: $(B)/tests/vm/pmu-model guest-tools
	tests/vm/fetch qemu
	tests/vm/fetch busybox
	tests/vm/modules $* $(B)/vm/modules/$*
	perfmod/build $(call vm_perf,$*) arm64 >/dev/null
	perfmod/build 7.3 arm64 >/dev/null

# Each test on each kernel and driver, as tests/vm/run takes it
vm_names := $(notdir $(TESTS:.t=))
vm_ordered = $(filter $(vm_names),$(VM_LONG)) $(filter-out $(VM_LONG) $(VM_TOGETHER),$(vm_names))
vm_each = $(foreach t,$1,$(vm_runs:%=%/$t))
vm_queue = $(call vm_each,$(vm_ordered))
vm_together = $(call vm_each,$(filter $(vm_names),$(VM_TOGETHER)))
VM_PROVE := GPMU_PREPARED=1 $(PROVE) --exec tests/vm/run

.PHONY: check-vm
check-vm: vm-prepare
	@status=0; \
	$(if $(vm_queue),$(VM_PROVE) -j$(VM_JOBS) $(vm_queue) || status=1;) \
	$(if $(vm_together),$(VM_PROVE) -j$(words $(vm_together)) $(vm_together) || status=1;) \
	exit $$status

SCRIPT_TESTS += $(addprefix tests/unit/,acpi.t boot.t fetch.t setup.t)
CHECK_TESTS += tests/vm/rig.t
