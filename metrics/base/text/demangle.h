/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GPMU_DEMANGLE_H
#define GPMU_DEMANGLE_H

/*
 * Returns a copy of a name, demangled if it is a C++ name and libstdc++ is available; the caller frees it. NULL: no
 * memory
 */
char *demangle(const char *name);

#endif /* GPMU_DEMANGLE_H */
