/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a test shares with source-fake.c, a plugin: its options have the address. */
#ifndef GPMU_TESTS_SOURCE_FAKE_H
#define GPMU_TESTS_SOURCE_FAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FAKE_COUNTERS	3

/* What is wrong with the PMUs and nodes that it shows */
enum fake_show {
	FAKE_SHOW_GOOD,
	FAKE_SHOW_NO_NAME,
	FAKE_SHOW_BLANK,		/* in a name */
	FAKE_SHOW_COUNTERS,		/* -2 */
	FAKE_SHOW_WIDTH,		/* 65 bits */
	FAKE_SHOW_FORMAT,		/* a name without a text */
	FAKE_SHOW_TEXT,			/* of an event: two lines */
	FAKE_SHOW_IDENTIFIER,		/* empty */
	FAKE_SHOW_EVENTS,		/* two of one name */
	FAKE_SHOW_TWICE,		/* two PMUs of one name */
	FAKE_SHOW_NODE,			/* a PMU of a node that is not there */
	FAKE_SHOW_NEGATIVE,		/* node -1 */
	FAKE_SHOW_ENDLESS,
	FAKE_SHOW_ENDLESS_NODES,
	FAKE_SHOW_SHORT,		/* structures that end early */
	FAKE_SHOW_UNKNOWN,		/* all numbers of counters are -1 */
	FAKE_SHOW_UUID,			/* a GPU without a UUID */
	FAKE_SHOWS,
};

struct fake_state {
	enum fake_show show;
	int open, group_open, enable, disable, read;	/* what the functions are to return */
	bool silent;			/* without a message */
	bool lies;			/* running > enabled */
	int opens, closes, groups, enables, disables, reads;	/* calls; groups that are open */
	uint64_t time;			/* of the last call */
	bool backwards;			/* a time lay before another */
	uint64_t configs[FAKE_COUNTERS][8];	/* of the last group's events: config, config1, ... */
	char options[64];
	/* GPUs: fake_0 and fake_1 are of two, each has the events mean (3) and absent (4) */
	bool gpus;
	const char *pci;		/* the address of the first, whose PMU does not say its node */
	int prepare;			/* what prepare() is to return */
	int prepares, prepared_groups;	/* calls; groups that were open at the last of them */
	const char *message;		/* the next one, once */
};

#endif /* GPMU_TESTS_SOURCE_FAKE_H */
