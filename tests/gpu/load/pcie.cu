// SPDX-License-Identifier: LGPL-2.1-or-later
/* Copies between pinned memory of the host and the GPU's memory. */
#include "load.h"

#define BYTES ((size_t)256 << 20)

struct pcie {
	void *host, *gpu;
};

static void once(struct load *load, void *arg)
{
	const struct pcie *pcie = (const struct pcie *)arg;

	if (load->up)
		LOAD_CHECK(cudaMemcpyAsync(pcie->gpu, pcie->host, BYTES, cudaMemcpyHostToDevice));
	else
		LOAD_CHECK(cudaMemcpyAsync(pcie->host, pcie->gpu, BYTES, cudaMemcpyDeviceToHost));
}

int main(int argc, char **argv)
{
	struct load load = load_begin("pcie", " [--to gpu|host]", argc, argv);
	struct pcie pcie = {};
	uint64_t bytes;

	LOAD_CHECK(cudaMallocHost(&pcie.host, BYTES));
	LOAD_CHECK(cudaMalloc(&pcie.gpu, BYTES));
	memset(pcie.host, 0x5a, BYTES);
	LOAD_CHECK(cudaMemset(pcie.gpu, 0x5a, BYTES));
	load_run(&load, once, &pcie);
	bytes = load.done * BYTES;
	/* From the GPU's view, as its counters: a copy to the GPU is read from the host. */
	load_print(&load, load.up ? bytes : 0, load.up ? 0 : bytes, "");
	return 0;
}
