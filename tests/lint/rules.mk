# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lints. check-unit runs those that take seconds and download nothing, check also
# those that need the kernel source, "make lint" all.

LINT_UNIT := $(addprefix tests/lint/,files.t shell.t rst.t user.t descriptions.t words.t self.t arrows.t static.t)
LINT_CHECK := tests/lint/driver.t
LINT_MORE := $(addprefix tests/lint/,tidy.t kbuild.t headers.t)

SCRIPT_TESTS += $(LINT_UNIT) tests/vm/build-kernel.t
CHECK_TESTS += $(LINT_CHECK)

.PHONY: lint
lint:
	$(PROVE) --exec '' $(LINT_UNIT) $(LINT_CHECK) $(LINT_MORE)
