// SPDX-License-Identifier: LGPL-2.1-or-later
/* Tests whether an action was launched in NVTX ranges of given names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ncurep/ncurep.h"

#define ANY	"*"

/* The names of a filter, all in one allocation; ANY is any number of ranges */
struct filter {
	char *text;
	const char *domain;
	VECTOR(const char *) names;
	bool is_stack;		/* of pushed ranges, from the outermost on */
};

static int add_name(struct filter *filter, const char *name)
{
	return vector_push(&filter->names, &name);
}

/* Splits "[A/B]" into names. Without brackets, ranges may be around A and in B. */
static int parse_stack(struct filter *filter, char *text)
{
	size_t length = strlen(text);
	bool is_outermost = *text == '[', is_innermost = length && text[length - 1] == ']';
	char *name;

	if (is_innermost)
		text[length - 1] = '\0';
	text += is_outermost;
	if (!is_outermost && add_name(filter, ANY))
		return -ENOMEM;
	while ((name = strsep(&text, "/"))) {
		/* "A/" is one pushed range. */
		if (!*name && !text)
			break;
		if (!*name)
			return -EINVAL;
		if (add_name(filter, name))
			return -ENOMEM;
	}
	return is_innermost ? 0 : add_name(filter, ANY);
}

static int parse(struct filter *filter, const char *text)
{
	char *names, *end;

	filter->text = strdup(text);
	if (!filter->text)
		return -ENOMEM;
	names = filter->text;
	filter->domain = "";
	end = strchr(names, '@');
	if (end) {
		*end = '\0';
		filter->domain = names;
		names = end + 1;
	}
	if (!*names)
		return -EINVAL;
	filter->is_stack = strpbrk(names, "/[]");
	return filter->is_stack ? parse_stack(filter, names) : add_name(filter, names);
}

/*
 * Returns whether the names of a filter are those of a whole stack. After a mismatch, the last ANY takes one range
 * more.
 */
static bool is_stack_match(const struct filter *filter, const struct gpmu_ncu_nvtx *stack, size_t depth)
{
	size_t name = 0, range = 0, after_any = 0, taken = 0;

	while (range < depth) {
		if (name < filter->names.n && !strcmp(filter->names.list[name], ANY)) {
			after_any = ++name;
			taken = range;
		} else if (name < filter->names.n && !strcmp(filter->names.list[name], stack[range].name)) {
			name++;
			range++;
		} else if (after_any) {
			name = after_any;
			range = ++taken;
		} else {
			return false;
		}
	}
	while (name < filter->names.n && !strcmp(filter->names.list[name], ANY))
		name++;
	return name == filter->names.n;
}

/* The number of ranges of the stack that begins here */
static size_t stack_depth(const struct ncurep_action *action, size_t begin)
{
	size_t end = begin + 1;

	while (end < action->nvtx.n && action->nvtx.list[end].pushed && action->nvtx.list[end].depth)
		end++;
	return end - begin;
}

static bool is_match(const struct ncurep_action *action, const struct filter *filter)
{
	size_t n;

	for (size_t i = 0; i < action->nvtx.n; i += n) {
		const struct gpmu_ncu_nvtx *range = &action->nvtx.list[i];

		n = range->pushed ? stack_depth(action, i) : 1;
		if (!range->pushed != !filter->is_stack || strcmp(range->domain, filter->domain) != 0)
			continue;
		if (filter->is_stack ? is_stack_match(filter, range, n) : !strcmp(range->name, filter->names.list[0]))
			return true;
	}
	return false;
}

int gpmu_ncu_action_matches(const struct gpmu_ncu_action *info, const char *text)
{
	struct filter filter = { 0 };
	int ret = parse(&filter, text);

	if (!ret)
		ret = is_match((const struct ncurep_action *)info, &filter);
	vector_free(&filter.names);
	free(filter.text);
	return ret;
}
