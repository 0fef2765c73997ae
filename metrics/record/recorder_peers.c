// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Peers: processes that have connected to gpmu's socket, or by its door, and have not yet sent their channel. A channel is
 * lost if no file descriptor is free when it arrives, so two descriptors are kept in reserve. While there is no reserve,
 * processes wait in the queues of the socket and the door.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/text/gpmu_shown.h"
#include "base/vector.h"
#include "record/recorder.h"

enum { BY_SOCKET, BY_DOOR, WAYS };	/* the first peers, by which processes connect */

/* --- processes that cannot be recorded */

/* Logs the reason, and keeps it for the audit. */
static void refuse(struct gpmu_recorder *recorder, int pid, const char *why)
{
	size_t n = recorder->refusal_count, same = 0;
	struct recorder_refusal *added = vector_append(recorder->refusals, n);

	log_line(GPMU_LOG_WARNING, "%s", why);
	if (!added)
		return;
	*added = (struct recorder_refusal){ pid, strdup(why) };
	if (!added->why)
		return;
	while (recorder->refusals[same].pid != pid)
		same++;
	recorder->refused_count += &recorder->refusals[same] == added;
	recorder->refusal_count = n;
}

void recorder_refuse(struct gpmu_recorder *recorder, pid_t pid, const char *what, const char *why)
{
	char text[160];

	snprintf(text, sizeof(text), "process %d %s: %s", (int)pid, what, why);
	refuse(recorder, (int)pid, text);
}

static void refuse_channel(struct gpmu_recorder *recorder, pid_t pid, int error)
{
	recorder_refuse(recorder, pid, "cannot be recorded",
			!error ? "it has ended, or waited too long, before it sent its channel" :
			error == EBADMSG ? "its channel has another version; does libgpmu-inject.so belong to another gpmu?" :
			error == EMFILE ? "too many open files; raise ulimit -n" : error_text(error));
}

/* --- files in reserve */

static void release_reserve(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < RECORDER_RESERVE; i++) {
		if (recorder->reserve[i] >= 0)
			close(recorder->reserve[i]);
		recorder->reserve[i] = -1;
	}
}

static bool has_reserve(struct gpmu_recorder *recorder)
{
	for (size_t i = 0; i < RECORDER_RESERVE; i++) {
		if (recorder->reserve[i] < 0)
			recorder->reserve[i] = fcntl(recorder->control_fd, F_DUPFD_CLOEXEC, 0);
		if (recorder->reserve[i] < 0)
			return false;
	}
	return true;
}

/* --- connections */

/* Adds an open connection; -1: none. Returns it or -ENOMEM. */
static int add_peer(struct gpmu_recorder *recorder, int fd)
{
	struct pollfd *added = vector_append(recorder->peers, recorder->peer_count);

	if (added)
		*added = (struct pollfd){ .fd = fd, .events = POLLIN };
	else if (fd >= 0)
		close(fd);
	return added ? fd : -ENOMEM;
}

int recorder_peers_start(struct gpmu_recorder *recorder)
{
	int door[2], fd = channel_listen(recorder->channel_name, door), ret;

	if (fd < 0)
		return fd;
	recorder->door = door[1];
	ret = add_peer(recorder, fd);
	if (ret != -ENOMEM)
		return add_peer(recorder, door[0]) == -ENOMEM ? -ENOMEM : 0;
	if (door[0] >= 0)
		close(door[0]);
	return ret;
}

bool recorder_has_peers(const struct gpmu_recorder *recorder)
{
	struct pollfd queues[WAYS];

	for (int way = 0; way < WAYS; way++)
		queues[way] = (struct pollfd){ .fd = recorder->peers[way].fd, .events = POLLIN };
	return recorder->peer_count > WAYS || poll(queues, WAYS, 0) > 0;
}

/* Takes the next connection from a queue; -errno. A message of the door loses its connection if no descriptor is free. */
static int take(struct gpmu_recorder *recorder, int way)
{
	const int fd = recorder->peers[way].fd;
	int spare;

	if (way == BY_SOCKET)
		return channel_accept(fd, recorder->control_fd);
	spare = fcntl(recorder->control_fd, F_DUPFD_CLOEXEC, 0);
	if (spare < 0)
		return -errno;
	close(spare);
	return channel_admit(fd, recorder->control_fd);
}

static int add(struct gpmu_recorder *recorder, int way)
{
	int fd = has_reserve(recorder) ? take(recorder, way) : -EMFILE;

	return fd < 0 ? fd : add_peer(recorder, fd);
}

/* Accepts what waits, at most a full queue, since any user can connect again and again. */
static void accept_all(struct gpmu_recorder *recorder, int way)
{
	int ret, left = SOMAXCONN;

	if (recorder->peers[way].fd < 0)
		return;
	do {
		ret = add(recorder, way);
		/* Once: any user can connect. */
		if (ret == -EPERM && !recorder->has_stranger)
			refuse(recorder, 0, "a process of another user cannot be recorded: run gpmu record as that user");
		recorder->has_stranger = recorder->has_stranger || ret == -EPERM;
		if (ret < 0 && ret != -EPERM && ret != -ECONNABORTED && ret != -EBADMSG)
			break;
	} while (--left);
	recorder->is_out_of_files = recorder->is_out_of_files || (left && ret != -EAGAIN);
	/* A queue that cannot be taken would end each later wait at once. */
	recorder->peers[way].events = !left || ret == -EAGAIN ? POLLIN : 0;
}

static void take_message(struct gpmu_recorder *recorder, pid_t pid, struct channel_message *message, int fd,
			 recorder_channel_add *add_channel)
{
	int ret;

	if (message->kind == CHANNEL_RING && fd >= 0) {
		ret = add_channel(recorder, pid, fd);
		if (ret)
			refuse_channel(recorder, pid, -ret);
		return;
	}
	if (message->kind == CHANNEL_FAILURE)
		refuse(recorder, (int)pid, gpmu_shown(message->text));
	if (message->kind == CHANNEL_LOADED)
		recorder->has_loaded = true;
	if (fd >= 0)
		close(fd);
}

/* Receives a process's message. Returns whether the connection is no longer needed. */
static bool serve(struct gpmu_recorder *recorder, int connection, recorder_channel_add *add_channel)
{
	const pid_t pid = channel_peer(connection);
	struct channel_message message = { 0 };
	int fd, ret;

	release_reserve(recorder);
	ret = channel_receive(connection, &message, &fd);
	if (ret == -EAGAIN)
		return false;
	if (ret > 0)
		take_message(recorder, pid, &message, fd, add_channel);
	else
		refuse_channel(recorder, pid, -ret);
	return true;
}

void recorder_peers_serve(struct gpmu_recorder *recorder, int wait, recorder_channel_add *add_channel)
{
	if (poll(recorder->peers, recorder->peer_count, wait) <= 0 && !recorder->is_out_of_files)
		return;
	for (size_t i = recorder->peer_count; i-- > WAYS;) {
		if (!recorder->peers[i].revents || !serve(recorder, recorder->peers[i].fd, add_channel))
			continue;
		close(recorder->peers[i].fd);
		recorder->peers[i] = recorder->peers[--recorder->peer_count];
	}
	recorder->is_out_of_files = false;
	for (int way = 0; way < WAYS; way++)
		accept_all(recorder, way);
}

/* Refuses the processes that wait in a queue for a free descriptor. */
static void refuse_waiting(struct gpmu_recorder *recorder, int way)
{
	int fd, left = SOMAXCONN;

	while (left-- && ((fd = take(recorder, way)) >= 0 || fd == -EPERM || fd == -EBADMSG)) {
		if (fd < 0)
			continue;
		refuse_channel(recorder, channel_peer(fd), EMFILE);
		close(fd);
	}
}

void recorder_peers_end(struct gpmu_recorder *recorder)
{
	const bool is_out_of_files = recorder->is_out_of_files;
	int fd;

	if (!recorder->peer_count)
		return;
	release_reserve(recorder);
	while (recorder->peer_count > WAYS) {
		fd = recorder->peers[--recorder->peer_count].fd;
		recorder_refuse(recorder, channel_peer(fd), "cannot be recorded", "the recording ended before it sent its channel");
		close(fd);
	}
	while (recorder->peer_count) {
		fd = recorder->peers[recorder->peer_count - 1].fd;
		if (fd >= 0 && is_out_of_files)
			refuse_waiting(recorder, (int)recorder->peer_count - 1);
		if (fd >= 0)
			close(fd);
		recorder->peer_count--;
	}
}

void recorder_peers_release(struct gpmu_recorder *recorder)
{
	recorder_peers_end(recorder);
	if (recorder->door >= 0)
		close(recorder->door);
	free(recorder->peers);
	for (size_t i = 0; i < recorder->refusal_count; i++)
		free(recorder->refusals[i].why);
	free(recorder->refusals);
}
