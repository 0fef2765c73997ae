// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/vector.h"
#include "event/event_list.h"

struct reader {
	const char *text, *cursor;
	struct event_list *list;
	struct gpmu_error *error;
};

static int fail(const struct reader *reader, const char *pos, const char *what)
{
	error_set(reader->error, (size_t)(pos - reader->text), "%s", what);
	return -EINVAL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

static void skip_blanks(struct reader *reader)
{
	while (is_blank(*reader->cursor))
		reader->cursor++;
}

static int add(struct reader *reader, const char *begin, const char *end, int group)
{
	struct event_list *list = reader->list;
	struct event_list_item *item;

	while (end > begin && is_blank(end[-1]))
		end--;
	if (end == begin)
		return fail(reader, begin, "expected an event");
	item = vector_append(list->items, list->length);
	if (!item)
		return -ENOMEM;
	item->text = strndup(begin, (size_t)(end - begin));
	if (!item->text)
		return -ENOMEM;
	item->offset = (size_t)(begin - reader->text);
	item->group = group;
	return 0;
}

/* Separators have no effect between slashes, nor after a backslash. Slashes have none in '...'. */
static int read_event(struct reader *reader, int group)
{
	bool has_terms = false, is_quoted = false, is_address;
	const char *begin, *slash = NULL;

	skip_blanks(reader);
	begin = reader->cursor;
	/* "mem:0x1000/8:rw" has a single "/". */
	is_address = !strncmp(begin, "mem:", 4);
	for (; *reader->cursor; reader->cursor++) {
		char c = *reader->cursor;

		if (c == '\\' && reader->cursor[1]) {
			reader->cursor++;
		} else if (c == '\'' && has_terms) {
			is_quoted = !is_quoted;
		} else if (c == '/' && !is_quoted && !is_address) {
			slash = reader->cursor;
			has_terms = !has_terms;
		} else if (!has_terms && (c == ',' || c == '{' || c == '}')) {
			break;
		}
	}
	if (is_quoted || has_terms)
		return fail(reader, slash, is_quoted ? "\"'\" without a closing \"'\""
			    : "\"/\" without a closing \"/\"");
	return add(reader, begin, reader->cursor, group);
}

/*
 * Returns the offset of the event's modifiers, or the offset at which to add them after
 * @separator.
 */
static size_t find_modifiers(const char *text, const char **separator)
{
	static const char letters[] = "ukhGHIpPDSWebRX";
	const char *slash = strrchr(text, '/'), *colon = strrchr(text, ':');

	*separator = "";
	if (slash)
		return (size_t)(slash + 1 + (slash[1] == ':') - text);
	if (colon && colon[1] && (colon == text || colon[-1] != ':') &&
	    strspn(colon + 1, letters) == strlen(colon + 1))
		return (size_t)(colon + 1 - text);
	*separator = ":";
	return strlen(text);
}

/* perf applies D (pinned) and e (exclusive) of a group to its leader only. */
static bool is_wanted(char letter, const char *there, bool is_leader)
{
	if (!is_leader && (letter == 'D' || letter == 'e'))
		return false;
	return letter == 'p' || !strchr(there, letter);
}

static int add_modifiers(struct event_list_item *item, const char *letters, size_t length,
			 bool is_leader)
{
	const char *separator;
	size_t offset = find_modifiers(item->text, &separator), n = strlen(item->text);
	char *larger = realloc(item->text, n + length + 2);
	size_t begin = n;

	if (!larger)
		return -ENOMEM;
	item->text = larger;
	for (size_t i = 0; i < length; i++) {
		if (!is_wanted(letters[i], larger + offset, is_leader))
			continue;
		if (n == begin)
			n = (size_t)(stpcpy(larger + n, separator) - larger);
		larger[n++] = letters[i];
		larger[n] = '\0';
	}
	return 0;
}

char *event_list_modified(const char *text, const char *letters)
{
	struct event_list_item item = { .text = strdup(text) };

	if (item.text && add_modifiers(&item, letters, strlen(letters), true)) {
		free(item.text);
		return NULL;
	}
	return item.text;
}

static int read_group_modifiers(struct reader *reader, size_t first)
{
	const char *letters;
	size_t length;
	int ret = 0;

	if (*reader->cursor != ':')
		return 0;
	letters = ++reader->cursor;
	length = strcspn(letters, ",{} \t\n");
	if (!length || strcspn(letters, ":/") < length)
		return fail(reader, letters, "expected modifiers of the group, such as \"u\"");
	for (size_t i = first; !ret && i < reader->list->length; i++)
		ret = add_modifiers(&reader->list->items[i], letters, length, i == first);
	reader->cursor += length;
	return ret;
}

static int read_group(struct reader *reader)
{
	const char *begin = reader->cursor++;
	size_t first = reader->list->length;
	int ret;

	while (!(ret = read_event(reader, reader->list->groups)) && *reader->cursor == ',')
		reader->cursor++;
	if (ret)
		return ret;
	if (*reader->cursor == '{')
		return fail(reader, reader->cursor, "groups cannot be nested");
	if (*reader->cursor != '}')
		return fail(reader, begin, "\"{\" without \"}\"");
	reader->cursor++;
	ret = read_group_modifiers(reader, first);
	reader->list->groups++;
	return ret;
}

/* Skips a group's name before "{", which perf allows. */
static void skip_group_name(struct reader *reader)
{
	size_t length = strcspn(reader->cursor, ",{}/:\\' \t\n");

	if (reader->cursor[length] == '{')
		reader->cursor += length;
}

static int read_list(struct reader *reader)
{
	int ret;

	for (;; reader->cursor++) {
		skip_blanks(reader);
		skip_group_name(reader);
		ret = *reader->cursor == '{' ? read_group(reader) : read_event(reader, -1);
		if (ret)
			return ret;
		skip_blanks(reader);
		if (!*reader->cursor)
			return 0;
		if (*reader->cursor == '}')
			return fail(reader, reader->cursor, "\"}\" without \"{\"");
		if (*reader->cursor != ',')
			return fail(reader, reader->cursor, "expected \",\" or the end");
	}
}

int event_list_init(struct event_list *list, const char *text, struct gpmu_error *error)
{
	struct reader reader = { .text = text, .cursor = text, .list = list, .error = error };
	int ret;

	*list = (struct event_list){ .items = NULL };
	ret = read_list(&reader);
	if (ret == -ENOMEM)
		error_no_memory(error);
	if (ret)
		event_list_release(list);
	return ret;
}

void event_list_release(struct event_list *list)
{
	for (size_t i = 0; i < list->length; i++)
		free(list->items[i].text);
	free(list->items);
	*list = (struct event_list){ .items = NULL };
}
