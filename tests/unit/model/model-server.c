// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The server as a program: its messages and exit status, and a counter that overflows in real
 * time
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "regs.h"
#include "tap.h"

#ifndef SERVER
#define SERVER	"build/tests/vm/pmu-model"
#endif
#define MAX_ARGS	16

static char dir[] = "/tmp/gpmu-server.XXXXXX";
static char board[64], log_path[64], sockets[2][64], errors[64], broken[64];

static void write_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	if (!f || fputs(text, f) < 0 || fclose(f)) {
		printf("Bail out! %s\n", path);
		exit(1);
	}
}

static void read_file(const char *path, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, size - 1, f) : 0;

	text[n] = '\0';
	if (f)
		fclose(f);
}

/* Starts the server with its messages sent to a file. */
static pid_t start(char *const *args)
{
	char *argv[MAX_ARGS + 2] = { SERVER };
	pid_t pid;
	int i;

	for (i = 0; i < MAX_ARGS && args[i]; i++)
		argv[i + 1] = args[i];
	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	if (!freopen(errors, "w", stderr) || !freopen("/dev/null", "w", stdout))
		_exit(126);
	execv(SERVER, argv);
	_exit(127);
}

static int wait_status(pid_t pid)
{
	int status = 0;

	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void fails(char *const *args, int status, const char *message, const char *what)
{
	char text[1024];
	int got = wait_status(start(args));

	read_file(errors, text, sizeof(text));
	ok(got == status && strstr(text, message), "%s", what);
	if (got != status || !strstr(text, message))
		diag("status %d: %s", got, text);
}

/* Connects once the server listens; gives up after five seconds. */
static int connect_to(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), i;

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s", path);
	for (i = 0; i < 500; i++) {
		if (!connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
			return fd;
		usleep(10000);
	}
	close(fd);
	return -1;
}

/* Sends a command with the body's @len bytes and waits for the reply. */
static bool command(int sock, uint16_t cmd, const void *body, uint32_t len,
		    int fd, void *reply, size_t reply_size)
{
	char control[CMSG_SPACE(sizeof(int))]
		__attribute__((aligned(__alignof__(struct cmsghdr)))) = { 0 };
	struct { uint16_t id, cmd; uint32_t size, flags, error; } h = { 1, cmd, 16 + len, 0, 0 };
	struct iovec iov[2] = { { &h, sizeof(h) }, { (void *)body, len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };
	struct cmsghdr *c = (struct cmsghdr *)control;
	uint8_t in[256];
	ssize_t n;

	if (fd >= 0) {
		msg.msg_control = control;
		msg.msg_controllen = sizeof(control);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	}
	if (sendmsg(sock, &msg, MSG_NOSIGNAL) != (ssize_t)h.size)
		return false;
	n = recv(sock, in, sizeof(in), 0);
	if (n < 16 || in[8] != 1)
		return false;
	if (reply && (size_t)n >= 32 + reply_size)
		memcpy(reply, in + 32, reply_size);
	return true;
}

static uint64_t rd(int sock, uint64_t offset, uint32_t count)
{
	struct { uint64_t offset; uint32_t region, count; } body = { offset, 0, count };
	uint64_t value = 0;

	if (!command(sock, 9, &body, sizeof(body), -1, &value, count))
		diag("no reply to a read");
	return value;
}

static void wr(int sock, uint64_t offset, uint32_t count, uint64_t value)
{
	struct { uint64_t offset; uint32_t region, count; uint64_t value; } body = {
		offset, 0, count, value,
	};

	if (!command(sock, 10, &body, 16 + count, -1, NULL, 0))
		diag("no reply to a write");
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

static void serves(void)
{
	char *args[] = {
		"--board", board, "--log", log_path, "--socket", sockets[0], "--socket",
		sockets[1], "metrics/sources/model/scenarios/steady.scenario",
		"metrics/sources/model/scenarios/idle.scenario", NULL,
	};
	uint32_t irqs[5] = { 20, 0x24, 0, 0, 1 };
	int fd = eventfd(0, EFD_CLOEXEC), first, second;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	uint64_t begin, took;
	char text[4096];
	pid_t pid = start(args);

	first = connect_to(sockets[0]);
	second = connect_to(sockets[1]);
	ok(first >= 0 && second >= 0, "server: one client for each socket is served");
	is_u64(rd(first, PMIIDR, 4), 0x2cf0036b, "server: device 1 has the PMU of the first line");
	ok(access(sockets[0], F_OK), "server: a socket is removed once its client is connected");
	is_u64(rd(second, 0x20000 + PMIIDR, 4), 0x1030036b,
	       "server: device 2 has the PMU of the second line");
	is_u64(rd(first, 0x3f0004, 4), 2, "server: the scenarios of the command line are loaded");

	/* A clock of 3.2 GHz overflows after 0.2 s. */
	command(first, 8, irqs, sizeof(irqs), fd, NULL, 0);
	wr(first, 8 * REGS_CYCLES, 8, UINT64_MAX - 640000000 + 1);
	wr(first, PMINTENSET, 4, 0x80000000);
	wr(first, PMCNTENSET, 4, 0x80000000);
	begin = now_ms();
	wr(first, PMCR, 4, PMCR_E);
	ok(poll(&pfd, 1, 60000) == 1, "server: a counter's overflow interrupts without an access");
	took = now_ms() - begin;
	ok(took >= 199, "server: a counter does not overflow before it is due, 200 ms after its start");
	diag("after %u ms", (unsigned int)took);
	is_u64(rd(first, PMOVSSET, 4), 0x80000000, "server: an overflow sets its flag");
	wr(first, 0x3f0018, 4, 7);

	close(first);
	ok(!waitpid(pid, NULL, WNOHANG), "server: the server runs while a client is connected");
	close(second);
	is_u64(wait_status(pid), 0, "server: the server exits with 0 after the last client");
	read_file(log_path, text, sizeof(text));
	ok(strstr(text, "R 0 e08 4 2cf0036b\n") && strstr(text, "\nW 0 e04 4 1\n") &&
	   strstr(text, "\nR 1 e08 4 1030036b\n") && strstr(text, "\nM 7\n"),
	   "server: the log has the accesses and marks");
	close(fd);
}

static void ends(void)
{
	char *args[] = { "--board", board, "--socket", sockets[0], "--socket", sockets[1], NULL };
	static const char nonsense[16] = "GET / HTTP/1.1\n";
	pid_t pid = start(args);
	char text[256];
	struct stat st;
	int fd;

	fd = connect_to(sockets[0]);
	if (fd < 0 || send(fd, nonsense, sizeof(nonsense), MSG_NOSIGNAL) < 0)
		diag("cannot send");
	is_u64(wait_status(pid), 1,
	       "server: the server exits with 1 after a client with another protocol");
	read_file(errors, text, sizeof(text));
	ok(strstr(text, "client dropped: Protocol error"),
	   "server: the server's error names the protocol error");
	close(fd);
	ok(stat(sockets[1], &st) && errno == ENOENT,
	   "server: the server leaves no socket behind after an error");

	pid = start(args);
	fd = connect_to(sockets[0]);
	kill(pid, SIGTERM);
	is_u64(wait_status(pid), 0, "server: the server exits with 0 on SIGTERM");
	ok(stat(sockets[1], &st) && errno == ENOENT,
	   "server: the server leaves no socket behind after SIGTERM");
	close(fd);
}

int main(void)
{
	char missing[] = "/nonexistent/x", *none[] = { NULL };
	char *no_board[] = { "--socket", sockets[0], NULL };
	char *no_socket[] = { "--board", board, NULL };
	char *unknown[] = { "--frob", NULL };
	char *bad_board[] = { "--board", broken, "--socket", sockets[0], NULL };
	char *few[] = { "--board", board, "--socket", sockets[0], NULL };
	char *bad_scenario[] = { "--board", board, "--socket", sockets[0], "--socket", sockets[1], broken, NULL };
	char *bad_log[] = { "--board", board, "--socket", sockets[0], "--socket", sockets[1], "--log", missing, NULL };
	char *bad_socket[] = { "--board", board, "--socket", missing, "--socket", sockets[1], NULL };
	char *many[] = { "--socket", "1", "--socket", "2", "--socket", "3", "--socket", "4", "--socket", "5", NULL };

	if (!mkdtemp(dir)) {
		printf("Bail out! %s\n", dir);
		return 1;
	}
	snprintf(board, sizeof(board), "%s/board", dir);
	snprintf(broken, sizeof(broken), "%s/broken", dir);
	snprintf(log_path, sizeof(log_path), "%s/log", dir);
	snprintf(errors, sizeof(errors), "%s/errors", dir);
	snprintf(sockets[0], sizeof(sockets[0]), "%s/s1", dir);
	snprintf(sockets[1], sizeof(sockets[1]), "%s/s2", dir);
	write_file(board, "chip superchip\nsockets 2\npmu kind=scf socket=0 line=1\npmu kind=pcie socket=1 line=2\n");
	write_file(broken, "\nnonsense\n");

	fails(none, 2, "usage: pmu-model", "server: no arguments are status 2 with the usage");
	fails(no_board, 2, "usage: pmu-model",
	      "server: a missing --board is status 2 with the usage");
	fails(no_socket, 2, "usage: pmu-model",
	      "server: a missing --socket is status 2 with the usage");
	fails(unknown, 2, "usage: pmu-model",
	      "server: an unknown option is status 2 with the usage");
	fails(many, 2, "at most 4 --socket", "server: too many sockets are status 2");
	fails(bad_board, 1, "broken:2: expected",
	      "server: a malformed board is status 1 with file and line");
	fails(few, 1, "has PMUs of 2 lines", "server: a missing socket for a device is status 1");
	fails(bad_scenario, 1, "broken:2: expected flow or clock",
	      "server: a malformed scenario is status 1 with file and line");
	fails(bad_log, 1, "/nonexistent/x: No such file",
	      "server: a log that cannot be written is status 1");
	fails(bad_socket, 1, "/nonexistent/x: No such file",
	      "server: a socket that cannot be created is status 1");
	serves();
	ends();

	unlink(board);
	unlink(broken);
	unlink(log_path);
	unlink(errors);
	rmdir(dir);
	return done_testing();
}
