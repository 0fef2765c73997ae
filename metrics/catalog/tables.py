#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
tables.py OUTPUT FILE...: JSON files of pmu-events as the built-in catalog, C source. The file
aliases.tsv has second names of metrics: lines of metric, alias. legacy.tsv has the names of
CUPTI's former Event and Metric APIs.

Reads the subset of perf's schema that the built-in files use, KEYS below. A fault ends it
with "file:line: ..." and status 1. tests/unit/catalog/catalog-builtin.c compares the result to
what libgpmu reads from the same files.
"""
import json
import re
import sys

KEYS = ('BriefDescription', 'Compat', 'EventCode', 'EventName', 'MetricConstraint', 'MetricExpr',
        'MetricGroup', 'MetricName', 'MetricThreshold', 'PublicDescription', 'ScaleUnit', 'Unit')
TEXTS = ('BriefDescription', 'MetricExpr', 'MetricThreshold', 'PublicDescription')
MAX_LINE = 255      # bytes: CATALOG_MAX_LINE
MAX_GROUPS = 64     # CATALOG_MAX_GROUPS
PREFIX = 'pmu-events/'
LEGACY = ('name', 'kind', 'collected', 'match', 'unit', 'formula', 'description', 'note')
LEGACY_KINDS = ('metric', 'event', 'metric,event')
LEGACY_MODES = ('none', 'sampling', 'range', 'passes', 'sass')
LEGACY_MATCHES = ('none', 'exact', 'mapped', 'near')


class Fault(Exception):
    """Text of a message without its file and line"""


def unique(pairs):
    members = dict(pairs)
    if len(members) < len(pairs):
        raise Fault('a key occurs twice in an object')
    return members


def skip(text, at):
    return re.compile(r'[ \t\r\n]*').match(text, at).end()


def objects(text):
    """Each object of the array in @text: its offset, then the object or a Fault"""
    decoder = json.JSONDecoder(object_pairs_hook=unique)
    at = skip(text, 0)
    separator = '['
    while text[at:at + 1] == separator:
        at = skip(text, at + 1)
        try:
            if text[at:at + 1] != '{':
                raise Fault('expected an object')
            members, end = decoder.raw_decode(text, at)
        except json.JSONDecodeError as error:
            yield error.pos, Fault(error.msg)
            return
        except Fault as fault:
            yield at, fault
            return
        yield at, members
        at, separator = skip(text, end), ','
    if text[at:at + 1] != ']' or separator == '[' or skip(text, at + 1) < len(text):
        yield at, Fault('expected an array of objects')


def check(members):
    for key, value in members.items():
        if key not in KEYS:
            raise Fault(f'{key}: the built-in catalog has no such key; tables.py can add it')
        if not isinstance(value, str) or not value:
            raise Fault(f'{key}: expected a string that is not empty')
        if re.search('[\0\ud800-\udfff]', value):
            raise Fault(f'{key}: a string cannot have a NUL or half of a surrogate pair')
        if key not in TEXTS and (re.search(r'[\x00-\x1f\x7f]', value) or
                                 (key != 'MetricGroup' and len(value.encode()) > MAX_LINE)):
            raise Fault(f'{key}: expected one line of at most {MAX_LINE} bytes')
    if ('EventName' in members) == ('MetricName' in members):
        raise Fault('expected either an EventName or a MetricName')
    if ('MetricName' in members) != ('MetricExpr' in members):
        raise Fault('expected a MetricName and a MetricExpr in the same object')
    if 'EventName' in members and not re.fullmatch(r'0x[0-9a-f]{1,16}', members.get('EventCode', '')):
        raise Fault('EventCode: expected a hexadecimal number such as 0x11')
    if not members.get('Unit', 'nvidia_').startswith('nvidia_'):
        raise Fault('Unit: expected a PMU of NVIDIA such as nvidia_scf_pmu')


def scale_and_unit(members):
    text = members.get('ScaleUnit')
    if text is None:
        return 0, None
    match = re.fullmatch(r'(\d+\.?\d*(?:e[-+]?\d+)?) *(.*)', text)
    if not match or not 0 < float(match[1]) < float('inf'):
        raise Fault('ScaleUnit: expected a number above 0 and a unit such as 1GB/s')
    return float(match[1]), match[2] or None


def lower(name):
    """ASCII letters in lower case"""
    return re.sub('[A-Z]', lambda letter: letter[0].lower(), name)


class Entry:
    """An event or a metric"""
    def __init__(self, members, file, line, order):
        check(members)
        self.file, self.line, self.order = file, line, order
        self.metric = 'MetricName' in members
        name = members['MetricName' if self.metric else 'EventName']
        self.key = lower(name)
        self.name = name if self.metric else self.key   # perf has events in lower case
        self.scale, self.unit = scale_and_unit(members)
        groups = [group for group in members.get('MetricGroup', '').split(';') if group]
        self.groups = groups if self.metric else []
        if len(groups) > MAX_GROUPS:
            raise Fault(f'MetricGroup: expected at most {MAX_GROUPS} groups')
        self.members = members

    def sort_key(self):
        """The order of catalog_compare(): bytes, an absent one first"""
        parts = (self.key, self.members.get('Unit'), self.file.cpu, self.members.get('Compat'))
        return tuple((part or '').encode() for part in parts)

    def terms(self):
        code = int(self.members['EventCode'], 16)
        return f'event={code:#x}' if code > 9 else f'event={code}'

    def c(self):
        get = self.members.get
        fields = {
            'name': quote(self.name), 'key': quote(self.key), 'pmu': quote(get('Unit')),
            'compat': quote(get('Compat')), 'description': quote(get('BriefDescription')),
            'details': quote(get('PublicDescription')), 'unit': quote(self.unit),
            'scale': repr(self.scale), 'file': f'&files[{self.file.index}]',
            'line': self.line, 'order': self.order,
        }
        lines = ['\t{ .entry = {'] + members_of(fields, '\t\t') + ['\t},']
        if self.metric:
            groups = ', '.join(map(quote, self.groups + [None]))
            lines += members_of({
                'expr': quote(get('MetricExpr')), 'threshold': quote(get('MetricThreshold')),
                'constraint': quote(get('MetricConstraint')),
                'groups': f'(const char *const []){{ {groups} }}' if self.groups else 'NULL',
            }, '\t')
        else:
            lines += members_of({'terms': quote(self.terms())}, '\t')
        return lines + ['\t},']


class File:
    """A file, and the part of its path that tells its CPU; as catalog_file.c has it"""
    def __init__(self, path, index):
        self.path, self.index = path, index
        self.name = 'built in: ' + path.removeprefix(PREFIX)
        match = re.fullmatch(r'(?:.*/)?arch/((arm64)(?:/.*)?)/[^/]*', path)
        system = match and '/sys/' in path
        self.arch = match[2] if match else None
        self.cpu = match[1] if match and not system else None
        base = path.rsplit('/', 1)[-1].removesuffix('.json')
        self.topic = 'metrics' if base.endswith('metrics') else base.replace('-', ' ')

    def c(self):
        fields = {'name': quote(self.name), 'cpu': quote(self.cpu), 'arch': quote(self.arch),
                  'topic': quote(self.topic)}
        return ['\t{'] + members_of(fields, '\t\t') + ['\t},']


def quote(text):
    """A string literal of C"""
    if text is None:
        return 'NULL'
    plain = b' !#$%&\'()*+,-./:;<=>@[]^_`{|}~'
    return '"' + ''.join(chr(byte) if byte in plain or chr(byte).isalnum() and byte < 128 else
                         f'\\{byte:03o}' for byte in text.encode()) + '"'


def members_of(fields, indent):
    return [f'{indent}.{name} = {value},' for name, value in fields.items() if value != 'NULL']


def read(path, file, first):
    """The entries of a file, of which the first has the number @first"""
    try:
        with open(path, encoding='utf-8') as stream:
            text = stream.read()
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f'{path}: {error}')
    entries = []
    for at, members in objects(text):
        line = text.count('\n', 0, at) + 1
        try:
            if isinstance(members, Fault):
                raise members
            entries.append(Entry(members, file, line, first + len(entries)))
        except Fault as fault:
            sys.exit(f'{path}:{line}: {fault}')
    return entries


def sort(entries):
    entries.sort(key=Entry.sort_key)
    for entry, other in zip(entries[1:], entries):
        if entry.sort_key() == other.sort_key():
            later, first = sorted((entry, other), key=lambda one: one.order, reverse=True)
            sys.exit(f'{later.file.path}:{later.line}: {later.name} is in '
                     f'{first.file.path}:{first.line} too')
    return entries


def table(kind, name, lines):
    return [f'static const {kind} {name}[] = {{'] + lines + ['};', '']


def group_tables(metrics):
    """Pairs of group and metric, and the first pair of each group"""
    pairs, starts = [], []
    named = {(lower(group).encode(), i): group
             for i, metric in enumerate(metrics) for group in reversed(metric.groups)}
    for (key, i), group in sorted(named.items()):
        if not pairs or pairs[-1][0] != key:
            starts.append(len(pairs))
        pairs.append((key, f'\t{{ {quote(group)}, &metrics[{i}] }},'))
    return (table('struct catalog_group', 'members', [line for _, line in pairs]) +
            table('size_t', 'starts', [f'\t{start},' for start in starts + [len(pairs)]]))


def aliases(paths, metrics):
    """The second names of metrics, as pairs of keys"""
    names = {metric.key for metric in metrics}
    keys = {}
    for path in paths:
        with open(path, encoding='utf-8') as stream:
            lines = [(number, line.split()) for number, line in enumerate(stream, 1)
                     if not line.startswith('#')]
        for number, words in lines:
            if len(words) != 2 or lower(words[0]) not in names:
                sys.exit(f'{path}:{number}: expected a built-in metric and its alias')
            if lower(words[1]) in names | keys.keys():
                sys.exit(f'{path}:{number}: {words[1]} is the name of another metric')
            keys[lower(words[1])] = lower(words[0])
    return [f'\t{{ {quote(key)}, {quote(name)} }},' for key, name in sorted(keys.items())]


class Legacy:
    """A line of legacy.tsv"""
    def __init__(self, line, number, file, metrics):
        fields = line.rstrip('\n').split('\t')
        if len(fields) != len(LEGACY) or '' in fields:
            raise Fault(f'expected {len(LEGACY)} columns, "-" for nothing: {", ".join(LEGACY)}')
        self.get = {key: None if value == '-' else value for key, value in zip(LEGACY, fields)}
        self.file, self.number, self.key = file, number, lower(fields[0])
        for key, allowed in (('kind', LEGACY_KINDS), ('collected', LEGACY_MODES), ('match', LEGACY_MATCHES)):
            if self.get[key] not in allowed:
                raise Fault(f'{key}: expected one of {"; ".join(allowed)}')
        if len({self.get['formula'] is None, self.get['collected'] == 'none', self.get['match'] == 'none'}) > 1:
            raise Fault('expected a formula, or none in collected and match')
        if not self.get['formula'] and not self.get['note']:
            raise Fault('expected a note with the reason why nothing counts it')
        if self.key in metrics and not self.get['note']:
            raise Fault('expected a note, since a built-in metric has this name')
        self.is_metric = self.get['collected'] == 'sampling'

    def metric(self):
        get = self.get
        fields = {
            'name': quote(get['name']), 'key': quote(self.key), 'pmu': quote('nvidia_gpu'),
            'description': quote(get['description']), 'details': quote(get['note']),
            'unit': quote(get['unit']), 'scale': '1.0', 'file': f'&files[{self.file.index}]',
            'line': self.number,
        }
        expr = re.sub(r'[\w.]*__[\w.]+', lambda event: f'nvidia_gpu@{event[0]}@', get['formula'])
        return ['\t{ .entry = {'] + members_of(fields, '\t\t') + ['\t},', f'\t.expr = {quote(expr)},', '\t},']

    def c(self, metric):
        get = self.get
        fields = {key: quote(get[key]) for key in ('name', 'match', 'unit', 'formula', 'description', 'note')}
        fields |= {'mode': 'LEGACY_' + get['collected'].upper(),
                   'is_metric': str('metric' in get['kind']).lower(),
                   'is_event': str('event' in get['kind']).lower(),
                   'metric': 'NULL' if metric is None else f'&legacy_metrics[{metric}]'}
        return ['\t{'] + members_of(fields, '\t\t') + ['\t},']


def read_legacy(path, file, metrics):
    """The lines of legacy.tsv, sorted by name"""
    lines, keys = [], {metric.key for metric in metrics}
    with open(path, encoding='utf-8') as stream:
        for number, line in enumerate(stream, 1):
            if line.startswith('#'):
                continue
            try:
                lines.append(Legacy(line, number, file, keys))
            except Fault as fault:
                sys.exit(f'{path}:{number}: {fault}')
            if len(lines) > 1 and lines[-2].key >= lines[-1].key:
                sys.exit(f'{path}:{number}: {lines[-1].key}: expected names in order, each once')
    return lines


def legacy_tables(lines):
    """The table of names, and the metrics of those that PM sampling collects"""
    counted = [line for line in lines if line.is_metric]
    metrics = [text for line in counted for text in line.metric()]
    names = [text for line in lines
             for text in line.c(counted.index(line) if line.is_metric else None)]
    return (table('struct gpmu_metric', 'legacy_metrics', metrics or ['\t{ .expr = NULL },']) +
            table('struct gpmu_legacy', 'legacy', names + ['\t{ .name = NULL },']))


def main(output, paths):
    files, entries = [], []
    tsv = [path for path in paths if path.endswith('.tsv')]
    old = [path for path in tsv if path.endswith('/legacy.tsv')]
    for path in [path for path in paths if path not in tsv]:
        files.append(File(path, len(files)))
        entries += read(path, files[-1], len(entries))
    metrics = sort([entry for entry in entries if entry.metric])
    events = sort([entry for entry in entries if not entry.metric])
    names = []
    for path in old:
        files.append(File(path, len(files)))
        names += read_legacy(path, files[-1], metrics)
    lines = ['/* SPDX-License-Identifier: LGPL-2.1-or-later */',
             '/* Generated by metrics/catalog/tables.py */',
             '#include "catalog/catalog.h"', '']
    lines += table('struct catalog_file', 'files', [line for file in files for line in file.c()])
    for kind, name, some in (('struct gpmu_metric', 'metrics', metrics),
                             ('struct gpmu_event_def', 'events', events)):
        lines += table(kind, name, [line for entry in some for line in entry.c()])
        lines += table('struct catalog_entry *const', f'sorted_{name}',
                       [f'\t&{name}[{i}].entry,' for i in range(len(some))])
    lines += group_tables(metrics)
    lines += legacy_tables(names)
    second = aliases([path for path in tsv if path not in old], metrics)
    lines += table('struct catalog_alias', 'aliases', second + ['\t{ NULL, NULL },'])
    lines += [
        'const struct gpmu_catalog catalog_builtin = {',
        f'\t.metrics = {{ .entries = sorted_metrics, .length = {len(metrics)} }},',
        f'\t.events = {{ .entries = sorted_events, .length = {len(events)} }},',
        '\t.groups = { .members = members, .starts = starts,',
        '\t\t    .count = sizeof(starts) / sizeof(starts[0]) - 1 },',
        '\t.aliases = aliases,',
        f'\t.legacy = {{ .names = legacy, .length = {len(names)} }},',
        f'\t.order = {len(entries)},',
        '};', '',
    ]
    with open(output, 'w', encoding='ascii') as stream:
        stream.write('\n'.join(lines))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
