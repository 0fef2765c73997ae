/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The members of each activity record by name, for programs that read and write records as text */
#ifndef GPMU_TESTS_ACTIVITY_MEMBERS_H
#define GPMU_TESTS_ACTIVITY_MEMBERS_H

#include <stddef.h>

#include "trace/channel/activity.h"

enum type { U32, U64, THREE, NAME, TEXT_END, UUID };

struct member {
	const char *name;
	size_t offset;
	enum type type;
};

#define M32(type, member)		{ #member, offsetof(struct type, member), U32 }
#define M64(type, member)		{ #member, offsetof(struct type, member), U64 }
#define MNAME(type, member)	{ #member, offsetof(struct type, member), NAME }
#define MTEXT(type)		{ "text", offsetof(struct type, text), TEXT_END }
#define W32(member)		{ #member, offsetof(struct activity_work, member), U32 }
#define W64(member)		{ #member, offsetof(struct activity_work, member), U64 }
#define WORK			W64(begin), W64(end), W32(device), W32(context), W32(stream), \
				W32(correlation), W32(graph), W64(node)
#define CALLS(list, work)	{ #list #work, offsetof(struct activity_calls, list) + (work) * sizeof(uint64_t), U64 }
#define CALL			M64(activity_call, begin), M64(activity_call, end), \
				M32(activity_call, thread), M32(activity_call, correlation), \
				MNAME(activity_call, name), M32(activity_call, result)

static const struct members_kind {
	const char *name;
	size_t size;	/* without a text */
	enum activity_kind kind;
	struct member members[20];
} members_kinds[] = {
	{ "process", sizeof(struct activity_process), ACTIVITY_PROCESS,
	  { M64(activity_process, time), M32(activity_process, pid), M32(activity_process, parent),
	    M32(activity_process, cupti), M32(activity_process, driver), MTEXT(activity_process) } },
	{ "device", sizeof(struct activity_device), ACTIVITY_DEVICE,
	  { M32(activity_device, device), M32(activity_device, major), M32(activity_device, minor),
	    M32(activity_device, multiprocessors), M32(activity_device, warps), M32(activity_device, blocks),
	    M32(activity_device, registers), M32(activity_device, shared), { "uuid", offsetof(struct activity_device, uuid), UUID },
	    MTEXT(activity_device) } },
	{ "context", sizeof(struct activity_context), ACTIVITY_CONTEXT,
	  { M32(activity_context, context), M32(activity_context, device),
	    M32(activity_context, null_stream) } },
	{ "note", sizeof(struct activity_note), ACTIVITY_NOTE,
	  { M64(activity_note, time), M32(activity_note, level), MTEXT(activity_note) } },
	{ "lost", sizeof(struct activity_lost), ACTIVITY_LOST,
	  { M64(activity_lost, from), M64(activity_lost, to), M64(activity_lost, count),
	    M32(activity_lost, why), M32(activity_lost, kind), M32(activity_lost, thread) } },
	{ "complete", sizeof(struct activity_complete), ACTIVITY_COMPLETE,
	  { M64(activity_complete, time), M64(activity_complete, memory) } },
	{ "calls", sizeof(struct activity_calls), ACTIVITY_CALLS,
	  { M64(activity_calls, from), M64(activity_calls, to), CALLS(called, 0), CALLS(called, 1), CALLS(called, 2),
	    CALLS(called, 3), CALLS(unsure, 0), CALLS(unsure, 1), CALLS(unsure, 2), CALLS(unsure, 3),
	    CALLS(outside, 0), CALLS(outside, 1), CALLS(outside, 2), CALLS(outside, 3) } },
	{ "capture", sizeof(struct activity_capture), ACTIVITY_CAPTURE,
	  { M64(activity_capture, time), M32(activity_capture, begins) } },
	{ "kernel", sizeof(struct activity_kernel), ACTIVITY_KERNEL,
	  { WORK, MNAME(activity_kernel, name),
	    { "grid", offsetof(struct activity_kernel, grid), THREE },
	    { "block", offsetof(struct activity_kernel, block), THREE },
	    M32(activity_kernel, registers), M32(activity_kernel, shared_static),
	    M32(activity_kernel, shared_dynamic) } },
	{ "copy", sizeof(struct activity_copy), ACTIVITY_COPY,
	  { WORK, M64(activity_copy, bytes), M32(activity_copy, copy), M32(activity_copy, from),
	    M32(activity_copy, to), M32(activity_copy, peer) } },
	{ "set", sizeof(struct activity_set), ACTIVITY_SET,
	  { WORK, M64(activity_set, bytes), M32(activity_set, value), M32(activity_set, memory) } },
	{ "graph", sizeof(struct activity_graph), ACTIVITY_GRAPH, { WORK } },
	{ "runtime", sizeof(struct activity_call), ACTIVITY_RUNTIME, { CALL } },
	{ "driver", sizeof(struct activity_call), ACTIVITY_DRIVER, { CALL } },
	{ "sync", sizeof(struct activity_sync), ACTIVITY_SYNC,
	  { M64(activity_sync, begin), M64(activity_sync, end), M32(activity_sync, context),
	    M32(activity_sync, stream), M32(activity_sync, correlation), M32(activity_sync, sync) } },
	{ "marker", sizeof(struct activity_marker), ACTIVITY_MARKER,
	  { M64(activity_marker, time), M64(activity_marker, id), M32(activity_marker, thread),
	    M32(activity_marker, marker), MNAME(activity_marker, name),
	    MNAME(activity_marker, domain) } },
	{ "memory", sizeof(struct activity_memory), ACTIVITY_MEMORY,
	  { M64(activity_memory, time), M64(activity_memory, address), M64(activity_memory, bytes),
	    M32(activity_memory, device), M32(activity_memory, context),
	    M32(activity_memory, memory), M32(activity_memory, operation),
	    M32(activity_memory, stream), M32(activity_memory, correlation), M64(activity_memory, pool),
	    M64(activity_memory, reserved), M64(activity_memory, used), M64(activity_memory, threshold),
	    MNAME(activity_memory, source) } },
	{ "overhead", sizeof(struct activity_overhead), ACTIVITY_OVERHEAD,
	  { M64(activity_overhead, begin), M64(activity_overhead, end),
	    M32(activity_overhead, thread), MNAME(activity_overhead, name) } },
	{ "external", sizeof(struct activity_external), ACTIVITY_EXTERNAL,
	  { M64(activity_external, external), M32(activity_external, kind),
	    M32(activity_external, correlation) } },
	{ "unified", sizeof(struct activity_unified), ACTIVITY_UNIFIED,
	  { M64(activity_unified, begin), M64(activity_unified, end),
	    M64(activity_unified, address), M64(activity_unified, value),
	    MNAME(activity_unified, name), M32(activity_unified, from),
	    M32(activity_unified, to) } },
	{ "host_memory", sizeof(struct activity_host_memory), ACTIVITY_HOST_MEMORY,
	  { M64(activity_host_memory, time), M64(activity_host_memory, address), M64(activity_host_memory, bytes),
	    M32(activity_host_memory, event), M32(activity_host_memory, memory), M32(activity_host_memory, context),
	    M32(activity_host_memory, correlation), M32(activity_host_memory, node) } },
	{ "environment", sizeof(struct activity_environment), ACTIVITY_ENVIRONMENT,
	  { M64(activity_environment, time), M32(activity_environment, device),
	    M32(activity_environment, what),
	    { "values", offsetof(struct activity_environment, values), THREE } } },
	{ "module", sizeof(struct activity_module), ACTIVITY_MODULE,
	  { M64(activity_module, begin), M64(activity_module, end), M64(activity_module, bytes),
	    M32(activity_module, thread), M32(activity_module, what), MNAME(activity_module, path) } },
	{ "openacc", sizeof(struct activity_openacc), ACTIVITY_OPENACC,
	  { M64(activity_openacc, begin), M64(activity_openacc, end), M64(activity_openacc, bytes), M32(activity_openacc, thread),
	    M32(activity_openacc, event), M32(activity_openacc, line), MNAME(activity_openacc, file),
	    MNAME(activity_openacc, function), MNAME(activity_openacc, subject) } },
	{ "node", sizeof(struct activity_node), ACTIVITY_NODE,
	  { M64(activity_node, begin), M64(activity_node, end), M64(activity_node, node), M64(activity_node, original),
	    M32(activity_node, thread) } },
	{ "pc", sizeof(struct activity_pc), ACTIVITY_PC,
	  { M64(activity_pc, begin), M64(activity_pc, end), M64(activity_pc, cubin), M64(activity_pc, offset),
	    M32(activity_pc, device), M32(activity_pc, context), MNAME(activity_pc, function), M32(activity_pc, symbol),
	    MNAME(activity_pc, stall), M32(activity_pc, correlation), M64(activity_pc, samples), M64(activity_pc, not_issued) } },
	{ "pc_total", sizeof(struct activity_pc_total), ACTIVITY_PC_TOTAL,
	  { M64(activity_pc_total, time), M64(activity_pc_total, samples), M64(activity_pc_total, dropped),
	    M64(activity_pc_total, foreign), M64(activity_pc_total, full), M32(activity_pc_total, device),
	    M32(activity_pc_total, context), M32(activity_pc_total, mode), M32(activity_pc_total, period),
	    M32(activity_pc_total, stalls) } },
	{ "cubin", sizeof(struct activity_cubin), ACTIVITY_CUBIN,
	  { M64(activity_cubin, cubin), M64(activity_cubin, total), M64(activity_cubin, offset), M64(activity_cubin, bytes) } },
};

#define MEMBERS_KINDS	(sizeof(members_kinds) / sizeof(members_kinds[0]))

#endif /* GPMU_TESTS_ACTIVITY_MEMBERS_H */
