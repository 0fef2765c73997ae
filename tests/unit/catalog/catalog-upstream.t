#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The catalog has every event and metric of Linux's pmu-events, with the terms that
# jevents.py of the same version makes of them. Formulas are compared as they are
# written; the tests of expr evaluate them.

. tests/lib/tap.sh

cache=${GPMU_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/gpmu}
dump=${B:-build}/tests/unit/catalog/catalog-dump
dir=$(mktemp -d) || bail "no temporary directory"
trap 'rm -rf "$dir"' EXIT

[ -x "$dump" ] || bail "no $dump"

# want FOLDER: the lines that catalog-dump should print, from jevents.py
want() {
	python3 -B - "$1" <<- 'EOF'
		import json, os, re, sys
		here = sys.argv[1]
		sys.path.insert(0, here)
		sys.argv = ['jevents.py']
		import jevents

		class Written:
		    """A formula that is not simplified"""
		    def __init__(self, text): self.text = text
		    def Simplify(self): return self
		jevents.metric.ParsePerfJson = Written
		jevents.metric.RewriteMetricsInTermsOfOthers = lambda metrics: None

		def line(*fields):
		    escapes = str.maketrans({'\\': '\\\\', '\n': '\\n', '\t': '\\t'})
		    print('\t'.join((f or '').translate(escapes) for f in fields))

		def scale(text):
		    number, unit = re.match(r'([0-9.]+(?:[eE][-+]?[0-9]+)?) *(.*)', text or '1').groups()
		    return f'{float(number):.17g}', unit

		for arch in sorted(os.listdir(f'{here}/arch')):
		    jevents._arch_std_events.clear()
		    if os.path.isdir(f'{here}/arch/{arch}'):
		        jevents.preprocess_arch_std_files(f'{here}/arch/{arch}')
		    jevents._json_cache = {}
		    tables = {}
		    for folder, _, files in os.walk(f'{here}/arch/{arch}'):
		        for file in sorted(files):
		            path = f'{folder}/{file}'
		            if not file.endswith('.json') or file.endswith('metricgroups.json'):
		                continue
		            cpu = 'sys' if '/sys/' in path else '' if arch == 'common' else folder
		            seen = set()
		            for e in jevents.read_json_events(path, jevents.get_topic(file)):
		                pmu = '' if e.pmu == 'default_core' else e.pmu
		                groups = ''.join(g + ';' for g in (e.metric_group or '').split(';') if g)
		                # a bug of jevents.py: a register without a value
		                terms = (e.event or '').replace(',ldlat=None', '')
		                formula = e.metric_expr and e.metric_expr.text
		                for kind, name, rest in (('event', e.name, (terms, e.topic)),
		                                         ('metric', e.metric_name, (formula, groups))):
		                    key = (kind, (name or '').lower(), pmu, e.compat, cpu)
		                    if name and key not in seen:
		                        seen.add(key)
		                        tables[key] = (kind, path, name, pmu, e.compat, *rest, *scale(e.unit))
		    for fields in tables.values():
		        line(*fields)
	EOF
}

# jevents.py of 6.1 has another structure; for 6.1 only loading is tested, below.
for version in 6.12 7.3; do
	from=$cache/source/$version/tools/perf/pmu-events
	if [ ! -e "$from/jevents.py" ]; then
		skip "no kernel source $version in the cache" "catalog: Linux $version's pmu-events are as in jevents.py"
		continue
	fi
	want "$from" 2>&1 | LC_ALL=C sort > "$dir/want"
	"$dump" "$from/arch" 2>&1 | LC_ALL=C sort > "$dir/got"
	for kind in event metric; do
		is "$(diff <(grep "^$kind" "$dir/want") <(grep "^$kind" "$dir/got") | head -n 20)" "" \
			"catalog, Linux $version: $(grep -c "^$kind" "$dir/want") ${kind}s are as in jevents.py"
	done
	is "$(grep -v '^event\|^metric' "$dir/want" "$dir/got" | head)" "" "catalog, Linux $version: gpmu and perf print no error"
done

if [ -e "$cache/source/6.1/tools/perf/pmu-events/arch" ]; then
	"$dump" "$cache/source/6.1/tools/perf/pmu-events/arch" > "$dir/got" 2>&1
	ok $? "catalog: Linux 6.1's pmu-events are loaded: $(grep -c '^event' "$dir/got") events"
else
	skip "no kernel source 6.1 in the cache" "catalog: Linux 6.1's pmu-events are loaded"
fi
done_testing
