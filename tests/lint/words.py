#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
words.py FILE...: prints identifiers and comments of C code that need their surroundings to be understood, as
"file:line: text: reason".

An identifier is no preposition or pronoun, and calls a limit max or min. A comment begins with its subject or with a verb.
"""
import re
import sys

TOKEN = re.compile(r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
  | (?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*\#[ \t]*include[^\n]*)
  | (?P<name>[A-Za-z_]\w*)""", re.S | re.M | re.X)
ALONE = {"of", "it"}
LIMITS = {"most": "max", "least": "min"}
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


for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        source = file.read()
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
