# SPDX-License-Identifier: LGPL-2.1-or-later
"""Checks of pmu-events for the events*.t tests: each prints the faults it finds, or nothing."""
import glob
import json
import os
import re
import sys

from events_expr import ExprError, evaluate, ids, mutants

SYS = 'pmu-events/arch/arm64/nvidia/grace/sys'
CORE = 'arch/arm64/arm/neoverse-n2-v2'
CORE_EVENTS = f'pmu-events/core/{CORE}'
BRIEF_MAX = 80
VERSIONS = ('6.1', '6.12', '7.3')
COMPAT = {
    'nvidia_scf_pmu': '2cf0036b', 'nvidia_pcie_pmu': '1030036b', 'nvidia_nvlink_c2c0_pmu': '1050036b',
    'nvidia_nvlink_c2c1_pmu': '1040036b', 'nvidia_cnvlink_pmu': '1060036b',
}
FILTER = {'nvidia_pcie_pmu': 'root_port=0x3ff', 'nvidia_cnvlink_pmu': 'rem_socket=0xf'}


# An event in a formula. perf 6.12 parses a plain "cycles" as the hardware event
# and then finds no PMU for it with the fake PMU of perf test.
EVENT = re.compile(r'(\w+)@((?:event=)?\w+)(?:,([^@]+))?@')
SPELLING = {'event=cycles': 'cycles'}


def fail(*words):
    print(*words)


def load(path):
    """A JSON file; a duplicate key is reported."""
    def pairs(items):
        keys = [k for k, _ in items]
        if len(keys) != len(set(keys)):
            fail(path, 'has a key twice in', dict(items))
        return dict(items)
    with open(path, encoding='utf-8') as f:
        return json.load(f, object_pairs_hook=pairs)


def rows(path):
    """The lines of a table, without comments, split at tabs."""
    with open(path, encoding='utf-8') as f:
        return [line.rstrip('\n').split('\t') for line in f if not line.startswith('#')]


def sys_items(key):
    return [(p, e) for p in sorted(glob.glob(f'{SYS}/*.json')) for e in load(p) if key in e]


def sys_metrics():
    return {m['MetricName']: m for _, m in sys_items('MetricName')}


def our_core(version=None):
    """name -> (metric, 'ours' or 'backport') of the core metrics added to perf VERSION."""
    out = {}
    for where, path in (('ours', 'pmu-events'), ('backport', f'pmu-events/backport/{version}')):
        for p in sorted(glob.glob(f'{path}/{CORE}/*.json')):
            for m in load(p):
                if m.get('MetricName') in out:
                    fail(m['MetricName'], 'is there twice for perf', version)
                out[m.get('MetricName')] = (m, where)
    return out


def upstream_dir(source, version):
    """The folder of Neoverse V2's events in a kernel source; 6.1 has it under N2's name only."""
    name = 'neoverse-n2' if version == '6.1' else 'neoverse-n2-v2'
    return f'{source}/tools/perf/pmu-events/arch/arm64/arm/{name}'


def codes():
    """The events have the codes and units of grace-events.tsv."""
    want = {(p, e): (int(c, 16), u) for p, e, c, u in rows('pmu-events/grace-events.tsv')}
    seen = {}
    for path, e in sys_items('EventName'):
        key = (e.get('Unit'), e['EventName'])
        if key in seen:
            fail(*key, 'is there twice')
        seen[key] = True
        if key not in want:
            fail(*key, 'is in', path, 'but not in the table')
        elif int(e['EventCode'], 16) != want[key][0]:
            fail(*key, 'has code', e['EventCode'])
        elif not e['PublicDescription'].endswith(f'Counted in {want[key][1]}.'):
            fail(*key, 'does not state the unit', want[key][1])
    for key in sorted(set(want) - set(seen)):
        fail(*key, 'is missing')


def files():
    """Each PMU has one file, whose entries have the Unit and Compat of that PMU."""
    for path, e in sys_items('Unit'):
        name = os.path.basename(path)[:-len('.json')]
        if 'EventName' in e and e['Unit'] != f'nvidia_{name}_pmu':
            fail(e['EventName'], 'of', e['Unit'], 'is in', path)
        if e.get('Compat') != COMPAT.get(e['Unit']):
            fail(path, e['Unit'], 'has Compat', e.get('Compat'))
    for path in glob.glob(f'{SYS}/*.json'):
        for e in load(path):
            extra = set(e) - {'EventName', 'EventCode', 'MetricName', 'MetricExpr', 'MetricGroup', 'ScaleUnit',
                              'BriefDescription', 'PublicDescription', 'Unit', 'Compat'}
            if extra or 'Unit' not in e or ('EventName' in e) == ('MetricName' in e):
                fail(path, 'has an entry with wrong keys:', sorted(e))


def cnvlink():
    """Descriptions and metrics agree with the memories in cnvlink.h, and state the source."""
    with open('pmu-events/cnvlink.h', encoding='utf-8') as f:
        memories = dict(re.findall(r'#define CNVLINK_(\w+)\s+\((.*)\)', f.read()))
    texts = {'CMEM': 'local CPU memory', 'GMEM': 'local GPU memory'}
    for e in load(f'{SYS}/cnvlink.json'):
        memory = memories.get(e['EventName'].rsplit('_')[-1].upper())
        if not memory:
            continue
        if not e['BriefDescription'].endswith(texts.get(memory, 'local memory')):
            fail(e['EventName'], 'does not describe traffic to', memory)
        if not re.search('patch 20240918215846.1424282-3 .*; by its name in the driver', e['PublicDescription']):
            fail(e['EventName'], 'does not state both meanings')
    for name, m in sys_metrics().items():
        match = re.match('GraceCnvlink(Mem|GpuMem)', name)
        for event in ids(m['MetricExpr']) if match else []:
            suffix = EVENT.fullmatch(event) and EVENT.fullmatch(event)[2].rsplit('_')[-1].upper()
            if suffix and memories[suffix] != {'Mem': 'CMEM', 'GpuMem': 'GMEM'}[match[1]]:
                fail(name, 'counts', event)


def described():
    """[(path, entry)] of all events and metrics, GPU and core included."""
    return [(p, e) for p in sorted(glob.glob('pmu-events/**/*.json', recursive=True)) for e in load(p)]


def descriptions():
    """Descriptions are in ASCII; a brief one is at most BRIEF_MAX characters."""
    for path, e in described():
        name, brief = e.get('EventName') or e['MetricName'], e.get('BriefDescription', '')
        public = e.get('PublicDescription', '')
        text = f'{brief} {public}'
        if not text.isascii() or len(brief.split()) < 3 or not re.match('[A-Z0-9]', brief):
            fail(path, name, 'has no proper BriefDescription:', text)
        if len(brief) > BRIEF_MAX:
            fail(path, name, 'has a BriefDescription of', len(brief), 'characters')
        if brief.endswith('.') != ('MetricName' in e):
            fail(path, name, 'has a BriefDescription that ends unlike perf\'s')
        if public and not re.fullmatch(r'[A-Z0-9].*\.', public):
            fail(path, name, 'has a PublicDescription that is no sentence:', public)
        if '0 means no samples' in text:
            fail(path, name, 'states that 0 means no samples')
        if 'fp_ops_per' in name and ('speculatively executed' not in brief or 'speculatively executed' not in public):
            fail(path, name, 'does not state that it counts speculative operations')
        if e.get('Unit') == 'nvidia_nvlink_c2c0_pmu' and re.search(r'\(ATS(?! translated or EGM|, EGM)', text):
            fail(path, name, 'names ATS without EGM')
        if e.get('Unit', '').startswith('nvidia_nvlink') and name not in ('cycles',) and 'EventName' in e and \
                'The filter port selects' not in public:
            fail(path, name, 'does not describe its filter')
        if name.startswith('Grace'):
            grace_description(path, name, brief, public)


def grace_description(path, name, brief, public):
    """A Grace metric names source and destination, the socket that measures, and a latency's 0."""
    for socket in re.findall(r'(\d)to\d$', name):
        if f'Measured in socket {socket} only. With four sockets, traffic of other pairs is not included.' not in public:
            fail(path, name, 'does not name the sockets that it is about')
    if 'Latency' in name and '0 if there were no reads.' not in public:
        fail(path, name, 'does not state when the latency is 0')
    if 'ten ports' in public and 'the two ports of NVLink-C2C that the filter port selects' not in public:
        fail(path, name, 'does not explain its ten ports beside the filter')
    if not name.endswith('Freq') and not re.search(r'\bto\b|between .* and', brief):
        fail(path, name, 'does not name source and destination')


def metric_names():
    """metrics.json has each metric of events-metrics.tsv once, and no other."""
    want = [r[0] for r in rows('tests/unit/pmu-events/events-metrics.tsv')]
    got = [m['MetricName'] for _, m in sys_items('MetricName')]
    for name in sorted(set(want) ^ set(got)) + sorted({n for n in got if got.count(n) > 1}):
        fail(name)
    if len(want) != 53:
        fail('the table has', len(want), 'metrics')


def metric_events():
    """Each event of a metric is the core's, or has the prefix of its PMU and its filter, and exists on that PMU."""
    core = {e['EventName'] for _, e in core_events()}
    have = {(p, e) for p, e, _, _ in rows('pmu-events/grace-events.tsv')}
    pmus = {r[0]: r[1] for r in rows('tests/unit/pmu-events/events-metrics.tsv')}
    for name, m in sys_metrics().items():
        for event in ids(m['MetricExpr']):
            if event == 'duration_time' or event in core:
                continue
            match = EVENT.fullmatch(event)
            if not match:
                fail(name, 'has an event without its PMU:', event)
                continue
            pmu, ev, flt = match.groups()
            if ev in SPELLING.values() or ('=' in ev and ev not in SPELLING):
                fail(name, 'spells an event', ev)
            ev = SPELLING.get(ev, ev)
            kind = re.sub(r'_\d$', '', pmu)
            if pmu != pmus.get(name) or kind != m['Unit']:
                fail(name, 'counts on', pmu)
            if (kind, ev) not in have:
                fail(name, f'uses {ev}, which {kind} does not have')
            if flt != FILTER.get(kind):
                fail(name, 'has the filter', flt, 'on', event)


def event_values(metric):
    """The functions value(id) and count(id) for a row of events-metrics.tsv."""
    _, pmu, n, seconds, counts = metric[:5]
    counts = dict(c.split('=') for c in counts.split())

    def value(event):
        if event == 'duration_time':
            return float(seconds)
        if event in counts and event.isupper():
            return float(counts[event])
        match = EVENT.fullmatch(event)
        name = match and SPELLING.get(match[2], match[2])
        if not match or match[1] != pmu or name not in counts:
            raise ExprError(f'no count for {event}')
        return float(counts[name])

    def count(event):
        return 1 if event == 'duration_time' else int(n)
    return value, count


def same(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def metric_value(name):
    """Prints the value of a metric for the counts of events-metrics.tsv, and its ScaleUnit."""
    row = next(r for r in rows('tests/unit/pmu-events/events-metrics.tsv') if r[0] == name)
    m = sys_metrics()[name]
    print(f"{evaluate(m['MetricExpr'], *event_values(row)):.9g} {m['ScaleUnit']}")


def metric_mutants():
    """Changing one number, operator, event or source_count of a formula changes its value."""
    metrics = sys_metrics()
    for row in rows('tests/unit/pmu-events/events-metrics.tsv'):
        check_mutants(row[0], metrics[row[0]]['MetricExpr'], float(row[5]), *event_values(row))


def check_mutants(name, expr, want, value, count):
    for what, text in mutants(expr):
        try:
            got = evaluate(text, value, count)
        except ExprError:
            continue
        if same(got, want):
            fail(name, 'has the same value with', what)


def metric_zero():
    """A metric whose counters are all 0 is 0 and does not divide by zero."""
    exprs = {n: m['MetricExpr'] for n, m in sys_metrics().items()}
    for version in VERSIONS:
        exprs.update({n: m['MetricExpr'] for n, (m, _) in our_core(version).items()})
    for name, expr in exprs.items():
        for seconds in (0.0, 0.5):
            try:
                got = evaluate(expr, lambda e: seconds if e == 'duration_time' else 0.0)
            except ExprError as err:
                got = err
            if got != 0:
                fail(name, 'is', got, 'when nothing was counted in', seconds, 's')


def groups():
    """A metric that needs the PMU of one socket is only in the group of those metrics."""
    for name, m in sys_metrics().items():
        names = m['MetricGroup'].split(';')
        lone = re.search(r'(\dto\d)$', name)
        if (names != [f'grace_{lone[1]}']) if lone else any(re.search(r'\dto\d', g) for g in names):
            fail(name, 'is in', m['MetricGroup'])
        if not all(re.fullmatch(r'grace_[a-z0-9]+', g) for g in names):
            fail(name, 'has a wrong group:', m['MetricGroup'])


def core_table():
    """core-metrics.tsv and the JSON agree about the origin of each metric."""
    table = rows('pmu-events/core-metrics.tsv')
    names = [r[2] for r in table]
    if len(table) != 56 or len(set(names)) != 56:
        fail('the table has', len(table), 'rows,', len(set(names)), 'names')
    for i, version in enumerate(VERSIONS):
        ours = our_core(version)
        for row in table:
            got = ours[row[2]][1] if row[2] in ours else 'upstream'
            if got != row[3 + i]:
                fail(row[2], 'of perf', version, 'is', got, 'but', row[3 + i], 'in the table')
        for name in sorted(set(ours) - set(names)):
            fail(name, 'is not in the table')


def core_counts():
    table = rows('tests/unit/pmu-events/events-core.tsv')
    counts = {r[1].lower(): float(r[2]) for r in table if r[0] == 'count'}
    counts['time'] = counts['duration_time']
    wants = {r[1]: float(r[2]) for r in table if r[0] == 'metric'}

    def value(event):
        # As the common metrics of perf 7.3 spell events
        name = re.sub('^software@([^,]*),.*', r'\1', event.lower()).replace('cpu-cycles', 'cpu_cycles')
        if name not in counts:
            raise ExprError(f'no count for {event}')
        return counts[name]
    return value, wants


def core_values():
    """The formulas of the JSON and of core-metrics.tsv give the values derived by hand."""
    value, wants = core_counts()
    for row in rows('pmu-events/core-metrics.tsv'):
        if not same(evaluate(row[1], value), wants[row[2]]):
            fail(row[2], 'by the formula of the table is', evaluate(row[1], value))
    for version in VERSIONS:
        for name, (m, _) in our_core(version).items():
            if not same(evaluate(m['MetricExpr'], value), wants[name]):
                fail(name, 'is', evaluate(m['MetricExpr'], value), 'not', wants[name])
            check_mutants(name, m['MetricExpr'], wants[name], value, lambda _: 1)


def upstream_metrics(source, version):
    """name -> metric of Neoverse V2, and the metrics that perf 7.3 has on each machine."""
    out = {}
    common = f'{source}/tools/perf/pmu-events/arch/common/common/metrics.json'
    for path in glob.glob(upstream_dir(source, version) + '/*.json') + glob.glob(common):
        for m in load(path):
            if 'MetricExpr' in m:
                out[m.get('MetricName') or m['ArchStdEvent']] = m
    return out


def upstream_values(source, version):
    """Metrics that the table lists as upstream exist upstream and give the same values."""
    value, wants = core_counts()
    upstream = upstream_metrics(source, version)
    for row in rows('pmu-events/core-metrics.tsv'):
        if row[3 + VERSIONS.index(version)] != 'upstream':
            continue
        if row[2] not in upstream:
            fail(row[2], 'is not upstream')
        elif not same(evaluate(upstream[row[2]]['MetricExpr'], value), wants[row[2]]):
            fail(row[2], 'has another formula upstream:', upstream[row[2]]['MetricExpr'])


def upstream_doubles(source, version):
    """No metric of ours has the name or the formula of an upstream metric."""
    value, _ = core_counts()
    upstream, ours = upstream_metrics(source, version), our_core(version)
    for name in sorted((set(ours) | set(sys_metrics())) & set(upstream)):
        fail(name, 'is upstream too')
    for name, m in upstream.items():
        try:
            got = printed(m, value)
        except ExprError:
            continue        # uses events that the guide does not
        for mine, (m2, _) in ours.items():
            if same(got, printed(m2, value)) and set(ids(m['MetricExpr'])) == set(ids(m2['MetricExpr'])):
                fail(mine, 'doubles upstream\'s', name)


def upstream_topdown(source, version):
    """The group TopdownL1 of libgpmu, which has the backports to 6.1, is that of perf VERSION."""
    standard = {m['MetricName']: m for m in load(f'{source}/tools/perf/pmu-events/arch/arm64/sbsa.json')}
    upstream = upstream_metrics(source, version).items()
    groups = {n: {**standard.get(m.get('ArchStdEvent'), {}), **m}.get('MetricGroup', '') for n, m in upstream}
    want = {n for n, group in groups.items() if 'TopdownL1' in group.split(';')}
    have = {n for n, (m, _) in our_core('6.1').items() if 'TopdownL1' in m['MetricGroup'].split(';')}
    for name in sorted(want ^ have):
        fail(name, 'is in one TopdownL1 only')


def printed(metric, value):
    """The value of a metric times the factor of its ScaleUnit."""
    scale = re.match(r'[0-9.]*', metric.get('ScaleUnit', ''))[0]
    return evaluate(metric['MetricExpr'], value) * float(scale or 1)


def upstream_names(source, version):
    """No Grace metric has the name of a metric in the kernel's arm64 tables."""
    ours = {n.lower() for n in sys_metrics()}
    for path in glob.glob(f'{source}/tools/perf/pmu-events/arch/arm64/**/*.json', recursive=True):
        for m in load(path):
            if m.get('MetricName', '').lower() in ours:
                fail(m['MetricName'], 'is in', path)


def upstream_events(source, version):
    """The events of our core metrics are in perf VERSION's table for this core."""
    have = {'duration_time', 'task-clock'}
    for path in glob.glob(upstream_dir(source, version) + '/*.json'):
        have |= {(e.get('EventName') or e.get('ArchStdEvent', '')).lower() for e in load(path)}
    for name, (m, _) in our_core(version).items():
        for event in set(ids(m['MetricExpr'])):
            if event.lower() not in have:
                fail(name, 'uses', event, 'which perf', version, 'does not know')


def core_events():
    """[(path, entry)] of the core's events."""
    return [(p, e) for p in sorted(glob.glob(f'{CORE_EVENTS}/*.json')) for e in load(p)]


def core_event_form():
    """Each core event is there once, with a unique code, a name and descriptions only."""
    names, codes = set(), set()
    for path, e in core_events():
        if set(e) - {'PublicDescription'} != {'EventName', 'EventCode', 'BriefDescription'}:
            fail(path, 'has an entry with wrong keys:', sorted(e))
            continue
        if not re.fullmatch('[A-Z][A-Z0-9_]* 0x[0-9a-f]{2,4}', f"{e['EventName']} {e['EventCode']}"):
            fail(path, 'has a malformed name or code:', e['EventName'], e['EventCode'])
        if e['EventName'] in names or e['EventCode'] in codes:
            fail(path, e['EventName'], e['EventCode'], 'is there twice')
        names.add(e['EventName'])
        codes.add(e['EventCode'])
    if len(names) != 154:
        fail('there are', len(names), 'events')


def core_event_use():
    """The core events include all events of the core metrics, of the table and of the JSON."""
    have = {e['EventName'].lower() for _, e in core_events()} | {'duration_time', 'time', 'task-clock'}
    used = [(r[2], r[1]) for r in rows('pmu-events/core-metrics.tsv')]
    used += [(n, m['MetricExpr']) for n, (m, _) in our_core('6.1').items()]
    for name, expr in used:
        for event in sorted(set(ids(expr))):
            if event.lower() not in have:
                fail(name, 'uses', event, 'which is not there')
    if len(used) != 112:
        fail('there are', len(used), 'formulas of 56 metrics')


def core_event_place():
    """The folders that perf is built with have no core event, as perf has its own."""
    for where in 'arch', 'backport':
        for path in glob.glob(f'pmu-events/{where}/**/*.json', recursive=True):
            for e in load(path):
                if 'EventName' in e and 'Unit' not in e:
                    fail(path, 'has an event of the core:', e['EventName'])


def upstream_core_events(source, version):
    """The core events and their codes are exactly those of perf VERSION."""
    arm64 = f'{source}/tools/perf/pmu-events/arch/arm64'
    standard = {e['EventName']: e for p in glob.glob(f'{arm64}/*.json') for e in load(p) if 'EventName' in e}
    want = {}
    for path in glob.glob(upstream_dir(source, version) + '/*.json'):
        for e in load(path):
            if 'MetricExpr' not in e:
                e = {**standard.get(e.get('ArchStdEvent'), {}), **e}
                want[e['EventName']] = int(e['EventCode'], 16)
    have = {e['EventName']: int(e['EventCode'], 16) for _, e in core_events()}
    for name, code in sorted(set(want.items()) ^ set(have.items())):
        fail(name, f'{code:#x}', 'is not upstream' if (name, code) in have.items() else 'is missing')


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
