// SPDX-License-Identifier: LGPL-2.1-or-later
/* The recorder's libcuda.so.1 */
#include <stdio.h>

#include "library/cupti_api.h"
#include "record.h"

#define UNKNOWN	999

/* Declares the real function with these parameters, and looks it up */
#define REAL(...) \
	static int (*real)(__VA_ARGS__); \
	uint64_t now = record_now(); \
	int result = UNKNOWN; \
	if (!real) \
		real = (int (*)(__VA_ARGS__))record_real("libcuda.so.1", __func__)

PUBLIC int cuInit(unsigned int flags)
{
	REAL(unsigned int);

	if (real)
		result = real(flags);
	record_call(now, __func__, result, "\tflags=%u", flags);
	return result;
}

static int integer(const char *function, int (*real)(int *), uint64_t now, int *value)
{
	int result = real ? real(value) : UNKNOWN;

	record_call(now, function, result, "\tvalue=%d", result ? 0 : *value);
	return result;
}

PUBLIC int cuDriverGetVersion(int *version)
{
	REAL(int *);

	return real ? integer(__func__, real, now, version) : result;
}

PUBLIC int cuDeviceGetCount(int *count)
{
	REAL(int *);

	return real ? integer(__func__, real, now, count) : result;
}

PUBLIC int cuDeviceGet(int *device, int ordinal)
{
	REAL(int *, int);

	if (real)
		result = real(device, ordinal);
	record_call(now, __func__, result, "\tordinal=%d\tvalue=%d", ordinal, result ? -1 : *device);
	return result;
}

PUBLIC int cuDeviceGetUuid_v2(CUuuid *uuid, int device)
{
	unsigned char *b = (unsigned char *)uuid->bytes;
	REAL(CUuuid *, int);

	if (real)
		result = real(uuid, device);
	record_call(now, __func__, result,
		    "\tdevice=%d\tuuid=GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		    device, b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
		    b[12], b[13], b[14], b[15]);
	return result;
}

PUBLIC int cuDeviceGetName(char *name, int length, int device)
{
	REAL(char *, int, int);

	if (real)
		result = real(name, length, device);
	record_call(now, __func__, result, "\tdevice=%d\tname=%s", device, result ? "" : name);
	return result;
}

PUBLIC int cuDeviceGetPCIBusId(char *id, int length, int device)
{
	REAL(char *, int, int);

	if (real)
		result = real(id, length, device);
	record_call(now, __func__, result, "\tdevice=%d\tpci=%s", device, result ? "" : id);
	return result;
}
