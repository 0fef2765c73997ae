#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The manual pages of the plugins that count GPUs render, and they describe exactly the options,
# questions, keys of answers, environment variables and words of the plugins. Fakes of NVIDIA's
# libraries provide the GPUs.
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

# section PAGE NAME: prints the lines of a section
section() {
	awk -v name="$2" '/^===+$/ && NR > 1 { at = last; next } at == name { print } { last = $0 }' "$1"
}

# definitions PAGE SECTION: prints the defined words, one per line; ", " separates words in the page
definitions() {
	section "$1" "$2" | awk '/^    / && last ~ /^[a-zA-Z`]/ { print last } { last = $0 }' | sed 's/, /\n/g' | tr -d '`'
}

# unknown PAGE SECTION: prints the words of standard input that the section lacks as ``WORD``
unknown() {
	section "$1" "$2" > "$work/section"
	# shellcheck disable=SC2016 # the backquotes are reStructuredText
	while IFS= read -r word; do
		grep -qF '``'"$word"'``' "$work/section" || echo "$word"
	done
}

# quoted REGEX FILE...: prints the matches of the group in REGEX, sorted, each once
quoted() {
	local regex=$1

	shift
	cat "$@" | sed -nE "s/.*$regex.*/\1/p" | sort -u
}

# page NAME OPTIONS: checks that the page renders, and its options, questions and variables
page() {
	local name=$1 page=metrics/sources/$1/gpmu-$1.rst

	is "$(rst2man --report=1 --halt=5 "$page" 2>&1 > "$work/page.7")" "" "$name: rst2man converts the page without a message"
	# As in tools/rules.mk: groff draws tables wrongly that cross pages
	sed -i '/^\.TH/a .if \\n(cR .pl 9999v' "$work/page.7"
	if command -v groff > /dev/null; then
		is "$({ groff -t -man -Tutf8 -ww -rLL=80n "$work/page.7" > /dev/null; } 2>&1)" "" "$name: the page renders on a terminal without a warning"
	else
		skip "no groff" "$name: the page renders on a terminal without a warning"
	fi
	usage=$(ask "$name=?" '')
	usage=${usage#*expected }
	usage=${usage%%, found*}
	is "$(definitions "$page" OPTIONS | sort)" "$(sed "s/^$name=//; s/[][]/\n/g" <<< "$usage" | sed 's/^,//; /^$/d' | sort)" \
		"$name: the page defines exactly the options of the plugin"
	questions=$(ask "$name=$2" '?')
	questions=$(sed 's/.*expected //; s/, found.*//; s/ or /\n/; s/, /\n/g' <<< "$questions")
	is "$(definitions "$page" QUESTIONS | sort)" "$(sort <<< "$questions")" "$name: the page defines exactly the questions of the plugin"
	is "$(definitions "$page" ENVIRONMENT | sort)" \
		"$(find "metrics/sources/$name" -name "*.c" -exec cat {} + | grep -oE '"(GPMU|CUDA|NVTX)_[A-Z0-9_]+"' | tr -d '"' | sort -u)" \
		"$name: the page defines exactly the environment variables of the plugin"
}

cupti=metrics/sources/cupti
nvml=metrics/sources/nvml

page cupti chip=GH100
for question in chips metrics 'metrics passes' sampling check; do
	out=$(ask cupti "$question")
	ok $? "cupti: the question $question has an answer" || diag "$out"
	[ "$question" = chips ] || is "$(unknown "$cupti/gpmu-cupti.rst" QUESTIONS <<< "$out")" "" "cupti: the page describes the keys of the answer to $question"
done
is "$(GPMU_FAKE="machine=gh200 enable=0:26" ask cupti check | unknown "$cupti/gpmu-cupti.rst" QUESTIONS)" "" "cupti: the page describes the keys of a trouble"
is "$(sed -n '/^static json_t \*run_of/,/^}/p' "$cupti/query.c" | grep -oE '"[a-z]+"' | tr -d '"' | grep -vx time |
	unknown "$cupti/gpmu-cupti.rst" QUESTIONS)" "" "cupti: the page describes the keys of samples"
{
	quoted 'trouble_set\([^,]*, "([a-z]+)"' $cupti/*.c $cupti/library/*.c
	quoted '\[OBSTACLE_[A-Z]+\] = \{ \.kind = "([a-z]+)"' $cupti/gpus.c
} | sort -u > "$work/kinds"
[ "$(wc -l < "$work/kinds")" -gt 8 ]; ok $? "cupti: the sources have more than eight kinds of trouble"
is "$(unknown "$cupti/gpmu-cupti.rst" QUESTIONS < "$work/kinds")" "" "cupti: the page names each kind of trouble"
is "$(definitions "$cupti/gpmu-cupti.rst" GAPS | sort)" "$(quoted '\[GAP_[A-Z]+\] = \{ "([a-z]+)"' "$cupti/gaps.c")" \
	"cupti: the page defines exactly the reasons of gaps"
for bound in 328 277; do
	grep -q "$bound ns" metrics/trace/gpmu_clock.h && section "$cupti/gpmu-cupti.rst" "COUNTS AND TIME" | grep -q "$bound ns"
	ok $? "cupti: the page and gpmu_clock.h agree on the error of $bound ns"
done

page nvml ''
out=$(ask nvml check)
ok $? "nvml: the question check has an answer" || diag "$out"
is "$(unknown "$nvml/gpmu-nvml.rst" QUESTIONS <<< "$out")" "" "nvml: the page describes the keys of the answer to check"
echo '{"init":9}' > "$work/none.json"
is "$(GPMU_FAKE_NVML=$work/none.json ask nvml=check check | unknown "$nvml/gpmu-nvml.rst" QUESTIONS)" "" "nvml: the page describes the keys of a trouble"
for question in gpus accounting vgpu; do
	is "$(for scenario in h200 vgpu; do GPMU_FAKE_NVML=tests/gpu/fake/nvml-$scenario.json ask nvml $question; done |
		sort -u | grep -vx gpus | unknown tools/man/gpmu-gpu.rst OUTPUT)" "" "nvml: gpmu-gpu(1) describes the keys of the answer to $question"
done
is "$(quoted '\{ "([a-z]+)", ("|NULL)' "$nvml/nvml_load.c" | unknown "$nvml/gpmu-nvml.rst" QUESTIONS)" "" "nvml: the page names each kind of trouble"

# Names in the table of nvidia_nvml_N; the table has throttle reasons without their prefix.
sed -n '/^static const struct nv_event events/,/^};/p' "$nvml/nvml_events.c" > "$work/events"
sed -nE 's/^\s*(MEAN|BYTES|SHARE)\("([a-z0-9_]+)".*/\2/p; s/^\s*\{ \.name = "([a-z0-9_]+)".*/\1/p;
	s/^\s*REASON\("([a-z0-9_]+)".*/throttle_\1/p' "$work/events" | sort > "$work/names"
is "$(definitions "$nvml/gpmu-nvml.rst" DESCRIPTION | sort)" "$(cat "$work/names")" "nvml: the page defines exactly the events of the plugin"
done_testing
