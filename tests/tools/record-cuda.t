#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# gpmu record of a program on the fake of CUPTI: from what it calls to the timeline, beside counters of its GPU,
# and every way in which it can end.
. tests/tools/lib.sh

make -s "B=$B" "$B/tests/gpu/fake/program" "$B/libgpmu-inject.so" >&2 || bail "no program, or nothing to inject"
program=$(realpath "$B/tests/gpu/fake/program")
fake_gpus h200x2
export GPMU_FAKE="inject=1 machine=h200x2 enable=0:26" GPMU_PLUGINS=$work/plugins
mkdir "$GPMU_PLUGINS"
ln -s "$(realpath "$B/libgpmu-inject.so")" "$GPMU_PLUGINS"
trace=$work/trace.pftrace
unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH GPMU_CHANNEL

run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo copy=100 set=7 push=step kernel=bar pop sync
is "$rc" 0 "a program with CUDA is recorded"
is "$(sql "select group_concat(name, ' ') from (select name from slice where category in ('kernel', 'memcpy', 'memset') order by ts)")" \
	"foo memcpy HtoD memset bar" "what its GPU does is there, in order"
is "$(sql "select o.name, i.name from flow join slice o on o.id = slice_out join slice i on i.id = slice_in order by i.ts")" \
	"cudaLaunchKernel|foo
cudaMemcpy|memcpy HtoD
cudaMemset|memset
cudaLaunchKernel|bar" "each with its call"
is "$(sql "select i.name from slice i join slice o on o.id = i.parent_id where o.name = 'step'")" cudaLaunchKernel \
	"the call is inside the NVTX range around it"
like "$(audit causality)" 'early=0 outside=0 overlap=0' "all in its order"
like "$(audit process)" '^cupti=130001 driver=13000 end=closed pid=[0-9]+ program=program$' "the process and its versions"

GPMU_PLUGINS=$GPMU_PLUGINS:$(realpath "$B") run gpmu record --gpu -M GpuSmActive -I 20 -o "$trace" -- \
	"$program" init context=0 kernel=foo sleep=150 kernel=bar
is "$rc" 0 "beside counters of the GPUs"
is "$(sql "select distinct p.name from counter_track t join track p on p.id = t.parent_id where t.name = 'GpuSmActive' order by 1" |
	grep -o '^GPU [01]')" "GPU 0
GPU 1" "... which are below them"
is "$(sql "select count(distinct t.parent_id) from track t join track p on p.id = t.parent_id where p.name glob 'GPU 0: *'")" 1 \
	"with the streams of that GPU"

run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo sleep=600 kernel=bar kill
is "$rc" 137 "a program that is killed"
like "$(sql "select name from slice where category = 'kernel'")" '^foo$' "what it had handed over is there"
like "$(audit process)" 'end=vanished' "... and that there may have been more"
run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo vanish=9
is "$rc" 9 "one that ends by _exit()"
run gpmu record -o "$trace" -- "$program" init context=0 kernel=foo fork-init kernel=bar
like "$err" '2 processes' "a fork is a process of its own"
is "$(sql "select count(*) from slice where category = 'kernel'")" 2 "and does not disturb the other"
like "$err" 'warning: .*forked' "who cannot be recorded says why"
run gpmu record --capture-range=nvtx:part -o "$trace" -- \
	"$program" init context=0 kernel=before push=part kernel=inside pop kernel=behind
is "$(sql "select name from slice where category = 'kernel'")" inside "within a range alone"
run gpmu record --cuda=kernel -o "$trace" -- "$program" init context=0 kernel=foo copy=100 sync
is "$(sql "select distinct category from slice where category <> 'audit'")" kernel "of some kinds alone"
done_testing
