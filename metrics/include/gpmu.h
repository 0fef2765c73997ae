/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu: from the counters of NVIDIA Grace to metrics.
 *
 * A machine and a catalog make a plan, a session counts it, its rows have the values.
 *
 * Functions that return int return 0 or -errno, those that return a pointer
 * NULL with errno set. Nothing is printed. "new" is the caller's to free or to put,
 * "borrowed" belongs to the object it was asked of.
 *
 * Unless it is said of an object, it is used by one thread at a time. Different
 * objects may be used at any time, but they share:
 * - a source, which one session at a time counts with: EBUSY;
 * - the process's soft limit of open files, which a session raises: gpmu_session_restore_limits();
 * - what gets messages: gpmu_log_set();
 * - libtraceevent's log level, which the first tracepoint sets to TEP_LOG_NONE for the
 *   whole process. A program that uses that library too sets its own after that.
 */
#ifndef GPMU_H
#define GPMU_H

#include <gpmu/error.h>	/* why something was refused */
#include <gpmu/machine.h>	/* what can be counted here */
#include <gpmu/source.h>	/* what counts beside the kernel's perf events */
#include <gpmu/catalog.h>	/* events and metrics */
#include <gpmu/expr.h>	/* metric expressions */
#include <gpmu/event.h>	/* what the kernel is asked to count */
#include <gpmu/plan.h>	/* metrics and events, in groups that fit */
#include <gpmu/row.h>	/* values, with what they are worth */
#include <gpmu/sink.h>	/* rows as text */
#include <gpmu/session.h>	/* a plan is counted */
#include <gpmu/region.h>	/* what parts of a program count */
#include <gpmu/runs.h>	/* means over several runs */
#include <gpmu/saved.h>	/* what perf stat has printed */
#include <gpmu/flow.h>	/* who reads and writes which memory */
#include <gpmu/balance.h>	/* what two counters of the same bytes do not agree on */
#include <gpmu/trace.h>	/* a timeline for Perfetto */
#include <gpmu/trace_reader.h>	/* what that has written */
#include <gpmu/report.h>	/* what traces say, as tables */
#include <gpmu/clock.h>	/* time stamps of other clocks */
#include <gpmu/record.h>	/* what happens, on a timeline */
#include <gpmu/log.h>	/* messages that are no errors */

#endif /* GPMU_H */
