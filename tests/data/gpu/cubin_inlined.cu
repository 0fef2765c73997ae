// SPDX-License-Identifier: LGPL-2.1-or-later
// Source of cubin_inlined.bin: nvcc -cubin -arch=sm_90 -O2 -lineinfo
template <int N> __device__ __forceinline__ float scale(float x)
{
	return x * N + 0.5f;
}

namespace load {
__device__ __forceinline__ float twice(float x)
{
	float y = scale<3>(x);
	return y / (x + 1);
}
}

__global__ void run(float *data, int n)
{
	float x = data[threadIdx.x];

	for (int i = 0; i < n; i++)
		x = load::twice(x);
	data[threadIdx.x] = x;
}
