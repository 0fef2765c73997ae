/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --control: commands that another program sends while gpmu counts, in the syntax of perf */
#ifndef GPMU_CONTROL_H
#define GPMU_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

enum control_command {
	CONTROL_NONE,		/* no more for now */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_PING,
	CONTROL_STOP,
};

struct control {
	int fd;			/* to poll; -1: the other end was closed */
	int ack;		/* -1: none */
	bool is_own;		/* it opened the files */
	char text[512];		/* read, and not returned yet */
	size_t begin, length;
};

/* Opens "fd:CTL[,ACK]" or "fifo:CTL[,ACK]". Dies on failure. */
void control_open(struct control *control, const char *text);
/* Reads what there is; once after a poll. */
void control_read(struct control *control);
/* The next command that was read. Warns of others, which are skipped. */
enum control_command control_next(struct control *control);
/* Reports that the last command was obeyed. */
void control_ack(const struct control *control);
void control_close(struct control *control);

#endif /* GPMU_CONTROL_H */
