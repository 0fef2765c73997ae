# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=dash disable=SC2034 # for the tests
#
# The script of the stand-in for Arm SPE (tests/vm/guest/spe), and its counts
parameters=/sys/module/spe/parameters

# The symbols of the script. The guest needs two seconds to read all of the kernel.
grep -m 2 -E ' [Tt] vfs_(read|write)$' /proc/kallsyms >/tmp/symbols
# address SYMBOL OFFSET: payload of a PC at exception level 1, non-secure
address() {
	a_base=$(sed -n "s/^..\(.*\) [Tt] $1\$/\1/p" /tmp/symbols)
	printf 'a0%014x' $((0x$a_base + $2))
}
# truth: prints the script, PC TARGET VA PA TOTAL ISSUE TRANSLATION OP EVENTS SOURCE, as spe-text prints them
truth() {
	cat <<E2
$(address vfs_read 0x10) - ff000012345678 8000000045678abc 5 2 - 1 16 0
$(address vfs_read 0x14) - ff0000123456c0 8000000045678ac0 14 3 - 1 16 8
$(address vfs_read 0x18) - ff000012346000 8000000046000000 201 1d 6 1 73e e
$(address vfs_write 0x20) - ff000012347008 8000000046001008 1e 4 - 101 16 -
$(address vfs_write 0x24) $(address vfs_read 0) - - 9 2 - 1202 42 -
$(address vfs_write 0x28) - - - 3 1 - 0 2 -
8000000000400100 - aaaad1f03c4c 8000004012345640 1f 5 - 1 16 9
8000000000400104 - aaaad1f03c50 8000004012345680 fff 7 40 101 73e -
$(address vfs_write 0x2c) - ff000012348010 8000000046002010 40 6 1 1 1e b
8000000000400108 8000000000400100 - - 6 1 - 102 c2 -
$(address vfs_read 0x1c) - ff000012349018 8000000046003018 1d 6 - 1 1e a
E2
}
# slots TRUTH: its records in the layout of Neoverse's slots, as escape sequences
slots() {
	awk '
	function bytes(hex, n,   text) {
		while (length(hex) < 2 * n) hex = "0" hex
		for (; n > 0; n--) text = text "\\x" substr(hex, 2 * n - 1, 2)
		return text
	}
	function packet(header, payload, n) {
		return payload == "-" ? bytes("0", n + 1) : "\\x" header bytes(payload, n)
	}
	{
		op = bytes($8, 2)	# class, payload
		printf "%s", packet("b0", $1, 8) bytes("0", 5) packet("64", "0", 4) \
			"\\x4" substr("89a", substr(op, 4, 1) + 1, 1) substr(op, 5) \
			packet("52", $9, 2) packet("99", $6, 2) packet("98", $5, 2) \
			($2 == "-" ? packet("b2", $3, 8) : packet("b1", $2, 8)) packet("9a", $7, 2) \
			packet("b3", $4, 8) packet("43", $10, 1) bytes("0", 2) packet("71", "0", 8)
	}' "$1"
}
# For sh -c: runs half a second, and until each CPU has written records
everywhere='first=$(cut -d , -f 1-4 /sys/module/spe/parameters/written)
	sleep 0.5
	until echo "$first,$(cut -d , -f 1-4 /sys/module/spe/parameters/written)" |
		awk -F , "{ for (i = 1; i <= 4; i++) if (\$i == \$(i + 4)) exit 1 }"; do sleep 0.1; done'
# Records and outputs of full buffers so far
written() {
	cut -d , -f 1-4 "$parameters/written"
}
truncated() {
	cut -d , -f 1-4 "$parameters/truncated" | tr , + | xargs -I @ sh -c 'echo $((@))'
}
# until_is COMMAND...: waits up to a minute for its success
until_is() {
	u_tries=300
	until "$@"; do
		u_tries=$((u_tries - 1))
		[ $u_tries -gt 0 ] || return
		sleep 0.2
	done
}
# Conditions for until_is: the stand-in has written since $before, or does not write
writes() { [ "$(written)" != "${1:-$before}" ]; }
rests() {
	r_last=$(written)
	sleep 2
	[ "$(written)" = "$r_last" ]
}
