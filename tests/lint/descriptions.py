#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
descriptions.py FILE...: prints the test descriptions that do not stand alone, as "file:line: text: reason".

A description is the argument of ok() and of each function that passes a parameter on to ok(), in C and in shell
scripts. Literals are checked, also those in a table whose member is passed on. A description needs at least four
words and must not begin with "..." or with a word such as "and". A word that is only a placeholder (%s, $x, $(x))
counts as two words, a number (%d) as one.
"""
import os
import re
import sys

LEADING = {"and", "or", "nor", "also", "but", "so", "neither", "why"}
LEAST = 4
TEXT, NUMBER = "\1", "\2"       # placeholders

C_TOKEN = re.compile(r"""
    (?P<space>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:\\\n|[^\n])*)
  | (?P<string>"(?:\\.|[^"\\\n])*")
  | (?P<char>'(?:\\.|[^'\\\n])*')
  | (?P<name>[A-Za-z_]\w*)
  | (?P<other>->|[0-9][\w.]*|.)""", re.S | re.M | re.X)
C_SPEC = re.compile(r"%[-+ #0]*[0-9*]*(?:\.[0-9*]+)?(?:hh|h|ll|l|z|j|t)?([a-zA-Z%])")
C_INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)

# Index of the description among the arguments of the base functions
C_BASE = {"ok": 1}
SHELL_BASE = {"ok": 2, "is": 3, "like": 3, "unlike": 3, "skip": 2}
SHELL_WORDS = {"if", "then", "else", "elif", "do", "while", "until", "!", "{", "}", "time"}


def fault(text):
    """the reason why @text does not stand alone, or None"""
    text = re.sub(r"^ok \S+ - ", "", text).split(" # SKIP")[0].strip()
    words = re.findall(r"\S*\w\S*|\S*[\1\2]\S*", text)
    count = sum(2 if w.strip(".,:;()'\"") == TEXT else 1 for w in words)
    for head in re.match(r"\W*(\w*)(?:[^:]*:\s+)?(\w*)", text).groups():
        if head.lower() in LEADING:
            return f"begins with \"{head}\""
    if text.startswith("..."):
        return "begins with \"...\""
    return f"has fewer than {LEAST} words" if count < LEAST else None


def show(text):
    return " ".join(text.replace(TEXT, "%s").replace(NUMBER, "%d").split())


class Token:
    def __init__(self, kind, text, line):
        self.kind, self.text, self.line = kind, text, line


def c_tokens(source):
    tokens, line = [], 1
    for match in C_TOKEN.finditer(source):
        if match.lastgroup != "space":
            tokens.append(Token(match.lastgroup, match.group(), line))
        line += match.group().count("\n")
    return tokens


def closing(tokens, at):
    """the index of what closes the bracket at @at"""
    depth = 0
    for i in range(at, len(tokens)):
        depth += tokens[i].text in "([{" and tokens[i].kind == "other"
        depth -= tokens[i].text in ")]}" and tokens[i].kind == "other"
        if depth == 0:
            return i
    return len(tokens)


def split(tokens, separators):
    """@tokens, split at the separators outside of brackets"""
    parts, at = [[]], 0
    while at < len(tokens):
        end = closing(tokens, at) if tokens[at].kind == "other" and tokens[at].text in "([{" else at
        if tokens[at].kind == "other" and tokens[at].text in separators:
            parts.append([])
        else:
            parts[-1] += tokens[at:end + 1]
        at = end + 1
    return parts


def c_unquote(token):
    text = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m.group(1), m.group(1)), token.text[1:-1])
    return C_SPEC.sub(lambda m: {"%": "%", "s": TEXT, "m": TEXT}.get(m.group(1), NUMBER), text)


def c_literals(tokens):
    """(line, text) of each literal that the expression may evaluate to"""
    found = []
    for part in split(tokens, "?:"):
        strings = [t for t in part if t.kind == "string"]
        if not strings or part[0].kind not in ("string", "name") or any(t.text in "()[" for t in part):
            continue
        text = "".join(c_unquote(t) if t.kind == "string" else NUMBER for t in part)
        found.append((strings[0].line, text))
    return found


class Function:
    def __init__(self, name, parameters, body):
        self.name, self.parameters, self.body = name, parameters, body


class CFile:
    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", errors="replace") as file:
            source = file.read()
        self.includes = C_INCLUDE.findall(source)
        self.tokens = c_tokens(source)
        self.functions = list(self.find_functions())
        self.helpers = {}
        self.prints = False

    def find_functions(self):
        tokens, at = self.tokens, 0
        while at < len(tokens):
            token = tokens[at]
            if token.text == "{":
                end = closing(tokens, at)
                if at and tokens[at - 1].text == ")":
                    yield self.function_before(at, end)
                at = end
            at += 1

    def function_before(self, brace, end):
        tokens, at, depth = self.tokens, brace - 1, 0
        while at > 0:
            depth += (tokens[at].text == ")") - (tokens[at].text == "(")
            if depth == 0:
                break
            at -= 1
        parameters = []
        for part in split(tokens[at + 1:brace - 1], ","):
            names = [t.text for t in split(part, "[")[0] if t.kind == "name"]
            parameters.append(names[-1] if names else "")
        return Function(tokens[at - 1].text, parameters, tokens[brace + 1:end])

    def calls(self, tokens):
        for at, token in enumerate(tokens[:-1]):
            if token.kind == "name" and tokens[at + 1].text == "(":
                yield token, split(tokens[at + 2:closing(tokens, at + 1)], ",")


def c_described(call, helpers):
    """the argument that is the description; of the format "%s", the argument after it"""
    token, arguments = call
    if token.text == "printf":
        first = arguments[0]
        if not first or not re.match(r'"ok \S+ - ', first[0].text):
            return []
        return arguments[2] if re.match(r'"ok \S+ - %s', first[0].text) and len(arguments) > 2 else first
    index = helpers.get(token.text)
    if index is None or index >= len(arguments):
        return []
    argument = arguments[index]
    if len(argument) == 1 and argument[0].text == '"%s"' and index + 1 < len(arguments):
        return arguments[index + 1]
    return argument


class C:
    """all C files; a file has the helpers of the headers that it includes"""

    def __init__(self, paths):
        self.files = {path: CFile(path) for path in paths}
        self.by_name = {}
        for path in paths:
            self.by_name.setdefault(os.path.basename(path), []).append(path)
        self.learn()

    def included(self, path, seen):
        if path in seen:
            return
        seen.add(path)
        for name in self.files[path].includes:
            beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
            known = [beside] if beside in self.files else self.by_name.get(os.path.basename(name), [])
            for other in known:
                self.included(other, seen)

    def helpers(self, path):
        seen, helpers = set(), {}
        self.included(path, seen)
        for other in seen:
            helpers.update(self.files[other].helpers)
        helpers.update(self.files[path].helpers)
        return helpers

    def learn(self):
        for file in self.files.values():
            for function in file.functions:
                if function.name in C_BASE and len(function.parameters) > C_BASE[function.name]:
                    file.helpers[function.name] = C_BASE[function.name]
        changed = True
        while changed:
            changed = False
            for path, file in self.files.items():
                known = self.helpers(path)
                for function in file.functions:
                    changed |= self.learn_from(file, function, known)

    def learn_from(self, file, function, known):
        if function.name in file.helpers:
            return False
        for call in file.calls(function.body):
            handed = c_described(call, known)
            if len(handed) == 1 and handed[0].text in function.parameters:
                file.helpers[function.name] = function.parameters.index(handed[0].text)
                return True
        return False

    def findings(self, path):
        file, known, members = self.files[path], self.helpers(path), set()
        for function in file.functions:
            for call in file.calls(function.body):
                handed = c_described(call, known)
                yield from c_literals(handed)
                if len(handed) > 2 and handed[-2].text in (".", "->"):
                    members.add(handed[-1].text)
        if members:
            yield from table_texts(file, members)


def table_texts(file, members):
    """texts of the @members in tables, by designated initialiser or by position"""
    tokens, order = file.tokens, {}
    for at, token in enumerate(tokens):
        if token.text in members and tokens[at - 1].text == "." and tokens[at + 1].text == "=":
            yield from c_literals(split(tokens[at + 2:closing(tokens, at + 2) + 40], ",;}")[0])
        if token.text != "struct":
            continue
        brace = at + 1 + (tokens[at + 1].kind == "name")
        after, names = brace, order.get(tokens[at + 1].text)
        if tokens[brace].text == "{":
            after = closing(tokens, brace) + 1
            names = [n for part in split(tokens[brace + 1:after - 1], ";") for n in declared(part)]
            order[tokens[at + 1].text] = names
        if not names or after + 1 >= len(tokens) or tokens[after + 1].text != "[":
            continue
        equals = closing(tokens, after + 1) + 1
        if tokens[equals].text == "=" and tokens[equals + 1].text == "{":
            yield from row_texts(tokens[equals + 2:closing(tokens, equals + 1)], names, members)


def declared(part):
    names = []
    for declarator in split(part, ","):
        own = [t.text for t in split(declarator, "[:=")[0] if t.kind == "name"]
        names += own[-1:]
    return names


def row_texts(tokens, names, members):
    for row in split(tokens, ","):
        if not row or row[0].text != "{":
            continue
        for name, value in zip(names, split(row[1:-1], ",")):
            if name in members and value and value[0].text != ".":
                yield from c_literals(value)


class Shell:
    """a script's commands, each a list of (line, words); a word is its text with placeholders"""

    def __init__(self, path):
        self.path = path
        with open(path, encoding="utf-8", errors="replace") as file:
            self.source = file.read()
        self.at, self.line, self.commands, self.heredocs = 0, 1, [], []
        self.parse()
        self.functions = self.find_functions()
        self.helpers = {}

    def find_functions(self):
        found, lines = [], self.source.split("\n")
        for first, text in enumerate(lines, 1):
            match = re.match(r"(\s*)(\w+)\(\) *[{(]", text)
            if not match:
                continue
            last = first
            while last < len(lines) and not re.match(match.group(1) + "[})]", lines[last - 1 + (last == first)]):
                last += 1
            found.append((match.group(2), first, last + 1))
        return found

    def parse(self):
        words, start = [], 1
        while self.at < len(self.source):
            char = self.source[self.at]
            if self.source.startswith("\\\n", self.at):
                self.step(2)
            elif char in " \t":
                self.step(1)
            elif char == "#":
                self.step(self.until("\n") - self.at)
            elif char in "\n;&|()":
                if words:
                    self.commands.append((start, words))
                words = []
                self.step(1)
                if char == "\n":
                    self.skip_heredocs()
            elif char in "<>":
                self.redirection()
            else:
                start = start if words else self.line
                words.append((self.line, *self.word()))
        if words:
            self.commands.append((start, words))

    def step(self, n):
        self.line += self.source.count("\n", self.at, self.at + n)
        self.at += n

    def until(self, text):
        end = self.source.find(text, self.at)
        return len(self.source) if end < 0 else end

    def redirection(self):
        match = re.compile(r"<<(-?)[ \t]*(['\"]?)(\w+)\2").match(self.source, self.at)
        if match and not self.source.startswith("<<<", self.at):
            self.heredocs.append((match.group(3), match.group(1)))
            self.step(match.end() - match.start())
            return
        match = re.compile(r"<<<|[<>]\(|[<>]+[&|]?").match(self.source, self.at)
        if match.group().endswith("("):
            self.step(1)
            self.step(self.nested(self.at) - self.at)
            return
        self.step(len(match.group()))
        while self.source[self.at] in " \t":
            self.step(1)
        if self.source[self.at] not in "<>\n":
            self.word()

    def skip_heredocs(self):
        for end, dash in self.heredocs:
            while self.at < len(self.source):
                line = self.source[self.at:self.until("\n")]
                self.step(len(line) + 1)
                if (line.lstrip("\t") if dash else line) == end:
                    break
        self.heredocs = []

    def nested(self, at):
        """the index behind the parenthesis that closes the one at @at"""
        depth, source = 0, self.source
        while at < len(source):
            char = source[at]
            if char == "\\":
                at += 1
            elif char == "'":
                at = source.find("'", at + 1)
            elif char == '"':
                at = self.quoted(at) - 1
            elif char in "()":
                depth += 1 if char == "(" else -1
                if depth == 0:
                    return at + 1
            at += 1
        return at

    def quoted(self, at):
        """the index behind the double quote that closes the one at @at"""
        at += 1
        while at < len(self.source) and self.source[at] != '"':
            if self.source[at] == "\\":
                at += 2
            elif self.source.startswith("$(", at):
                at = self.nested(at + 1)
            else:
                at += 1
        return at + 1

    def expansion(self, at):
        """the index behind the expansion at @at; @at + 1 if none is there"""
        if self.source.startswith("$(", at):
            return self.nested(at + 1)
        if self.source.startswith("${", at):
            depth, end = 0, at + 1
            while end < len(self.source):
                depth += (self.source[end] == "{") - (self.source[end] == "}")
                end += 1
                if depth == 0:
                    return end
        match = re.compile(r"\$(\w+|[@*#?$!-])").match(self.source, at)
        return match.end() if match else at + 1

    def word(self):
        """the raw text of the word and its text with placeholders; moves behind it"""
        begin, text, source = self.at, "", self.source
        end, quote = self.at, None
        while end < len(source):
            char = source[end]
            if quote is None and char in " \t\n;&|()<>":
                break
            if char == "'" and quote is None:
                close = source.find("'", end + 1)
                text += source[end + 1:close]
                end = close + 1
            elif char == '"':
                quote = None if quote else '"'
                end += 1
            elif char == "\\":
                text += source[end + 1:end + 2]
                end += 2
            elif char == "$":
                behind = self.expansion(end)
                text += TEXT if behind > end + 1 else "$"
                end = behind
            else:
                text += char
                end += 1
        end = max(end, self.at + 1)
        self.step(end - self.at)
        return source[begin:end], text


def shell_described(words, helpers):
    while words and words[0][1] in SHELL_WORDS:
        words = words[1:]
    index = helpers.get(words[0][1]) if words else None
    return words[index] if index and index < len(words) else None


def shell_learn(script, helpers):
    changed = True
    while changed:
        changed = False
        for name, first, last in script.functions:
            if name in helpers:
                continue
            inside = [words for line, words in script.commands if first <= line <= last]
            aliases, shifts = {}, 0
            for words in inside:
                for _, raw, _ in words:
                    match = re.fullmatch(r'(\w+)="?\$\{?([0-9])\}?"?', raw)
                    if match:
                        aliases[match.group(1)] = int(match.group(2)) + shifts
                if words[0][1] == "shift":
                    shifts += int(words[1][1]) if len(words) > 1 and words[1][1].isdigit() else 1
                handed = shell_described(words, helpers)
                match = re.fullmatch(r'"\$\{?(\w+)\}?"', handed[1]) if handed else None
                if match and match.group(1).isdigit():
                    helpers[name] = int(match.group(1)) + shifts
                elif match and match.group(1) in aliases:
                    helpers[name] = aliases[match.group(1)]
                changed |= name in helpers
    return helpers


def shell_findings(path, libraries):
    script, helpers = Shell(path), dict(SHELL_BASE)
    for library in libraries:
        if library != path:
            helpers.update(libraries[library])
    for name, _, _ in script.functions:
        if name not in SHELL_BASE:
            helpers.pop(name, None)
    shell_learn(script, helpers)
    for _, words in script.commands:
        handed = shell_described(words, helpers)
        if handed and handed[2].strip() != TEXT:
            yield handed[0], handed[2]


def sourced(path, by_path):
    """the libraries that the script at @path sources, as its text names them"""
    with open(path, encoding="utf-8", errors="replace") as file:
        names = re.findall(r"^\s*(?:\.|source) (\S+)", file.read(), re.M)
    found = {}
    for name in names:
        name = re.sub(r'^"?\$\{?\w+\}?/|"', "", name)
        for path_of in by_path:
            if path_of.endswith("/" + os.path.normpath(name).lstrip("./")) or path_of == name:
                found[path_of] = by_path[path_of]
                found.update(sourced(path_of, by_path))
    return found


def main():
    c = C([path for path in sys.argv[1:] if path.endswith((".c", ".h"))])
    scripts = [path for path in sys.argv[1:] if not path.endswith((".c", ".h"))]
    by_path = {path: shell_learn(Shell(path), dict(SHELL_BASE)) for path in scripts if path.endswith(".sh")}
    found = [(path, *finding) for path in c.files for finding in c.findings(path)]
    for path in scripts:
        found += [(path, *finding) for finding in shell_findings(path, sourced(path, by_path))]
    for path, line, text in sorted(set(found)):
        reason = fault(text)
        if reason:
            print(f"{path}:{line}: {show(text)}: {reason}")


main()
