// SPDX-License-Identifier: LGPL-2.1-or-later
/* Names of metrics that are regular expressions */
#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/text.h"
#include "section/section.h"

bool section_is_pattern(const char *name)
{
	return !strncmp(name, SECTION_PATTERN, strlen(SECTION_PATTERN));
}

/* Compiles a pattern that matches the whole of a name. Returns 0, -EINVAL or -ENOMEM. */
static int compile(regex_t *regex, const char *pattern)
{
	char *whole = text_print("^(%s)$", pattern);
	int ret = whole ? regcomp(regex, whole, REG_EXTENDED | REG_NOSUB) : REG_ESPACE;

	free(whole);
	return ret == REG_ESPACE ? -ENOMEM : ret ? -EINVAL : 0;
}

int gpmu_section_matches(const struct gpmu_section_metric *metric, const char *name)
{
	regex_t regex;
	int ret = compile(&regex, metric->name);

	if (ret)
		return ret;
	ret = regexec(&regex, name, 0, NULL, 0);
	regfree(&regex);
	return ret == REG_ESPACE ? -ENOMEM : !ret;
}

static int check_name(struct gpmu_section *section, const struct section_field *name, bool can_have_patterns)
{
	regex_t regex;
	int ret;

	if (!can_have_patterns)
		return section_warn(&section->warnings, section->file, name->line,
				    "%s is ignored: a regular expression is allowed in tables and charts only",
				    name->text);
	ret = compile(&regex, name->text + strlen(SECTION_PATTERN));
	if (!ret)
		regfree(&regex);
	return ret != -EINVAL ? ret : section_warn(&section->warnings, section->file, name->line,
						   "%s is ignored: malformed regular expression", name->text);
}

/* @can_have_patterns: of the message around @message, which has the metrics */
static int check(struct gpmu_section *section, const struct section_field *message, bool can_have_patterns)
{
	const bool is_pattern_allowed = message->kind && message->kind->message->has_patterns;
	const struct section_field *name = section_field_find(message, "Name");
	int ret = 0;

	if (name && section_is_pattern(name->text))
		ret = check_name(section, name, can_have_patterns);
	for (size_t i = 0; !ret && i < message->n; i++)
		if (message->list[i].kind->message)
			ret = check(section, &message->list[i], is_pattern_allowed);
	return ret;
}

int section_check_patterns(struct gpmu_section *section)
{
	return check(section, &section->root, false);
}
