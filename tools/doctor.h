/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Findings: what of a machine is as gpmu needs it, and what to do about the rest. */
#ifndef GPMU_DOCTOR_H
#define GPMU_DOCTOR_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common.h"

enum level {
	LEVEL_OK,
	LEVEL_WARNING,	/* something that may be wanted does not work */
	LEVEL_PROBLEM,
	LEVELS,
};

struct finding {
	enum level level;
	const char *check;	/* "driver" */
	char *text;
	char *remedy;		/* a command to type, or what else to do; or NULL */
};

struct doctor {
	struct common common;
	bool json;
	bool here;		/* the machine is the one that gpmu runs on */
	bool has_pmus;		/* of a Grace */
	bool is_grace;		/* it has them, or ought to */
	bool perfmon, sysadmin;	/* capabilities */
	struct finding *findings;
	size_t n_findings;
	json_t *gpus;		/* objects of what the plugins know of each */
};

/* A finding of the form "TEXT"; @remedy is copied; or NULL */
void doctor_find(struct doctor *doctor, enum level level, const char *check, const char *remedy,
		 const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Whether there is something below the machine's root, a file or a folder */
bool doctor_exists(const struct doctor *doctor, const char *path);
/* The text of a small file; false: it cannot be read */
bool doctor_read(const struct doctor *doctor, const char *path, char *text, size_t size);

/* What kind of machine it is; then the checks, each of which adds what it finds */
void doctor_look(struct doctor *doctor);
void doctor_check_driver(struct doctor *doctor);
void doctor_check_config(struct doctor *doctor);
void doctor_check_pmus(struct doctor *doctor);
void doctor_check_permissions(struct doctor *doctor);
void doctor_check_tools(struct doctor *doctor);
void doctor_check_gpus(struct doctor *doctor);

/* What makes the initramfs anew on this distribution: "dracut -f" */
const char *doctor_initramfs(const struct doctor *doctor);
/* The UUID of the GPU at a PCI address, or NULL */
const char *doctor_gpu_at(const struct doctor *doctor, const char *address);

#endif /* GPMU_DOCTOR_H */
