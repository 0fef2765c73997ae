#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ./setup with the machine's package tools replaced: the packages it would
# install, and its messages to users who may not install.
. tests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
for tool in bash env cat printf; do
	ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
# stub NAME: makes a command of the script on standard input
stub() {
	{ echo '#!/bin/bash'; cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
stub apt-get <<<'echo "apt-get $*" >>"'"$tmp"'/called"'
stub id <<<"cat $tmp/uid"
# dpkg-query: packages in $tmp/installed are installed, others were once
stub dpkg-query <<'END'
while read -r package; do
	[ "$package" = "${!#}" ] && printf 'installed ' && exit
done <"${0%/bin/*}/installed"
printf 'not-installed '
END
printf 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n' >"$tmp/debian"
printf 'ID=ubuntu\nID_LIKE=debian\n' >"$tmp/ubuntu"
printf 'ID=fedora\nPRETTY_NAME="Fedora Linux 40"\n' >"$tmp/fedora"

# run_setup OS [ARGUMENT...]: runs it with our commands only in the PATH
run_setup() {
	local os=$1

	shift
	rm -f "$tmp/called"
	GPMU_OS_RELEASE=$tmp/$os PATH=$tmp/bin ./setup "$@" </dev/null 2>&1
}

echo 0 >"$tmp/uid"
run_setup debian --list >"$tmp/installed"
found=$(run_setup debian)
is "$? $found$(cat "$tmp/called" 2>/dev/null)" "0 " "setup: with all packages installed it does and prints nothing"
for tool in gcc make patchelf acpica-tools xz-utils flex bison libprotobuf-c-dev protobuf-c-compiler; do
	grep -qx "$tool" "$tmp/installed"
	ok $? "setup: $tool is in the list of packages"
done
unlike "$(run_setup debian --list)" '^python-apt-common$' "setup: on Debian the mirror needs no further package"
like "$(run_setup debian --list)" '^linux-perf$' "setup: on Debian it installs perf, with which tests compare gpmu stat"
like "$(run_setup ubuntu --list)" '^python-apt-common$' "setup: on Ubuntu the list has the package for Debian's mirror"

sed -i '/^patchelf$/d; /^flex$/d' "$tmp/installed"
run_setup debian >/dev/null
is "$(cat "$tmp/called")" "apt-get -q update
apt-get install -y --no-install-recommends flex patchelf" "setup: root installs the missing packages only"

echo 1000 >"$tmp/uid"
found=$(run_setup debian)
is $? 1 "setup: an ordinary user without sudo gets exit code 1"
is "$found" "setup: these packages are missing; as root, run:
	apt-get update && apt-get install -y --no-install-recommends flex patchelf" "setup: an ordinary user without sudo gets the command to run as root"
is "$(cat "$tmp/called" 2>/dev/null)" "" "setup: an ordinary user without sudo does not run apt-get"

stub sudo <<'END'
[ "$1" != -n ] || shift
[ "$1" != true ] || exit 0
echo "sudo $*" >>"${0%/bin/*}/called"
END
run_setup debian >/dev/null
is "$(cat "$tmp/called")" "sudo apt-get -q update
sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends flex patchelf" \
	"setup: an ordinary user with sudo runs apt-get by it"
like "$(run_setup debian lint debug perf; cat "$tmp/called")" 'sparse clang-tidy bc libssl-dev .*libslang2-dev' \
	"setup: the arguments lint, debug and perf add packages"
like "$(run_setup debian all)" '^setup: usage: ' "setup: an unknown word is refused with the usage"
like "$(run_setup fedora)" '^setup: Fedora Linux 40 is neither Debian nor Ubuntu$' "setup: another system than Debian and Ubuntu is refused"
rm "$tmp/bin/apt-get"
like "$(run_setup debian)" '^setup: no apt-get: ' "setup: a system without apt-get is refused"
done_testing
