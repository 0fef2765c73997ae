# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares the C file of jevents.py with the JSON: prints each difference, or nothing."""
import re
import sys

from events_check import check_mutants, core_counts, event_values, fail, our_core, rows, same, sys_items, sys_metrics
from events_expr import ExprError, evaluate, ids


def fields(path):
    """The fields of all table rows: the C strings, split at their NUL bytes."""
    with open(path, encoding='utf-8') as f:
        text = re.sub(r'/\*.*?\*/', '', f.read(), flags=re.S)
    joined = '\\000'.join(re.findall(r'"((?:[^"\\\n]|\\.)*)"', text))
    return [re.sub(r'\\(["\\])', r'\1', s) for s in joined.split('\\000')]


def near(out, name):
    """For each field that is NAME, that field and the next 13."""
    places = [i for i, s in enumerate(out) if s.lower() == name.lower()]
    return [out[i:i + 14] for i in places]


def events(path, _):
    out = fields(path)
    for _, e in sys_items('EventName'):
        code = int(e['EventCode'], 16)
        text = {f'event={code:#x}', f'event={code}'}
        brief = e['BriefDescription']
        if not any(text & set(n) and any(s.startswith(brief) for s in n) for n in near(out, e['EventName'])):
            fail(e['Unit'], e['EventName'], 'is missing with its code', e['EventCode'], 'and description')


def find(out, name, expr):
    """The formula of a metric in the C file: the field with the same events."""
    for place in near(out, name):
        for text in place:
            try:
                if set(ids(text)) == set(ids(expr)) and text != name:
                    return text
            except ExprError:
                continue
    return None


def metrics(path, version):
    out = fields(path)
    todo = [(r[0], sys_metrics()[r[0]], float(r[5]), event_values(r)) for r in rows('tests/unit/pmu-events/events-metrics.tsv')]
    value, wants = core_counts()
    todo += [(n, m, wants[n], (value, lambda _: 1)) for n, (m, _) in our_core(version).items()]
    for name, m, want, counts in todo:
        expr = find(out, name, m['MetricExpr'])
        if expr is None:
            fail(name, 'is missing with its events')
        elif not same(evaluate(expr, *counts), want):
            fail(name, 'has become', expr)
        else:
            check_mutants(name, expr, want, *counts)


if __name__ == '__main__':
    globals()[sys.argv[1]](*sys.argv[2:])
