// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * pmu-model: the modelled Grace as a vfio-user server, one socket for each
 * device that carries PMUs.
 */
#include <errno.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "vfio-user.h"

#define NSEC_PER_SEC	1000000000ull

/* One device: listens, then serves one client. */
struct port {
	const char *path;
	int listener;		/* -1 once there is a client */
	bool is_connected, is_gone;
	struct vfio_user vu;
};

struct server {
	struct board board;
	struct model *model;
	struct rig rig;
	FILE *log;
	uint64_t origin;	/* CLOCK_MONOTONIC at model time 0 */
	struct port ports[BOARD_LINES];
	unsigned int ports_len;
};

static volatile sig_atomic_t stop;

static void on_signal(int signo)
{
	(void)signo;
	stop = 1;
}

static uint64_t monotonic(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static uint64_t server_now(void *opaque)
{
	struct server *s = opaque;

	return monotonic() - s->origin;
}

static void server_interrupt(void *opaque, unsigned int device, bool is_high,
			     bool is_pulse)
{
	struct server *s = opaque;

	if (device <= s->ports_len && s->ports[device - 1].is_connected)
		vfio_user_interrupt(&s->ports[device - 1].vu, is_high, is_pulse);
}

static const struct rig_ops server_ops = {
	.now = server_now,
	.interrupt = server_interrupt,
};

static int open_listener(struct port *port)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd;

	if (strlen(port->path) >= sizeof(addr.sun_path)) {
		fprintf(stderr, "pmu-model: %s: socket path too long\n", port->path);
		return -1;
	}
	memcpy(addr.sun_path, port->path, strlen(port->path) + 1);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		goto fail;
	unlink(port->path);
	if (bind(fd, (const struct sockaddr *)&addr, sizeof(addr)) || listen(fd, 1)) {
		close(fd);
		goto fail;
	}
	port->listener = fd;
	return 0;

fail:
	fprintf(stderr, "pmu-model: %s: %s\n", port->path, strerror(errno));
	return -1;
}

static int load_scenarios(struct server *s, char **paths, int len)
{
	struct text_error err;
	int i;

	for (i = 0; i < len; i++) {
		struct scenario *scenario = scenario_load(paths[i], &err);

		if (!scenario || model_add(s->model, scenario, &err) < 0) {
			fprintf(stderr, "pmu-model: %s\n", err.message);
			return -1;
		}
	}
	return 0;
}

static int server_init(struct server *s, const char *board, const char *log,
		       char **scenarios, int len)
{
	struct text_error err;
	unsigned int i;

	if (board_load(&s->board, board, &err)) {
		fprintf(stderr, "pmu-model: %s\n", err.message);
		return -1;
	}
	if (s->ports_len < board_devices(&s->board)) {
		fprintf(stderr, "pmu-model: %s has PMUs of %u lines: give as many --socket\n",
			board, board_devices(&s->board));
		return -1;
	}
	s->model = model_new(s->board.chip, s->board.sockets);
	if (!s->model) {
		fprintf(stderr, "pmu-model: %s\n", strerror(errno));
		return -1;
	}
	if (load_scenarios(s, scenarios, len))
		return -1;
	if (log) {
		s->log = fopen(log, "we");
		if (!s->log) {
			fprintf(stderr, "pmu-model: %s: %s\n", log, strerror(errno));
			return -1;
		}
		/* Line-buffered, for readers while the guest runs. */
		setvbuf(s->log, NULL, _IOLBF, 0);
	}
	s->origin = monotonic();
	rig_init(&s->rig, &s->board, s->model, &server_ops, s, s->log);
	for (i = 0; i < s->ports_len; i++)
		if (open_listener(&s->ports[i]))
			return -1;
	return 0;
}

static void server_release(struct server *s)
{
	unsigned int i;

	for (i = 0; i < s->ports_len; i++) {
		struct port *port = &s->ports[i];

		if (port->is_connected)
			vfio_user_release(&port->vu);
		if (port->listener >= 0) {
			close(port->listener);
			unlink(port->path);
		}
	}
	if (s->log)
		fclose(s->log);
	model_free(s->model);
}

static void accept_client(struct server *s, unsigned int i)
{
	struct port *port = &s->ports[i];
	int fd = accept4(port->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	close(port->listener);
	unlink(port->path);
	port->listener = -1;
	vfio_user_init(&port->vu, &s->rig, i + 1, fd);
	port->is_connected = true;
}

/* Returns -1 if the client violated the protocol. */
static int serve_client(struct port *port)
{
	int ret = vfio_user_input(&port->vu);

	if (!ret)
		return 0;
	vfio_user_release(&port->vu);
	port->is_connected = false;
	port->is_gone = true;
	if (ret == -EPIPE || ret == -ECONNRESET)
		return 0;
	fprintf(stderr, "pmu-model: %s: client dropped: %s\n", port->path,
		strerror(-ret));
	return -1;
}

/* Returns whether there was a client and none is left. */
static bool are_all_gone(const struct server *s)
{
	bool is_gone = false;
	unsigned int i;

	for (i = 0; i < s->ports_len; i++) {
		if (s->ports[i].is_connected)
			return false;
		is_gone |= s->ports[i].is_gone;
	}
	return is_gone;
}

/* Waits for input, or until the next counter overflows. */
static int wait_input(struct server *s, struct pollfd *fds, const sigset_t *mask)
{
	uint64_t deadline = rig_service(&s->rig), now = server_now(s);
	uint64_t left = deadline > now ? deadline - now : 0;
	struct timespec timeout = {
		.tv_sec = left / NSEC_PER_SEC,
		.tv_nsec = left % NSEC_PER_SEC,
	};
	unsigned int i;

	for (i = 0; i < s->ports_len; i++) {
		struct port *port = &s->ports[i];

		fds[i].fd = port->is_connected ? port->vu.fd : port->listener;
		fds[i].events = POLLIN;
	}
	return ppoll(fds, s->ports_len, &timeout, mask);
}

static int serve(struct server *s, const sigset_t *mask)
{
	struct pollfd fds[BOARD_LINES];
	unsigned int i;
	int ret = 0;

	while (!stop && !are_all_gone(s)) {
		if (wait_input(s, fds, mask) < 0) {
			if (errno == EINTR)
				continue;
			perror("pmu-model: poll");
			return -1;
		}
		for (i = 0; i < s->ports_len; i++) {
			if (!fds[i].revents)
				continue;
			if (s->ports[i].is_connected)
				ret |= serve_client(&s->ports[i]);
			else
				accept_client(s, i);
		}
	}
	return ret;
}

/* SIGTERM and SIGINT interrupt only ppoll(), so that the log is complete. */
static void catch_signals(sigset_t *mask)
{
	const struct sigaction action = { .sa_handler = on_signal };
	sigset_t blocked;

	sigemptyset(&blocked);
	sigaddset(&blocked, SIGTERM);
	sigaddset(&blocked, SIGINT);
	sigprocmask(SIG_BLOCK, &blocked, mask);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
}

static const char usage[] =
	"usage: pmu-model --board FILE [--log FILE] --socket PATH... [SCENARIO]...\n"
	"Serves the PMUs of interrupt line N over the Nth vfio-user socket until\n"
	"its clients have gone.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "board", required_argument, NULL, 'b' },
		{ "log", required_argument, NULL, 'l' },
		{ "socket", required_argument, NULL, 's' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 }
	};
	static struct server s;
	const char *board = NULL, *log = NULL;
	sigset_t mask;
	int c, ret = 1;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (c) {
		case 'b':
			board = optarg;
			break;
		case 'l':
			log = optarg;
			break;
		case 's':
			if (s.ports_len == BOARD_LINES) {
				fprintf(stderr, "pmu-model: at most %d --socket\n",
					BOARD_LINES);
				return 2;
			}
			s.ports[s.ports_len].path = optarg;
			s.ports[s.ports_len++].listener = -1;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (!board || !s.ports_len) {
		fputs(usage, stderr);
		return 2;
	}

	catch_signals(&mask);
	if (!server_init(&s, board, log, argv + optind, argc - optind))
		ret = serve(&s, &mask) ? 1 : 0;
	server_release(&s);
	return ret;
}
