#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Identifiers and comments can be understood without their surroundings: words.py documents the rules.
. tests/lint/lib.sh

need git python3
none "$(tracked '*.[ch]' '*.cu' | xargs -r -d '\n' tests/lint/words.py)" \
	"no identifier is a preposition or pronoun, limits are max or min, and each comment begins with a subject or a verb"
done_testing
