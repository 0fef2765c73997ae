// SPDX-License-Identifier: LGPL-2.1-or-later
/* Parts of functions that have rows of their own, and the source lines of instructions, which CUPTI finds in a module's image. */
#include <stdio.h>
#include <stdlib.h>

#include "pcs/pcs.h"
#include "sass/sass.h"

static bool has_lines(const struct inject *self)
{
	return self->control->ranges.part == CHANNEL_SASS_LINE || self->control->ranges.part == CHANNEL_SASS_INSTRUCTION;
}

/* A module may be unloaded before its counts are fetched. */
void sass_parts_module(struct inject *self, const struct sass_api *api, const CUpti_ModuleResourceData *module)
{
	CUpti_GetCubinCrcParams params = { .size = sizeof(params) };

	if (!has_lines(self) || !module || !module->pCubin || !module->cubinSize)
		return;
	params.cubin = module->pCubin;
	params.cubinSize = module->cubinSize;
	if (!api->crc(&params))
		pcs_cubins_add(self, params.cubinCrc, module->pCubin, module->cubinSize);
}

/* Prints "FILE:LINE", or "no line" */
static void print_line(const struct sass_api *api, const CUpti_SassMetrics_Data *record, char *text, size_t size)
{
	CUpti_GetSassToSourceCorrelationParams params = {
		.size = sizeof(params), .functionName = record->functionName, .pcOffset = record->pcOffset,
	};

	params.cubin = pcs_cubins_find(record->cubinCrc, &params.cubinSize);
	if (params.cubin && !api->line(&params) && params.lineNumber && params.fileName)
		snprintf(text, size, "%s%s%s:%u", params.dirName && *params.fileName != '/' ? params.dirName : "",
			 params.dirName && *params.dirName && *params.fileName != '/' ? "/" : "", params.fileName, params.lineNumber);
	else
		snprintf(text, size, "no line");
	free(params.fileName);
	free(params.dirName);
}

void sass_parts_instruction(struct inject *self, const struct sass_api *api, const CUpti_SassMetrics_Data *record, char *text,
			    size_t size)
{
	int length = 0;

	*text = '\0';
	if (!has_lines(self))
		return;
	if (self->control->ranges.part == CHANNEL_SASS_INSTRUCTION)
		length = snprintf(text, size, "0x%04x ", record->pcOffset);
	print_line(api, record, text + length, size - (size_t)length);
}
