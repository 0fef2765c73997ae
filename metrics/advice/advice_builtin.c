// SPDX-License-Identifier: LGPL-2.1-or-later
/* The built-in rules. The assembler searches the file from the top folder on, in which make runs. */
#include "advice/advice.h"

__asm__(".pushsection .rodata\n"
	".globl advice_builtin\n"
	"advice_builtin:\n"
	".incbin \"metrics/advice/rules.json\"\n"
	".byte 0\n"
	".popsection\n");
