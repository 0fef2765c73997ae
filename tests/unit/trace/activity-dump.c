// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Runs a program with a channel, as gpmu record does, and prints one line for each record, then how each process
 * ended, then the program's exit status.
 *
 *	activity-dump [MEMBER=VALUE...] -- PROGRAM...
 *
 * As gpmu record does, it preloads the library $CUDA_INJECTION64_PATH. Members are those of struct channel_control. The times
 * below are in ms after the program has opened its channel:
 * stop=MS sets enabled to 0, begin=MS sets it to 1, close=MS sets closed, leave=MS ends the thread that holds the
 * control page, as if the reader was killed. slow=MS delays the first read. With stopped=1 the reader reads nothing before
 * the program has ended. kill=N kills the program once it has lost N records. With count=1 only the number of records
 * of each kind is printed.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "activity-members.h"
#include "trace/channel/channel_file.h"

#define FILES	256
#define NAMES	65536

static struct source {
	int file;
	struct channel_reader *reader;
	char **names;
	unsigned long records;
	int broken;
} sources[FILES];
static size_t source_count;
static bool is_leaving;
static unsigned long counts[ACTIVITY_KINDS];

static struct {
	struct channel_control control;
	unsigned long stop, begin, close, leave, slow, stopped, kill, count;
} settings = { .control = {
	.version = CHANNEL_VERSION, .size = sizeof(struct channel_control), .ring = 1 << 20,
	.kinds = UINT32_MAX, .enabled = 1, .flush = 20, .buffer = 1 << 16, .buffers = 16,
} };

static void set(const char *word)
{
	const struct {
		const char *name;
		void *address;
		size_t size;
	} members[] = {
#define OF(member)	{ #member, &settings.control.member, sizeof(settings.control.member) }
#define OURS(member)	{ #member, &settings.member, sizeof(settings.member) }
		OF(ring), OF(kinds), OF(graph_nodes), OF(managed_only), OF(allocators), OF(enabled), OF(capture), OF(flush), OF(buffer),
		OF(buffers), OF(pc_mode), OF(pc_period), OF(pc_stalls), OURS(stop), OURS(begin), OURS(close), OURS(leave), OURS(slow),
		OURS(stopped), OURS(kill), OURS(count),
	};
	const char *value = strchr(word, '=');
	unsigned long number = value ? strtoul(value + 1, NULL, 0) : 0;

	if (value && !strncmp(word, "range=", 6)) {
		snprintf(settings.control.range, sizeof(settings.control.range), "%s", value + 1);
		return;
	}
	for (size_t i = 0; value && i < sizeof(members) / sizeof(members[0]); i++) {
		if (strlen(members[i].name) != (size_t)(value - word) ||
		    strncmp(members[i].name, word, value - word))
			continue;
		memcpy(members[i].address, &number, members[i].size);
		return;
	}
	fprintf(stderr, "activity-dump: no member %s\n", word);
	exit(2);
}

static void print_member(struct source *source, const struct activity_head *record,
			 const struct member *member)
{
	const char *bytes = (const char *)record + member->offset;
	uint32_t words[3];
	uint64_t wide;

	memcpy(words, bytes, member->type == THREE ? sizeof(words) : sizeof(words[0]));
	switch (member->type) {
	case U64:
		memcpy(&wide, bytes, sizeof(wide));
		printf(" %s=%llu", member->name, (unsigned long long)wide);
		break;
	case THREE:
		printf(" %s=%u,%u,%u", member->name, words[0], words[1], words[2]);
		break;
	case NAME:
		printf(" %s=%s", member->name,
		       words[0] < NAMES && source->names[words[0]] ? source->names[words[0]] : words[0] ? "?" : "");
		break;
	case TEXT_END:
	case UUID:
		printf(" %s=%s", member->name, bytes);
		break;
	default:
		printf(" %s=%u", member->name, words[0]);
	}
}

static void print(struct source *source, const struct activity_head *record)
{
	source->records++;
	counts[record->kind]++;
	if (record->kind == ACTIVITY_NAME) {
		const struct activity_name *name = (const struct activity_name *)record;

		if (name->id < NAMES && !source->names[name->id])
			source->names[name->id] = strdup(name->text);
		return;
	}
	for (size_t i = 0; i < MEMBERS_KINDS && !settings.count; i++) {
		if (members_kinds[i].kind != record->kind)
			continue;
		printf("%s", members_kinds[i].name);
		for (const struct member *member = members_kinds[i].members; member->name; member++)
			print_member(source, record, member);
		putchar('\n');
	}
}

static void drain(void)
{
	const struct activity_head *record;
	int ret;

	for (size_t i = 0; i < source_count; i++) {
		while ((ret = channel_read(sources[i].reader, &record)) == 1)
			print(&sources[i], record);
		sources[i].broken |= ret < 0;
	}
}

/* Connections of processes that have not yet sent their channel; the first ones are the socket and the door */
static struct pollfd peers[FILES];
static size_t peer_count;
static int page;			/* descriptor of the control page */

static void add(int fd)
{
	struct source *source = &sources[source_count];
	char path[64];

	if (source_count == FILES)
		exit(2);
	/* The descriptor that was sent has the writer's lock. */
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	source->file = open(path, O_RDONLY | O_CLOEXEC);
	source->reader = channel_reader_new(fd);
	source->names = calloc(NAMES, sizeof(char *));
	if (!source->reader || !source->names)
		exit(2);
	source_count++;
}

static void look(void)
{
	struct channel_message message = { 0 };
	int fd;

	while (peer_count < FILES && ((fd = channel_accept(peers[0].fd, page)) >= 0 ||
				      (fd = channel_admit(peers[1].fd, page)) >= 0))
		peers[peer_count++] = (struct pollfd){ .fd = fd };
	for (size_t i = peer_count; i-- > 2;) {
		int ret = channel_receive(peers[i].fd, &message, &fd);

		if (ret == -EAGAIN)
			continue;
		if (ret == 1 && message.kind == CHANNEL_RING && fd >= 0)
			add(fd);
		close(peers[i].fd);
		peers[i] = peers[--peer_count];
	}
}

static void finish(int status)
{
	look();
	drain();
	for (size_t i = 0; i < source_count; i++) {
		struct activity_calls calls;

		if (channel_read_calls(sources[i].reader, &calls))
			print(&sources[i], &calls.head);
		printf("end %s\n", sources[i].broken ? "broken" :
		       channel_is_closed(sources[i].reader) ? "closed" :
		       channel_has_ended(sources[i].reader) ? "vanished" : "running");
	}
	for (size_t i = 0; i < MEMBERS_KINDS && settings.count; i++)
		if (counts[members_kinds[i].kind])
			printf("count %s %lu\n", members_kinds[i].name, counts[members_kinds[i].kind]);
	if (WIFSIGNALED(status))
		printf("signal %d\n", WTERMSIG(status));
	else
		printf("status %d\n", WEXITSTATUS(status));
}

static unsigned long elapsed(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - from->tv_sec) * 1000 + (now.tv_nsec - from->tv_nsec) / 1000000;
}

/* Milliseconds + 1 since the program opened its channel, however long it took to start; 0 before */
static unsigned long since_channel(void)
{
	static struct timespec begin;
	static bool has_begun;

	if (!source_count)
		return 0;
	if (!has_begun)
		clock_gettime(CLOCK_MONOTONIC, &begin);
	has_begun = true;
	return elapsed(&begin) + 1;
}

static void *hold(void *control)
{
	channel_hold(control);
	while (!__atomic_load_n(&is_leaving, __ATOMIC_RELAXED))
		poll(NULL, 0, 1);
	return NULL;
}

/* Records that the first process has lost */
static uint64_t lost_count(void)
{
	uint64_t count = 0;

	if (!source_count || pread(sources[0].file, &count, sizeof(count), offsetof(struct channel_head, lost)) != sizeof(count))
		count = 0;
	return count;
}

/* Applies the settings that are due. */
static void act(struct channel_control *control, pid_t pid)
{
	unsigned long now = since_channel();

	if (settings.begin && now >= settings.begin)
		__atomic_store_n(&control->enabled, 1, __ATOMIC_RELAXED);
	if (settings.stop && now >= settings.stop)
		__atomic_store_n(&control->enabled, 0, __ATOMIC_RELAXED);
	if (settings.close && now >= settings.close)
		__atomic_store_n(&control->closed, 1, __ATOMIC_RELAXED);
	if (settings.leave && now >= settings.leave)
		__atomic_store_n(&is_leaving, true, __ATOMIC_RELAXED);
	if (settings.kill && lost_count() >= settings.kill)
		kill(pid, SIGKILL);
}

int main(int argc, char **argv)
{
	char name[CHANNEL_NAME];
	struct channel_control *control;
	int first = 1, status = 0, door[2];
	pthread_t holder = 0;
	pid_t pid;

	/* The program's own lines come in between. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (first < argc && strcmp(argv[first], "--") != 0)
		set(argv[first++]);
	if (first + 1 >= argc)
		return 2;
	page = channel_create_control(&settings.control, &control);
	peers[0].fd = channel_listen(name, door);
	peers[1].fd = door[0];
	peer_count = 2;
	if (page < 0 || peers[0].fd < 0 || door[0] < 0)
		return 2;
	setenv(CHANNEL_VARIABLE, name, 1);
	pid = fork();
	if (!pid) {
		if (getenv("CUDA_INJECTION64_PATH"))
			setenv("LD_PRELOAD", getenv("CUDA_INJECTION64_PATH"), 1);
		execvp(argv[first + 1], argv + first + 1);
		_exit(127);
	}
	if (settings.leave && pthread_create(&holder, NULL, hold, control))
		return 2;
	while (waitpid(pid, &status, WNOHANG) != pid) {
		act(control, pid);
		look();
		if (!settings.stopped && since_channel() > settings.slow)
			drain();
		poll(NULL, 0, 1);
	}
	__atomic_store_n(&is_leaving, true, __ATOMIC_RELAXED);
	if (settings.leave)
		pthread_join(holder, NULL);
	finish(status);
	return 0;
}
