// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string.h>

#include "machine/pci_address.h"

/*
 * Parses exactly @digits hexadecimal digits, in lower case as the kernel's; false on any other
 * character.
 */
static bool parse_hex(const char **cursor, size_t digits, uint32_t *value)
{
	for (*value = 0; digits; digits--, (*cursor)++) {
		if (**cursor >= '0' && **cursor <= '9')
			*value = *value << 4 | (uint32_t)(**cursor - '0');
		else if (**cursor >= 'a' && **cursor <= 'f')
			*value = *value << 4 | (uint32_t)(**cursor - 'a' + 10);
		else
			return false;
	}
	return true;
}

/* A domain has four digits, or up to eight if four are not enough. */
bool pci_address_parse(const char *text, size_t len, struct pci_address *address)
{
	uint32_t domain, bus, device, function;

	if (len < sizeof("0000:01:00.0") - 1 || len > sizeof("00000000:01:00.0") - 1)
		return false;
	if (!parse_hex(&text, len - (sizeof(":01:00.0") - 1), &domain) || *text++ != ':' ||
	    !parse_hex(&text, 2, &bus) || *text++ != ':' || !parse_hex(&text, 2, &device) ||
	    *text++ != '.' || !parse_hex(&text, 1, &function) || device > 31 || function > 7)
		return false;
	*address = (struct pci_address){ domain, (uint8_t)bus, (uint8_t)device, (uint8_t)function };
	return true;
}

static uint64_t number_of(const struct pci_address *address)
{
	return (uint64_t)address->domain << 24 | (uint64_t)address->bus << 16 | (uint64_t)address->device << 8 |
	       address->function;
}

int pci_address_compare(const struct pci_address *a, const struct pci_address *b)
{
	const uint64_t first = number_of(a), second = number_of(b);

	return (first > second) - (first < second);
}

/* Returns whether the name is a host bridge's, "pci0008:00". */
static bool is_host_bridge(const char *name, size_t len)
{
	uint32_t domain, bus;

	if (len < sizeof("pci0000:00") - 1 || len > sizeof("pci00000000:00") - 1 ||
	    strncmp(name, "pci", 3))
		return false;
	name += 3;
	return parse_hex(&name, len - 3 - (sizeof(":00") - 1), &domain) && *name++ == ':' &&
	       parse_hex(&name, 2, &bus);
}

size_t pci_path_root_port(const char *path, const char **root_port)
{
	bool is_below_bridge = false;
	struct pci_address address;
	size_t len, found = 0;

	/* Take the last host bridge: an Intel VMD is a host bridge below another one. */
	for (; *path; path += len + (path[len] == '/')) {
		len = strcspn(path, "/");
		if (is_host_bridge(path, len)) {
			is_below_bridge = true;
			found = 0;
			continue;
		}
		if (is_below_bridge && path[len] && pci_address_parse(path, len, &address)) {
			*root_port = path;
			found = len;
		}
		is_below_bridge = false;
	}
	return found;
}
