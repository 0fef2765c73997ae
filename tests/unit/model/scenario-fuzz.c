// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Random damage to real scenarios: each result is a scenario that can be run, or an error with a
 * message. Sanitizers detect other faults. The random numbers are the same in each run.
 */
#include <errno.h>
#include <stdlib.h>

#include "damage.h"
#include "model.h"

#define ROUNDS	20000

static const char seed_text[] =
	"clock scf:0 3.2GHz\n"
	"clock cnvlink 1250MHz # all\n"
	"flow cpu:0 -> cmem:0 rd rate=64GB/s latency=100ns size=64 served=cache alloc=yes\n"
	"flow cpu:1 -> cmem:0 wb bytes=1007943872 over=127496157ns after=10us\n"
	"flow pcie:1:8 -> cmem:0 wr rate=0.64GB/s size=32 order=strong port=1\n"
	"flow gpu:0:nats -> gmem:1 rd bytes=1.5TiB over=3s latency=1us home_latency=2ps\n";

static const char *const tokens[] = {
	"flow", "->", ":", "=", "99999999999999999999", "-1", "0", ".", "TiB/s",
	"\n", "#", " ", "size=4096", "rate=1B/s", "18446744073709551615B", "wb",
};

/* Runs an accepted scenario up to some random times. */
static bool run(struct scenario *s)
{
	struct model *m = model_new(chip_find("gracehopper"), 4);
	struct model_event event = { .filter = UINT32_MAX };
	struct text_error err;
	uint64_t from = random_below(1000000), early, late;
	const struct chip_event *events;
	bool is_good = true;
	size_t i, len;

	if (!m) {
		scenario_free(s);
		return false;
	}
	if (model_add(m, s, &err) < 0) {
		model_free(m);
		return err.message[0];
	}
	model_start(m, 0, 0);
	for (event.kind = 0; event.kind < PMU_FOREIGN; event.kind++) {
		events = chip_events(event.kind, &len);
		for (i = 0; i < len; i++) {
			event.event = events[i].id;
			early = model_count(m, &event, from);
			late = model_count(m, &event, from + 1000);
			is_good = is_good && (late >= early || events[i].measure == MEASURE_OUTSTANDING);
		}
	}
	model_running(m, UINT64_MAX);
	model_free(m);
	return is_good;
}

int main(void)
{
	unsigned int taken = 0, refused = 0, wrong = 0;
	struct text_error err;
	struct scenario *s;
	char text[1024];
	size_t len;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		memcpy(text, seed_text, sizeof(seed_text) - 1);
		len = damage(text, sizeof(seed_text) - 1, sizeof(text), tokens,
			     DAMAGE_LENGTH(tokens), 6);
		s = scenario_parse("fuzz", text, len, &err);
		if (!s) {
			refused++;
			wrong += errno != EINVAL || strncmp(err.message, "fuzz:", 5);
			continue;
		}
		taken++;
		wrong += !run(s);
	}
	diag("%u taken, %u refused", taken, refused);
	ok(taken > ROUNDS / 100 && refused > ROUNDS / 100,
	   "scenario: of the damaged scenarios some are accepted and some refused");
	is_u64(wrong, 0, "scenario: each damaged scenario runs, or has an error with its line");
	return done_testing();
}
