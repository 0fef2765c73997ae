#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A gpmu whose file has CAP_PERFMON, run by an ordinary user: it loads no code that other users than root
# can write.
. tests/tools/lib.sh

all="privileges: a gpmu with CAP_PERFMON loads no code of its user"
root=
trap 'rm -rf "$work" ${root:+"$root"}' EXIT
need tests/gpu/fake/libcupti.so.13
unset GPMU_PLUGINS

# leave REASON: ends the test
leave() {
	skip "$1" "$all"
	done_testing
}

# user COMMAND...: as an ordinary user. The leak checker cannot trace a process with more privileges than its user.
user() {
	ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

[ "$(id -u)" = 0 ] || leave "needs root"
for program in setcap setpriv unshare; do
	command -v $program > /dev/null || leave "needs $program"
done
# The folder for temporary files can be written by all.
root=$(mktemp -d /var/lib/gpmu-test-XXXXXX 2> /dev/null) || leave "needs a folder in /var/lib"
chmod 755 "$root"
mkdir -p "$root/bin" "$root/lib/gpmu" "$root/other" "$root/open" "$root/cuda/lib64"
cp "$GPMU_BIN" "$root/bin/gpmu"
cp "$GPMU_BIN" "$root/bin/plain"
cp "$B/gpmu-model.so" "$B/gpmu-cupti.so" "$root/lib/gpmu"
for folder in other open; do
	cp "$B/gpmu-model.so" "$root/$folder"
done
cp "$B"/tests/gpu/fake/*.so* "$B"/tests/gpu/fake/*.tsv "$root/cuda/lib64"
cp "$scenarios/steady.scenario" "$root"
chmod -R u=rwX,go=rX "$root"
chmod 777 "$root/open"
mkdir "$root/mount"
! findmnt -no OPTIONS -T "$root" | grep -q nosuid || leave "/var/lib is mounted nosuid"
setcap cap_perfmon+ep "$root/bin/gpmu" 2> /dev/null || leave "no file can have capabilities here"
user "$root/bin/gpmu" --version > /dev/null 2>&1 || leave "files with capabilities cannot be executed here"

# --- plugins
# loads PROGRAM PLUGIN: lists a metric of the model
loads() {
	run user "$root/bin/$1" list --source "$2=$root/steady.scenario" --names metric GraceMemBW
}

# refuses PLUGIN COMPONENT DESCRIPTION: gpmu refuses the plugin and names COMPONENT, which others can write
refuses() {
	loads gpmu "$1"
	is "$rc $out$err" "125 gpmu list: --source $1=$root/steady.scenario: $2: a program with capabilities loads only files that root alone can write; see PRIVILEGES in gpmu(1)" "$3"
}

loads gpmu model
is "$rc $out$err" "0 GraceMemBW" "privileges: an installed plugin that root alone can write is loaded"
loads gpmu "$root/other/gpmu-model.so"
is "$rc $out$err" "0 GraceMemBW" "privileges: --source loads another file that root alone can write"
refuses "$root/open/gpmu-model.so" "$root/open" "privileges: --source refuses a file in a folder that all can write"
loads plain "$root/open/gpmu-model.so"
is "$rc $out$err" "0 GraceMemBW" "privileges: a gpmu without capabilities loads a file that others can write"
run env GPMU_PLUGINS="$root/other" "$root/bin/gpmu" list --source "$root/open/gpmu-model.so=$root/steady.scenario" --names metric GraceMemBW
is "$rc $out$err" "0 GraceMemBW" "privileges: the rules do not apply to root, whose privileges the file's capabilities do not extend"
ln -s ../open/gpmu-model.so "$root/other/link.so"
refuses "$root/other/link.so" "$root/open" "privileges: --source refuses a link to a file in a folder that all can write"
cp "$B/gpmu-model.so" "$root/other/user.so"
chown 65534 "$root/other/user.so"
refuses "$root/other/user.so" "$root/other/user.so" "privileges: --source refuses a file of another user than root"
cp "$B/gpmu-model.so" "$root/other/group.so"
chmod 775 "$root/other/group.so"
refuses "$root/other/group.so" "$root/other/group.so" "privileges: --source refuses a file that a group can write"
chmod 775 "$root/lib"
refuses model "$root/lib" "privileges: the installed plugin is refused if a group can write a folder above it"
run user "$root/bin/gpmu" record --regions -o "$work/x" true
like "$rc $err" "^125 gpmu record: no libgpmu-inject.so in $root/lib/gpmu; a program with capabilities searches no other folder\$" "privileges: the error for a missing library does not recommend GPMU_PLUGINS"
chmod 755 "$root/lib"

# --- signals
# The file of the marks has a path, since other processes cannot open a descriptor of a process with capabilities.
marks() {
	find /tmp -maxdepth 1 -name 'gpmu-mark-*' -user 65534 | sort
}

# reads_fifo PID: whether gpmu has opened the FIFO
# shellcheck disable=SC2317 # soon calls it
reads_fifo() {
	[ ! -d "/proc/$1" ] || find "/proc/$1/fd" -lname "$root/fifo" 2> /dev/null | grep -q .
}

cp "$B/libgpmu-mark.so" "$root/lib/gpmu"
chmod 644 "$root/lib/gpmu/libgpmu-mark.so"
mkfifo -m 644 "$root/fifo"
exec 4<> "$root/fifo"
for row in 'INT 130 default' 'TERM 143 default' 'INT 130 ignore'; do
	read -r signal status action <<< "$row"
	before=$(marks)
	(exec 4<&-; export ASAN_OPTIONS=detect_leaks=0; exec setpriv --reuid=65534 --regid=65534 --clear-groups env --"$action"-signal=INT \
		"$root/bin/gpmu" stat --regions --source "model=$root/fifo" -e task-clock true > "$work/out" 2>&1) &
	pid=$!
	soon reads_fifo $pid
	during=$(marks)
	rc=0
	kill -s "$signal" $pid
	wait $pid 2> /dev/null || rc=$?
	is "$rc $(wc -l <<< "$during") $(marks)" "$status $(($(wc -w <<< "$before") + 1)) $before" \
		"privileges: stat --regions deletes its file if SIG$signal (action: $action) ends it while it reads a scenario" || diag "$(cat "$work/out")"
done
exec 4<&-

# --- variables
# compare VARIABLE=VALUE ARGUMENT...: runs gpmu with and without capabilities; the results are in $with and $without
compare() {
	run user env "$1" "$root/bin/plain" "${@:2}"
	without="$rc $out$err"
	run user env "$1" "$root/bin/gpmu" "${@:2}"
	with="$rc $out$err"
}

list=(list --source "model=$root/steady.scenario" --names metric GraceMemBW)
compare GPMU_PLUGINS="$root/other" list --source "link=" --names metric GraceMemBW
like "$without" " no gpmu-link.so in $root/other:$root/lib/gpmu; GPMU_PLUGINS can name its folder\$" "privileges: without capabilities GPMU_PLUGINS is searched"
like "$with" " no gpmu-link.so in $root/lib/gpmu; a program with capabilities searches no other folder\$" "privileges: with capabilities GPMU_PLUGINS is ignored"
compare GPMU_EVENTS=/nothing "${list[@]}"
like "$without" '^125 .*/nothing' "privileges: without capabilities GPMU_EVENTS is read"
is "$with" "0 GraceMemBW" "privileges: with capabilities GPMU_EVENTS is ignored"
compare GPMU_ROOT=/nothing "${list[@]}"
like "$without" '^125 .*/nothing' "privileges: without capabilities GPMU_ROOT is read"
is "$with" "0 GraceMemBW" "privileges: with capabilities GPMU_ROOT is ignored"
compare GPMU_SECTIONS=/nothing list --sections --names
like "$without" '^125 .*/nothing' "privileges: without capabilities GPMU_SECTIONS is read"
unlike "$with" '/nothing' "privileges: with capabilities GPMU_SECTIONS is ignored"
compare GPMU_PERF=/nothing perf annotate --help
like "$without" '/nothing: ' "privileges: without capabilities GPMU_PERF is executed"
unlike "$with" '/nothing' "privileges: with capabilities GPMU_PERF is ignored"

# The fake of CUPTI is what a user could install. It knows fewer chips than a real one.
fake="GV100 TU102 GA100 GA102 GH100 GB100"
compare GPMU_CUDA="$root/cuda/lib64" list --gpu --chips
is "$(paste -sd' ' <<< "$without")" "0 $fake" "privileges: without capabilities the CUPTI of GPMU_CUDA is loaded"
[ "$with" != "$without" ]; ok $? "privileges: with capabilities GPMU_CUDA is ignored"

# --- mounts and the system's CUPTI, in a mount namespace
# mounted OPTIONS FOLDER COMMAND...: a copy of the folder $root/cuda is mounted on $root/mount or /usr/local
mounted() {
	# shellcheck disable=SC2016 # for the inner shell
	unshare -m sh -ec 'mount --make-rprivate /; mount -t tmpfs -o "mode=755,$1" none "$2"; cp -r "$3/cuda" "$2"
		cp "$3/other/gpmu-model.so" "$2"; chmod 755 "$2"; chmod "$4" "$2/cuda/lib64"; shift 4; "$@"' \
		sh "$1" "$2" "$root" "${@:3}"
}

cupti="privileges: a CUPTI of /usr/local that other users than root can write is not loaded"
home="privileges: CUDA_HOME is ignored"
nosuid="privileges: --source refuses a file on a nosuid mount"
as_user=(env ASAN_OPTIONS=detect_leaks=0 setpriv --reuid=65534 --regid=65534 --clear-groups)
if mounted suid "$root/mount" 755 true 2> /dev/null; then
	run mounted suid /usr/local 755 "${as_user[@]}" "$root/bin/gpmu" list --gpu --chips
	is "$rc $(paste -sd' ' <<< "$out")" "0 $fake" "privileges: a CUPTI of /usr/local that root alone can write is loaded"
	run mounted suid /usr/local 777 "${as_user[@]}" "$root/bin/gpmu" list --gpu --chips
	like "$rc $out$err" '^125 .*/usr/local/cuda/lib64: a program with capabilities loads only files' "$cupti"
	run mounted suid /usr/local 777 env CUDA_HOME="$root/cuda" "${as_user[@]}" "$root/bin/plain" list --gpu --chips
	is "$rc $(paste -sd' ' <<< "$out")" "0 $fake" "privileges: without capabilities the CUPTI of CUDA_HOME is loaded"
	run mounted suid /usr/local 777 env CUDA_HOME="$root/cuda" "${as_user[@]}" "$root/bin/gpmu" list --gpu --chips
	like "$rc $out$err" '^125 ' "$home"
	run mounted nosuid "$root/mount" 755 "${as_user[@]}" "$root/bin/gpmu" list --source "$root/mount/gpmu-model.so=x"
	like "$rc $err" "^125 .*: $root/mount: a program with capabilities loads only files" "$nosuid"
else
	skip "nothing can be mounted here" "$cupti"
	skip "nothing can be mounted here" "$home"
	skip "nothing can be mounted here" "$nosuid"
fi

# --- the command
expect 0 user "$root/bin/gpmu" stat -e task-clock sh -c 'grep CapEff /proc/self/status'
like "$out" 'CapEff:.0+$' "privileges: the command is executed without the capability"

# --- the set-user-ID bit
for mode in 4755 2755; do
	# LeakSanitizer ends a process that it may not look at.
	if [[ $GPMU_BIN == */san/* ]]; then
		skip "a sanitized gpmu cannot run so" "privileges: a gpmu of mode $mode refuses to run"
		continue
	fi
	cp "$GPMU_BIN" "$root/bin/set-id"
	chown 65533:65533 "$root/bin/set-id"
	chmod "$mode" "$root/bin/set-id"
	expect 125 user "$root/bin/set-id" list
	is "$out$(head -n 1 <<< "$err")" "gpmu: the set-user-ID and set-group-ID bits of gpmu's file are not supported: remove them, and use sudo setcap cap_perfmon+ep" "privileges: a gpmu of mode $mode refuses to run"
done
done_testing
