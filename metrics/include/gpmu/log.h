/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* log: messages that are no errors */
#ifndef GPMU_LOG_API_H
#define GPMU_LOG_API_H


#ifdef __cplusplus
extern "C" {
#endif

enum gpmu_log_level {
	GPMU_LOG_WARNING,	/* something is not as it was asked for */
	GPMU_LOG_INFO,
};

/**
 * gpmu_log_set() - who gets messages that are no errors; nobody if this is not called
 * @log: called by any thread that uses libgpmu, several at a time; @line has no newline
 *	and is valid during the call. NULL: nobody
 * @user: handed to it
 *
 * It does not wait for a call of the one before that another thread is in, which may begin
 * even shortly after this has returned: what that uses has to stay.
 */
void gpmu_log_set(void (*log)(int level, const char *line, void *user), void *user);

#ifdef __cplusplus
}
#endif

#endif /* GPMU_LOG_API_H */
