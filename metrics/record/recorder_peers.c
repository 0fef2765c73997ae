// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Peers: processes that have connected to gpmu's socket and have not yet sent their channel. A channel is lost if no file
 * descriptor is free when it arrives, so two descriptors are kept in reserve. While there is no reserve, processes wait
 * in the socket's queue.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/text/gpmu_shown.h"
#include "base/vector.h"
#include "record/recorder.h"

/* --- processes that cannot be recorded */

/* Logs the reason, and keeps it for the audit. */
static void refuse(struct gpmu_recorder *recorder, int pid, const char *why)
{
	const size_t n = recorder->refusal_count;
	struct recorder_refusal *refusals = vector_room(recorder->refusals, n, sizeof(*refusals));
	size_t same = 0;

	log_line(GPMU_LOG_WARNING, "%s", why);
	if (!refusals)
		return;
	recorder->refusals = refusals;
	refusals[n] = (struct recorder_refusal){ pid, strdup(why) };
	if (!refusals[n].why)
		return;
	while (refusals[same].pid != pid)
		same++;
	recorder->refused_count += same == n;
	recorder->refusal_count = n + 1;
}

void recorder_refuse(struct gpmu_recorder *recorder, pid_t pid, const char *what, const char *why)
{
	char text[160];

	snprintf(text, sizeof(text), "process %d %s: %s", (int)pid, what, why);
	refuse(recorder, (int)pid, text);
}

static void refuse_channel(struct gpmu_recorder *recorder, pid_t pid, int error)
{
	char why[96];

	recorder_refuse(recorder, pid, "cannot be recorded",
			!error ? "it has ended, or waited too long, before it sent its channel" :
			error == EBADMSG ? "its channel has another version; does libgpmu-inject.so belong to another gpmu?" :
			error == EMFILE ? "too many open files; raise ulimit -n" : strerror_r(error, why, sizeof(why)));
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

int recorder_peers_start(struct gpmu_recorder *recorder)
{
	int fd = channel_listen(recorder->channel_name);

	if (fd < 0)
		return fd;
	recorder->peers = vector_room(NULL, 0, sizeof(*recorder->peers));
	if (!recorder->peers) {
		close(fd);
		return -ENOMEM;
	}
	recorder->peers[0] = (struct pollfd){ .fd = fd, .events = POLLIN };
	recorder->peer_count = 1;
	return 0;
}

bool recorder_has_peers(const struct gpmu_recorder *recorder)
{
	struct pollfd queue = { .fd = recorder->peers[0].fd, .events = POLLIN };

	return recorder->peer_count > 1 || poll(&queue, 1, 0) > 0;
}

static int add(struct gpmu_recorder *recorder)
{
	struct pollfd *peers = vector_room(recorder->peers, recorder->peer_count, sizeof(*peers));
	int fd;

	if (!peers)
		return -ENOMEM;
	recorder->peers = peers;
	if (!has_reserve(recorder))
		return -EMFILE;
	fd = channel_accept(recorder->peers[0].fd, recorder->control_fd);
	if (fd >= 0)
		peers[recorder->peer_count++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	return fd;
}

static void accept_all(struct gpmu_recorder *recorder)
{
	int ret;

	do {
		ret = add(recorder);
		/* Once: any user can connect. */
		if (ret == -EPERM && !recorder->has_stranger)
			refuse(recorder, 0, "a process of another user cannot be recorded: run gpmu record as that user");
		recorder->has_stranger = recorder->has_stranger || ret == -EPERM;
	} while (ret >= 0 || ret == -EPERM || ret == -ECONNABORTED);
	recorder->no_files = ret != -EAGAIN;
	/* A queue that cannot be taken would end each later wait at once. */
	recorder->peers[0].events = recorder->no_files ? 0 : POLLIN;
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
	if (poll(recorder->peers, recorder->peer_count, wait) <= 0 && !recorder->no_files)
		return;
	for (size_t i = recorder->peer_count; i-- > 1;) {
		if (!recorder->peers[i].revents || !serve(recorder, recorder->peers[i].fd, add_channel))
			continue;
		close(recorder->peers[i].fd);
		recorder->peers[i] = recorder->peers[--recorder->peer_count];
	}
	accept_all(recorder);
}

void recorder_peers_end(struct gpmu_recorder *recorder)
{
	const bool no_files = recorder->no_files;
	int fd;

	if (!recorder->peer_count)
		return;
	release_reserve(recorder);
	while (recorder->peer_count > 1) {
		fd = recorder->peers[--recorder->peer_count].fd;
		recorder_refuse(recorder, channel_peer(fd), "cannot be recorded", "the recording ended before it sent its channel");
		close(fd);
	}
	while (no_files && ((fd = channel_accept(recorder->peers[0].fd, recorder->control_fd)) >= 0 || fd == -EPERM)) {
		if (fd < 0)
			continue;
		refuse_channel(recorder, channel_peer(fd), EMFILE);
		close(fd);
	}
	close(recorder->peers[0].fd);
	recorder->peer_count = 0;
}

void recorder_peers_release(struct gpmu_recorder *recorder)
{
	recorder_peers_end(recorder);
	free(recorder->peers);
	for (size_t i = 0; i < recorder->refusal_count; i++)
		free(recorder->refusals[i].why);
	free(recorder->refusals);
}
