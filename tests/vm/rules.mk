# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The virtual machine tests. make check-vm runs all on the kernels from packages. KERNEL=NAME
# selects one kernel, also one that build-kernel builds, DRIVER=ours|in-tree|in-tree-patched one
# driver, TESTS='NAME...' some tests. LONG=1 adds kernels and runs loops at full length, for which
# make check has no time.

VM_KERNELS := $(shell awk -F '\t' '!/^\#/ && $$5 != "-" { print $$1 }' tests/vm/kernels.tsv)
VM_BUILT := $(shell awk -F '\t' '$$5 == "-" { print $$1 }' tests/vm/kernels.tsv)
# The in-tree driver is tested where a release introduced or changed it.
VM_IN_TREE := 6.12 7.3 $(VM_BUILT)
# The patches of perfmod/upstream
VM_PATCHED := 7.3 $(VM_BUILT)
# A guest waits for part of its time.
VM_JOBS ?= 3
# The longest tests run first, so that none runs alone at the end
VM_FIRST := fuzz spe-report lifecycle metrics spe gpmu gracehopper2 zoo events superchip
TESTS ?= $(sort $(wildcard tests/vm/t/*.t))

ifeq ($(KERNEL),)
vm_kernels := $(VM_KERNELS)
else
vm_kernels := $(KERNEL)
endif
vm_drivers = $(or $(DRIVER),ours $(if $(filter $1,$(VM_IN_TREE)),in-tree) $(if $(filter $1,$(VM_PATCHED)),in-tree-patched))
vm_runs := $(foreach k,$(vm_kernels),$(foreach d,$(call vm_drivers,$k),$k/$d))

# An unknown name is refused before anything is prepared
vm_all_tests := $(notdir $(basename $(wildcard tests/vm/t/*.t)))
vm_refuse = $(if $(filter-out $3,$2),$(error $1=$(firstword $(filter-out $3,$2)): one of $3))
$(call vm_refuse,KERNEL,$(KERNEL),$(VM_KERNELS) $(VM_BUILT))
$(call vm_refuse,DRIVER,$(DRIVER),ours in-tree in-tree-patched)
$(call vm_refuse,TESTS,$(patsubst %.t,%,$(TESTS:tests/vm/t/%=%)),$(vm_all_tests))

# A guest runs the perf of its kernel's source, except for tests whose header selects
# 7.3's.
vm_perf = $(shell awk -F '\t' '$$1 == "$1" { print $$3 }' tests/vm/kernels.tsv)

# The files of a virtual machine; make -j builds them in parallel.
VM_PREPARE := $(addprefix vm-prepare-,$(VM_KERNELS) $(VM_BUILT))
VM_MODULES := $(VM_PREPARE:vm-prepare-%=vm-modules-%)
VM_PERFS := $(addprefix vm-perf-,$(PERF_VERSIONS))
.PHONY: vm-prepare vm-machine $(VM_PREPARE) $(VM_MODULES) $(VM_PERFS)
vm-prepare: $(vm_kernels:%=vm-prepare-%)

.SECONDEXPANSION:
$(VM_PREPARE): vm-prepare-%: $(B)/tests/vm/pmu-model guest-tools vm-machine vm-modules-% \
	$$(addprefix vm-perf-,$$(sort $$(call vm_perf,$$*) 7.3))

vm-machine:
	tests/vm/fetch qemu
	tests/vm/fetch busybox

$(VM_MODULES): vm-modules-%:
	tests/vm/modules $* $(B)/vm/modules/$*

# gpmu and the distribution's perf
$(VM_PERFS): vm-perf-%:
	tests/vm/fetch userland $*
	perfmod/build $* arm64 >/dev/null

# Each test on each kernel and driver, as an argument of tests/vm/run
vm_names := $(notdir $(basename $(TESTS)))
vm_ordered = $(filter $(vm_names),$(VM_FIRST)) $(filter-out $(VM_FIRST),$(vm_names))
vm_queue = $(foreach t,$(vm_ordered),$(vm_runs:%=%/$t))

.PHONY: check-vm
check-vm: $(if $(PREPARED),,vm-prepare)
	GPMU_PREPARED=1 LONG=$(LONG) $(PROVE) -j$(VM_JOBS) --exec '$(strip $(TIMED) tests/vm/run)' $(vm_queue)

# Not tests: intervals beside those of the guest's own perf, records of SPE, cost of tracepoints
.PHONY: bench-vm
bench-vm: $(B)/vm/guest/bench
	@$(MAKE) -s --no-print-directory vm-prepare KERNEL=$(or $(KERNEL),7.3)
	@GPMU_PREPARED=1 tests/vm/boot --kernel $(or $(KERNEL),7.3) --driver $(or $(DRIVER),in-tree) \
		--plain tests/vm/bench
	@for bench in trace spe; do GPMU_PREPARED=1 tests/vm/boot --kernel $(or $(KERNEL),7.3) \
		--driver ours --plain tests/vm/bench-$$bench || exit; done

SCRIPT_TESTS += tests/unit/rig/acpi.t tests/unit/rig/boot.t tests/unit/rig/fetch.t tests/unit/install/setup.t
CHECK_TESTS += tests/vm/rig.t
