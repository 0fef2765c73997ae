// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The vfio-user server and a client at the other end of a socketpair: messages as QEMU sends
 * them, and those of a broken client
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "model/model-test.h"
#include "vfio-user.h"

#define CONTROL		0x3f0000ull
#define CONFIG		7	/* region index */

struct bench {
	struct board board;
	struct model *model;
	struct rig rig;
	struct vfio_user vu;
	uint64_t now;
	int client;
	int result;		/* of the server's last vfio_user_input() */
	uint8_t reply[8192];
	size_t reply_len;	/* all of the reply, with its header */
};

static uint64_t bench_now(void *opaque)
{
	return ((struct bench *)opaque)->now;
}

static void bench_interrupt(void *opaque, unsigned int device, bool is_high, bool is_pulse)
{
	struct bench *b = opaque;

	if (device == b->vu.device)
		vfio_user_interrupt(&b->vu, is_high, is_pulse);
}

static const struct rig_ops ops = {
	.now = bench_now,
	.interrupt = bench_interrupt,
};

static struct bench *bench_new(void)
{
	static const char board[] =
		"chip superchip\nsockets 2\n"
		"pmu kind=scf socket=0 line=1\n"
		"pmu kind=scf socket=1 line=1 mode=edge\n";
	struct bench *b = calloc(1, sizeof(*b));
	struct text_error err = { "no memory" };
	int fds[2];

	if (!b || board_parse(&b->board, "b", board, strlen(board), &err) ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds)) {
		printf("Bail out! %s\n", err.message);
		exit(1);
	}
	b->model = model_new(b->board.chip, 2);
	rig_init(&b->rig, &b->board, b->model, &ops, b, NULL);
	vfio_user_init(&b->vu, &b->rig, 1, fds[0]);
	b->client = fds[1];
	return b;
}

static void bench_free(struct bench *b)
{
	vfio_user_release(&b->vu);
	if (b->client >= 0)
		close(b->client);
	model_free(b->model);
	free(b);
}

static void put(uint8_t **p, uint64_t value, size_t len)
{
	memcpy(*p, &value, len);
	*p += len;
}

static uint64_t get(const struct bench *b, size_t offset, size_t len)
{
	uint64_t value = 0;

	memcpy(&value, b->reply + offset, len);
	return value;
}

/* Sends bytes, and @fd as a descriptor unless it is negative. */
static void send_raw(struct bench *b, const void *data, size_t len, int fd)
{
	char control[CMSG_SPACE(sizeof(int))]
		__attribute__((aligned(__alignof__(struct cmsghdr)))) = { 0 };
	struct iovec iov = { .iov_base = (void *)data, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *c = (struct cmsghdr *)control;

	if (fd >= 0) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(b->client, &msg, MSG_NOSIGNAL) != (ssize_t)len)
		diag("short send");
}

static void serve(struct bench *b)
{
	ssize_t n;

	b->result = vfio_user_input(&b->vu);
	n = recv(b->client, b->reply, sizeof(b->reply), MSG_DONTWAIT);
	b->reply_len = n > 0 ? n : 0;
}

static size_t message(uint8_t *out, uint16_t command, uint32_t flags,
		      const void *body, size_t len)
{
	uint8_t *p = out;

	put(&p, 0x1234, 2);
	put(&p, command, 2);
	put(&p, 16 + len, 4);
	put(&p, flags, 4);
	put(&p, 0, 4);
	if (len)
		memcpy(p, body, len);
	return 16 + len;
}

/* Sends one command; returns the errno of its reply, 0 if it has none. */
static uint32_t command_fd(struct bench *b, uint16_t command, const void *body,
			   size_t len, int fd)
{
	uint8_t out[8192 + 16];

	send_raw(b, out, message(out, command, 0, body, len), fd);
	serve(b);
	if (b->reply_len < 16)
		return UINT32_MAX;
	return get(b, 8, 4) & 0x20 ? get(b, 12, 4) : 0;
}

static uint32_t command(struct bench *b, uint16_t cmd, const void *body, size_t len)
{
	return command_fd(b, cmd, body, len, -1);
}

static uint32_t access_region(struct bench *b, bool is_write, uint64_t offset,
			      uint32_t region, uint32_t count, uint64_t value,
			      size_t data)
{
	uint8_t body[64] = { 0 }, *p = body;

	put(&p, offset, 8);
	put(&p, region, 4);
	put(&p, count, 4);
	put(&p, value, 8);
	return command(b, is_write ? 10 : 9, body, 16 + data);
}

static uint64_t rd(struct bench *b, uint32_t region, uint64_t offset, uint32_t count)
{
	uint32_t error = access_region(b, false, offset, region, count, 0, 0);

	if (error || b->reply_len != 32 + count)
		diag("read of %" PRIx64 ": error %u, %zu bytes", offset, error, b->reply_len);
	return get(b, 32, count);
}

static void wr(struct bench *b, uint32_t region, uint64_t offset, uint32_t count,
	       uint64_t value)
{
	uint32_t error = access_region(b, true, offset, region, count, value, count);

	if (error || b->reply_len != 32)
		diag("write of %" PRIx64 ": error %u, %zu bytes", offset, error, b->reply_len);
}

static uint32_t set_irqs(struct bench *b, uint32_t flags, uint32_t index,
			 uint32_t start, uint32_t count, int fd)
{
	uint8_t body[20], *p = body;

	put(&p, 20, 4);
	put(&p, flags, 4);
	put(&p, index, 4);
	put(&p, start, 4);
	put(&p, count, 4);
	return command_fd(b, 8, body, sizeof(body), fd);
}

/* Returns how often the interrupt fired since the last call. */
static uint64_t fired(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void handshake(void)
{
	static const char version[] = "\0\0\0\0{\"capabilities\":{\"max_msg_fds\":8}}";
	struct bench *b = bench_new();
	uint8_t body[32] = { 0 };
	uint32_t index;

	is_u64(command(b, 1, version, sizeof(version)), 0, "handshake: the version is accepted");
	is_u64(get(b, 0, 2), 0x1234, "handshake: a reply has its command's id");
	is_u64(get(b, 2, 2), 1, "handshake: a reply has its command's number");
	is_u64(get(b, 4, 4), b->reply_len, "handshake: a reply has its own size");
	is_u64(get(b, 8, 4), 1, "handshake: a reply is marked as one");
	is_u64(get(b, 16, 4), 0, "handshake: the major and minor version are 0");
	ok(b->reply_len > 20 && !strncmp((char *)b->reply + 20, "{\"capabilities\":{", 17) &&
	   !b->reply[b->reply_len - 1], "handshake: the capabilities are a text that ends in NUL");
	is_u64(command(b, 1, "\1\0\0\0", 4), ENOTSUP,
	       "handshake: another major version is ENOTSUP");

	is_u64(command(b, 4, body, 16), 0, "handshake: the device's information is returned");
	ok(get(b, 20, 4) == 3 && get(b, 24, 4) == 9 && get(b, 28, 4) == 5,
	   "handshake: the device is PCI with a reset, 9 regions and 5 interrupts");

	for (index = 0; index < 10; index++) {
		uint64_t size = index == 0 ? 0x400000 : index == 7 ? 256 : 0;
		uint32_t error;

		memcpy(body + 8, &index, 4);
		error = command(b, 5, body, 32);
		if (index == 9)
			ok(error == EINVAL, "handshake: region 9 is EINVAL");
		else
			ok(!error && get(b, 32, 8) == size && get(b, 20, 4) == (size ? 3 : 0) &&
			   get(b, 24, 4) == index,
			   "handshake: region %u has %#" PRIx64 " bytes", index, size);
	}
	for (index = 0; index < 6; index++) {
		uint32_t error;

		memcpy(body + 8, &index, 4);
		error = command(b, 7, body, 16);
		if (index == 5)
			ok(error == EINVAL, "handshake: interrupt type 5 is EINVAL");
		else
			ok(!error && get(b, 28, 4) == !index && get(b, 20, 4) == (index ? 0 : 7),
			   "handshake: interrupt type %u has "
			   "%s", index, index ? "no vector" : "one vector with "
									    "eventfd, automasked");
	}
	is_u64(command(b, 2, body, 32), 0, "handshake: DMA mappings are accepted");
	is_u64(command(b, 3, body, 24), 0, "handshake: DMA mappings are removed");
	is_u64(b->reply_len, 40, "handshake: the reply to a removal repeats the request");
	is_u64(command(b, 6, body, 16), ENOTSUP, "handshake: descriptors for regions are ENOTSUP");
	is_u64(command(b, 14, body, 16), ENOTSUP, "handshake: dirty pages are ENOTSUP");
	is_u64(command(b, 999, NULL, 0), ENOTSUP, "handshake: an unknown command is ENOTSUP");
	is_u64(b->result, 0, "handshake: refused commands do not end the connection");
	bench_free(b);
}

static void regions(void)
{
	struct bench *b = bench_new();

	is_u64(rd(b, 0, PMIIDR, 4), 0x2cf0036b, "regions: BAR 0 has the PMU's registers");
	is_u64(rd(b, 0, CONTROL, 4), 0x756d7067, "regions: BAR 0 has the control page");
	wr(b, 0, 0, 8, 0x123456789abcdefull);
	is_u64(rd(b, 0, 0, 8), 0x123456789abcdefull, "regions: a 64-bit access is whole");
	is_u64(rd(b, 0, 4, 4), 0x1234567, "regions: a 64-bit value is little-endian");
	is_u64(rd(b, CONFIG, 0, 4), 0x11f71b36, "regions: configuration space has the device's id");
	is_u64(rd(b, CONFIG, 8, 4), 0x11010000, "regions: the class is performance counters");
	is_u64(rd(b, CONFIG, 0x3d, 1), 1, "regions: the interrupt pin is INTA");
	wr(b, CONFIG, 4, 2, 0x0006);
	is_u64(rd(b, CONFIG, 4, 2), 6, "regions: the command register can be written");
	wr(b, CONFIG, 5, 1, 0x04);
	wr(b, CONFIG, 4, 1, 0x02);
	is_u64(rd(b, CONFIG, 4, 2), 0x402,
	       "regions: each byte of the command register can be written");
	wr(b, CONFIG, 0, 4, 0xffffffff);
	is_u64(rd(b, CONFIG, 0, 4), 0x11f71b36, "regions: the id cannot be written");
	wr(b, CONFIG, 0x10, 4, 0xffffffff);
	is_u64(rd(b, CONFIG, 0x10, 4), 0xffc00000, "regions: BAR 0 has its size, 4 MiB");
	wr(b, CONFIG, 0x14, 4, 0xffffffff);
	is_u64(rd(b, CONFIG, 0x14, 4), 0, "regions: there is no other BAR");
	wr(b, CONFIG, 0xc, 1, 0x10);
	is_u64(rd(b, CONFIG, 0xc, 1), 0x10, "regions: the cache line size can be written");
	is_u64(rd(b, 0, PMIIDR, 1), 0, "regions: a read of one byte of a register is zero");
	is_u64(rd(b, 0, PMIIDR, 2), 0, "regions: a read of two bytes of a register is zero");
	is_u64(b->rig.illegal, 2, "regions: reads of one and two bytes are illegal accesses");

	is_u64(access_region(b, false, 0x400000, 0, 4, 0, 0), EINVAL,
	       "regions: a read beyond BAR 0 is EINVAL");
	is_u64(access_region(b, false, UINT64_MAX - 1, 0, 4, 0, 0), EINVAL,
	       "regions: a read that wraps is EINVAL");
	is_u64(access_region(b, false, 0, 0, 3, 0, 0), EINVAL,
	       "regions: a read of three bytes is EINVAL");
	is_u64(access_region(b, false, 0, 0, 16, 0, 0), EINVAL,
	       "regions: a read of sixteen bytes is EINVAL");
	is_u64(access_region(b, false, 0, 0, 0xffffffff, 0, 0), EINVAL,
	       "regions: a read of 4 GiB is EINVAL");
	is_u64(access_region(b, false, 250, CONFIG, 8, 0, 0), EINVAL,
	       "regions: a read across the end of configuration space is EINVAL");
	is_u64(access_region(b, false, 0, 1, 4, 0, 0), EINVAL,
	       "regions: a read of BAR 1 is EINVAL");
	is_u64(access_region(b, true, 0, 0, 8, 0, 4), EINVAL,
	       "regions: a write with less data than its size is EINVAL");
	is_u64(rd(b, 0, 0, 8), 0x123456789abcdefull, "regions: a refused write changes nothing");
	is_u64(access_region(b, false, 0, CONFIG, 256, 0, 0), 0,
	       "regions: all of configuration space is read at once");
	is_u64(b->reply_len, 32 + 256, "regions: the reply has all of configuration space");
	bench_free(b);
}

static void posted(void)
{
	uint8_t out[64], body[24] = { 0 };
	struct bench *b = bench_new();
	uint64_t offset = PMCNTENSET, value = 1;
	uint32_t four = 4;
	size_t len, i;

	memcpy(body, &offset, 8);
	memcpy(body + 12, &four, 4);
	memcpy(body + 16, &value, 4);
	send_raw(b, out, message(out, 10, 0x10, body, 20), -1);
	serve(b);
	ok(!b->result && !b->reply_len, "messages: a posted write has no reply");
	is_u64(rd(b, 0, PMCNTENSET, 4), 1, "messages: a posted write takes effect");

	/* Two messages that arrive byte by byte */
	body[16] = 2;
	len = message(out, 10, 0x10, body, 20);
	for (i = 0; i < 2 * len; i++) {
		send_raw(b, out + i % len, 1, -1);
		b->result = vfio_user_input(&b->vu);
		if (b->result)
			break;
	}
	ok(!b->result, "messages: a message may arrive byte by byte");
	is_u64(rd(b, 0, PMCNTENSET, 4), 3, "messages: a message takes effect once it is whole");

	/* Three messages at once */
	body[16] = 4;
	message(out, 10, 0x10, body, 20);
	for (i = 0; i < 3; i++)
		send_raw(b, out, len, -1);
	serve(b);
	is_u64(rd(b, 0, PMCNTENSET, 4), 7, "messages: three messages may arrive together");
	bench_free(b);
}

static void level_interrupt(void)
{
	struct bench *b = bench_new();
	int fd = eventfd(0, EFD_NONBLOCK);

	is_u64(set_irqs(b, 0x24, 0, 0, 1, fd), 0, "level interrupt: INTx accepts an eventfd");
	wr(b, 0, PMINTENSET, 4, 3);
	is_u64(fired(fd), 0, "level interrupt: it does not fire without an overflow");
	wr(b, 0, CONTROL + 0x28, 4, 0 << 8 | 0);
	is_u64(fired(fd), 1, "level interrupt: it fires on an overflow");
	wr(b, 0, CONTROL + 0x28, 4, 0 << 8 | 1);
	is_u64(fired(fd), 0, "level interrupt: it masks itself after it has fired");
	is_u64(set_irqs(b, 0x11, 0, 0, 1, -1), 0, "level interrupt: the client unmasks it");
	is_u64(fired(fd), 1, "level interrupt: it fires again after an unmask while a flag is set");
	wr(b, 0, PMOVSCLR, 4, 3);
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(fired(fd), 0,
	       "level interrupt: it does not fire after an unmask with all flags clear");
	set_irqs(b, 0x09, 0, 0, 1, -1);
	wr(b, 0, CONTROL + 0x28, 4, 0);
	is_u64(fired(fd), 0, "level interrupt: it does not fire while it is masked");
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(fired(fd), 1, "level interrupt: it fires when it is unmasked");
	is_u64(set_irqs(b, 0x21, 0, 0, 0, -1), 0,
	       "level interrupt: the client removes the eventfd");
	set_irqs(b, 0x24, 0, 0, 1, fd);
	is_u64(fired(fd), 1, "level interrupt: a new eventfd is fired if the interrupt is pending");
	is_u64(command(b, 13, NULL, 0), 0, "level interrupt: a device reset is answered");
	is_u64(rd(b, 0, PMINTENSET, 4), 0, "level interrupt: a device reset resets the PMUs");
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(fired(fd), 0, "level interrupt: a device reset clears the interrupt");
	set_irqs(b, 0x09, 0, 0, 1, -1);
	command(b, 13, NULL, 0);
	wr(b, 0, PMINTENSET, 4, 1);
	wr(b, 0, CONTROL + 0x28, 4, 0);
	is_u64(fired(fd), 1, "level interrupt: a device reset unmasks it");
	wr(b, 0, PMOVSCLR, 4, 1);
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(set_irqs(b, 0x21, 0, 0, 1, -1), 0,
	       "level interrupt: the client's own trigger is accepted");
	is_u64(fired(fd), 1, "level interrupt: the client's own trigger fires it");
	close(fd);
	bench_free(b);
}

static void edge_interrupt(void)
{
	struct bench *b = bench_new();
	const uint64_t pmu = 0x20000;
	int fd = eventfd(0, EFD_NONBLOCK);

	set_irqs(b, 0x24, 0, 0, 1, fd);
	wr(b, 0, pmu + PMINTENSET, 4, 3);
	wr(b, 0, CONTROL + 0x28, 4, 1 << 8 | 0);
	is_u64(fired(fd), 1, "edge interrupt: it fires on an overflow");
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(fired(fd), 0, "edge interrupt: it fires once while its flag stays set");
	wr(b, 0, CONTROL + 0x28, 4, 1 << 8 | 1);
	is_u64(fired(fd), 1, "edge interrupt: it fires on another counter's overflow");
	wr(b, 0, pmu + PMOVSCLR, 4, 1);
	wr(b, 0, CONTROL + 0x28, 4, 1 << 8 | 0);
	is_u64(fired(fd), 0, "edge interrupt: an overflow while it is masked is kept");
	set_irqs(b, 0x11, 0, 0, 1, -1);
	is_u64(fired(fd), 1, "edge interrupt: it fires for a kept overflow when it is unmasked");
	close(fd);
	bench_free(b);
}

static void timed_interrupt(void)
{
	struct bench *b = bench_new();
	int fd = eventfd(0, EFD_NONBLOCK);

	set_irqs(b, 0x24, 0, 0, 1, fd);
	wr(b, 0, PMINTENSET, 4, 0x80000000);
	wr(b, 0, PMCNTENSET, 4, 0x80000000);
	wr(b, 0, 8 * REGS_CYCLES, 8, UINT64_MAX - 3199);
	wr(b, 0, PMCR, 4, PMCR_E);
	is_u64(rig_service(&b->rig), 1000,
	       "timed interrupt: 3200 cycles of 3.2 GHz overflow in 1 us");
	b->now = 1000;
	rig_service(&b->rig);
	is_u64(fired(fd), 1, "timed interrupt: it fires without an access");
	close(fd);
	bench_free(b);
}

static void bad_irqs(void)
{
	struct bench *b = bench_new();
	int fd = eventfd(0, EFD_NONBLOCK);

	is_u64(set_irqs(b, 0x24, 5, 0, 1, -1), EINVAL,
	       "set irqs: setting interrupt type 5 is EINVAL");
	is_u64(set_irqs(b, 0x21, 5, 0, 0, -1), EINVAL,
	       "set irqs: disabling interrupt type 5 is EINVAL");
	is_u64(set_irqs(b, 0x24, 1, 0, 1, fd), EINVAL, "set irqs: setting an MSI is EINVAL");
	is_u64(set_irqs(b, 0x21, 1, 0, 0, -1), 0, "set irqs: disabling MSIs is accepted");
	is_u64(set_irqs(b, 0x24, 0, 1, 1, fd), EINVAL, "set irqs: a second INTx is EINVAL");
	is_u64(set_irqs(b, 0x24, 0, 0, 2, fd), EINVAL, "set irqs: two INTx at once are EINVAL");
	is_u64(set_irqs(b, 0x34, 0, 0, 1, fd), EINVAL, "set irqs: two actions at once are EINVAL");
	is_u64(set_irqs(b, 0x01, 0, 0, 1, -1), EINVAL, "set irqs: no action is EINVAL");
	is_u64(set_irqs(b, 0x14, 0, 0, 1, fd), ENOTSUP,
	       "set irqs: unmasking by eventfd is ENOTSUP");
	is_u64(set_irqs(b, 0x0c, 0, 0, 1, fd), ENOTSUP, "set irqs: masking by eventfd is ENOTSUP");
	is_u64(b->vu.fds_len, 0, "set irqs: unused descriptors are closed");
	close(fd);
	bench_free(b);
}

static void short_bodies(void)
{
	static const uint16_t commands[] = { 1, 3, 5, 7, 8, 9, 10 };
	struct bench *b = bench_new();
	uint8_t body[64] = { 0 };
	size_t i, len;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		static const size_t need[] = { 4, 24, 12, 12, 20, 16, 16 };
		bool is_refused = true;

		for (len = 0; len < need[i]; len++)
			is_refused = is_refused && command(b, commands[i], body, len) == EINVAL;
		ok(is_refused && !b->result, "command %u with a short body is EINVAL", commands[i]);
	}
	bench_free(b);
}

static void broken(const void *data, size_t len, int result, const char *what)
{
	struct bench *b = bench_new();

	send_raw(b, data, len, -1);
	serve(b);
	ok(b->result == result, "%s", what);
	if (b->result != result)
		diag("got %d", b->result);
	bench_free(b);
}

static void broken_clients(void)
{
	uint8_t out[64], *size = out + 4;
	struct bench *b;
	size_t len = message(out, 4, 0, NULL, 0);
	int fd, i;

	memset(size, 0, 4);
	broken(out, len, -EPROTO, "broken client: a message of size 0 ends the connection");
	size[0] = 15;
	broken(out, len, -EPROTO,
	       "broken client: a message shorter than its header ends the connection");
	memset(size, 0xff, 4);
	broken(out, len, -EPROTO, "broken client: a message of 4 GiB ends the connection");
	message(out, 4, 1, NULL, 0);
	broken(out, len, -EPROTO, "broken client: a reply to nothing ends the connection");
	broken(out, 5, 0, "broken client: a part of a header is waited for");

	b = bench_new();
	send_raw(b, out, 5, -1);
	close(b->client);
	b->client = -1;
	ok(vfio_user_input(&b->vu) == -EPROTO,
	   "broken client: a disconnect within a message is EPROTO");
	bench_free(b);

	b = bench_new();
	close(b->client);
	b->client = -1;
	ok(vfio_user_input(&b->vu) == -EPIPE,
	   "broken client: a disconnect between messages is EPIPE");
	bench_free(b);

	b = bench_new();
	fd = eventfd(0, 0);
	message(out, 4, 0, NULL, 0);
	for (i = 0; i < 15; i++)
		send_raw(b, out + i, 1, fd);
	serve(b);
	ok(b->result == -EPROTO, "broken client: too many descriptors end the connection");
	close(fd);
	bench_free(b);

	b = bench_new();
	message(out, 4, 0, NULL, 0);
	b->result = 0;
	for (i = 0; i < 100000 && !b->result; i++) {
		if (send(b->client, out, 16, MSG_NOSIGNAL | MSG_DONTWAIT) != 16)
			break;
		b->result = vfio_user_input(&b->vu);
	}
	ok(b->result == -EAGAIN || b->result == -ENOBUFS,
	   "broken client: a client that does not read its replies is disconnected");
	bench_free(b);
}

static uint64_t state = 88172645463325252ull;

static uint32_t random32(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

/* Random bodies after valid headers */
static void fuzz(void)
{
	struct bench *b = bench_new();
	uint8_t body[96];
	unsigned int i, j, answered = 0;

	for (i = 0; i < 20000; i++) {
		size_t len = random32() % sizeof(body);

		for (j = 0; j < sizeof(body); j++)
			body[j] = random32() % 4 ? 0 : random32();
		command(b, random32() % 16, body, len);
		answered += b->reply_len >= 16 && !b->result;
	}
	is_u64(answered, 20000, "vfio-user: 20000 random commands are each answered");
	bench_free(b);
}

int main(void)
{
	handshake();
	regions();
	posted();
	level_interrupt();
	edge_interrupt();
	timed_interrupt();
	bad_irqs();
	short_bodies();
	broken_clients();
	fuzz();
	return done_testing();
}
