#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu report of a recording of a stripped program, whose debug information a server of debuginfod has, and of one of a program that
# only the server has.
. tests/tools/lib.sh

need tests/unit/profile/perf-make
if ! python3 -c 'import ctypes; ctypes.CDLL("libdebuginfod.so.1")' 2> /dev/null; then
	skip "no libdebuginfod.so.1" "report: functions and lines of a stripped program come from debuginfod"
	done_testing
fi
unset DEBUGINFOD_URLS http_proxy all_proxy ALL_PROXY
export DEBUGINFOD_CACHE_PATH=$work/cache DEBUGINFOD_RETRY_LIMIT=0 HOME=$work/home

cp "$B/tests/unit/profile/perf-make" "$work/perf-make"
id=$(readelf -n "$work/perf-make" | sed -n 's/.*Build ID: //p')
[ "$id" ] || bail "perf-make has no build id"
mkdir -p "$HOME" "$work/empty" "$work/www/buildid/$id"
objcopy --only-keep-debug "$work/perf-make" "$work/www/buildid/$id/debuginfo"
strip "$work/perf-make"
"$work/perf-make" "$work/data" 2000 > /dev/null

# serve COMMAND...: starts a server that prints its port last on its first line, and sets $server and DEBUGINFOD_URLS
serve() {
	: > "$work/started"
	"$@" > "$work/started" 2> "$work/requests" &
	server=$!
	soon grep -q . "$work/started" || bail "no server: $(< "$work/requests")"
	export DEBUGINFOD_URLS
	DEBUGINFOD_URLS=http://127.0.0.1:$(sed -n '1s/.*port \([0-9]*\).*/\1/p' "$work/started")
}

# shellcheck disable=SC2317 # the trap calls it
stop() {
	[ ! "${server:-}" ] || kill "$server"
	[ ! "${server:-}" ] || wait "$server"
	server=
}
trap 'stop 2> /dev/null; rm -rf "$work"' EXIT

# names: functions and lines of the program in the report, within a minute, in $out
names() {
	rm -rf "$work/cache"
	run timeout 600 "$GPMU_BIN" report --format csv --by function,line "$work/data"
	out=$(grep -oE 'made_(alpha|beta),perf-make\.c:[0-9]+' <<< "$out" | sed 's/[0-9]*$//' | sort -u)
}

both_names=$'made_alpha,perf-make.c:\nmade_beta,perf-make.c:'
web=(python3 -u -m http.server 0 --bind 127.0.0.1 --directory)

serve "${web[@]}" "$work/www"
url=$DEBUGINFOD_URLS
unset DEBUGINFOD_URLS
names
is "$rc $out$err$(< "$work/requests")" "0 " "report: without DEBUGINFOD_URLS, debuginfod is not asked and a stripped program has no functions"
export DEBUGINFOD_URLS=$url
names
is "$rc $out$err" "0 $both_names" "report: with DEBUGINFOD_URLS, a stripped program has its functions and lines from debuginfod"
is "$(grep -c "GET /buildid/$id/debuginfo .* 200" "$work/requests")" 1 "report: debuginfod is asked once for a file, by build id"
stop
run timeout 600 "$GPMU_BIN" report --format csv --by function "$work/data"
like "$out" 'made_alpha' "report: debug information in the cache of debuginfod is used while the server is down"
names
is "$rc $out$err" "0 " "report: a server of debuginfod that is down leaves a stripped program without functions"

serve "${web[@]}" "$work/empty"
names
is "$rc $out$err" "0 " "report: a file that debuginfod does not know leaves a stripped program without functions"
stop

mute=(python3 -uc 'import socket, sys
listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1])
connections = []
while True:
    connections.append(listener.accept())
    print("asked", file=sys.stderr)')
serve "${mute[@]}"
DEBUGINFOD_TIMEOUT=1 names
is "$rc $out$err $(sort -u "$work/requests")" "0  asked" \
	"report: a server of debuginfod that does not answer ends the report after DEBUGINFOD_TIMEOUT"
stop

# has_ended PID: succeeds if the process has ended, even if it was not waited for
# shellcheck disable=SC2317 # soon calls it
has_ended() {
	[ ! -e "/proc/$1" ] || grep -qs ') Z ' "/proc/$1/stat"
}

# interrupted SUBCOMMAND OPTION...: sends gpmu one SIGINT while it waits for a server that does not answer, and returns its
# exit status
interrupted() {
	local reader rc=0

	serve "${mute[@]}"
	rm -rf "$work/cache"
	env --default-signal=INT DEBUGINFOD_TIMEOUT=100 "$GPMU_BIN" "$@" > "$work/out" 2> "$work/err" &
	reader=$!
	soon grep -q asked "$work/requests"
	kill -INT $reader
	soon has_ended $reader || kill -9 $reader
	wait $reader || rc=$?
	stop
	return $rc
}

interrupted report --by object,line "$work/data"
is "$? $(< "$work/err")" "130 " "report: SIGINT ends the wait for a server of debuginfod"
like "$(< "$work/out")" 'stopped +by a signal: only a part of the recording was read' \
	"report: the part that was read before SIGINT ended the wait for debuginfod is reported"
like "$(< "$work/out")" '[0-9]+ +perf-make +\[unknown\]' "report: samples that were read before SIGINT ended the wait for debuginfod are reported without source lines"
interrupted import "$work/data" -o "$work/trace"
is "$?" 130 "import: SIGINT ends the wait for a server of debuginfod"
if perf record -q -F 5000 -e task-clock:u -o "$work/perf.data" -- "$work/perf-make" "$work/made" 300000 > /dev/null 2>&1; then
	interrupted report "$work/perf.data"
	is "$? $(grep -c 'stopped  *by a signal' "$work/out")" "130 1" "report: SIGINT ends the wait for debug information of a sampled program"
	mv "$work/perf-make" "$work/www/buildid/$id/executable"
	rm -rf "$HOME/.debug"
	run "$GPMU_BIN" report --format csv --by function,object "$work/perf.data"
	unlike "$out" ',made_[a-z]+,perf-make$|,strings_[a-z_]+,perf-make$' "report: a program without a file here or on a server has no functions"
	interrupted report "$work/perf.data"
	is "$? $(grep -c 'stopped  *by a signal' "$work/out")" "130 1" "report: SIGINT ends the wait for a program that does not exist here"
	serve "${web[@]}" "$work/www"
	rm -rf "$work/cache"
	run timeout 600 "$GPMU_BIN" report --format csv --by function,object "$work/perf.data"
	like "$out" ',strings_[a-z_]+,perf-make$' "report: a program that does not exist here has its functions from debuginfod"
	stop
	cp "$work/www/buildid/$id/executable" "$work/perf-make"
else
	skip "no perf that may record" "report: SIGINT ends the wait for debug information of a sampled program"
	skip "no perf that may record" "report: a program that does not exist here has its functions from debuginfod"
fi

serve "${mute[@]}"
rm -rf "$work/cache"
# shellcheck disable=SC2016 # variables of the shell in the terminal
DEBUGINFOD_TIMEOUT=3 in=$work/data gpmu_bin=$GPMU_BIN script -qec '"$gpmu_bin" report "$in" > /dev/null' "$work/terminal" > /dev/null < /dev/null
like "$(tr '\r' '\n' < "$work/terminal")" 'waiting for debuginfod' "report: the wait for debuginfod is shown on a terminal"
stop

slow=(python3 -uc 'import socket
listener = socket.create_server(("127.0.0.1", 0))
print("port", listener.getsockname()[1])
connections = []
while True:
    connections.append(listener.accept()[0])
    connections[-1].recv(4096)
    connections[-1].sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + bytes(250000))')
serve "${slow[@]}"
rm -rf "$work/cache"
# shellcheck disable=SC2016 # variables of the shell in the terminal
DEBUGINFOD_TIMEOUT=3 in=$work/data gpmu_bin=$GPMU_BIN script -qec '"$gpmu_bin" report "$in" > /dev/null' "$work/terminal" > /dev/null < /dev/null
like "$(tr '\r' '\n' < "$work/terminal")" "$DEBUGINFOD_URLS: +25 %" "report: the part that a server of debuginfod has sent is shown on a terminal"
stop
done_testing
