# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads the public headers: comments, types and functions in their order."""
import pathlib
import re
from dataclasses import dataclass, field


@dataclass
class Comment:
    """One that is for itself, or of what follows; kernel: its form is kernel-doc"""
    text: list
    kernel: bool = False
    brief: str = ""
    arguments: list = field(default_factory=list)
    result: str = ""


@dataclass
class Function:
    type: str
    name: str
    arguments: str
    names: list
    note: str


@dataclass
class Entry:
    """Functions that a comment is of"""
    comment: Comment
    functions: list


@dataclass
class Type:
    """notes: (enumerator, its comment)"""
    kind: str
    name: str
    members: list
    notes: list
    comment: Comment


@dataclass
class Other:
    """A declaration that is only shown"""
    text: str


@dataclass
class Header:
    include: str
    top: Comment
    needs: list
    items: list


def fail(path, number, text):
    raise SystemExit(f"{path}:{number}: man3_header.py: {text}")


def joined(lines):
    """Lines to paragraphs; a line "- ..." begins one"""
    out, new = [], True
    for text in lines:
        text = text.strip()
        if not text:
            new = True
        elif new or text.startswith("- "):
            out.append(text)
            new = False
        else:
            out[-1] += " " + text
    return out


def comment(lines, path, number):
    """The Comment in @lines, whose first is line @number. A summary of kernel-doc is one line."""
    kernel = lines[0].startswith("/**")
    lines = re.sub(r"^/\*+|\*/$", "", "\n".join(lines)).split("\n")
    lines = [re.sub(r"^ \* ?", "", text) for text in lines]
    if not kernel:
        return Comment(joined(lines))
    if lines[2].strip() and not lines[2].lstrip().startswith("@"):
        fail(path, number + 2, "expected a summary of one line, then arguments or an empty line")
    made = Comment([], True)
    rest, last = [], None
    for text in lines:
        start = re.match(r"\s*@(\w+): *(.*)", text) if not rest or not any(rest) else None
        if not made.brief and text.strip():
            made.brief = text.split(" - ", 1)[1].strip()
        elif start:
            last = [start[1], start[2]]
            made.arguments.append(last)
        elif last and text.strip() and not rest:
            last[1] += " " + text.strip()
        elif made.brief:
            rest.append(text)
    for text in joined(rest):
        if text.startswith("Return: "):
            made.result = text.removeprefix("Return: ")
        else:
            made.text.append(text)
    return made


def argument_names(text):
    """Of "const char *a, void (*b)(int c)": a, b"""
    names, depth, part = [], 0, ""
    for c in text + ",":
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            pointer = re.search(r"\(\*(\w+)\)", part)
            names.append(pointer[1] if pointer else re.search(r"(\w+)\W*$", part)[1])
            part = ""
        else:
            part += c
    return [name for name in names if name != "void"]


def function(text):
    text, note = re.match(r"(.*?;)\s*(?:/\*(.*)\*/)?$", text, re.S).groups()
    match = re.match(r"(.*?)(gpmu_\w+)\((.*)\);$", " ".join(text.split()))
    if not match:
        return None
    kind, name, arguments = match.groups()
    return Function(kind.strip(), name, arguments, argument_names(arguments), (note or "").strip())


def type_of(text, doc):
    kind, name, body = re.match(r"(struct|enum) (\w+) \{\n(.*)\};", text, re.S).groups()
    made = Type(kind, name, [], [], doc)
    if kind == "enum":
        for text in body.strip().split("\n"):
            value, note = re.match(r"\s*(\w+)(?:\s*=[^,/]*)?,?\s*(?:/\*(.*)\*/)?$", text).groups()
            made.notes.append((value, (note or "").strip()))
    else:
        made.members = [" ".join(text.split()) + ";" for text in body.split(";") if text.strip()]
    return made


def blocks(path, first, lines):
    """(number, lines) of each comment, declaration and blank line; @first numbers line 1"""
    i = 0
    while i < len(lines):
        begin = i
        text = lines[i]
        if text.startswith("/*"):
            while not lines[i].endswith("*/"):
                i += 1
        elif text.startswith("#define"):
            pass
        elif text:
            end = r"^\}.*;$" if text.endswith("{") else r";\s*(/\*.*\*/)?$"
            while not re.search(end, lines[i]):
                i += 1
                if i == len(lines):
                    fail(path, first + begin, "a comment or declaration without an end")
        i += 1
        yield first + begin, lines[begin:i]


def declaration(path, number, text, doc, items, open_entry):
    """Appends it to the items; the entry that a function without a comment can be in"""
    if re.match(r"(struct|enum) \w+ \{", text):
        items.append(type_of(text, doc))
    elif re.match(r"struct \w+;", text):
        if doc:
            items.append(doc)
        if text.startswith("struct gpmu_"):
            items.append(Other(text.split("\t")[0]))
    elif text.startswith(("extern", "#define")):
        items.append(Other(re.sub(r"\s+__attribute__.*", ";", " ".join(text.split()))))
    else:
        made = function(text)
        if not made:
            fail(path, number, "neither a function nor a type")
        if doc:
            items.append(Entry(doc, [made]))
            return items[-1]
        if not open_entry:
            fail(path, number, f"{made.name}() has no comment")
        open_entry.functions.append(made)
        return open_entry
    return None


def read(path, include):
    """A header: between extern "C" { and the end of it"""
    text = path.read_text(encoding="utf-8")
    head, body = re.match(r'(.*?)extern "C" \{\n#endif\n(.*)#ifdef __cplusplus', text, re.S).groups()
    first = head.count("\n") + 3
    top = re.findall(r"^/\*.*?\*/$", head, re.S | re.M)[1].split("\n")
    items, doc, entry = [], None, None
    for number, lines in blocks(path, first, body.split("\n")):
        if lines == [""]:
            if doc:
                items.append(doc)
            doc = entry = None
        elif lines[0].startswith("/*"):
            doc, entry = comment(lines, path, number), None
        else:
            entry = declaration(path, number, "\n".join(lines), doc, items, entry)
            doc = None
    needs = ["gpmu_" + noun for noun in re.findall(r"^#include <gpmu/(\w+)\.h>", head, re.M)]
    return Header(include, comment(top, path, 2), needs, items)


def read_top(path):
    """The comment that gpmu.h begins with"""
    return comment(re.findall(r"^/\*.*?\*/$", path.read_text(encoding="utf-8"), re.S | re.M)[1].split("\n"), path, 2)


def nouns(path):
    """(noun, what it is) of the headers that gpmu.h has"""
    return re.findall(r"^#include <gpmu/(\w+)\.h>\s*/\* (.*) \*/$", pathlib.Path(path).read_text(), re.M)
