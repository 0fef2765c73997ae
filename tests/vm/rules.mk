# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The virtual machine tests. make check-vm runs all; KERNEL=NAME picks one
# kernel, DRIVER=ours|in-tree one driver, TESTS='FILE...' some tests.

VM_KERNELS := $(shell awk -F '\t' '!/^\#/ { print $$1 }' tests/vm/kernels.tsv)
# The in-tree driver is tested where a release introduced or changed it.
VM_IN_TREE := 6.12 7.3 debug
VM_JOBS ?= 2
TESTS ?= $(sort $(wildcard tests/vm/t/*.t))

ifeq ($(KERNEL),)
vm_kernels := $(VM_KERNELS)
else
vm_kernels := $(KERNEL)
endif
vm_drivers = $(or $(DRIVER),ours $(if $(filter $1,$(VM_IN_TREE)),in-tree))
vm_runs := $(foreach k,$(vm_kernels),$(foreach d,$(call vm_drivers,$k),$k/$d))

# The perf that a kernel's guest runs is that of the kernel's source.
vm_perf = $(or $(shell awk -F '\t' '$$1 == "$1" { print $$3 }' tests/vm/kernels.tsv),7.3)

VM_PREPARE := $(addprefix vm-prepare-,$(VM_KERNELS) debug)
.PHONY: vm-prepare $(VM_PREPARE)
vm-prepare: $(vm_kernels:%=vm-prepare-%)

$(VM_PREPARE): vm-prepare-%: $(B)/tests/vm/pmu-model guest-tools
	tests/vm/fetch qemu
	tests/vm/fetch busybox
	tests/vm/modules $* $(B)/vm/modules/$*
	perfmod/build $(call vm_perf,$*) arm64 >/dev/null

# Runs that fail do not keep the others from running.
.PHONY: check-vm
check-vm: vm-prepare
	@failed=; for run in $(vm_runs); do \
		kernel=$${run%/*} driver=$${run#*/}; \
		echo "# Linux $$kernel, $$driver driver"; \
		GPMU_PREPARED=1 B=$(B) $(PROVE) -j$(VM_JOBS) \
			--exec "tests/vm/boot --kernel $$kernel --driver $$driver" \
			$(TESTS) || failed="$$failed $$run"; \
	done; \
	[ -z "$$failed" ] || { echo "check-vm failed:$$failed" >&2; exit 1; }

SCRIPT_TESTS += $(addprefix tests/unit/,acpi.t boot.t fetch.t setup.t)
CHECK_TESTS += tests/vm/rig.t
