#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual pages of the plugins that count GPUs: they render, and their options, questions, what
# is in the answers, variables of the environment and words are those of the plugins. GPUs
# are those of fakes of NVIDIA's libraries.
. tests/lib/tap.sh

B=${B:-build}
export GPMU_PLUGINS=$B GPMU_CUDA=$B/tests/gpu/fake GPMU_FAKE=machine=gh200 LC_ALL=C
unset GPMU_FAKE_NVML
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
command -v rst2man > /dev/null || bail "no rst2man: run ./setup"

ask() {
	tests/unit/plugin/source_ask.py "$B/libgpmu.so" "$@"
}

# section PAGE NAME: its lines
section() {
	awk -v name="$2" '/^===+$/ && NR > 1 { at = last; next } at == name { print } { last = $0 }' "$1"
}

# definitions PAGE SECTION: the words that it defines, a line each; several are separated by ", "
definitions() {
	section "$1" "$2" | awk '/^    / && last ~ /^[a-zA-Z`]/ { print last } { last = $0 }' | sed 's/, /\n/g' | tr -d '`'
}

# unknown PAGE SECTION: of the words on standard input those that the section has not as ``WORD``
unknown() {
	section "$1" "$2" > "$work/section"
	# shellcheck disable=SC2016 # the backquotes are reStructuredText
	while IFS= read -r word; do
		grep -qF '``'"$word"'``' "$work/section" || echo "$word"
	done
}

# quoted REGEX FILE...: what its group matches, sorted, each once
quoted() {
	local regex=$1

	shift
	cat "$@" | sed -nE "s/.*$regex.*/\1/p" | sort -u
}

# page NAME: whether it renders, and the options of the plugin NAME, its questions and variables
page() {
	local name=$1 page=metrics/sources/$1/gpmu-$1.rst

	is "$(rst2man --report=1 --halt=5 "$page" 2>&1 > "$work/page.7")" "" "$name: the page renders without a message"
	if command -v groff > /dev/null; then
		is "$({ groff -t -man -Tutf8 -ww -rLL=80n "$work/page.7" > /dev/null; } 2>&1)" "" "$name: and on a terminal"
	else
		skip "no groff" "$name: and on a terminal"
	fi
	usage=$(ask "$name=?" '')
	usage=${usage#*expected }
	usage=${usage%%, found*}
	is "$(definitions "$page" OPTIONS | sort)" "$(sed "s/^$name=//; s/[][]/\n/g" <<< "$usage" | sed 's/^,//; /^$/d' | sort)" \
		"$name: its options are those that the plugin takes"
	questions=$(ask "$name=$2" '?')
	questions=$(sed 's/.*expected //; s/, found.*//; s/ or /\n/; s/, /\n/g' <<< "$questions")
	is "$(definitions "$page" QUESTIONS | sort)" "$(sort <<< "$questions")" "$name: its questions are those that it answers"
	is "$(definitions "$page" ENVIRONMENT | sort)" \
		"$(cat "metrics/sources/$name"/*.c | grep -oE '"(GPMU|CUDA|NVTX)_[A-Z0-9_]+"' | tr -d '"' | sort -u)" \
		"$name: its variables of the environment are those that it looks at"
}

cupti=metrics/sources/cupti
nvml=metrics/sources/nvml

page cupti chip=GH100
for question in chips metrics 'metrics passes' sampling check; do
	out=$(ask cupti "$question")
	ok $? "cupti: $question has an answer" || diag "$out"
	[ "$question" = chips ] || is "$(unknown "$cupti/gpmu-cupti.rst" QUESTIONS <<< "$out")" "" "cupti: its keys are described"
done
is "$(GPMU_FAKE="machine=gh200 enable=0:26" ask cupti check | unknown "$cupti/gpmu-cupti.rst" QUESTIONS)" "" "cupti: so are those of a trouble"
is "$(sed -n '/^static json_t \*run_of/,/^}/p' "$cupti/query.c" | grep -oE '"[a-z]+"' | tr -d '"' | grep -vx time |
	unknown "$cupti/gpmu-cupti.rst" QUESTIONS)" "" "cupti: and those of samples"
{
	quoted 'trouble_set\([^,]*, "([a-z]+)"' $cupti/*.c
	quoted '\[OBSTACLE_[A-Z]+\] = \{ "([a-z]+)"' $cupti/gpus.c
} | sort -u > "$work/kinds"
[ "$(wc -l < "$work/kinds")" -gt 8 ]; ok $? "cupti: there are kinds of trouble"
is "$(unknown "$cupti/gpmu-cupti.rst" QUESTIONS < "$work/kinds")" "" "cupti: all of them are named"
is "$(definitions "$cupti/gpmu-cupti.rst" GAPS | sort)" "$(quoted '\[GAP_[A-Z]+\] = \{ "([a-z]+)"' "$cupti/gaps.c")" \
	"cupti: reasons of gaps are those that there are"
for bound in 328 277; do
	grep -q "$bound ns" metrics/include/gpmu/clock.h && section "$cupti/gpmu-cupti.rst" "COUNTS AND TIME" | grep -q "$bound ns"
	ok $? "cupti: how far CUPTI is off, $bound ns, is what clock.h says"
done

page nvml ''
out=$(ask nvml check)
ok $? "nvml: check has an answer" || diag "$out"
is "$(unknown "$nvml/gpmu-nvml.rst" QUESTIONS <<< "$out")" "" "nvml: its keys are described"
echo '{"init":9}' > "$work/none.json"
is "$(GPMU_FAKE_NVML=$work/none.json ask nvml=check check | unknown "$nvml/gpmu-nvml.rst" QUESTIONS)" "" "nvml: so are those of a trouble"
for question in gpus accounting vgpu; do
	is "$(for scenario in h200 vgpu; do GPMU_FAKE_NVML=tests/gpu/fake/nvml-$scenario.json ask nvml $question; done |
		sort -u | grep -vx gpus | unknown tools/man/gpmu-gpu.rst OUTPUT)" "" "nvml: $question: its keys are described by gpmu-gpu(1)"
done
is "$(quoted '\{ "([a-z]+)", ("|NULL)' "$nvml/nvml_load.c" | unknown "$nvml/gpmu-nvml.rst" QUESTIONS)" "" "nvml: kinds of trouble are named"

# Names of the table of nvidia_nvml_N: a throttle reason is named without its beginning.
sed -n '/^static const struct nv_event events/,/^};/p' "$nvml/nvml_events.c" > "$work/events"
sed -nE 's/^\s*(MEAN|BYTES|SHARE)\("([a-z0-9_]+)".*/\2/p; s/^\s*\{ \.name = "([a-z0-9_]+)".*/\1/p;
	s/^\s*REASON\("([a-z0-9_]+)".*/throttle_\1/p' "$work/events" | sort > "$work/names"
is "$(definitions "$nvml/gpmu-nvml.rst" DESCRIPTION | sort)" "$(cat "$work/names")" "nvml: its events are those of the plugin"
done_testing
