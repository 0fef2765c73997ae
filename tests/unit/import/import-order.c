// SPDX-License-Identifier: LGPL-2.1-or-later
/* Records of equal times keep their order, whichever order qsort(3) gives to equal elements. */
#include <sys/mman.h>

#include "import-test.h"
#include "import/gpmu_import.h"

#define TRACE_MAX	(1 << 16)
#define ELEMENT_MAX	256	/* bytes */

static struct made records, file;
static bool is_reversed;	/* whether equal elements are sorted in the reverse order */

void __wrap_qsort(void *base, size_t count, size_t size, int (*compare)(const void *a, const void *b));

static void *element_at(void *base, size_t index, size_t size)
{
	return (char *)base + index * size;
}

/* Insertion sort */
void __wrap_qsort(void *base, size_t count, size_t size, int (*compare)(const void *a, const void *b))
{
	char element[ELEMENT_MAX];

	if (size > sizeof(element))
		abort();
	for (size_t i = 1, to; i < count; i++) {
		memcpy(element, element_at(base, i, size), size);
		for (to = i; to && compare(element_at(base, to - 1, size), element) >= !is_reversed; to--)
			;
		memmove(element_at(base, to + 1, size), element_at(base, to, size), (i - to) * size);
		memcpy(element_at(base, to, size), element, size);
	}
}

/* Imports the recording. Returns the length of the trace. */
static ssize_t import(const char *path, void *trace)
{
	int out = memfd_create("trace", 0);
	ssize_t length = gpmu_import(path, out, NULL, NULL, NULL) ? -1 : pread(out, trace, TRACE_MAX, 0);

	close(out);
	return length;
}

static void test_switches(bool is_without_cpus)
{
	static char traces[2][TRACE_MAX];
	const struct import_how how = { .is_without_cpus = is_without_cpus };
	const struct perf_event_attr attr = import_attr(&how, PERF_COUNT_SW_CPU_CLOCK);
	ssize_t lengths[2];
	const char *path;

	records.length = file.length = 0;
	for (uint32_t tid = 101; tid < 105; tid++)
		import_comm(&records, &how, tid, "app", 0, IMPORT_START + tid);
	for (uint32_t i = 0; i < 100; i++) {
		import_change(&records, &how, 101 + i % 4, IMPORT_START + 1000 + i / 10, 0);
		import_change(&records, &how, 101 + i % 4, IMPORT_START + 1000 + i / 10, PERF_RECORD_MISC_SWITCH_OUT);
	}
	make_file(&file, &attr, 1, &records, NULL, 0);
	path = written(file.data, file.length);
	for (int i = 0; i < 2; i++) {
		is_reversed = i;
		lengths[i] = import(path, traces[i]);
	}
	unlink(path);
	ok(lengths[0] > 1000 && lengths[0] < TRACE_MAX, "import: a recording %s CPUs has a trace",
	   is_without_cpus ? "without" : "with");
	ok(lengths[0] == lengths[1] && !memcmp(traces[0], traces[1], (size_t)lengths[0]),
	   "import: context switches of equal times %s CPUs are in the order of their records",
	   is_without_cpus ? "without" : "with");
}

int main(void)
{
	test_switches(false);
	test_switches(true);
	return done_testing();
}
