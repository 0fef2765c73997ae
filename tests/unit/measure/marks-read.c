// SPDX-License-Identifier: LGPL-2.1-or-later
/* The file of the marks if a process was killed while it wrote a record, or another one wrote into it */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/marks_read.h"
#include "tap.h"

static void *block;	/* the block that ends at a page without access */
static size_t block_size;

void *__real_malloc(size_t size);
void __real_free(void *data);
void *__wrap_malloc(size_t size);
void __wrap_free(void *data);

static bool is_guarded;

/* Allocates the text of a file in front of a page without access. */
void *__wrap_malloc(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *pages;

	if (!is_guarded || size > page)
		return __real_malloc(size);
	is_guarded = false;
	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE))
		abort();
	block_size = 2 * page;
	block = pages + page - size;
	return block;
}

void __wrap_free(void *data)
{
	const size_t page = block_size / 2;

	if (data && data == block)
		munmap((void *)((uintptr_t)data & ~(uintptr_t)(page - 1)), block_size);
	else
		__real_free(data);
}

/* Returns what marks_read() returns for a file with this text. */
static int read_text(const char *text)
{
	int fd = memfd_create("marks", MFD_CLOEXEC), ret;
	FILE *null = fopen("/dev/null", "we");

	if (fd < 0 || !null || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	is_guarded = true;
	ret = marks_read(fd, true, null, NULL, NULL);
	fclose(null);
	close(fd);
	return ret;
}

int main(void)
{
	is_u64((uint64_t)-read_text("I 7 1 app\n5"), EINVAL,
	       "marks_read: a record whose number ends with the file is refused, and nothing behind it is read");
	is_u64((uint64_t)read_text("B 7 0 app\nC 7 1 app\nx"), 1, "marks_read: the counts of a process at the end of the file are read");
	is_u64((uint64_t)read_text("B 7 0 app\nC 7 9 app\nx"), 0, "marks_read: a record that the file cuts off is ignored");
	return done_testing();
}
