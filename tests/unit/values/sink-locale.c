// SPDX-License-Identifier: LGPL-2.1-or-later
/* Rows in a locale with a decimal comma. localedef makes it here, as the machine may have none. */
#include <fcntl.h>
#include <locale.h>
#include <spawn.h>
#include <sys/wait.h>

#include "sink-test.h"

static char dir[] = "/tmp/gpmu-locale-XXXXXX";

/* Runs a program silently in the folder. */
static void run(char **argv)
{
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
	posix_spawn_file_actions_addchdir_np(&actions, dir);
	if (!posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		waitpid(pid, NULL, 0);
	posix_spawn_file_actions_destroy(&actions);
}

/* Writes values by all ways in which numbers become text. */
static void write_rows(struct test_sink *t, enum gpmu_sink_kind kind)
{
	struct gpmu_row rows[] = {
		metric_row("a", 1234.5, NULL),
		metric_row("b", 1e-300, NULL),
		metric_row("c", 1.5e20, NULL),
		metric_row("d", 2.0 / 3, NULL),
	};
	const struct gpmu_sink_end end = { sizeof(end), 1.5, 0.5, 1.25, 0.5 };

	rows[3].share = 0.125;
	test_sink_init(t, kind, (struct gpmu_sink_options){ .big_numbers = 1 });
	gpmu_sink_rows(t->sink, rows_of(rows, 4));
	gpmu_sink_end(t->sink, &end);
}

int main(void)
{
	static const char *const names[] = { "summary", "CSV", "JSON" };
	static const char *const numbers[] = { "1,234.50", "1e-300", "1e-300" };
	char *make[] = { "localedef", "-c", "-i", "de_DE", "-f", "ISO-8859-1", "./test", NULL };
	char *clean[] = { "rm", "-rf", "test", NULL };
	struct test_sink plain, other;

	if (!mkdtemp(dir) || setenv("LOCPATH", dir, 1))
		return 1;
	/* It warns of gaps in the definition, and then exits with 1. */
	run(make);
	for (int kind = GPMU_SINK_SUMMARY; kind <= GPMU_SINK_JSON; kind++) {
		char what[64];
		bool has_comma;

		if (!setlocale(LC_ALL, "test")) {
			ok(true, "locale: the %s output is that of the C locale # SKIP localedef makes no locale here",
			   names[kind]);
			continue;
		}
		has_comma = strtod("1,5", NULL) == 1.5;
		write_rows(&other, (enum gpmu_sink_kind)kind);
		setlocale(LC_ALL, "C");
		write_rows(&plain, (enum gpmu_sink_kind)kind);
		ok(has_comma, "locale: strtod() takes a decimal comma");
		snprintf(what, sizeof(what), "locale: the %s output is that of the C locale", names[kind]);
		is_text(other.text, plain.text, what);
		ok(strstr(plain.text, numbers[kind]) != NULL,
		   "locale: the output has a number that a locale could change");
		test_sink_release(&plain);
		test_sink_release(&other);
	}
	setlocale(LC_ALL, "C");
	run(clean);
	rmdir(dir);
	return done_testing();
}
