// SPDX-License-Identifier: LGPL-2.1-or-later
/* The control page, by which the reader configures the writers. */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "trace/channel/channel_file.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL	0x0008U
#endif

bool channel_ring_fits(uint64_t ring)
{
	return ring >= CHANNEL_RING_MIN && ring <= CHANNEL_RING_MAX && !(ring & (ring - 1));
}

int channel_memory(const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);

	/* Before Linux 6.3 */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
	return fd < 0 ? -errno : fd;
}

bool channel_is_sealed(int fd)
{
	const int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & CHANNEL_SEALS) == CHANNEL_SEALS;
}

static bool are_valid(const struct channel_ranges *ranges)
{
	return ranges->mode <= CHANNEL_RANGES_SASS && ranges->replay <= CHANNEL_REPLAY_APPLICATION &&
	       ranges->part <= CHANNEL_SASS_INSTRUCTION &&
	       memchr(ranges->filter, '\0', sizeof(ranges->filter)) && memchr(ranges->state, '\0', sizeof(ranges->state)) &&
	       !ranges->metrics[sizeof(ranges->metrics) - 1];
}

static bool is_valid(const struct channel_control *control)
{
	return control->version == CHANNEL_VERSION && control->size >= sizeof(*control) &&
	       channel_ring_fits(control->ring) && control->capture <= CHANNEL_CAPTURE_REGION &&
	       memchr(control->range, '\0', sizeof(control->range)) && are_valid(&control->ranges);
}

struct channel_control *channel_map_control(int fd)
{
	struct channel_control *control;
	struct stat stat_buf;

	if (fstat(fd, &stat_buf))
		return NULL;
	if (!channel_is_sealed(fd) || stat_buf.st_size < (off_t)sizeof(*control)) {
		errno = EBADMSG;
		return NULL;
	}
	control = mmap(NULL, sizeof(*control), PROT_READ, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		return NULL;
	if (is_valid(control))
		return control;
	munmap(control, sizeof(*control));
	errno = EBADMSG;
	return NULL;
}

void channel_unmap_control(struct channel_control *control)
{
	munmap(control, sizeof(*control));
}

/* The mapping exists already, so it can still be written. */
static int seal(int fd)
{
	const int seals = CHANNEL_SEALS | F_SEAL_SEAL;

	return fcntl(fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE) ? -errno : 0;
}

int channel_create_control(const struct channel_control *control, struct channel_control **mapped)
{
	int fd, ret;

	if (!is_valid(control))
		return -EINVAL;
	fd = channel_memory("gpmu-control");
	if (fd < 0)
		return fd;
	*mapped = MAP_FAILED;
	if (!ftruncate(fd, sizeof(*control)))
		*mapped = mmap(NULL, sizeof(*control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = *mapped == MAP_FAILED ? -errno : seal(fd);
	if (!ret) {
		memcpy(*mapped, control, sizeof(*control));
		return fd;
	}
	if (*mapped != MAP_FAILED)
		channel_unmap_control(*mapped);
	*mapped = NULL;
	close(fd);
	return ret;
}

/*
 * The thread's list of robust locks. It is in private memory, so writers cannot modify it.
 * The kernel finds each lock at a fixed distance from its list entry.
 */
static __thread struct {
	struct robust_list_head head;
	struct robust_list entry;
} held;

void channel_hold(struct channel_control *control)
{
	held.entry.next = &held.head.list;
	held.head.list.next = &held.entry;
	held.head.futex_offset = (char *)&control->holder - (char *)&held.entry;
	__atomic_store_n(&control->holder, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELAXED);
	if (syscall(SYS_set_robust_list, &held.head, sizeof(held.head)))
		__atomic_store_n(&control->holder, 0, __ATOMIC_RELAXED);
}

bool channel_has_reader(const struct channel_control *control)
{
	return !__atomic_load_n(&control->closed, __ATOMIC_RELAXED) &&
	       !(__atomic_load_n(&control->holder, __ATOMIC_RELAXED) & FUTEX_OWNER_DIED);
}
