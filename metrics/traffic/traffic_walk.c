// SPDX-License-Identifier: LGPL-2.1-or-later
/* Visits the bundles that the parts of a rule add up. */
#include "traffic/traffic.h"

/*
 * With two sockets, traffic to the other socket equals all remote traffic, which needs
 * fewer events.
 */
static enum traffic_pair_id pair_of(const struct gpmu_traffic *traffic, enum traffic_pair_id pair)
{
	return pair == PAIR_SOCKET && traffic->socket_count == 2 ? PAIR_REMOTE : pair;
}

struct walk {
	struct gpmu_traffic *traffic;
	const struct traffic_part *part;
	traffic_visit *visit;
	void *user;
};

static int visit(const struct walk *walk, size_t socket, size_t number)
{
	enum traffic_pair_id pair = pair_of(walk->traffic, walk->part->pair);
	struct traffic_part part = *walk->part;

	part.pair = pair;
	return walk->visit(walk->traffic, &part, socket,
			   traffic_pairs[pair].is_numbered ? number : SIZE_MAX, walk->user);
}

/* Visits a pair once, or a numbered pair for each other socket. */
static int visit_each(const struct walk *walk, size_t socket)
{
	int ret = 0;

	if (!traffic_pairs[pair_of(walk->traffic, walk->part->pair)].is_numbered)
		return visit(walk, socket, SIZE_MAX);
	for (size_t n = 0; n < walk->traffic->socket_count && !ret; n++)
		if (n != socket)
			ret = visit(walk, socket, n);
	return ret;
}

static int visit_others(const struct walk *walk, size_t but)
{
	int ret = 0;

	for (size_t n = 0; n < walk->traffic->socket_count && !ret; n++)
		if (n != but)
			ret = visit(walk, n, but);
	return ret;
}

static int visit_part(const struct walk *walk, size_t source, size_t home)
{
	const struct traffic_part *part = walk->part;
	int ret = 0;

	if (part->memory && !(part->memory & traffic_pairs[part->pair].memories))
		return 0;
	switch (part->sockets) {
	case AT_SOURCE:
		return visit(walk, source, home);
	case AT_HOME:
		return visit(walk, home, source);
	case AT_HOME_FROM_ALL:
		return visit_each(walk, home);
	case AT_NOT_HOME:
		return visit_others(walk, home);
	case AT_NOT_SOURCE:
		return visit_others(walk, source);
	case AT_ALL:
		for (size_t n = 0; n < walk->traffic->socket_count && !ret; n++)
			ret = visit_each(walk, n);
	}
	return ret;
}

int traffic_walk(struct gpmu_traffic *traffic, const struct traffic_parts *parts, size_t source,
		 size_t home, traffic_visit *visit_one, void *user)
{
	struct walk walk = { .traffic = traffic, .visit = visit_one, .user = user };
	int ret = 0;

	for (size_t i = 0; i < parts->count && !ret; i++) {
		walk.part = &parts->list[i];
		ret = visit_part(&walk, source, home);
	}
	return ret;
}

struct traffic_bundle *traffic_find_bundle(const struct gpmu_traffic *traffic,
					   enum traffic_pair_id pair, size_t socket, size_t number)
{
	for (size_t i = 0; i < traffic->bundle_count; i++) {
		struct traffic_bundle *bundle = &traffic->bundles[i];

		if (bundle->pair == pair && bundle->socket == socket && bundle->number == number)
			return bundle;
	}
	return NULL;
}
