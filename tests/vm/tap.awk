# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Filters the guest's output: passes its TAP on and makes comments of all other lines.
# Removes the plan, as more tests follow, and init's "#@" lines. At the end it writes to
# the file state: count, planned, failed, exit (the script's status), ended, skipped,
# bailed, loaded, tainted and, of a debug kernel, lockdep; to the file dmesg the kernel
# log, to the file leaks the output of kmemleak.
# With plain set, the test's output is passed on unchanged.

function pass(line) {
	print line
	fflush()
}

BEGIN {
	count = failed = ended = skipped = bailed = 0
	loaded = 1
	planned = ""
	status = -1
	tainted = 0
	lockdep = ""
	printf "" > dmesg
}

/^#@ start/ { running = 1; next }
/^#@ load failed/ { loaded = 0; next }
/^#@ exit/ { running = 0; status = $3; next }
/^#@ kmemleak/ { section = leaks; printf "" > leaks; next }
/^#@ lockdep/ { section = ""; lockdep = $3; next }
/^#@ tainted/ { section = ""; tainted = $3; next }
/^#@ dmesg/ { section = dmesg; next }
/^#@ end/ { section = ""; ended = 1; next }

section { print > section; next }

running && plain { pass($0); next }

/^1\.\.0/ { skipped = 1; pass($0); next }
/^1\.\.[0-9]+/ { planned = substr($1, 4); next }
/^ok/ { count++; pass($0); next }
/^not ok/ {
	count++
	if (!/# TODO/)
		failed++
	pass($0)
	next
}
/^Bail out!/ { bailed = 1; pass($0); next }
/^TAP version/ { next }
/^#/ { pass($0); next }
/./ { pass("# " $0) }

END {
	if (plain)
		planned = count
	printf "count=%d\nplanned=%s\nfailed=%d\nexit=%d\nended=%d\n", \
		count, planned, failed, status, ended > state
	printf "skipped=%d\nbailed=%d\nloaded=%d\ntainted=%d\nlockdep=%s\n", \
		skipped, bailed, loaded, tainted, lockdep > state
}
