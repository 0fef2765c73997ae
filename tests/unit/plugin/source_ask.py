#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""
source_ask.py LIBGPMU SPEC [QUESTION]: prints the keys of a source's answer, or the error.

The keys are those that the plugin names, one a line. The keys within "gaps" and "unavailable" are
names of other things, and left out. QUESTION may be absent if the source does not open.
"""
import ctypes
import json
import sys

NAMED_BY_OTHERS = ("unavailable", "gaps")


class Error(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("offset", ctypes.c_size_t), ("text", ctypes.c_char * 192)]


def keys(value, found):
    if isinstance(value, list):
        for item in value:
            keys(item, found)
    elif isinstance(value, dict):
        for key, item in value.items():
            found.add(key)
            if key in NAMED_BY_OTHERS:
                keys(list(item.values()), found)
            else:
                keys(item, found)
    return found


def main():
    library = ctypes.CDLL(sys.argv[1])
    library.gpmu_source_new.restype = ctypes.c_void_p
    library.gpmu_source_query.argtypes = [ctypes.c_void_p, ctypes.c_char_p,
                                          ctypes.POINTER(ctypes.c_char_p), ctypes.POINTER(Error)]
    error = Error(size=ctypes.sizeof(Error))
    answer = ctypes.c_char_p()
    source = library.gpmu_source_new(sys.argv[2].encode(), ctypes.byref(error))
    if not source:
        print(error.text.decode())
        return 1
    if library.gpmu_source_query(source, sys.argv[3].encode(), ctypes.byref(answer), ctypes.byref(error)):
        print(error.text.decode())
        return 1
    print("\n".join(sorted(keys(json.loads(answer.value), set()))))
    return 0


sys.exit(main())
