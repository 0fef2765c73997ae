#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
man3.py FOLDER VERSION: the library's manual, of the comments in its headers.

libgpmu.3 is gpmu.h, gpmu_NOUN.3 is gpmu/NOUN.h, gpmu_source_plugin.3 is
gpmu-source.h; each function has a file that refers to its page. The example of
a page is tests/examples/man/NOUN.c.
"""
import errno
import pathlib
import re
import sys
import textwrap

sys.dont_write_bytecode = True
import man3_header  # noqa: E402
from man3_header import Comment, Other, Type

TOP = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = TOP / "metrics/include"
INSTALLED = (
    ("include/gpmu/gpmu.f90", "source of the module for Fortran"),
    ("lib/gpmu", "plugins"),
    ("share/gpmu/scenarios", "scenarios for the plugin \"model\""),
    ("share/doc/gpmu", "output.rst: rows, CSV and JSON; timeline.rst: content of a trace; "
                       "import.rst: content of an imported recording; "
                       "traffic.rst: traffic from PMU counts; scenario.rst: format of scenarios"),
)
EXAMPLES = TOP / "tests/examples/man"

ERRNO = re.compile(r"-?\b(?:" + "|".join(errno.errorcode.values()) + r")\b")
ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga"}
CODE_WIDTH = 68

# Files, by the names that they have where they are installed
FILES = {
    "gpmu.h": "\\fBlibgpmu\\fP(3)",
    "gpmu\\-source.h": "\\fBgpmu_source_plugin\\fP(3)",
    "metrics/values/output.rst": "share/doc/gpmu/output.rst",
    "metrics/record/timeline.rst": "share/doc/gpmu/timeline.rst",
}


def escape(text):
    return "".join(ESCAPES.get(c, c) for c in text)


def quote(text):
    """As one argument of a macro"""
    return '"' + text.replace('"', "\\(dq") + '"'


def line(text):
    """A line of text that roff does not take for a request"""
    return "\\&" + text if text.startswith((".", "'")) else text


def markup(text):
    """Functions, constants and errors are bold, @arguments italic"""
    words = re.split(r"(@\w+|\bgpmu_\w+\(\)|\bGPMU_[A-Z0-9_]+\b|" + ERRNO.pattern + ")", text)
    for i in range(1, len(words), 2):
        if words[i].startswith("@"):
            words[i] = "\\fI" + escape(words[i][1:]) + "\\fP"
        else:
            words[i] = "\\fB" + escape(words[i]) + "\\fP"
    words[::2] = map(escape, words[::2])
    out = "".join(words)
    # A list of events is one long word
    out = re.sub(r"\S{50,}", lambda m: m[0].replace(",", ",\\:"), out)
    for name, installed in FILES.items():
        out = re.sub(r"(?<!\w)" + re.escape(name) + r"\b", lambda _, x=installed: x, out)
    return line(out)


def sentence(text):
    return markup(text if text[-1] in ".:;" else text + ".")


def paragraphs(texts, first=".PP"):
    out = []
    for text in texts:
        if text.startswith("- "):
            out += [".IP \\(bu 2", markup(text[2:])]
        else:
            out += [first, sentence(text)] if first else [sentence(text)]
        first = ".PP"
    return out


def code(lines):
    return [".PP", ".RS 4", ".EX", *(line(escape(x)) for x in lines), ".EE", ".RE"]


def prototype(function):
    """The whole of it, broken where the screen ends"""
    arguments = escape(function.arguments).replace(" ", "\\ ").replace(",\\ ", ", ")
    for name in function.names:
        arguments = re.sub(rf"\b{name}(?=,|\)\(|$)", rf"\\fI{name}\\fP", arguments)
    kind = escape(function.type).replace(" ", "\\ ")
    blank = "" if kind.endswith("*") else " "
    return [".HP 4", f"{kind}{blank}\\fB{function.name}\\fP(\\:{arguments});"]


def title(name, brief, version):
    return ['.\\" SPDX-License-Identifier: LGPL-2.1-or-later',
            '.\\" Made by metrics/man3.py',
            ".nr HY 0",     # no hyphens in names; before .TH
            f'.TH {quote(name.upper())} 3 "" {quote("gpmu " + version)} "libgpmu"',
            ".ad l", ".SH NAME", f"{name} \\- {escape(brief)}"]


def tags(functions):
    out = []
    for function in functions:
        names = ", ".join(f"\\fI{name}\\fP" for name in function.names)
        note = ": " + markup(function.note) if function.note else ""
        out += [".TQ" if out else ".TP", f"\\fB{function.name}\\fP({names}){note}"]
    return out


def arguments_of(doc, tag=".TP"):
    out = []
    for name, text in doc.arguments:
        out += [tag, f"\\fI{name}\\fP", markup(text)]
    return out


def describe(entry):
    """A comment and the functions that it is of"""
    doc = entry.comment
    out = tags(entry.functions)
    if doc.kernel:
        out.append(sentence(doc.brief[0].upper() + doc.brief[1:]))
        if doc.arguments:
            out += [".RS", *arguments_of(doc), ".RE"]
        if doc.text or doc.result:
            out += [".RS", *paragraphs(doc.text)]
            if doc.result:
                out += [".PP", "\\fIReturns\\fP " + sentence(doc.result)]
            out.append(".RE")
        return out
    out += paragraphs(doc.text[:1], "") if doc.text else ["\\&"]
    if doc.text[1:]:
        out += [".RS", *paragraphs(doc.text[1:]), ".RE"]
    return out


def describe_type(item):
    doc = item.comment
    out = [f".SS {item.kind} {item.name}"]
    if doc:
        out += [markup(doc.brief[0].upper() + doc.brief[1:] + ".")] if doc.kernel else \
            paragraphs(doc.text, "")
    if item.members:
        lines = [f"{item.kind} {item.name} {{"]
        for member in item.members:
            # Arguments stay whole
            text = member.replace(" ", "\0").replace(",\0", ", ")
            lines += textwrap.wrap(text, CODE_WIDTH, initial_indent="    ", subsequent_indent="\0" * 12,
                                   break_long_words=False, break_on_hyphens=False)
        out += code([x.replace("\0", " ") for x in lines] + ["};"])
    for name, text in item.notes:
        out += [".TP", f"\\fB{escape(name)}\\fP", markup(text) if text else "\\&"]
    if doc and doc.kernel:
        out += arguments_of(doc) + paragraphs(doc.text)
    return out


def example(name):
    path = EXAMPLES / (name + ".c")
    if not path.exists():
        return []
    head, body = re.match(r"// SPDX[^\n]*\n/\*(.*?)\*/\n(.*)", path.read_text(), re.S).groups()
    text = " ".join(x.strip(" *") for x in head.split("\n")).strip()
    return [".SH EXAMPLE", markup(text), *code(body.expandtabs(4).rstrip("\n").split("\n"))]


def synopsis(include, items):
    out = [".SH SYNOPSIS", f"\\fB#include <{escape(include)}>\\fP"]
    for item in items:
        if isinstance(item, Other):
            out += [".br" if len(out) > 2 else ".PP", escape(item.text)]
    functions = [f for item in items if isinstance(item, man3_header.Entry) for f in item.functions]
    if functions:
        out += [".PP", ".PD 0"]
    for function in functions:
        out += prototype(function)
    return out + ([".PD"] if functions else [])


def noun_page(name, header, brief, intro, conventions, version):
    items = header.items
    entries = [i for i in items if isinstance(i, (man3_header.Entry, Comment))]
    first = next((n for n, i in enumerate(entries) if not isinstance(i, Comment)), len(entries))
    types = [i for i in items if isinstance(i, Type)]
    out = title(name, brief, version) + synopsis(header.include, items)
    text = intro + [t for c in entries[:first] for t in c.text]
    out += [".SH DESCRIPTION", *(paragraphs(text, "") or [markup(brief[0].upper() + brief[1:] + ".")])]
    if types:
        out.append(".SH TYPES")
        for item in types:
            out += describe_type(item)
    if entries[first:]:
        out.append(".SH FUNCTIONS")
        for item in entries[first:]:
            out += paragraphs(item.text) if isinstance(item, Comment) else describe(item)
    if conventions:
        out += [".SH CONVENTIONS", *paragraphs(conventions, "")]
    return out + example(name.removeprefix("gpmu_"))


def see_also(names):
    links = [f"\\fB{n}\\fP(3)" for n in names] + ["\\fBgpmu\\fP(1)"]
    return [".SH SEE ALSO", ",\n".join(links)]


def overview(comment, nouns, version):
    brief, *text = comment.text
    brief = brief.removeprefix("libgpmu: ").rstrip(".")
    out = title("libgpmu", brief, version)
    out += [".SH SYNOPSIS", "\\fB#include <gpmu.h>\\fP", ".PP",
            "\\fBcc $(pkg\\-config \\-\\-cflags gpmu)\\fP \\fIFILE\\fP.c "
            "\\fB$(pkg\\-config \\-\\-libs gpmu)\\fP", ".SH DESCRIPTION"]
    out += paragraphs(text, "")
    out += [".SH PAGES"]
    for name, brief in nouns:
        out += [".TP 24", f"\\fB{name}\\fP(3)", escape(brief)]
    out += [".SH FILES", markup("Below the folder that pkg-config --variable=prefix gpmu prints:")]
    for name, what in INSTALLED:
        out += [".TP", escape(name), escape(what)]
    return out + example("libgpmu")


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    top = man3_header.read_top(INCLUDE / "gpmu.h")
    # Returns and ownership, and the first sentence of the paragraph on threads
    conventions = [top.text[2], top.text[3].split(". ")[0] + "; libgpmu(3) has more."]
    pages, nouns = {}, []
    for noun, brief in man3_header.nouns(INCLUDE / "gpmu.h"):
        header = man3_header.read(INCLUDE / "gpmu" / (noun + ".h"), "gpmu.h")
        pages["gpmu_" + noun] = (header, brief, [], conventions)
        nouns.append(("gpmu_" + noun, brief))
    plugin = man3_header.read(INCLUDE / "gpmu-source.h", "gpmu-source.h")
    brief, *intro = plugin.top.text
    brief = brief.rstrip(".").replace("The", "the", 1)
    pages["gpmu_source_plugin"] = (plugin, brief, intro, [])
    nouns.append(("gpmu_source_plugin", brief))

    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.3"):
        old.unlink()
    out = overview(top, nouns, version) + see_also(pages)
    (folder / "libgpmu.3").write_text("\n".join(out) + "\n", encoding="utf-8")
    for name, (header, brief, intro, rules) in pages.items():
        out = noun_page(name, header, brief, intro, rules, version) + see_also(["libgpmu"] + header.needs)
        (folder / (name + ".3")).write_text("\n".join(out) + "\n", encoding="utf-8")
        for item in header.items:
            for function in getattr(item, "functions", []):
                (folder / (function.name + ".3")).write_text(f".so man3/{name}.3\n", encoding="utf-8")


main()
