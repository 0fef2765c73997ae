# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The built-in events and metrics: tables of C, generated from pmu-events.

CATALOG_JSON	:= $(sort $(shell find pmu-events/arch pmu-events/core pmu-events/gpu pmu-events/backport/6.1 -name '*.json'))
CATALOG_TSV	:= pmu-events/aliases.tsv pmu-events/gpu/legacy.tsv
CATALOG_TABLES	:= $(B)/metrics/catalog/catalog_builtin
CATALOG_BUILTIN	:= $(CATALOG_TABLES).o

# Regenerates the tables after a file was added or removed.
$(B)/flags/catalog: private NOW = $(CATALOG_JSON)

$(CATALOG_TABLES).c: metrics/catalog/tables.py $(CATALOG_JSON) $(CATALOG_TSV) $(B)/flags/catalog
	@mkdir -p $(@D)
	$(PYTHON3) metrics/catalog/tables.py $@ $(CATALOG_JSON) $(CATALOG_TSV)

$(CATALOG_BUILTIN): $(CATALOG_TABLES).c $(LIBPERF) $(B)/flags/cc
	$(CC) $(GPMU_CPPFLAGS) $(CFLAGS) $(DEPFLAGS) -fPIC -c -o $@ $<
OBJECTS += $(CATALOG_BUILTIN)
