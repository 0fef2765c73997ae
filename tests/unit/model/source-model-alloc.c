// SPDX-License-Identifier: LGPL-2.1-or-later
/* Each allocation of the model's plugin fails in turn. Linked with the plugin's objects. */
#include "alloc.h"

#include "gpmu-source.h"
#include "gpmu.h"

#define SCENARIOS	"metrics/sources/model/scenarios/"

static const struct gpmu_source_plugin *const plugin = &gpmu_source_plugin;

static int checked(int ret, const struct gpmu_error *error)
{
	return ret && !strstr(error->text, "Cannot allocate memory") ? 1 : ret;
}

static int count(void *source, void *const *groups)
{
	struct gpmu_source_count counts[2];

	if (plugin->enable(source, 1000) || plugin->group_read(source, groups[0], 2000, counts) ||
	    plugin->disable(source, 3000))
		return 1;
	return counts[0].running == 1000 ? 0 : 1;
}

static int run(void)
{
	static const struct gpmu_source_event events[] = { { .config = 0x1a5 }, { .config = 0x1a6 } };
	struct gpmu_error error = { .size = sizeof(error) };
	void *source, *groups[2] = { NULL, NULL };
	int ret;

	ret = plugin->open(&source, SCENARIOS "steady.scenario,scenario=" SCENARIOS "idle.scenario",
			   &error);
	if (ret)
		return checked(ret, &error);
	for (int i = 0; i < 2 && !ret; i++)
		ret = checked(plugin->group_open(source, 0, events, 2, &groups[i], &error), &error);
	if (!ret)
		ret = count(source, groups);
	for (int i = 0; i < 2; i++)
		if (groups[i])
			plugin->group_close(source, groups[i]);
	plugin->close(source);
	return ret;
}

int main(void)
{
	alloc_fail_each(run, 25, "source model: opening it, its PMUs and groups");
	return done_testing();
}
