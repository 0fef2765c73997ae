/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Former names, for folders that do not yet include base/vector.h and base/text.h. */
#ifndef GPMU_LIST_H
#define GPMU_LIST_H

#include "base/text.h"
#include "base/vector.h"

#define list_room	vector_room

#endif /* GPMU_LIST_H */
