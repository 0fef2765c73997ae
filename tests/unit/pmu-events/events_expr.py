# SPDX-License-Identifier: LGPL-2.1-or-later
"""perf's MetricExpr grammar (tools/perf/util/expr.{l,y}), as strict as the strictest perf version.

Division by zero is an error, as in perf 6.1; d_ratio(x, 0) is 0.
"""
import re

TOKEN = re.compile(r'''\s*(?:
    (?P<num>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?(?![0-9a-zA-Z_.:@?\\]))
  | (?P<lit>\#[0-9a-zA-Z_.\-]+)
  | (?P<id>(?:\\[-,=]|[0-9a-zA-Z_.:@?])+)
  | (?P<op>[|^&<>+\-*/%(),])
)''', re.X)
LEVELS = ('|', '^', '&', '<>', '+-', '*/%')
KEYWORDS = ('if', 'else', 'min', 'max', 'd_ratio', 'source_count', 'strcmp_cpuid_str')


class ExprError(Exception):
    """An expression that perf rejects or evaluates to nan."""


def tokens(text):
    """The tokens as (kind, text), with the escapes of the JSON."""
    out, pos, text = [], 0, text.rstrip()
    while pos < len(text):
        m = TOKEN.match(text, pos)
        if not m or m.end() == pos:
            raise ExprError(f'cannot read {text[pos:pos + 20]!r}')
        kind = m.lastgroup
        word = m.group(kind)
        out.append(('op' if word in KEYWORDS else kind, word))
        pos = m.end()
    return out


def ids(text):
    """The events of an expression, unescaped, in order."""
    return [re.sub(r'\\(.)', r'\1', w) for k, w in tokens(text) if k == 'id']


class _Parser:
    def __init__(self, text, value, count, literals):
        self.toks = tokens(text) + [('end', '')]
        self.pos = 0
        self.value, self.count, self.literals = value, count, literals

    def peek(self):
        return self.toks[self.pos][1] if self.toks[self.pos][0] in ('op', 'end') else None

    def take(self, want=None):
        kind, word = self.toks[self.pos]
        if want is not None and word != want:
            raise ExprError(f'{want!r} expected, {word!r} found')
        self.pos += 1
        return kind, word

    def if_expr(self):
        val = self.binary(0)
        if self.peek() != 'if':
            return val
        self.take()
        cond = self.binary(0)
        self.take('else')
        other = self.if_expr()
        return val if cond else other

    def binary(self, level):
        if level == len(LEVELS):
            return self.unary()
        lhs = self.binary(level + 1)
        while self.peek() and self.peek() in LEVELS[level]:
            op = self.take()[1]
            lhs = self.apply(op, lhs, self.binary(level + 1))
        return lhs

    @staticmethod
    def apply(op, a, b):
        if op in '/%' and b == 0:
            raise ExprError('division by zero')
        return {'|': lambda: float(bool(a) or bool(b)), '&': lambda: float(bool(a) and bool(b)),
                '^': lambda: float(bool(a) != bool(b)), '<': lambda: float(a < b),
                '>': lambda: float(a > b), '+': lambda: a + b, '-': lambda: a - b,
                '*': lambda: a * b, '/': lambda: a / b, '%': lambda: a % b}[op]()

    def unary(self):
        kind, word = self.take()
        if word == '-':
            return -self.unary()
        if word == '(':
            val = self.if_expr()
            self.take(')')
            return val
        if word in ('d_ratio', 'min', 'max'):
            self.take('(')
            a = self.binary(0)
            self.take(',')
            b = self.binary(0)
            self.take(')')
            if word == 'd_ratio':
                return a / b if b else 0.0
            return min(a, b) if word == 'min' else max(a, b)
        if word in ('source_count', 'strcmp_cpuid_str'):
            self.take('(')
            arg = re.sub(r'\\(.)', r'\1', self.take()[1])
            self.take(')')
            return float(self.count(arg)) if word == 'source_count' else 0.0
        if kind == 'num':
            return float(word)
        if kind == 'lit':
            return float(self.literals[word])
        if kind == 'id':
            return float(self.value(re.sub(r'\\(.)', r'\1', word)))
        raise ExprError(f'{word!r} not expected')


def evaluate(text, value, count=lambda _: 1, literals=None):
    """The value of an expression; value(id) is an event's count, count(id) its number of PMUs."""
    p = _Parser(text, value, count, literals or {'#slots': 8, '#target_cpu': 0})
    val = p.if_expr()
    p.take('')
    return val


def mutants(text):
    """(what, text) of expressions with one number, source_count, operator or event changed."""
    toks = tokens(text)
    words = [w for _, w in toks]
    events = sorted({w for k, w in toks if k == 'id'})
    for i, (kind, word) in enumerate(toks):
        changed = []
        if kind == 'num':
            changed = [str(float(word) * 2), str(float(word) / 2)]
        elif word in '+-*/' and kind == 'op':
            changed = [{'+': '-', '-': '+', '*': '/', '/': '*'}[word]]
        elif kind == 'id':
            changed = [e for e in events if e != word]
        for new in changed:
            if words[max(0, i - 2):i] == ['source_count', '(']:
                continue    # each event of the PMU has the same number of PMUs
            yield f'{word} -> {new}', ' '.join(words[:i] + [new] + words[i + 1:])
        if word == 'source_count':
            yield 'source_count(...) -> 1', ' '.join(words[:i] + ['1'] + words[i + 4:])
