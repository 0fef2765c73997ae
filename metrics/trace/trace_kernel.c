// SPDX-License-Identifier: LGPL-2.1-or-later
/* Kernels: names and what the launches of a kernel have in common */
#include <errno.h>
#include <stdlib.h>

#include "base/sized.h"
#include "trace/trace.h"

static void free_kernel(struct trace_kernel *kernel)
{
	for (size_t i = 0; i < kernel->arg_count; i++) {
		free((char *)kernel->args[i].name);
		free((char *)kernel->args[i].text);
	}
	free(kernel->args);
	free(kernel->name);
	free(kernel->demangled);
	free(kernel->arch);
}

static int copy_arg(struct gpmu_trace_arg *to, const struct gpmu_trace_arg *from)
{
	*to = *from;
	to->name = strdup(from->name);
	to->text = from->text ? strdup(from->text) : NULL;
	return to->name && (to->text || !from->text) ? 0 : -ENOMEM;
}

static int copy_kernel(struct gpmu_trace *trace, struct trace_kernel *to, const struct gpmu_trace_kernel *from)
{
	if (trace_text_copy(trace, from->name, &to->name) || trace_text_copy(trace, from->demangled, &to->demangled) ||
	    trace_text_copy(trace, from->arch, &to->arch))
		return -ENOMEM;
	to->args = calloc(from->arg_count + 1, sizeof(*to->args));
	for (size_t i = 0; to->args && i < from->arg_count; i++) {
		to->arg_count++;
		if (copy_arg(&to->args[i], &from->args[i]))
			return -ENOMEM;
	}
	return to->args ? 0 : -ENOMEM;
}

static bool is_valid(const struct gpmu_trace_kernel *kernel)
{
	if (!kernel->name || kernel->arg_count > TRACE_ARGS_MAX || (kernel->arg_count && !kernel->args))
		return false;
	for (size_t i = 0; i < kernel->arg_count; i++)
		if (!kernel->args[i].name || (unsigned int)kernel->args[i].kind > GPMU_TRACE_ADDRESS)
			return false;
	return true;
}

int gpmu_trace_kernel(struct gpmu_trace *trace, const struct gpmu_trace_kernel *kernel)
{
	struct trace_kernel copy = { 0 }, *added;
	struct gpmu_trace_kernel own = { 0 };

	if (kernel->size < offsetof(struct gpmu_trace_kernel, demangled))
		return -EINVAL;
	sized_copy(&own, sizeof(own), kernel);
	if (!is_valid(&own))
		return -EINVAL;
	added = copy_kernel(trace, &copy, &own) ? NULL : vector_append(trace->kernels, trace->kernel_count);
	if (!added) {
		free_kernel(&copy);
		return -ENOMEM;
	}
	*added = copy;
	return (int)trace->kernel_count;
}

void trace_kernels_release(struct gpmu_trace *trace)
{
	while (trace->kernel_count)
		free_kernel(&trace->kernels[--trace->kernel_count]);
	free(trace->kernels);
}
