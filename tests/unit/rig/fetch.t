#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tests/vm/fetch without a network: which mirror it selects from the machine's apt
# configuration, and its error messages.
. tests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GPMU_CACHE=$tmp/cache GPMU_APT_ETC=$tmp/etc GPMU_APT_TEMPLATES=$tmp/templates
export GPMU_APT_RETRIES=0
unset GPMU_MIRROR
keyring=$tmp/some.gpg
default=/usr/share/keyrings/debian-archive-keyring.gpg
touch "$keyring"

# mirror: prints the mirror, and its keyring unless that is the default
mirror() {
	tests/vm/fetch mirror 2>&1 | sed "s# $default\$##"
}

# etc FILE: makes FILE, from standard input, the machine's apt configuration
etc() {
	rm -rf "${tmp:?}/etc"
	mkdir -p "$tmp/etc/sources.list.d"
	cat >"$tmp/etc/$1"
}

etc sources.list <<END
# deb http://commented.test/debian bookworm main
deb http://one.test/debian/ bookworm main contrib
deb http://two.test/debian bookworm main
END
is "$(mirror)" http://one.test/debian \
	"fetch: the first deb line of sources.list is used, without a trailing slash"

etc sources.list.d/x.list <<END
deb-src http://source.test/debian bookworm main
deb http://security.test/debian bookworm-security main
deb http://other.test/linux/debian bookworm stable
deb [arch=amd64 signed-by=$keyring] http://signed.test/debian bookworm main
END
is "$(mirror)" "http://signed.test/debian $keyring" \
	"fetch: deb-src, security and third-party lines are skipped, signed-by is used"

etc sources.list.d/x.sources <<END
# comment
Types: deb-src
URIs: http://source.test/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://off.test/debian
Suites: bookworm
Components: main
Enabled: no

Types: deb deb-src
URIs:
 http://first.test/debian
 http://second.test/debian
# within
Suites: bookworm bookworm-updates
Components: main non-free-firmware
Signed-By: $keyring
END
is "$(mirror)" "http://first.test/debian $keyring" \
	"fetch: deb822 comments, deb-src, disabled entries and continuation lines are parsed"

etc sources.list.d/x.sources <<END
Types: deb
URIs: http://security.test/debian-security
Suites: bookworm-security
Components: main

Types: deb
URIs: http://plain.test/debian
Suites: bookworm
Components: main
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 mQ==
 -----END PGP PUBLIC KEY BLOCK-----
END
is "$(mirror)" http://plain.test/debian "fetch: an embedded key in deb822 is not used as a keyring's name"

etc sources.list <<END
deb http://ubuntu.test/ubuntu jammy main
END
like "$(mirror)" "^fetch: no Debian mirror in $tmp/etc.*python-apt-common.*GPMU_MIRROR" \
	"fetch: the error without a Debian mirror has the remedy"
mkdir "$tmp/templates"
printf 'Suite: x\nBaseURI: http://template.test/debian/\n' >"$tmp/templates/Debian.info"
is "$(mirror)" http://template.test/debian "fetch: python-apt-common's entry for Debian is used on Ubuntu"
is "$(GPMU_MIRROR=http://mine.test/debian/ mirror)" http://mine.test/debian "fetch: GPMU_MIRROR takes precedence"

fails() { # MESSAGE DESCRIPTION COMMAND...
	local message=$1 what=$2 found

	shift 2
	found=$("$@" 2>&1) && found="no failure: $found"
	like "$found" "$message" "$what"
}
fails '^fetch: usage: ' "fetch: a call without arguments prints the usage" tests/vm/fetch
fails '^fetch: no kind kernal: one of kernel ' "fetch: an unknown kind is refused" tests/vm/fetch kernal
fails '^fetch: no kernel 5.10: one of 6.1 6.12 7.3 7.3-16k 7.3-rt debug 64k$' "fetch: an unknown kernel is refused" \
	tests/vm/fetch kernel 5.10
fails '^fetch: no source 5.10: one of 6.1 6.12 7.3$' "fetch: an unknown source is refused" \
	tests/vm/fetch source 5.10
fails '^fetch: cannot make .*GPMU_CACHE' "fetch: a cache that cannot be created is named" \
	env GPMU_CACHE=/dev/null/x tests/vm/fetch busybox

# No network: port 1 of this machine refuses the connection.
found=$(GPMU_MIRROR=http://127.0.0.1:1/debian http_proxy='' tests/vm/fetch busybox 2>&1)
is $? 1 "fetch: the exit status without a network is 1"
like "$found" '^fetch: no package lists for Debian trixie from http://127.0.0.1:1/debian: is this machine online' \
	"fetch: the error without a network names the mirror"
is "$(find "$tmp/cache/tmp" "$tmp/cache/guest" -mindepth 1 2>/dev/null)" "" \
	"fetch: a failed download leaves no files"

# On a Grace perf is built, but no virtual machine is started.
mkdir "$tmp/bin"
printf '#!/bin/sh\necho aarch64\n' >"$tmp/bin/uname"
chmod +x "$tmp/bin/uname"
like "$(PATH=$tmp/bin:$PATH GPMU_MIRROR=http://127.0.0.1:1/debian http_proxy='' tests/vm/fetch source 6.1 2>&1)" \
	'^fetch: no package lists for Debian bookworm' "fetch: a kernel source can be fetched on aarch64"
for kind in qemu "cross 12" "kernel 6.1"; do
	# shellcheck disable=SC2086 # words
	fails '^fetch: this machine is aarch64: the tools for the virtual machines are there for x86_64 only' \
		"fetch: $kind is refused on aarch64, as it runs on x86-64 only" env PATH="$tmp/bin:$PATH" tests/vm/fetch $kind
done

# A cached item needs no network and prints nothing.
mkdir -p "$tmp/cache/guest/busybox"
echo "1 $tmp/cache/guest/busybox" >"$tmp/cache/guest/busybox/.fetched"
found=$(GPMU_MIRROR=http://127.0.0.1:1/debian tests/vm/fetch busybox 2>&1)
is "$? $found" "0 " "fetch: a cached item is kept without output"
echo "1 /elsewhere/guest/busybox" >"$tmp/cache/guest/busybox/.fetched"
GPMU_MIRROR=http://127.0.0.1:1/debian tests/vm/fetch busybox >/dev/null 2>&1
is $? 1 "fetch: an item cached for another path is not used"
done_testing
