/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bounds of the nodes in the ACPI table APMT (Arm DEN0117): a header, then nodes that
 * begin with their length. The content of the table is not trusted. This part does not
 * depend on the kernel: tests/unit/driver/apmt.c builds it for the host.
 */
#ifndef GRACE_CSPMU_APMT_H
#define GRACE_CSPMU_APMT_H

#include <linux/types.h>

#define GRACE_APMT_HEADER	36	/* bytes of the header of an ACPI table */
#define GRACE_APMT_NODE		56	/* bytes of the fields of a node */

/**
 * grace_apmt_length() - check that a table has a whole node at an offset
 * @table: the table
 * @len: bytes of the table
 * @offset: the offset, any number
 *
 * Return: the length of the node, so that the next one may begin at @offset plus this
 * length, or 0 if the node is too short for its fields or does not end in the table
 */
static inline __u32 grace_apmt_length(const void *table, __u32 len, __u64 offset)
{
	const __u8 *bytes = table;
	__u32 length;

	if (offset < GRACE_APMT_HEADER || offset > len || len - offset < GRACE_APMT_NODE)
		return 0;
	length = bytes[offset] | bytes[offset + 1] << 8;
	return length >= GRACE_APMT_NODE && length <= len - offset ? length : 0;
}

#endif /* GRACE_CSPMU_APMT_H */
