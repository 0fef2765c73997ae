#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ./setup, with the machine's package tools replaced: what it would install,
# and what it says to those who may not.
. tests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/bin"
for tool in bash env cat printf; do
	ln -s "$(command -v $tool)" "$tmp/bin/$tool"
done
# stub NAME: a command that is the script on standard input
stub() {
	{ echo '#!/bin/bash'; cat; } >"$tmp/bin/$1"
	chmod +x "$tmp/bin/$1"
}
stub apt-get <<<'echo "apt-get $*" >>"'"$tmp"'/called"'
stub id <<<"cat $tmp/uid"
# dpkg-query: installed is what $tmp/installed lists; others dpkg once knew
stub dpkg-query <<'END'
while read -r package; do
	[ "$package" = "${!#}" ] && printf 'installed ' && exit
done <"${0%/bin/*}/installed"
printf 'not-installed '
END
printf 'ID=debian\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n' >"$tmp/debian"
printf 'ID=ubuntu\nID_LIKE=debian\n' >"$tmp/ubuntu"
printf 'ID=fedora\nPRETTY_NAME="Fedora Linux 40"\n' >"$tmp/fedora"

# run_setup OS [ARGUMENT...]: in a PATH of our commands only
run_setup() {
	local os=$1

	shift
	rm -f "$tmp/called"
	GPMU_OS_RELEASE=$tmp/$os PATH=$tmp/bin ./setup "$@" </dev/null 2>&1
}

echo 0 >"$tmp/uid"
run_setup debian --list >"$tmp/installed"
found=$(run_setup debian)
is "$? $found$(cat "$tmp/called" 2>/dev/null)" "0 " "when all is installed nothing is done or said"
for tool in gcc make patchelf acpica-tools xz-utils flex bison libprotobuf-c-dev protobuf-c-compiler; do
	grep -qx "$tool" "$tmp/installed"
	ok $? "$tool is among what is needed"
done
unlike "$(run_setup debian --list)" '^python-apt-common$' "Debian needs no other source of the mirror"
like "$(run_setup ubuntu --list)" '^python-apt-common$' "Ubuntu needs the package that knows Debian's mirror"

sed -i '/^patchelf$/d; /^flex$/d' "$tmp/installed"
run_setup debian >/dev/null
is "$(cat "$tmp/called")" "apt-get -q update
apt-get install -y --no-install-recommends flex patchelf" "root installs what is missing, and only that"

echo 1000 >"$tmp/uid"
found=$(run_setup debian)
is $? 1 "an ordinary user without sudo fails"
is "$found" "setup: these packages are missing; as root, run:
	apt-get update && apt-get install -y --no-install-recommends flex patchelf" "and is told the command"
is "$(cat "$tmp/called" 2>/dev/null)" "" "without apt-get being run"

stub sudo <<'END'
[ "$1" != -n ] || shift
[ "$1" != true ] || exit 0
echo "sudo $*" >>"${0%/bin/*}/called"
END
run_setup debian >/dev/null
is "$(cat "$tmp/called")" "sudo apt-get -q update
sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends flex patchelf" \
	"an ordinary user with sudo uses it"
like "$(run_setup debian lint debug; cat "$tmp/called")" 'sparse clang-tidy bc libssl-dev' \
	"lint and debug ask for more"
like "$(run_setup debian all)" '^setup: usage: ' "an unknown word is refused"
like "$(run_setup fedora)" '^setup: Fedora Linux 40 is neither Debian nor Ubuntu$' "another system is refused"
rm "$tmp/bin/apt-get"
like "$(run_setup debian)" '^setup: no apt-get: ' "as is one without apt-get"
done_testing
