// SPDX-License-Identifier: LGPL-2.1-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "board.h"

/* Product ids of the kernel's nvidia_cspmu driver; implementer 0x36b is NVIDIA. */
static const uint32_t kind_iidr[PMU_KINDS] = {
	[PMU_SCF] = 0x2cf0036b,
	[PMU_PCIE] = 0x1030036b,
	[PMU_C2C0] = 0x1050036b,
	[PMU_C2C1] = 0x1040036b,
	[PMU_CNVLINK] = 0x1060036b,
	[PMU_FOREIGN] = 0x0a160a16,
};

enum key_type {
	KEY_NUMBER,	/* decimal, min to max */
	KEY_HEX,	/* 32 bits */
	KEY_WORD,	/* words[0] is 0, words[1] is 1, ... */
	KEY_KIND,
	KEY_DEAD,
	KEY_ACPI,	/* used only by the ACPI generator */
};

enum key_id {
	KEY_PMU_KIND, KEY_SOCKET, KEY_COUNTERS, KEY_WIDTH, KEY_CC, KEY_PAGES,
	KEY_ATOMIC, KEY_LINE, KEY_MODE, KEY_IIDR, KEY_DEVARCH, KEY_EXT64,
	KEY_PMU_DEAD, KEY_OTHER,
};

struct key {
	const char *name;
	enum key_id id;
	enum key_type type;
	unsigned int min, max;
	const char *words[3];
};

static const struct key keys[] = {
	{ "kind", KEY_PMU_KIND, KEY_KIND, 0, 0, { NULL } },
	{ "socket", KEY_SOCKET, KEY_NUMBER, 0, CHIP_MAX_SOCKETS - 1, { NULL } },
	{ "counters", KEY_COUNTERS, KEY_NUMBER, 1, 127, { NULL } },
	{ "width", KEY_WIDTH, KEY_NUMBER, 8, 64, { NULL } },
	{ "cc", KEY_CC, KEY_NUMBER, 0, 1, { NULL } },
	{ "pages", KEY_PAGES, KEY_NUMBER, 1, 2, { NULL } },
	{ "atomic", KEY_ATOMIC, KEY_NUMBER, 0, 1, { NULL } },
	{ "line", KEY_LINE, KEY_NUMBER, 0, BOARD_LINES, { NULL } },
	{ "mode", KEY_MODE, KEY_WORD, 0, 0, { "level", "edge", NULL } },
	{ "iidr", KEY_IIDR, KEY_HEX, 0, 0, { NULL } },
	{ "devarch", KEY_DEVARCH, KEY_HEX, 0, 0, { NULL } },
	{ "ext64", KEY_EXT64, KEY_NUMBER, 0, 1, { NULL } },
	{ "dead", KEY_PMU_DEAD, KEY_DEAD, 0, 0, { NULL } },
	{ "impl", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "affinity", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "proc", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "gsi", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "wired", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "uid", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "apmt_len", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "apmt_type", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "base0", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
	{ "base1", KEY_OTHER, KEY_ACPI, 0, 0, { NULL } },
};

#define KEYS_LEN	(sizeof(keys) / sizeof(keys[0]))

static int parse_dead(struct text *text, const char *value, struct board_pmu *pmu)
{
	uint64_t v = 0;

	if (!strcmp(value, "ones"))
		pmu->dead = BOARD_DEAD_ONES;
	else if (!strcmp(value, "zeros"))
		pmu->dead = BOARD_DEAD_ZEROS;
	else if (!text_number(value, 16, UINT32_MAX, &v))
		pmu->dead = BOARD_DEAD_PMCFGR;
	else
		return text_fail(text, "dead: expected ones, zeros or a hexadecimal PMCFGR, found \"%s\"",
				 value);
	pmu->pmcfgr = v;
	return 0;
}

static int parse_value(struct text *text, const struct key *key,
		       const char *value, uint64_t *v)
{
	unsigned int i;

	switch (key->type) {
	case KEY_NUMBER:
		if (text_number(value, 10, key->max, v) || *v < key->min)
			return text_fail(text, "%s: expected a number from %u to %u, found \"%s\"",
					 key->name, key->min, key->max, value);
		return 0;
	case KEY_HEX:
		if (text_number(value, 16, UINT32_MAX, v))
			return text_fail(text, "%s: expected a hexadecimal number of 32 bits, found \"%s\"",
					 key->name, value);
		return 0;
	case KEY_WORD:
		for (i = 0; key->words[i]; i++) {
			if (!strcmp(key->words[i], value)) {
				*v = i;
				return 0;
			}
		}
		return text_fail(text, "%s: expected %s or %s, found \"%s\"",
				 key->name, key->words[0], key->words[1], value);
	case KEY_KIND:
		*v = chip_kind_find(value);
		if (*v == PMU_KINDS)
			return text_fail(text, "kind: expected scf, pcie, c2c0, c2c1, cnvlink or foreign, found \"%s\"",
					 value);
		return 0;
	case KEY_DEAD:
	case KEY_ACPI:
		break;
	}
	return 0;
}

static void set_key(struct board_pmu *pmu, enum key_id id, uint64_t v)
{
	switch (id) {
	case KEY_PMU_KIND:
		pmu->kind = v;
		break;
	case KEY_SOCKET:
		pmu->socket = v;
		break;
	case KEY_COUNTERS:
		pmu->counters = v;
		break;
	case KEY_WIDTH:
		pmu->width = v;
		break;
	case KEY_CC:
		pmu->has_cycle_counter = v;
		break;
	case KEY_PAGES:
		pmu->has_dual_page = v == 2;
		break;
	case KEY_ATOMIC:
		pmu->is_atomic = v;
		break;
	case KEY_LINE:
		pmu->line = v;
		break;
	case KEY_MODE:
		pmu->is_edge = v;
		break;
	case KEY_IIDR:
		pmu->iidr = v;
		break;
	case KEY_DEVARCH:
		pmu->devarch = v;
		break;
	case KEY_EXT64:
		pmu->has_ext64 = v;
		break;
	case KEY_PMU_DEAD:
	case KEY_OTHER:
		break;
	}
}

static int parse_key(struct text *text, char *word, struct board_pmu *pmu,
		     unsigned int *seen)
{
	char *value = strchr(word, '=');
	const struct key *key;
	uint64_t v = 0;
	int ret;

	if (!value || !value[1])
		return text_fail(text, "expected KEY=VALUE, found \"%s\"", word);
	*value++ = '\0';
	for (key = keys; key < keys + KEYS_LEN; key++)
		if (!strcmp(key->name, word))
			break;
	if (key == keys + KEYS_LEN)
		return text_fail(text, "expected a key of a pmu, found \"%s\"", word);
	if (*seen >> (key - keys) & 1)
		return text_fail(text, "expected each key once, found a second \"%s\"",
				 word);
	*seen |= 1u << (key - keys);
	if (key->type == KEY_DEAD)
		return parse_dead(text, value, pmu);
	ret = parse_value(text, key, value, &v);
	if (!ret)
		set_key(pmu, key->id, v);
	return ret;
}

static bool is_key_seen(unsigned int seen, enum key_id id)
{
	size_t i;

	for (i = 0; i < KEYS_LEN; i++)
		if (keys[i].id == id && seen >> i & 1)
			return true;
	return false;
}

static int parse_pmu(struct text *text, int len, struct board *board)
{
	struct board_pmu pmu = {
		.counters = 6, .width = 64, .has_cycle_counter = true, .is_atomic = true,
		.devarch = BOARD_DEVARCH,
	};
	unsigned int seen = 0;
	int i, ret;

	if (!board->chip || !board->sockets)
		return text_fail(text, "expected chip and sockets before the first pmu");
	if (board->pmus_len == BOARD_MAX_PMUS)
		return text_fail(text, "expected at most %d pmus", BOARD_MAX_PMUS);
	for (i = 1; i < len; i++) {
		ret = parse_key(text, text->words[i], &pmu, &seen);
		if (ret)
			return ret;
	}
	if (!is_key_seen(seen, KEY_PMU_KIND) || !is_key_seen(seen, KEY_SOCKET))
		return text_fail(text, "expected kind= and socket=");
	if (pmu.socket >= board->sockets)
		return text_fail(text, "expected a socket below %u, found %u",
				 board->sockets, pmu.socket);
	if (board->is_packed && pmu.has_dual_page)
		return text_fail(text, "expected one page for each pmu of a packed board");

	pmu.identity = kind_iidr[pmu.kind];
	if (!is_key_seen(seen, KEY_IIDR))
		pmu.iidr = pmu.identity;
	else if (pmu.iidr)
		pmu.identity = pmu.iidr;
	board->pmus[board->pmus_len++] = pmu;
	return 0;
}

static int parse_sockets(struct text *text, const char *word, struct board *board)
{
	uint64_t v;

	if (!board->chip)
		return text_fail(text, "expected chip before sockets");
	if (text_number(word, 10, CHIP_MAX_SOCKETS, &v) ||
	    !chip_has_sockets(board->chip, v))
		return text_fail(text, "expected a number of sockets that %s is built with, found \"%s\"",
				 board->chip->name, word);
	board->sockets = v;
	return 0;
}

static int parse_line(struct text *text, int len, struct board *board)
{
	char **w = text->words;

	if (!strcmp(w[0], "pmu"))
		return parse_pmu(text, len, board);
	if (!strcmp(w[0], "apmt"))
		return 0;	/* keys of the ACPI generator */
	if (len == 1 && !strcmp(w[0], "packed") && !board->pmus_len) {
		board->is_packed = true;
		return 0;
	}
	if (len == 2 && !strcmp(w[0], "chip") && !board->chip) {
		board->chip = chip_find(w[1]);
		if (!board->chip)
			return text_fail(text, "expected superchip or gracehopper, found \"%s\"",
					 w[1]);
		return 0;
	}
	if (len == 2 && !strcmp(w[0], "sockets") && !board->sockets)
		return parse_sockets(text, w[1], board);
	return text_fail(text, "expected \"chip NAME\" and \"sockets N\" once each, and \"pmu KEY=VALUE...\"; found \"%s\"",
			 w[0]);
}

int board_parse(struct board *board, const char *path, const char *data,
		size_t len, struct text_error *err)
{
	struct text text;
	int n, ret;

	*board = (struct board){ 0 };
	text_init(&text, path, data, len, err);
	while ((n = text_next(&text)) > 0) {
		ret = parse_line(&text, n, board);
		if (ret)
			return ret;
	}
	if (!n && !board->sockets)
		n = text_fail(&text, "expected chip and sockets");
	return n;
}

int board_load(struct board *board, const char *path, struct text_error *err)
{
	size_t len;
	char *data = text_read_file(path, &len, err);
	int ret;

	if (!data)
		return -errno;
	ret = board_parse(board, path, data, len, err);
	free(data);
	return ret;
}

unsigned int board_device(const struct board_pmu *pmu)
{
	return pmu->line ? pmu->line : 1;
}

unsigned int board_devices(const struct board *board)
{
	unsigned int i, n = 1;

	for (i = 0; i < board->pmus_len; i++)
		if (board_device(&board->pmus[i]) > n)
			n = board_device(&board->pmus[i]);
	return n;
}
