// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Expressions in a locale with a decimal comma, in which bytes above 127 are letters. localedef
 * makes it here, because a machine may have none.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expr/gpmu_expr.h"
#include "tap.h"

static char dir[] = "/tmp/gpmu-locale-XXXXXX";

/* Runs a command in the folder, without its output. */
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

/* Switches back to C, so that the test's own output has decimal points. */
static double eval(const char *text, struct gpmu_error *error)
{
	struct gpmu_expr *expr;
	double value = -1;

	setlocale(LC_ALL, "test");
	expr = gpmu_expr_new(text, NULL, error);
	if (expr && !gpmu_expr_id_count(expr))
		value = gpmu_expr_eval(expr, NULL);
	gpmu_expr_free(expr);
	setlocale(LC_ALL, "C");
	return value;
}

static void test_locale(void)
{
	struct gpmu_error error = { .size = sizeof(error) };

	setlocale(LC_ALL, "test");
	ok(strtod("1,5", NULL) == 1.5 && isalpha(0xe9),
	   "expr: the locale has a decimal comma and letters above 127");
	setlocale(LC_ALL, "C");
	ok(eval("1.5 * 3e-1", &error) == 1.5 * 3e-1,
	   "expr: a decimal point is a decimal point in any locale");
	ok(eval("max(1,5)", &error) == 5, "expr: a comma is not part of a number in any locale");
	ok(eval("a\xe9", &error) == -1 && errno == EINVAL && error.offset == 1,
	   "expr: a letter of Latin-1 is not part of a name");
	is_str(error.text, "expected an operator, found byte 0xe9",
	       "expr: the error for a letter of Latin-1 has its byte");
	ok(eval("#\xe9", &error) == -1 && error.offset == 0,
	   "expr: a letter of Latin-1 is not part of a literal");
}

int main(void)
{
	char *make[] = { "localedef", "-c", "-i", "de_DE", "-f", "ISO-8859-1", "./test", NULL };
	char *clean[] = { "rm", "-rf", "test", NULL };

	if (!mkdtemp(dir) || setenv("LOCPATH", dir, 1))
		return 1;
	/* It warns of what the definition lacks, and exits with 1 then. */
	run(make);
	if (setlocale(LC_ALL, "test"))
		test_locale();
	else
		ok(true,
		   "expr: a decimal point is a decimal point in any locale # SKIP localedef makes "
		   "no locale here");
	setlocale(LC_ALL, "C");
	run(clean);
	rmdir(dir);
	return done_testing();
}
