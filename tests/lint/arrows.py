#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""arrows.py TOP BUILD: includes and calls that run up between the folders of libgpmu, and
files of a folder that call each other in a cycle; headers that the command may include and does
not; folders that the map of TOP/README.md lacks.

TOP/metrics/folders.tsv names the folders from bottom to top and what each may use. Quoted
includes are resolved below TOP, symbols are those of the objects in BUILD. All may include
the data in TOP/pmu-events. Prints a line for each fault; exits with 2 if there is nothing to
look at.
"""

import pathlib
import re
import subprocess
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Headers that the command uses beside the public ones: those of libgpmu-tools.a, whose code only the command needs
TOOLS_LIBRARY_HEADERS = [
    'metrics/advice/gpmu_advice.h',
    'metrics/import/gpmu_import.h',
    'metrics/modes/gpmu_modes.h',
    'metrics/profile/gpmu_profile.h',
    'metrics/ranges/gpmu_ranges.h',
    'metrics/report/gpmu_report.h',
    'metrics/saved/gpmu_saved.h',
    'metrics/section/gpmu_section.h',
    'metrics/section/gpmu_section_set.h',
    'metrics/traffic/gpmu_traffic.h',
    'metrics/values/gpmu_runs.h',
]
# and internal ones of libgpmu.a, which no program outside this repository needs
INTERNAL_HEADERS = [
    'metrics/base/gpmu_json.h',
    'metrics/base/gpmu_replace.h',
    'metrics/base/text/gpmu_nearest.h',
    'metrics/base/text/gpmu_plural.h',
    'metrics/base/text/gpmu_shown.h',
    'metrics/catalog/gpmu_legacy.h',
    'metrics/event/gpmu_core.h',
    'metrics/machine/gpmu_midr.h',
    'metrics/trace/channel/gpmu_stall.h',
    'metrics/values/gpmu_balance.h',
    'metrics/values/gpmu_rows.h',
]
TOOLS_HEADERS = TOOLS_LIBRARY_HEADERS + INTERNAL_HEADERS
# Shared objects of their own, and the command: the folders and headers that each sees beside
# its own folder and the public headers
PLUGINS = {
    'metrics/sources/model': [],
    'metrics/sources/cupti': ['metrics/base', 'metrics/sources/nvml'],
    'metrics/sources/nvml': ['metrics/base'],
    'metrics/sources/inject': ['metrics/base', 'metrics/trace/channel', 'metrics/sources/cupti'],
    'metrics/sources/mark': ['metrics/base', 'metrics/measure', 'metrics/trace/channel'],
    'tools': TOOLS_HEADERS,
}


def read_folders(path):
    """Each folder and all that it may use, closed under "and what these may use"."""
    may, faults = {}, []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith('#') or not line:
            continue
        folder, uses = line.split('\t')
        closure = set()
        for used in uses.split() if uses != '-' else []:
            if used in may:
                closure |= {used} | may[used]
            else:
                faults.append(f'{path}:{number}: {folder} uses {used}, which is not below it')
        may[folder] = closure
    return may, faults


def folder_of(folders, path):
    """The folder that a path relative to metrics/ lies in, the longest name first."""
    parent = str(pathlib.PurePath(path).parent)
    return parent if parent in folders else None


def sources(folder):
    return sorted(path for path in folder.iterdir() if path.suffix in ('.c', '.h'))


def includes(path):
    """The quoted includes of a file, but those of data, which each folder may use"""
    return [name for name in INCLUDE.findall(path.read_text()) if not name.startswith('pmu-events/')]


def library_includes(top, may):
    for folder in may:
        for path in sources(top / 'metrics' / folder):
            for name in includes(path):
                used = folder_of(may, name)
                if used and used != folder and used not in may[folder]:
                    yield f'{path.relative_to(top)}: includes {name}: {folder} may not use {used}'
                elif not used and not (top / 'metrics/include' / name).exists():
                    if not name.endswith('.pb-c.h'):
                        yield f'{path.relative_to(top)}: includes {name}, which is in no folder of folders.tsv'


def plugin_includes(top):
    for root, others in PLUGINS.items():
        if not (top / root).is_dir():
            continue
        seen = [top / root] + [top / other for other in others] + [top / 'metrics/include', top / 'metrics']
        for path in sorted((top / root).rglob('*.[ch]')):
            for name in includes(path):
                found = next((d / name for d in [path.parent] + seen if (d / name).exists()), None)
                allowed = [top / root, top / 'metrics/include'] + [top / other for other in others]
                if not found or not any(d == found or d in found.parents for d in allowed):
                    yield f'{path.relative_to(top)}: includes {name}: {root} may not use it'


def unused_headers(top):
    """Headers that the command may include and does not."""
    included = {name for path in (top / 'tools').rglob('*.[ch]') for name in INCLUDE.findall(path.read_text())}
    for header in TOOLS_HEADERS:
        if (top / header).exists() and header.removeprefix('metrics/') not in included:
            yield f'{header}: in TOOLS_HEADERS of arrows.py, but tools does not include it'


def symbols(objects):
    """Which object defines each symbol, and which symbols each object needs."""
    defined, needed = {}, {}
    out = subprocess.run(['nm', '-A', *map(str, objects)], capture_output=True, text=True, check=True)
    for line in out.stdout.splitlines():
        path, entry = line.split(':', 1)
        *_, kind, name = entry.split()
        if kind == 'U':
            needed.setdefault(path, []).append(name)
        elif kind in 'TDBRVW':
            defined[name] = path
    return defined, needed


def cyclic(uses):
    """Those of a graph's nodes that lie on a cycle, or between two: nodes that nothing
    uses, or that use nothing, are removed until none is left."""
    while True:
        used = set().union(*uses.values())
        kept = {node for node in uses if uses[node] and node in used}
        if len(kept) == len(uses):
            return uses
        uses = {node: uses[node] & kept for node in kept}


def file_cycles(folders, defined, needed):
    uses = {path: set() for path in folders}
    for path, names in needed.items():
        uses[path] = {defined[name] for name in names if name in defined}
        uses[path] = {used for used in uses[path] - {path} if folders[used] == folders[path]}
    for path, others in sorted(cyclic(uses).items()):
        yield f'{path}: on a cycle with {", ".join(sorted(others))}'


def calls(top, build, may):
    folders = {}
    for folder in may:
        for path in sources(top / 'metrics' / folder):
            if path.suffix == '.c':
                folders[str(build / 'metrics' / folder / path.stem) + '.o'] = folder
    missing = [path for path in folders if not pathlib.Path(path).exists()]
    if missing:
        print(f'{missing[0]} is not built', file=sys.stderr)
        sys.exit(2)
    defined, needed = symbols(folders)
    for path, names in needed.items():
        for name in names:
            used = folders.get(defined.get(name))
            if used and used != folders[path] and used not in may[folders[path]]:
                yield f'{path}: calls {name} of {defined[name]}: {folders[path]} may not use {used}'
    yield from file_cycles(folders, defined, needed)


def unlisted(top, may):
    """Sources of the library that lie in no folder of the table."""
    for path in sorted((top / 'metrics').rglob('*.[ch]')):
        folder = str(path.parent.relative_to(top / 'metrics'))
        if folder.split('/')[0] not in ('include', 'sources') and folder not in may:
            yield f'{path.relative_to(top)}: in no folder of folders.tsv'


def unmapped(top, may):
    """Folders of the library without a row in the README's map, and cells that are no line."""
    rows = (top / 'README.md').read_text().partition('## Map')[2]
    for folder in sorted({folder.split('/')[0] for folder in may}):
        if f'](metrics/{folder}/README.md)' not in rows:
            yield f'README.md: the map has no link to metrics/{folder}/README.md'
    for row in re.findall(r'^\|.*\| (.{101,}) \|$', rows, re.MULTILINE):
        yield f'README.md: a cell of the map has {len(row)} characters: {row}'


def main():
    top, build = map(pathlib.Path, sys.argv[1:])
    may, faults = read_folders(top / 'metrics/folders.tsv')
    if not may:
        sys.exit('metrics/folders.tsv names no folder')
    faults += library_includes(top, may)
    faults += plugin_includes(top)
    faults += unused_headers(top)
    faults += unlisted(top, may)
    faults += unmapped(top, may)
    faults += calls(top, build, may)
    print(*faults, sep='\n', end='\n' if faults else '')


main()
