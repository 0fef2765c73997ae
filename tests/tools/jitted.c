// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * jitted FOLDER: a just-in-time compiler to sample. It writes a function to anonymous memory, announces it in FOLDER/jit-PID.dump, and
 * makes the memory executable afterwards. The function has no frame pointer, calls spin(), and is described by unwinding information.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PAGE	4096
#define STEPS	100000000U
#define NAME	"compiled"

static volatile unsigned int sink;

__attribute__((noinline)) static void spin(void)
{
	for (unsigned int i = 0; i < STEPS; i++)
		sink = i;
}

#ifdef __x86_64__
#define MACHINE	62
/* sub $24,%rsp; call *%rdi; add $24,%rsp; ret */
static const uint8_t code[] = { 0x48, 0x83, 0xec, 24, 0xff, 0xd7, 0x48, 0x83, 0xc4, 24, 0xc3 };
static const uint8_t eh_frame[] = {
	/* CIE: version 1, "zR", alignments 1 and -8, return address in register 16, pointers relative to themselves; CFA is RSP + 8 */
	20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 12, 7, 8, 0x90, 1, 0, 0,
	/* FDE: the code begins 48 bytes before this pointer; CFA is RSP + 32 from byte 4 to 10 */
	20, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, sizeof(code), 0, 0, 0, 0, 0x44, 14, 32, 0x46, 14, 8, 0,
	0, 0, 0, 0,
};
/* Version 1; .eh_frame begins 56 bytes before its pointer; a table with the code and the FDE, 68 and 28 bytes before this header */
static const uint8_t eh_frame_hdr[] = {
	1, 0x1b, 3, 0x3b, 0xc8, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xbc, 0xff, 0xff, 0xff, 0xe4, 0xff, 0xff, 0xff,
};
#else
#define MACHINE	0
static const uint8_t code[1], eh_frame[1], eh_frame_hdr[1];
#endif

struct prefix {
	uint32_t id, size;
	uint64_t time;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Writes the unwinding information and the load of the code at an address. */
static void announce(FILE *file, uint64_t address)
{
	const uint64_t frames_size = sizeof(eh_frame) + sizeof(eh_frame_hdr);
	const uint64_t frames[] = { frames_size, sizeof(eh_frame_hdr), frames_size };
	const uint32_t task[] = { (uint32_t)getpid(), (uint32_t)getpid() };
	const uint64_t load[] = { address, address, sizeof(code), 1 };
	struct prefix prefix = { 4, (uint32_t)(sizeof(prefix) + sizeof(frames) + frames_size), now() };

	fwrite(&prefix, sizeof(prefix), 1, file);
	fwrite(frames, sizeof(frames), 1, file);
	fwrite(eh_frame, sizeof(eh_frame), 1, file);
	fwrite(eh_frame_hdr, sizeof(eh_frame_hdr), 1, file);
	prefix = (struct prefix){ 0, sizeof(prefix) + sizeof(task) + sizeof(load) + sizeof(NAME) + sizeof(code), now() };
	fwrite(&prefix, sizeof(prefix), 1, file);
	fwrite(task, sizeof(task), 1, file);
	fwrite(load, sizeof(load), 1, file);
	fwrite(NAME, sizeof(NAME), 1, file);
	fwrite(code, sizeof(code), 1, file);
}

int main(int argc, char **argv)
{
	const uint32_t head[] = { 0x4a695444, 1, 40, MACHINE, 0, (uint32_t)getpid() };
	const uint64_t tail[] = { now(), 0 };
	char path[4096];
	void *memory;
	FILE *file;

	if (argc != 2 || !MACHINE)
		return 1;
	snprintf(path, sizeof(path), "%s/jit-%d.dump", argv[1], (int)getpid());
	file = fopen(path, "w+e");
	if (!file || fwrite(head, sizeof(head), 1, file) != 1 || fwrite(tail, sizeof(tail), 1, file) != 1 || fflush(file))
		return 1;
	/* The map of the dump names it in the recording. */
	if (mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0) == MAP_FAILED)
		return 1;
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof(code));
	announce(file, (uint64_t)(uintptr_t)memory);
	if (fclose(file) || mprotect(memory, PAGE, PROT_READ | PROT_EXEC))
		return 1;
	((void (*)(void (*function)(void)))(uintptr_t)memory)(spin);
	return 0;
}
