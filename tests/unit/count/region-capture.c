// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Regions are capture ranges of gpmu record in a process that has the injected library, here on
 * the fakes of CUDA. A region is one range, with all that is inside it; regions of other names
 * are not.
 */
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>

#include "trace/channel/channel.h"
#include "session-test.h"

#define INJECT	"build/libgpmu-inject.so"
#define FAKES	"build/tests/gpu/fake"

static int listener, page;	/* gpmu's socket and control page */
static struct channel_reader *reader;

/* Takes the channel of this process, as gpmu does. */
static void *accept_channel(void *unused)
{
	struct pollfd wait = { .fd = listener, .events = POLLIN };
	struct channel_message message;
	int fd = -1;

	poll(&wait, 1, -1);
	wait.fd = channel_accept(listener, page);
	poll(&wait, 1, -1);
	if (channel_receive(wait.fd, &message, &fd) == 1 && fd >= 0)
		reader = channel_reader_new(fd);
	close(wait.fd);
	return unused;
}

static void begin_recording(void)
{
	const struct channel_control control = {
		.version = CHANNEL_VERSION, .size = sizeof(control), .ring = 1 << 16, .enabled = 1,
		.capture = CHANNEL_CAPTURE_REGION, .flush = 10, .buffer = 1 << 16, .buffers = 4,
		.range = "step",
	};
	struct channel_control *mapped;
	char name[CHANNEL_NAME];
	void *cuda;
	int (*init)(unsigned int) = NULL;
	pthread_t gpmu;
	int door[2];

	page = channel_create_control(&control, &mapped);
	listener = channel_listen(name, door);
	if (page < 0 || listener < 0 || pthread_create(&gpmu, NULL, accept_channel, NULL))
		test_bail("no channel");
	setenv(CHANNEL_VARIABLE, name, 1);
	setenv("CUDA_INJECTION64_PATH", INJECT, 1);
	setenv("GPMU_CUDA", FAKES, 1);
	setenv("GPMU_FAKE", "inject=1", 1);
	cuda = dlopen(FAKES "/libcuda.so.1", RTLD_NOW);
	if (cuda)
		*(void **)&init = dlsym(cuda, "cuInit");
	if (!init || init(0))
		test_bail("no fake of CUDA");
	pthread_join(gpmu, NULL);
	if (!reader)
		test_bail("the library has sent no channel");
}

/* Counts the ranges that have begun and ended so far. */
static void count(unsigned int ranges[2])
{
	const struct activity_head *record;

	while (channel_read(reader, &record) == 1)
		if (record->kind == ACTIVITY_CAPTURE)
			ranges[((const struct activity_capture *)record)->begins]++;
}

static void region(struct test *test, const char *name)
{
	if (gpmu_region_begin(test->session, name) || gpmu_region_end(test->session, name))
		ok(false, "capture: region %s begins and ends", name);
}

int main(void)
{
	static const struct gpmu_session_options options = { .size = sizeof(options), .system = 1 };
	unsigned int ranges[2] = { 0 };
	struct test test;

	begin_recording();
	test_plan(&test, "vm", MODEL "=metrics/sources/model/scenarios/steady.scenario", NULL,
		  "nvidia_scf_pmu_0/cmem_rd_data/");
	test_start(&test, &options);
	region(&test, "other");
	count(ranges);
	ok(!ranges[0] && !ranges[1], "capture: a region of another name is no range");
	gpmu_region_begin(test.session, "step");
	region(&test, "step");
	region(&test, "other");
	count(ranges);
	ok(ranges[1] == 1 && !ranges[0],
	   "capture: a region of the chosen name begins one range, however often it is nested");
	gpmu_region_end(test.session, "step");
	count(ranges);
	ok(ranges[1] == 1 && ranges[0] == 1,
	   "capture: the end of the outermost region ends the range");
	region(&test, "step");
	count(ranges);
	ok(ranges[1] == 2 && ranges[0] == 2, "capture: each visit to the region is a range");
	test_release(&test);
	return done_testing();
}
