/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Subcommands of gpmu: each is one file and one manual page, man/gpmu-NAME.rst. */
#ifndef GPMU_CMD_H
#define GPMU_CMD_H

/* Exit statuses that are not a command's own */
enum {
	EXIT_OWN = 125,		/* gpmu itself failed, also on a usage error */
	EXIT_CANNOT_RUN = 126,	/* the command exists and cannot be executed */
	EXIT_NOT_FOUND = 127,
	EXIT_SIGNAL = 128,	/* plus the number of the signal that ended the command */
};

struct cmd {
	const char *name;
	const char *summary;	/* one line without a full stop */
	/* argv[0] is "gpmu NAME", the begin of messages. Returns the exit status. */
	int (*run)(int argc, char **argv);
};

extern const struct cmd cmd_stat, cmd_record, cmd_report, cmd_list, cmd_plan, cmd_eval, cmd_perf,
	cmd_traffic, cmd_gpu, cmd_doctor, cmd_import;

#endif /* GPMU_CMD_H */
