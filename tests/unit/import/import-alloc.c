// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of an import fails in turn: the error is ENOMEM, and nothing leaks. Damaged recordings are imported up to the damage. */
#include <errno.h>
#include <sys/mman.h>

#include "alloc.h"
#include "import-test.h"
#include "import/gpmu_import.h"

static struct made made;
static char path[64];
static int out;

static void test_allocations(void)
{
	size_t wrong = 0;
	int ret = -ENOMEM, n = 0;
	long held = alloc_held;

	for (; ret && n < ALLOC_MAX && alloc_held == held; n++) {
		struct gpmu_error error = { .size = sizeof(error) };

		alloc_left = n;
		ret = gpmu_import(path, out, NULL, NULL, &error);
		alloc_left = -1;
		wrong += ret && (ret != -ENOMEM || !error.text[0]);
	}
	ok(!ret && n > 30, "import: a recording is imported after each of its allocations has failed");
	is_u64(wrong, 0, "import: a failed allocation is ENOMEM with a text");
	ok(alloc_held == held, "import: nothing leaks after a failed allocation");
}

static void make(const struct import_how *how)
{
	made.length = 0;
	import_make(&made, how);
	snprintf(path, sizeof(path), "%s", written(made.data, made.length));
}

static void test_cut(size_t attr_count)
{
	struct gpmu_import_facts facts = { .size = sizeof(facts) };
	struct gpmu_error error = { .size = sizeof(error) };
	size_t bad = 0;

	/* After the file's header, ids and attrs */
	for (size_t length = 104 + attr_count * (8 + MADE_ATTR + 16); length < made.length; length += 13) {
		const char *cut = written(made.data, length);
		int ret = gpmu_import(cut, out, NULL, &facts, &error);

		bad += ret || !facts.is_damaged || !strstr(error.text, "expected");
		unlink(cut);
	}
	ok(!bad, "import: a recording that is cut off anywhere is imported up to there, with the reason (%zu are not)", bad);
}

static void test_facts(void)
{
	struct gpmu_import_facts facts = { .size = sizeof(facts) };

	ok(!gpmu_import(path, out, NULL, &facts, NULL), "import: a recording is imported");
	ok(facts.threads == 3 && facts.samples == 4 && facts.switches == 6 && facts.values == 4 && facts.lost == 7 && !facts.no_time,
	   "import: threads, samples, switches, values and lost records are counted");
}

int main(void)
{
	const struct import_how hows[] = { { .is_without_cpus = false },
					   { .is_without_cpus = true, .has_tracepoint = true } };

	out = memfd_create("trace", 0);
	for (size_t i = 0; i < sizeof(hows) / sizeof(hows[0]); i++) {
		make(&hows[i]);
		test_facts();
		test_allocations();
		test_cut(hows[i].has_tracepoint ? 3 : 2);
		unlink(path);
	}
	return done_testing();
}
