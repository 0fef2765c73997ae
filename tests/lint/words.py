#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
words.py FILE...: prints identifiers and comments of C code that need their surroundings to be understood, as
"file:line: text: reason".

An identifier is no preposition or pronoun, and calls a limit max or min. A variable, parameter or member of type bool
begins with a word that makes it a statement. A comment begins with its subject or with a verb.
"""
import re
import sys

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#[ \t]*include[^\n]*)
  | (?P<name>[A-Za-z_]\w*)""", re.S | re.M | re.X)
ALONE = {"of", "it", "at", "one"}
LIMITS = {"most": "max", "least": "min"}
STATEMENT = re.compile(r"(is|has|wants|can|needs)_")
# The first name behind bool, unless it is a function's; further names behind commas, unless the comma ends a parameter
DECLARED = re.compile(r"\bbool\s+(?:const\s+)?[*\s]*(?P<name>[A-Za-z_]\w*)\s*(?=[;,=:)\[])")
NEXT = re.compile(r",[*\s]*(?P<name>[A-Za-z_]\w*)\s*(?=[;,=\[])")
BEGINNINGS = re.compile(r"(Of|The same|Those|What|Whether|Beside)\b")


def name_fault(name):
    """the reason why the name is refused, or None"""
    if name in ALONE:
        return "name the thing"
    for part in name.lower().split("_"):
        if part in LIMITS:
            return f"use {LIMITS[part]}"
    return None


def comment_fault(comment):
    begin = BEGINNINGS.match(re.sub(r"^(//|/\*+)[\s*]*", "", comment))
    return f"begins with \"{begin[1]}\"" if begin else None


def end_of_declarator(code, pos):
    """the position of the comma, semicolon or parenthesis that ends the declarator, whose initializer may have commas"""
    depth = 0
    while pos < len(code) and (depth or code[pos] not in ",;)"):
        depth += (code[pos] in "([{") - (code[pos] in ")]}")
        pos += 1
    return pos


def bool_faults(source):
    """positions and names of the variables, parameters and members of type bool that are no statement"""
    code = TOKEN.sub(lambda match: match[0] if match["name"] else re.sub(r"[^\n]", " ", match[0]), source)
    for first in DECLARED.finditer(code):
        match = first
        while match:
            if not STATEMENT.match(match["name"]):
                yield match.start("name"), match["name"]
            match = NEXT.match(code, end_of_declarator(code, match.end()))


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        source = file.read()
    # Users see the names of the public headers, which do not change
    for start, name in [] if path.startswith("metrics/include/") else bool_faults(source):
        print(f"{path}:{source.count(chr(10), 0, start) + 1}: {name}: a bool begins with is, has, wants, can or needs")
    for match in TOKEN.finditer(source):
        text = match.group()
        if match.lastgroup == "name":
            reason = name_fault(text)
        elif match.lastgroup == "comment":
            reason = comment_fault(text)
        else:
            continue
        if reason:
            print(f"{path}:{source.count(chr(10), 0, match.start()) + 1}: {text.splitlines()[0][:60]}: {reason}")
