/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libgpmu: from the counters of NVIDIA Grace to metrics.
 *
 * Functions that return int return 0 or -errno, those that return a pointer
 * NULL with errno set. Nothing is printed. Unless its group says otherwise, an
 * object is used by one thread at a time; different objects do not share
 * anything. "borrowed" belongs to the object it was asked of.
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
#include <gpmu/log.h>	/* messages that are no errors */

#endif /* GPMU_H */
