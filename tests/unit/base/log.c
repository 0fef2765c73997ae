// SPDX-License-Identifier: LGPL-2.1-or-later
/* Log messages and their receiver */
#include "gpmu.h"
#include "base/log.h"
#include "tap.h"

struct keeper {
	int lines, level;
	char line[512];
};

static void keep(int level, const char *line, void *user)
{
	struct keeper *keeper = user;

	keeper->lines++;
	keeper->level = level;
	snprintf(keeper->line, sizeof(keeper->line), "%s", line);
}

/* Changes the receiver in the middle of a message. */
static void hand_on(int level, const char *line, void *user)
{
	(void)level;
	(void)line;
	gpmu_log_set(keep, user);
}

int main(void)
{
	struct keeper keeper = { 0 }, other = { 0 };
	char text[400];

	log_line(GPMU_LOG_WARNING, "nobody hears %s", "this");
	gpmu_log_set(keep, &keeper);
	log_line(GPMU_LOG_INFO, "%d events of %s", 3, "a PMU");
	ok(keeper.lines == 1 && keeper.level == GPMU_LOG_INFO,
	   "log: a message is delivered once, with its level");
	is_str(keeper.line, "3 events of a PMU",
	       "log: a message is delivered unchanged, without a newline");
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	log_line(GPMU_LOG_WARNING, "%s", text);
	ok(strlen(keeper.line) == 255 && keeper.level == GPMU_LOG_WARNING,
	   "log: a long message is cut to 255 bytes");
	gpmu_log_set(hand_on, &other);
	log_line(GPMU_LOG_WARNING, "one");
	log_line(GPMU_LOG_WARNING, "two");
	ok(keeper.lines == 2 && other.lines == 1 && !strcmp(other.line, "two"),
	   "log: the receiver can be changed at any time, also by itself");
	gpmu_log_set(NULL, NULL);
	log_line(GPMU_LOG_WARNING, "three");
	ok(keeper.lines == 2 && other.lines == 1, "log: messages without a receiver are dropped");
	return done_testing();
}
