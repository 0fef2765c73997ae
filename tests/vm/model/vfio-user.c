// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Protocol: QEMU's docs/interop/vfio-user.rst, version 0.0. Messages and hosts
 * are little-endian.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vfio-user.h"

enum {
	CMD_VERSION = 1,
	CMD_DMA_MAP,
	CMD_DMA_UNMAP,
	CMD_GET_INFO,
	CMD_GET_REGION_INFO,
	CMD_GET_REGION_IO_FDS,
	CMD_GET_IRQ_INFO,
	CMD_SET_IRQS,
	CMD_REGION_READ,
	CMD_REGION_WRITE,
	CMD_RESET = 13,
};

enum {
	FLAG_TYPE = 0xf,	/* 0: command, 1: reply */
	FLAG_REPLY = 0x1,
	FLAG_NO_REPLY = 0x10,
	FLAG_ERROR = 0x20,
};

/* Numbers of VFIO (linux/vfio.h), which the protocol uses. */
enum {
	REGION_BAR0 = 0,
	REGION_CONFIG = 7,
	REGIONS = 9,
	REGION_READ_WRITE = 0x3,
	DEVICE_RESET_PCI = 0x3,
	IRQ_INTX = 0,
	IRQS = 5,
	IRQ_EVENTFD_MASKABLE_AUTOMASKED = 0x7,
	IRQ_DATA_NONE = 0x1,
	IRQ_DATA_EVENTFD = 0x4,
	IRQ_MASK = 0x8,
	IRQ_UNMASK = 0x10,
	IRQ_TRIGGER = 0x20,
};

/* Offsets in PCI configuration space. */
enum {
	PCI_COMMAND = 0x04,
	PCI_CLASS = 0x09,
	PCI_CACHE_LINE = 0x0c,
	PCI_LATENCY = 0x0d,
	PCI_BAR0 = 0x10,
	PCI_INTERRUPT_LINE = 0x3c,
	PCI_INTERRUPT_PIN = 0x3d,
};

#define MAX_TRANSFER	4096u

struct header {
	uint16_t id, command;
	uint32_t size, flags, error;
};

struct device_info {
	uint32_t argsz, flags, regions, irqs;
};

struct region_info {
	uint32_t argsz, flags, index, cap_offset;
	uint64_t size, offset;
};

struct irq_info {
	uint32_t argsz, flags, index, count;
};

struct irq_set {
	uint32_t argsz, flags, index, start, count;
};

struct region_access {
	uint64_t offset;
	uint32_t region, count;
	uint8_t data[MAX_TRANSFER];
};

struct dma_unmap {
	uint32_t argsz, flags;
	uint64_t iova, size;
};

/* Bytes of a region access before its data. */
#define ACCESS_HEAD	offsetof(struct region_access, data)

static const uint8_t pci_config[VFIO_USER_CONFIG_SIZE] = {
	/* A vendor and device id that no driver claims. */
	0x36, 0x1b, 0xf7, 0x11,
	/* Class 11-01-00: signal processing, performance counters. */
	[PCI_CLASS] = 0x00, 0x01, 0x11,
	[PCI_INTERRUPT_PIN] = 1,
};

void vfio_user_init(struct vfio_user *vu, struct rig *rig, unsigned int device,
		    int fd)
{
	memset(vu, 0, sizeof(*vu));
	vu->rig = rig;
	vu->device = device;
	vu->fd = fd;
	vu->irq_fd = -1;
	memcpy(vu->config, pci_config, sizeof(pci_config));
}

static void close_fds(struct vfio_user *vu)
{
	while (vu->fds_len)
		close(vu->fds[--vu->fds_len]);
}

static void set_irq_fd(struct vfio_user *vu, int fd)
{
	if (vu->irq_fd >= 0)
		close(vu->irq_fd);
	vu->irq_fd = fd;
	vu->is_masked = false;
}

void vfio_user_release(struct vfio_user *vu)
{
	close_fds(vu);
	set_irq_fd(vu, -1);
	if (vu->fd >= 0)
		close(vu->fd);
	vu->fd = -1;
}

/*
 * INTx masks itself when it fires. The client unmasks it when it assumes that the guest
 * has handled it, and an interrupt that is still asserted fires again.
 */
static void fire(struct vfio_user *vu)
{
	const uint64_t count = 1;

	if (vu->is_masked || vu->irq_fd < 0 || !(vu->is_high || vu->is_latched))
		return;
	vu->is_masked = true;
	vu->is_latched = false;
	/* Fails only if 2^64 - 2 interrupts are pending. */
	if (write(vu->irq_fd, &count, sizeof(count)) < 0)
		vu->is_masked = false;
}

void vfio_user_interrupt(struct vfio_user *vu, bool is_high, bool is_pulse)
{
	vu->is_high = is_high;
	vu->is_latched |= is_pulse;
	fire(vu);
}

static int send_reply(struct vfio_user *vu, const struct header *command,
		      const void *body, size_t len, int error)
{
	struct header h = {
		.id = command->id,
		.command = command->command,
		.size = sizeof(h) + len,
		.flags = FLAG_REPLY | (error ? FLAG_ERROR : 0),
		.error = error,
	};
	struct iovec iov[2] = {
		{ .iov_base = &h, .iov_len = sizeof(h) },
		{ .iov_base = (void *)body, .iov_len = len },
	};
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	ssize_t n;

	if (command->flags & FLAG_NO_REPLY)
		return 0;
	do {
		n = sendmsg(vu->fd, &msg, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	/* A client that does not read its replies is disconnected. */
	return (size_t)n == h.size ? 0 : -ENOBUFS;
}

static int fail(struct vfio_user *vu, const struct header *command, int error)
{
	return send_reply(vu, command, NULL, 0, error);
}

static int do_version(struct vfio_user *vu, const struct header *h,
		      const void *body, size_t len)
{
	static const char capabilities[] =
		"{\"capabilities\":{\"max_msg_fds\":8,\"max_data_xfer_size\":4096}}";
	struct {
		uint16_t major, minor;
		char capabilities[sizeof(capabilities)];
	} reply = { 0 };
	uint16_t major;

	if (len < 4)
		return fail(vu, h, EINVAL);
	memcpy(&major, body, sizeof(major));
	if (major)
		return fail(vu, h, ENOTSUP);
	memcpy(reply.capabilities, capabilities, sizeof(capabilities));
	return send_reply(vu, h, &reply, 4 + sizeof(capabilities), 0);
}

static int do_dma_unmap(struct vfio_user *vu, const struct header *h,
			const void *body, size_t len)
{
	struct dma_unmap unmap;

	/* The model does no DMA: it has mapped nothing. */
	if (len < sizeof(unmap))
		return fail(vu, h, EINVAL);
	memcpy(&unmap, body, sizeof(unmap));
	return send_reply(vu, h, &unmap, sizeof(unmap), 0);
}

static int do_device_info(struct vfio_user *vu, const struct header *h)
{
	const struct device_info info = {
		.argsz = sizeof(info),
		.flags = DEVICE_RESET_PCI,
		.regions = REGIONS,
		.irqs = IRQS,
	};

	return send_reply(vu, h, &info, sizeof(info), 0);
}

static int do_region_info(struct vfio_user *vu, const struct header *h,
			  const void *body, size_t len)
{
	struct region_info info = { 0 };

	/* The request is the same structure up to the index, or whole. */
	if (len < offsetof(struct region_info, cap_offset))
		return fail(vu, h, EINVAL);
	memcpy(&info, body, offsetof(struct region_info, cap_offset));
	if (info.index >= REGIONS)
		return fail(vu, h, EINVAL);
	info.argsz = sizeof(info);
	info.flags = 0;
	if (info.index == REGION_BAR0)
		info.size = BOARD_BAR_SIZE;
	else if (info.index == REGION_CONFIG)
		info.size = VFIO_USER_CONFIG_SIZE;
	if (info.size)
		info.flags = REGION_READ_WRITE;
	return send_reply(vu, h, &info, sizeof(info), 0);
}

static int do_irq_info(struct vfio_user *vu, const struct header *h,
		       const void *body, size_t len)
{
	struct irq_info info = { 0 };

	if (len < offsetof(struct irq_info, count))
		return fail(vu, h, EINVAL);
	memcpy(&info, body, offsetof(struct irq_info, count));
	if (info.index >= IRQS)
		return fail(vu, h, EINVAL);
	info.argsz = sizeof(info);
	info.count = info.index == IRQ_INTX;
	info.flags = info.count ? IRQ_EVENTFD_MASKABLE_AUTOMASKED : 0;
	return send_reply(vu, h, &info, sizeof(info), 0);
}

/* Takes the eventfd of the message, if it has one. */
static int take_fd(struct vfio_user *vu)
{
	return vu->fds_len ? vu->fds[--vu->fds_len] : -1;
}

static int set_intx(struct vfio_user *vu, const struct irq_set *set)
{
	bool has_eventfd = set->flags & IRQ_DATA_EVENTFD;

	switch (set->flags & (IRQ_MASK | IRQ_UNMASK | IRQ_TRIGGER)) {
	case IRQ_TRIGGER:
		if (has_eventfd || !set->count)
			set_irq_fd(vu, has_eventfd ? take_fd(vu) : -1);
		else
			vu->is_latched = true;
		break;
	case IRQ_MASK:
		if (has_eventfd)
			return ENOTSUP;
		vu->is_masked = true;
		break;
	case IRQ_UNMASK:
		if (has_eventfd)
			return ENOTSUP;
		vu->is_masked = false;
		break;
	default:
		return EINVAL;
	}
	fire(vu);
	return 0;
}

static int do_set_irqs(struct vfio_user *vu, const struct header *h,
		       const void *body, size_t len)
{
	struct irq_set set;
	int error = 0;

	if (len < sizeof(set))
		return fail(vu, h, EINVAL);
	memcpy(&set, body, sizeof(set));
	if (set.index >= IRQS || set.start || set.count > 1 ||
	    (set.index != IRQ_INTX && set.count))
		error = EINVAL;
	else if (set.index == IRQ_INTX)
		error = set_intx(vu, &set);
	return error ? fail(vu, h, error) : send_reply(vu, h, NULL, 0, 0);
}

static bool config_is_writable(uint64_t offset)
{
	return offset == PCI_COMMAND || offset == PCI_COMMAND + 1 ||
	       offset == PCI_CACHE_LINE || offset == PCI_LATENCY ||
	       (offset >= PCI_BAR0 && offset < PCI_BAR0 + 4) ||
	       offset == PCI_INTERRUPT_LINE;
}

static void write_config(struct vfio_user *vu, const struct region_access *a)
{
	uint32_t bar, i;

	for (i = 0; i < a->count; i++)
		if (config_is_writable(a->offset + i))
			vu->config[a->offset + i] = a->data[i];
	memcpy(&bar, vu->config + PCI_BAR0, sizeof(bar));
	bar &= -BOARD_BAR_SIZE;
	memcpy(vu->config + PCI_BAR0, &bar, sizeof(bar));
}

/* Returns whether the whole access is inside the region. */
static bool access_fits(const struct region_access *a)
{
	uint64_t size = 0;

	if (a->region == REGION_BAR0)
		size = BOARD_BAR_SIZE;
	else if (a->region == REGION_CONFIG)
		size = VFIO_USER_CONFIG_SIZE;
	if (a->count > MAX_TRANSFER || a->offset > size ||
	    a->count > size - a->offset)
		return false;
	return a->region == REGION_CONFIG ||
	       a->count == 1 || a->count == 2 || a->count == 4 || a->count == 8;
}

static int do_access(struct vfio_user *vu, const struct header *h,
		     const void *body, size_t len)
{
	bool is_write = h->command == CMD_REGION_WRITE;
	struct region_access a = { 0 };
	uint64_t value = 0;

	if (len < ACCESS_HEAD)
		return fail(vu, h, EINVAL);
	memcpy(&a, body, ACCESS_HEAD);
	if (!access_fits(&a) || (is_write && a.count > len - ACCESS_HEAD))
		return fail(vu, h, EINVAL);

	if (is_write)
		memcpy(a.data, (const uint8_t *)body + ACCESS_HEAD, a.count);
	if (a.region == REGION_CONFIG && is_write) {
		write_config(vu, &a);
	} else if (a.region == REGION_CONFIG) {
		memcpy(a.data, vu->config + a.offset, a.count);
	} else if (is_write) {
		memcpy(&value, a.data, a.count);
		rig_write(vu->rig, vu->device, a.offset, a.count, value);
	} else {
		value = rig_read(vu->rig, vu->device, a.offset, a.count);
		memcpy(a.data, &value, a.count);
	}
	return send_reply(vu, h, &a, ACCESS_HEAD + (is_write ? 0 : a.count), 0);
}

static int do_reset(struct vfio_user *vu, const struct header *h)
{
	memcpy(vu->config, pci_config, sizeof(pci_config));
	vu->is_masked = false;
	vu->is_high = vu->is_latched = false;
	rig_reset(vu->rig, vu->device);
	return send_reply(vu, h, NULL, 0, 0);
}

static int do_command(struct vfio_user *vu)
{
	const void *body = vu->message + sizeof(struct header);
	struct header h;
	size_t len;

	memcpy(&h, vu->message, sizeof(h));
	len = h.size - sizeof(h);
	switch (h.command) {
	case CMD_VERSION:
		return do_version(vu, &h, body, len);
	case CMD_DMA_MAP:
		return send_reply(vu, &h, NULL, 0, 0);
	case CMD_DMA_UNMAP:
		return do_dma_unmap(vu, &h, body, len);
	case CMD_GET_INFO:
		return do_device_info(vu, &h);
	case CMD_GET_REGION_INFO:
		return do_region_info(vu, &h, body, len);
	case CMD_GET_IRQ_INFO:
		return do_irq_info(vu, &h, body, len);
	case CMD_SET_IRQS:
		return do_set_irqs(vu, &h, body, len);
	case CMD_REGION_READ:
	case CMD_REGION_WRITE:
		return do_access(vu, &h, body, len);
	case CMD_RESET:
		return do_reset(vu, &h);
	}
	return fail(vu, &h, ENOTSUP);
}

/* Keeps the descriptors of a received message; false if there are too many. */
static bool keep_fds(struct vfio_user *vu, struct msghdr *msg)
{
	struct cmsghdr *c;
	bool is_kept = !(msg->msg_flags & MSG_CTRUNC);

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t i, n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		int fd;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (i = 0; i < n; i++) {
			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (vu->fds_len == VFIO_USER_MAX_FDS) {
				close(fd);
				is_kept = false;
				continue;
			}
			vu->fds[vu->fds_len++] = fd;
		}
	}
	return is_kept;
}

/* Reads the message up to @want bytes: 1 if complete, 0 if not yet. */
static int receive(struct vfio_user *vu, size_t want)
{
	while (vu->received < want) {
		char control[CMSG_SPACE(VFIO_USER_MAX_FDS * sizeof(int))]
			__attribute__((aligned(__alignof__(struct cmsghdr))));
		struct iovec iov = {
			.iov_base = vu->message + vu->received,
			.iov_len = want - vu->received,
		};
		struct msghdr msg = {
			.msg_iov = &iov, .msg_iovlen = 1,
			.msg_control = control, .msg_controllen = sizeof(control),
		};
		ssize_t n = recvmsg(vu->fd, &msg, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (!n)
			return vu->received ? -EPROTO : -EPIPE;
		if (!keep_fds(vu, &msg))
			return -EPROTO;
		vu->received += n;
	}
	return 1;
}

/*
 * One message, header first: the descriptors of a message come with its first
 * byte, so nothing of the next message may be read with it.
 */
static int receive_message(struct vfio_user *vu)
{
	struct header h;
	int ret;

	ret = receive(vu, sizeof(h));
	if (ret <= 0)
		return ret;
	memcpy(&h, vu->message, sizeof(h));
	/* With an invalid size, the next message cannot be found. */
	if (h.size < sizeof(h) || h.size > sizeof(vu->message) ||
	    h.flags & FLAG_TYPE)
		return -EPROTO;
	return receive(vu, h.size);
}

int vfio_user_input(struct vfio_user *vu)
{
	int ret;

	while ((ret = receive_message(vu)) > 0) {
		ret = do_command(vu);
		close_fds(vu);
		vu->received = 0;
		rig_service(vu->rig);
		if (ret)
			return ret;
	}
	return ret;
}
