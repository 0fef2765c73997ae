// SPDX-License-Identifier: LGPL-2.1-or-later
/* The options after "cupti=", and their errors */
#include <errno.h>

#include "cupti_options.h"
#include "tap.h"

#define LENGTH(array)	(sizeof(array) / sizeof((array)[0]))

static const struct {
	const char *text;
	uint64_t interval;
	enum trigger trigger;
	size_t buffer;
	bool wants_list;
} good[] = {
	{ "", 0, TRIGGER_DEFAULT, 0, false },
	{ "list", 0, TRIGGER_DEFAULT, 0, true },
	{ "interval=100us", 100000, TRIGGER_DEFAULT, 0, false },
	{ "interval=5000ns,trigger=time", 5000, TRIGGER_TIME, 0, false },
	{ "trigger=sysclk,interval=20000", 20000, TRIGGER_SYSCLK, 0, false },
	{ "interval=1s,buffer=4G", 1000000000, TRIGGER_DEFAULT, 4294967296, false },
	{ "interval=2ms,interval=1ms,buffer=1M", 1000000, TRIGGER_DEFAULT, 1048576, false },
	{ "buffer=1048576", 0, TRIGGER_DEFAULT, 1048576, false },
	{ "save=a b,trigger=time", 0, TRIGGER_TIME, 0, false },
};

static const struct {
	const char *text;
	size_t offset;
	const char *message;
} bad[] = {
	{ ",", 0, "expected cupti=[interval=TIME|CYCLES][,trigger=time|sysclk][,buffer=SIZE][,save=FILE]"
	  "[,load=FILE][,chip=NAME][,list][,check], found \"\"" },
	{ "list,frequency=5", 5, "expected interval=, trigger=, buffer=, save=, load=, chip=, list or check, "
	  "found \"frequency=\"" },
	{ "list=1", 0, "expected interval=, trigger=, buffer=, save=, load=, chip=, list or check, found \"list=\"" },
	{ "interval=0us", 0, "interval: expected a time up to 1s such as 100us, or cycles of the system clock, "
	  "found \"0us\"" },
	{ "interval=-1us", 0, "interval: expected a time up to 1s such as 100us, or cycles of the system clock, "
	  "found \"-1us\"" },
	{ "interval=2s", 0, "interval: expected a time up to 1s such as 100us, or cycles of the system clock, "
	  "found \"2s\"" },
	{ "interval=18446744073709551617ns", 0, "interval: expected a time up to 1s such as 100us, or cycles of "
	  "the system clock, found \"18446744073709551617ns\"" },
	{ "interval=1m", 0, "interval: expected a time up to 1s such as 100us, or cycles of the system clock, "
	  "found \"1m\"" },
	{ "interval=100", 0, "interval: expected a time such as 100us, found a number without ns, us, ms or s" },
	{ "trigger=sysclk,interval=100us", 0,
	  "interval: expected cycles of the system clock, found a time" },
	{ "trigger=", 0, "trigger: expected time or sysclk, found \"\"" },
	{ "list,buffer=1K", 5, "buffer: expected a size from 1M to 4G, found \"1K\"" },
	{ "buffer=5G", 0, "buffer: expected a size from 1M to 4G, found \"5G\"" },
	{ "buffer=8MB", 0, "buffer: expected a size from 1M to 4G, found \"8MB\"" },
	{ "chip=", 0, "chip: expected a value after \"=\"" },
	{ "chip=GH100,load=a", 0, "expected chip= or load=, found both: a file has its chip" },
	{ "save=a,chip=GH100", 0, "save: expected a run that counts, found chip=" },
	{ "save=a,load=b", 0, "save: expected a run that counts, found load=" },
	{ "save=a,list", 0, "save: expected a run that counts, found list" },
	{ "list,check", 0, "check: cannot be combined with list" },
	{ "check,chip=GH100", 0, "check: cannot be combined with chip=" },
};

int main(void)
{
	struct gpmu_error error = { .size = sizeof(error) };
	struct options options;

	for (size_t i = 0; i < LENGTH(good); i++) {
		int ret = options_parse(&options, good[i].text, &error);

		ok(!ret && options.interval == good[i].interval && options.trigger == good[i].trigger &&
		   options.buffer == good[i].buffer && options.wants_list == good[i].wants_list,
		   "cupti=%s is accepted with its values", good[i].text);
		options_release(&options);
	}
	for (size_t i = 0; i < LENGTH(bad); i++) {
		int ret = options_parse(&options, bad[i].text, &error);

		ok(ret == -EINVAL && error.offset == bad[i].offset,
		   "cupti=%s is refused at offset %zu", bad[i].text,
		   error.offset);
		is_str(error.text, bad[i].message,
		       "the error of refused options has the expected input");
		options_release(&options);
	}
	options_parse(&options, "save=x.gpu,interval=1ms", &error);
	is_str(options.save, "x.gpu", "the option save= keeps its path");
	options_release(&options);
	return done_testing();
}
