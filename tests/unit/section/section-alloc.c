// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation fails in turn. The section is then refused with ENOMEM and a message, and nothing leaks. */
#include "alloc.h"
#include "section/gpmu_section.h"

static const char text[] =
	"Identifier: \"A\" New: 1 Order: 1 Order: 2 Header { Metrics { Name: \"m\" Groups: \"a\" Groups: \"b\" Groups: \"c\" } } "
	"Body { Items { Table { Metrics { Name: \"regex:a\" } Metrics { Name: \"regex:(\" } } } "
	"Items { SuffixTable { BaseNames { BaseName { Name: \"x\" } } Suffixes { Suffix { Name: \"y\" } } } } }";

static int make(void)
{
	const struct gpmu_section_target target = { .size = sizeof(target) };
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_section_metrics *metrics;
	struct gpmu_section *section;
	int ret = 0;

	errno = 0;
	section = gpmu_section_new("a.section", text, strlen(text), &error);
	if (!section)
		return strcmp(error.text, "out of memory") ? 1 : -errno;
	metrics = gpmu_section_select(section, &target);
	if (!metrics)
		ret = -errno;
	gpmu_section_metrics_free(metrics);
	gpmu_section_free(section);
	return ret;
}

int main(void)
{
	alloc_fail_each(make, 20, "section: a section of all kinds of metrics");
	return done_testing();
}
