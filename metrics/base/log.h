/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages that are not errors, for the program's callback */
#ifndef GPMU_LOG_H
#define GPMU_LOG_H

#include <gpmu/log.h>

/* One line of at most 255 bytes without a newline; @level: enum gpmu_log_level */
__attribute__((format(printf, 2, 3)))
void log_line(int level, const char *fmt, ...);

#endif /* GPMU_LOG_H */
