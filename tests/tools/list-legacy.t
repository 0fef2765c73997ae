#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The names of CUPTI's former Event and Metric APIs: gpmu list --legacy has each line of the table, and
# gpmu stat -M counts or refuses them, on a fake of CUPTI.
. tests/tools/lib.sh

export GPMU_CUDA=$B/tests/gpu/fake
table=pmu-events/gpu/legacy.tsv

# --- the table
expect 0 gpmu list --legacy -j
is "$(python3 - "$table" <<'EOF' "$out"
import json, sys
rows = [line.rstrip('\n').split('\t') for line in open(sys.argv[1]) if not line.startswith('#')]
listed = [json.loads(line) for line in sys.argv[2].splitlines()]
kinds = {'metric': 'metric', 'event': 'event', 'metric,event': 'both'}
modes = {'passes': 'range'}
wrong = 0
for row, shown in zip(rows, listed):
    name, kind, mode, match, unit, formula, description, note = (None if cell == '-' else cell for cell in row)
    want = {'gpmu': 1, 'kind': 'legacy', 'name': name, 'description': description, 'legacy': kinds[kind],
            'collected': modes.get(mode, mode), 'match': match, 'unit': unit, 'formula': formula, 'note': note}
    why_not = shown.pop('why_not')
    wrong += want != shown or (why_not is None) != (mode == 'sampling')
    wrong += why_not is not None and not why_not.startswith(name + ': ')
print(len(rows) == len(listed), wrong, len(rows))
EOF
)" "True 0 267" "list --legacy -j has each line of the table with its members, and the reason of each name that -M refuses"
is "$(gpmu list --legacy --names metric | wc -l) $(gpmu list --legacy --names event | wc -l)" "186 82" \
	"list --legacy metric and event list the names of each former API"
expect 0 gpmu list --legacy l2_tex_hit
like "$out" '^l2_tex_hit_rate +metric +% +range +mapped +100 [*] d_ratio\(lts__t_sectors_srcunit_tex_op_read_lookup_hit' \
	"list --legacy prints kind, unit, mode, match and formula of the names of a pattern"
expect 0 gpmu list --legacy -v flop_count_hp_add
like "$out" '^ +why not +flop_count_hp_add: PM sampling cannot collect it; ' "list --legacy -v prints why -M refuses a name"
like "$out" '^ +note +An upper bound: ' "list --legacy -v prints how the value differs from the former one"
expect 0 gpmu list --legacy 'prof_trigger_0?'
is "$(grep -c ' none  none   No counter has the triggers of a program' <<< "$out")" 8 \
	"list --legacy prints the reason in place of the formula of a name without a counterpart"
run gpmu list --legacy no_such_name
is "$rc $out$err" "1 gpmu list: no legacy name matches" "list --legacy exits with 1 if no name matches"
run gpmu list --legacy pmu
is "$rc $err" "125 gpmu list: --legacy lists metrics and events: expected metric, event or neither" \
	"list --legacy refuses other kinds than metrics and events"
for other in --gpu --sections --stall-reasons; do
	run gpmu list --legacy $other
	is "$rc $err" "125 gpmu list: --legacy and $other: choose one" "list refuses --legacy with $other"
done

# --- without --legacy
export GPMU_ROOT
GPMU_ROOT=$(machine laptop)
expect 0 gpmu list metric dram_read_bytes
like "$out" '^dram_read_bytes +B +--gpu +Bytes read from the GPU' "list metric finds a legacy name, and HERE is --gpu"
expect 0 gpmu list -v metric FLOP_count_sp
like "$out" '^flop_count_sp +no ' "list metric finds a legacy name that PM sampling cannot collect, and HERE is no"
like "$out" '^ +why not +flop_count_sp: PM sampling cannot collect it' "list -v metric prints why -M refuses a legacy name"
like "$(gpmu list -j metric flop_count_sp)" '"collected":"range"' "list -j metric prints the mode that collects a legacy name"
unlike "$(gpmu list --names --all)" '^dram_read_bytes$' "list --all without the name lists no legacy names"
unlike "$(gpmu list --names metric ipc)" '^dram' "list metric ipc lists the CPU's metric only"
unset GPMU_ROOT
expect 0 gpmu list --gpu --chip GH100 metric dram_read_bytes
like "$out" '^dram_read_bytes +B +yes ' "list --gpu metric has a legacy name that the chip can count"

# --- counting
run gpmu stat --gpu -a -M dram_read_bytes,dram_read_throughput -x, --timeout 200
is "$rc $(columns name <<< "$err" | xargs)" "0 dram_read_bytes dram_read_throughput" "stat -M counts legacy names and has rows of their names"
run gpmu stat --gpu -a -M dram_read_throughput,achieved_occupancy,issue_slot_utilization,active_warps --timeout 200
like "$err" '^GPU0 +2,400.00 GB/s dram_read_throughput$' "stat -M dram_read_throughput is the fake's bandwidth"
like "$err" '^GPU0 +0.50 +achieved_occupancy$' "stat -M achieved_occupancy is 0.5 with 32 of 64 warps in each active cycle"
like "$err" '^GPU0 +25.00 % +issue_slot_utilization$' "stat -M issue_slot_utilization is 25 % of active cycles"
like "$err" '^GPU0 +[0-9,.]+ +active_warps$' "stat -M counts an event of the former Event API"
for name in flop_count_sp stall_sync inst_executed_global_atomics inst_replay_overhead cf_executed; do
	run gpmu stat --gpu -a -M "dram_read_bytes,$name" -- true
	is "$rc $err" "125 gpmu stat: $(gpmu list --legacy -j "$name" | head -n 1 | python3 -c 'import json, sys; print(json.load(sys.stdin)["why_not"])')" \
		"stat -M $name is refused with the reason before the command starts"
done

done_testing
