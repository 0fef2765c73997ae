#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu doctor: each thing that can be wrong, on fake machines that have it.
. tests/tools/lib.sh

# doctor NAME FILE...: on a changed copy of a machine; FILE is "PATH=TEXT", or "-PATH" to remove
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
perfmon="proc/self/status=Name:\tgpmu\nCapEff:\t0000004000000000"

doctor superchip "$perfmon"
is "$rc" 0 "a Superchip in order, with CAP_PERFMON: 0"
like "$out" '^ok +machine +an NVIDIA Grace$' "it is a Grace"
like "$out" "^ok +driver +the kernel's arm_cspmu_module and nvidia_cspmu$" "the in-tree driver"
like "$out" '^ok +permissions +CAP_PERFMON: all of the machine' "CAP_PERFMON is enough"
is "$(grep -cE '^ok +PMU +nvidia_' <<< "$out")" 10 "five PMUs of each socket"
like "$out" '^0008:03:00\.0 +nvme1 +nvme +0 +0008:00:00\.0 +nvidia_pcie_pmu_0 +root_port=0x100$' "a drive's node, root port and filter"
like "$out" '^0 problems, 0 warnings$' "and how many there are"
unlike "$out" '^(warning|problem)' "nothing else"
doctor superchip-ours "$root_user"
like "$out" '^ok +driver +grace_cspmu$' "our driver"
like "$out" '^ok +PMU +nvidia_scf_pmu_0: 6 counters of 64 bits$' "which says how many counters there are"
like "$out" '^ok +permissions +CAP_SYS_ADMIN' "root"

doctor superchip
is "$rc" 1 "perf_event_paranoid 2 and no capability: 1"
like "$out" '^problem +permissions +perf_event_paranoid is 2.*no Grace PMU$' "keeps Grace's PMUs from being counted"
like "$out" '^ +-> sudo sysctl kernel.perf_event_paranoid=0, or .*setcap cap_perfmon' "with the remedy"
doctor superchip "$paranoid=0"
like "$out" '^ok +permissions +perf_event_paranoid is 0: everybody may count all of the machine$' "0 lets everybody"
doctor superchip "$paranoid=-1"
like "$out" 'raw tracepoints$' "-1 even more"
doctor laptop "$paranoid=4"
is "$rc" 1 "4, as Debian and Ubuntu have it, lets nobody"
like "$out" '^problem +permissions .*may be counted: nothing$' "which is a problem anywhere"
doctor laptop "$paranoid=1"
like "$out" '^warning +permissions .*not what -a is$' "1 keeps from -a"
doctor laptop "-$paranoid"
like "$out" '^problem .*no perf events$' "a kernel without perf events"
doctor laptop proc/sys/kernel/kptr_restrict=2
like "$out" '^warning +permissions +kptr_restrict is 2' "kptr_restrict hides names"
like "$out" '-> sudo sysctl kernel.kptr_restrict=0' "with the remedy"

doctor laptop
is "$rc" 0 "a laptop: 0"
is "$(grep -c 'not an NVIDIA Grace' <<< "$out")" 1 "it is no Grace, in one line"
unlike "$out" '^[a-z]+ +(driver|config|firmware)|nvidia_' "what only a Grace has is not checked"
doctor vm
like "$out" 'or a virtual machine on one' "a virtual machine may be on one"
like "$out" '^warning +PMU +the CPUs have none here' "without counters of its CPUs"

apmt=sys/firmware/acpi/tables/APMT=APMT
doctor vm "$apmt" "$root_user"
is "$rc" 1 "a Grace without a driver: 1"
like "$out" '^problem +driver +none is loaded$' "it is said"
like "$out" '-> sudo modprobe -a arm_cspmu_module nvidia_cspmu, or .*grace_cspmu' "with the remedy"
like "$out" '^ok +firmware +it has the table APMT' "the firmware is in order"
doctor vm "$apmt" sys/module/arm_cspmu_module/refcnt=0
like "$out" '^problem +driver +arm_cspmu_module is loaded, and has no PMU$' "half of the in-tree driver"
like "$out" '-> sudo modprobe nvidia_cspmu' "lacks the other half"
doctor superchip "-$devices/nvidia_scf_pmu_1" "-$devices/nvidia_cnvlink_pmu_0" "$perfmon"
is "$rc" 1 "a missing SCF PMU: 1"
like "$out" '^problem +PMU +there is no nvidia_scf_pmu_1: not counted is CPUs to memory' "with what is not counted"
like "$out" '^warning +PMU +there is no nvidia_cnvlink_pmu_0' "others are warnings"
doctor superchip "$devices/nvidia_pcie_pmu_1/cpumask=" "$perfmon"
like "$out" '^problem +PMU +nvidia_pcie_pmu_1: no CPU of its socket is online$' "a socket that is offline"
doctor gh200 "$perfmon"
unlike "$out" 'cnvlink' "one socket needs no CNVLink"

config='CONFIG_ARM_PMUV3=y\nCONFIG_ARM_SPE_PMU=m\n# CONFIG_ACPI_APMT is not set'
doctor superchip "boot/config-7.3.0=$config"
like "$out" '^ok +config +CONFIG_ARM_PMUV3=y$' "the configuration in /boot"
like "$out" '^ok +config +CONFIG_ACPI_APMT is not set; the PMUs are there' "what lacks does not matter if the PMUs are there"
doctor vm "$apmt" "lib/modules/7.3.0/config=$config"
like "$out" '^warning +config +CONFIG_ACPI_APMT is not set: finding them$' "it does if they are not"
doctor vm "$apmt"
like "$out" '^warning +config +it cannot be read' "no configuration"
mkdir -p "$work/gz"
printf '%b\n' "$config" | gzip > "$work/gz/config.gz"
root=$work/changed
cp "$work/gz/config.gz" "$root/proc/config.gz"
GPMU_ROOT=$root run gpmu doctor
like "$out" '^ok +config +CONFIG_ARM_SPE_PMU=m$' "that in /proc/config.gz"
head -c 40 "$work/gz/config.gz" > "$root/proc/config.gz"
GPMU_ROOT=$root run gpmu doctor
like "$out" '^warning +config +it cannot be read' "cut off it is none"

params="proc/driver/nvidia/params=ResmanDebugLevel: 4\nRmProfilingAdminOnly"
doctor gh200 "$params: 1"
like "$out" '^warning +GPU +its counters are for CAP_SYS_ADMIN alone' "the GPU's counters are root's"
like "$out" 'NVreg_RestrictProfilingToAdminUsers=0' "with the remedy"
like "$out" '^warning +GPU +libcupti.so is not found' "without CUPTI"
doctor gh200 "$params: 0" usr/local/cuda/lib64/libcupti.so=x usr/lib64/libcuda.so.1=x
like "$out" '^ok +GPU +everybody may use its counters$' "they can be everybody's"
like "$out" '^ok +GPU +/usr/local/cuda/lib64/libcupti.so$' "CUPTI is found by its file"
doctor gh4
like "$out" '^warning +GPU +0009:01:00\.0 has no driver$' "a GPU without a driver"

# gpus SETTINGS [FILE...]: on a GH200 whose GPU is that of the fakes of NVIDIA's libraries
gpus() {
	GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE="machine=gh200 $1" doctor gh200 "${@:2}"
}

gpu=GPU-6f2a1c00-0003-4a00-8000-000000000003
remedy='-> echo "options nvidia NVreg_RestrictProfilingToAdminUsers=0" \| sudo tee /etc/modprobe.d/nvidia-profiling.conf, then sudo'
gpus '' "$root_user"
is "$rc" 0 "a GPU in order: 0"
like "$out" "^ok +GPU +NVIDIA's driver 580.159.04, for CUDA up to 13.0\$" "the driver"
like "$out" "^ok +GPU +CUPTI of CUDA 13.0, which the driver takes: .*/libcupti.so.13\$" "CUPTI, and which file it is"
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, GH100, 0009:01:00.0, near node 0, root_port=0x200 of nvidia_pcie_pmu_0\$" "what GPU it is, and where"
like "$out" "^ok +GPU +$gpu: CUPTI can sample it, as nvidia_gpu_0\$" "and that it can be sampled"
unlike "$out" '^(warning|problem)' "nothing else"
GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE=machine=gh200 run gpmu doctor
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, GH100, 0009:01:00.0, near node 0\$" "without a Grace there is no filter"
# trouble SETTINGS TEXT REMEDY DESCRIPTION
trouble() {
	gpus "$1" "$root_user"
	is "$rc" 0 "$4: a warning"
	like "$out" "^warning +GPU +$2" "it is said"
	like "$out" "^ +-> $3" "with the remedy"
}
trouble enable=0:26 "$gpu: its profiler is held by another program.*; NVML counts in its place\$" "end that, .*dcgmi profile --pause\$" "a profiler that another has"
trouble enable=0:35 "$gpu: .*its counters are for root only; NVML" "${remedy#-> }" "counters that are root's"
trouble support=0:vgpu "$gpu: .*it is a vGPU;" "its plugin parameter enable_profiling" "a vGPU"
trouble support=0:cc "$gpu: .*confidential computing;" "its host is to set that" "confidential computing"
trouble enable=0:43 "$gpu: .*it is divided by MIG;" "nvidia-smi -mig 0\$" "MIG"
trouble driver=12080 "CUPTI is CUDA 13.0's, the driver is CUDA 12.8's: a GPU's own counters" "install the CUPTI of CUDA 12.8\$" "a driver that is older than CUPTI"
trouble driver=12020 "the driver is of CUDA 12.2: a GPU's own counters" "install one of CUDA 12.6 or later" "a driver without PM sampling"
trouble cupti=18 ".*libcupti.so.13 has no PM sampling: a GPU" "install CUDA 12.6's or a later one" "a CUPTI without it"
trouble cuinit=999 "the CUDA driver cannot be initialised: cuInit gives 999: a GPU" "sudo dmesg" "a driver that fails"
like "$out" "^ok +GPU +$gpu: NVIDIA GH200 480GB, 0009:01:00.0, near" "NVML still tells which GPU it is"
mkdir "$work/cuda" "$work/plugins"
ln -s "$(realpath "$B/tests/gpu/fake")"/lib{cuda.so.1,gpmu-fake.so,nvidia-ml.so.1} "$work/cuda/"
# shellcheck disable=SC2016 # sh is to expand it
if out=$(GPMU_ROOT=$work/changed GPMU_CUDA=$work/cuda GPMU_FAKE=machine=gh200 CUDA_HOME='' \
	unshare -m sh -c 'mount -t tmpfs none /usr/local && exec "$0" doctor' "$GPMU_BIN" 2> /dev/null); then
	like "$out" "^warning +GPU +no CUPTI: a GPU's own counters cannot be read\$" "no CUPTI is said"
	like "$out" '-> install CUDA.s package cuda-cupti-13-0$' "with the package that has it"
else
	skip "nothing can be mounted" "no CUPTI is said"
	skip "nothing can be mounted" "with the package that has it"
fi
echo '{"init":9}' > "$work/nvml.json"
GPMU_FAKE_NVML=$work/nvml.json trouble '' "NVML: NVIDIA's driver is not loaded\$" "sudo modprobe nvidia\$" "a driver that is not loaded"
echo '{"init":18}' > "$work/nvml.json"
GPMU_FAKE_NVML=$work/nvml.json trouble '' "NVML: the driver that is loaded is of another version than" "load the new one, or reboot\$" "a driver of another version than NVML"
gpus '' "$params: 1"
like "$out" '^warning +GPU +its counters are for CAP_SYS_ADMIN alone' "what the driver's parameters say is said too"
mkdir "$work/no"
: > "$work/no/libcuda.so.1"
: > "$work/no/libnvidia-ml.so.1"
GPMU_CUDA=$work/no doctor laptop
is "$(grep GPU <<< "$out")" "ok       GPU           no NVIDIA GPU with a driver: CUDA and CUPTI are not needed" "libraries that there are not: one line, which is no failure"
GPMU_PLUGINS=$work/plugins gpus ''
like "$out" '^warning +GPU +no gpmu-cupti.so in ' "without gpmu's plugins that is said"
gpus '' "$root_user"
is "$err" "" "nothing of it is on standard error"
out=$(GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE="machine=gh200 enable=0:26" GPMU_ROOT=$work/changed gpmu doctor -j)
is "$(python3 -c 'import json, sys
for line in sys.stdin:
    row = json.loads(line)
    if row["check"] == "GPU" and row["state"] == "warning":
        print(row["remedy"])
    if row["check"] == "device" and row["gpu"]:
        print(row["gpu"], row["node"], row["mask"])' <<< "$out")" "end that, or if it is DCGM: dcgmi profile --pause
$gpu 0 0x200" "--json: the same, and which device is the GPU"

run at superchip gpmu doctor --json
is "$(python3 -c 'import json, sys
print(sum(json.loads(line)["gpmu_doctor"] for line in sys.stdin))' <<< "$out")" "$(wc -l <<< "$out")" "--json: an object a line"
like "$out" '"check":"device","address":"0018:01:00.0","name":"nvme0",.*"root_port":8,"mask":"0x100"}$' "with devices"
run at superchip gpmu doctor --color=always
like "$out" $'^\033\\[31mproblem' "a problem is red if that is wanted"
run gpmu doctor extra
is "$rc" 125 "arguments are refused"
run gpmu doctor
[ "$rc" -le 1 ]; ok $? "on this machine it ends with 0 or 1"
like "$out" '(ok|warning) +permissions +(open files|at most)' "the limit of open files"
like "$out" '(ok|warning) +perf ' "and perf are looked at there"

# What os-release(5) says, the package of perf, what makes the initramfs anew
while IFS='|' read -r release package initramfs; do
	doctor gh200 "$params: 1" "etc/os-release=NAME=x\n$release"
	like "$out" "then sudo $initramfs and boot\$" "$release: its initramfs"
	# shellcheck disable=SC2016 # sh is to expand it
	if unshare -m sh -c 'mount --bind "$0" /etc/os-release && PATH=/nowhere exec "$1" doctor' \
		"$work/changed/etc/os-release" "$GPMU_BIN" > "$work/packages" 2>&1 || grep -q '^warning  perf' "$work/packages"; then
		like "$(grep -A 1 '^warning  perf' "$work/packages")" " -> $package\$" "its package of perf"
	else
		skip "nothing can be mounted" "its package of perf"
	fi
done << 'END'
ID=debian|sudo apt install linux-perf|update-initramfs -u
ID=ubuntu\nID_LIKE=debian|sudo apt install linux-tools-\$\(uname -r\)|update-initramfs -u
ID="rocky"\nID_LIKE="rhel centos fedora"|sudo dnf install perf|dracut -f
ID="rhel"|sudo dnf install perf|dracut -f
ID=fedora|sudo dnf install perf|dracut -f
ID="sles"\nID_LIKE="suse"|sudo zypper install perf|dracut -f
ID="opensuse-leap"\nID_LIKE='suse opensuse'|sudo zypper install perf|dracut -f
ID=other\nVERSION_ID=debian|install perf, in packages called .*|update-initramfs -u \(or dracut -f\)
END
doctor gh200 "$params: 1" usr/lib/os-release=ID=fedora
like "$out" 'then sudo dracut -f and boot$' "that of /usr/lib is taken too"
done_testing
