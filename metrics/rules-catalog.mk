# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The files of pmu-events that are in libgpmu itself, as they are, and a table of
# them (metrics/catalog/catalog.h): $(CATALOG_BUILTIN), an object.

CATALOG_BUILTIN	:= $(B)/metrics/catalog_builtin_files.o
CATALOG_JSON	:= $(sort $(shell find pmu-events/arch pmu-events/core pmu-events/gpu pmu-events/backport/6.1 -name '*.json'))

# The strings and the ends are numeric labels: f is the next, b the last before
# the table's entry, so that no path has to become a symbol.
define CATALOG_ENTRY
	.section .rodata
1:	.asciz "built in: $(1:pmu-events/%=%)"
2:	.asciz "/$(1)"
3:	.incbin "$(1)"
4:	.byte 0
	.section .data.rel.ro, "aw"
	.8byte 1b, 2b, 3b, 4b

endef

define CATALOG_TABLE
/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Made by metrics/rules-catalog.mk */
	.section .data.rel.ro, "aw"
	.balign 8
	.globl catalog_builtins
	.hidden catalog_builtins
	.type catalog_builtins, %object
catalog_builtins:
$(foreach file,$(CATALOG_JSON),$(call CATALOG_ENTRY,$(file)))
	.section .data.rel.ro, "aw"
	.8byte 0, 0, 0, 0
	.size catalog_builtins, . - catalog_builtins
	.section .note.GNU-stack, "", %progbits
endef

# Made anew where a file has come or gone, too
.PHONY: catalog-files
catalog-files:

$(B)/metrics/catalog_builtin_files.S: catalog-files
	$(shell mkdir -p $(@D))$(file >$@.new,$(CATALOG_TABLE))
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(CATALOG_BUILTIN): $(B)/metrics/catalog_builtin_files.S $(CATALOG_JSON) $(B)/flags/cc
	$(CC) -c -o $@ $<
