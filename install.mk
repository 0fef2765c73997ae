# SPDX-License-Identifier: LGPL-2.1-or-later
#
# make install: gpmu, libgpmu, and perf if it was built. All files are staged below
# $(STAGE), and tools/install copies the stage to DESTDIR. modules_install or dkms
# installs the driver.

STAGE		:= $(B)/stage
NO_PATHS	:= $(filter-out /%,$(bindir) $(libdir) $(includedir) $(datadir) $(mandir) $(docdir) $(dlfilterdir))

define GPMU_PC
prefix=$${pcfiledir}/$(call relative,$(libdir)/pkgconfig,$(PREFIX))
libdir=$(libdir:$(PREFIX)/%=$${prefix}/%)
includedir=$(includedir:$(PREFIX)/%=$${prefix}/%)
plugindir=$${libdir}/gpmu

Name: gpmu
Description: counters and metrics of NVIDIA Grace and other machines
Version: $(VERSION)
Libs: -L$${libdir} -lgpmu
Cflags: -I$${includedir}
endef
$(B)/flags/gpmu.pc: private NOW = $(GPMU_PC)

# put MODE,FOLDER,FILES
put		= install -D -m $(1) -t $(STAGE)$(2) $(3)

# A perf requested by PERF_VERSION must have been built.
STAGE_PERF	= $(MAKE) -s --no-print-directory install-perf DESTDIR=$(STAGE)
ifeq ($(origin PERF_VERSION),file)
STAGE_PERF	+= >/dev/null 2>&1 || :
else
STAGE_PERF	+= >/dev/null
endif

.PHONY: stage install uninstall
stage: $(B)/flags/gpmu.pc $(GPMU) $(GPMU_SO) $(MODEL_PLUGIN) $(GPU_PLUGINS) $(INJECT) $(MARK) $(DLFILTERS) $(TRACE_PLUGIN) $(MAN1) $(MAN3) $(MAN5) $(MAN7)
	@[ -z "$(NO_PATHS)" ] || { \
		echo "PREFIX and folders: expected whole paths without blanks, found $(NO_PATHS)" >&2; exit 1; }
	@rm -rf $(STAGE)
	@$(call put,755,$(bindir),$(GPMU))
	@$(call put,755,$(libdir),$(GPMU_SO))
	@ln -s $(notdir $(GPMU_SO)) $(STAGE)$(libdir)/libgpmu.so
	@$(call put,644,$(libdir)/pkgconfig,$(B)/flags/gpmu.pc)
	@$(call put,755,$(libdir)/gpmu,$(MODEL_PLUGIN) $(GPU_PLUGINS) $(INJECT) $(MARK))
	@$(call put,755,$(dlfilterdir),$(DLFILTERS))
	@$(call put,755,$(libdir)/traceevent/plugins,$(TRACE_PLUGIN))
	@$(call put,644,$(includedir),$(wildcard metrics/include/*.h))
	@$(call put,644,$(includedir)/gpmu,$(wildcard metrics/include/gpmu/*.h) metrics/fortran/gpmu.f90)
	@$(call put,644,$(datadir)/gpmu/scenarios,$(wildcard metrics/sources/model/scenarios/*))
	@$(call put,644,$(datadir)/gpmu/sections,$(wildcard pmu-events/gpu/sections/*))
	@$(call put,644,$(docdir),metrics/values/output.rst metrics/traffic/traffic.rst metrics/record/timeline.rst metrics/import/import.rst metrics/sources/model/scenario.rst)
	@$(call put,644,$(mandir)/man3,$(MAN3:.stamp=)/*)
	@$(foreach section,$(if $(RST2MAN),1 5 7),$(call put,644,$(mandir)/man$(section),$(MAN$(section)));)
	@install -D -m 644 tools/completion/gpmu.bash $(STAGE)$(datadir)/bash-completion/completions/gpmu
	@$(call put,644,$(datadir)/zsh/site-functions,tools/completion/_gpmu)
	@$(STAGE_PERF)

# Programs find libgpmu through ldconfig's cache.
install: stage
	@tools/install $(STAGE) "$(DESTDIR)"
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig
	@[ -e $(STAGE)$(bindir)/gpmu-perf ] || echo "without gpmu-perf: make perf has not built the perf that PERF_VERSION selects"
	@$(if $(RST2MAN),,echo "without the manual pages of sections 1, 5 and 7: there is no rst2man, which ./setup installs")
	@echo "installed gpmu $(VERSION) in $(DESTDIR)$(PREFIX)"

# Each perf that was installed, not only the one of this build
uninstall: stage
	@rm -rf "$(DESTDIR)$(bindir)/gpmu-perf" "$(DESTDIR)$(libdir)"/gpmu/perf-* "$(DESTDIR)$(libdir)/gpmu/tests"
	@tools/install --remove $(STAGE) "$(DESTDIR)"
