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

#include "base/error.h"
#include "base/log.h"
#include "base/text/gpmu_shown.h"
#include "base/vector.h"
#include "record/recorder.h"

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

/* Adds an open connection. Returns its file descriptor, or -errno: @fd, if that is an error */
static int add_peer(struct gpmu_recorder *recorder, int fd)
{
	struct pollfd *added;

	if (fd < 0)
		return fd;
	added = vector_append(recorder->peers, recorder->peer_count);
	if (!added) {
		close(fd);
		return -ENOMEM;
	}
	*added = (struct pollfd){ .fd = fd, .events = POLLIN };
	return fd;
}

int recorder_peers_start(struct gpmu_recorder *recorder)
{
	int fd = add_peer(recorder, channel_listen(recorder->channel_name));

	return fd < 0 ? fd : 0;
}

bool recorder_has_peers(const struct gpmu_recorder *recorder)
{
	struct pollfd queue = { .fd = recorder->peers[0].fd, .events = POLLIN };

	return recorder->peer_count > 1 || poll(&queue, 1, 0) > 0;
}

static int add(struct gpmu_recorder *recorder)
{
	if (!has_reserve(recorder))
		return -EMFILE;
	return add_peer(recorder, channel_accept(recorder->peers[0].fd, recorder->control_fd));
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
