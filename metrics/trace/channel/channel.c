// SPDX-License-Identifier: LGPL-2.1-or-later
/* The file "control", by which the reader configures the writers. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"

bool channel_ring_fits(uint64_t ring)
{
	return ring >= CHANNEL_RING_LEAST && ring <= CHANNEL_RING_MOST && !(ring & (ring - 1));
}

static bool path_of(const char *folder, char path[PATH_MAX])
{
	if (snprintf(path, PATH_MAX, "%s/" CHANNEL_CONTROL, folder) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

static bool is_valid(const struct channel_control *control)
{
	return control->version == CHANNEL_VERSION && control->size >= sizeof(*control) &&
	       channel_ring_fits(control->ring) && control->capture <= CHANNEL_CAPTURE_REGION &&
	       memchr(control->range, '\0', sizeof(control->range));
}

static struct channel_control *map(int fd, int protection)
{
	struct channel_control *control;
	struct stat stat_buf;

	if (fstat(fd, &stat_buf))
		return NULL;
	if (!S_ISREG(stat_buf.st_mode) || stat_buf.st_size < (off_t)sizeof(*control)) {
		errno = EBADMSG;
		return NULL;
	}
	control = mmap(NULL, sizeof(*control), protection, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		return NULL;
	if (is_valid(control))
		return control;
	munmap(control, sizeof(*control));
	errno = EBADMSG;
	return NULL;
}

struct channel_control *channel_map_control(const char *folder)
{
	struct channel_control *control;
	char path[PATH_MAX];
	int fd, kept, protection = PROT_READ | PROT_WRITE;

	if (!path_of(folder, path))
		return NULL;
	/* Opening a FIFO would wait for a writer. */
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 && errno == EACCES) {
		fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		protection = PROT_READ;
	}
	if (fd < 0)
		return NULL;
	control = map(fd, protection);
	kept = errno;
	close(fd);
	errno = kept;
	return control;
}

void channel_unmap_control(struct channel_control *control)
{
	munmap(control, sizeof(*control));
}

int channel_open_control(const char *folder)
{
	char path[PATH_MAX];
	int fd = path_of(folder, path) ? open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK) : -1;

	return fd < 0 ? -errno : fd;
}

void channel_set_control(int fd, size_t member, uint32_t value)
{
	/* Without a control file there is no reader to notify. */
	if (pwrite(fd, &value, sizeof(value), (off_t)member) < 0)
		return;
}

/*
 * The thread's list of robust locks. It is in private memory, so writers cannot modify it.
 * The kernel finds each lock at a fixed distance from its list entry.
 */
static __thread struct {
	struct robust_list_head head;
	struct robust_list entry;
} held;

void channel_hold(const struct channel_control *control, int fd)
{
	const size_t member = offsetof(struct channel_control, holder);

	held.entry.next = &held.head.list;
	held.head.list.next = &held.entry;
	held.head.futex_offset = (char *)&control->holder - (char *)&held.entry;
	channel_set_control(fd, member, (uint32_t)syscall(SYS_gettid));
	if (syscall(SYS_set_robust_list, &held.head, sizeof(held.head)))
		channel_set_control(fd, member, 0);
}

bool channel_has_reader(const struct channel_control *control)
{
	return !__atomic_load_n(&control->closed, __ATOMIC_RELAXED) &&
	       !(__atomic_load_n(&control->holder, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED);
}

int channel_create_control(const char *folder, const struct channel_control *control)
{
	char path[PATH_MAX];
	ssize_t written;
	int fd, ret = 0;

	if (!is_valid(control))
		return -EINVAL;
	if (!path_of(folder, path))
		return -errno;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	written = write(fd, control, sizeof(*control));
	if (written < 0)
		ret = -errno;
	else if (written != sizeof(*control))
		ret = -ENOSPC;
	if (close(fd) && !ret)
		ret = -errno;
	if (ret)
		unlink(path);
	return ret;
}
