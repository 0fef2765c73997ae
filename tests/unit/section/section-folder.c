// SPDX-License-Identifier: LGPL-2.1-or-later
/* The sections of folders: order, recursion, malformed files and missing sections */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "section-test.h"

static char folder[] = "/tmp/gpmu-section-XXXXXX";

static void write_file(const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	if (file) {
		fputs(text, file);
		fclose(file);
	}
}

static const char *path_of(const char *name)
{
	static char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static void make_files(void)
{
	mkdir(path_of("more"), 0700);
	mkdir(path_of("empty"), 0700);
	write_file("late.section", "Identifier: \"Late\" Order: 9");
	write_file("first.section", "Identifier: \"First\" Order: 1 Colour: 3");
	write_file("other.section", "Identifier: \"Other\" Order: 9");
	write_file("twice.section", "Identifier: \"Other\"");
	write_file("bad.section", "Identifier: \"Bad\"\nOrder {");
	write_file("notes.txt", "Identifier: \"Text\"");
	write_file(".hidden.section", "Identifier: \"Hidden\"");
	write_file("more/inner.section", "Identifier: \"Inner\" Order: 2");
	if (symlink(folder, path_of("more/loop")))
		diag("no links");
}

static void remove_files(void)
{
	static const char *const names[] = {
		"late.section", "first.section", "other.section", "twice.section", "bad.section", "notes.txt", ".hidden.section",
		"more/inner.section", "more/loop",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlink(path_of(names[i]));
	rmdir(path_of("more"));
	rmdir(path_of("empty"));
	rmdir(folder);
}

static void has_identifiers(const struct gpmu_sections *sections, const char *want, const char *what)
{
	const struct gpmu_section *section;
	char got[256] = "";

	for (size_t i = 0; (section = gpmu_sections_at(sections, i)); i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i ? " " : "", gpmu_section_identifier(section));
	is_str(got, want, what);
}

static void ends_with(const char *text, const char *end, const char *what)
{
	const size_t length = text ? strlen(text) : 0;

	is_str(length > strlen(end) ? text + length - strlen(end) : text, end, what);
}

static void test_folder(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_sections *sections = gpmu_sections_new();

	ok(!gpmu_sections_add(sections, folder, 0, &error), "section: a folder with a malformed file is read");
	has_identifiers(sections, "First Late Other", "section: sections are sorted by order, then by identifier");
	ends_with(gpmu_sections_failure(sections, 0), "bad.section:2: Order: expected an integer", "section: the malformed file is named with its line");
	ok(!gpmu_sections_failure(sections, 1), "section: files with other endings and hidden files are not read");
	ends_with(gpmu_sections_warning(sections, 0), "first.section:1: unknown field Colour is ignored", "section: warnings of a file are those of the list");
	ok(gpmu_sections_warning(sections, 1) && strstr(gpmu_sections_warning(sections, 1), "twice.section: Other is left out: it is in "), "section: a second file of an identifier is named and left out");
	ok(!gpmu_sections_warning(sections, 2), "section: there are no other warnings");
	ok(!gpmu_sections_add(sections, folder, 1, &error), "section: a folder with a link to itself is read recursively");
	has_identifiers(sections, "First Inner Late Other", "section: a recursive search adds inner folders");
	gpmu_sections_free(sections);
}

static void test_missing(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct gpmu_sections *sections = gpmu_sections_new();

	ok(gpmu_sections_add(sections, path_of("empty"), 0, &error) == -ENOENT, "section: a folder without section files is refused");
	ends_with(error.text, "empty: no *.section in it", "section: the folder without section files is named");
	ok(gpmu_sections_add(sections, path_of("absent"), 0, &error) == -ENOENT, "section: a folder that does not exist is refused");
	ends_with(error.text, "absent: No such file or directory", "section: the folder that does not exist is named");
	ok(!gpmu_sections_add(sections, path_of("late.section"), 0, &error), "section: a file is added by its path");
	ok(gpmu_sections_find(sections, "Late", &error) != NULL, "section: a section is found by its identifier");
	ok(!gpmu_sections_find(sections, "Lat", &error) && errno == ENOENT, "section: another identifier is not found");
	is_str(error.text, "no section Lat; did you mean Late?", "section: the most similar identifier is named");
	ok(!gpmu_sections_find(sections, "Completely", &error), "section: an identifier unlike all others is not found");
	is_str(error.text, "no section Completely", "section: no identifier is named if none is similar");
	gpmu_sections_free(sections);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	make_files();
	test_folder();
	test_missing();
	remove_files();
	return done_testing();
}
