// SPDX-License-Identifier: LGPL-2.1-or-later
/* Keeps what packets before the work and the counters of a GPU define: GPUs, queues, stages, counters, kernels. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/reader/trace_reader.h"

#define UUID_BYTES	16
#define UUID_TEXT	48

const void *reader_message(const struct gpmu_trace_reader *reader, enum reader_message_kind kind, uint64_t iid)
{
	const struct reader_messages *messages = &reader->messages[kind];
	uint32_t index;

	return map_get(&messages->numbers, iid, &index) ? messages->list[index].message : NULL;
}

/* Copies a message, as that of the packet is in the arena. NULL: out of memory */
static ProtobufCMessage *copy_message(const ProtobufCMessage *message)
{
	const size_t size = protobuf_c_message_get_packed_size(message);
	uint8_t *bytes = malloc(size + 1);
	ProtobufCMessage *copy = NULL;

	if (bytes)
		copy = protobuf_c_message_unpack(message->descriptor, NULL, protobuf_c_message_pack(message, bytes), bytes);
	free(bytes);
	return copy;
}

/* Adds a message. As in trace_processor, the first one of a number counts. */
static int learn_message(struct gpmu_trace_reader *reader, enum reader_message_kind kind, bool has_iid, uint64_t iid,
			 const ProtobufCMessage *message)
{
	struct reader_messages *messages = &reader->messages[kind];
	struct reader_message *added;
	ProtobufCMessage *copy;

	if (!has_iid)
		return reader_fail(reader, -EINVAL, "expected descriptions with ids in the string table");
	if (map_find(&messages->numbers, iid))
		return 0;
	copy = copy_message(message);
	added = copy ? vector_append(messages->list, messages->count) : NULL;
	if (!added) {
		if (copy)
			protobuf_c_message_free_unpacked(copy, NULL);
		return reader_no_memory(reader);
	}
	added->message = copy;
	return map_set(&messages->numbers, iid, (uint32_t)messages->count - 1) ? reader_no_memory(reader) : 0;
}

#define LEARN_ALL(kind, member)									\
	for (size_t i = 0; i < data->n_##member && !ret; i++)					\
		ret = learn_message(reader, kind, data->member[i]->has_iid, data->member[i]->iid,	\
				    &data->member[i]->base)

static int learn_messages(struct gpmu_trace_reader *reader, const GpmuPb__InternedData *data)
{
	int ret = 0;

	LEARN_ALL(READER_CONTEXT, graphics_contexts);
	LEARN_ALL(READER_SPECIFICATION, gpu_specifications);
	LEARN_ALL(READER_DESCRIPTOR, gpu_counter_descriptors);
	LEARN_ALL(READER_KERNEL, compute_kernels);
	return ret;
}

/* Replaces a text, unless @given is NULL. */
static int set_text(const char **text, const char *given)
{
	char *copy = given ? strdup(given) : NULL;

	if (given && !copy)
		return -ENOMEM;
	if (!copy)
		return 0;
	free((char *)*text);
	*text = copy;
	return 0;
}

static const char *uuid_text(const GpmuPb__GpuInfo__Gpu *gpu, char text[UUID_TEXT])
{
	const uint8_t *id = gpu->uuid.data;

	for (size_t i = 0; i < gpu->n_extra_info; i++)
		if (gpu->extra_info[i]->key && !strcmp(gpu->extra_info[i]->key, "uuid"))
			return gpu->extra_info[i]->value;
	if (!gpu->has_uuid || gpu->uuid.len != UUID_BYTES)
		return NULL;
	snprintf(text, UUID_TEXT, "GPU-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", id[0],
		 id[1], id[2], id[3], id[4], id[5], id[6], id[7], id[8], id[9], id[10], id[11], id[12], id[13], id[14],
		 id[15]);
	return text;
}

static int learn_gpus(struct gpmu_trace_reader *reader, const GpmuPb__GpuInfo *info)
{
	for (size_t i = 0; i < info->n_gpus && i < GPMU_TRACE_GPUS_MAX; i++) {
		struct gpmu_trace_gpu *gpu = i < reader->gpu_count ? &reader->gpus[i] :
						       vector_append(reader->gpus, reader->gpu_count);
		char text[UUID_TEXT];

		if (!gpu)
			return reader_no_memory(reader);
		gpu->size = sizeof(*gpu);
		gpu->number = (int)i;
		if (set_text(&gpu->name, info->gpus[i]->name) || set_text(&gpu->uuid, uuid_text(info->gpus[i], text)) ||
		    set_text(&gpu->address, info->gpus[i]->pci_bdf))
			return reader_no_memory(reader);
	}
	return 0;
}

int reader_learn_gpu(struct gpmu_trace_reader *reader, const GpmuPb__TracePacket *packet)
{
	int ret = packet->interned_data ? learn_messages(reader, packet->interned_data) : 0;

	return ret || !packet->gpu_info ? ret : learn_gpus(reader, packet->gpu_info);
}

void reader_forget_gpu(struct gpmu_trace_reader *reader)
{
	for (size_t kind = 0; kind < READER_MESSAGE_KINDS; kind++) {
		struct reader_messages *messages = &reader->messages[kind];

		while (messages->count)
			protobuf_c_message_free_unpacked(messages->list[--messages->count].message, NULL);
		map_clear(&messages->numbers);
	}
	map_clear(&reader->counters);
}

void reader_gpu_release(struct gpmu_trace_reader *reader)
{
	reader_forget_gpu(reader);
	for (size_t kind = 0; kind < READER_MESSAGE_KINDS; kind++) {
		free(reader->messages[kind].list);
		map_release(&reader->messages[kind].numbers);
	}
	for (size_t i = 0; i < reader->gpu_count; i++) {
		free((char *)reader->gpus[i].name);
		free((char *)reader->gpus[i].uuid);
		free((char *)reader->gpus[i].address);
	}
	free(reader->gpus);
	map_release(&reader->queues);
	map_release(&reader->counters);
}
