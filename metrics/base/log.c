// SPDX-License-Identifier: LGPL-2.1-or-later
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

#include "gpmu.h"
#include "base/log.h"

static struct {
	pthread_mutex_t lock;
	void (*log)(int level, const char *line, void *user);
	void *user;
} sink = { .lock = PTHREAD_MUTEX_INITIALIZER };

void gpmu_log_set(void (*log)(int level, const char *line, void *user), void *user)
{
	pthread_mutex_lock(&sink.lock);
	sink.log = log;
	sink.user = user;
	pthread_mutex_unlock(&sink.lock);
}

void log_line(int level, const char *fmt, ...)
{
	void (*log)(int level, const char *line, void *user);
	char line[256];
	va_list args;
	void *user;

	pthread_mutex_lock(&sink.lock);
	log = sink.log;
	user = sink.user;
	pthread_mutex_unlock(&sink.lock);
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	/* Called without the lock, as the callback may call gpmu_log_set() */
	if (log)
		log(level, line, user);
}
