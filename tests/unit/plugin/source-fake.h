/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State shared with the plugin source-fake.c, whose options have its address */
#ifndef GPMU_TESTS_SOURCE_FAKE_H
#define GPMU_TESTS_SOURCE_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_COUNTERS	3

/* Defects of the PMUs and nodes of the plugin */
enum fake_show {
	FAKE_SHOW_GOOD,
	FAKE_SHOW_NO_NAME,
	FAKE_SHOW_BLANK,		/* a blank in a name */
	FAKE_SHOW_COUNTERS,		/* -2 */
	FAKE_SHOW_WIDTH,		/* 65 bits */
	FAKE_SHOW_FORMAT,		/* a format's name without a text */
	FAKE_SHOW_TEXT,			/* an event's text of two lines */
	FAKE_SHOW_IDENTIFIER,		/* empty */
	FAKE_SHOW_EVENTS,		/* two events of one name */
	FAKE_SHOW_TWICE,		/* two PMUs of one name */
	FAKE_SHOW_NODE,			/* a PMU on an unknown node */
	FAKE_SHOW_NEGATIVE,		/* node -1 */
	FAKE_SHOW_ENDLESS,
	FAKE_SHOW_ENDLESS_NODES,
	FAKE_SHOW_SHORT,		/* structures of an older size */
	FAKE_SHOW_UNKNOWN,		/* all numbers of counters are -1 */
	FAKE_SHOW_UUID,			/* a GPU without a UUID */
	FAKE_SHOWS,
};

struct fake_state {
	enum fake_show show;
	int open, group_open, enable, disable, read;	/* results of the functions */
	bool is_silent;			/* no error messages */
	bool is_lying;			/* running > enabled */
	int opens, closes, groups, enables, disables, reads;	/* calls; open groups */
	uint64_t time;			/* of the last call */
	bool has_gone_back;		/* a time was earlier than the one before */
	uint64_t configs[FAKE_COUNTERS][8];	/*
						 * of the last group's events: config, config1,
						 * ...
						 */
	char options[64];
	/* fake_0 and fake_1 are on two GPUs; each has the events mean (3) and absent (4). */
	bool has_gpus;
	const char *pci;		/* address of the first GPU, whose PMU then has no node */
	int prepare;			/* result of prepare() */
	int prepares, prepared_groups;	/* calls; groups open at the last call */
	const char *message;		/* returned by the next message(), once */
};

#endif /* GPMU_TESTS_SOURCE_FAKE_H */
