// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each field of Nsight Compute's own section files is known, alone and with the others. */
#include "section-test.h"
#include "section/section.h"

#define PATHS	"tests/data/section/paths.tsv"

/* A value of each type */
static const char *const values[] = {
	[SECTION_TEXT] = ": \"x\"", [SECTION_REAL] = ": 1.5", [SECTION_INTEGER] = ": 3", [SECTION_BOOL] = ": true",
	[SECTION_WORD] = ": Word", [SECTION_SCALAR] = ": 580.65", [SECTION_ARCH] = ": CC_90",
	[SECTION_SCOPE] = ": CollectionScope_Launch", [SECTION_IMPORTANCE] = ": Required", [SECTION_MESSAGE] = " { }",
};

/* Writes the path's messages, one in the other, and a value. Returns whether the table has all of its fields. */
static bool write_path(char *text, size_t size, char *path)
{
	const struct section_message *message = &section_root;
	const struct section_kind *kind = NULL;
	size_t depth = 0, length = 0;

	for (char *name = strtok(path, "/"); name; name = strtok(NULL, "/")) {
		if (kind)
			length += (size_t)snprintf(text + length, size - length, " { ");
		depth += kind != NULL;
		kind = message ? section_kind_find(message, name, strlen(name)) : NULL;
		if (!kind)
			return false;
		message = kind->message;
		length += (size_t)snprintf(text + length, size - length, "%s", name);
	}
	if (!kind)
		return false;
	length += (size_t)snprintf(text + length, size - length, "%s", values[kind->type]);
	while (depth--)
		length += (size_t)snprintf(text + length, size - length, " }");
	snprintf(text + length, size - length, "\n");
	return true;
}

/* Returns whether the section has the field of a path. */
static bool has_path(const struct gpmu_section *section, char *path)
{
	const struct section_field *field = &section->root;

	for (char *name = strtok(path, "/"); name && field; name = strtok(NULL, "/"))
		field = section_field_find(field, name);
	return field != NULL;
}

static bool is_read(const char *path)
{
	char text[1024] = "Identifier: \"A\"\n", copy[256];
	struct gpmu_section *section;
	bool has_passed;

	snprintf(copy, sizeof(copy), "%s", path);
	if (!strcmp(path, "Identifier"))
		text[0] = '\0';
	if (!write_path(text + strlen(text), sizeof(text) - strlen(text), copy))
		return false;
	section = parse(text);
	if (!section)
		return false;
	snprintf(copy, sizeof(copy), "%s", path);
	has_passed = !gpmu_section_warning(section, 0) && has_path(section, copy);
	gpmu_section_free(section);
	return has_passed;
}

int main(void)
{
	FILE *file = fopen(PATHS, "r");
	char path[256];
	size_t n = 0;

	while (file && fgets(path, sizeof(path), file)) {
		path[strcspn(path, "\n")] = '\0';
		if (*path == '#')
			continue;
		n++;
		ok(is_read(path), "section: the field %s is read without a warning", path);
	}
	is_u64(n, 312, "section: all 312 fields of Nsight Compute 2025.3.1 are checked");
	if (file)
		fclose(file);
	return done_testing();
}
