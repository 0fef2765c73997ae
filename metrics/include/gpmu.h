/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu: metrics from the performance counters of NVIDIA Grace.
 *
 * A program opens a machine and a catalog, makes a plan of metrics and events, and counts the
 * plan with a session. The rows of the session hold the values.
 *
 * Functions that return int return 0 on success and -errno on failure, and functions that
 * return a pointer return NULL with errno set, unless their description differs. The library
 * prints nothing. "New" means that the caller frees or puts the object; "borrowed" means that
 * the object it was obtained from owns it.
 *
 * One thread at a time may use an object, unless its page allows more. Different threads may
 * use different objects at any time, but all objects of a process share:
 * - a source: one session at a time counts with it, another one gets EBUSY;
 * - the soft limit of open files, which a session raises: gpmu_session_restore_limits();
 * - the receiver of log messages: gpmu_log_set().
 *
 * The only function that a signal handler may call is gpmu_session_restore_limits().
 *
 * A structure of options begins with its size, which the program sets to the sizeof of the
 * structure. Members that the program's older gpmu.h lacks take their defaults. A member that only
 * the program's newer gpmu.h has must be 0; otherwise the function fails with E2BIG. A structure
 * that libgpmu returns also begins with its size. Members from that offset on do not exist in it.
 */
#ifndef GPMU_H
#define GPMU_H

#include <gpmu/error.h>	/* why a function refused a text */
#include <gpmu/machine.h>	/* PMUs, nodes, PCI devices and GPUs of a machine */
#include <gpmu/source.h>	/* plugins that count in place of the kernel's perf events */
#include <gpmu/catalog.h>	/* events and metrics */
#include <gpmu/event.h>	/* perf's event syntax, resolved for perf_event_open() */
#include <gpmu/plan.h>	/* metrics and events in groups that fit the counters */
#include <gpmu/row.h>	/* values of events and metrics */
#include <gpmu/sink.h>	/* rows as text */
#include <gpmu/session.h>	/* counts a plan */
#include <gpmu/measure.h>	/* counts the regions of a program in a few calls */
#include <gpmu/marks.h>	/* counts regions that other programs mark */
#include <gpmu/recorder.h>	/* records a command and its GPUs on a timeline */
#include <gpmu/ncu.h>	/* reads reports of Nsight Compute */
#include <gpmu/log.h>	/* messages that are not errors */

#endif /* GPMU_H */
