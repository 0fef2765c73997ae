/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* log: messages that are not errors */
#ifndef GPMU_LOG_API_H
#define GPMU_LOG_API_H


#ifdef __cplusplus
extern "C" {
#endif

enum gpmu_log_level {
	GPMU_LOG_WARNING,	/* a result differs from the request */
	GPMU_LOG_INFO,		/* for information only */
};

/**
 * gpmu_log_set() - sets the function that receives messages that are not errors
 * @log: any thread that uses libgpmu calls it, several at a time. @line has no newline and is
 *	valid during the call. NULL, the default: messages are dropped
 * @user: passed to @log
 *
 * gpmu_log_set() does not wait for calls of the previous function in other threads. Such a call
 * can begin even shortly after gpmu_log_set() returned. So the previous function and its data
 * must stay valid.
 */
void gpmu_log_set(void (*log)(int level, const char *line, void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_LOG_API_H */
