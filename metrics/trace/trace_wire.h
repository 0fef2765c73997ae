/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encodes fields of messages. A message is preceded by its length, so encoding runs
 * backwards: fields in descending order, which yields protobuf-c's ascending order. @p is
 * the beginning of the bytes written so far; each function returns the new beginning.
 */
#ifndef GPMU_TRACE_WIRE_H
#define GPMU_TRACE_WIRE_H

#include "trace/trace.h"

/* Wire types of protocol buffers */
enum wire_type { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2 };

static inline uint8_t *wire_varint(uint8_t *p, uint64_t value)
{
	unsigned int bytes = (unsigned int)(70 - __builtin_clzll(value | 1)) / 7;

	p -= bytes;
	for (unsigned int i = 0; i + 1 < bytes; i++, value >>= 7)
		p[i] = (uint8_t)(value | 0x80);
	p[bytes - 1] = (uint8_t)value;
	return p;
}

static inline uint8_t *wire_tag(uint8_t *p, unsigned int field, enum wire_type type)
{
	return wire_varint(p, field << 3 | (unsigned int)type);
}

static inline uint8_t *wire_number(uint8_t *p, unsigned int field, uint64_t value)
{
	return wire_tag(wire_varint(p, value), field, WIRE_VARINT);
}

static inline uint8_t *wire_fixed64(uint8_t *p, unsigned int field, uint64_t value)
{
	p -= sizeof(value);
	for (unsigned int i = 0; i < sizeof(value); i++)
		p[i] = (uint8_t)(value >> 8 * i);
	return wire_tag(p, field, WIRE_FIXED64);
}

static inline uint8_t *wire_real(uint8_t *p, unsigned int field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return wire_fixed64(p, field, bits);
}

/* The bytes from @p to @end are the message. */
static inline uint8_t *wire_message(uint8_t *p, unsigned int field, const uint8_t *end)
{
	return wire_tag(wire_varint(p, (uint64_t)(end - p)), field, WIRE_BYTES);
}

static inline uint8_t *wire_text(uint8_t *p, unsigned int field, const char *from, size_t length)
{
	const uint8_t *end = p;

	p -= length;
	memcpy(p, from, length);
	return wire_message(p, field, end);
}

/* Encodes the clock of a packet with the time @time: the default clock, unless the time goes back. */
static inline uint8_t *wire_clock(uint8_t *p, const struct gpmu_trace *trace, uint64_t time)
{
	return time < trace->steps ? wire_number(p, 58, TRACE_CLOCK_RAW) : p;
}

/* Encodes the fields before the event of a packet, and advances the default clock to @time. */
static inline uint8_t *wire_stamp(uint8_t *p, struct gpmu_trace *trace, uint64_t time)
{
	const bool is_earlier = time < trace->steps;

	p = wire_number(p, 13, TRACE_STATE_NEEDED);
	p = wire_number(p, 10, TRACE_SEQUENCE);
	p = wire_number(p, 8, is_earlier ? time : time - trace->steps);
	if (is_earlier)
		trace->stats.back++;
	else
		trace->steps = time;
	return p;
}

/* Appends the packet of an event to the buffer, which has room. The event is the bytes of the scratch buffer from @p to @end. */
static inline void wire_packet(struct gpmu_trace *trace, const uint8_t *p, const uint8_t *end, uint64_t time)
{
	const size_t length = (size_t)(end - p);

	memcpy(trace->out.data + trace->out.length, p, length);
	trace->out.length += length;
	if (time > trace->last_time)
		trace->last_time = time;
}

#endif /* GPMU_TRACE_WIRE_H */
