/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings about what prevents a machine from counting, with remedies. */
#ifndef GPMU_DOCTOR_H
#define GPMU_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"

enum level {
	LEVEL_OK,
	LEVEL_WARNING,	/* an optional function does not work */
	LEVEL_PROBLEM,
	LEVELS,
};

struct finding {
	enum level level;
	const char *check;	/* "driver" */
	char *text;
	char *remedy;		/* a command to type or another advice, or NULL */
};

struct doctor {
	struct common common;
	bool wants_json;
	const char *save;	/* --save; NULL: check the machine */
	bool is_here;		/* the machine is the one that gpmu runs on */
	bool has_pmus;		/* PMUs of a Grace */
	bool is_grace;		/* it has them, or should have them */
	bool has_perfmon, has_sysadmin, has_syslog;	/* capabilities */
	struct finding *findings;
	size_t finding_count;
	json_t *gpus;		/* an object for each GPU, merged from the plugins' answers */
};

/* Adds a finding with the formatted text. @remedy is copied, or NULL. */
void doctor_find(struct doctor *doctor, enum level level, const char *check, const char *remedy,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Returns whether a file or folder exists below the machine's root. */
bool doctor_exists(const struct doctor *doctor, const char *path);
/* Reads a small file's text. Returns false if it cannot be read. */
bool doctor_read(const struct doctor *doctor, const char *path, char *text, size_t size);

/* doctor_look() identifies the machine and comes first; each check adds its findings. */
void doctor_look(struct doctor *doctor);
void doctor_check_driver(struct doctor *doctor);
void doctor_check_config(struct doctor *doctor);
void doctor_check_pmus(struct doctor *doctor);
void doctor_check_permissions(struct doctor *doctor);
void doctor_check_tools(struct doctor *doctor);
void doctor_check_gpus(struct doctor *doctor);

/* The command that rebuilds the initramfs on this distribution: "dracut -f" */
const char *doctor_initramfs(const struct doctor *doctor);
/* The UUID of the GPU at a PCI address, or NULL */
const char *doctor_gpu_at(const struct doctor *doctor, const char *address);

#endif /* GPMU_DOCTOR_H */
