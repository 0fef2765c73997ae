#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tests/vm/fetch without a network: which mirror it takes from the machine's
# apt configuration, and what it says when something is wrong.
. tests/lib/tap.sh

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export GPMU_CACHE=$tmp/cache GPMU_APT_ETC=$tmp/etc GPMU_APT_TEMPLATES=$tmp/templates
export GPMU_APT_RETRIES=0
unset GPMU_MIRROR
keyring=$tmp/some.gpg
default=/usr/share/keyrings/debian-archive-keyring.gpg
touch "$keyring"

# The part of the mirror's line that says which; a keyring only if not the default
mirror() {
	tests/vm/fetch mirror 2>&1 | sed "s# $default\$##"
}

# etc FILE: makes that file, from standard input, the machine's configuration
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
is "$(mirror)" http://one.test/debian "the first deb line of sources.list counts, its last slash does not"

etc sources.list.d/x.list <<END
deb-src http://source.test/debian bookworm main
deb http://security.test/debian bookworm-security main
deb http://other.test/linux/debian bookworm stable
deb [arch=amd64 signed-by=$keyring] http://signed.test/debian bookworm main
END
is "$(mirror)" "http://signed.test/debian $keyring" \
	"deb-src, security and third-party lines are passed over, signed-by is kept"

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
	"deb822: comments, deb-src, disabled entries and continuation lines are understood"

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
is "$(mirror)" http://plain.test/debian "deb822: an embedded key is not taken for the name of a keyring"

etc sources.list <<END
deb http://ubuntu.test/ubuntu jammy main
END
like "$(mirror)" "^fetch: no Debian mirror in $tmp/etc.*python-apt-common.*GPMU_MIRROR" \
	"a machine that knows no Debian mirror is told what to do"
mkdir "$tmp/templates"
printf 'Suite: x\nBaseURI: http://template.test/debian/\n' >"$tmp/templates/Debian.info"
is "$(mirror)" http://template.test/debian "on Ubuntu python-apt-common's entry for Debian is taken"
is "$(GPMU_MIRROR=http://mine.test/debian/ mirror)" http://mine.test/debian "GPMU_MIRROR goes before all"

fails() { # MESSAGE DESCRIPTION COMMAND...
	local message=$1 what=$2 found

	shift 2
	found=$("$@" 2>&1) && found="no failure: $found"
	like "$found" "$message" "$what"
}
fails '^fetch: usage: ' "no argument: the usage" tests/vm/fetch
fails '^fetch: no kind kernal: one of kernel ' "an unknown kind is refused" tests/vm/fetch kernal
fails '^fetch: no kernel 5.10: one of 6.1 6.12 7.3 7.3-16k 7.3-rt debug$' "an unknown kernel is refused" \
	tests/vm/fetch kernel 5.10
fails '^fetch: no source 5.10: one of 6.1 6.12 7.3$' "an unknown source is refused" tests/vm/fetch source 5.10
fails '^fetch: cannot make .*GPMU_CACHE' "a cache that cannot be made is named" \
	env GPMU_CACHE=/dev/null/x tests/vm/fetch busybox

# No network: port 1 of this machine refuses the connection.
found=$(GPMU_MIRROR=http://127.0.0.1:1/debian http_proxy='' tests/vm/fetch busybox 2>&1)
is $? 1 "without a network fetch fails"
like "$found" '^fetch: no package lists for Debian trixie from http://127.0.0.1:1/debian: is this machine online' \
	"and says so, and which mirror it tried"
is "$(find "$tmp/cache/tmp" "$tmp/cache/guest" -mindepth 1 2>/dev/null)" "" "nothing half done is left"

# On a Grace perf is built, but no virtual machine started
mkdir "$tmp/bin"
printf '#!/bin/sh\necho aarch64\n' >"$tmp/bin/uname"
chmod +x "$tmp/bin/uname"
like "$(PATH=$tmp/bin:$PATH GPMU_MIRROR=http://127.0.0.1:1/debian http_proxy='' tests/vm/fetch source 6.1 2>&1)" \
	'^fetch: no package lists for Debian bookworm' "on aarch64 it goes for a kernel source"
for kind in qemu "cross 12" "kernel 6.1"; do
	# shellcheck disable=SC2086 # words
	fails '^fetch: this machine is aarch64: the tools for the virtual machines are there for x86_64 only' \
		"but not for $kind, which runs on x86-64 only" env PATH="$tmp/bin:$PATH" tests/vm/fetch $kind
done

# A cached item needs neither network nor words.
mkdir -p "$tmp/cache/guest/busybox"
echo "1 $tmp/cache/guest/busybox" >"$tmp/cache/guest/busybox/.fetched"
found=$(GPMU_MIRROR=http://127.0.0.1:1/debian tests/vm/fetch busybox 2>&1)
is "$? $found" "0 " "what is cached is left alone, in silence"
echo "1 /elsewhere/guest/busybox" >"$tmp/cache/guest/busybox/.fetched"
GPMU_MIRROR=http://127.0.0.1:1/debian tests/vm/fetch busybox >/dev/null 2>&1
is $? 1 "an item that was made for another place is not taken for cached"
done_testing
