#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu doctor: each defect that it reports, on fake machines that have it.
. tests/tools/lib.sh

# doctor NAME CHANGE...: on a changed copy of a machine; CHANGE is "PATH=TEXT", or "-PATH" to remove
doctor() {
	local root=$work/changed change

	rm -rf "$root"
	cp -a "$(machine "$1")" "$root"
	shift
	for change; do
		case $change in
		-*) rm -rf "${root:?}/${change#-}" ;;
		*)
			mkdir -p "$root/$(dirname "${change%%=*}")"
			printf '%b\n' "${change#*=}" > "$root/${change%%=*}"
			;;
		esac
	done
	GPMU_ROOT=$root run gpmu doctor
}

devices=sys/bus/event_source/devices
paranoid=proc/sys/kernel/perf_event_paranoid
root_user="proc/self/status=Name:\tgpmu\nCapEff:\t000001ffffffffff"
perfmon="proc/self/status=Name:\tgpmu\nCapEff:\t0000004400000000" # and CAP_SYSLOG

doctor superchip "$perfmon"
is "$rc" 0 "doctor exits with 0 on a Superchip with CAP_PERFMON"
like "$out" '^ok +machine +an NVIDIA Grace$' "doctor recognises an NVIDIA Grace"
like "$out" "^ok +driver +the kernel's arm_cspmu_module and nvidia_cspmu$" "doctor recognises the in-tree driver"
like "$out" '^ok +permissions +CAP_PERFMON allows counting the whole machine' "doctor accepts CAP_PERFMON for counting all of the machine"
is "$(grep -cE '^ok +PMU +nvidia_' <<< "$out")" 10 "doctor finds five PMUs of each socket"
like "$out" '^0008:03:00\.0 +nvme1 +nvme +0 +0008:00:00\.0 +nvidia_pcie_pmu_0 +root_port=0x100$' "doctor lists a drive with its node, root port and filter"
like "$out" '^0 problems, 0 warnings$' "doctor ends with the numbers of problems and warnings"
unlike "$out" '^(warning|problem)' "doctor reports no problem and no warning on a Superchip in order"
doctor superchip-ours "$root_user"
like "$out" '^ok +driver +grace_cspmu$' "doctor recognises this project's driver"
like "$out" '^ok +PMU +nvidia_scf_pmu_0: 6 counters of 64 bits$' "doctor prints the counters of a PMU whose driver reports them"
like "$out" '^ok +permissions +CAP_SYS_ADMIN' "doctor accepts root for counting all of the machine"

doctor superchip
is "$rc" 1 "doctor exits with 1 if perf_event_paranoid is 2 and there is no capability"
like "$out" '^problem +permissions +perf_event_paranoid is 2.*no Grace PMU$' "doctor reports that perf_event_paranoid 2 forbids Grace's PMUs"
like "$out" '^ +-> sudo sysctl kernel.perf_event_paranoid=0, or .*setcap cap_perfmon' "doctor prints the remedy for perf_event_paranoid 2"
doctor superchip "$paranoid=0"
like "$out" '^ok +permissions +perf_event_paranoid is 0: all users may count the whole machine$' "doctor accepts perf_event_paranoid 0"
doctor superchip "$paranoid=-1"
like "$out" 'raw tracepoints$' "doctor reports that perf_event_paranoid -1 allows raw tracepoints"
doctor superchip "$perfmon" -sys/kernel/tracing/events
like "$rc $out" '^0 problems, 1 warning$' "doctor warns if tracefs is not mounted"
like "$out" '^warning +permissions +tracefs is not mounted: no tracepoints, and no gpmu record -a --sched$' "doctor names the features that need tracefs"
like "$out" '^ +-> sudo mount -t tracefs tracefs /sys/kernel/tracing$' "doctor prints the command that mounts tracefs"
doctor superchip "$perfmon" -sys/kernel/tracing
like "$out" '^0 problems, 0 warnings$' "doctor does not warn of a kernel without tracefs"
doctor laptop "$paranoid=4"
is "$rc" 1 "doctor exits with 1 if perf_event_paranoid is 4, the default of Debian and Ubuntu"
like "$out" '^problem +permissions .*users may count nothing$' "doctor reports that perf_event_paranoid 4 forbids all counting"
doctor laptop "$paranoid=1"
like "$out" '^warning +permissions .*but not system-wide \(-a\)$' "doctor warns that perf_event_paranoid 1 forbids -a"
doctor laptop "-$paranoid"
like "$out" '^problem .*no perf events$' "doctor reports a kernel without perf events"
doctor laptop proc/sys/kernel/kptr_restrict=2
like "$out" '^warning +permissions +kptr_restrict is 2' "doctor warns of kptr_restrict 2"
like "$out" '-> sudo sysctl kernel.kptr_restrict=0' "doctor prints the remedy for kptr_restrict 2"
like "$out" '-> sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=0$' "doctor prints the remedy for kptr_restrict 2 and perf_event_paranoid 2"
doctor laptop
like "$out" '^warning +permissions +perf_event_paranoid is 2 and CAP_SYSLOG is missing: perf cannot resolve kernel symbols' "doctor warns that perf_event_paranoid 2 hides kernel symbols at kptr_restrict 0"
unlike "$out" 'perf can resolve kernel symbols' "doctor does not promise kernel symbols at perf_event_paranoid 2"
doctor laptop "$paranoid=1"
like "$out" '^ok +permissions +kptr_restrict is 0: perf can resolve kernel symbols$' "doctor accepts kptr_restrict 0 and perf_event_paranoid 1"
doctor laptop "$perfmon" proc/sys/kernel/kptr_restrict=1
like "$out" '^ok +permissions +kptr_restrict is 1: perf can resolve kernel symbols$' "doctor accepts kptr_restrict 1 with CAP_SYSLOG"

doctor laptop
is "$rc" 0 "doctor exits with 0 on a laptop"
is "$(grep -c 'not an NVIDIA Grace' <<< "$out")" 1 "doctor reports in one line that a laptop is not a Grace"
unlike "$out" '^[a-z]+ +(driver|config|firmware)|nvidia_' "doctor skips the checks for Grace on a laptop"
user_reads='ok +PMU +reads in user space:'
like "$out" "^$user_reads yes, regions of programs need no system call\$" "doctor reports that programs on a laptop read counters in user space"
doctor laptop "$devices/cpu/rdpmc=0"
like "$out" "^$user_reads no, rdpmc is 0\$" "doctor reports that x86's rdpmc is off"
like "$out" '-> echo 1 \| sudo tee /sys/bus/event_source/devices/cpu\*/rdpmc$' "doctor prints the remedy for x86's rdpmc"
doctor laptop "-$devices/cpu/rdpmc"
like "$out" "^$user_reads no, the kernel does not support them\$" "doctor reports that a kernel does not support reads in user space"
doctor superchip
like "$out" "^$user_reads no, perf_user_access is 0\$" "doctor reports that programs on a Grace read counters by system calls"
like "$out" '-> sudo sysctl kernel.perf_user_access=1$' "doctor prints the remedy for reads by system calls"
doctor superchip proc/sys/kernel/perf_user_access=1
like "$out" "^$user_reads yes, " "doctor reports that programs on a Grace read counters in user space"
doctor vm
unlike "$out" 'reads in user space' "doctor does not report on reads in user space if the CPUs have no PMU"
like "$out" 'or a virtual machine on one' "doctor reports that a virtual machine may run on a Grace"
like "$out" '^warning +PMU +the CPUs have no PMU: ' "doctor warns of a virtual machine without a PMU of its CPUs"

apmt=sys/firmware/acpi/tables/APMT=APMT
doctor vm "$apmt" "$root_user"
is "$rc" 1 "doctor exits with 1 on a Grace without a driver"
like "$out" '^problem +driver +no driver of Grace.s PMUs is loaded$' "doctor reports that no driver is loaded"
like "$out" '-> sudo modprobe -a arm_cspmu_module nvidia_cspmu, or .*grace_cspmu' "doctor prints the remedy for a missing driver"
like "$out" '^ok +firmware +has the table APMT' "doctor reports that the firmware has the table APMT"
doctor vm "$apmt" sys/module/arm_cspmu_module/refcnt=0
like "$out" '^problem +driver +arm_cspmu_module is loaded but has no PMU$' "doctor reports arm_cspmu_module without nvidia_cspmu"
like "$out" '-> sudo modprobe nvidia_cspmu' "doctor prints the remedy for arm_cspmu_module without nvidia_cspmu"
doctor superchip "-$devices/nvidia_scf_pmu_1" "-$devices/nvidia_cnvlink_pmu_0" "$perfmon"
is "$rc" 1 "doctor exits with 1 if an SCF PMU is missing"
like "$out" '^problem +PMU +no nvidia_scf_pmu_1: traffic of CPUs to memory and of the last-level cache is not counted$' "doctor reports what a missing SCF PMU leaves uncounted"
like "$out" '^warning +PMU +no nvidia_cnvlink_pmu_0: traffic of .* is not counted$' "doctor warns of a missing CNVLink PMU"
doctor superchip "$devices/nvidia_pcie_pmu_1/cpumask=" "$perfmon"
like "$out" '^problem +PMU +nvidia_pcie_pmu_1: no CPU of its socket is online$' "doctor reports a socket whose CPUs are all offline"
doctor gh200 "$perfmon"
unlike "$out" 'cnvlink' "doctor expects no CNVLink PMU on a machine with one socket"

config='CONFIG_ARM_PMUV3=y\nCONFIG_ARM_SPE_PMU=m\n# CONFIG_ACPI_APMT is not set'
doctor superchip "boot/config-7.3.0=$config"
like "$out" '^ok +config +CONFIG_ARM_PMUV3=y$' "doctor reads the kernel's configuration in /boot"
like "$out" '^ok +config +CONFIG_ACPI_APMT is not set, and not needed: the PMUs exist$' "doctor accepts a missing CONFIG_ACPI_APMT if the PMUs exist"
doctor vm "$apmt" "lib/modules/7.3.0/config=$config"
like "$out" '^warning +config +CONFIG_ACPI_APMT is not set: finding Grace.s PMUs$' "doctor warns of a missing CONFIG_ACPI_APMT if there are no PMUs"
doctor vm "$apmt"
like "$out" '^warning +config +cannot be read: neither ' "doctor warns if the kernel's configuration cannot be read"
mkdir -p "$work/gz"
printf '%b\n' "$config" | gzip > "$work/gz/config.gz"
root=$work/changed
cp "$work/gz/config.gz" "$root/proc/config.gz"
GPMU_ROOT=$root expect 1 gpmu doctor
like "$out" '^ok +config +CONFIG_ARM_SPE_PMU=m$' "doctor reads the kernel's configuration in /proc/config.gz"
head -c 40 "$work/gz/config.gz" > "$root/proc/config.gz"
GPMU_ROOT=$root run gpmu doctor
like "$out" '^warning +config +cannot be read: neither ' "doctor warns of a truncated /proc/config.gz"

params="proc/driver/nvidia/params=ResmanDebugLevel: 4\nRmProfilingAdminOnly"
doctor gh200 "$params: 1"
like "$out" '^warning +GPU +its counters require CAP_SYS_ADMIN \(NVreg' "doctor warns that the GPU's counters are reserved for CAP_SYS_ADMIN"
like "$out" 'NVreg_RestrictProfilingToAdminUsers=0' "doctor prints the remedy for counters that are reserved for CAP_SYS_ADMIN"
like "$out" '^warning +GPU +libcupti.so not found' "doctor warns of a missing CUPTI"
doctor gh200 "$params: 0" usr/local/cuda/lib64/libcupti.so=x usr/lib64/libcuda.so.1=x
like "$out" '^ok +GPU +all users may use its counters$' "doctor reports that all users may use the GPU's counters"
like "$out" '^ok +GPU +/usr/local/cuda/lib64/libcupti.so$' "doctor finds CUPTI in the toolkit's folder"
doctor gh4
like "$out" '^warning +GPU +0009:01:00\.0 has no driver$' "doctor warns of a GPU without a driver"

# gpus SETTINGS [CHANGE...]: on a GH200 whose GPU is that of the fakes of NVIDIA's libraries
gpus() {
	GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE="machine=gh200 $1" doctor gh200 "${@:2}"
}

gpu=GPU-6f2a1c00-0003-4a00-8000-000000000003
remedy='-> echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" \| sudo tee /etc/modprobe.d/nvidia-profiling.conf, then sudo'
gpus '' "$root_user"
is "$rc" 0 "doctor exits with 0 if the GPU is in order"
like "$out" "^ok +GPU +NVIDIA's driver 580.159.04, for CUDA up to 13.0\$" "doctor prints the version of the GPU's driver"
like "$out" "^ok +GPU +CUPTI of CUDA 13.0, supported by the driver: .*/libcupti.so.13\$" "doctor prints the version and the file of CUPTI"
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, GH100, 0009:01:00.0, near node 0, root_port=0x200 of nvidia_pcie_pmu_0\$" "doctor prints the GPU's name, address, node and root port"
like "$out" "^ok +GPU +$gpu: CUPTI can sample it, as nvidia_gpu_0\$" "doctor reports that CUPTI can sample the GPU"
unlike "$out" '^(warning|problem)' "doctor reports no problem and no warning for a GPU in order"
GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE=machine=gh200 run gpmu doctor
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, GH100, 0009:01:00.0, near node 0\$" "doctor prints no root port of a GPU on a machine that is not a Grace"
# trouble SETTINGS TEXT REMEDY DESCRIPTION
trouble() {
	gpus "$1" "$root_user"
	is "$rc" 0 "doctor: $4: the exit status is 0"
	like "$out" "^warning +GPU +$2" "doctor: $4: the warning is printed"
	like "$out" "^ +-> $3" "doctor: $4: the remedy is printed"
}
trouble enable=0:26 "$gpu: its profiler is in use by another program.*; NVML counts instead\$" "end that program, .*dcgmi profile --pause\$" "a profiler that another program holds"
trouble enable=0:35 "$gpu: .*only root may use its counters; NVML" "${remedy#-> }" "counters that are reserved for root"
trouble support=0:vgpu "$gpu: .*it is a vGPU;" "set its plugin parameter enable_profiling" "a GPU that is a vGPU"
trouble support=0:cc "$gpu: .*confidential computing is enabled;" "set its mode to devtools" "a GPU in confidential computing"
trouble enable=0:43 "$gpu: .*it is divided by MIG;" "nvidia-smi -mig 0\$" "a GPU divided by MIG"
trouble driver=12080 "CUPTI is of CUDA 13.0, the driver for CUDA 12.8: a GPU's own counters" "install the CUPTI of CUDA 12.8\$" "a driver that is older than CUPTI"
trouble driver=12020 "the driver is for CUDA 12.2: a GPU's own counters" "install one for CUDA 12.6 or later" "a driver without PM sampling"
trouble cupti=18 ".*libcupti.so.13 has no PM sampling: a GPU" "install one of CUDA 12.6 or later" "a CUPTI without PM sampling"
trouble cuinit=999 "the CUDA driver cannot be initialised: cuInit returns 999: a GPU" "sudo dmesg" "a driver that cannot be initialised"
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, 0009:01:00.0, near" "doctor: NVML identifies a GPU whose CUDA driver fails"
mkdir "$work/cuda" "$work/plugins"
ln -s "$(realpath "$B/tests/gpu/fake")"/lib{cuda.so.1,gpmu-fake.so,nvidia-ml.so.1} "$work/cuda/"
# shellcheck disable=SC2016 # sh is to expand it
if out=$(GPMU_ROOT=$work/changed GPMU_CUDA=$work/cuda GPMU_FAKE=machine=gh200 CUDA_HOME='' \
	unshare -m sh -c 'mount -t tmpfs none /usr/local && exec "$0" doctor' "$GPMU_BIN" 2> /dev/null); then
	like "$out" "^warning +GPU +no CUPTI: a GPU's own counters cannot be read\$" "doctor warns that there is no CUPTI"
	like "$out" '-> install CUDA.s package cuda-cupti-13-0$' "doctor names the package of the missing CUPTI"
else
	skip "nothing can be mounted" "doctor warns that there is no CUPTI"
	skip "nothing can be mounted" "doctor names the package of the missing CUPTI"
fi
echo '{"init":9}' > "$work/nvml.json"
GPMU_FAKE_NVML=$work/nvml.json trouble '' "NVML: NVIDIA's driver is not loaded\$" "sudo modprobe nvidia\$" "a driver that is not loaded"
echo '{"init":18}' > "$work/nvml.json"
GPMU_FAKE_NVML=$work/nvml.json trouble '' "NVML: the loaded driver has another version than" "load the new one, or reboot\$" "a driver of another version than NVML"
gpus '' "$params: 1"
like "$out" '^warning +GPU +its counters require CAP_SYS_ADMIN \(NVreg' "doctor warns of the driver's parameters if CUPTI answers too"
mkdir "$work/no"
: > "$work/no/libcuda.so.1"
: > "$work/no/libnvidia-ml.so.1"
GPMU_CUDA=$work/no doctor laptop
is "$(grep GPU <<< "$out")" "ok       GPU           no NVIDIA GPU with a driver: CUDA and CUPTI are not needed" "doctor prints one line, and no warning, without NVIDIA's libraries"
GPMU_PLUGINS=$work/plugins gpus ''
like "$out" '^warning +GPU +no gpmu-cupti.so in ' "doctor warns of gpmu's missing plugins"
gpus '' "$root_user"
is "$err" "" "doctor prints nothing on standard error"
out=$(GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE="machine=gh200 enable=0:26" GPMU_ROOT=$work/changed gpmu doctor -j)
is "$(python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row["check"] == "GPU" and row["state"] == "warning":
        print(row["remedy"])
    if row["check"] == "device" and row["gpu"]:
        print(row["gpu"], row["node"], row["mask"])' <<< "$out")" "end that program, or if it is DCGM: dcgmi profile --pause
$gpu 0 0x200" "doctor -j prints the same remedy, and the UUID of a device that is a GPU"

expect 1 at superchip gpmu doctor --json
is "$(python3 -c 'import json, sys
print(sum(json.loads(line)["gpmu_doctor"] for line in sys.stdin))' <<< "$out")" "$(wc -l <<< "$out")" "doctor --json prints one JSON object per line"
like "$out" '"check":"device","address":"0018:01:00.0","name":"nvme0",.*"root_port":8,"mask":"0x100"}$' "doctor --json lists PCI devices with root port and mask"
expect 1 at superchip gpmu doctor --color=always
like "$out" $'^\033\\[31mproblem' "doctor --color=always prints a problem in red"
run gpmu doctor extra
is "$rc" 125 "doctor refuses an argument that is no option"
run gpmu doctor
[ "$rc" -le 1 ]; ok $? "doctor exits with 0 or 1 on this machine"
like "$out" '(ok|warning) +permissions +limit of open files: [0-9]+' "doctor checks the limit of open files on this machine"
like "$out" '(ok|warning) +perf ' "doctor checks perf on this machine"

# ID and ID_LIKE of os-release(5) choose the package of perf and the command that rebuilds the initramfs
while IFS='|' read -r release package initramfs; do
	doctor gh200 "$params: 1" "etc/os-release=NAME=x\n$release"
	like "$out" "then sudo $initramfs and reboot\$" "doctor names the command that rebuilds the initramfs for $release"
	# shellcheck disable=SC2016 # the inner shell expands it
	if unshare -m sh -c 'mount --bind "$0" /etc/os-release && PATH=/nowhere exec "$1" doctor' \
		"$work/changed/etc/os-release" "$GPMU_BIN" > "$work/packages" 2>&1 || grep -q '^warning  perf' "$work/packages"; then
		like "$(grep -A 1 '^warning  perf' "$work/packages")" " -> $package\$" "doctor names the package of perf for $release"
	else
		skip "nothing can be mounted" "doctor names the package of perf for $release"
	fi
done << 'END'
ID=debian|sudo apt install linux-perf|update-initramfs -u
ID=ubuntu\nID_LIKE=debian|sudo apt install linux-tools-\$\(uname -r\)|update-initramfs -u
ID="rocky"\nID_LIKE="rhel centos fedora"|sudo dnf install perf|dracut -f
ID="rhel"|sudo dnf install perf|dracut -f
ID=fedora|sudo dnf install perf|dracut -f
ID="sles"\nID_LIKE="suse"|sudo zypper install perf|dracut -f
ID="opensuse-leap"\nID_LIKE='suse opensuse'|sudo zypper install perf|dracut -f
ID=other\nVERSION_ID=debian|install the package perf, linux-perf or linux-tools|update-initramfs -u \(or dracut -f\)
END
doctor gh200 "$params: 1" usr/lib/os-release=ID=fedora
like "$out" 'then sudo dracut -f and reboot$' "doctor reads /usr/lib/os-release if /etc/os-release is missing"
done_testing
