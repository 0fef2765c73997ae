/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths of the plugins, if the build does not define them */
#ifndef GPMU_TESTS_SOURCE_PATHS_H
#define GPMU_TESTS_SOURCE_PATHS_H

#ifndef FAKE
#define FAKE	"build/tests/unit/gpmu-fake.so"
#endif
#ifndef MODEL
#define MODEL	"build/gpmu-model.so"
#endif

#endif /* GPMU_TESTS_SOURCE_PATHS_H */
