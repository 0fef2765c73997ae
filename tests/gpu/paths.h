/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Defaults for the paths of the build, for linters */
#ifndef GPMU_TESTS_GPU_PATHS_H
#define GPMU_TESTS_GPU_PATHS_H

#ifndef FAKE
#define FAKE		"build/tests/gpu/fake"
#endif
#ifndef PLUGIN
#define PLUGIN		"build/gpmu-cupti.so"
#endif
#ifndef RECORDER
#define RECORDER	"build/tests/gpu/recorder"
#endif

#endif /* GPMU_TESTS_GPU_PATHS_H */
